/* SPDX-License-Identifier: Apache-2.0
 *
 * Queues in memory (memory/wait.h): their order, limits, cancelling, and a semaphore made of one, used by many. */
#include "check.h"

#include "cancel.h"
#include "wait.h"

#define THREADS 6
#define ROUNDS 40

static struct cl_queue queue;
static volatile pthread_t nobody = CL_THREADS;
static volatile int waiting, order[4], ordered;

static int park(struct cl_queue *where, struct cl_waiter *me, uint64_t at) {
  cl_backend_lock();
  return cl_queue_wait(where, me, at);
}

static void *queue_up(void *number) {
  struct cl_waiter me = {.data = number};
  cl_backend_lock();
  waiting++;
  EQUAL(cl_queue_wait(&queue, &me, CL_NEVER), 0);
  order[ordered++] = (int)(intptr_t)number;
  return NULL;
}

static void let_queue_up(pthread_t *threads) {
  static const int more[4] = {1, 3, 2, 3};
  waiting = ordered = 0;
  for (int i = 0; i < 4; i++) {
    threads[i] = spawn(PTHREAD_PRIORITY_DEFAULT_NP + more[i], queue_up, (void *)(intptr_t)i);
    while (waiting <= i) sched_yield();
  }
}

/* Each runs at once, as it is more urgent and on this CPU. */
static void wake_all(const char *expected) {
  for (int i = 0; i < 4; i++) {
    cl_backend_lock();
    struct cl_waiter *woken = cl_queue_wake(&queue);
    EQUAL((intptr_t)woken->data, expected[i] - '0');
    cl_backend_unlock();
    while (ordered <= i) sched_yield();
    EQUAL(order[i], expected[i] - '0');
  }
  cl_backend_lock();
  struct cl_waiter *none = cl_queue_wake(&queue);
  cl_backend_unlock();
  CHECK(!none);
}

static void *wait_for_cancel(void *how) {
  struct cl_waiter me = {.ends = &cl_wait_point};
  cl_backend_lock();
  waiting = 1;
  EQUAL(cl_queue_wait(&queue, &me, how ? cl_now() + 100000000 : CL_NEVER), ECANCELED);
  return NULL;
}

/* A semaphore. */
static struct cl_queue units;
static int count, inside, most;

static void *use(void *seed) {
  uint32_t random = (uint32_t)(uintptr_t)seed;
  for (int i = 0; i < ROUNDS; i++) {
    int got = 0;
    random = random * 1664525 + 1013904223;
    cl_backend_lock();
    if (count) {
      count--;
      cl_backend_unlock();
    } else {
      struct cl_waiter me = {0};
      got = cl_queue_wait(&units, &me, random >> 31 ? cl_now() + (random >> 20) : CL_NEVER);
    }
    if (got) {
      EQUAL(got, ETIMEDOUT);
      continue;
    }
    cl_backend_lock();
    if (++inside > most) most = inside;
    cl_backend_unlock();
    waste(random >> 22);
    cl_backend_lock();
    inside--;
    if (!cl_queue_wake(&units)) count++;
    cl_backend_unlock();
  }
  return NULL;
}

int main(void) {
  pthread_t threads[THREADS];
  let_queue_up(threads);
  wake_all("1320");
  for (int i = 0; i < 4; i++) EQUAL(pthread_join(threads[i], NULL), 0);
  let_queue_up(threads);
  cl_backend_lock();
  struct cl_waiter *last = cl_queue_waiter(threads[0]);
  CHECK(last && last->thread == threads[0]);
  cl_queue_reorder(last, PTHREAD_PRIORITY_DEFAULT_NP + 2);
  CHECK(!cl_queue_waiter(pthread_self()));
  cl_backend_unlock();
  wake_all("1320");
  for (int i = 0; i < 4; i++) EQUAL(pthread_join(threads[i], NULL), 0);

  /* limits: never early; one that is over does not wait */
  struct cl_waiter me = {0};
  for (uint32_t limit = 0; limit < 3000; limit = limit * 2 + 1) {
    uint64_t at = cl_now() + limit;
    EQUAL(park(&queue, &me, at), ETIMEDOUT);
    CHECK(cl_now() >= at);
    CHECK(!queue.first);
  }
  EQUAL(park(&queue, &me, 0), ETIMEDOUT);

  /* cancelled while it waits, with and without a limit, and before */
  for (int limited = 0; limited < 2; limited++) {
    waiting = 0;
    threads[0] = spawn(PTHREAD_PRIORITY_DEFAULT_NP + 1, wait_for_cancel, (void *)(intptr_t)limited);
    while (!waiting) sched_yield();
    cl_backend_lock();
    cl_cancels[threads[0]].now = CL_NOW_CANCEL;
    cl_queue_look(threads[0]);
    cl_backend_unlock();
    EQUAL(pthread_join(threads[0], NULL), 0);
    cl_cancels[threads[0]].now = 0;
  }
  cl_cancel_mine()->now = CL_NOW_CANCEL;
  wait_for_cancel(NULL);
  cl_cancel_mine()->now = 0;
  EQUAL(pthread_cancel(nobody), ESRCH); /* so that there is cancellation */
  CHECK(!queue.first);

  count = 2;
  for (int i = 0; i < THREADS; i++) {
    pthread_attr_t attr;
    EQUAL(pthread_create(&threads[i], attributes(&attr, PTHREAD_PRIORITY_DEFAULT_NP + i % 3, -1), use,
                         (void *)(intptr_t)(i * 77 + 1)),
          0);
  }
  for (int i = 0; i < THREADS; i++) EQUAL(pthread_join(threads[i], NULL), 0);
  EQUAL(count, 2);
  EQUAL(inside, 0);
  EQUAL(most, 2);
  CHECK(!units.first);
  return finish();
}
