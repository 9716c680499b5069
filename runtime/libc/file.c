/* SPDX-License-Identifier: Apache-2.0
 *
 * The parts that picolibc's buffers leave out: errors; no locks, because the caller holds the lock of all streams. */
#include "file.h"

#include <sys/lock.h>

static int failed; /* the last call of cl_file_read */

ssize_t cl_file_read(int file, void *to, size_t bytes) {
  const ssize_t got = cl_read(file, to, bytes);
  failed = got < 0;
  return got;
}

int cl_file_get(FILE *stream) {
  failed = 0;
  const int c = __bufio_get(stream);
  return c < 0 && failed ? _FDEV_ERR : c;
}

int cl_file_put(char c, FILE *stream) {
  const int status = __bufio_put(c, stream);
  if (status < 0) stream->flags |= __SERR;
  return status;
}

void __retarget_lock_init(_LOCK_T *lock) { *lock = NULL; }
void __retarget_lock_close(_LOCK_T lock) { (void)lock; }
void __retarget_lock_acquire(_LOCK_T lock) { (void)lock; }
void __retarget_lock_release(_LOCK_T lock) { (void)lock; }
