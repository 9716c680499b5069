/* SPDX-License-Identifier: Apache-2.0
 *
 * A program as one writes it for hthreads: a producer and consumers with a mutex and a condition variable, priorities,
 * joins and their errors, recursive mutexes, an interrupt thread, a hardware thread's attribute. */
#include <hthread.h>
#include <stdio.h>

#include "check.h"

#define JOBS 60
#define WORKERS 5

typedef struct {
  hthread_mutex_t *mutex;
  hthread_cond_t *notempty;
  Hint jobs, finished;
  Hbool closed;
} queue_t;

static void *worker(void *arg) {
  queue_t *queue = (queue_t *)arg;
  Huint done = 0;
  while (1) {
    hthread_mutex_lock(queue->mutex);
    while (queue->jobs == 0 && !queue->closed) hthread_cond_wait(queue->notempty, queue->mutex);
    if (queue->jobs == 0) break;
    queue->jobs--;
    queue->finished++;
    done++;
    hthread_mutex_unlock(queue->mutex);
    hthread_yield();
  }
  hthread_mutex_unlock(queue->mutex);
  hthread_exit((void *)(uintptr_t)done);
}

static void *seven(void *arg) { return (char *)arg + 7; }

static hthread_t child_of_main;
static hthread_mutex_t recursive;
static volatile Hint entered;

/* Joins somebody else's child, itself, and a thread that is detached. */
static void *stranger(void *arg) {
  hthread_t mine;
  hthread_attr_t attr;
  (void)arg;
  EQUAL(hthread_join(child_of_main, NULL), ECHILD);
  EQUAL(hthread_join(hthread_self(), NULL), EDEADLK);
  EQUAL(hthread_join(0, NULL), ECHILD);
  hthread_attr_init(&attr);
  struct sched_param low = {126};
  EQUAL(hthread_attr_setschedparam(&attr, &low), SUCCESS);
  EQUAL(hthread_attr_setdetachstate(&attr, HTHREAD_CREATE_DETACHED), SUCCESS);
  EQUAL(hthread_create(&mine, &attr, seven, NULL), SUCCESS);
  Hint status = hthread_join(mine, NULL);
  CHECK(status == EINVAL || status == ESRCH); /* ESRCH: another CPU was quick */
  return NULL;
}

static void *locks_twice(void *arg) {
  (void)arg;
  EQUAL(hthread_mutex_lock(&recursive), SUCCESS);
  EQUAL(hthread_mutex_lock(&recursive), SUCCESS);
  EQUAL(hthread_mutex_trylock(&recursive), SUCCESS);
  entered++;
  for (Hint i = 0; i < 3; i++) EQUAL(hthread_mutex_unlock(&recursive), SUCCESS);
  EQUAL(hthread_mutex_unlock(&recursive), EPERM);
  return NULL;
}

static volatile Hint interrupts;

static void *service(void *arg) {
  for (Hint i = 0; i < 3; i++) {
    EQUAL(hthread_intrassoc((Huint)(uintptr_t)arg), SUCCESS);
    interrupts++;
  }
  return NULL;
}

