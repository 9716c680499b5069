/* SPDX-License-Identifier: Apache-2.0
 *
 * Mutual exclusion, priority order of waiters, errors; of a mutex of the kernel, and of one in memory. */
#include "check.h"

#define WORKERS 6
#define ROUNDS 60

static pthread_mutex_t *lock, *once;
static int counter;
static int order[4], ordered;

static void *count(void *unused) {
  (void)unused;
  for (int i = 0; i < ROUNDS; i++) {
    EQUAL(pthread_mutex_lock(lock), 0);
    int seen = counter;
    if (i % 7 == 0) sched_yield();
    waste(100);
    counter = seen + 1;
    EQUAL(pthread_mutex_unlock(lock), 0);
  }
  return NULL;
}

static void *queue_up(void *number) {
  pthread_mutex_lock(lock);
  order[ordered++] = (int)(intptr_t)number;
  pthread_mutex_unlock(lock);
  return NULL;
}

static void *try_it(void *unused) {
  (void)unused;
  EQUAL(pthread_mutex_trylock(lock), EBUSY);
  EQUAL(pthread_mutex_unlock(lock), EPERM);
  EQUAL(pthread_mutex_destroy(lock), EBUSY);
  return NULL;
}

static void *first_use(void *unused) {
  (void)unused;
  EQUAL(pthread_mutex_lock(once), 0);
  EQUAL(pthread_mutex_unlock(once), 0);
  return NULL;
}

static void use(pthread_mutex_t *mutex, pthread_mutex_t *fresh) {
  lock = mutex;
  once = fresh;
  counter = ordered = 0;
  pthread_t threads[WORKERS];
  for (int i = 0; i < WORKERS; i++) EQUAL(pthread_create(&threads[i], NULL, count, NULL), 0);
  for (int i = 0; i < WORKERS; i++) EQUAL(pthread_join(threads[i], NULL), 0);
  EQUAL(counter, WORKERS * ROUNDS);

  /* the more urgent waiter first, equals in order of arrival */
  EQUAL(pthread_mutex_lock(lock), 0);
  EQUAL(pthread_mutex_lock(lock), EDEADLK);
  static const int priority[4] = {18, 20, 18, 25};
  for (int i = 0; i < 4; i++) {
    threads[i] = spawn(priority[i], queue_up, (void *)(intptr_t)i);
    waste(30000);
  }
  threads[4] = spawn(20, try_it, NULL);
  EQUAL(pthread_join(threads[4], NULL), 0);
  EQUAL(pthread_mutex_unlock(lock), 0);
  for (int i = 0; i < 4; i++) EQUAL(pthread_join(threads[i], NULL), 0);
  EQUAL(order[0] * 1000 + order[1] * 100 + order[2] * 10 + order[3], 3102);

  /* a static mutex used by all at once for the first time */
  for (int i = 0; i < WORKERS; i++) EQUAL(pthread_create(&threads[i], NULL, first_use, NULL), 0);
  for (int i = 0; i < WORKERS; i++) EQUAL(pthread_join(threads[i], NULL), 0);

  EQUAL(pthread_mutex_unlock(lock), EPERM);
  EQUAL(pthread_mutex_destroy(lock), 0);
  EQUAL(pthread_mutex_lock(lock), EINVAL);
  EQUAL(pthread_mutex_trylock(lock), EINVAL);
  EQUAL(pthread_mutex_unlock(lock), EINVAL);
}

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t all[CL_MUTEXES + 2];

int main(void) {
  uint32_t number = ~0u;
  use(&first, &second);
  EQUAL(pthread_mutex_getnumber_np(&second, &number), 0);
  CHECK(number < CL_MUTEXES);
  EQUAL(pthread_mutex_destroy(&second), 0);

  /* more than the kernel has; the last two have not been used */
  for (int i = 0; i < CL_MUTEXES; i++) EQUAL(pthread_mutex_init(&all[i], NULL), 0);
  EQUAL(pthread_mutex_getnumber_np(&all[CL_MUTEXES - 1], &number), 0);
  use(&all[CL_MUTEXES], &all[CL_MUTEXES + 1]);
  EQUAL(pthread_mutex_getnumber_np(&all[CL_MUTEXES + 1], &number), EINVAL);
  EQUAL(pthread_mutex_destroy(&all[CL_MUTEXES + 1]), 0);
  for (int i = 0; i < CL_MUTEXES; i++) EQUAL(pthread_mutex_destroy(&all[i]), 0);
  return finish();
}
