/* SPDX-License-Identifier: Apache-2.0
 *
 * Timers: those that call a function in a thread, and those that are only looked at. */
#include <signal.h>
#include <time.h>

#include "check.h"

#define FAILS(call, error) \
  do {                     \
    EQUAL(call, -1);       \
    EQUAL(errno, error);   \
  } while (0)

#if defined(CL_CORE_ECONOMY) || defined(CL_CORE_FAST)
#define MILLISECOND 4000000 /* rather four: to create a thread takes one */
#else
#define MILLISECOND 1000000
#endif
static sem_t called;
static volatile long long last;
static volatile int value;

static long long now(clockid_t clock) {
  struct timespec time;
  EQUAL(clock_gettime(clock, &time), 0);
  return time.tv_sec * 1000000000ll + time.tv_nsec;
}

static struct timespec as_time(long long nanoseconds) {
  return (struct timespec){nanoseconds / 1000000000, (long)(nanoseconds % 1000000000)};
}

static void function(union sigval with) {
  last = now(CLOCK_MONOTONIC);
  value = with.sival_int;
  EQUAL(sem_post(&called), 0);
}

static void refuses(void) {
  timer_t timer;
  struct itimerspec value = {0};
  struct sigevent event = {.sigev_notify = SIGEV_NONE};
  FAILS(timer_create(12345, &event, &timer), EINVAL);
  FAILS(timer_create(CLOCK_PROCESS_CPUTIME_ID, &event, &timer), ENOTSUP);
  FAILS(timer_create(CLOCK_REALTIME, NULL, &timer), ENOTSUP); /* a signal */
  event.sigev_notify = SIGEV_SIGNAL;
  FAILS(timer_create(CLOCK_REALTIME, &event, &timer), ENOTSUP);
  event.sigev_notify = SIGEV_THREAD; /* of no function */
  FAILS(timer_create(CLOCK_REALTIME, &event, &timer), EINVAL);
  for (timer = 0; timer < 40; timer++) {
    FAILS(timer_settime(timer, 0, &value, NULL), EINVAL);
    FAILS(timer_gettime(timer, &value), EINVAL);
    FAILS(timer_getoverrun(timer), EINVAL);
    FAILS(timer_delete(timer), EINVAL);
  }
  event.sigev_notify = SIGEV_NONE;
  timer_t timers[32];
  for (int i = 0; i < 32; i++) EQUAL(timer_create(CLOCK_REALTIME, &event, &timers[i]), 0);
  FAILS(timer_create(CLOCK_REALTIME, &event, &timer), EAGAIN);
  value.it_value.tv_nsec = 1000000000;
  FAILS(timer_settime(timers[0], 0, &value, NULL), EINVAL);
  value.it_value.tv_nsec = -1;
  FAILS(timer_settime(timers[0], 0, &value, NULL), EINVAL);
  for (int i = 0; i < 32; i++) EQUAL(timer_delete(timers[i]), 0);
  FAILS(timer_delete(timers[0]), EINVAL);
}

static void is_looked_at(clockid_t clock) {
  timer_t timer;
  struct sigevent event = {.sigev_notify = SIGEV_NONE};
  struct itimerspec value = {.it_value = as_time(2 * MILLISECOND), .it_interval = as_time(3 * MILLISECOND)}, before;
  EQUAL(timer_create(clock, &event, &timer), 0);
  EQUAL(timer_gettime(timer, &before), 0);
  EQUAL(before.it_value.tv_sec | before.it_value.tv_nsec, 0);
  EQUAL(timer_settime(timer, 0, &value, &before), 0);
  EQUAL(before.it_value.tv_sec | before.it_value.tv_nsec, 0);
  EQUAL(timer_gettime(timer, &before), 0);
  CHECK(before.it_value.tv_nsec <= 2 * MILLISECOND && before.it_value.tv_nsec > MILLISECOND);
  EQUAL(before.it_interval.tv_nsec, 3 * MILLISECOND);
  nanosleep(&value.it_interval, NULL);
  EQUAL(timer_gettime(timer, &before), 0); /* the next one */
  CHECK(before.it_value.tv_nsec <= 2 * MILLISECOND && before.it_value.tv_nsec > MILLISECOND);
  value = (struct itimerspec){.it_value = as_time(now(clock) + 2 * MILLISECOND)};
  EQUAL(timer_settime(timer, TIMER_ABSTIME, &value, &before), 0);
  CHECK(before.it_value.tv_nsec > 0);
  EQUAL(timer_gettime(timer, &before), 0);
  CHECK(before.it_value.tv_nsec <= 2 * MILLISECOND && before.it_value.tv_nsec > MILLISECOND);
  EQUAL(before.it_interval.tv_nsec, 0);
  nanosleep(&(struct timespec){0, 2 * MILLISECOND}, NULL);
  EQUAL(timer_gettime(timer, &before), 0);
  EQUAL(before.it_value.tv_nsec, 0);
  EQUAL(timer_delete(timer), 0);
}

