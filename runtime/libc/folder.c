/* SPDX-License-Identifier: Apache-2.0
 *
 * The contents of folders, and the current folder. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cl_host.h"

#define WEAK __attribute__((weak))

struct cl_folder {
  int file;
  long next;
  struct dirent entry;
};

WEAK DIR *fdopendir(int file) {
  DIR *const folder = calloc(1, sizeof *folder);
  if (folder) folder->file = file;
  return folder;
}

WEAK DIR *opendir(const char *path) {
  const int file = cl_open(path, O_RDONLY | O_DIRECTORY, 0);
  if (file < 0) return NULL;
  DIR *const folder = fdopendir(file);
  if (!folder) cl_close(file);
  return folder;
}

WEAK struct dirent *readdir(DIR *folder) {
  const int32_t kind = cl_host(CL_HOST_LIST, (unsigned)folder->file, (uintptr_t)folder->next,
                               (uintptr_t)folder->entry.d_name);
  if (kind <= 0) return NULL;
  folder->next++;
  folder->entry.d_ino = 1;
  folder->entry.d_type = kind == 1 ? DT_UNKNOWN : (unsigned char)kind;
  return &folder->entry;
}

WEAK void rewinddir(DIR *folder) { folder->next = 0; }
WEAK long telldir(DIR *folder) { return folder->next; }
WEAK void seekdir(DIR *folder, long at) { folder->next = at; }
WEAK int dirfd(DIR *folder) { return folder->file; }

WEAK int closedir(DIR *folder) {
  const int status = cl_close(folder->file);
  free(folder);
  return status;
}

WEAK int alphasort(const struct dirent **a, const struct dirent **b) { return strcmp((*a)->d_name, (*b)->d_name); }

WEAK char *getcwd(char *to, size_t bytes) {
  char path[1024];
  if (cl_host(CL_HOST_GETCWD, (uintptr_t)path, sizeof path, 0) < 0) return NULL;
  if (!to) return strdup(path);
  if (strlen(path) < bytes) return strcpy(to, path);
  errno = ERANGE;
  return NULL;
}

WEAK int scandir(const char *path, struct dirent ***to, int (*wanted)(const struct dirent *),
                 int (*compare)(const struct dirent **, const struct dirent **)) {
  DIR *const folder = opendir(path);
  struct dirent **found = NULL, *entry;
  size_t count = 0;
  int failed = !folder;
  while (!failed && (entry = readdir(folder))) {
    if (wanted && !wanted(entry)) continue;
    struct dirent **const more = realloc(found, (count + 1) * sizeof *more), *const copy = malloc(sizeof *copy);
    failed = !more || !copy;
    if (more) found = more;
    if (failed) free(copy);
    else *(found[count++] = copy) = *entry;
  }
  if (folder) closedir(folder);
  if (failed) {
    while (count) free(found[--count]);
    free(found);
    return -1;
  }
  if (count && compare) qsort(found, count, sizeof *found, (int (*)(const void *, const void *))compare);
  *to = found;
  return (int)count;
}

/* Without links a path is what its parts say. */
WEAK char *realpath(const char *__restrict path, char *__restrict to) {
  struct stat about;
  char whole[PATH_MAX + 1];
  if (stat(path, &about)) return NULL;
  if (*path == '/') *whole = 0;
  else if (!getcwd(whole, sizeof whole)) return NULL;
  char *end = whole + strlen(whole);
  if (end == whole + 1) *--end = 0; /* of the root, to which parts are added */
  for (size_t length; *path; path += length) {
    path += strspn(path, "/");
    length = strcspn(path, "/");
    if (length == 2 && !memcmp(path, "..", 2)) {
      while (end > whole && *--end != '/') continue;
    } else if (length && !(length == 1 && *path == '.')) {
      if ((size_t)(end - whole) + length + 2 > sizeof whole) {
        errno = ENAMETOOLONG;
        return NULL;
      }
      *end = '/';
      memcpy(end + 1, path, length);
      end += length + 1;
    }
    *end = 0;
  }
  if (end == whole) strcpy(whole, "/");
  return to ? strcpy(to, whole) : strdup(whole);
}
