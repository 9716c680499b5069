/* SPDX-License-Identifier: Apache-2.0
 *
 * What a round of a barrier costs with a warm cache: prints a line for each number of threads, in cycles of a round in
 * which each thread comes once; of pthread_barrier_wait, and of the usual barrier of a mutex and a condition variable. */
#include "check.h"

#define WARM 4
#define ROUNDS 16
#define MOST 8

static pthread_barrier_t barrier;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t all_here = PTHREAD_COND_INITIALIZER;
static int threads, here, round_of_all;
static uint32_t begun, took;

static void by_condition(void) {
  pthread_mutex_lock(&mutex);
  if (++here == threads) {
    here = 0;
    round_of_all++;
    pthread_cond_broadcast(&all_here);
  } else {
    for (int mine = round_of_all; mine == round_of_all;) pthread_cond_wait(&all_here, &mutex);
  }
  pthread_mutex_unlock(&mutex);
}

static void by_barrier(void) { pthread_barrier_wait(&barrier); }

typedef void meet(void);

static inline __attribute__((always_inline)) void work(meet *way, int is_first) {
  for (int round = -WARM; round < ROUNDS; round++) {
    if (is_first && !round) begun = cl_cycle();
    way();
  }
  if (is_first) took = cl_cycle() - begun;
}

static void *use_barrier(void *is_first) { return work(by_barrier, is_first != NULL), NULL; }
static void *use_condition(void *is_first) { return work(by_condition, is_first != NULL), NULL; }

static uint32_t measure(void *(*way)(void *), int number) {
  pthread_t ids[MOST];
  threads = number;
  EQUAL(pthread_barrier_init(&barrier, NULL, (unsigned)number), 0);
  for (int n = 0; n < number; n++) EQUAL(pthread_create(&ids[n], NULL, way, n ? NULL : &ids), 0);
  for (int n = 0; n < number; n++) EQUAL(pthread_join(ids[n], NULL), 0);
  EQUAL(pthread_barrier_destroy(&barrier), 0);
  return took / ROUNDS;
}

int main(void) {
  for (int number = 2; number <= MOST; number *= 2) {
    unsigned barrier_cycles = measure(use_barrier, number), condition_cycles = measure(use_condition, number);
    printf("%d threads: barrier %u, mutex and condition variable %u\n", number, barrier_cycles, condition_cycles);
  }
  return finish();
}
