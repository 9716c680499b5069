/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Where lagmeter writes. The first line of an input is the path; each other one lays something before: a letter, a blank,
 * a name, and of a link a tab and its text. f a file, d a folder, D one for all, l a link, L another user's, o a file of
 * his, h a hard link, p a pipe, c /dev/null. Every path is looked up within the tree, whatever it says. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "create.h"
#include "fuzz.h"

#define OTHER 12345
#define LAID 24

static int tree = -1;

/* In place of openat(): the tree is the root of absolute paths, and nothing leads out of it. */
static int open_within(int from, const char *path, int flags, ...) {
  struct open_how how = {.flags = (unsigned)flags,
                         .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV};
  if (flags & O_CREAT) how.mode = 0666;
  return (int)syscall(SYS_openat2, from == AT_FDCWD || *path == '/' ? tree : from, path, &how, sizeof how);
}

/* Only what is open already, which lies in the tree. */
static int open_again(const char *path, int flags) {
  fuzz_check(strncmp(path, "/proc/self/fd/", 14) == 0, "it opens %s", path);
  return (int)syscall(SYS_openat, AT_FDCWD, path, flags);
}

#define openat open_within
#define open open_again
#include "../../../linux/lagmeter/create.c"
#undef openat
#undef open

static const char *const fuzz_words[] = {"f ",
                                         "d ",
                                         "D ",
                                         "l ",
                                         "L ",
                                         "o ",
                                         "h ",
                                         "p ",
                                         "c ",
                                         "/",
                                         "//",
                                         "/.",
                                         "/..",
                                         "../",
                                         "./",
                                         "\t",
                                         "\n",
                                         "a",
                                         "/proc/self/fd/1",
                                         "/dev/stdout",
                                         NULL};

/* Plain names only: it makes them with calls that know no bounds. */
static bool is_plain(const char *name) {
  size_t length = strlen(name);
  return length > 0 && length <= 200 && *name != '/' && *name != '.' && !strstr(name, "/.");
}

/* The folder of a name within the tree, and its last part; -1: there is none. */
static int folder_of(char *name, const char **last) {
  char *slash = strrchr(name, '/');
  *last = slash ? slash + 1 : name;
  if (slash) *slash = '\0';
  return open_within(tree, slash ? name : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
}

/* A pipe's reader, or -1. */
static int lay(char *line) {
  char *name = line + 2, *text = strchr(line, '\t');
  const char *last;
  int made = -1, reader = -1;
  if (line[0] == '\0' || line[1] != ' ') return -1;
  if (text) *text++ = '\0';
  if (!is_plain(name)) return -1;
  int folder = folder_of(name, &last);
  if (folder < 0) return -1;
  switch (line[0]) {
    case 'd':
    case 'D':
      if (mkdirat(folder, last, 0755) == 0 && line[0] == 'D') made = fchmodat(folder, last, 01777, 0);
      break;
    case 'l':
    case 'L':
      if (text && symlinkat(text, folder, last) == 0 && line[0] == 'L')
        made = fchownat(folder, last, OTHER, OTHER, AT_SYMLINK_NOFOLLOW);
      break;
    case 'f':
    case 'o':
      if (mknodat(folder, last, S_IFREG | 0644, 0) == 0 && line[0] == 'o')
        made = fchownat(folder, last, OTHER, OTHER, AT_SYMLINK_NOFOLLOW);
      break;
    case 'h': made = linkat(tree, "kept", folder, last, 0); break;
    case 'p':
      if (mkfifoat(folder, last, 0644) == 0) reader = open_within(folder, last, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
      break;
    case 'c': made = mknodat(folder, last, S_IFCHR | 0644, makedev(1, 3)); break;
    default: break;
  }
  (void)made; /* who is not root lays less */
  close(folder);
  return reader;
}

static void check(const char *path) {
  struct stat is;
  const char *why;
  FILE *file = NULL;
  int error = lag_create(path, &file, &why);
  fuzz_note_number((uint64_t)error);
  fuzz_check(error ? why && *why : file != NULL, "error %d, and nothing is said of it", error);
  if (error) return;
  fuzz_check(fstat(fileno(file), &is) == 0, "no file");
  fuzz_check(!S_ISREG(is.st_mode) || (is.st_nlink == 1 && is.st_size == 0),
             "a file with %u names and %lld bytes is taken", (unsigned)is.st_nlink, (long long)is.st_size);
  fputs("new\n", file);
  fuzz_check(fclose(file) == 0, "it cannot be written");
}

static void run_create(const char *data, size_t size) {
  char *copy = malloc(size + 1), *at = copy, kept[8] = "";
  int reader[LAID], readers = 0;
  if (!copy) abort();
  memcpy(copy, data, size + 1);
  static const char files[] = FUZZ_FILE "/kept" FUZZ_TEXT "kept";
  fuzz_tree(files, sizeof files - 1);
  tree = (int)syscall(SYS_openat, AT_FDCWD, fuzz_root(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (linkat(tree, "kept", tree, "second", 0)) abort();
  const char *path = strsep(&at, "\n");
  for (char *line; readers < LAID && (line = strsep(&at, "\n")) != NULL; readers++) reader[readers] = lay(line);
  int fd = dup(tree);
  close(fd);
  check(path);
  int now = dup(tree);
  close(now);
  fuzz_check(fd == now, "a file is left open");
  while (readers > 0)
    if (reader[--readers] >= 0) close(reader[readers]);
  int file = open_within(tree, "kept", O_RDONLY | O_CLOEXEC);
  if (file >= 0) {
    fuzz_check(read(file, kept, sizeof kept - 1) == 4 && strcmp(kept, "kept") == 0,
               "a file with two names was written");
    close(file);
  }
  close(tree);
  free(copy);
}

FUZZ_TARGET(create, .run = run_create, .words = fuzz_words, .most = 8192)
