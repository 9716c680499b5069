/* SPDX-License-Identifier: Apache-2.0
 *
 * pthread_once. */
#include "conformance.h"

static volatile int runs, in_first;
static pthread_once_t control;

static void count(void) { runs++; }

TEST(pthread_once, runs_once, "the routine runs at the first call and at no later one") {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  runs = 0;
  OK(pthread_once(&once, count));
  IS(1, runs);
  OK(pthread_once(&once, count));
  IS(1, runs);
}

TEST(pthread_once, each_control, "each control variable has its own first call") {
  pthread_once_t once[2] = {PTHREAD_ONCE_INIT, PTHREAD_ONCE_INIT};
  runs = 0;
  OK(pthread_once(&once[0], count));
  OK(pthread_once(&once[1], count));
  IS(2, runs);
}

static void slow(void) {
  in_first = 1;
  nap();
  runs++;
}

static void *second(void *unused) {
  (void)unused;
  pthread_once(&control, slow);
  return (void *)(long)runs;
}

TEST(pthread_once, others_wait, "no call returns before the routine has: other threads wait") {
  const pthread_once_t fresh = PTHREAD_ONCE_INIT;
  control = fresh;
  runs = in_first = 0;
  const pthread_t a = started(second, NULL), b = started(second, NULL);
  IS(1, joined(a));
  IS(1, joined(b));
  IS(1, runs);
}

static void cancelled(void) {
  in_first = 1;
  while (1) {
    nap();
    pthread_testcancel();
  }
}

static void *is_cancelled(void *unused) {
  (void)unused;
  pthread_once(&control, cancelled);
  return NULL;
}

TEST(pthread_once, cancelled_routine, "a cancellation in the routine makes it as if the call had not been") {
  const pthread_once_t fresh = PTHREAD_ONCE_INIT;
  control = fresh;
  runs = in_first = 0;
  const pthread_t thread = started(is_cancelled, NULL);
  AWAIT(in_first);
  OK(pthread_cancel(thread));
  IS((long)PTHREAD_CANCELED, joined(thread));
  OK(pthread_once(&control, count));
  IS(1, runs);
}

TEST(pthread_once, foreign_einval, "bytes that are no control variable: EINVAL") {
  KERNELS_ONLY();
  memset(&control, 0x5A, sizeof control);
  IS(EINVAL, pthread_once(&control, count));
}
