/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char root[256];

void cl_files_root(const char *folder) { snprintf(root, sizeof root, "%s", folder); }

bool cl_files_is_tree(void) { return root[0] != '\0'; }

const char *cl_files_path(const char *path, char real[CL_PATH_MOST + 256]) {
  snprintf(real, CL_PATH_MOST + 256, "%s%s", root, path);
  return real;
}

static int open_file(const char *path, int flags, int *fd) {
  char real[CL_PATH_MOST + 256];
  *fd = open(cl_files_path(path, real), flags | O_CLOEXEC, 0644);
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

static void chop(char *text, size_t length) {
  if (length && text[length - 1] == '\n') text[length - 1] = '\0';
}

int cl_read(const char *path, char *text, size_t size) {
  size_t length = 0;
  int fd;
  text[0] = '\0';
  int error = open_file(path, O_RDONLY, &fd);
  if (error) return error;
  error = fill(fd, text, size, &length);
  close(fd);
  chop(text, length);
  return error;
}

int cl_read_all(const char *path, char **text) {
  size_t size = 16384, length = 0;
  int fd;
  *text = NULL;
  int error = open_file(path, O_RDONLY, &fd);
  if (error) return error;
  do {
    size *= 2;
    char *more = realloc(*text, size);
    if (more == NULL) error = ENOMEM;
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

int cl_write_whole(const char *path, const char *text) {
  char part[CL_PATH_MOST], from[CL_PATH_MOST + 256], to[CL_PATH_MOST + 256];
  int fd;
  if ((size_t)snprintf(part, sizeof part, "%s.%d", path, (int)getpid()) >= sizeof part) return ENAMETOOLONG;
  int error = open_file(part, O_WRONLY | O_CREAT | O_TRUNC, &fd);
  if (error) return error;
  error = put(fd, text);
  if (close(fd) && !error) error = errno;
  if (!error && rename(cl_files_path(part, from), cl_files_path(path, to))) error = errno;
  if (error) unlink(cl_files_path(part, from));
  return error;
}

bool cl_exists(const char *path) {
  char real[CL_PATH_MOST + 256];
  return access(cl_files_path(path, real), F_OK) == 0;
}

int cl_list(const char *path, int (*each)(void *context, const char *name), void *context) {
  char real[CL_PATH_MOST + 256];
  DIR *folder = opendir(cl_files_path(path, real));
  if (folder == NULL) return errno;
  int answer = 0;
  for (struct dirent *entry; !answer && (entry = readdir(folder)) != NULL;)
    if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) answer = each(context, entry->d_name);
  closedir(folder);
  return answer;
}
