/* SPDX-License-Identifier: Apache-2.0
 *
 * The C library's printf, strtod and strtof of runtime/libc, for Python. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "stdio.h"

struct text {
  FILE file;
  char *at, *end;
};

static int put(char c, FILE *file) {
  struct text *text = (struct text *)file;
  if (text->at < text->end) *text->at++ = c;
  return (unsigned char)c;
}

int vfprintf_unlocked(FILE *file, const char *format, va_list arguments);

int host_print(char *to, size_t room, const char *format, ...) {
  struct text text = {{__SWR, put}, to, to + room - 1};
  va_list arguments;
  va_start(arguments, format);
  const int count = vfprintf_unlocked(&text.file, format, arguments);
  va_end(arguments);
  *text.at = 0;
  return count;
}

/* The bits of the value; the error and the length of its text in the other two. */
uint64_t host_double(const char *text, int *error, int *length) {
  char *end;
  uint64_t bits;
  errno = 0;
  const double value = strtod(text, &end);
  *error = errno;
  *length = (int)(end - text);
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

uint32_t host_float(const char *text, int *error, int *length) {
  char *end;
  uint32_t bits;
  errno = 0;
  const float value = strtof(text, &end);
  *error = errno;
  *length = (int)(end - text);
  memcpy(&bits, &value, sizeof bits);
  return bits;
}
