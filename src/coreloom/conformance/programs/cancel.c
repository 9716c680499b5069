/* SPDX-License-Identifier: Apache-2.0
 *
 * Cancellation and cleanup handlers. */
#include <fcntl.h>
#include <mqueue.h>

#include "conformance.h"

static volatile int begun, go, reached, cleaned, held;
static pthread_mutex_t mutex;
static pthread_cond_t cond;
static sem_t sem;
static pthread_t target;

static void clear(void) { begun = go = reached = cleaned = held = 0; }

static void note_cleanup(void *argument) { cleaned = cleaned * 10 + (int)(long)argument; }

static void *poll(void *unused) {
  begun = 1;
  for (;;) {
    pthread_testcancel();
    sched_yield();
  }
  return unused;
}

TEST(pthread_cancel, ends_thread, "the thread ends at its next cancellation point, with PTHREAD_CANCELED") {
  clear();
  const pthread_t thread = started(poll, NULL);
  AWAIT(begun);
  OK(pthread_cancel(thread));
  IS((long)PTHREAD_CANCELED, joined(thread));
}

static void *compute(void *argument) {
  begun = 1;
  AWAIT(go);
  reached = 1;
  return argument;
}

TEST(pthread_cancel, deferred, "without a cancellation point the thread goes on to its end") {
  clear();
  const pthread_t thread = started(compute, (void *)6);
  AWAIT(begun);
  OK(pthread_cancel(thread));
  go = 1;
  IS(6, joined(thread));
  IS(1, reached);
}

TEST(pthread_cancel, ended_thread, "a thread that has ended and is not joined: 0 or ESRCH, and its value stays") {
  clear();
  go = 1;
  const pthread_t thread = started(compute, (void *)6);
  AWAIT(reached);
  nap();
  const int error = pthread_cancel(thread);
  IS(6, joined(thread));
  TRUE(error == 0 || error == ESRCH);
}

TEST(pthread_cancel, no_thread_esrch, "a number that no thread has: ESRCH") {
  KERNELS_ONLY();
  IS(ESRCH, pthread_cancel((pthread_t)0x7fff0));
}

static void *cancel_self(void *unused) {
  pthread_cancel(pthread_self());
  reached = 1;
  pthread_testcancel();
  reached = 2;
  return unused;
}

TEST(pthread_cancel, self, "a thread may cancel itself") {
  clear();
  IS((long)PTHREAD_CANCELED, joined(started(cancel_self, NULL)));
  IS(1, reached);
}

static void *twice(void *unused) {
  pthread_cleanup_push(note_cleanup, (void *)1);
  poll(NULL);
  pthread_cleanup_pop(0);
  return unused;
}

TEST(pthread_cancel, twice, "a second cancellation has no effect") {
  clear();
  const pthread_t thread = started(twice, NULL);
  AWAIT(begun);
  OK(pthread_cancel(thread));
  pthread_cancel(thread);
  IS((long)PTHREAD_CANCELED, joined(thread));
  IS(1, cleaned);
}

/* --- Cancellation points that wait: the thread is in the wait when it is cancelled --- */

static void *in_cond_wait(void *unused) {
  pthread_mutex_lock(&mutex);
  begun = 1;
  for (;;) pthread_cond_wait(&cond, &mutex);
  return unused;
}

static void *in_cond_timedwait(void *unused) {
  const struct timespec at = in_ms(CLOCK_REALTIME, 9000);
  pthread_mutex_lock(&mutex);
  begun = 1;
  for (;;) pthread_cond_timedwait(&cond, &mutex, &at);
  return unused;
}

static void *in_sem_wait(void *unused) {
  begun = 1;
  sem_wait(&sem);
  return unused;
}

static void *in_sem_timedwait(void *unused) {
  const struct timespec at = in_ms(CLOCK_REALTIME, 9000);
  begun = 1;
  sem_timedwait(&sem, &at);
  return unused;
}

static void *in_join(void *unused) {
  begun = 1;
  pthread_join(target, NULL);
  return unused;
}

static void *in_nanosleep(void *unused) {
  const struct timespec time = {.tv_sec = 9};
  begun = 1;
  nanosleep(&time, NULL);
  return unused;
}

