/* SPDX-License-Identifier: Apache-2.0
 *
 * What of the machine can be reached: of each path whether it can be read, made, and looked at. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *name(int error) {
  switch (error) {
    case 0: return "ok";
    case EACCES: return "EACCES";
    case EBUSY: return "EBUSY";
    case EEXIST: return "EEXIST";
    case EISDIR: return "EISDIR";
    case ELOOP: return "ELOOP";
    case ENAMETOOLONG: return "ENAMETOOLONG";
    case ENOENT: return "ENOENT";
    case ENOTDIR: return "ENOTDIR";
    default: return "other";
  }
}

static const char *of(int result) { return name(result < 0 ? errno : 0); }

int main(int count, char **paths) {
  struct stat about;
  for (int n = 1; n < count; n++) {
    printf("%s: %s", paths[n], of(open(paths[n], O_RDONLY)));
    printf(" %s", of(open(paths[n], O_WRONLY | O_CREAT, 0644)));
    const int status = stat(paths[n], &about);
    printf(" %s%s", of(status), status == 0 && S_ISLNK(about.st_mode) ? " a link" : "");
    printf(" %s", of(mkdir(paths[n], 0755)));
    printf(" %s", of(rename(paths[n], "moved")));
    printf(" %s\n", of(chdir(paths[n])));
    chdir("/");
  }
  printf("%d %d\n", getchar(), tmpfile() != NULL);
  return 0;
}