static timer_t calling(clockid_t clock, int with) {
  timer_t timer;
  struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = function};
  event.sigev_value.sival_int = with;
  EQUAL(timer_create(clock, &event, &timer), 0);
  return timer;
}

static void calls(clockid_t clock) {
  timer_t timer = calling(clock, 7), other = calling(clock, 8);
  struct itimerspec value = {.it_value = as_time(MILLISECOND)}, never = {.it_value = {.tv_sec = 1000}};
  EQUAL(timer_settime(other, 0, &never, NULL), 0);
  long long start = now(CLOCK_MONOTONIC);
  EQUAL(timer_settime(timer, 0, &value, NULL), 0); /* before the other */
  EQUAL(sem_wait(&called), 0);
  EQUAL(value.it_value.tv_nsec, MILLISECOND);
  CHECK(last - start >= MILLISECOND && last - start < 2 * MILLISECOND);
  EQUAL(timer_getoverrun(timer), 0);

  value.it_interval = as_time(MILLISECOND);
  start = now(CLOCK_MONOTONIC);
  EQUAL(timer_settime(timer, 0, &value, NULL), 0);
  for (int i = 1; i <= 4; i++) {
    EQUAL(sem_wait(&called), 0);
    CHECK(last - start >= i * MILLISECOND && last - start < (i + 1) * MILLISECOND);
  }
  value = (struct itimerspec){0};
  EQUAL(timer_settime(timer, 0, &value, NULL), 0); /* disarms it */
  nanosleep(&(struct timespec){0, 3 * MILLISECOND}, NULL);
  FAILS(sem_trywait(&called), EAGAIN);

  value.it_value = as_time(now(clock) - MILLISECOND); /* is over */
  value.it_interval = as_time(1000ll * MILLISECOND);
  EQUAL(timer_settime(timer, TIMER_ABSTIME, &value, NULL), 0);
  EQUAL(sem_wait(&called), 0);
  EQUAL(timer_delete(timer), 0);
  EQUAL(timer_delete(other), 0);
}

static void counts_what_it_missed(void) {
  timer_t timer = calling(CLOCK_MONOTONIC, 9);
  struct itimerspec value = {.it_value = as_time(now(CLOCK_MONOTONIC) - 10 * MILLISECOND),
                             .it_interval = as_time(4 * MILLISECOND)};
  EQUAL(timer_settime(timer, TIMER_ABSTIME, &value, NULL), 0);
  EQUAL(sem_wait(&called), 0);
  EQUAL(timer_getoverrun(timer), 2); /* 10, 6 and 2 ms before */
  EQUAL(timer_delete(timer), 0);
}

/* Setting the clock moves an absolute timer, and no other. */
static void moves_with_the_clock(void) {
  EQUAL(clock_settime(CLOCK_REALTIME, &(struct timespec){1700000000, 0}), 0);
  timer_t absolute = calling(CLOCK_REALTIME, 1), relative = calling(CLOCK_REALTIME, 2);
  struct itimerspec value = {.it_value = as_time(4 * MILLISECOND)}, then = {.it_value = {.tv_sec = 1800000000}};
  EQUAL(timer_settime(relative, 0, &value, NULL), 0);
  EQUAL(timer_settime(absolute, TIMER_ABSTIME, &then, NULL), 0);
  EQUAL(clock_settime(CLOCK_REALTIME, &(struct timespec){1799999999, 1000000000 - MILLISECOND}), 0);
  EQUAL(sem_wait(&called), 0);
  EQUAL(value.it_value.tv_sec, 0);
  CHECK(now(CLOCK_REALTIME) >= 1800000000ll * 1000000000 &&
        now(CLOCK_REALTIME) < 1800000000ll * 1000000000 + 2 * MILLISECOND);
  EQUAL(sem_wait(&called), 0);
  EQUAL(timer_delete(absolute), 0);
  EQUAL(timer_delete(relative), 0);
}

int main(void) {
  EQUAL(sem_init(&called, 0, 0), 0);
  refuses();
  is_looked_at(CLOCK_REALTIME);
  is_looked_at(CLOCK_MONOTONIC);
  calls(CLOCK_REALTIME);
  calls(CLOCK_MONOTONIC);
  EQUAL(value, 7);
  counts_what_it_missed();
  EQUAL(value, 9);
  moves_with_the_clock();
  EQUAL(value, 2);
  return finish();
}
