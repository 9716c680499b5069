/* SPDX-License-Identifier: Apache-2.0
 *
 * Two threads share the heap: blocks do not overlap, calloc clears what was used before, realloc keeps the content. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#define ROUNDS 60

static int is_all(const unsigned char *block, int value, size_t bytes) {
  for (size_t i = 0; i < bytes; i++)
    if (block[i] != value) return 0;
  return 1;
}

static void *use(void *argument) {
  int mark = (int)(uintptr_t)argument;
  for (int i = 0; i < ROUNDS; i++) {
    size_t bytes = 16 + (size_t)(i * 37 + mark) % 200;
    unsigned char *dirty = malloc(bytes);
    CHECK(dirty != NULL);
    memset(dirty, mark, bytes);
    if (i % 3 == 0) sched_yield();
    dirty = realloc(dirty, 2 * bytes);
    CHECK(dirty != NULL && is_all(dirty, mark, bytes));
    memset(dirty, mark, 2 * bytes);
    if (i % 4 == 0) sched_yield();
    CHECK(is_all(dirty, mark, 2 * bytes));
    free(dirty);
    unsigned char *clear = calloc(bytes, 2);
    CHECK(clear != NULL && is_all(clear, 0, 2 * bytes));
    free(clear);
  }
  return NULL;
}

int main(void) {
  pthread_t threads[2];
  for (unsigned i = 0; i < 2; i++) EQUAL(pthread_create(&threads[i], NULL, use, (void *)(uintptr_t)(i + 1)), 0);
  for (unsigned i = 0; i < 2; i++) EQUAL(pthread_join(threads[i], NULL), 0);
  volatile size_t half = SIZE_MAX / 2 + 1;
  errno = 0;
  CHECK(calloc(half, 2) == NULL);
  EQUAL(errno, ENOMEM);
  CHECK(malloc(half + half - 1) == NULL);
  return finish();
}
