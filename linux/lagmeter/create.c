/* SPDX-License-Identifier: GPL-2.0-only */
#include "create.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#define LINKS_MOST 40 /* as in the kernel */

/* The folder of a path, without following the last part; *name: that part. */
static int open_folder(int from, const char *path, const char **name) {
  char folder[PATH_MAX];
  const char *slash = strrchr(path, '/');
  *name = slash ? slash + 1 : path;
  if (!**name) return errno = EISDIR, -1;
  if (slash - path >= PATH_MAX) return errno = ENAMETOOLONG, -1;
  if (!slash) return openat(from, ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
  memcpy(folder, path, (size_t)(slash - path));
  folder[slash - path] = '\0';
  return openat(from, slash == path ? "/" : folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

/* Whether an existing file may be written to: in a world-writable directory, only our own, or its owner's. */
static const char *refused(int folder, const struct stat *file) {
  struct stat in;
  if (!S_ISREG(file->st_mode)) return NULL;
  if (file->st_nlink > 1) return "the file has a second hard link";
  if (fstat(folder, &in)) return strerror(errno);
  bool all = in.st_mode & S_IWOTH;
  if (all && file->st_uid != geteuid() && file->st_uid != in.st_uid) return "the file belongs to another user";
  return NULL;
}

/* One step: the file is open (0 or more), or refused (-1 and errno, *why if that says more), or it is a link, whose
 * text is the next path, from *from (-2). */
static int step(int *from, char path[PATH_MAX], const char **why) {
  struct stat is;
  struct statfs system;
  const char *name;
  char of[64];
  int file = -1, folder = open_folder(*from, path, &name);
  if (folder < 0) return -1;
  if (*from >= 0) close(*from);
  *from = folder;
  file = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (file >= 0) return file;
  if (errno != EEXIST) return -1;
  int at = openat(folder, name, O_PATH | O_NOFOLLOW | O_CLOEXEC), error = errno;
  if (at < 0 || fstat(at, &is) || fstatfs(at, &system)) {
    if (at >= 0) close(at);
    errno = error;
    return -1;
  }
  if (S_ISLNK(is.st_mode) && system.f_type == PROC_SUPER_MAGIC) { /* as /proc/self/fd/1, where /dev/stdout leads */
    file = openat(folder, name, O_WRONLY | O_CLOEXEC);
  } else if (S_ISLNK(is.st_mode)) {
    ssize_t length = is.st_uid && is.st_uid != geteuid() ? -1 : readlinkat(at, "", path, PATH_MAX - 1);
    if (length < 0) *why = "it is a symbolic link of another user";
    if (length >= 0) path[length] = '\0', file = -2;
  } else if ((*why = refused(folder, &is)) == NULL) {
    snprintf(of, sizeof of, "/proc/self/fd/%d", at); /* this very file, whatever has its name by now */
    file = open(of, O_WRONLY | O_CLOEXEC);
    if (file >= 0 && S_ISREG(is.st_mode) && ftruncate(file, 0)) close(file), file = -1;
  }
  error = errno;
  close(at);
  errno = error;
  return file;
}

int lag_create(const char *path, FILE **file, const char **why) {
  char at[PATH_MAX];
  int from = AT_FDCWD, opened = -2;
  *why = NULL;
  if (strlen(path) >= sizeof at) opened = -1, errno = ENAMETOOLONG;
  else strcpy(at, path);
  for (int links = 0; opened == -2; links++) {
    opened = links < LINKS_MOST ? step(&from, at, why) : (errno = ELOOP, -1);
  }
  int error = errno;
  if (from >= 0) close(from);
  if (opened >= 0 && !(*file = fdopen(opened, "w"))) error = errno, close(opened), opened = -1;
  if (opened >= 0) return 0;
  if (*why) return EPERM;
  *why = strerror(error);
  return error;
}
