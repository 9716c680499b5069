/* SPDX-License-Identifier: Apache-2.0
 *
 * Standard input. */
#include <stdarg.h>

#include "file.h"

#undef getchar
#define WEAK __attribute__((weak))

static int end(FILE *stream) {
  stream->flags = 0;
  return 0;
}

static char buffer[BUFSIZ];
static struct __file_bufio input = CL_FILE(0, buffer, end, __SRD);
FILE *const stdin = &input.xfile.cfile.file;

WEAK int getchar(void) { return fgetc(stdin); }
WEAK int getchar_unlocked(void) { return getc_unlocked(stdin); }
WEAK int vscanf(const char *format, va_list arguments) { return vfscanf(stdin, format, arguments); }

WEAK int scanf(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int count = vscanf(format, arguments);
  va_end(arguments);
  return count;
}
