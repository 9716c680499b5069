/* SPDX-License-Identifier: Apache-2.0
 *
 * Four threads compute for long and meet seldom: some 10 000 cycles of arithmetic between two calls. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

enum { THREADS = 4, ROUNDS = 6, STEPS = 1500 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static uint32_t sum;

static void *compute(void *seed) {
  uint32_t x = (uint32_t)(uintptr_t)seed;
  for (int round = 0; round < ROUNDS; round++) {
    for (int step = 0; step < STEPS; step++) x = x * 1664525u + 1013904223u + (x >> 7);
    pthread_mutex_lock(&mutex);
    sum += x;
    pthread_mutex_unlock(&mutex);
  }
  return NULL;
}

int main(void) {
  pthread_t threads[THREADS];
  for (uintptr_t i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, compute, (void *)(i + 1));
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  printf("sum %u\n", (unsigned)sum);
}
