/* SPDX-License-Identifier: Apache-2.0
 *
 * <ctype.h>: a line for each class, and conversions. */
#include <ctype.h>
#include <stdio.h>

#define SHOW(is)                                                  \
  do {                                                            \
    unsigned sum = 0;                                             \
    for (int c = -1; c < 256; c++) sum = sum * 31 + (is(c) != 0); \
    printf(#is " %08x\n", sum);                                   \
  } while (0)

int main(void) {
  SHOW(isalpha);
  SHOW(isdigit);
  SHOW(isalnum);
  SHOW(isspace);
  SHOW(isblank);
  SHOW(isupper);
  SHOW(islower);
  SHOW(ispunct);
  SHOW(isprint);
  SHOW(isgraph);
  SHOW(iscntrl);
  SHOW(isxdigit);
  printf("%c%c%c %d\n", toupper('a'), tolower('Z'), toupper('1'), toupper(EOF));
  return 0;
}
