/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#define READER_MS 5000 /* how long to wait for the reader of a non-blocking pipe */
#define ALL_MOST ((size_t)1 << 28) /* what others can make longer is not worth more memory */

static char root[256];

void cl_files_root(const char *folder) { snprintf(root, sizeof root, "%s", folder); }

bool cl_files_is_tree(void) { return root[0] != '\0'; }

static bool real_path(const char *path, char *real, size_t size) {
  return *path != '\0' && (size_t)snprintf(real, size, "%s%s", root, path) < size;
}

const char *cl_files_path(const char *path, char real[CL_PATH_MOST + 256]) {
  if (!real_path(path, real, CL_PATH_MOST + 256)) real[0] = '\0';
  return real;
}

static int open_file(const char *path, int flags, int *fd) {
  char real[CL_FOLDER_MOST + 256];
  if (!real_path(path, real, sizeof real)) return ENAMETOOLONG;
  *fd = open(real, flags | O_CLOEXEC);
  return *fd < 0 ? errno : 0;
}

/* Fills the text up to `size`, with the final zero. *length: what was read. */
static int fill(int fd, char *text, size_t size, size_t *length) {
  while (*length + 1 < size) {
    ssize_t got = read(fd, text + *length, size - 1 - *length);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno;
    if (got == 0) break;
    *length += (size_t)got;
  }
  text[*length] = '\0';
  return 0;
}

static bool has_more(int fd) {
  char byte;
  ssize_t got;
  do got = read(fd, &byte, 1);
  while (got < 0 && errno == EINTR);
  return got != 0;
}

static void chop(char *text, size_t length) {
  if (length && text[length - 1] == '\n') text[length - 1] = '\0';
}

static int read_into(const char *path, char *text, size_t size, bool start) {
  size_t length = 0;
  int fd;
  text[0] = '\0';
  int error = open_file(path, O_RDONLY, &fd);
  if (error) return error;
  error = fill(fd, text, size, &length);
  if (!error && !start && length + 1 == size && has_more(fd)) error = EFBIG;
  close(fd);
  if (error) text[0] = '\0';
  else if (!start) chop(text, length);
  return error;
}

int cl_read(const char *path, char *text, size_t size) { return read_into(path, text, size, false); }

int cl_read_start(const char *path, char *text, size_t size) { return read_into(path, text, size, true); }

int cl_read_all(const char *path, char **text) {
  size_t size = 16384, length = 0;
  int fd;
  *text = NULL;
  int error = open_file(path, O_RDONLY, &fd);
  if (error) return error;
  do {
    size *= 2;
    char *more = size <= ALL_MOST ? realloc(*text, size) : NULL;
    if (more == NULL) error = size <= ALL_MOST ? ENOMEM : EFBIG;
    else error = fill(fd, *text = more, size, &length);
  } while (!error && length + 1 == size);
  close(fd);
  if (error) {
    free(*text);
    *text = NULL;
    return error;
  }
  chop(*text, length);
  return 0;
}

/* In one write: for kernel files a second write is a second value. */
static int put(int fd, const char *text) {
  ssize_t wrote;
  do wrote = write(fd, text, strlen(text));
  while (wrote < 0 && errno == EINTR);
  if (wrote < 0) return errno;
  return (size_t)wrote == strlen(text) ? 0 : EIO;
}

int cl_write(const char *path, const char *text) {
  int fd;
  int error = open_file(path, O_WRONLY | (cl_files_is_tree() ? O_TRUNC : 0), &fd);
  if (error) return error;
  error = put(fd, *text ? text : "\n"); /* the kernel's files are emptied by an empty line */
  close(fd);
  return error;
}

int cl_put_all(int fd, const char *text) {
  for (size_t left = strlen(text); left > 0;) {
    ssize_t wrote = write(fd, text, left);
    if (wrote < 0 && errno == EINTR) continue;
    struct pollfd full = {.fd = fd, .events = POLLOUT};
    if (wrote < 0 && errno == EAGAIN) {
      if (poll(&full, 1, READER_MS) == 0) return ETIMEDOUT;
      continue;
    }
    if (wrote < 0) return errno;
    text += wrote;
    left -= (size_t)wrote;
  }
  return 0;
}

/* A file that nobody else can have made, or can guess before it is there. */
static int make_part(int folder, char name[40], int *fd) {
  for (int tries = 0; tries < 10; tries++) {
    unsigned long long number;
    if (getrandom(&number, sizeof number, 0) != sizeof number) return errno;
    snprintf(name, 40, ".coreloom-%016llx", number);
    *fd = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
    if (*fd >= 0) return 0;
    if (errno != EEXIST) return errno;
  }
  return EEXIST;
}

int cl_replace(int folder, const char *name, const char *text) {
  char part[40];
  int fd, error = make_part(folder, part, &fd);
  if (error) return error;
  error = cl_put_all(fd, text);
  if (close(fd) && !error) error = errno;
  if (!error && renameat(folder, part, folder, name)) error = errno;
  if (error) unlinkat(folder, part, 0);
  return error;
}

int cl_write_whole(const char *path, const char *text) {
  char above[CL_PATH_MOST];
  const char *slash = strrchr(path, '/');
  int folder;
  if (slash == NULL || slash[1] == '\0' || slash == path) return EINVAL;
  if ((size_t)snprintf(above, sizeof above, "%.*s", (int)(slash - path), path) >= sizeof above) return ENAMETOOLONG;
  int error = open_file(above, O_PATH | O_DIRECTORY, &folder);
  if (error) return error;
  error = cl_replace(folder, slash + 1, text);
  close(folder);
  return error;
}

bool cl_exists(const char *path) {
  char real[CL_FOLDER_MOST + 256];
  return real_path(path, real, sizeof real) && access(real, F_OK) == 0;
}

int cl_list(const char *path, int (*each)(void *context, const char *name), void *context) {
  char real[CL_PATH_MOST + 256];
  if (*cl_files_path(path, real) == '\0') return ENAMETOOLONG;
  DIR *folder = opendir(real);
  if (folder == NULL) return errno;
  int answer = 0;
  for (struct dirent *entry; !answer && (entry = readdir(folder)) != NULL;)
    if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) answer = each(context, entry->d_name);
  closedir(folder);
  return answer;
}
