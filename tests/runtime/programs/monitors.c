/* SPDX-License-Identifier: Apache-2.0
 *
 * Waits for conditions, which are one operation of a kernel with the service monitors: what they promise, whether the
 * kernel has the objects or not. ORDERED: waiters for a mutex get it by priority. TURNS: instead, prints the cycles of a
 * round of two threads that take turns. */

#ifndef ORDERED
#define ORDERED 0
#endif

#include "check.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

#ifdef TURNS
enum { ROUNDS = 40 };
static pthread_cond_t turns[2] = {PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER};
static int turn;
static uint32_t stamps[ROUNDS];

/* The mutex is locked for each turn. */
static void *lock_each(void *argument) {
  int me = (int)(long)argument;
  for (int i = 0; i < ROUNDS; i++) {
    pthread_mutex_lock(&mutex);
    while (turn != me) pthread_cond_wait(&turns[me], &mutex);
    if (!me) stamps[i] = cl_cycle();
    turn = !me;
    pthread_cond_signal(&turns[!me]);
    pthread_mutex_unlock(&mutex);
  }
  return NULL;
}

/* It is held but while waiting. */
static void *hold(void *argument) {
  int me = (int)(long)argument;
  pthread_mutex_lock(&mutex);
  for (int i = 0; i < ROUNDS; i++) {
    while (turn != me) pthread_cond_wait(&turns[me], &mutex);
    if (!me) stamps[i] = cl_cycle();
    turn = !me;
    pthread_cond_signal(&turns[!me]);
  }
  pthread_mutex_unlock(&mutex);
  return NULL;
}

/* One asks and waits for the answer. */
static void *ask(void *argument) {
  int me = (int)(long)argument;
  for (int i = 0; i < ROUNDS; i++) {
    pthread_mutex_lock(&mutex);
    if (me) {
      while (!turn) pthread_cond_wait(&turns[1], &mutex);
    } else {
      stamps[i] = cl_cycle();
    }
    turn = !me;
    pthread_cond_signal(&turns[!me]);
    while (!me && turn) pthread_cond_wait(&turns[0], &mutex);
    pthread_mutex_unlock(&mutex);
  }
  return NULL;
}

static void take_turns(const char *what, void *(*body)(void *)) {
  pthread_t thread;
  turn = 0;
  EQUAL(pthread_create(&thread, NULL, body, (void *)1L), 0);
  body(NULL);
  EQUAL(pthread_join(thread, NULL), 0);
  uint32_t took = stamps[ROUNDS / 2 + 1] - stamps[ROUNDS / 2];
  for (int i = ROUNDS / 2; i < ROUNDS - 1; i++) EQUAL(stamps[i + 1] - stamps[i], took);
  printf("%s: %u\n", what, (unsigned)took);
}

int main(void) {
  take_turns("locked for each turn", lock_each);
  take_turns("held", hold);
  take_turns("asked", ask);
  return finish();
}

#else
enum { THREADS = 4, WORK = 50 };

/* --- A buffer of one word, any number of senders and receivers --- */

static pthread_cond_t filled = PTHREAD_COND_INITIALIZER, emptied = PTHREAD_COND_INITIALIZER;
static volatile int word, is_full, inside;

static void *sends(void *mutex) {
  for (int i = 1; i <= WORK; i++) {
    EQUAL(pthread_mutex_lock(mutex), 0);
    while (is_full) {
      EQUAL(pthread_cond_wait(&emptied, mutex), 0);
      EQUAL(inside++, 0); /* nobody else has the mutex */
      inside--;
    }
    word = i, is_full = 1;
    EQUAL(pthread_cond_signal(&filled), 0);
    EQUAL(pthread_mutex_unlock(mutex), 0);
  }
  return NULL;
}

static void *receives(void *mutex) {
  long sum = 0;
  for (int i = 1; i <= WORK; i++) {
    EQUAL(pthread_mutex_lock(mutex), 0);
    while (!is_full) {
      EQUAL(pthread_cond_wait(&filled, mutex), 0);
      EQUAL(inside++, 0);
      waste(30);
      inside--;
    }
    sum += word, is_full = 0;
    EQUAL(pthread_cond_broadcast(&emptied), 0);
    EQUAL(pthread_mutex_unlock(mutex), 0);
  }
  return (void *)sum;
}

static void pass_words(pthread_mutex_t *mutex) {
  pthread_t threads[THREADS];
  long sum = 0;
  for (int i = 0; i < THREADS; i++) EQUAL(pthread_create(&threads[i], NULL, i & 1 ? receives : sends, mutex), 0);
  for (int i = 0; i < THREADS; i++) {
    void *value;
    EQUAL(pthread_join(threads[i], &value), 0);
    sum += (long)value;
  }
  EQUAL(sum, THREADS / 2 * WORK * (WORK + 1) / 2);
}

/* --- A broadcast: all have the mutex, one after the other, by priority --- */

static pthread_cond_t gate = PTHREAD_COND_INITIALIZER;
static volatile int waiting, is_open, order[THREADS], passed;

static void *passes(void *argument) {
  EQUAL(pthread_mutex_lock(&mutex), 0);
  waiting++;
  while (!is_open) EQUAL(pthread_cond_wait(&gate, &mutex), 0);
  int place = passed;
  order[place] = (int)(long)argument;
  waste(100);
  EQUAL(passed, place);
  passed = place + 1;
  EQUAL(pthread_mutex_unlock(&mutex), 0);
  return NULL;
}

static void open_gate(void) {
  static const int priorities[THREADS] = {20, 23, 21, 22};
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; i++) threads[i] = spawn(priorities[i], passes, (void *)(long)priorities[i]);
  for (;;) {
    EQUAL(pthread_mutex_lock(&mutex), 0);
    if (waiting == THREADS) break;
    EQUAL(pthread_mutex_unlock(&mutex), 0);
  }
  is_open = 1;
  EQUAL(pthread_cond_broadcast(&gate), 0);
  waste(300);
  EQUAL(passed, 0);
  EQUAL(pthread_mutex_unlock(&mutex), 0);
  for (int i = 0; i < THREADS; i++) EQUAL(pthread_join(threads[i], NULL), 0);
  if (ORDERED)
    for (int i = 0; i < THREADS; i++) EQUAL(order[i], 23 - i);
}

int main(void) {
  pass_words(&mutex);
  pthread_mutexattr_t attr; /* one that the kernel does not have */
  pthread_mutex_t recursive;
  EQUAL(pthread_mutexattr_init(&attr), 0);
  EQUAL(pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE), 0);
  EQUAL(pthread_mutex_init(&recursive, &attr), 0);
  pass_words(&recursive);
  open_gate();
  EQUAL(pthread_cond_wait(&gate, &mutex), EPERM); /* it is not locked */
  EQUAL(pthread_mutex_lock(&mutex), 0);
  TOO_LATE(pthread_cond_timedwait_np(&gate, &mutex, 1000), 1000);
  EQUAL(pthread_mutex_trylock(&mutex), EBUSY);
  EQUAL(pthread_mutex_unlock(&mutex), 0);
  EQUAL(pthread_cond_destroy(&gate), 0);
  EQUAL(pthread_mutex_destroy(&mutex), 0);
  return finish();
}
#endif
