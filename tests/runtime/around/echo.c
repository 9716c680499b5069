/* SPDX-License-Identifier: Apache-2.0
 *
 * Asks for lines until there is none. */
#include <stdio.h>

int main(void) {
  char line[100];
  int number = 0;
  while (printf("%d? ", number) && fgets(line, sizeof line, stdin)) {
    printf("[%s]\n", line);
    number++;
  }
  printf("end %d\n", feof(stdin) != 0);
  return 0;
}
