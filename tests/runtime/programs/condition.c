/* SPDX-License-Identifier: Apache-2.0
 *
 * Condition variables: a bounded buffer, the order of waking, broadcast, static initialisers, time limits, wrong uses;
 * of the kernel, and in memory. */
#include "check.h"

#include <time.h>

#define ITEMS 100
#define SLOTS 3

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_full, not_empty;
static int buffer[SLOTS], count, in, out;
static int sum[2];

static void *produce(void *first) {
  for (int i = (int)(intptr_t)first; i < ITEMS; i += 2) {
    EQUAL(pthread_mutex_lock(&mutex), 0);
    while (count == SLOTS) EQUAL(pthread_cond_wait(&not_full, &mutex), 0);
    buffer[in++ % SLOTS] = i;
    count++;
    EQUAL(pthread_cond_signal(&not_empty), 0);
    EQUAL(pthread_mutex_unlock(&mutex), 0);
  }
  return NULL;
}

static void *consume(void *who) {
  for (int i = 0; i < ITEMS / 2; i++) {
    EQUAL(pthread_mutex_lock(&mutex), 0);
    while (!count) EQUAL(pthread_cond_wait(&not_empty, &mutex), 0);
    sum[(intptr_t)who] += buffer[out++ % SLOTS];
    count--;
    EQUAL(pthread_cond_signal(&not_full), 0);
    EQUAL(pthread_mutex_unlock(&mutex), 0);
  }
  return NULL;
}

static pthread_cond_t turn;
static volatile int go, waiting, order[4], ordered;

static void *wait_turn(void *number) {
  EQUAL(pthread_mutex_lock(&mutex), 0);
  waiting++;
  while (!go) EQUAL(pthread_cond_wait(&turn, &mutex), 0);
  go--;
  order[ordered++] = (int)(intptr_t)number;
  EQUAL(pthread_mutex_unlock(&mutex), 0);
  return NULL;
}

/* More urgent than main by 1, 3, 2, 3, in this order; all wait when this is back. */
static void let_wait(pthread_t *threads) {
  static const int more[4] = {1, 3, 2, 3};
  waiting = ordered = 0;
  for (int i = 0; i < 4; i++) {
    threads[i] = spawn(PTHREAD_PRIORITY_DEFAULT_NP + more[i], wait_turn, (void *)(intptr_t)i);
    while (waiting <= i) sched_yield();
    EQUAL(pthread_mutex_lock(&mutex), 0); /* free only while all wait */
    EQUAL(pthread_mutex_unlock(&mutex), 0);
  }
}

static void in_order(pthread_t *threads) {
  for (int i = 0; i < 4; i++) EQUAL(pthread_join(threads[i], NULL), 0);
  printf("%d%d%d%d\n", order[0], order[1], order[2], order[3]);
}

static void *wait_once(void *cond) {
  EQUAL(pthread_mutex_lock(&mutex), 0);
  waiting = 1;
  EQUAL(pthread_cond_timedwait_np(cond, &mutex, 10000000), 0);
  EQUAL(pthread_mutex_unlock(&mutex), 0);
  return NULL;
}

static void limits(clockid_t clock) {
  pthread_condattr_t attr;
  pthread_cond_t cond;
  struct timespec at, now;
  EQUAL(pthread_condattr_init(&attr), 0);
  EQUAL(pthread_condattr_setclock(&attr, clock), 0);
  EQUAL(pthread_cond_init(&cond, &attr), 0);
  EQUAL(pthread_mutex_lock(&mutex), 0);
  EQUAL(clock_gettime(clock, &at), 0);
  EQUAL(pthread_cond_timedwait(&cond, &mutex, &at), ETIMEDOUT); /* over */
  at.tv_nsec += 300000;
  at.tv_sec += at.tv_nsec / 1000000000;
  at.tv_nsec %= 1000000000;
  EQUAL(pthread_cond_timedwait(&cond, &mutex, &at), ETIMEDOUT);
  EQUAL(clock_gettime(clock, &now), 0);
  CHECK(now.tv_sec > at.tv_sec || (now.tv_sec == at.tv_sec && now.tv_nsec >= at.tv_nsec));
  at.tv_nsec = 1000000000;
  EQUAL(pthread_cond_timedwait(&cond, &mutex, &at), EINVAL);
  at.tv_nsec = -1;
  EQUAL(pthread_cond_timedwait(&cond, &mutex, &at), EINVAL);
  EQUAL(pthread_mutex_unlock(&mutex), 0);
  at.tv_nsec = 0;
  EQUAL(pthread_cond_timedwait(&cond, &mutex, &at), EPERM);
  waiting = 0;
  pthread_t thread = spawn(PTHREAD_PRIORITY_DEFAULT_NP + 1, wait_once, &cond);
  while (!waiting) sched_yield();
  EQUAL(pthread_mutex_lock(&mutex), 0);
  EQUAL(pthread_cond_signal(&cond), 0);
  EQUAL(pthread_mutex_unlock(&mutex), 0);
  EQUAL(pthread_join(thread, NULL), 0);
  EQUAL(pthread_cond_destroy(&cond), 0);
}

