/* SPDX-License-Identifier: Apache-2.0
 *
 * Timers. */
#include <signal.h>

#include "conformance.h"

static timer_t timer;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static volatile int called;
static int test; /* whose timers count: a thread of an earlier test's may be late */

static void note(union sigval value) {
  pthread_mutex_lock(&mutex);
  if (value.sival_int == test) called++;
  pthread_mutex_unlock(&mutex);
}

static struct sigevent by_thread(void) {
  struct sigevent event;
  memset(&event, 0, sizeof event);
  event.sigev_notify = SIGEV_THREAD;
  event.sigev_notify_function = note;
  event.sigev_value.sival_int = test;
  return event;
}

static void begin(void) {
  test++;
  called = 0;
}

static struct sigevent silent(void) {
  struct sigevent event;
  memset(&event, 0, sizeof event);
  event.sigev_notify = SIGEV_NONE;
  return event;
}

static struct itimerspec in(long first_ms, long period_ms) {
  return (struct itimerspec){.it_value = {.tv_nsec = first_ms * 1000000},
                             .it_interval = {.tv_nsec = period_ms * 1000000}};
}

TEST(timer_create, disarmed, "a new timer is not armed") {
  struct sigevent event = silent();
  struct itimerspec left;
  OK(timer_create(CLOCK_MONOTONIC, &event, &timer));
  OK(timer_gettime(timer, &left));
  IS(0, left.it_value.tv_sec);
  IS(0, left.it_value.tv_nsec);
  OK(timer_delete(timer));
}

TEST(timer_create, both_clocks, "CLOCK_REALTIME and CLOCK_MONOTONIC have timers") {
  struct sigevent event = silent();
  OK(timer_create(CLOCK_REALTIME, &event, &timer));
  OK(timer_delete(timer));
  OK(timer_create(CLOCK_MONOTONIC, &event, &timer));
  OK(timer_delete(timer));
}

TEST(timer_create, unknown_clock_einval, "a clock that there is not: EINVAL") {
  struct sigevent event = silent();
  FAILS(EINVAL, timer_create(1234, &event, &timer));
}

TEST(timer_create, calls_function, "SIGEV_THREAD: the function is called in a thread, with the value") {
  begin();
  struct sigevent event = by_thread();
  const struct itimerspec time = in(1, 0);
  OK(timer_create(CLOCK_MONOTONIC, &event, &timer));
  OK(timer_settime(timer, 0, &time, NULL));
  AWAIT(called);
  IS(1, called);
  OK(timer_delete(timer));
}

TEST(timer_create, several, "timers are independent of one another") {
  timer_t timers[4];
  begin();
  for (int i = 0; i < 4; i++) {
    struct sigevent event = by_thread();
    const struct itimerspec time = in(1 + i, 0);
    OK(timer_create(CLOCK_MONOTONIC, &event, &timers[i]));
    OK(timer_settime(timers[i], 0, &time, NULL));
  }
  AWAIT(called == 4);
  for (int i = 0; i < 4; i++) OK(timer_delete(timers[i]));
}

static long long cpu_time(void) {
  struct timespec time = {0};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

TEST(timer_create, thread_cpu_time, "a timer of CLOCK_THREAD_CPUTIME_ID expires when the thread has computed so long") {
  begin();
  struct sigevent event = by_thread();
  const struct itimerspec time = in(2, 0);
  const long long begun = cpu_time();
  struct itimerspec left;
  OK(timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer));
  OK(timer_settime(timer, 0, &time, NULL));
  for (int i = 0; i < 3; i++) nap();
  OK(timer_gettime(timer, &left));
  TRUE(cpu_time() - begun >= 2000000 || left.it_value.tv_nsec > 0);
  while (!called) continue;
  TRUE(cpu_time() - begun >= 2000000);
  OK(timer_delete(timer));
}

TEST(timer_create, process_cpu_time, "a timer of CLOCK_PROCESS_CPUTIME_ID goes off again and again while it computes") {
  begin();
  struct sigevent event = by_thread();
  const struct itimerspec time = in(1, 1);
  OK(timer_create(CLOCK_PROCESS_CPUTIME_ID, &event, &timer));
  OK(timer_settime(timer, 0, &time, NULL));
  while (called < 3) sched_yield(); /* to the thread that calls, on one CPU */
  OK(timer_delete(timer));
}

