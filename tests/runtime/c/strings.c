/* SPDX-License-Identifier: Apache-2.0
 *
 * <string.h> and <strings.h>. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static int sign(int value) { return (value > 0) - (value < 0); }

int main(void) {
  char text[40] = "one,two;;three", *rest, *copy;
  for (char *word = strtok_r(text, ",;", &rest); word; word = strtok_r(NULL, ",;", &rest)) printf("[%s]", word);
  strcpy(text, "  lead");
  printf("%s|", strtok(text, " "));
  printf("%s\n", strtok(NULL, " ") ? "more" : "none");
  printf("%zu %zu %zu %zu\n", strlen("abc"), strspn("aabbc", "ab"), strcspn("hello", "lo"), strnlen("abcdef", 3));
  printf("%d %d %d %d %d\n", sign(strcmp("a", "b")), sign(strcmp("b", "a")), sign(strcmp("\x80", "a")),
         sign(strncmp("abc", "abd", 2)), sign(memcmp("\xff", "\x01", 1)));
  printf("%d %d\n", sign(strcasecmp("HeLLo", "hEllO")), sign(strncasecmp("abX", "aby", 3)));
  printf("%s %s %s %s\n", strchr("hello", 'l'), strrchr("hello", 'l'), strstr("hello", "ll"), strpbrk("hello", "xol"));
  printf("%d %d %d\n", strchr("abc", 'x') == NULL, *strchr("abc", 0), strstr("abc", "")[0]);
  memset(text, 'x', sizeof text);
  strncpy(text, "ab", 5);
  printf("%s %d %c\n", text, text[4], text[5]);
  strcpy(text, "ab");
  strncat(text, "cdef", 2);
  printf("%s\n", text);
  memmove(text + 1, text, 4);
  printf("%.5s\n", text);
  copy = strdup("copied");
  printf("%s %s\n", copy, strndup(copy, 3));
  free(copy);
  printf("%s\n", (char *)memchr("abcdef", 'd', 6));
  printf("%s|%s|%s\n", strerror(ENOENT), strerror(EINVAL), strerror(ETIMEDOUT));
  printf("%d %d\n", ffs(0), ffs(0x50));
  char *at = text;
  strcpy(text, "a::b");
  for (char *field; (field = strsep(&at, ":"));) printf("<%s>", field);
  printf("\n%d\n", (int)(stpcpy(text, "abc") - text));
  return 0;
}
