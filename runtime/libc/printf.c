/* SPDX-License-Identifier: Apache-2.0
 *
 * vfprintf, whole: what C asks for, with POSIX's numbered arguments; doubles are exact. Nothing is buffered, there is no
 * heap, and a stream is not locked here (stdio.c). A long double is printed as the double next to it. */
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>

#include "decimal.h"

enum { LEFT = 1, PLUS = 2, SPACE = 4, ALTERNATE = 8, ZEROS = 16 };

/* A conversion; its width or precision may be STAR, the next argument or that of a number. */
enum { NONE = -1, STAR = -2 };
struct conversion {
  unsigned flags;
  int width, precision;
  enum { CHAR, SHORT, INT, LONG, LONG_LONG, LONG_DOUBLE } size;
  char letter;
  int argument, width_argument, precision_argument; /* numbers; 0: the next */
};

struct out {
  FILE *stream;
  int count; /* of characters, negative: an error */
};

static void put(struct out *out, char c) {
  if (out->count < 0) return;
  if (out->count == INT_MAX) {
    errno = EOVERFLOW;
    out->count = -1;
  } else if (out->stream->put(c, out->stream) < 0) {
    out->count = -1;
  } else {
    out->count++;
  }
}

static void repeat(struct out *out, char c, int times) {
  while (times-- > 0 && out->count >= 0) put(out, c);
}

/* The padding before a field of this many characters besides the prefix; EOVERFLOW if the sum cannot be counted. */
static void begin_field(struct out *out, const struct conversion *c, const char *prefix, int length, int more) {
  if (out->count < 0) return;
  const long long total = (long long)length + more + (long long)strlen(prefix);
  if ((c->width > total ? c->width : total) > INT_MAX - out->count) {
    errno = EOVERFLOW;
    out->count = -1;
    return;
  }
  const int left = c->width - (int)total;
  if (!(c->flags & (LEFT | ZEROS))) repeat(out, ' ', left);
  while (*prefix) put(out, *prefix++);
  if (c->flags & ZEROS) repeat(out, '0', left);
}

static void end_field(struct out *out, const struct conversion *c, int from) {
  if (c->flags & LEFT && out->count >= 0) repeat(out, ' ', c->width - (out->count - from));
}

static void put_text(struct out *out, const struct conversion *c, const char *text, int length) {
  const int from = out->count;
  begin_field(out, c, "", length, 0);
  for (int i = 0; i < length; i++) put(out, text[i]);
  end_field(out, c, from);
}

/* Wide characters are bytes in this C library's only locale. */
static void put_wide(struct out *out, const struct conversion *c, const wchar_t *text, int most) {
  const int from = out->count;
  int length = 0;
  while (length < most && text[length]) length++;
  begin_field(out, c, "", length, 0);
  for (int i = 0; i < length; i++) {
    if (text[i] < 0 || text[i] > UCHAR_MAX) {
      errno = EILSEQ;
      out->count = -1;
    }
    put(out, (char)text[i]);
  }
  end_field(out, c, from);
}

static const char *sign(const struct conversion *c, bool minus) {
  return minus ? "-" : c->flags & PLUS ? "+" : c->flags & SPACE ? " " : "";
}

static void put_integer(struct out *out, struct conversion *c, uintmax_t value, const char *prefix) {
  char digits[(sizeof value * CHAR_BIT + 2) / 3], *first = digits + sizeof digits;
  const char *const names = c->letter == 'X' ? "0123456789ABCDEF" : "0123456789abcdef";
  const unsigned base = c->letter == 'o' ? 8 : (c->letter | 0x20) == 'x' || c->letter == 'p' ? 16 : 10;
  const int from = out->count;
  if (c->precision >= 0) c->flags &= ~(unsigned)ZEROS;
  /* Divisions of 32 bits, where they do. */
  for (; value > UINT32_MAX; value /= base) *--first = names[value % base];
  for (uint32_t rest = (uint32_t)value; rest; rest /= base) *--first = names[rest % base];
  const int length = (int)(digits + sizeof digits - first);
  int zeros = c->precision == NONE ? 1 - length : c->precision - length;
  if (base == 8 && c->flags & ALTERNATE && zeros <= 0) zeros = 1;
  if (zeros < 0) zeros = 0;
  begin_field(out, c, prefix, zeros, length);
  repeat(out, '0', zeros);
  for (int i = 0; i < length; i++) put(out, first[i]);
  end_field(out, c, from);
}

