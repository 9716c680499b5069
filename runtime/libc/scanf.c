/* SPDX-License-Identifier: Apache-2.0
 *
 * vfscanf, whole, with POSIX's numbered arguments; numbers are those of strtod and strtoll. The text of one number may
 * have NUMBER_ROOM characters, as many as decide how any double is rounded; a longer one does not match. */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "file.h"

#define NUMBER_ROOM 800

struct in {
  FILE *stream;
  int count; /* of characters taken */
  int left;  /* of the field's width */
};

/* The next character of the field; below 0 behind its end. */
static int take(struct in *in) {
  if (!in->left) return EOF;
  const int c = getc_unlocked(in->stream);
  if (c < 0) return EOF;
  in->left--;
  in->count++;
  return c;
}

static void give_back(struct in *in, int c) {
  if (c < 0) return;
  ungetc_unlocked(c, in->stream);
  in->left++;
  in->count--;
}

static bool take_if(struct in *in, char *text, int *length, const char *which) {
  const int c = take(in);
  if (c > 0 && strchr(which, c) && *length < NUMBER_ROOM - 1) {
    text[(*length)++] = (char)c;
    return true;
  }
  give_back(in, c);
  return false;
}

static void take_word(struct in *in, char *text, int *length, const char *word) {
  for (; *word; word++) {
    const char both[] = {*word, (char)toupper((unsigned char)*word), 0};
    if (!take_if(in, text, length, both)) return;
  }
}

#define DECIMAL "0123456789"
#define HEXADECIMAL DECIMAL "abcdefABCDEF"

/* The longest text that may begin a number of strtod. */
static void take_double(struct in *in, char *text) {
  const char *digits = DECIMAL, *letter = "eE";
  int length = 0;
  take_if(in, text, &length, "+-");
  if (take_if(in, text, &length, "iI")) {
    take_word(in, text, &length, "nf");
    if (length >= 3 && tolower((unsigned char)text[length - 1]) == 'f') take_word(in, text, &length, "inity");
  } else if (take_if(in, text, &length, "nN")) {
    take_word(in, text, &length, "an");
    if (tolower((unsigned char)text[length - 1]) == 'n' && length >= 3 && take_if(in, text, &length, "(")) {
      while (take_if(in, text, &length, "_ghijklmnopqrstuvwxyzGHIJKLMNOPQRSTUVWXYZ" HEXADECIMAL)) continue;
      take_if(in, text, &length, ")");
    }
  } else {
    if (take_if(in, text, &length, "0") && take_if(in, text, &length, "xX")) digits = HEXADECIMAL, letter = "pP";
    while (take_if(in, text, &length, digits)) continue;
    if (take_if(in, text, &length, "."))
      while (take_if(in, text, &length, digits)) continue;
    if (take_if(in, text, &length, letter)) {
      take_if(in, text, &length, "+-");
      while (take_if(in, text, &length, DECIMAL)) continue;
    }
  }
  text[length] = 0;
}

static void take_integer(struct in *in, char *text, int *base) {
  static const char octal[] = "01234567";
  int length = 0;
  take_if(in, text, &length, "+-");
  if ((*base == 0 || *base == 16) && take_if(in, text, &length, "0")) {
    if (take_if(in, text, &length, "xX")) *base = 16;
    else if (*base == 0) *base = 8;
  } else if (*base == 0) {
    *base = 10;
  }
  while (take_if(in, text, &length, *base == 8 ? octal : *base == 16 ? HEXADECIMAL : DECIMAL)) continue;
  text[length] = 0;
}

enum size { CHAR, SHORT, INT, LONG, LONG_LONG, LONG_DOUBLE };

static void store(void *to, enum size size, unsigned long long value) {
  switch (size) {
    case CHAR: *(unsigned char *)to = (unsigned char)value; break;
    case SHORT: *(unsigned short *)to = (unsigned short)value; break;
    case INT: *(unsigned *)to = (unsigned)value; break;
    case LONG: *(unsigned long *)to = (unsigned long)value; break;
    default: *(unsigned long long *)to = value; break;
  }
}

/* Room for its text is on the stack only while a number is read. */
__attribute__((noinline)) static bool read_number(struct in *in, char letter, enum size size, void *to) {
  char text[NUMBER_ROOM], *end;
  if (strchr("diouxXp", letter)) {
    int base = letter == 'i' ? 0 : letter == 'o' ? 8 : strchr("xXp", letter) ? 16 : 10;
    take_integer(in, text, &base);
    /* A type shorter than long has the low bits of a long, as everywhere. */
    const bool is_long = size < LONG_LONG, is_signed = letter == 'd' || letter == 'i';
    const unsigned long long value = is_long     ? is_signed ? (unsigned long long)strtol(text, &end, base)
                                                             : strtoul(text, &end, base)
                                     : is_signed ? (unsigned long long)strtoll(text, &end, base)
                                                 : strtoull(text, &end, base);
    if (end == text || *end) return false;
    if (to) store(to, size, value);
    return true;
  }
  take_double(in, text);
  if (size == INT) {
    const float value = strtof(text, &end);
    if (end == text || *end) return false;
    if (to) *(float *)to = value;
    return true;
  }
  const double value = strtod(text, &end);
  if (end == text || *end) return false;
  if (to && size == LONG_DOUBLE) *(long double *)to = (long double)value;
  else if (to) *(double *)to = value;
  return true;
}

