/* SPDX-License-Identifier: Apache-2.0
 *
 * Streams in memory: fmemopen, and open_memstream, whose buffer grows. */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WEAK __attribute__((weak))

struct memory {
  struct __file_ext file; /* first */
  char *bytes;
  size_t room, length, at; /* length: where the text ends */
  char **to;               /* of open_memstream: told at each flush */
  size_t *to_length;
  int owned, appends;
};

/* Makes room for this many bytes and a NUL. */
static int grow(struct memory *memory, size_t bytes) {
  if (bytes < memory->room) return 0;
  const size_t room = bytes + bytes / 2 + 64;
  char *const grown = realloc(memory->bytes, room);
  if (!grown) return -1;
  memset(grown + memory->room, 0, room - memory->room);
  memory->bytes = grown;
  memory->room = room;
  return 0;
}

static int put(char c, FILE *stream) {
  struct memory *const memory = (struct memory *)stream;
  if (memory->appends) memory->at = memory->length;
  if (memory->to ? grow(memory, memory->at + 1) : memory->at >= memory->room) {
    if (!memory->to) errno = ENOSPC;
    stream->flags |= __SERR;
    return _FDEV_ERR;
  }
  memory->bytes[memory->at++] = c;
  if (memory->at > memory->length) memory->length = memory->at;
  return 0;
}

static int get(FILE *stream) {
  struct memory *const memory = (struct memory *)stream;
  return memory->at < memory->length ? (unsigned char)memory->bytes[memory->at++] : _FDEV_EOF;
}

static int flush(FILE *stream) {
  struct memory *const memory = (struct memory *)stream;
  if (memory->to) {
    if (grow(memory, memory->length)) return EOF;
    *memory->to = memory->bytes;
    *memory->to_length = memory->at < memory->length ? memory->at : memory->length;
  } else if ((stream->flags & __SWR) && memory->length < memory->room) {
    memory->bytes[memory->length] = 0;
  }
  return 0;
}

static off_t seek(FILE *stream, off_t offset, int whence) {
  struct memory *const memory = (struct memory *)stream;
  const size_t from = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? memory->at : memory->length;
  const int64_t at = (int64_t)from + offset;
  if (at < 0 || (!memory->to && at > (int64_t)memory->room)) {
    errno = EINVAL;
    return -1;
  }
  memory->at = (size_t)at;
  return (off_t)at;
}

static int end(FILE *stream) {
  struct memory *const memory = (struct memory *)stream;
  if (memory->to && memory->at < memory->length) memory->bytes[memory->at] = 0; /* fclose has told of that many */
  if (memory->owned) free(memory->bytes);
  free(memory);
  return 0;
}

static struct memory *made(int flags) {
  struct memory *const memory = calloc(1, sizeof *memory);
  if (memory) memory->file = (struct __file_ext)FDEV_SETUP_EXT(put, get, flush, end, seek, NULL, (uint8_t)flags);
  return memory;
}

WEAK FILE *open_memstream(char **text, size_t *length) {
  struct memory *const memory = made(__SWR);
  if (!memory) return NULL;
  memory->to = text;
  memory->to_length = length;
  if (flush(&memory->file.cfile.file) == 0) return &memory->file.cfile.file;
  free(memory);
  return NULL;
}

WEAK FILE *fmemopen(void *bytes, size_t room, const char *mode) {
  const int plus = strchr(mode, '+') != NULL;
  struct memory *const memory = made(plus ? __SRD | __SWR : *mode == 'r' ? __SRD : __SWR);
  if (!memory) return NULL;
  memory->owned = !bytes;
  memory->bytes = bytes ? bytes : calloc(1, room);
  if (!memory->bytes) {
    free(memory);
    return NULL;
  }
  memory->room = room;
  if (*mode == 'w' && room) memory->bytes[0] = 0;
  memory->length = *mode == 'r' ? room : *mode == 'a' ? strnlen(memory->bytes, room) : 0;
  memory->appends = *mode == 'a';
  memory->at = memory->appends ? memory->length : 0;
  return &memory->file.cfile.file;
}
