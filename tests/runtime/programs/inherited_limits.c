/* SPDX-License-Identifier: Apache-2.0
 *
 * A timed wait for a mutex with inheritance ends in time although its owner, as urgent as the waiting thread by that wait,
 * computes on the only CPU; then the owner has its priority without it. */
#include "check.h"

#include "wait.h"

#define BASE PTHREAD_PRIORITY_DEFAULT_NP
#define LIMIT 20000
#define LATE 12000 /* no test of speed: the owner computes for longer */

static pthread_mutex_t mutexes[2];
static volatile int ended;
static volatile uint32_t after;

static int now(void) {
  cl_backend_lock();
  int priority = (int)cl_priority_now(pthread_self());
  cl_backend_unlock();
  return priority - BASE;
}

static void *wait_in_time(void *mutex) {
  const uint32_t begun = cl_cycle();
  EQUAL(pthread_mutex_timedlock_np(mutex, LIMIT), ETIMEDOUT);
  after = cl_cycle() - begun;
  ended = 1;
  return NULL;
}

static void *wait_in_time_of_day(void *mutex) {
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_nsec += (long)(LIMIT * (1000000000ll / CL_CLOCK_HZ));
  for (; until.tv_nsec >= 1000000000; until.tv_nsec -= 1000000000) until.tv_sec++;
  const uint32_t begun = cl_cycle();
  EQUAL(pthread_mutex_timedlock(mutex, &until), ETIMEDOUT);
  after = cl_cycle() - begun;
  ended = 1;
  return NULL;
}

static void *wait_till_free(void *mutex) {
  EQUAL(pthread_mutex_lock(mutex), 0);
  EQUAL(pthread_mutex_unlock(mutex), 0);
  return NULL;
}

/* Has the second mutex and waits for the first. */
static void *hand_on(void *unused) {
  EQUAL(pthread_mutex_lock(&mutexes[1]), 0);
  EQUAL(pthread_mutex_lock(&mutexes[0]), 0);
  EQUAL(pthread_mutex_unlock(&mutexes[0]), 0);
  EQUAL(pthread_mutex_unlock(&mutexes[1]), 0);
  return unused;
}

/* Main has the first mutex and computes until the wait that raises it has ended. */
static void compute(int raised, int then) {
  const uint32_t begun = cl_cycle();
  EQUAL(now(), raised);
  while (!ended && cl_cycle() - begun < 5 * LIMIT) continue;
  EQUAL(ended, 1);
  EQUAL(after >= LIMIT && after < LIMIT + LATE, 1);
  EQUAL(now(), then);
  ended = 0;
}

int main(void) {
  for (int i = 0; i < 2; i++) {
    pthread_mutexattr_t attr;
    EQUAL(pthread_mutexattr_init(&attr), 0);
    EQUAL(pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_INHERIT), 0);
    EQUAL(pthread_mutex_init(&mutexes[i], &attr), 0);
  }
  void *(*const waits[])(void *) = {wait_in_time, wait_in_time_of_day};
  for (int i = 0; i < 2; i++) {
    EQUAL(pthread_mutex_lock(&mutexes[0]), 0);
    pthread_t thread = spawn(BASE + 5, waits[i], &mutexes[0]);
    compute(5, 0);
    EQUAL(pthread_mutex_unlock(&mutexes[0]), 0);
    EQUAL(pthread_join(thread, NULL), 0);
  }
  /* Another one waits on. */
  EQUAL(pthread_mutex_lock(&mutexes[0]), 0);
  pthread_t stays = spawn(BASE + 3, wait_till_free, &mutexes[0]);
  pthread_t leaves = spawn(BASE + 5, wait_in_time, &mutexes[0]);
  compute(5, 3);
  EQUAL(pthread_mutex_unlock(&mutexes[0]), 0);
  EQUAL(pthread_join(stays, NULL), 0);
  EQUAL(pthread_join(leaves, NULL), 0);
  /* By way of a thread between. */
  EQUAL(pthread_mutex_lock(&mutexes[0]), 0);
  stays = spawn(BASE + 2, hand_on, NULL);
  leaves = spawn(BASE + 5, wait_in_time, &mutexes[1]);
  compute(5, 2);
  EQUAL(pthread_mutex_unlock(&mutexes[0]), 0);
  EQUAL(pthread_join(stays, NULL), 0);
  EQUAL(pthread_join(leaves, NULL), 0);
  return finish();
}
