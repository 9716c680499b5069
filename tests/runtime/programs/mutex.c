/* SPDX-License-Identifier: Apache-2.0
 *
 * Mutual exclusion, priority order of waiters, errors. */
#include "check.h"

#define WORKERS 6
#define ROUNDS 60

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t once = PTHREAD_MUTEX_INITIALIZER;
static int counter;
static int order[4], ordered;

static void *count(void *unused) {
  (void)unused;
  for (int i = 0; i < ROUNDS; i++) {
    EQUAL(pthread_mutex_lock(&lock), 0);
    int seen = counter;
    if (i % 7 == 0) sched_yield();
    waste(100);
    counter = seen + 1;
    EQUAL(pthread_mutex_unlock(&lock), 0);
  }
  return NULL;
}

static void *queue_up(void *number) {
  pthread_mutex_lock(&lock);
  order[ordered++] = (int)(intptr_t)number;
  pthread_mutex_unlock(&lock);
  return NULL;
}

static void *try_it(void *unused) {
  (void)unused;
  EQUAL(pthread_mutex_trylock(&lock), EBUSY);
  EQUAL(pthread_mutex_unlock(&lock), EPERM);
  EQUAL(pthread_mutex_destroy(&lock), EBUSY);
  return NULL;
}

static void *first_use(void *unused) {
  (void)unused;
  EQUAL(pthread_mutex_lock(&once), 0);
  EQUAL(pthread_mutex_unlock(&once), 0);
  return NULL;
}

int main(void) {
  pthread_t threads[WORKERS];
  for (int i = 0; i < WORKERS; i++) EQUAL(pthread_create(&threads[i], NULL, count, NULL), 0);
  for (int i = 0; i < WORKERS; i++) EQUAL(pthread_join(threads[i], NULL), 0);
  EQUAL(counter, WORKERS * ROUNDS);

  /* the more urgent waiter first, equals in order of arrival */
  EQUAL(pthread_mutex_lock(&lock), 0);
  EQUAL(pthread_mutex_lock(&lock), EDEADLK);
  static const int priority[4] = {18, 20, 18, 25};
  for (int i = 0; i < 4; i++) {
    threads[i] = spawn(priority[i], queue_up, (void *)(intptr_t)i);
    waste(30000);
  }
  threads[4] = spawn(20, try_it, NULL);
  EQUAL(pthread_join(threads[4], NULL), 0);
  EQUAL(pthread_mutex_unlock(&lock), 0);
  for (int i = 0; i < 4; i++) EQUAL(pthread_join(threads[i], NULL), 0);
  EQUAL(order[0] * 1000 + order[1] * 100 + order[2] * 10 + order[3], 3102);

  /* a static mutex used by all at once for the first time */
  for (int i = 0; i < WORKERS; i++) EQUAL(pthread_create(&threads[i], NULL, first_use, NULL), 0);
  for (int i = 0; i < WORKERS; i++) EQUAL(pthread_join(threads[i], NULL), 0);

  EQUAL(pthread_mutex_unlock(&lock), EPERM);
  EQUAL(pthread_mutex_destroy(&lock), 0);
  EQUAL(pthread_mutex_lock(&lock), EINVAL);
  EQUAL(pthread_mutex_trylock(&lock), EINVAL);
  EQUAL(pthread_mutex_unlock(&lock), EINVAL);

  /* the kernel has CL_MUTEXES; one is in use */
  pthread_mutex_t all[CL_MUTEXES];
  int made = 0;
  while (made < CL_MUTEXES && !pthread_mutex_init(&all[made], NULL)) made++;
  EQUAL(made, CL_MUTEXES - 1);
  EQUAL(pthread_mutex_init(&lock, NULL), EAGAIN);
  for (int i = 0; i < made; i++) EQUAL(pthread_mutex_destroy(&all[i]), 0);
  return finish();
}
