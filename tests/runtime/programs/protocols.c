/* SPDX-License-Identifier: Apache-2.0
 *
 * The priorities that threads have by the protocols of mutexes, robust ones among them. */
#include "check.h"

#include "wait.h"

#define BASE PTHREAD_PRIORITY_DEFAULT_NP

static pthread_mutex_t a, b;

static void make(pthread_mutex_t *mutex, int type, int protocol, int robust) {
  pthread_mutexattr_t attr;
  EQUAL(pthread_mutexattr_init(&attr), 0);
  EQUAL(pthread_mutexattr_settype(&attr, type), 0);
  EQUAL(pthread_mutexattr_setprotocol(&attr, protocol), 0);
  EQUAL(pthread_mutexattr_setprioceiling(&attr, BASE + 5), 0);
  EQUAL(pthread_mutexattr_setrobust(&attr, robust), 0);
  EQUAL(pthread_mutex_init(mutex, &attr), 0);
  EQUAL(pthread_mutexattr_destroy(&attr), 0);
}

/* The priority that a thread has now, above BASE, and its own. */
static int now(pthread_t thread) {
  cl_backend_lock();
  int priority = (int)cl_priority_now(thread);
  cl_backend_unlock();
  return priority - BASE;
}

static int own(pthread_t thread) {
  int policy;
  struct sched_param param = {-1};
  EQUAL(pthread_getschedparam(thread, &policy, &param), 0);
  return param.sched_priority - BASE;
}

/* Until the thread waits. */
static void queued(pthread_t thread) {
  do sched_yield();
  while ((cl_op_thread_read(thread) & CL_THREAD_WORD_STATE_MASK) != CL_STATE_BLOCKED);
}

/* Main, of BASE, has a and b; others come. */
static void *want_a(void *unused) {
  (void)unused;
  EQUAL(pthread_mutex_lock(&a), 0);
  EQUAL(pthread_mutex_unlock(&a), 0);
  return NULL;
}

static void *have_b_want_a(void *unused) {
  EQUAL(pthread_mutex_lock(&b), 0);
  want_a(unused);
  EQUAL(pthread_mutex_unlock(&b), 0);
  return NULL;
}

static void *want_b_a_while(void *unused) {
  (void)unused;
  EQUAL(pthread_mutex_timedlock_np(&b, 60000), ETIMEDOUT);
  return NULL;
}

static void inheritance(void) {
  pthread_t self = pthread_self();
  make(&a, PTHREAD_MUTEX_DEFAULT, PTHREAD_PRIO_INHERIT, PTHREAD_MUTEX_STALLED);
  make(&b, PTHREAD_MUTEX_RECURSIVE, PTHREAD_PRIO_INHERIT, PTHREAD_MUTEX_STALLED);
  EQUAL(pthread_mutex_lock(&a), 0);
  EQUAL(now(self), 0);
  pthread_t low = spawn(BASE + 2, have_b_want_a, NULL);
  queued(low);
  EQUAL(now(self), 2);
  EQUAL(own(self), 0);
  /* along both mutexes, and back when the limit is over */
  pthread_t high = spawn(BASE + 4, want_b_a_while, NULL);
  queued(high);
  EQUAL(now(low), 4);
  EQUAL(own(low), 2);
  EQUAL(now(self), 4);
  EQUAL(pthread_join(high, NULL), 0);
  EQUAL(now(low), 2);
  EQUAL(now(self), 2);
  /* own priorities change meanwhile */
  EQUAL(pthread_setschedprio(low, BASE + 3), 0);
  EQUAL(now(self), 3);
  EQUAL(pthread_setschedprio(self, BASE + 1), 0);
  EQUAL(own(self), 1);
  EQUAL(now(self), 3);
  EQUAL(pthread_setschedprio(self, BASE + 6), 0);
  EQUAL(now(self), 6);
  EQUAL(pthread_setschedprio(self, BASE), 0);
  EQUAL(pthread_setschedprio(self, 999), EINVAL);
  EQUAL(now(self), 3);
  /* of several waiters the best, who gets it first and inherits nothing from the other */
  high = spawn(BASE + 5, want_a, NULL);
  queued(high);
  EQUAL(now(self), 5);
  EQUAL(pthread_mutex_unlock(&a), 0);
  EQUAL(now(self), 0);
  EQUAL(pthread_join(high, NULL), 0);
  EQUAL(pthread_join(low, NULL), 0);
  EQUAL(pthread_mutex_destroy(&a), 0);
  EQUAL(pthread_mutex_destroy(&b), 0);
}

