/* SPDX-License-Identifier: Apache-2.0
 *
 * The clocks of a program; the runtime itself counts time in cycles of mtime (cl_now). */
#ifndef CL_CLOCK_H
#define CL_CLOCK_H

#include <time.h>

#include "posix.h"
#include "wait.h"

#define CL_NANOSECONDS 1000000000 /* of a second */

static inline int cl_is_time(const struct timespec *time) {
  return time->tv_nsec >= 0 && time->tv_nsec < CL_NANOSECONDS;
}

/* Rounded up, so that no wait ends early; CL_NEVER if it does not fit. The time is valid and not negative. */
uint64_t cl_cycles_of(const struct timespec *time);
struct timespec cl_time_of(uint64_t cycles); /* rounded down */

struct timespec cl_time_sum(struct timespec a, struct timespec b);
struct timespec cl_time_difference(struct timespec a, struct timespec b);

/* The mtime `time` from now. */
uint64_t cl_after(const struct timespec *time);
/* The mtime at which a clock shows `time`, 0 if that was before the start. EINVAL: not a time, or not CLOCK_REALTIME
 * or CLOCK_MONOTONIC. */
int cl_deadline(clockid_t clock, const struct timespec *time, uint64_t *at);

/* The cycles that a thread, or all, have run. */
#define CL_ALL_THREADS CL_THREADS
uint64_t cl_cpu_time(uint32_t thread);
/* The thread whose CPU time the clock shows, or CL_ALL_THREADS; larger values: not a CPU-time clock. */
uint32_t cl_cpu_time_of(clockid_t clock);

/* Waits until an absolute time of CLOCK_REALTIME: woken when the clock is set, to look at it again. */
extern struct cl_queue cl_clock_sleepers, cl_clock_timers;

#endif
