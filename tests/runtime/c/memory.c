/* SPDX-License-Identifier: Apache-2.0
 *
 * malloc and its like. */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  int *const zeros = calloc(100, sizeof *zeros);
  long sum = 0;
  for (int i = 0; i < 100; i++) sum += zeros[i];
  char *text = malloc(5);
  strcpy(text, "abcd");
  text = realloc(text, 1000);
  printf("%ld %s\n", sum, text);
  text = realloc(text, 5);
  printf("%s\n", text);
  printf("%d\n", realloc(text, 0) == NULL);
  volatile size_t huge = SIZE_MAX / 2 + 100;
  errno = 0;
  void *volatile made = malloc(huge); /* a compiler may take it that there is memory */
  printf("%d %d\n", made == NULL, errno == ENOMEM);
  errno = 0;
  made = calloc(huge, 4);
  printf("%d %d\n", made == NULL, errno == ENOMEM);
  void *aligned = NULL;
  printf("%d %d", posix_memalign(&aligned, 64, 100), (int)((uintptr_t)aligned % 64));
  printf(" %d %d\n", posix_memalign(&aligned, 3, 100) == EINVAL, (int)((uintptr_t)aligned_alloc(256, 512) % 256));
  unsigned random = 7;
  void *blocks[32] = {NULL};
  size_t sizes[32] = {0};
  int wrong = 0;
  for (int round = 0; round < 1000; round++) {
    random = random * 1103515245u + 12345u;
    const unsigned i = random >> 16 & 31, size = (random >> 21 & 127) + 1;
    for (size_t at = 0; at < sizes[i]; at++) wrong += ((unsigned char *)blocks[i])[at] != (unsigned char)i;
    if (random >> 30 == 0 && blocks[i]) {
      blocks[i] = realloc(blocks[i], size);
      for (size_t at = 0; at < sizes[i] && at < size; at++)
        wrong += ((unsigned char *)blocks[i])[at] != (unsigned char)i;
    } else {
      free(blocks[i]);
      blocks[i] = random >> 30 == 1 ? aligned_alloc(32, 32 * (size_t)size) : malloc(size);
      wrong += random >> 30 == 1 && (uintptr_t)blocks[i] % 32 != 0;
    }
    wrong += (uintptr_t)blocks[i] % 8 != 0;
    sizes[i] = size;
    memset(blocks[i], (int)i, size);
  }
  for (int i = 0; i < 32; i++) free(blocks[i]);
  void *const all = malloc(300000);
  printf("%d %d\n", wrong, all != NULL);
  free(all);
  free(NULL);
  return 0;
}