static void *want_above(void *unused) {
  (void)unused;
  int ceiling = -1;
  EQUAL(pthread_mutex_lock(&a), EINVAL);
  EQUAL(pthread_mutex_trylock(&a), EINVAL);
  EQUAL(pthread_mutex_getprioceiling(&a, &ceiling), 0);
  EQUAL(ceiling, BASE + 5);
  EQUAL(pthread_mutex_setprioceiling(&a, BASE + 8, &ceiling), 0);
  EQUAL(ceiling, BASE + 5);
  EQUAL(pthread_mutex_lock(&a), 0);
  EQUAL(now(pthread_self()), 8);
  EQUAL(pthread_mutex_setprioceiling(&a, BASE + 9, NULL), EDEADLK);
  EQUAL(pthread_mutex_unlock(&a), 0);
  EQUAL(now(pthread_self()), 7);
  return NULL;
}

static void *lower_ceiling(void *unused) {
  EQUAL(pthread_mutex_setprioceiling(&a, BASE + 5, NULL), 0);
  EQUAL(pthread_mutex_lock(&a), EINVAL);
  return unused;
}

static void ceilings(void) {
  pthread_t self = pthread_self();
  int ceiling;
  make(&a, PTHREAD_MUTEX_DEFAULT, PTHREAD_PRIO_PROTECT, PTHREAD_MUTEX_STALLED);
  make(&b, PTHREAD_MUTEX_DEFAULT, PTHREAD_PRIO_INHERIT, PTHREAD_MUTEX_STALLED);
  EQUAL(pthread_mutex_lock(&a), 0);
  EQUAL(now(self), 5);
  EQUAL(own(self), 0);
  EQUAL(pthread_mutex_lock(&b), 0);
  EQUAL(pthread_mutex_unlock(&a), 0);
  EQUAL(now(self), 0);
  EQUAL(pthread_mutex_getprioceiling(&b, &ceiling), EINVAL);
  EQUAL(pthread_mutex_setprioceiling(&b, BASE, &ceiling), EINVAL);
  EQUAL(pthread_mutex_setprioceiling(&a, -1, &ceiling), EINVAL);
  EQUAL(pthread_mutex_unlock(&b), 0);
  EQUAL(pthread_join(spawn(BASE + 7, want_above, NULL), NULL), 0);
  /* one above the ceiling keeps its priority while it waits */
  EQUAL(pthread_mutex_setprioceiling(&a, BASE + 6, NULL), 0);
  EQUAL(pthread_mutex_lock(&a), 0);
  pthread_t above = spawn(BASE + 7, lower_ceiling, NULL);
  queued(above);
  EQUAL(now(above), 7);
  EQUAL(pthread_mutex_unlock(&a), 0);
  EQUAL(pthread_join(above, NULL), 0);
  EQUAL(pthread_mutex_getprioceiling(&a, &ceiling), 0);
  EQUAL(ceiling, BASE + 5);
  EQUAL(pthread_mutex_destroy(&a), 0);
  EQUAL(pthread_mutex_destroy(&b), 0);
}

static sem_t end;

static void *lock_and_end(void *mutex) {
  EQUAL(pthread_mutex_lock(mutex), 0);
  EQUAL(sem_wait(&end), 0);
  return NULL;
}

static void *inherit_from_dead(void *repairs) {
  EQUAL(pthread_mutex_lock(&a), EOWNERDEAD);
  if (repairs) EQUAL(pthread_mutex_consistent(&a), 0);
  EQUAL(pthread_mutex_consistent(&a), repairs ? EINVAL : 0);
  if (!repairs) a.robust = 2; /* as if it had not been called */
  EQUAL(pthread_mutex_unlock(&a), 0);
  return NULL;
}

static void *want(void *status) {
  EQUAL(pthread_mutex_lock(&a), (intptr_t)status);
  if (!status) EQUAL(pthread_mutex_unlock(&a), 0);
  return NULL;
}

static void robust(void) {
  EQUAL(sem_init(&end, 0, 0), 0);
  for (int repairs = 0; repairs < 2; repairs++) {
    make(&a, PTHREAD_MUTEX_DEFAULT, repairs ? PTHREAD_PRIO_INHERIT : PTHREAD_PRIO_NONE, PTHREAD_MUTEX_ROBUST);
    pthread_t owner = spawn(BASE + 1, lock_and_end, &a), next, last;
    while (!a.owner_plus_1) sched_yield();
    next = spawn(BASE + 2, inherit_from_dead, (void *)(intptr_t)repairs);
    queued(next);
    last = spawn(BASE + 1, want, (void *)(intptr_t)(repairs ? 0 : ENOTRECOVERABLE));
    queued(last);
    EQUAL(now(owner), repairs ? 2 : 1);
    EQUAL(sem_post(&end), 0);
    EQUAL(pthread_join(owner, NULL), 0);
    EQUAL(pthread_join(next, NULL), 0);
    EQUAL(pthread_join(last, NULL), 0);
    EQUAL(pthread_mutex_trylock(&a), repairs ? 0 : ENOTRECOVERABLE);
    EQUAL(pthread_mutex_unlock(&a), repairs ? 0 : EPERM);
    EQUAL(pthread_mutex_destroy(&a), 0);
  }
}

int main(void) {
  inheritance();
  ceilings();
  robust();
  return finish();
}
