/* SPDX-License-Identifier: Apache-2.0
 *
 * Input from a stream, one call at a time. vfscanf_unlocked is the name of vfscanf in scanf.c, as with vfprintf. */
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>

#include "file.h"

#undef getc
#undef vfscanf
#define WEAK __attribute__((weak))

int vfscanf(FILE *stream, const char *format, va_list arguments);

WEAK int fgetc(FILE *stream) {
  flockfile(stream);
  int c = getc_unlocked(stream);
  funlockfile(stream);
  return c;
}

WEAK int getc(FILE *stream) { return fgetc(stream); }

WEAK int ungetc(int c, FILE *stream) {
  flockfile(stream);
  int status = ungetc_unlocked(c, stream);
  funlockfile(stream);
  return status;
}

WEAK int vfscanf(FILE *stream, const char *format, va_list arguments) {
  flockfile(stream);
  int count = vfscanf_unlocked(stream, format, arguments);
  funlockfile(stream);
  return count;
}

WEAK int fscanf(FILE *stream, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int count = vfscanf(stream, format, arguments);
  va_end(arguments);
  return count;
}

WEAK size_t fread(void *to, size_t size, size_t count, FILE *stream) {
  const size_t all = size * count;
  char *at = to;
  size_t left = size && all / size == count ? all : 0;
  flockfile(stream);
  while (left) {
    /* The contents of a file's buffer at once; everything else character by character. */
    struct __file_bufio *const file = (struct __file_bufio *)stream;
    size_t ready = 0;
    if ((stream->flags & __SBUF) && file->dir == __SRD && !stream->unget) ready = (size_t)(file->len - file->off);
    if (ready > left) ready = left;
    if (ready) {
      memcpy(at, file->buf + file->off, ready);
      file->off += (int)ready;
    } else {
      const int c = getc_unlocked(stream);
      if (c < 0) break;
      *at = (char)c;
      ready = 1;
    }
    at += ready;
    left -= ready;
  }
  funlockfile(stream);
  return size ? (all - left) / size : 0;
}

WEAK char *fgets(char *to, int room, FILE *stream) {
  char *at = to;
  if (room <= 0) return NULL;
  flockfile(stream);
  while (--room) {
    const int c = getc_unlocked(stream);
    if (c >= 0) *at++ = (char)c;
    if (c < 0 || c == '\n') break;
  }
  funlockfile(stream);
  if (at == to && room) return NULL;
  *at = 0;
  return to;
}

/* Behind a character that was given back the file is one further. */
static off_t seek(FILE *stream, off_t offset, int whence) {
  struct __file_ext *const file = (struct __file_ext *)stream;
  if (!(stream->flags & __SEXT) || !file->seek) {
    errno = ESPIPE;
    return -1;
  }
  flockfile(stream);
  const bool back = stream->unget != 0;
  const bool tells = whence == SEEK_CUR && offset == 0;
  off_t at = file->seek(stream, whence == SEEK_CUR && !tells ? offset - back : offset, whence);
  if (at >= 0 && tells) at -= back;
  if (at >= 0 && !tells) {
    stream->unget = 0;
    stream->flags &= (uint8_t)~__SEOF;
  }
  funlockfile(stream);
  return at;
}

WEAK int fseeko(FILE *stream, off_t offset, int whence) { return seek(stream, offset, whence) < 0 ? -1 : 0; }
WEAK int fseek(FILE *stream, long offset, int whence) { return fseeko(stream, offset, whence); }
WEAK off_t ftello(FILE *stream) { return seek(stream, 0, SEEK_CUR); }
WEAK long ftell(FILE *stream) { return seek(stream, 0, SEEK_CUR); }

WEAK void rewind(FILE *stream) {
  (void)fseeko(stream, 0, SEEK_SET);
  clearerr(stream);
}

WEAK int fgetpos(FILE *restrict stream, fpos_t *restrict at) {
  *at = ftello(stream);
  return *at < 0 ? -1 : 0;
}

WEAK int fsetpos(FILE *stream, fpos_t *at) { return fseeko(stream, (off_t)*at, SEEK_SET); }