/* A set of characters; *format is behind the bracket, and then behind the other one. False: it is not closed. */
static bool parse_set(const char **format, unsigned char set[32]) {
  const unsigned char *at = (const unsigned char *)*format;
  const bool inverted = *at == '^';
  at += inverted;
  memset(set, inverted ? 0xff : 0, 32);
  for (const unsigned char *const first = at; *at != ']' || at == first; at++) {
    if (!*at) return false;
    unsigned from = *at, to = *at;
    if (at[1] == '-' && at[2] != ']' && at[2]) {
      at += 2;
      to = *at;
    }
    for (; from <= to; from++) {
      const unsigned char bit = (unsigned char)(1u << (from & 7));
      if (inverted) set[from >> 3] &= (unsigned char)~bit;
      else set[from >> 3] |= bit;
    }
  }
  *format = (const char *)at + 1;
  return true;
}

/* Characters of a set, or so many of any; the end of a text is marked. False: none. */
static bool read_text(struct in *in, const unsigned char *set, bool marked, enum size size, void *to) {
  char *bytes = to;
  wchar_t *wide = to;
  int length = 0;
  for (int c; (c = take(in)) >= 0; length++) {
    if (set && !(set[c >> 3] >> (c & 7) & 1)) {
      give_back(in, c);
      break;
    }
    if (to && size == LONG) wide[length] = c;
    else if (to) bytes[length] = (char)c;
  }
  if (!length || (!set && in->left)) return false;
  if (to && marked && size == LONG) wide[length] = 0;
  else if (to && marked) bytes[length] = 0;
  return true;
}

static int skip_spaces(struct in *in) {
  int c;
  in->left = INT_MAX;
  do c = take(in);
  while (c >= 0 && isspace(c));
  give_back(in, c);
  return c;
}

static int number(const char **at) {
  int value = 0;
  for (; isdigit((unsigned char)**at); (*at)++) value = value < INT_MAX / 10 ? 10 * value + (**at - '0') : INT_MAX;
  return value;
}

int vfscanf(FILE *stream, const char *format, va_list list) {
  struct in in = {stream, 0, 0};
  struct {
    va_list list;
  } from;
  int done = 0;
  va_copy(from.list, list);
  while (*format) {
    if (isspace((unsigned char)*format)) {
      while (isspace((unsigned char)*format)) format++;
      skip_spaces(&in);
      continue;
    }
    if (*format != '%' || format[1] == '%') {
      const bool percent = *format == '%';
      const int c = percent ? skip_spaces(&in) : 0;
      in.left = 1;
      const int got = c < 0 ? c : take(&in);
      if (got < 0) goto input_failure;
      if (got != (unsigned char)*format) {
        give_back(&in, got);
        break;
      }
      format += 1 + percent;
      continue;
    }
    format++;
    const char *behind = format;
    const int argument = number(&behind);
    if (argument && *behind == '$') format = behind + 1;
    const bool dropped = *format == '*';
    format += dropped;
    int width = number(&format);
    enum size size = INT;
    if (*format == 'h' || *format == 'l') {
      const bool twice = format[1] == *format;
      size = *format == 'h' ? twice ? CHAR : SHORT : twice ? LONG_LONG : LONG;
      format += 1 + twice;
    } else if (*format == 'j' || *format == 'L') {
      size = *format == 'j' ? LONG_LONG : LONG_DOUBLE;
      format++;
    } else if (*format == 'z' || *format == 't') {
      size = sizeof(size_t) == sizeof(int) ? INT : LONG;
      format++;
    }
    const char letter = *format;
    if (!letter) break;
    format++;
    if (letter == 'p') size = sizeof(void *) == sizeof(int) ? INT : LONG;
    if (letter == 'C' || letter == 'S') size = LONG;
    if (argument && *behind == '$') {
      va_end(from.list);
      va_copy(from.list, list);
      for (int i = 1; i < argument; i++) (void)va_arg(from.list, void *);
    }
    void *const to = dropped ? NULL : va_arg(from.list, void *);
    if (letter == 'n') {
      if (to) store(to, size, (unsigned long long)in.count);
      continue;
    }
    unsigned char set[32];
    static const unsigned char not_space[] = {0xff, 0xc1, 0xff, 0xff, 0xfe}; /* and all above */
    bool found;
    if (letter != 'c' && letter != 'C' && letter != '[' && skip_spaces(&in) < 0) goto input_failure;
    in.left = width ? width : letter == 'c' || letter == 'C' ? 1 : INT_MAX;
    const int next = take(&in);
    if (next < 0) goto input_failure;
    give_back(&in, next);
    switch (letter) {
      case 'c':
      case 'C': found = read_text(&in, NULL, false, size, to); break;
      case 's':
      case 'S':
        memset(set, 0xff, sizeof set);
        memcpy(set, not_space, sizeof not_space);
        found = read_text(&in, set, true, size, to);
        break;
      case '[':
        if (!parse_set(&format, set)) goto end;
        found = read_text(&in, set, true, size, to);
        break;
      default:
        if (!strchr("diouxXpaAeEfFgG", letter)) goto end;
        found = read_number(&in, letter, size, to);
    }
    if (!found) break;
    done += !dropped;
  }
end:
  va_end(from.list);
  return done;
input_failure:
  va_end(from.list);
  return done ? done : EOF;
}
