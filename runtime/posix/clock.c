/* SPDX-License-Identifier: Apache-2.0 */
#include "clock.h"

#include <errno.h>
#include <sys/time.h>
#include <unistd.h>

struct cl_queue cl_clock_sleepers, cl_clock_timers;

/* CLOCK_REALTIME is this much more than CLOCK_MONOTONIC; tv_nsec is never negative. The count is odd while it is
 * changed, with the lock held; readers take no lock. At the start it is the year 2026, as by a clock chip without a
 * battery: a time of 0 is an error to many programs, and disarms a timer. */
static volatile struct timespec ahead = {.tv_sec = 1767225600};
static volatile uint32_t changes;

static struct timespec realtime_ahead(void) {
  struct timespec found;
  uint32_t before;
  do {
    before = changes;
    found = (struct timespec){ahead.tv_sec, ahead.tv_nsec};
  } while (before != changes || before & 1);
  return found;
}

/* Nanoseconds of a cycle; 0: not a whole number, which takes divisions of 64 bits. */
#define CYCLE_NS (CL_NANOSECONDS % CL_CLOCK_HZ ? 0 : CL_NANOSECONDS / CL_CLOCK_HZ)

uint64_t cl_cycles_of(const struct timespec *time) {
  uint32_t part = (uint32_t)time->tv_nsec;
  if ((uint64_t)time->tv_sec >= UINT64_MAX / CL_CLOCK_HZ) return CL_NEVER;
  if (CYCLE_NS) part = (part + CYCLE_NS - 1) / (CYCLE_NS ? CYCLE_NS : 1);
  else part = (uint32_t)(((uint64_t)part * CL_CLOCK_HZ + CL_NANOSECONDS - 1) / CL_NANOSECONDS);
  return (uint64_t)time->tv_sec * CL_CLOCK_HZ + part;
}

struct timespec cl_time_of(uint64_t cycles) {
  uint64_t seconds = cycles <= UINT32_MAX ? (uint32_t)cycles / CL_CLOCK_HZ : cycles / CL_CLOCK_HZ;
  uint32_t rest = (uint32_t)(cycles - seconds * CL_CLOCK_HZ);
  long part = CYCLE_NS ? (long)(rest * CYCLE_NS) : (long)((uint64_t)rest * CL_NANOSECONDS / CL_CLOCK_HZ);
  return (struct timespec){(time_t)seconds, part};
}

struct timespec cl_time_sum(struct timespec a, struct timespec b) {
  long part = a.tv_nsec + b.tv_nsec;
  int carry = part >= CL_NANOSECONDS;
  return (struct timespec){a.tv_sec + b.tv_sec + carry, carry ? part - CL_NANOSECONDS : part};
}

struct timespec cl_time_difference(struct timespec a, struct timespec b) {
  long part = a.tv_nsec - b.tv_nsec;
  int borrow = part < 0;
  return (struct timespec){a.tv_sec - b.tv_sec - borrow, borrow ? part + CL_NANOSECONDS : part};
}

uint64_t cl_after(const struct timespec *time) {
  uint64_t cycles = cl_cycles_of(time), now = cl_now();
  return cycles > CL_NEVER - now ? CL_NEVER : now + cycles;
}

int cl_deadline(clockid_t clock, const struct timespec *time, uint64_t *at) {
  if (!cl_is_time(time) || (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC)) return EINVAL;
  struct timespec monotonic = *time;
  if (clock == CLOCK_REALTIME && time->tv_sec >= 0) { /* else it cannot overflow, and is over */
    struct timespec more = realtime_ahead();
    /* The clock is never before the Epoch, so more is at least -(the time since the start). */
    if (time->tv_sec > INT64_MAX / 2) monotonic.tv_sec = INT64_MAX / 2;
    monotonic = cl_time_difference(monotonic, more);
  }
  *at = monotonic.tv_sec < 0 ? 0 : cl_cycles_of(&monotonic);
  return 0;
}

/* CPU-time clocks of threads are numbered from here. */
#define OF_THREAD 0x10000u

uint32_t cl_cpu_time_of(clockid_t clock) {
  if (clock == CLOCK_PROCESS_CPUTIME_ID) return CL_ALL_THREADS;
  if (clock == CLOCK_THREAD_CPUTIME_ID) return pthread_self();
  return clock - OF_THREAD < CL_THREADS ? (uint32_t)clock - OF_THREAD : CL_ALL_THREADS + 1;
}

static int is_clock(clockid_t clock) {
  return clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC || cl_cpu_time_of(clock) <= CL_ALL_THREADS;
}

static struct timespec realtime(void) { return cl_time_sum(cl_time_of(cl_now()), realtime_ahead()); }

int clock_gettime(clockid_t clock, struct timespec *time) {
  if (!is_clock(clock)) return cl_fail(EINVAL);
  if (clock == CLOCK_REALTIME) *time = realtime();
  else *time = cl_time_of(clock == CLOCK_MONOTONIC ? cl_now() : cl_cpu_time(cl_cpu_time_of(clock)));
  return 0;
}

int pthread_getcpuclockid(pthread_t thread, clockid_t *clock) {
  if (thread >= CL_THREADS || cl_status(cl_op_thread_read(thread))) return ESRCH;
  *clock = OF_THREAD + thread;
  return 0;
}

int clock_getcpuclockid(pid_t process, clockid_t *clock) {
  if (process && process != getpid()) return ESRCH;
  *clock = CLOCK_PROCESS_CPUTIME_ID;
  return 0;
}

int clock_settime(clockid_t clock, const struct timespec *time) {
  if (!is_clock(clock) || !cl_is_time(time) || time->tv_sec < 0) return cl_fail(EINVAL);
  if (clock != CLOCK_REALTIME) return cl_fail(clock == CLOCK_MONOTONIC ? EINVAL : EPERM);
  cl_backend_lock();
  struct timespec more = cl_time_difference(*time, cl_time_of(cl_now()));
  changes++;
  ahead.tv_sec = more.tv_sec;
  ahead.tv_nsec = more.tv_nsec;
  changes++;
  while (cl_queue_wake(&cl_clock_sleepers)) continue;
  while (cl_queue_wake(&cl_clock_timers)) continue;
  cl_backend_unlock();
  return 0;
}

int clock_getres(clockid_t clock, struct timespec *resolution) {
  if (!is_clock(clock)) return cl_fail(EINVAL);
  const long step = (CL_NANOSECONDS - 1) / CL_CLOCK_HZ + 1;
  if (resolution) *resolution = (struct timespec){step / CL_NANOSECONDS, step % CL_NANOSECONDS};
  return 0;
}

time_t time(time_t *seconds) {
  time_t now = realtime().tv_sec;
  if (seconds) *seconds = now;
  return now;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
  (void)zone;
  struct timespec now = realtime();
  *time = (struct timeval){now.tv_sec, now.tv_nsec / 1000};
  return 0;
}

clock_t clock(void) {
  struct timespec used = cl_time_of(cl_cpu_time(CL_ALL_THREADS));
  return (clock_t)used.tv_sec * CLOCKS_PER_SEC + (clock_t)used.tv_nsec / (CL_NANOSECONDS / CLOCKS_PER_SEC);
}
