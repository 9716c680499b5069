/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Writes a word to a file as lagmeter writes its files. */
#include <errno.h>
#include <string.h>

#include "create.h"

int main(int count, char **words) {
  const char *why;
  FILE *file;
  if (count != 2) return 2;
  if (lag_create(words[1], &file, &why)) {
    printf("%s\n", why);
    return 1;
  }
  fputs("new\n", file);
  return fclose(file);
}
