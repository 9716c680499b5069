/* SPDX-License-Identifier: Apache-2.0
 *
 * Standard input, and files of the machine that simulates: the calls of POSIX. A program may have each name but those
 * that begin with cl_ for its own. */
#include "cl_host.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cl_machine.h"

#define WEAK __attribute__((weak))
#define SAME(name) __attribute__((weak, alias(#name)))
#define PATH_ROOM 1024

int32_t cl_host(uint32_t operation, uintptr_t a, uintptr_t b, uintptr_t c) {
  volatile struct cl_host_call call = {operation, {(uint32_t)a, (uint32_t)b, (uint32_t)c}, -1, ENOSYS};
  (void)call.error; /* all stores have come to the memory */
  __asm__ volatile("" ::: "memory");
  cl_trace(CL_TRACE_HOST, (uint32_t)(uintptr_t)&call);
  __asm__ volatile("" ::: "memory");
  if (call.error) errno = call.error;
  return call.result;
}

/* Only what is in the shared memory can be shown to the host. */
static inline int is_local(const void *at) {
  const uint32_t bytes = CL_LOCAL_MEMORY_BYTES + CL_CONTEXT_BYTES;
  return bytes && (uint32_t)(uintptr_t)at - CL_LOCAL_MEMORY < bytes;
}

static int32_t ask(uint32_t operation, const char *path, uintptr_t b, uintptr_t c) {
  if (!is_local(path)) return cl_host(operation, (uintptr_t)path, b, c);
  char copy[PATH_ROOM];
  strncpy(copy, path, sizeof copy - 1)[sizeof copy - 1] = 0;
  return cl_host(operation, (uintptr_t)copy, b, c);
}

int cl_open(const char *path, int flags, mode_t mode) { return ask(CL_HOST_OPEN, path, (unsigned)flags, mode); }
int cl_close(int file) { return cl_host(CL_HOST_CLOSE, (unsigned)file, 0, 0); }

off_t cl_seek(int file, off_t offset, int whence) {
  return cl_host(CL_HOST_SEEK, (unsigned)file, (uintptr_t)offset, (unsigned)whence);
}

ssize_t cl_read(int file, void *to, size_t bytes) {
  char copy[64];
  const int local = is_local(to);
  const size_t most = local && bytes > sizeof copy ? sizeof copy : bytes;
  const int before = errno;
  const int32_t got = cl_host(CL_HOST_READ, (unsigned)file, (uintptr_t)(local ? copy : to), most);
  if (local && got > 0) memcpy(to, copy, (size_t)got);
  if (got >= 0 || file != STDIN_FILENO || errno != ENOSYS) return got;
  errno = before; /* on hardware standard input is at its end */
  return 0;
}

ssize_t cl_write(int file, const void *from, size_t bytes) {
  if (file == STDOUT_FILENO || file == STDERR_FILENO) return (ssize_t)fwrite(from, 1, bytes, stdout);
  if (!is_local(from)) return cl_host(CL_HOST_WRITE, (unsigned)file, (uintptr_t)from, bytes);
  char copy[64];
  if (bytes > sizeof copy) bytes = sizeof copy;
  memcpy(copy, from, bytes);
  return cl_host(CL_HOST_WRITE, (unsigned)file, (uintptr_t)copy, bytes);
}

ssize_t read(int file, void *to, size_t bytes) SAME(cl_read);
ssize_t write(int file, const void *from, size_t bytes) SAME(cl_write);
off_t lseek(int file, off_t offset, int whence) SAME(cl_seek);
int close(int file) SAME(cl_close);

WEAK int open(const char *path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = flags & O_CREAT ? va_arg(more, mode_t) : 0;
  va_end(more);
  return cl_open(path, flags, mode);
}

WEAK int creat(const char *path, mode_t mode) { return cl_open(path, O_WRONLY | O_CREAT | O_TRUNC, mode); }
WEAK int isatty(int file) { return cl_host(CL_HOST_TERMINAL, (unsigned)file, 0, 0) > 0; }
WEAK int unlink(const char *path) { return ask(CL_HOST_UNLINK, path, 0, 0); }
WEAK int rmdir(const char *path) { return ask(CL_HOST_RMDIR, path, 0, 0); }
WEAK int mkdir(const char *path, mode_t mode) { return ask(CL_HOST_MKDIR, path, mode, 0); }
WEAK int chdir(const char *path) { return ask(CL_HOST_CHDIR, path, 0, 0); }
WEAK int ftruncate(int file, off_t bytes) { return cl_host(CL_HOST_TRUNCATE, (unsigned)file, (uintptr_t)bytes, 0); }
WEAK int fsync(int file) { return cl_seek(file, 0, SEEK_CUR) < 0 ? -1 : 0; }

WEAK int rename(const char *from, const char *to) {
  char copy[PATH_ROOM];
  if (is_local(to)) to = strncpy(copy, to, sizeof copy - 1), copy[sizeof copy - 1] = 0;
  return ask(CL_HOST_RENAME, from, (uintptr_t)to, 0);
}

WEAK int remove(const char *path) {
  const int status = ask(CL_HOST_UNLINK, path, 0, 0);
  return status && (errno == EISDIR || errno == EPERM) ? ask(CL_HOST_RMDIR, path, 0, 0) : status;
}

static int tell(int status, const struct cl_host_stat *found, struct stat *to) {
  if (status < 0) return status;
  const time_t changed = (time_t)((uint64_t)found->changed[1] << 32 | found->changed[0]);
  *to = (struct stat){
      .st_mode = found->mode,
      .st_ino = (ino_t)found->number,
      .st_nlink = (nlink_t)found->links,
      .st_size = (off_t)found->bytes,
      .st_atim.tv_sec = changed,
      .st_mtim.tv_sec = changed,
      .st_ctim.tv_sec = changed,
      .st_blksize = 512,
      .st_blocks = (blkcnt_t)((found->bytes + 511) / 512),
  };
  return 0;
}

WEAK int stat(const char *path, struct stat *to) {
  struct cl_host_stat found;
  return tell(ask(CL_HOST_STAT, path, (uintptr_t)&found, 0), &found, to);
}

int lstat(const char *path, struct stat *to) SAME(stat); /* no link is followed */

WEAK int fstat(int file, struct stat *to) {
  struct cl_host_stat found;
  return tell(cl_host(CL_HOST_FSTAT, (unsigned)file, (uintptr_t)&found, 0), &found, to);
}

WEAK int access(const char *path, int asked) {
  struct cl_host_stat found;
  if (ask(CL_HOST_STAT, path, (uintptr_t)&found, 0) < 0) return -1;
  if ((found.mode >> 6 & (unsigned)asked) == (unsigned)asked) return 0;
  errno = EACCES;
  return -1;
}
