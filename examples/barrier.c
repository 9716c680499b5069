/* SPDX-License-Identifier: Apache-2.0
 *
 * Four threads meet after every small step, as the loops of a simulation do. Look at two and four CPUs: the shorter the
 * step, the more a run is as fast as its barrier. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

enum { THREADS = 4, STEPS = 200, CELLS = 64 };

static pthread_barrier_t barrier;
static int cells[2][CELLS];

static void *relax(void *argument) {
  int share = CELLS / THREADS, first = (int)(intptr_t)argument * share;
  for (int step = 0; step < STEPS; step++) {
    const int *from = cells[step % 2];
    for (int i = first; i < first + share; i++)
      cells[1 - step % 2][i] = (from[(i + CELLS - 1) % CELLS] + 2 * from[i] + from[(i + 1) % CELLS]) / 4;
    pthread_barrier_wait(&barrier);
  }
  return NULL;
}

int main(void) {
  pthread_t threads[THREADS];
  pthread_barrier_init(&barrier, NULL, THREADS);
  for (int i = 0; i < CELLS; i++) cells[0][i] = i * i;
  for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, relax, (void *)(intptr_t)i);
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  printf("cell 10 after %d steps: %d\n", STEPS, cells[STEPS % 2][10]);
}
