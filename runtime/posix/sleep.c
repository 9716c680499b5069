/* SPDX-License-Identifier: Apache-2.0
 *
 * Sleep, which the time, a cancellation and a signal end. */
#include <errno.h>
#include <unistd.h>

#include "cancel.h"
#include "clock.h"

/* 0 or EINTR. */
static int sleep_until(uint64_t at) {
  static struct cl_queue sleepers; /* nobody wakes them */
  for (;;) {
    struct cl_waiter me = {.ends = CL_POINT};
    cl_backend_lock();
    if (cl_queue_wait(&sleepers, &me, at) != ECANCELED) return 0;
    if (cl_cancel_act()) return EINTR;
  }
}

/* The same. CLOCK_REALTIME may be set meanwhile. */
static int sleep_until_time(const struct timespec *time) {
  for (;;) {
    struct cl_waiter me = {.ends = CL_POINT};
    uint64_t at;
    cl_backend_lock();
    cl_deadline(CLOCK_REALTIME, time, &at);
    int status = cl_queue_wait(&cl_clock_sleepers, &me, at);
    if (status == ETIMEDOUT) return 0;
    if (status == ECANCELED && cl_cancel_act()) return EINTR;
  }
}

int clock_nanosleep(clockid_t clock, int flags, const struct timespec *time, struct timespec *left) {
  uint64_t at;
  cl_trace_call();
  cl_cancel_test();
  if (clock == CLOCK_PROCESS_CPUTIME_ID) return ENOTSUP;
  int status = cl_deadline(clock, time, &at);
  if (status || (!(flags & TIMER_ABSTIME) && time->tv_sec < 0)) return EINVAL;
  if (flags & TIMER_ABSTIME) return clock == CLOCK_REALTIME ? sleep_until_time(time) : sleep_until(at);
  at = cl_after(time);
  status = sleep_until(at);
  if (CL_SIGNALS && status && left) {
    uint64_t now = cl_now();
    *left = cl_time_of(at > now ? at - now : 0);
  }
  return status;
}

int nanosleep(const struct timespec *time, struct timespec *left) {
  int status = clock_nanosleep(CLOCK_MONOTONIC, 0, time, left);
  return status ? cl_fail(status) : 0;
}

unsigned sleep(unsigned seconds) {
  struct timespec left;
  if (!nanosleep(&(struct timespec){.tv_sec = seconds}, &left)) return 0;
  return (unsigned)left.tv_sec + (left.tv_nsec > 0);
}

int usleep(useconds_t useconds) {
  return nanosleep(&(struct timespec){useconds / 1000000, (long)(useconds % 1000000) * 1000}, NULL);
}
