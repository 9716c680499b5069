/* SPDX-License-Identifier: Apache-2.0
 *
 * Exact conversions between cycles and times, and sleep and CPU time that are off by a few cycles at most. */
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "clock.h"

#define ABOVE (PTHREAD_PRIORITY_DEFAULT_NP + 2)
#define MICROSECOND 1000
/* Cycles, at most, with those of the checks around it. */
#if defined(CL_CORE_ECONOMY) || defined(CL_CORE_FAST)
#define LATE 30000
#else
#define LATE 9000
#endif

/* --- conversions --- */

static uint64_t cycles(time_t seconds, long nanoseconds) {
  return cl_cycles_of(&(struct timespec){seconds, nanoseconds});
}

static void converts(void) {
  const long long most = CL_NEVER / CL_CLOCK_HZ;
  CHECK(cycles(0, 0) == 0);
  CHECK(cycles(0, 1) == 1); /* up: never early */
  CHECK(cycles(1, 0) == CL_CLOCK_HZ);
  CHECK(cycles(3, CL_NANOSECONDS - 1) == 4ull * CL_CLOCK_HZ);
  CHECK(cycles(most - 1, 0) == (uint64_t)(most - 1) * CL_CLOCK_HZ);
  CHECK(cycles(most, 0) == CL_NEVER);
  CHECK(cycles(INT64_MAX, CL_NANOSECONDS - 1) == CL_NEVER);
  for (uint64_t i = 1; i < 1u << 30; i = i * 5 + 3) { /* there and back */
    struct timespec time = cl_time_of(i * i);
    CHECK(time.tv_nsec >= 0 && time.tv_nsec < CL_NANOSECONDS);
    CHECK(cl_cycles_of(&time) == i * i);
  }
}

/* --- the clocks --- */

static long long nanoseconds(clockid_t clock) {
  struct timespec now = {0};
  EQUAL(clock_gettime(clock, &now), 0);
  return now.tv_sec * CL_NANOSECONDS + now.tv_nsec;
}

static void shows_time(void) {
  struct timespec shown;
  struct timeval old;
  EQUAL(clock_getres(CLOCK_REALTIME, &shown), 0);
  EQUAL(shown.tv_nsec, CL_NANOSECONDS / CL_CLOCK_HZ);
  EQUAL(clock_settime(CLOCK_REALTIME, &(struct timespec){1700000000, 500 * 1000 * MICROSECOND}), 0);
  EQUAL(gettimeofday(&old, NULL), 0);
  EQUAL(old.tv_sec, 1700000000);
  CHECK(old.tv_usec >= 500000 && old.tv_usec < 501000);
  EQUAL(time(NULL), 1700000000);
}

static void has_deadlines(void) {
  uint64_t at;
  EQUAL(clock_settime(CLOCK_REALTIME, &(struct timespec){1700000000, 0}), 0);
  EQUAL(cl_deadline(CLOCK_MONOTONIC, &(struct timespec){2, 0}, &at), 0);
  CHECK(at == 2ull * CL_CLOCK_HZ);
  EQUAL(cl_deadline(CLOCK_REALTIME, &(struct timespec){1700000002, 0}, &at), 0);
  CHECK(at > 2ull * CL_CLOCK_HZ && at <= cl_now() + 2ull * CL_CLOCK_HZ);
  EQUAL(cl_deadline(CLOCK_REALTIME, &(struct timespec){1699999999, 0}, &at), 0);
  CHECK(at < cl_now());
  EQUAL(cl_deadline(CLOCK_REALTIME, &(struct timespec){INT64_MIN, 0}, &at), 0);
  CHECK(at == 0);
  EQUAL(cl_deadline(CLOCK_REALTIME, &(struct timespec){INT64_MAX, CL_NANOSECONDS - 1}, &at), 0);
  CHECK(at == CL_NEVER);
  EQUAL(cl_deadline(CLOCK_REALTIME, &(struct timespec){0, CL_NANOSECONDS}, &at), EINVAL);
  EQUAL(cl_deadline(CLOCK_REALTIME, &(struct timespec){0, -1}, &at), EINVAL);
  EQUAL(cl_deadline(CLOCK_PROCESS_CPUTIME_ID, &(struct timespec){0, 0}, &at), EINVAL);
}

/* --- sleep --- */

