/* SPDX-License-Identifier: Apache-2.0
 *
 * Streams that are files: opened, and written out at the end of the program. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

#include "file.h"

#define WEAK __attribute__((weak))

struct file {
  struct __file_bufio bufio; /* first */
  struct file *next;
  char buffer[BUFSIZ];
};

static struct file *files; /* all that are open */
extern int (*cl_flush_all)(void);

static int flush_all(void) {
  int status = 0;
  flockfile(stdout);
  for (struct file *file = files; file; file = file->next) {
    if (file->bufio.dir == __SWR) status |= __bufio_flush(&file->bufio.xfile.cfile.file);
  }
  funlockfile(stdout);
  return status ? EOF : 0;
}

__attribute__((destructor)) static void at_exit(void) { flush_all(); }

/* fclose has written out what is left. */
static int end(FILE *stream) {
  struct file *const file = (struct file *)stream;
  struct file **link = &files;
  while (*link != file) link = &(*link)->next;
  *link = file->next;
  if (file->bufio.bflags & __BALL) free(file->bufio.buf);
  const int status = cl_close(file->bufio.fd);
  free(file);
  return status;
}

/* The flags of a stream and those for open; 0: no mode of fopen. */
static int flags_of(const char *mode, int *how) {
  const char first = *mode;
  int plus = 0;
  *how = first == 'r' ? 0 : O_CREAT | (first == 'w' ? O_TRUNC : O_APPEND);
  if (first != 'r' && first != 'w' && first != 'a') {
    errno = EINVAL;
    return 0;
  }
  for (; *mode && *mode != ','; mode++) {
    if (*mode == '+') plus = 1;
    if (*mode == 'x') *how |= O_EXCL;
  }
  *how |= plus ? O_RDWR : first == 'r' ? O_RDONLY : O_WRONLY;
  return plus ? __SRD | __SWR : first == 'r' ? __SRD : __SWR;
}

static FILE *made(int descriptor, int flags, int how) {
  struct file *const file = malloc(sizeof *file);
  if (!file) return NULL;
  FILE *const stream = &file->bufio.xfile.cfile.file;
  file->bufio = (struct __file_bufio)CL_FILE(descriptor, file->buffer, end, flags);
  if (how & O_APPEND) __bufio_seek(stream, 0, SEEK_END);
  else file->bufio.pos = cl_seek(descriptor, 0, SEEK_CUR);
  flockfile(stream);
  file->next = files;
  files = file;
  cl_flush_all = flush_all;
  funlockfile(stream);
  return stream;
}

WEAK FILE *fdopen(int descriptor, const char *mode) {
  int how;
  const int flags = flags_of(mode, &how);
  return flags ? made(descriptor, flags, how) : NULL;
}

static FILE *opened(const char *path, int flags, int how) {
  const int descriptor = cl_open(path, how, 0666);
  if (descriptor < 0) return NULL;
  FILE *const stream = made(descriptor, flags, how);
  if (!stream) cl_close(descriptor);
  return stream;
}

WEAK FILE *fopen(const char *restrict path, const char *restrict mode) {
  int how;
  const int flags = flags_of(mode, &how);
  return flags ? opened(path, flags, how) : NULL;
}

WEAK FILE *tmpfile(void) { return opened(NULL, __SRD | __SWR, O_RDWR); }

/* The files to which console output goes from now on. */
static FILE *instead[2];
static FILE *of(FILE *stream) { return instead[stream == stderr]; }
static int put_instead(char c, FILE *stream) { return putc_unlocked(c, of(stream)) < 0 ? _FDEV_ERR : 0; }
static int flush_instead(FILE *stream) { return __bufio_flush(of(stream)); }

WEAK FILE *freopen(const char *restrict path, const char *restrict mode, FILE *restrict stream) {
  int how;
  const int flags = flags_of(mode, &how);
  if (!flags || !path) {
    if (flags) errno = EBADF; /* the file that it is cannot be opened in another mode */
    return NULL;
  }
  flockfile(stream);
  if (stream->flush) stream->flush(stream);
  FILE *result = stream;
  if (stream->flags & __SBUF) {
    struct __file_bufio *const file = (struct __file_bufio *)stream;
    const int descriptor = cl_open(path, how, 0666);
    if (descriptor < 0) {
      result = NULL;
    } else {
      cl_close(file->fd);
      file->fd = descriptor;
      file->pos = how & O_APPEND ? cl_seek(descriptor, 0, SEEK_END) : 0;
      file->dir = 0;
      file->len = file->off = 0;
      stream->unget = 0;
      stream->flags = (uint8_t)((stream->flags & ~(__SRD | __SWR | __SERR | __SEOF)) | flags);
    }
  } else {
    FILE *const other = opened(path, flags, how);
    if (other) {
      if (stream->put == put_instead) fclose(of(stream));
      instead[stream == stderr] = other;
      stream->put = put_instead;
      stream->flush = flush_instead;
      stream->flags = __SWR;
    } else {
      result = NULL;
    }
  }
  funlockfile(stream);
  return result;
}
