/* SPDX-License-Identifier: Apache-2.0
 *
 * Condition variables: a bounded buffer, the order of waking, broadcast, static initialisers, wrong uses. */
#include "check.h"

#define ITEMS 100
#define SLOTS 3

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER, not_empty = PTHREAD_COND_INITIALIZER;
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

static pthread_cond_t turn = PTHREAD_COND_INITIALIZER;
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

int main(void) {
  pthread_t threads[4];
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
  EQUAL(pthread_condattr_setpshared(&attr, PTHREAD_PROCESS_SHARED), ENOTSUP);
  EQUAL(pthread_condattr_setpshared(&attr, 5), EINVAL);
  EQUAL(pthread_cond_init(&cond, &attr), 0);
  EQUAL(pthread_condattr_destroy(&attr), 0);
  EQUAL(pthread_cond_getnumber_np(&cond, &number), 0);
  CHECK(number < CL_CONDITIONS);
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
  /* there is an end of them */
  static pthread_cond_t many[CL_CONDITIONS + 1];
  int made = 0;
  EQUAL(pthread_cond_destroy(&turn), 0);
  EQUAL(pthread_cond_destroy(&not_full), 0);
  EQUAL(pthread_cond_destroy(&not_empty), 0);
  while (made <= CL_CONDITIONS && pthread_cond_init(&many[made], NULL) == 0) made++;
  EQUAL(made, CL_CONDITIONS);
  EQUAL(pthread_cond_init(&cond, NULL), EAGAIN);
  while (made) EQUAL(pthread_cond_destroy(&many[--made]), 0);
  return finish();
}