static void put_hex_double(struct out *out, const struct conversion *c, const char *before, uint64_t m, int e) {
  const bool upper = c->letter == 'A';
  const char *const names = upper ? "0123456789ABCDEF" : "0123456789abcdef";
  char exponent[6], *first = exponent + sizeof exponent, prefix[4] = {0};
  int digits = 13;
  if (c->precision >= 0 && c->precision < digits) {
    const int dropped = 4 * (digits - c->precision);
    const uint64_t half = UINT64_C(1) << (dropped - 1), part = m & (2 * half - 1);
    m >>= dropped;
    m += part > half || (part == half && m & 1);
    m <<= dropped;
  }
  if (c->precision < 0)
    while (digits && !(m >> (52 - 4 * digits) & 15)) digits--;
  const int shown = c->precision < 0 ? digits : c->precision;
  for (unsigned rest = (unsigned)(e < 0 ? -e : e); rest || first == exponent + sizeof exponent; rest /= 10)
    *--first = (char)('0' + rest % 10);
  *--first = e < 0 ? '-' : '+';
  *--first = upper ? 'P' : 'p';
  strcat(strcpy(prefix, before), upper ? "0X" : "0x");
  const bool point = shown || c->flags & ALTERNATE;
  begin_field(out, c, prefix, shown, 1 + point + (int)(exponent + sizeof exponent - first));
  put(out, names[m >> 52]);
  if (point) put(out, '.');
  for (int i = 1; i <= shown; i++) put(out, i > 13 ? '0' : names[m >> (52 - 4 * i) & 15]);
  while (first < exponent + sizeof exponent) put(out, *first++);
}

static void put_double(struct out *out, struct conversion *c, double value) {
  const char lower = (char)(c->letter | 0x20);
  const bool upper = lower != c->letter;
  const int from = out->count;
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  const char *const before = sign(c, bits >> 63);
  int e = (int)(bits >> 52 & 2047);
  uint64_t m = bits & ((UINT64_C(1) << 52) - 1);
  if (e == 2047) {
    const char *const text = m ? upper ? "NAN" : "nan" : upper ? "INF" : "inf";
    c->flags &= ~(unsigned)ZEROS;
    begin_field(out, c, before, 3, 0);
    for (int i = 0; i < 3; i++) put(out, text[i]);
    end_field(out, c, from);
    return;
  }
  if (e) m |= UINT64_C(1) << 52;
  else if (m || lower != 'a') e = 1;
  else e = 1023; /* 0x0p+0 */
  if (lower == 'a') {
    put_hex_double(out, c, before, m, e - 1023);
    end_field(out, c, from);
    return;
  }
  struct cl_decimal digits;
  int precision = c->precision < 0 ? 6 : c->precision;
  bool fixed = lower == 'f';
  if (lower == 'g') {
    if (!precision) precision = 1;
    cl_decimal_round(&digits, m, e - 1075, precision, 0);
    fixed = digits.exponent >= -4 && digits.exponent < precision;
    if (!(c->flags & ALTERNATE)) precision = digits.exponent - digits.last + 1; /* without zeros behind */
    precision = fixed ? precision - 1 - digits.exponent : precision - 1;
    if (precision < 0) precision = 0;
  } else {
    cl_decimal_round(&digits, m, e - 1075, fixed ? 0 : precision + 1, precision);
  }
  char exponent[6], *first = exponent + sizeof exponent;
  if (!fixed) {
    int rest = digits.exponent < 0 ? -digits.exponent : digits.exponent;
    for (int i = 0; i < 2 || rest; i++, rest /= 10) *--first = (char)('0' + rest % 10);
    *--first = digits.exponent < 0 ? '-' : '+';
    *--first = upper ? 'E' : 'e';
  }
  const bool point = precision || c->flags & ALTERNATE;
  const int whole = fixed && digits.exponent > 0 ? digits.exponent : 0; /* digits before the point, less 1 */
  int tail = (int)(exponent + sizeof exponent - first);
  begin_field(out, c, before, precision, 1 + whole + point + tail);
  for (int i = -whole; i <= precision && out->count >= 0; i++) {
    if (i == 1) put(out, '.');
    put(out, fixed && -i > digits.exponent ? '0' : (char)('0' + cl_decimal_next(&digits)));
  }
  if (point && !precision) put(out, '.');
  while (tail--) put(out, *first++);
  end_field(out, c, from);
}

