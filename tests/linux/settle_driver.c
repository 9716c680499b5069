/* SPDX-License-Identifier: Apache-2.0
 *
 * `restore` that is killed right before its Nth write: FOLDER N [ID]. Status 99: it was; else that of restore. Every call
 * that changes a file counts, as these take the place of libc's in a static program. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "files.h"
#include "restore.h"

static long left = -1;
static int cut = -1; /* open to be written from its begin: a file of the kernel's, which no opening empties */

static void step(void) {
  if (left > 0 && --left == 0) _exit(99);
}

int open(const char *path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  int mode = flags & O_CREAT ? va_arg(more, int) : 0;
  va_end(more);
  bool cuts = (flags & O_TRUNC) && !(flags & O_CREAT);
  int fd = (int)syscall(SYS_open, path, cuts ? flags & ~O_TRUNC : flags, mode);
  if (cuts) cut = fd;
  return fd;
}

ssize_t write(int fd, const void *text, size_t size) {
  step();
  if (fd == cut && syscall(SYS_ftruncate, fd, 0)) return -1;
  if (fd == cut) cut = -1;
  return syscall(SYS_write, fd, text, size);
}

int rename(const char *from, const char *to) {
  step();
  return (int)syscall(SYS_rename, from, to);
}

int unlink(const char *path) {
  step();
  return (int)syscall(SYS_unlink, path);
}

int rmdir(const char *path) {
  step();
  return (int)syscall(SYS_rmdir, path);
}

int mkdir(const char *path, mode_t mode) {
  step();
  return (int)syscall(SYS_mkdir, path, mode);
}

int main(int count, char **word) {
  if (count < 3) return 2;
  const struct cl_restore_request request = {.id = count > 3 ? atoi(word[3]) : 0};
  cl_files_root(word[1]);
  left = atol(word[2]);
  return cl_restore(&request);
}