static void *in_clock_nanosleep(void *unused) {
  const struct timespec time = {.tv_sec = 9};
  begun = 1;
  clock_nanosleep(CLOCK_MONOTONIC, 0, &time, NULL);
  return unused;
}

static void *in_sleep(void *unused) {
  begun = 1;
  sleep(9);
  return unused;
}

static void *(*point)(void *);

/* Comes to its point with the request. */
static void *with_request(void *unused) {
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
  begun = 1;
  AWAIT(go);
  pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
  return point(unused);
}

/* The request comes while the thread waits, or before. */
static void cancelled_once(void *(*start)(void *), int before) {
  begun = go = 0;
  point = start;
  const pthread_t thread = started(before ? with_request : start, NULL);
  AWAIT(begun);
  nap();
  OK(pthread_cancel(thread));
  go = 1;
  IS((long)PTHREAD_CANCELED, joined(thread));
}

static void cancelled_in(void *(*start)(void *)) {
  for (int before = 0; before < 2 && !*conformance_text; before++) cancelled_once(start, before);
}

/* The cancelled waiter holds the mutex again when its cleanup handlers run; here it has none, so it stays locked. */
static void cancelled_in_cond(void *(*start)(void *)) {
  for (int before = 0; before < 2; before++) {
    OK(pthread_mutex_init(&mutex, NULL));
    OK(pthread_cond_init(&cond, NULL));
    cancelled_once(start, before);
    if (*conformance_text) return;
    IS(EBUSY, pthread_mutex_trylock(&mutex));
    OK(pthread_cond_destroy(&cond));
  }
}

static void cancelled_in_sem(void *(*start)(void *)) {
  OK(sem_init(&sem, 0, 0));
  cancelled_in(start);
  if (*conformance_text) return;
  OK(sem_post(&sem));
  OK(sem_trywait(&sem)); /* the cancelled one has not taken it */
  OK(sem_destroy(&sem));
}

TEST(pthread_cond_wait, is_cancellation_point, "a cancellation ends the wait, with the mutex locked again") {
  cancelled_in_cond(in_cond_wait);
}

TEST(pthread_cond_timedwait, is_cancellation_point, "a cancellation ends the wait, with the mutex locked again") {
  cancelled_in_cond(in_cond_timedwait);
}

TEST(sem_wait, is_cancellation_point, "a cancellation ends the wait, which takes nothing") {
  cancelled_in_sem(in_sem_wait);
}

TEST(sem_timedwait, is_cancellation_point, "a cancellation ends the wait, which takes nothing") {
  cancelled_in_sem(in_sem_timedwait);
}

TEST(nanosleep, is_cancellation_point, "a cancellation ends the sleep") { cancelled_in(in_nanosleep); }

TEST(clock_nanosleep, is_cancellation_point, "a cancellation ends the sleep") { cancelled_in(in_clock_nanosleep); }

TEST(sleep, is_cancellation_point, "a cancellation ends the sleep") { cancelled_in(in_sleep); }

static mqd_t queue;

static void *in_mq_receive(void *unused) {
  char message[8];
  begun = 1;
  mq_receive(queue, message, sizeof message, NULL);
  return unused;
}

static void *in_mq_send(void *unused) {
  begun = 1;
  mq_send(queue, "more", 4, 0);
  return unused;
}

/* With a queue that holds as many messages before as behind. */
static void cancelled_in_queue(void *(*start)(void *), int messages) {
  struct mq_attr attr = {.mq_maxmsg = 1, .mq_msgsize = 8};
  mq_unlink("/coreloom-conformance");
  queue = mq_open("/coreloom-conformance", O_CREAT | O_RDWR, 0600, &attr);
  if (queue == (mqd_t)-1 && errno == ENOSYS) UNTESTED("this kernel has no queues");
  TRUE(queue != (mqd_t)-1);
  if (messages) OK(mq_send(queue, "full", 4, 0));
  cancelled_in(start);
  if (*conformance_text) return;
  OK(mq_getattr(queue, &attr));
  IS(messages, attr.mq_curmsgs);
  OK(mq_close(queue));
  OK(mq_unlink("/coreloom-conformance"));
}

TEST(mq_receive, is_cancellation_point, "a cancellation ends the wait for a message") {
  cancelled_in_queue(in_mq_receive, 0);
}

