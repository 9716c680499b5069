/* SPDX-License-Identifier: Apache-2.0
 *
 * Threads that may be cancelled at any time. */
#include "conformance.h"

static volatile int begun, reached, cleaned;
static pthread_mutex_t mutex;
static pthread_rwlock_t rwlock;
static pthread_barrier_t barrier;

static void note_cleanup(void *argument) { cleaned = cleaned * 10 + (int)(long)argument; }

/* Wait for what is no cancellation point, and never comes. */
static void *wait_asynchronously(void *what) {
  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
  pthread_cleanup_push(note_cleanup, (void *)1);
  begun = 1;
  switch ((long)what) {
    case 0:
    case 1: pthread_mutex_lock(&mutex); break;
    case 2:
    case 3: pthread_mutex_timedlock(&mutex, &(struct timespec){.tv_sec = INT32_MAX}); break;
    case 4: pthread_rwlock_wrlock(&rwlock); break;
    default: pthread_barrier_wait(&barrier);
  }
  reached = 1;
  pthread_cleanup_pop(0);
  return NULL;
}

TEST(pthread_setcanceltype, asynchronous_waits,
     "asynchronous: a cancellation ends waits that are no cancellation points: for mutexes of two types, with a time "
     "limit or without, a read-write lock, a barrier") {
  pthread_mutexattr_t attr;
  OK(pthread_mutexattr_init(&attr));
  OK(pthread_rwlock_init(&rwlock, NULL));
  OK(pthread_rwlock_rdlock(&rwlock));
  OK(pthread_barrier_init(&barrier, NULL, 2));
  for (long what = 0; what < 6; what++) {
    begun = reached = cleaned = 0;
    OK(pthread_mutexattr_settype(&attr, what % 2 ? PTHREAD_MUTEX_RECURSIVE : PTHREAD_MUTEX_NORMAL));
    OK(pthread_mutex_init(&mutex, &attr));
    OK(pthread_mutex_lock(&mutex));
    const pthread_t thread = started(wait_asynchronously, (void *)what);
    AWAIT(begun);
    nap();
    OK(pthread_cancel(thread));
    IS((long)PTHREAD_CANCELED, joined(thread));
    IS(0, reached);
    IS(1, cleaned);
    OK(pthread_mutex_unlock(&mutex));
    OK(pthread_mutex_destroy(&mutex));
  }
  OK(pthread_rwlock_unlock(&rwlock));
  OK(pthread_rwlock_destroy(&rwlock));
  OK(pthread_mutexattr_destroy(&attr));
}

static void *read_and_end(void *unused) {
  pthread_rwlock_rdlock(&rwlock);
  pthread_rwlock_unlock(&rwlock);
  return unused;
}

TEST(pthread_setcanceltype, asynchronous_writer,
     "asynchronous: a reader that waits behind a writer reads as soon as that is cancelled") {
  begun = reached = cleaned = 0;
  OK(pthread_rwlock_init(&rwlock, NULL));
  OK(pthread_rwlock_rdlock(&rwlock));
  const pthread_t writer = started(wait_asynchronously, (void *)4);
  AWAIT(begun);
  nap();
  const pthread_t reader = started(read_and_end, NULL);
  nap();
  OK(pthread_cancel(writer));
  IS((long)PTHREAD_CANCELED, joined(writer));
  IS(0, joined(reader));
  OK(pthread_rwlock_unlock(&rwlock));
  OK(pthread_rwlock_destroy(&rwlock));
}

static void *compute_asynchronously(void *unused) {
  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
  pthread_cleanup_push(note_cleanup, (void *)1);
  begun = 1;
  for (;;) continue;
  pthread_cleanup_pop(0);
  return unused;
}

TEST(pthread_setcanceltype, asynchronous_computes, "asynchronous: a cancellation ends a computation") {
  begun = cleaned = 0;
  const pthread_t thread = started(compute_asynchronously, NULL);
  AWAIT_ANY(begun);
  OK(pthread_cancel(thread));
  IS((long)PTHREAD_CANCELED, joined(thread));
  IS(1, cleaned);
}

static volatile int counted;

static void *count_asynchronously(void *unused) {
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
  begun = 1;
  while (!reached) counted++;
  reached = 2;
  pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
  reached = 3;
  return unused;
}

TEST(pthread_setcanceltype, asynchronous_disabled, "asynchronous: a cancellation waits until the thread allows it") {
  begun = reached = 0;
  const pthread_t thread = started(count_asynchronously, NULL);
  AWAIT_ANY(begun);
  OK(pthread_cancel(thread));
  nap();
  reached = 1;
  IS((long)PTHREAD_CANCELED, joined(thread));
  IS(2, reached);
}
