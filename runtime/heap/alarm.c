/* SPDX-License-Identifier: Apache-2.0
 *
 * The alarm clock: one timer of SIGALRM for alarm, ualarm and setitimer. */
#include <errno.h>
#include <pthread.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "../posix/posix.h"

/* A program without the header may have these names for its own. */
#pragma weak alarm
#pragma weak ualarm

static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;
static timer_t clock_timer;

/* 0: there is no timer left. */
static timer_t timer(void) {
  pthread_mutex_lock(&making);
  if (!clock_timer && timer_create(CLOCK_REALTIME, NULL, &clock_timer)) clock_timer = 0;
  pthread_mutex_unlock(&making);
  return clock_timer;
}

static struct timespec of(struct timeval time) { return (struct timespec){time.tv_sec, time.tv_usec * 1000}; }

static struct timeval to(struct timespec time) {
  return (struct timeval){time.tv_sec, (suseconds_t)((time.tv_nsec + 999) / 1000)};
}

int getitimer(int which, struct itimerval *value) {
  struct itimerspec now;
  if (which != ITIMER_REAL) return cl_fail(EINVAL);
  if (!timer() || timer_gettime(timer(), &now)) return -1;
  *value = (struct itimerval){.it_interval = to(now.it_interval), .it_value = to(now.it_value)};
  return 0;
}

int setitimer(int which, const struct itimerval *restrict value, struct itimerval *restrict before) {
  if (which != ITIMER_REAL) return cl_fail(EINVAL);
  struct itimerspec next = {.it_interval = of(value->it_interval), .it_value = of(value->it_value)}, old;
  if (!timer() || timer_settime(timer(), 0, &next, &old)) return -1;
  if (before) *before = (struct itimerval){.it_interval = to(old.it_interval), .it_value = to(old.it_value)};
  return 0;
}

/* Microseconds that were left, a part for one. */
static unsigned arm(struct timeval value, struct timeval interval, unsigned part) {
  struct itimerval before, next = {.it_interval = interval, .it_value = value};
  if (setitimer(ITIMER_REAL, &next, &before)) return 0;
  uint64_t left = (uint64_t)before.it_value.tv_sec * 1000000 + (uint64_t)before.it_value.tv_usec;
  return (unsigned)((left + part - 1) / part);
}

unsigned alarm(unsigned seconds) { return arm((struct timeval){.tv_sec = seconds}, (struct timeval){0}, 1000000); }

useconds_t ualarm(useconds_t value, useconds_t interval) {
  return arm((struct timeval){value / 1000000, (suseconds_t)(value % 1000000)},
             (struct timeval){interval / 1000000, (suseconds_t)(interval % 1000000)}, 1);
}