TEST(mq_send, is_cancellation_point, "a cancellation ends the wait for room, and sends nothing") {
  cancelled_in_queue(in_mq_send, 1);
}

static void *until_released(void *argument) {
  AWAIT(held);
  return argument;
}

TEST(pthread_join, is_cancellation_point, "a cancellation ends the wait, and the thread can still be joined") {
  held = 0;
  target = started(until_released, (void *)8);
  cancelled_in(in_join);
  held = 1;
  if (*conformance_text) return;
  IS(8, joined(target));
}

static void *lock_then_test(void *unused) {
  begun = 1;
  pthread_mutex_lock(&mutex);
  reached = 1;
  pthread_mutex_unlock(&mutex);
  pthread_testcancel();
  return unused;
}

TEST(pthread_mutex_lock, is_no_cancellation_point, "a cancellation does not end the wait for a mutex") {
  clear();
  OK(pthread_mutex_init(&mutex, NULL));
  OK(pthread_mutex_lock(&mutex));
  const pthread_t thread = started(lock_then_test, NULL);
  AWAIT(begun);
  nap();
  OK(pthread_cancel(thread));
  nap();
  IS(0, reached);
  OK(pthread_mutex_unlock(&mutex));
  IS((long)PTHREAD_CANCELED, joined(thread));
  IS(1, reached);
  OK(pthread_mutex_destroy(&mutex));
}

/* --- States and types --- */

static void *disable(void *unused) {
  int old = -1;
  if (pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old) || old != PTHREAD_CANCEL_ENABLE) return (void *)1;
  begun = 1;
  AWAIT(go);
  pthread_testcancel();
  reached = 1;
  if (pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &old) || old != PTHREAD_CANCEL_DISABLE) return (void *)2;
  pthread_testcancel();
  reached = 2;
  return unused;
}

TEST(pthread_setcancelstate, disabled_stays_pending, "disabled: a cancellation waits until it is enabled again") {
  clear();
  const pthread_t thread = started(disable, NULL);
  AWAIT(begun);
  OK(pthread_cancel(thread));
  go = 1;
  IS((long)PTHREAD_CANCELED, joined(thread));
  IS(1, reached);
}

static void *disabled_wait(void *unused) {
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
  begun = 1;
  sem_wait(&sem);
  reached = 1;
  return unused;
}

TEST(pthread_setcancelstate, disabled_wait, "disabled: a wait is not ended") {
  clear();
  OK(sem_init(&sem, 0, 0));
  const pthread_t thread = started(disabled_wait, NULL);
  AWAIT(begun);
  nap();
  OK(pthread_cancel(thread));
  nap();
  IS(0, reached);
  OK(sem_post(&sem));
  IS(0, joined(thread));
  IS(1, reached);
  OK(sem_destroy(&sem));
}

TEST(pthread_setcancelstate, unknown_einval, "another number: EINVAL") {
  int old;
  IS(EINVAL, pthread_setcancelstate(1234, &old));
}

TEST(pthread_setcancelstate, default_enabled, "a thread begins with PTHREAD_CANCEL_ENABLE, main too") {
  int old = -1;
  OK(pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &old));
  IS(PTHREAD_CANCEL_ENABLE, old);
}

TEST(pthread_setcanceltype, default_deferred, "a thread begins with PTHREAD_CANCEL_DEFERRED") {
  int old = -1;
  OK(pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &old));
  IS(PTHREAD_CANCEL_DEFERRED, old);
}

TEST(pthread_setcanceltype, unknown_einval, "another number: EINVAL") {
  int old;
  IS(EINVAL, pthread_setcanceltype(1234, &old));
}

TEST(pthread_testcancel, without_cancellation, "it returns when there is no cancellation") {
  pthread_testcancel();
  pthread_testcancel();
}

TEST(pthread_testcancel, ends_thread, "with a cancellation it does not return") {
  clear();
  IS((long)PTHREAD_CANCELED, joined(started(cancel_self, NULL)));
  IS(1, reached);
}

/* --- Cleanup handlers --- */

