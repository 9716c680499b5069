/* SPDX-License-Identifier: Apache-2.0
 *
 * Sleep. Nothing but the time, the clock being set and a cancellation ends it, as there are no signals; so no function
 * has time left to report. */
#include <errno.h>
#include <unistd.h>

#include "cancel.h"
#include "clock.h"

static void sleep_until(uint64_t at) {
  static struct cl_queue sleepers; /* nobody wakes them */
  struct cl_waiter me = {.cancel = cl_cancel_word()};
  cl_backend_lock();
  if (cl_queue_wait(&sleepers, &me, at) == ECANCELED) cl_cancel_act();
}

/* CLOCK_REALTIME may be set meanwhile. */
static void sleep_until_time(const struct timespec *time) {
  struct cl_waiter me = {.cancel = cl_cancel_word()};
  int status;
  do {
    uint64_t at;
    cl_backend_lock();
    cl_deadline(CLOCK_REALTIME, time, &at);
    status = cl_queue_wait(&cl_clock_sleepers, &me, at);
  } while (!status);
  if (status == ECANCELED) cl_cancel_act();
}

int clock_nanosleep(clockid_t clock, int flags, const struct timespec *time, struct timespec *left) {
  (void)left;
  uint64_t at;
  cl_trace_call();
  cl_cancel_test();
  if (clock == CLOCK_PROCESS_CPUTIME_ID) return ENOTSUP;
  int status = cl_deadline(clock, time, &at);
  if (status || (!(flags & TIMER_ABSTIME) && time->tv_sec < 0)) return EINVAL;
  if (!(flags & TIMER_ABSTIME)) sleep_until(cl_after(time));
  else if (clock == CLOCK_REALTIME) sleep_until_time(time);
  else sleep_until(at);
  return 0;
}

int nanosleep(const struct timespec *time, struct timespec *left) {
  int status = clock_nanosleep(CLOCK_MONOTONIC, 0, time, left);
  return status ? cl_fail(status) : 0;
}

unsigned sleep(unsigned seconds) {
  nanosleep(&(struct timespec){.tv_sec = seconds}, NULL);
  return 0;
}

int usleep(useconds_t useconds) {
  return nanosleep(&(struct timespec){useconds / 1000000, (long)(useconds % 1000000) * 1000}, NULL);
}
