/* SPDX-License-Identifier: Apache-2.0
 *
 * Streams and descriptors. */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>

#include "file.h"

#define WEAK __attribute__((weak))

WEAK int fileno(FILE *stream) {
  if (stream->flags & __SBUF) return ((struct __file_bufio *)stream)->fd;
  if (stream == stdout || stream == stderr) return 1 + (stream == stderr);
  errno = EBADF;
  return -1;
}

/* 0, 1 and 2 have streams of their own. */
WEAK int vdprintf(int file, const char *format, va_list arguments) {
  char *text;
  if (file == 1 || file == 2) return vfprintf(file == 1 ? stdout : stderr, format, arguments);
  const int length = vasprintf(&text, format, arguments);
  if (length < 0) return length;
  const ssize_t written = cl_write(file, text, (size_t)length);
  free(text);
  return written < 0 ? -1 : (int)written;
}

WEAK int dprintf(int file, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int count = vdprintf(file, format, arguments);
  va_end(arguments);
  return count;
}