static void *exit_with_handlers(void *unused) {
  pthread_cleanup_push(note_cleanup, (void *)1);
  pthread_cleanup_push(note_cleanup, (void *)2);
  pthread_cleanup_push(note_cleanup, (void *)3);
  pthread_exit(unused);
  pthread_cleanup_pop(0);
  pthread_cleanup_pop(0);
  pthread_cleanup_pop(0);
  return unused;
}

TEST(pthread_cleanup_push, at_exit_reversed, "pthread_exit calls the handlers, the last pushed first") {
  clear();
  IS(0, joined(started(exit_with_handlers, NULL)));
  IS(321, cleaned);
}

static void *cancelled_with_handlers(void *unused) {
  pthread_cleanup_push(note_cleanup, (void *)1);
  pthread_cleanup_push(note_cleanup, (void *)2);
  poll(NULL);
  pthread_cleanup_pop(0);
  pthread_cleanup_pop(0);
  return unused;
}

TEST(pthread_cleanup_push, at_cancellation_reversed, "a cancellation calls the handlers, the last pushed first") {
  clear();
  const pthread_t thread = started(cancelled_with_handlers, NULL);
  AWAIT(begun);
  OK(pthread_cancel(thread));
  IS((long)PTHREAD_CANCELED, joined(thread));
  IS(21, cleaned);
}

static void unlock(void *place) { held = pthread_mutex_unlock(place) == 0 ? 1 : 2; }

static void *wait_with_unlock(void *unused) {
  pthread_mutex_lock(&mutex);
  pthread_cleanup_push(unlock, &mutex);
  begun = 1;
  for (;;) pthread_cond_wait(&cond, &mutex);
  pthread_cleanup_pop(1);
  return unused;
}

TEST(pthread_cleanup_push, holds_mutex_in_handler, "a handler of a wait for a condition runs with the mutex locked") {
  clear();
  OK(pthread_mutex_init(&mutex, NULL));
  OK(pthread_cond_init(&cond, NULL));
  const pthread_t thread = started(wait_with_unlock, NULL);
  AWAIT(begun);
  nap();
  OK(pthread_cancel(thread));
  IS((long)PTHREAD_CANCELED, joined(thread));
  IS(1, held);
  OK(pthread_mutex_lock(&mutex));
  OK(pthread_mutex_unlock(&mutex));
  OK(pthread_cond_destroy(&cond));
  OK(pthread_mutex_destroy(&mutex));
}

static void *return_without(void *unused) {
  pthread_cleanup_push(note_cleanup, (void *)1);
  pthread_cleanup_pop(0);
  return unused;
}

TEST(pthread_cleanup_push, not_at_return, "a handler that was popped is not called at the end") {
  clear();
  IS(0, joined(started(return_without, NULL)));
  IS(0, cleaned);
}

TEST(pthread_cleanup_pop, executes, "with an argument other than 0 the handler is called, with its argument") {
  clear();
  pthread_cleanup_push(note_cleanup, (void *)7);
  pthread_cleanup_pop(1);
  IS(7, cleaned);
}

TEST(pthread_cleanup_pop, only_removes, "with 0 it is only removed") {
  clear();
  pthread_cleanup_push(note_cleanup, (void *)7);
  pthread_cleanup_pop(0);
  IS(0, cleaned);
}

TEST(pthread_cleanup_pop, innermost_first, "pairs nest: the last pushed is popped first") {
  clear();
  pthread_cleanup_push(note_cleanup, (void *)1);
  pthread_cleanup_push(note_cleanup, (void *)2);
  pthread_cleanup_pop(1);
  pthread_cleanup_pop(1);
  IS(21, cleaned);
}

static pthread_key_t key;
static volatile int destructor_saw;

static void see_cleanup(void *value) {
  (void)value;
  destructor_saw = cleaned;
}

static void *exit_with_key(void *unused) {
  pthread_setspecific(key, &key);
  pthread_cleanup_push(note_cleanup, (void *)5);
  pthread_exit(unused);
  pthread_cleanup_pop(0);
  return unused;
}

TEST(pthread_exit, handlers_before_destructors,
     "cleanup handlers are called before destructors of thread-specific data") {
  clear();
  destructor_saw = 0;
  OK(pthread_key_create(&key, see_cleanup));
  IS(0, joined(started(exit_with_key, NULL)));
  IS(5, destructor_saw);
  OK(pthread_key_delete(key));
}