TEST(timer_create, refuses, "no signal, no function to call: EINVAL; too many: EAGAIN") {
  KERNELS_ONLY();
  struct sigevent event = {.sigev_notify = SIGEV_SIGNAL};
  timer_t all[200];
  int made = 0;
  FAILS(EINVAL, timer_create(CLOCK_REALTIME, &event, &timer));
  event.sigev_notify = SIGEV_THREAD;
  FAILS(EINVAL, timer_create(CLOCK_REALTIME, &event, &timer));
  event = silent();
  while (made < 200 && !timer_create(CLOCK_REALTIME, &event, &all[made])) made++;
  IS(EAGAIN, errno);
  for (int i = 0; i < made; i++) OK(timer_delete(all[i]));
  IS(32, made);
}

TEST(timer_settime, once, "without an interval it goes off once") {
  begin();
  struct sigevent event = by_thread();
  const struct itimerspec time = in(1, 0);
  OK(timer_create(CLOCK_MONOTONIC, &event, &timer));
  OK(timer_settime(timer, 0, &time, NULL));
  AWAIT(called);
  for (int i = 0; i < 3; i++) nap();
  IS(1, called);
  OK(timer_delete(timer));
}

TEST(timer_settime, periodic, "with an interval it goes off again and again") {
  begin();
  struct sigevent event = by_thread();
  const struct itimerspec time = in(1, 1);
  OK(timer_create(CLOCK_MONOTONIC, &event, &timer));
  OK(timer_settime(timer, 0, &time, NULL));
  AWAIT(called >= 3);
  OK(timer_delete(timer));
}

TEST(timer_settime, not_before, "it does not go off before its time") {
  begin();
  struct sigevent event = by_thread();
  const struct timespec at = in_ms(CLOCK_MONOTONIC, 3);
  const struct itimerspec time = {.it_value = at};
  OK(timer_create(CLOCK_MONOTONIC, &event, &timer));
  OK(timer_settime(timer, TIMER_ABSTIME, &time, NULL));
  AWAIT(called);
  TRUE(has_come(CLOCK_MONOTONIC, at));
  OK(timer_delete(timer));
}

TEST(timer_settime, absolute_past, "TIMER_ABSTIME with a time that is past: it goes off at once") {
  begin();
  struct sigevent event = by_thread();
  const struct itimerspec time = {.it_value = {.tv_nsec = 1}};
  OK(timer_create(CLOCK_MONOTONIC, &event, &timer));
  OK(timer_settime(timer, TIMER_ABSTIME, &time, NULL));
  AWAIT(called);
  OK(timer_delete(timer));
}

TEST(timer_settime, clock_is_set, "to set the clock moves an absolute time, and no other") {
  NOT_ON_LINUX("this machine's clock is not ours to set");
  begin();
  struct sigevent event = by_thread();
  const struct timespec before = {.tv_sec = 1700000000}, later = {.tv_sec = 1800000000};
  const struct itimerspec then = {.it_value = later}, time = in(400, 0);
  timer_t relative;
  OK(clock_settime(CLOCK_REALTIME, &before));
  OK(timer_create(CLOCK_REALTIME, &event, &timer));
  OK(timer_create(CLOCK_REALTIME, &event, &relative));
  OK(timer_settime(timer, TIMER_ABSTIME, &then, NULL));
  OK(timer_settime(relative, 0, &time, NULL));
  OK(clock_settime(CLOCK_REALTIME, &later));
  AWAIT(called);
  nap();
  IS(1, called);
  OK(timer_delete(timer));
  OK(timer_delete(relative));
}

TEST(timer_settime, zero_disarms, "a time of 0 disarms it") {
  begin();
  struct sigevent event = by_thread();
  const struct itimerspec time = in(500, 0), never = in(0, 0);
  struct itimerspec left;
  OK(timer_create(CLOCK_MONOTONIC, &event, &timer));
  OK(timer_settime(timer, 0, &time, NULL));
  OK(timer_settime(timer, 0, &never, NULL));
  OK(timer_gettime(timer, &left));
  IS(0, left.it_value.tv_sec);
  IS(0, left.it_value.tv_nsec);
  IS(0, called);
  OK(timer_delete(timer));
}

