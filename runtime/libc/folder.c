/* SPDX-License-Identifier: Apache-2.0
 *
 * The contents of folders, and the current folder. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
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
