/* SPDX-License-Identifier: Apache-2.0
 *
 * Mappings of memory and of files. */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void say(const char *what, const void *at) {
  printf("%s: %s\n", what,
         at != MAP_FAILED  ? "mapped"
         : errno == EINVAL ? "EINVAL"
         : errno == EBADF  ? "EBADF"
                           : "another error");
}

int main(void) {
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  char *all = mmap(NULL, 3 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  say("memory", all);
  size_t zeros = 0;
  for (size_t n = 0; n < 3 * page; n++) zeros += all[n] == 0;
  printf("%d %d\n", zeros == 3 * page, (uintptr_t)all % page == 0);
  memset(all, 'x', 3 * page);
  printf("%d%d", munmap(all, page), munmap(all + 2 * page, page));
  printf(" %c %d\n", all[page], munmap(all + page, 1)); /* a part of a page is the page */
  say("nothing", mmap(NULL, 0, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  say("no kind", mmap(NULL, page, PROT_READ, MAP_ANONYMOUS, -1, 0));
  say("no file", mmap(NULL, page, PROT_READ, MAP_PRIVATE, -1, 0));
  say("inside a page", mmap(NULL, page, PROT_READ, MAP_PRIVATE, 0, 1));
  printf("%d %d\n", munmap((char *)page + 1, page), errno == EINVAL);

  FILE *const file = fopen("text", "w+");
  for (int n = 0; n < 1000; n++) fprintf(file, "line %d\n", n);
  fflush(file);
  const int number = fileno(file);
  const size_t length = (size_t)ftell(file);
  char *text = mmap(NULL, length, PROT_READ, MAP_SHARED, number, 0);
  say("a file", text);
  printf("%.7s %.9s %d\n", text, text + length - 9, memchr(text + length, 1, 1) == NULL);
  munmap(text, length);
  text = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE, number, (off_t)page);
  fclose(file);
  say("a part of one", text);
  text[0] = '!';
  printf("%c\n", text[0]);
  munmap(text, 2 * page);
  remove("text");
  return 0;
}