TEST(timer_settime, stores_before, "it stores the time that was left, and the interval") {
  struct sigevent event = silent();
  const struct itimerspec time = in(500, 250), other = in(100, 0);
  struct itimerspec before;
  OK(timer_create(CLOCK_MONOTONIC, &event, &timer));
  OK(timer_settime(timer, 0, &time, NULL));
  OK(timer_settime(timer, 0, &other, &before));
  IS(0, before.it_value.tv_sec);
  TRUE(before.it_value.tv_nsec > 0 && before.it_value.tv_nsec <= 500000000);
  IS(250000000, before.it_interval.tv_nsec);
  OK(timer_delete(timer));
}

TEST(timer_settime, bad_time_einval, "nanoseconds outside 0 to 999 999 999: EINVAL") {
  struct sigevent event = silent();
  const struct itimerspec bad[] = {{.it_value = {.tv_nsec = 1000000000}}, {.it_value = {.tv_nsec = -1}}};
  OK(timer_create(CLOCK_MONOTONIC, &event, &timer));
  FAILS(EINVAL, timer_settime(timer, 0, &bad[0], NULL));
  FAILS(EINVAL, timer_settime(timer, 0, &bad[1], NULL));
  OK(timer_delete(timer));
}

TEST(timer_gettime, time_left, "the time left, at most what was set, and the interval") {
  struct sigevent event = silent();
  const struct itimerspec time = in(400, 300);
  struct itimerspec left;
  OK(timer_create(CLOCK_MONOTONIC, &event, &timer));
  OK(timer_settime(timer, 0, &time, NULL));
  nap();
  OK(timer_gettime(timer, &left));
  IS(0, left.it_value.tv_sec);
  TRUE(left.it_value.tv_nsec > 0 && left.it_value.tv_nsec < 400000000);
  IS(300000000, left.it_interval.tv_nsec);
  OK(timer_delete(timer));
}

TEST(timer_getoverrun, none, "0 when the last expiration was told") {
  begin();
  struct sigevent event = by_thread();
  const struct itimerspec time = in(1, 0);
  OK(timer_create(CLOCK_MONOTONIC, &event, &timer));
  OK(timer_settime(timer, 0, &time, NULL));
  AWAIT(called);
  IS(0, timer_getoverrun(timer));
  OK(timer_delete(timer));
}

TEST(timer_getoverrun, counts, "the expirations that were past when it was told") {
  KERNELS_ONLY();
  begin();
  struct sigevent event = by_thread();
  while (!has_come(CLOCK_MONOTONIC, (struct timespec){.tv_nsec = 11000000})) nap();
  const struct itimerspec time = {.it_value = in_ms(CLOCK_MONOTONIC, -10), .it_interval = {.tv_nsec = 4000000}};
  OK(timer_create(CLOCK_MONOTONIC, &event, &timer));
  OK(timer_settime(timer, TIMER_ABSTIME, &time, NULL));
  AWAIT(called);
  IS(2, timer_getoverrun(timer)); /* 10, 6 and 2 ms before */
  OK(timer_delete(timer));
}

TEST(timer_delete, disarms, "a deleted timer does not go off") {
  begin();
  struct sigevent event = by_thread();
  const struct itimerspec time = {.it_value = in_ms(CLOCK_MONOTONIC, 5)};
  OK(timer_create(CLOCK_MONOTONIC, &event, &timer));
  OK(timer_settime(timer, TIMER_ABSTIME, &time, NULL));
  OK(timer_delete(timer));
  if (has_come(CLOCK_MONOTONIC, time.it_value)) UNTESTED("the machine was too slow to delete it in time");
  while (!has_come(CLOCK_MONOTONIC, time.it_value)) nap();
  nap();
  IS(0, called);
}

TEST(timer_delete, then_use_einval, "a deleted timer: EINVAL") {
  KERNELS_ONLY();
  struct sigevent event = silent();
  struct itimerspec left;
  OK(timer_create(CLOCK_MONOTONIC, &event, &timer));
  OK(timer_delete(timer));
  FAILS(EINVAL, timer_gettime(timer, &left));
  FAILS(EINVAL, timer_delete(timer));
  FAILS(EINVAL, timer_getoverrun(timer));
}

TEST(timer_delete, one_after_another, "a deleted timer's resources are free again: 100 one by one") {
  struct sigevent event = silent();
  for (int i = 0; i < 100; i++) {
    OK(timer_create(CLOCK_MONOTONIC, &event, &timer));
    OK(timer_delete(timer));
  }
}
