/* SPDX-License-Identifier: Apache-2.0
 *
 * strtod and strtof, correctly rounded. The value is computed with 64 bits and a known error; only where a number halfway
 * between two results lies within that error, the text is compared with that number's digits. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "decimal.h"

/* Of a type: bits of its fraction, the power of two of its smallest number, its largest exponent field. */
struct format {
  int bits, least, most;
};
static const struct format double_format = {53, -1074, 2047}, float_format = {24, -149, 255};

/* A decimal number: from its first digit that is not 0 to its last one, perhaps with a point among them. */
struct number {
  const char *digits, *end;
  int exponent; /* power of ten of the first digit */
};

/* 10^(2^i), and 10^-(2^i): the upper 64 bits, rounded down, and the power of two of the lowest of them. */
#define POWERS 9
static const struct {
  uint64_t bits;
  int exponent;
} powers[2][POWERS] = {
    {{0xa000000000000000, -60},
     {0xc800000000000000, -57},
     {0x9c40000000000000, -50},
     {0xbebc200000000000, -37},
     {0x8e1bc9bf04000000, -10},
     {0x9dc5ada82b70b59d, 43},
     {0xc2781f49ffcfa6d5, 149},
     {0x93ba47c980e98cdf, 362},
     {0xaa7eebfb9df9de8d, 787}},
    {{0xcccccccccccccccc, -67},
     {0xa3d70a3d70a3d70a, -70},
     {0xd1b71758e219652b, -77},
     {0xabcc77118461cefc, -90},
     {0xe69594bec44de15b, -117},
     {0xcfb11ead453994ba, -170},
     {0xa87fea27a539e9a5, -276},
     {0xddd0467c64bce4a0, -489},
     {0xc0314325637a1939, -914}},
};
/* Units of the lowest of 64 bits by which the product is too small, at most: of each power 1.5 * 2^-62 of it, and of the
 * digits behind the 19th 10^-18. */
#define ERROR 80

static uint64_t upper_product(uint64_t a, uint64_t b) {
  const uint64_t low = (a & UINT32_MAX) * (b & UINT32_MAX);
  const uint64_t one = (a >> 32) * (b & UINT32_MAX) + (low >> 32);
  const uint64_t other = (a & UINT32_MAX) * (b >> 32) + (one & UINT32_MAX);
  return (a >> 32) * (b >> 32) + (one >> 32) + (other >> 32);
}

