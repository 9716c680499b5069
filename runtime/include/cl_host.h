/* SPDX-License-Identifier: Apache-2.0
 *
 * Requests of a program to the machine that simulates it (rtl/soc/sim/host.h), and the calls of POSIX below the C
 * library's files. On hardware all of them fail with ENOSYS, but standard input is at its end. */
#ifndef CL_HOST_H
#define CL_HOST_H

#include <stdint.h>
#include <sys/types.h>

enum {
  CL_HOST_READ,     /* descriptor, to, bytes */
  CL_HOST_WRITE,    /* descriptor, from, bytes */
  CL_HOST_OPEN,     /* path or NULL: a file without a name, flags, mode */
  CL_HOST_CLOSE,    /* descriptor */
  CL_HOST_SEEK,     /* descriptor, offset, whence */
  CL_HOST_STAT,     /* path, struct cl_host_stat * */
  CL_HOST_FSTAT,    /* descriptor, struct cl_host_stat * */
  CL_HOST_UNLINK,   /* path */
  CL_HOST_RMDIR,    /* path */
  CL_HOST_MKDIR,    /* path, mode */
  CL_HOST_RENAME,   /* path, path */
  CL_HOST_TRUNCATE, /* descriptor, bytes */
  CL_HOST_LIST,     /* descriptor, n, to: the n-th name, with a NUL -> its kind (DT_...), 0: there is none */
  CL_HOST_CHDIR,    /* path */
  CL_HOST_GETCWD,   /* to, bytes */
  CL_HOST_TERMINAL, /* descriptor -> 1: it is one */
};

struct cl_host_call {
  uint32_t operation, arguments[3];
  int32_t result, error;
};

struct cl_host_stat {
  uint32_t mode, bytes;
  uint32_t changed[2]; /* seconds, low word first */
  uint32_t number, links;
};

/* The operation's result; -1 with errno. */
int32_t cl_host(uint32_t operation, uintptr_t a, uintptr_t b, uintptr_t c);

int cl_open(const char *path, int flags, mode_t mode);
int cl_close(int file);
ssize_t cl_read(int file, void *to, size_t bytes);
ssize_t cl_write(int file, const void *from, size_t bytes);
off_t cl_seek(int file, off_t offset, int whence);

#endif
