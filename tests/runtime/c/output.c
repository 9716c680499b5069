/* SPDX-License-Identifier: Apache-2.0
 *
 * The ways to print, and what they return. */
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__attribute__((format(printf, 1, 2))) static int say(const char *format, ...) {
  va_list list;
  va_start(list, format);
  const int count = vprintf(format, list);
  va_end(list);
  return count;
}

int main(void) {
  char text[20];
  int before = -1;
  setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
  printf("%d\n", printf("abc%c\n", 'd'));
  printf("%d\n", say("%s %5.1f|%-6s|%+d\n", "x", 2.25, "ab", 3));
  printf("%d %d\n", puts("line") >= 0, putchar('c') == 'c');
  printf("%d\n", fputs("text\n", stdout) >= 0);
  printf("%zu\n", fwrite("blocks\n", 1, 7, stdout));
  printf("%d %s\n", snprintf(text, 4, "%d", 123456), text);
  printf("%d\n", snprintf(NULL, 0, "%*d", 30, 1));
  printf("%d %s\n", sprintf(text, "%x%%%n|", 255u, &before), text);
  printf("%d\n", before);
  printf("[%s] [%.3s] [%10s] [%-10s] [%c]\n", "s", "abcdef", "right", "left", '*');
  printf("[%i] [%05d] [%-5d] [%+5d] [% d] [%.5d] [%8.3d]\n", 7, -7, 7, 7, 7, 7, 7);
  printf("[%u] [%o] [%x] [%X] [%#o] [%#x] [%#010x]\n", 4000000000u, 8u, 255u, 255u, 8u, 255u, 255u);
  printf("[%hhd] [%hd] [%ld] [%lld] [%zu] [%jd] [%td]\n", (signed char)-3, (short)-300, -3L, -3LL, sizeof text,
         (intmax_t)-3, text + 5 - text);
  printf("[%f] [%.0f] [%e] [%g] [%G] [%a] [%10.3f] [%-10.2e]\n", 1.0 / 3, 2.5, 12345.678, 1e-10, 1e20, 0.75, -1.5, 1e3);
  printf("[%p] [%p]\n", (void *)0x1234, (void *)0);
  printf("[%.*f] [%*.*g]\n", 2, 3.14159, 8, 3, 3.14159);
  printf("[%2$s %1$s]\n", "second", "first");
  printf("[%5c] [%-5c] [%5%]\n" + 0, 'a', 'b');
  char *made = NULL;
  printf("%d", asprintf(&made, "%s-%d", "made", 5));
  printf(" %s\n", made);
  free(made);
  printf("%d %d\n", fflush(stdout), ferror(stdout));
  return 0;
}