static int number(const char **at) {
  int value = 0;
  for (; **at >= '0' && **at <= '9'; (*at)++)
    if (__builtin_mul_overflow(value, 10, &value) || __builtin_add_overflow(value, **at - '0', &value)) value = INT_MAX;
  return value;
}

/* Behind an asterisk: the number of the argument. */
static int star(const char **at) {
  const char *behind = *at;
  const int argument = number(&behind);
  if (!argument || *behind != '$') return 0;
  *at = behind + 1;
  return argument;
}

/* The conversion behind a percent sign; returns what follows. */
static const char *parse(const char *at, struct conversion *c) {
  *c = (struct conversion){.width = 0, .precision = NONE, .size = INT};
  const char *behind = at;
  const int first = number(&behind);
  if (first && *behind == '$') {
    c->argument = first;
    at = behind + 1;
  }
  static const char flags[] = "-+ #0'"; /* the last one groups thousands, which have no separator here */
  for (const char *found; *at && (found = strchr(flags, *at)); at++) c->flags |= 1u << (found - flags);
  if (*at == '*') {
    at++;
    c->width = STAR;
    c->width_argument = star(&at);
  } else {
    c->width = number(&at);
  }
  if (*at == '.') {
    at++;
    if (*at == '*') {
      at++;
      c->precision = STAR;
      c->precision_argument = star(&at);
    } else {
      const bool minus = *at == '-';
      at += minus;
      c->precision = number(&at);
      if (minus) c->precision = NONE;
    }
  }
  const char *const size = at;
  switch (*at) {
    case 'h':
    case 'l':
      at += at[1] == *at ? 2 : 1;
      c->size = *size == 'h' ? at - size == 2 ? CHAR : SHORT : at - size == 2 ? LONG_LONG : LONG;
      break;
    case 'j':
      at++;
      c->size = LONG_LONG;
      break;
    case 'z':
    case 't':
      at++;
      c->size = sizeof(size_t) == sizeof(int) ? INT : LONG;
      break;
    case 'L':
      at++;
      c->size = LONG_DOUBLE;
      break;
  }
  c->letter = *at;
  if (c->letter == 'C' || c->letter == 'S') {
    c->letter |= 0x20;
    c->size = LONG;
  }
  if (c->letter == 'p') c->size = sizeof(void *) == sizeof(int) ? INT : LONG;
  return *at ? at + 1 : at;
}

static bool is_double(char letter) { return letter && strchr("aAeEfFgG", letter); }

struct arguments {
  va_list list;
};

static void skip(struct arguments *from, const struct conversion *c) {
  if (is_double(c->letter)) {
    if (c->size == LONG_DOUBLE) (void)va_arg(from->list, long double);
    else (void)va_arg(from->list, double);
  } else if (c->letter == 's' || c->letter == 'n') {
    (void)va_arg(from->list, void *);
  } else if (c->size >= LONG_LONG) {
    (void)va_arg(from->list, long long);
  } else if (c->size == LONG) {
    (void)va_arg(from->list, long);
  } else {
    (void)va_arg(from->list, int);
  }
}

/* Numbered arguments are found by going through those before, whose types are somewhere in the format. */
static void go_to(struct arguments *from, va_list all, const char *format, int argument) {
  va_end(from->list);
  va_copy(from->list, all);
  for (int before = 1; before < argument; before++) {
    struct conversion c, is_int = {.size = INT, .letter = 'd'};
    for (const char *at = format; (at = strchr(at, '%')) != NULL;) {
      at = parse(at + 1, &c);
      if (c.argument == before) skip(from, &c);
      else if (c.width_argument == before || c.precision_argument == before) skip(from, &is_int);
      else continue;
      break;
    }
  }
}

static intmax_t take_signed(va_list *list, const struct conversion *c) {
  if (c->size >= LONG_LONG) return va_arg(*list, long long);
  if (c->size == LONG) return va_arg(*list, long);
  const int value = va_arg(*list, int);
  return c->size == CHAR ? (signed char)value : c->size == SHORT ? (short)value : value;
}

