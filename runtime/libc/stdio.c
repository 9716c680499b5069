/* SPDX-License-Identifier: Apache-2.0
 *
 * Output of picolibc, one call at a time: what POSIX asks of a stream that threads share. vfprintf_unlocked is
 * picolibc's vfprintf (the whole library is compiled with that name for it). Weak, so that a program may have its own. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdio-bufio.h>
#include <string.h>

#undef getc
#undef getchar
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

WEAK int fflush(FILE *stream) { return stream && stream->flush ? stream->flush(stream) : 0; }

/* Nothing is buffered. */
WEAK int setvbuf(FILE *stream, char *buffer, int mode, size_t size) {
  (void)stream, (void)buffer, (void)size;
  return mode == _IONBF || mode == _IOLBF || mode == _IOFBF ? 0 : EOF;
}

WEAK void setbuf(FILE *stream, char *buffer) { (void)stream, (void)buffer; }

WEAK int fclose(FILE *stream) {
  int status = fflush(stream);
  if (stream->flags & __SCLOSE) return ((struct __file_close *)stream)->close(stream);
  stream->flags = 0;
  return status;
}

WEAK int getc_unlocked(FILE *stream) { return getc(stream); }
WEAK int getchar_unlocked(void) { return getc(stdin); }

WEAK int vdprintf(int file, const char *format, va_list arguments) {
  if (file == 1 || file == 2) return vfprintf(file == 1 ? stdout : stderr, format, arguments);
  errno = EBADF;
  return -1;
}

WEAK int dprintf(int file, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int count = vdprintf(file, format, arguments);
  va_end(arguments);
  return count;
}
