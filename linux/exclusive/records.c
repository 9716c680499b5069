/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "records.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int cl_state_folder(void) {
  const char *real = cl_files_path(CL_STATE);
  if (mkdir(real, 0755)) return errno == EEXIST ? 0 : errno;
  return chmod(real, 0755) ? errno : 0; /* mkdir is subject to the umask */
}

int cl_state_open(const char *path, int flags, int *fd) {
  struct stat file;
  int follow = strncmp(path, "/proc/", strlen("/proc/")) == 0 ? 0 : O_NOFOLLOW;
  *fd = open(cl_files_path(path), flags | follow | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0600);
  int error = *fd < 0 ? errno : fstat(*fd, &file) ? errno : S_ISREG(file.st_mode) ? 0 : ENOTSUP;
  if (*fd >= 0 && error) close(*fd);
  /* A folder that is to be written, a FIFO without a reader, a socket, a link. */
  return error == EISDIR || error == ENXIO || error == ELOOP ? ENOTSUP : error;
}

static struct flock mark_of(enum cl_mark mark, short type) {
  return (struct flock){.l_type = type, .l_whence = SEEK_SET, .l_start = mark, .l_len = 1};
}

int cl_state_mark(int fd, enum cl_mark mark) {
  struct flock lock = mark_of(mark, F_WRLCK);
  return fcntl(fd, F_OFD_SETLK, &lock) ? errno : 0;
}

/* Asks for a lock for reading: only a lock for writing is in its way, which takes write access to the file. */
bool cl_state_marked(int fd, enum cl_mark mark) {
  struct flock lock = mark_of(mark, F_RDLCK);
  return fcntl(fd, F_OFD_GETLK, &lock) == 0 && lock.l_type == F_WRLCK;
}