static uintmax_t take_unsigned(va_list *list, const struct conversion *c) {
  if (c->size >= LONG_LONG) return va_arg(*list, unsigned long long);
  if (c->size == LONG) return va_arg(*list, unsigned long);
  const unsigned value = va_arg(*list, unsigned);
  return c->size == CHAR ? (unsigned char)value : c->size == SHORT ? (unsigned short)value : value;
}

static void store(void *to, const struct conversion *c, int count) {
  switch (c->size) {
    case CHAR: *(signed char *)to = (signed char)count; break;
    case SHORT: *(short *)to = (short)count; break;
    case INT: *(int *)to = count; break;
    case LONG: *(long *)to = count; break;
    default: *(long long *)to = count; break;
  }
}

static void put_argument(struct out *out, struct conversion *c, va_list *list) {
  switch (c->letter) {
    case 'd':
    case 'i': {
      const intmax_t value = take_signed(list, c);
      put_integer(out, c, value < 0 ? -(uintmax_t)value : (uintmax_t)value, sign(c, value < 0));
      break;
    }
    case 'o':
    case 'u':
    case 'x':
    case 'X': {
      const uintmax_t value = take_unsigned(list, c);
      const bool marked = value && c->flags & ALTERNATE && (c->letter | 0x20) == 'x';
      put_integer(out, c, value, !marked ? "" : c->letter == 'x' ? "0x" : "0X");
      break;
    }
    case 'p': {
      const uintmax_t value = take_unsigned(list, c);
      if (value) put_integer(out, c, value, "0x");
      else c->flags &= ~(unsigned)ZEROS, put_text(out, c, "(nil)", 5);
      break;
    }
    case 'c': {
      const int value = va_arg(*list, int);
      const wchar_t wide[] = {value, 0};
      const char byte = (char)value;
      c->flags &= ~(unsigned)ZEROS;
      if (c->size == LONG && value) put_wide(out, c, wide, 1);
      else put_text(out, c, &byte, 1);
      break;
    }
    case 's': {
      const void *text = va_arg(*list, void *);
      const int most = c->precision < 0 ? INT_MAX : c->precision;
      c->flags &= ~(unsigned)ZEROS;
      if (!text) put_text(out, c, "(null)", most < 6 ? 0 : 6);
      else if (c->size == LONG) put_wide(out, c, text, most);
      else put_text(out, c, text, (int)strnlen(text, (size_t)most));
      break;
    }
    case 'n': store(va_arg(*list, void *), c, out->count); break;
    default: put_double(out, c, c->size == LONG_DOUBLE ? (double)va_arg(*list, long double) : va_arg(*list, double));
  }
}

int vfprintf_unlocked(FILE *stream, const char *format, va_list list);
int vfprintf_unlocked(FILE *stream, const char *format, va_list list) {
  struct out out = {stream, 0};
  struct arguments from;
  if (!(stream->flags & __SWR)) {
    errno = EBADF;
    return EOF;
  }
  va_copy(from.list, list);
  for (const char *at = format; *at && out.count >= 0;) {
    struct conversion c;
    if (*at != '%') {
      put(&out, *at++);
      continue;
    }
    const char *const begin = at;
    at = parse(at + 1, &c);
    if (c.letter == '%') {
      put(&out, '%');
      continue;
    }
    if (!c.letter || !(is_double(c.letter) || strchr("diouxXpcsn", c.letter))) { /* as it stands there */
      for (const char *each = begin; each < at; each++) put(&out, *each);
      continue;
    }
    if (c.width == STAR) {
      if (c.width_argument) go_to(&from, list, format, c.width_argument);
      c.width = va_arg(from.list, int);
      if (c.width < 0) {
        c.flags |= LEFT;
        c.width = c.width == INT_MIN ? INT_MAX : -c.width;
      }
    }
    if (c.precision == STAR) {
      if (c.precision_argument) go_to(&from, list, format, c.precision_argument);
      c.precision = va_arg(from.list, int);
      if (c.precision < 0) c.precision = NONE;
    }
    if (c.flags & LEFT) c.flags &= ~(unsigned)ZEROS;
    if (c.argument) go_to(&from, list, format, c.argument);
    put_argument(&out, &c, &from.list);
  }
  va_end(from.list);
  return out.count;
}
