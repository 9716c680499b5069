/* SPDX-License-Identifier: Apache-2.0
 *
 * The alarm clocks: a timer each of SIGALRM, for alarm, ualarm and setitimer, and of SIGVTALRM and SIGPROF, which are
 * the same but for the signal: there is no time that the system computes for the program. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "../posix/posix.h"

/* A program without the header may have these names for its own. */
#pragma weak alarm
#pragma weak ualarm

static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;
static timer_t timers[3];

/* 0: there is none. */
static timer_t timer(int which) {
  static const int signals[] = {[ITIMER_REAL] = SIGALRM, [ITIMER_VIRTUAL] = SIGVTALRM, [ITIMER_PROF] = SIGPROF};
  if (which < ITIMER_REAL || which > ITIMER_PROF) return cl_fail(EINVAL), 0;
  struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = signals[which]};
  pthread_mutex_lock(&making);
  if (!timers[which] &&
      timer_create(which == ITIMER_REAL ? CLOCK_REALTIME : CLOCK_PROCESS_CPUTIME_ID, &event, &timers[which]))
    timers[which] = 0;
  pthread_mutex_unlock(&making);
  return timers[which];
}

static struct timespec of(struct timeval time) { return (struct timespec){time.tv_sec, time.tv_usec * 1000}; }

static struct timeval to(struct timespec time) {
  return (struct timeval){time.tv_sec, (suseconds_t)((time.tv_nsec + 999) / 1000)};
}

int getitimer(int which, struct itimerval *value) {
  struct itimerspec now;
  const timer_t id = timer(which);
  if (!id || timer_gettime(id, &now)) return -1;
  *value = (struct itimerval){.it_interval = to(now.it_interval), .it_value = to(now.it_value)};
  return 0;
}

int setitimer(int which, const struct itimerval *restrict value, struct itimerval *restrict before) {
  const timer_t id = timer(which);
  struct itimerspec next = {.it_interval = of(value->it_interval), .it_value = of(value->it_value)}, old;
  if (!id || timer_settime(id, 0, &next, &old)) return -1;
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
