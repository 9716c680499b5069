/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#define ALL_MOST ((size_t)1 << 28) /* what others can make longer is not worth more memory */
#define READER_MS 5000 /* how long to wait for the reader of a non-blocking pipe */

static char root[256];

void cl_files_root(const char *folder) { snprintf(root, sizeof root, "%s", folder); }

bool cl_files_is_tree(void) { return root[0] != '\0'; }

const char *cl_files_path(const char *path) {
  static char ring[4][CL_FOLDER_MOST + 512];
  static unsigned turn;
  char *real = ring[turn++ % 4];
  bool fits = *path != '\0' && (size_t)snprintf(real, sizeof *ring, "%s%s", root, path) < sizeof *ring;
  return fits ? real : "";
}

const char *cl_path(const char *format, ...) {
  static char ring[8][CL_FOLDER_MOST + 256];
  static unsigned turn;
  char *path = ring[turn++ % 8];
  va_list values;
  va_start(values, format);
  if ((size_t)vsnprintf(path, sizeof *ring, format, values) >= sizeof *ring) *path = '\0';
  va_end(values);
  return path;
}

static int open_file(const char *path, int flags, int *fd) {
  const char *real = cl_files_path(path);
  if (*real == '\0') return ENAMETOOLONG;
  *fd = open(real, flags | O_CLOEXEC);
  return *fd < 0 ? errno : 0;
}

static void chop(char *text, size_t length) {
  if (length && text[length - 1] == '\n') text[length - 1] = '\0';
}

/* `start`: no more than fits. Else the last byte of `size` is only read to see whether there is more. */
static int read_into(const char *path, char *text, size_t size, bool start) {
  size_t length = 0, room = start ? size - 1 : size;
  int fd;
  text[0] = '\0';
  int error = open_file(path, O_RDONLY, &fd);
  if (error) return error;
  for (ssize_t got = 1; !error && got != 0 && length < room;) {
    got = read(fd, text + length, room - length);
    if (got > 0) length += (size_t)got;
    else if (got < 0 && errno != EINTR) error = errno;
  }
  close(fd);
  if (length == size) error = EFBIG;
  text[error ? 0 : length] = '\0';
  if (!start) chop(text, length);
  return error;
}

int cl_read(const char *path, char *text, size_t size) { return read_into(path, text, size, false); }

int cl_read_cpus(const char *path, struct cl_cpus *set) {
  char text[CL_CPUS_TEXT];
  int error = cl_read(path, text, sizeof text);
  return error ? error : cl_cpus_parse(text, set);
}

int cl_read_start(const char *path, char *text, size_t size) { return read_into(path, text, size, true); }

int cl_read_open(int fd, char **text, size_t *length) {
  size_t room = 0;
  *text = NULL;
  *length = 0;
  for (;;) {
    if (room - *length < 2) {
      room = room * 2 + 32768;
      char *more = room <= ALL_MOST ? realloc(*text, room) : NULL;
      errno = room <= ALL_MOST ? ENOMEM : EFBIG;
      if (more == NULL) break;
      *text = more;
    }
    ssize_t got = pread(fd, *text + *length, room - 1 - *length, (off_t)*length);
    if (got < 0 && errno == ESPIPE) got = read(fd, *text + *length, room - 1 - *length);
    if (got < 0 && errno != EINTR) break;
    if (got > 0) *length += (size_t)got;
    (*text)[*length] = '\0';
    if (got == 0) return 0;
  }
  int error = errno;
  free(*text);
  *text = NULL;
  return error;
}

int cl_read_all(const char *path, char **text) {
  size_t length;
  int fd;
  *text = NULL;
  int error = open_file(path, O_RDONLY, &fd);
  if (error) return error;
  error = cl_read_open(fd, text, &length);
  close(fd);
  if (!error) chop(*text, length);
  return error;
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

/* In a file that nobody else can have made, or can guess before it is there. */
int cl_replace(int folder, const char *name, const char *text) {
  char part[40];
  unsigned long long number;
  if (getrandom(&number, sizeof number, 0) != sizeof number) return errno;
  snprintf(part, sizeof part, ".coreloom-%016llx", number);
  int fd = openat(folder, part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
  if (fd < 0) return errno;
  int error = cl_put_all(fd, text);
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

bool cl_exists(const char *path) { return access(cl_files_path(path), F_OK) == 0; }

int cl_list(const char *path, int (*each)(void *context, const char *name), void *context) {
  const char *real = cl_files_path(path);
  if (*real == '\0') return ENAMETOOLONG;
  DIR *folder = opendir(real);
  if (folder == NULL) return errno;
  int answer = 0;
  for (struct dirent *entry; !answer && (entry = readdir(folder)) != NULL;)
    if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) answer = each(context, entry->d_name);
  closedir(folder);
  return answer;
}
