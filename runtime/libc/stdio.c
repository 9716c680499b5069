/* SPDX-License-Identifier: Apache-2.0
 *
 * Output of picolibc, one call at a time: what POSIX asks of a stream that threads share. vfprintf_unlocked is
 * picolibc's vfprintf (the whole library is compiled with that name for it). Weak, so that a program may have its own. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdio-bufio.h>
#include <string.h>

#undef putc
#undef putchar
#undef vfprintf
#define WEAK __attribute__((weak))

int vfprintf(FILE *stream, const char *format, va_list arguments);

WEAK int vfprintf(FILE *stream, const char *format, va_list arguments) {
  flockfile(stream);
  int count = vfprintf_unlocked(stream, format, arguments);
  funlockfile(stream);
  return count;
}

WEAK int vprintf(const char *format, va_list arguments) { return vfprintf(stdout, format, arguments); }

WEAK int fprintf(FILE *stream, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int count = vfprintf(stream, format, arguments);
  va_end(arguments);
  return count;
}

WEAK int printf(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int count = vfprintf(stdout, format, arguments);
  va_end(arguments);
  return count;
}

WEAK int putc_unlocked(int c, FILE *stream) {
  if (!(stream->flags & __SWR) || stream->put((char)c, stream) < 0) return EOF;
  return (unsigned char)c;
}

WEAK int putchar_unlocked(int c) { return putc_unlocked(c, stdout); }

WEAK int fputc(int c, FILE *stream) {
  flockfile(stream);
  int status = putc_unlocked(c, stream);
  funlockfile(stream);
  return status;
}

WEAK int putc(int c, FILE *stream) { return fputc(c, stream); }
WEAK int putchar(int c) { return fputc(c, stdout); }

WEAK size_t fwrite(const void *data, size_t size, size_t count, FILE *stream) {
  const char *next = data;
  size_t done = 0;
  flockfile(stream);
  while (size && done < count) {
    size_t left = size;
    while (left && putc_unlocked(*next++, stream) != EOF) left--;
    if (left) break;
    done++;
  }
  funlockfile(stream);
  return done;
}

WEAK int fputs(const char *text, FILE *stream) {
  size_t length = strlen(text);
  return fwrite(text, 1, length, stream) == length ? 0 : EOF;
}

WEAK int puts(const char *text) {
  flockfile(stdout);
  int status = fputs(text, stdout) == EOF ? EOF : putc_unlocked('\n', stdout);
  funlockfile(stdout);
  return status == EOF ? EOF : 0;
}

WEAK void perror(const char *text) {
  const char *error = strerror(errno);
  if (text && *text) fprintf(stderr, "%s: %s\n", text, error);
  else fprintf(stderr, "%s\n", error);
}

/* Set by the first file (files.c). */
int (*cl_flush_all)(void);

WEAK int fflush(FILE *stream) {
  if (!stream) return cl_flush_all ? cl_flush_all() : 0;
  if (!stream->flush) return 0;
  flockfile(stream);
  int status = stream->flush(stream);
  funlockfile(stream);
  return status;
}

/* Streams without a buffer need nothing here. */
WEAK int setvbuf(FILE *stream, char *buffer, int mode, size_t size) {
  struct __file_ext *const file = (struct __file_ext *)stream;
  if (mode != _IONBF && mode != _IOLBF && mode != _IOFBF) return EOF;
  if (!(stream->flags & __SEXT) || !file->setvbuf) return 0;
  flockfile(stream);
  int status = file->setvbuf(stream, buffer, mode, buffer || size ? size : BUFSIZ);
  funlockfile(stream);
  return status;
}

WEAK void setbuf(FILE *stream, char *buffer) { setvbuf(stream, buffer, buffer ? _IOFBF : _IONBF, BUFSIZ); }
WEAK void setlinebuf(FILE *stream) { setvbuf(stream, NULL, _IOLBF, BUFSIZ); }

WEAK int fclose(FILE *stream) {
  flockfile(stream);
  int status = stream->flush ? stream->flush(stream) : 0;
  if (stream->flags & __SCLOSE) status |= ((struct __file_close *)stream)->close(stream);
  else stream->flags = 0;
  funlockfile(stream);
  return status;
}
