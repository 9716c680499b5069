/* SPDX-License-Identifier: Apache-2.0
 *
 * Thread-specific data with destructors, and routines that run once, cancelled ones among them. */
#include <string.h>

#include "check.h"

static pthread_key_t one, two;
static volatile int destroyed, runs;
static sem_t go;

static void count(void *value) {
  __atomic_fetch_add(&destroyed, (int)(intptr_t)value, __ATOMIC_RELAXED);
  CHECK(!pthread_getspecific(one));
}
static void again(void *value) {
  destroyed++;
  EQUAL(pthread_setspecific(two, value), 0);
}

static void *sets(void *argument) {
  CHECK(!pthread_getspecific(one) && !pthread_getspecific(two));
  EQUAL(pthread_setspecific(one, argument), 0);
  for (int i = 0; i < 10; i++) {
    sched_yield();
    CHECK(pthread_getspecific(one) == argument);
  }
  return NULL;
}
static void *sets_two(void *argument) {
  EQUAL(pthread_setspecific(two, argument), 0);
  pthread_exit(NULL);
}

static void keys(void) {
  pthread_t threads[5];
  pthread_key_t all[PTHREAD_KEYS_MAX], more;
  EQUAL(pthread_key_create(&one, count), 0);
  EQUAL(pthread_key_create(&two, again), 0);
  for (int i = 0; i < 5; i++) EQUAL(pthread_create(&threads[i], NULL, sets, (void *)(intptr_t)(1 << i)), 0);
  for (int i = 0; i < 5; i++) EQUAL(pthread_join(threads[i], NULL), 0);
  EQUAL(destroyed, 31);
  destroyed = 0;
  EQUAL(pthread_create(&threads[0], NULL, sets_two, &two), 0);
  EQUAL(pthread_join(threads[0], NULL), 0);
  EQUAL(destroyed, PTHREAD_DESTRUCTOR_ITERATIONS);

  /* a key that is deleted and created again has no values; its destructor is not called */
  destroyed = 0;
  EQUAL(pthread_setspecific(one, &one), 0);
  EQUAL(pthread_key_delete(one), 0);
  EQUAL(pthread_key_delete(one), EINVAL);
  EQUAL(pthread_setspecific(one, NULL), EINVAL);
  CHECK(!pthread_getspecific(one));
  EQUAL(pthread_key_create(&more, NULL), 0);
  EQUAL(more, one);
  CHECK(!pthread_getspecific(more));
  EQUAL(pthread_key_delete(more), 0);
  EQUAL(pthread_key_delete(two), 0);
  for (int i = 0; i < PTHREAD_KEYS_MAX; i++) EQUAL(pthread_key_create(&all[i], NULL), 0);
  EQUAL(pthread_key_create(&more, NULL), EAGAIN);
  for (int i = 0; i < PTHREAD_KEYS_MAX; i++) EQUAL(pthread_setspecific(all[i], &all[i]), 0);
  for (int i = 0; i < PTHREAD_KEYS_MAX; i++) CHECK(pthread_getspecific(all[i]) == &all[i]);
  EQUAL(pthread_setspecific(PTHREAD_KEYS_MAX, NULL), EINVAL);
  CHECK(!pthread_getspecific(~0u));
  EQUAL(destroyed, 0);
}

static pthread_once_t once = PTHREAD_ONCE_INIT, cancelled = PTHREAD_ONCE_INIT;

static void routine(void) {
  runs++;
  waste(20000);
  runs++;
}
static void waits(void) {
  runs++;
  sem_wait(&go);
}
static void *calls(void *unused) {
  EQUAL(pthread_once(&once, routine), 0);
  EQUAL(runs, 2); /* nobody returns before it has ended */
  return unused;
}
static void *calls_cancelled(void *unused) {
  EQUAL(pthread_once(&cancelled, waits), 0);
  return unused;
}

static void onces(void) {
  pthread_t threads[4];
  void *value;
  for (int i = 0; i < 4; i++) threads[i] = spawn(15 + i, calls, NULL);
  for (int i = 0; i < 4; i++) EQUAL(pthread_join(threads[i], NULL), 0);
  EQUAL(pthread_once(&once, routine), 0);
  EQUAL(runs, 2);
  pthread_once_t bad = {77};
  EQUAL(pthread_once(&bad, routine), EINVAL);

  /* the first is cancelled in its routine: the next one runs it, whom the others wait for */
  runs = 0;
  for (int i = 0; i < 3; i++) threads[i] = spawn(20 - i, calls_cancelled, NULL);
  waste(20000);
  EQUAL(runs, 1);
  EQUAL(pthread_cancel(threads[0]), 0);
  EQUAL(pthread_join(threads[0], &value), 0);
  CHECK(value == PTHREAD_CANCELED);
  waste(20000);
  EQUAL(runs, 2);
  EQUAL(sem_post(&go), 0);
  for (int i = 1; i < 3; i++) EQUAL(pthread_join(threads[i], NULL), 0);
  EQUAL(runs, 2);
}

int main(void) {
  EQUAL(sem_init(&go, 0, 0), 0);
  keys();
  onces();
  return finish();
}