/* Slept from `before` until now, and should have `wanted` nanoseconds. */
static void slept(long long before, long long wanted) {
  long long took = nanoseconds(CLOCK_MONOTONIC) - before;
  CHECK(took >= wanted);
  CHECK(took < wanted + LATE * (CL_NANOSECONDS / CL_CLOCK_HZ));
}

static void sleeps(clockid_t clock) {
  for (long wanted = 0; wanted < 2000 * MICROSECOND; wanted = wanted * 3 + 777) {
    long long before = nanoseconds(CLOCK_MONOTONIC);
    EQUAL(clock_nanosleep(clock, 0, &(struct timespec){0, wanted}, NULL), 0);
    slept(before, wanted);
    long long until = nanoseconds(clock) + wanted;
    struct timespec time = {until / CL_NANOSECONDS, (long)(until % CL_NANOSECONDS)};
    before = nanoseconds(CLOCK_MONOTONIC);
    EQUAL(clock_nanosleep(clock, TIMER_ABSTIME, &time, NULL), 0);
    CHECK(nanoseconds(clock) >= until);
    CHECK(nanoseconds(CLOCK_MONOTONIC) - before < wanted + LATE * (CL_NANOSECONDS / CL_CLOCK_HZ));
  }
  long long before = nanoseconds(CLOCK_MONOTONIC);
  EQUAL(clock_nanosleep(clock, TIMER_ABSTIME, &(struct timespec){-5, 0}, NULL), 0);
  slept(before, 0);
}

static void sleeps_by_old_names(void) {
  long long before = nanoseconds(CLOCK_MONOTONIC);
  EQUAL(nanosleep(&(struct timespec){0, 300 * MICROSECOND}, NULL), 0);
  slept(before, 300 * MICROSECOND);
  before = nanoseconds(CLOCK_MONOTONIC);
  EQUAL(usleep(400), 0);
  slept(before, 400 * MICROSECOND);
  EQUAL(sleep(0), 0);
}

/* --- CPU time --- */

#define COMPUTES 50000 /* cycles */

static long long used_by(pthread_t thread) {
  clockid_t clock;
  EQUAL(pthread_getcpuclockid(thread, &clock), 0);
  return nanoseconds(clock) / (CL_NANOSECONDS / CL_CLOCK_HZ);
}

/* In turns with another of its priority, and interrupted by a more urgent one. */
static void *computes(void *unused) {
  (void)unused;
  while (used_by(pthread_self()) < COMPUTES) sched_yield();
  nanosleep(&(struct timespec){0, 2000 * MICROSECOND}, NULL); /* does not count */
  long long used = used_by(pthread_self());
  CHECK(used < COMPUTES + LATE);
  CHECK(nanoseconds(CLOCK_THREAD_CPUTIME_ID) / (CL_NANOSECONDS / CL_CLOCK_HZ) - used < LATE);
  nanosleep(&(struct timespec){0, 10000 * MICROSECOND}, NULL);
  return NULL;
}

static void *interrupts(void *unused) {
  (void)unused;
  for (int i = 0; i < 20; i++) usleep(500);
  return NULL;
}

static void counts_cpu_time(void) {
  clockid_t process;
  EQUAL(clock_getcpuclockid(0, &process), 0);
  long long begin = nanoseconds(process), mine = used_by(pthread_self());
  pthread_t threads[3] = {spawn(ABOVE, computes, NULL), spawn(ABOVE, computes, NULL),
                          spawn(ABOVE + 1, interrupts, NULL)};
  usleep(20000);
  long long used = 0;
  for (int i = 0; i < 2; i++) {
    long long each = used_by(threads[i]);
    CHECK(each >= COMPUTES && each < COMPUTES + LATE);
    used += each;
  }
  used += used_by(pthread_self()) - mine;
  long long all = (nanoseconds(process) - begin) / (CL_NANOSECONDS / CL_CLOCK_HZ);
  CHECK(all > used && all < used + 20 * LATE);
  CHECK(clock() >= all / (CL_CLOCK_HZ / CLOCKS_PER_SEC));
  for (int i = 0; i < 3; i++) EQUAL(pthread_join(threads[i], NULL), 0);
}

int main(void) {
  converts();
  shows_time();
  has_deadlines();
  sleeps(CLOCK_MONOTONIC);
  sleeps(CLOCK_REALTIME);
  sleeps_by_old_names();
  counts_cpu_time();
  return finish();
}
