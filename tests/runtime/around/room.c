/* SPDX-License-Identifier: Apache-2.0
 *
 * The memory that a program has: a large array, a large block, stacks. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef ARRAY
#define ARRAY (4 << 20)
#endif

static char array[ARRAY];

static int deep(int levels, volatile char *above) {
  volatile char here[1000];
  here[levels % 1000] = above[0];
  return levels ? 1 + deep(levels - 1, here) + here[levels % 1000] : 0;
}

static void *thread(void *levels) { return (void *)(long)deep(*(int *)levels, (char[1]){0}); }

int main(int count, char **arguments) {
  pthread_t other;
  void *result;
  int levels = count > 2 ? atoi(arguments[2]) : 50;
  memset(array, 1, sizeof array);
  char *const block = malloc(8 << 20);
  if (block) block[(8 << 20) - 1] = 1;
  printf("%d %d", array[sizeof array - 1], block != NULL);
  printf(" %d", deep(count > 1 ? atoi(arguments[1]) : 1000, (char[1]){0}));
  pthread_create(&other, NULL, thread, &levels);
  pthread_join(other, &result);
  printf(" %ld\n", (long)result);
  return 0;
}
