/* SPDX-License-Identifier: Apache-2.0
 *
 * What is in a folder. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static void list(DIR *folder) {
  char *names[20];
  size_t count = 0;
  for (const struct dirent *entry; count < 20 && (entry = readdir(folder));) names[count++] = strdup(entry->d_name);
  qsort(names, count, sizeof *names, by_name);
  for (size_t n = 0; n < count; n++) printf("%s ", names[n]);
  printf("\n");
}

int main(void) {
  mkdir("sub", 0755);
  fclose(fopen("sub/file", "w"));
  mkdir("sub/folder", 0700);
  DIR *folder = opendir("sub");
  list(folder);
  rewinddir(folder);
  list(folder);
  printf("%d\n", closedir(folder));
  printf("%d %d\n", opendir("none") == NULL, opendir("sub/file") == NULL);
  char before[1024], after[1024];
  getcwd(before, sizeof before);
  printf("%d", chdir("sub/folder"));
  getcwd(after, sizeof after);
  printf(" %s\n", after + strlen(before) + (before[1] == 0 ? -1 : 0));
  printf("%d %d\n", getcwd(after, 2) == NULL, chdir("../file"));
  return 0;
}