int main(void) {
  hthread_t threads[WORKERS];
  hthread_attr_t attr;
  struct sched_param param;
  Hint number, policy;
  void *result;

  hthread_mutex_t mutex;
  hthread_mutexattr_t mutexattr;
  hthread_cond_t notempty = HTHREAD_COND_INITIALIZER;
  hthread_mutexattr_init(&mutexattr);
  EQUAL(hthread_mutexattr_setnum(&mutexattr, 3), SUCCESS);
  EQUAL(hthread_mutexattr_setnum(&mutexattr, HT_SEM_MAXNUM + 1), EINVAL);
  EQUAL(hthread_mutexattr_settype(&mutexattr, 3), EINVAL);
  EQUAL(hthread_mutexattr_setprotocol(&mutexattr, 1), ENOTSUP);
  EQUAL(hthread_mutex_init(&mutex, &mutexattr), SUCCESS);
  EQUAL(hthread_mutex_getnum(&mutex), 3);

  queue_t queue = {&mutex, &notempty, 0, 0, Hfalse};
  for (Hint i = 0; i < WORKERS; i++) EQUAL(hthread_create(&threads[i], NULL, worker, &queue), SUCCESS);
  for (Hint i = 0; i < JOBS; i++) {
    hthread_mutex_lock(&mutex);
    queue.jobs++;
    hthread_cond_signal(&notempty);
    hthread_mutex_unlock(&mutex);
  }
  hthread_mutex_lock(&mutex);
  queue.closed = Htrue;
  hthread_cond_broadcast(&notempty);
  hthread_mutex_unlock(&mutex);
  Huint done = 0;
  for (Hint i = 0; i < WORKERS; i++) {
    EQUAL(hthread_join(threads[i], &result), SUCCESS);
    done += (Huint)(uintptr_t)result;
  }
  EQUAL(done, JOBS);
  EQUAL(queue.finished, JOBS);
  EQUAL(hthread_join(threads[0], NULL), ESRCH);
  EQUAL(hthread_detach(threads[0]), ESRCH);
  printf("jobs %u\n", done);

  /* joins by a thread that is not the parent */
  EQUAL(hthread_create(&child_of_main, NULL, seven, (void *)35), SUCCESS);
  EQUAL(hthread_create(&threads[0], NULL, stranger, NULL), SUCCESS);
  EQUAL(hthread_join(threads[0], NULL), SUCCESS);
  EQUAL(hthread_join(child_of_main, &result), SUCCESS); /* which has ended already */
  printf("result %d\n", (int)(intptr_t)result);

  /* attributes and priorities */
  hthread_attr_init(&attr);
  EQUAL(hthread_attr_getdetachstate(&attr, &number), SUCCESS);
  EQUAL(number, HTHREAD_CREATE_JOINABLE);
  EQUAL(hthread_attr_setdetachstate(&attr, 0), EINVAL);
  EQUAL(hthread_attr_setstacksize(&attr, 1), EINVAL);
  EQUAL(hthread_attr_setscope(&attr, 1), ENOTSUP);
  param.sched_priority = 128;
  EQUAL(hthread_attr_setschedparam(&attr, &param), EINVAL);
  param.sched_priority = 124;
  EQUAL(hthread_attr_setschedparam(&attr, &param), SUCCESS);
  EQUAL(hthread_create(NULL, &attr, seven, NULL), EINVAL);
  EQUAL(hthread_create(&threads[0], &attr, NULL, NULL), EINVAL);
  EQUAL(hthread_create(&threads[0], &attr, seven, NULL), SUCCESS);
  EQUAL(hthread_getschedparam(threads[0], &policy, &param), SUCCESS);
  EQUAL(policy, SCHED_OTHER);
  EQUAL(param.sched_priority, 124);
  param.sched_priority = -1;
  EQUAL(hthread_setschedparam(threads[0], SCHED_OTHER, &param), EINVAL);
  EQUAL(hthread_join(threads[0], NULL), SUCCESS);
  EQUAL(hthread_getschedparam(threads[0], NULL, &param), ESRCH);
  EQUAL(hthread_equal(hthread_self(), 0), 1);

  /* a recursive mutex, and one that is not */
  EQUAL(hthread_mutexattr_settype(&mutexattr, HTHREAD_MUTEX_RECURSIVE_NP), SUCCESS);
  EQUAL(hthread_mutex_init(&recursive, &mutexattr), SUCCESS);
  for (Hint i = 0; i < 3; i++) EQUAL(hthread_create(&threads[i], NULL, locks_twice, NULL), SUCCESS);
  for (Hint i = 0; i < 3; i++) EQUAL(hthread_join(threads[i], NULL), SUCCESS);
  EQUAL(entered, 3);
  EQUAL(hthread_mutex_destroy(&recursive), SUCCESS);
  EQUAL(hthread_mutex_lock(&mutex), SUCCESS);
  EQUAL(hthread_mutex_lock(&mutex), EDEADLK);
  EQUAL(hthread_mutex_trylock(&mutex), EBUSY);
  EQUAL(hthread_mutex_destroy(&mutex), EBUSY);
  EQUAL(hthread_mutex_unlock(&mutex), SUCCESS);
  EQUAL(hthread_cond_wait(&notempty, &mutex), EPERM);
  EQUAL(hthread_mutex_destroy(&mutex), SUCCESS);
  EQUAL(hthread_cond_destroy(&notempty), SUCCESS);

  /* an interrupt service thread, more urgent than main */
  param.sched_priority = 0;
  hthread_attr_setschedparam(&attr, &param);
  EQUAL(hthread_create(&threads[0], &attr, service, (void *)2), SUCCESS);
  for (Hint i = 1; i <= 3; i++) {
    waste(5000);
    if (i == 2) EQUAL(hthread_intrassoc(2), EBUSY);
    EQUAL(interrupt_raise_np(2), 0);
    waste(5000);
    EQUAL(interrupts, i);
  }
  EQUAL(hthread_join(threads[0], NULL), SUCCESS);
  EQUAL(hthread_intrassoc(CL_LINES), EINVAL);
  printf("interrupts %d\n", interrupts);

  /* where there is no hardware thread, the function runs */
  hthread_attr_init(&attr);
  EQUAL(hthread_attr_sethardware(&attr, HWTI_BASEADDR(hardware_count_np())), ENODEV);
  EQUAL(hthread_attr_sethardware(&attr, NULL), ENODEV);
  EQUAL(hthread_create(&threads[0], &attr, seven, NULL), SUCCESS);
  EQUAL(hthread_join(threads[0], &result), SUCCESS);
  EQUAL(result, 7);
  return finish();
}