static int to_upper_bits(uint64_t *m) {
  const int shift = __builtin_clzll(*m);
  *m <<= shift;
  return shift;
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* A number against m * 2^e: below 0, 0, above. */
static int compare(const struct number *number, uint64_t m, int e) {
  struct cl_decimal other;
  unsigned digit;
  if (!m) return 1;
  cl_decimal_begin(&other, m, e);
  do digit = cl_decimal_digit(&other);
  while (!digit);
  if (number->exponent != other.position + 1) return number->exponent - other.position - 1;
  for (const char *at = number->digits;;) {
    if ((unsigned)(*at - '0') != digit) return (int)(*at - '0') - (int)digit;
    do at++;
    while (at < number->end && !is_digit(*at));
    if (at >= number->end) return cl_decimal_rest(&other) ? -1 : 0;
    digit = cl_decimal_digit(&other);
  }
}

/* The number, which is m * 2^e (m with its highest bit set) or up to `error` units of m larger; without one it is exact
 * but for the lowest bit of m, which is set if there were more. */
static uint64_t rounded(uint64_t m, int e, const struct format *f, const struct number *number) {
  const uint64_t error = number ? ERROR : 0;
  int least = e + 64 - f->bits;
  if (least < f->least) least = f->least;
  const int shift = least - e; /* at least 11 */
  const uint64_t upper = shift < 64 ? m >> shift : 0, part = shift < 64 ? m << (64 - shift) : shift == 64 ? m : 1;
  const uint64_t half = UINT64_C(1) << 63, margin = shift < 64 ? error << (64 - shift) : shift < 67 ? half : 0;
  uint64_t value = upper;
  bool exact = false;
  if (number && part <= half && half - part <= margin) {
    const int side = compare(number, 2 * upper + 1, least - 1);
    value += side > 0 || (side == 0 && upper & 1);
  } else {
    value += part > half || (part == half && upper & 1);
  }
  if (value >> f->bits) {
    value >>= 1;
    least++;
  }
  const bool normal = value >> (f->bits - 1);
  if (!normal) exact = number ? compare(number, value, least) == 0 : part == 0;
  const int field = normal ? least - f->least + 1 : 0;
  if (field >= f->most) {
    errno = ERANGE;
    return (uint64_t)f->most << (f->bits - 1);
  }
  if (!normal && !exact) errno = ERANGE;
  return (uint64_t)field << (f->bits - 1) | (value & ((UINT64_C(1) << (f->bits - 1)) - 1));
}

static uint64_t of_decimal(const struct number *number, const struct format *f) {
  uint64_t m = 0;
  int taken = 0;
  if (number->exponent > 310) return rounded(UINT64_C(1) << 63, 1024, f, NULL);
  if (number->exponent < -330) return rounded(UINT64_C(1) << 63, -1200, f, NULL);
  for (const char *at = number->digits; at < number->end && taken < 19; at++) {
    if (!is_digit(*at)) continue;
    m = 10 * m + (uint64_t)(*at - '0');
    taken++;
  }
  const int ten = number->exponent - taken + 1;
  int e = -to_upper_bits(&m);
  for (int i = 0, left = abs(ten); left; i++, left >>= 1) {
    if (!(left & 1)) continue;
    m = upper_product(m, powers[ten < 0][i].bits);
    e += powers[ten < 0][i].exponent + 64;
    e -= to_upper_bits(&m);
  }
  return rounded(m, e, f, number);
}

/* An exponent behind its letter, e or p; the text is left at its end, if there is one. */
static int exponent(const char **text) {
  const char *at = *text + 1;
  const bool minus = *at == '-';
  int value = 0;
  if (*at == '-' || *at == '+') at++;
  if (!is_digit(*at)) return 0;
  for (; is_digit(*at); at++)
    if (value < 100000000) value = 10 * value + (*at - '0');
  *text = at;
  return minus ? -value : value;
}

static int hex_digit(char c) {
  if (is_digit(c)) return c - '0';
  const char lower = (char)(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/* Behind 0x. */
static uint64_t of_hex(const char **text, const struct format *f) {
  const char *at = *text;
  uint64_t m = 0, more = 0;
  int e = 0;
  for (bool point = false;; at++) {
    const int digit = hex_digit(*at);
    if (digit < 0 && (point || *at != '.')) break;
    if (digit < 0) {
      point = true;
    } else if (m >> 60) {
      more |= (uint64_t)digit;
      e += point ? 0 : 4;
    } else {
      m = m << 4 | (uint64_t)digit;
      e -= point ? 4 : 0;
    }
  }
  if ((*at | 0x20) == 'p') e += exponent(&at);
  *text = at;
  if (!m) return 0;
  e -= to_upper_bits(&m);
  if (e > 2000) e = 2000;
  if (e < -2000) e = -2000;
  return rounded(m | (more != 0), e, f, NULL);
}

static bool begins(const char *text, const char *word) {
  for (; *word; text++, word++)
    if ((*text | 0x20) != *word) return false;
  return true;
}

/* The bits of the number without its sign; *end is NULL if there is none. */
static uint64_t magnitude(const char *text, const char **end, const struct format *f) {
  const uint64_t infinity = (uint64_t)f->most << (f->bits - 1);
  *end = NULL;
  if (begins(text, "inf")) {
    *end = text + (begins(text, "infinity") ? 8 : 3);
    return infinity;
  }
  if (begins(text, "nan")) {
    const char *at = text += 3;
    if (*at == '(') at++;
    while (at > text && (isalnum((unsigned char)*at) || *at == '_')) at++;
    *end = at > text && *at == ')' ? at + 1 : text;
    return infinity | UINT64_C(1) << (f->bits - 2);
  }
  if (*text == '0' && (text[1] | 0x20) == 'x' && hex_digit(text[2 + (text[2] == '.')]) >= 0) {
    text += 2;
    const uint64_t bits = of_hex(&text, f);
    *end = text;
    return bits;
  }
  struct number number = {.digits = NULL};
  bool any = false, point = false;
  for (;; text++) {
    if (*text == '.' && !point) {
      point = true;
    } else if (is_digit(*text)) {
      any = true;
      if (*text != '0') {
        if (!number.digits) number.digits = text;
        number.end = text + 1;
      }
      if (!point && number.digits) number.exponent++;
      if (point && !number.digits) number.exponent--;
    } else {
      break;
    }
  }
  if (!any) return 0;
  if ((*text | 0x20) == 'e') number.exponent += exponent(&text);
  *end = text;
  number.exponent--;
  return number.digits ? of_decimal(&number, f) : 0;
}

static uint64_t converted(const char *text, char **end, const struct format *f) {
  const char *at = text, *behind;
  while (isspace((unsigned char)*at)) at++;
  const bool minus = *at == '-';
  if (*at == '-' || *at == '+') at++;
  const uint64_t bits = magnitude(at, &behind, f);
  if (end) *end = (char *)(uintptr_t)(behind ? behind : text);
  return bits | (uint64_t)(minus && behind) << (f == &double_format ? 63 : 31);
}

double strtod(const char *restrict text, char **restrict end) {
  const uint64_t bits = converted(text, end, &double_format);
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

float strtof(const char *restrict text, char **restrict end) {
  const uint32_t bits = (uint32_t)converted(text, end, &float_format);
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

/* As exact as a double. */
long double strtold(const char *restrict text, char **restrict end) { return (long double)strtod(text, end); }
double atof(const char *text) { return strtod(text, NULL); }