static void use(int in_memory) {
  pthread_t threads[4];
  not_full = not_empty = turn = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
  sum[0] = sum[1] = 0;
  for (int i = 0; i < 2; i++) {
    EQUAL(pthread_create(&threads[i], NULL, produce, (void *)(intptr_t)i), 0);
    EQUAL(pthread_create(&threads[2 + i], NULL, consume, (void *)(intptr_t)i), 0);
  }
  for (int i = 0; i < 4; i++) EQUAL(pthread_join(threads[i], NULL), 0);
  EQUAL(sum[0] + sum[1], ITEMS * (ITEMS - 1) / 2);
  EQUAL(count, 0);

  /* one at a time: by priority, then in order */
  let_wait(threads);
  EQUAL(pthread_cond_destroy(&turn), EBUSY);
  for (int i = 0; i < 4; i++) {
    EQUAL(pthread_mutex_lock(&mutex), 0);
    go++;
    EQUAL(pthread_cond_signal(&turn), 0);
    EQUAL(pthread_mutex_unlock(&mutex), 0);
    while (ordered <= i) sched_yield();
  }
  in_order(threads);
  /* all at once; they then want the mutex, which serves them in the same order */
  let_wait(threads);
  EQUAL(pthread_mutex_lock(&mutex), 0);
  go = 4;
  EQUAL(pthread_cond_broadcast(&turn), 0);
  waste(3000);
  EQUAL(ordered, 0); /* not before the mutex is free */
  EQUAL(pthread_mutex_unlock(&mutex), 0);
  in_order(threads);

  /* a signal that nobody waits for is gone */
  pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
  pthread_condattr_t attr;
  int shared = -1;
  uint32_t number = ~0u;
  EQUAL(pthread_cond_signal(&cond), 0);
  EQUAL(pthread_cond_broadcast(&cond), 0);
  EQUAL(pthread_cond_destroy(&cond), 0);
  EQUAL(pthread_condattr_init(&attr), 0);
  EQUAL(pthread_condattr_getpshared(&attr, &shared), 0);
  EQUAL(shared, PTHREAD_PROCESS_PRIVATE);
  EQUAL(pthread_condattr_setpshared(&attr, 5), EINVAL);
  EQUAL(pthread_condattr_setpshared(&attr, PTHREAD_PROCESS_SHARED), 0);
  EQUAL(pthread_condattr_getpshared(&attr, &shared), 0);
  EQUAL(shared, PTHREAD_PROCESS_SHARED);
  clockid_t clock = 0;
  EQUAL(pthread_condattr_getclock(&attr, &clock), 0);
  EQUAL(clock, CLOCK_REALTIME);
  EQUAL(pthread_condattr_setclock(&attr, CLOCK_MONOTONIC), 0);
  EQUAL(pthread_condattr_getclock(&attr, &clock), 0);
  EQUAL(clock, CLOCK_MONOTONIC);
  EQUAL(pthread_condattr_setclock(&attr, CLOCK_PROCESS_CPUTIME_ID), EINVAL);
  EQUAL(pthread_cond_init(&cond, &attr), 0);
  EQUAL(pthread_condattr_destroy(&attr), 0);
  EQUAL(pthread_condattr_destroy(&attr), EINVAL);
  EQUAL(pthread_condattr_getclock(&attr, &clock), EINVAL);
  EQUAL(pthread_condattr_setclock(&attr, CLOCK_REALTIME), EINVAL);
  EQUAL(pthread_cond_getnumber_np(&cond, &number), in_memory ? EINVAL : 0);
  if (!in_memory) CHECK(number < CL_CONDITIONS);
  EQUAL(pthread_cond_signal(&cond), 0);
  /* wrong uses change nothing */
  EQUAL(pthread_cond_wait(&cond, &mutex), EPERM); /* not locked */
  EQUAL(pthread_mutex_trylock(&mutex), 0);
  EQUAL(pthread_mutex_unlock(&mutex), 0);
  pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;
  EQUAL(pthread_cond_wait(&cond, &fresh), EPERM);
  EQUAL(pthread_cond_destroy(&cond), 0);
  EQUAL(pthread_cond_destroy(&cond), EINVAL);
  EQUAL(pthread_cond_signal(&cond), EINVAL);
  EQUAL(pthread_cond_broadcast(&cond), EINVAL);
  EQUAL(pthread_cond_getnumber_np(&cond, &number), EINVAL);
  EQUAL(pthread_mutex_lock(&mutex), 0);
  EQUAL(pthread_cond_wait(&cond, &mutex), EINVAL);
  EQUAL(pthread_mutex_unlock(&mutex), 0); /* is still held */
  EQUAL(pthread_cond_destroy(&turn), 0);
  EQUAL(pthread_cond_destroy(&not_full), 0);
  EQUAL(pthread_cond_destroy(&not_empty), 0);
  limits(CLOCK_REALTIME);
  limits(CLOCK_MONOTONIC);
}

int main(void) {
  static pthread_cond_t many[CL_CONDITIONS];
  use(0);
  /* the kernel has no more */
  for (int i = 0; i < CL_CONDITIONS; i++) EQUAL(pthread_cond_init(&many[i], NULL), 0);
  use(1);
  for (int i = 0; i < CL_CONDITIONS; i++) EQUAL(pthread_cond_destroy(&many[i]), 0);
  return finish();
}
