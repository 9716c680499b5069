/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "out.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "files.h"

#define LINKS_MOST 16
#define PROC_MAGIC 0x9fa0 /* PROC_SUPER_MAGIC of linux/magic.h */

/* Where a path leads: the folder, opened, and what is in it by that name. */
struct place {
  int folder;
  char name[NAME_MAX + 1];
  bool is_there, in_proc;
  struct stat file;
};

static bool in_proc(int folder) {
  struct statfs system;
  return fstatfs(folder, &system) == 0 && system.f_type == PROC_MAGIC;
}

/* The next part of a path goes to place->name. False: it is too long. */
static bool split(const char **path, struct place *place, bool *last) {
  const char *start = *path + strspn(*path, "/"), *end = start + strcspn(start, "/");
  if (end - start > NAME_MAX) return false;
  memcpy(place->name, start, (size_t)(end - start));
  place->name[end - start] = '\0';
  *last = *end == '\0'; /* a slash at the end asks for a folder */
  *path = end;
  return true;
}

/* Puts what a link says before the rest of the way. */
static int follow(int link, char way[PATH_MAX], const char *rest) {
  char target[PATH_MAX], whole[PATH_MAX];
  ssize_t length = readlinkat(link, "", target, sizeof target - 1);
  if (length < 0) return errno;
  target[length] = '\0';
  if (snprintf(whole, sizeof whole, "%s%s", target, rest) >= PATH_MAX) return ENAMETOOLONG;
  memcpy(way, whole, sizeof whole);
  return *way == '\0' ? ENOENT : 0;
}

static int begin(const char *way, int *folder) {
  *folder = open(*way == '/' ? "/" : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
  return *folder < 0 ? errno : 0;
}

/* One part of the way: into a folder, along a link, or its end (*done). */
static int step(struct place *place, char way[PATH_MAX], const char **at, int *links, bool *done) {
  bool last;
  if (!split(at, place, &last)) return ENAMETOOLONG;
  if (place->name[0] == '\0') return EISDIR;
  place->in_proc = in_proc(place->folder);
  int fd = openat(place->folder, place->name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
  place->is_there = fd >= 0;
  *done = last && (fd >= 0 || errno == ENOENT);
  if (fd < 0) return *done && !place->in_proc ? 0 : errno;
  int error = fstat(fd, &place->file) ? errno : 0;
  bool is_link = S_ISLNK(place->file.st_mode);
  if (error || (last && (!is_link || place->in_proc))) { /* those of /proc/PID/fd lead to what has no name */
    close(fd);
    return error;
  }
  *done = false;
  if (is_link) {
    bool trusted = place->file.st_uid == 0 || place->file.st_uid == geteuid();
    error = trusted && ++*links <= LINKS_MOST ? follow(fd, way, *at) : ELOOP;
    *at = way;
    close(fd);
    if (error || *way != '/') return error;
    close(place->folder);
    return begin(way, &place->folder);
  }
  close(place->folder);
  place->folder = fd;
  return S_ISDIR(place->file.st_mode) ? 0 : ENOTDIR;
}

static int find(const char *path, struct place *place) {
  char way[PATH_MAX];
  const char *at = way;
  int links = 0;
  bool done = false;
  if (*path == '\0') return ENOENT;
  if (snprintf(way, sizeof way, "%s", path) >= PATH_MAX) return ENAMETOOLONG;
  int error = begin(way, &place->folder);
  if (error) return error;
  while (!error && !done) error = step(place, way, &at, &links, &done);
  if (!error && place->is_there && S_ISDIR(place->file.st_mode)) error = EISDIR;
  if (error) close(place->folder);
  return error;
}

static bool is_ordinary(const struct place *place) {
  return !place->is_there || (S_ISREG(place->file.st_mode) && !place->in_proc);
}

/* The number of an open descriptor that a path in /proc stands for, or -1. Those that the tool has opened itself,
 * all close-on-exec, do not count. */
static int descriptor(const struct place *place) {
  char link[48], own[48], folder[PATH_MAX];
  if (!place->in_proc || !S_ISLNK(place->file.st_mode)) return -1;
  snprintf(link, sizeof link, "/proc/self/fd/%d", place->folder);
  snprintf(own, sizeof own, "/proc/%d/fd", (int)getpid());
  ssize_t length = readlink(link, folder, sizeof folder - 1);
  if (length < 0) return -1;
  folder[length] = '\0';
  if (strcmp(folder, own) != 0) return -1;
  int fd = atoi(place->name), flags = fcntl(fd, F_GETFD);
  return flags < 0 || flags & FD_CLOEXEC ? -1 : fd;
}

static int copy(int fd, int *to) {
  int flags = fcntl(fd, F_GETFL);
  if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY) return EBADF;
  *to = fcntl(fd, F_DUPFD_CLOEXEC, 3);
  return *to < 0 ? errno : 0;
}

/* An existing file is opened as found, or not at all: it may have been swapped since. A pipe without a reader
 * does not block. */
static int open_there(const struct place *place, int *to) {
  int own = descriptor(place);
  if (own >= 0) return copy(own, to);
  bool through = S_ISLNK(place->file.st_mode); /* of another process's /proc/PID/fd */
  int flags = O_WRONLY | O_APPEND | O_NOCTTY | O_NONBLOCK | O_CLOEXEC | (through ? 0 : O_NOFOLLOW);
  int fd = openat(place->folder, place->name, flags);
  if (fd < 0) return errno;
  struct stat now;
  int error = fstat(fd, &now) ? errno : 0;
  if (!error && !through && (now.st_dev != place->file.st_dev || now.st_ino != place->file.st_ino)) error = ESTALE;
  if (error) close(fd);
  else *to = fd;
  return error;
}

int cl_out_open(const char *path, struct cl_out *out) {
  struct place place;
  int error = find(path, &place);
  *out = (struct cl_out){.fd = -1, .folder = -1};
  if (error) return error;
  if (is_ordinary(&place)) {
    if (faccessat(place.folder, ".", W_OK, 0)) error = errno;
    snprintf(out->name, sizeof out->name, "%s", place.name);
    out->folder = place.folder;
  } else {
    error = open_there(&place, &out->fd);
  }
  if (error || out->fd >= 0) {
    close(place.folder);
    out->folder = -1;
  }
  return error;
}

int cl_out_write(struct cl_out *out, const char *text) {
  int error;
  if (out->fd < 0) {
    error = cl_replace(out->folder, out->name, text);
    close(out->folder);
  } else {
    error = cl_put_all(out->fd, text);
    if (close(out->fd) && !error) error = errno;
  }
  *out = (struct cl_out){.fd = -1, .folder = -1};
  return error;
}

int cl_out_append(const char *path, int *fd) {
  struct place place;
  int error = find(path, &place);
  *fd = -1;
  if (error) return error;
  if (place.is_there && S_ISREG(place.file.st_mode) && !place.in_proc && place.file.st_nlink > 1) error = EMLINK;
  else if (place.is_there) error = open_there(&place, fd);
  else {
    *fd = openat(place.folder, place.name, O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
    error = *fd < 0 ? errno : 0;
  }
  close(place.folder);
  return error;
}

const char *cl_out_error(int error) {
  if (error == ELOOP) return "a symbolic link in the path belongs to another user, or there are too many";
  if (error == EMLINK) return "the file has a second hard link, which another user may have made";
  return strerror(error);
}
