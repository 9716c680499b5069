/* SPDX-License-Identifier: Apache-2.0
 *
 * What mutexes with a protocol cost on one CPU with a warm cache: prints a line for each case, in cycles. */
#include "check.h"

#include "wait.h"

#define BASE PTHREAD_PRIORITY_DEFAULT_NP
#define ROUNDS 3 /* the last counts: code and data are in the caches then */

static pthread_mutex_t mutexes[2];
static uint32_t asked, went_on, gave, returned;

static void make(pthread_mutex_t *mutex, int protocol) {
  pthread_mutexattr_t attr;
  EQUAL(pthread_mutexattr_init(&attr), 0);
  EQUAL(pthread_mutexattr_setprotocol(&attr, protocol), 0);
  EQUAL(pthread_mutexattr_setprioceiling(&attr, BASE + 5), 0);
  EQUAL(pthread_mutex_init(mutex, &attr), 0);
}

static int now(void) {
  cl_backend_lock();
  int priority = (int)cl_priority_now(pthread_self());
  cl_backend_unlock();
  return priority - BASE;
}

static void report(const char *what, uint32_t lock, uint32_t unlock) {
  printf("%s: lock %u, unlock %u\n", what, (unsigned)lock, (unsigned)unlock);
}

static void alone(const char *what, int protocol) {
  uint32_t begin = 0, locked = 0, end = 0;
  make(&mutexes[0], protocol);
  for (int round = 0; round < ROUNDS; round++) {
    begin = cl_cycle();
    pthread_mutex_lock(&mutexes[0]);
    locked = cl_cycle();
    pthread_mutex_unlock(&mutexes[0]);
    end = cl_cycle();
  }
  report(what, locked - begin, end - locked);
  EQUAL(pthread_mutex_destroy(&mutexes[0]), 0);
}

struct worker {
  pthread_mutex_t *has; /* or NULL */
  pthread_mutex_t *wants;
  sem_t go;
};

static void *work(void *argument) {
  struct worker *me = argument;
  for (int round = 0; round < ROUNDS; round++) {
    EQUAL(sem_wait(&me->go), 0);
    if (me->has) pthread_mutex_lock(me->has);
    asked = cl_cycle();
    pthread_mutex_lock(me->wants);
    returned = cl_cycle();
    pthread_mutex_unlock(me->wants);
    if (me->has) pthread_mutex_unlock(me->has);
  }
  return NULL;
}

/* Main has the first mutex, more urgent threads want it, each but the first by way of the one before. From the last
 * one's call until main goes on, as urgent as it; and from main's unlock until that thread has what it wants. */
static void contended(const char *what, int threads) {
  struct worker workers[2] = {{NULL, &mutexes[0], {0}}, {NULL, &mutexes[1], {0}}};
  pthread_t ids[2];
  if (threads == 2) workers[0].has = &mutexes[1];
  for (int n = 0; n < threads; n++) {
    make(&mutexes[n], PTHREAD_PRIO_INHERIT);
    EQUAL(sem_init(&workers[n].go, 0, 0), 0);
    ids[n] = spawn(BASE + 2 + n, work, &workers[n]);
  }
  for (int round = 0; round < ROUNDS; round++) {
    pthread_mutex_lock(&mutexes[0]);
    for (int n = 0; n < threads; n++) sem_post(&workers[n].go);
    went_on = cl_cycle();
    uint32_t lock = went_on - asked;
    EQUAL(now(), 1 + threads);
    gave = cl_cycle();
    pthread_mutex_unlock(&mutexes[0]);
    EQUAL(now(), 0);
    if (round == ROUNDS - 1) report(what, lock, returned - gave);
  }
  for (int n = 0; n < threads; n++) {
    EQUAL(pthread_join(ids[n], NULL), 0);
    EQUAL(pthread_mutex_destroy(&mutexes[n]), 0);
    EQUAL(sem_destroy(&workers[n].go), 0);
  }
}

int main(void) {
  alone("none", PTHREAD_PRIO_NONE);
  alone("inherit", PTHREAD_PRIO_INHERIT);
  alone("protect", PTHREAD_PRIO_PROTECT);
  contended("inherit, one waits", 1);
  contended("inherit, a chain of three", 2);
  return finish();
}
