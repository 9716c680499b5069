/* SPDX-License-Identifier: Apache-2.0
 *
 * Clocks and sleep: exact conversions between cycles and times, and sleep that never ends early. */
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
  EQUAL(shown.tv_sec, 0);
  EQUAL(shown.tv_nsec, CL_NANOSECONDS / CL_CLOCK_HZ);
  EQUAL(clock_getres(CLOCK_MONOTONIC, NULL), 0);
  EQUAL(clock_getres(12345, &shown), -1);
  EQUAL(errno, EINVAL);
  EQUAL(clock_gettime(12345, &shown), -1);
  EQUAL(errno, EINVAL);

  long long before = nanoseconds(CLOCK_MONOTONIC);
  uint32_t start = cl_cycle();
  waste(1000);
  long long passed = nanoseconds(CLOCK_MONOTONIC) - before;
  CHECK(passed >= 1000 * (CL_NANOSECONDS / CL_CLOCK_HZ));
  CHECK(passed <= (long long)(cl_cycle() - start + 5000) * (CL_NANOSECONDS / CL_CLOCK_HZ));

  EQUAL(clock_settime(CLOCK_REALTIME, &(struct timespec){1700000000, 500 * 1000 * MICROSECOND}), 0);
  EQUAL(clock_gettime(CLOCK_REALTIME, &shown), 0);
  EQUAL(shown.tv_sec, 1700000000);
  CHECK(shown.tv_nsec >= 500000000 && shown.tv_nsec < 501000000);
  EQUAL(gettimeofday(&old, NULL), 0);
  EQUAL(old.tv_sec, 1700000000);
  CHECK(old.tv_usec >= 500000 && old.tv_usec < 501000);
  time_t seconds;
  EQUAL(time(&seconds), 1700000000);
  EQUAL(seconds, 1700000000);
  CHECK(nanoseconds(CLOCK_MONOTONIC) < 10ll * CL_NANOSECONDS);
  EQUAL(clock_settime(CLOCK_MONOTONIC, &shown), -1);
  EQUAL(errno, EINVAL);
  EQUAL(clock_settime(12345, &shown), -1);
  EQUAL(clock_settime(CLOCK_REALTIME, &(struct timespec){1, CL_NANOSECONDS}), -1);
  EQUAL(clock_settime(CLOCK_REALTIME, &(struct timespec){1, -1}), -1);
  EQUAL(clock_settime(CLOCK_REALTIME, &(struct timespec){-1, 0}), -1);
  EQUAL(errno, EINVAL);
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

static void refuses_to_sleep(void) {
  EQUAL(nanosleep(&(struct timespec){0, CL_NANOSECONDS}, NULL), -1);
  EQUAL(errno, EINVAL);
  EQUAL(nanosleep(&(struct timespec){0, -1}, NULL), -1);
  EQUAL(nanosleep(&(struct timespec){-1, 0}, NULL), -1);
  EQUAL(clock_nanosleep(CLOCK_REALTIME, 0, &(struct timespec){0, CL_NANOSECONDS}, NULL), EINVAL);
  EQUAL(clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &(struct timespec){0, -1}, NULL), EINVAL);
  EQUAL(clock_nanosleep(12345, 0, &(struct timespec){0, 0}, NULL), EINVAL);
  EQUAL(clock_nanosleep(CLOCK_THREAD_CPUTIME_ID, 0, &(struct timespec){0, 0}, NULL), EINVAL);
  EQUAL(clock_nanosleep(CLOCK_PROCESS_CPUTIME_ID, 0, &(struct timespec){0, 0}, NULL), ENOTSUP);
}

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

static void *sleep_until_1800000000(void *absolute) {
  int flags = absolute ? TIMER_ABSTIME : 0;
  struct timespec time = absolute ? (struct timespec){1800000000, 0} : (struct timespec){0, 2000 * MICROSECOND};
  long long before = nanoseconds(CLOCK_MONOTONIC);
  EQUAL(clock_nanosleep(CLOCK_REALTIME, flags, &time, NULL), 0);
  if (absolute) CHECK(time.tv_sec <= nanoseconds(CLOCK_REALTIME) / CL_NANOSECONDS);
  else slept(before, 2000 * MICROSECOND);
  return NULL;
}

/* Setting the clock moves the end of an absolute sleep, and of no other. */
static void moves_with_the_clock(void) {
  EQUAL(clock_settime(CLOCK_REALTIME, &(struct timespec){1700000000, 0}), 0);
  pthread_t absolute = spawn(ABOVE, sleep_until_1800000000, (void *)1);
  pthread_t relative = spawn(ABOVE, sleep_until_1800000000, NULL);
  long long before = nanoseconds(CLOCK_MONOTONIC);
  EQUAL(clock_settime(CLOCK_REALTIME, &(struct timespec){1799999999, 999000000}), 0); /* a millisecond to go */
  EQUAL(pthread_join(absolute, NULL), 0);
  slept(before, 1000 * MICROSECOND);
  EQUAL(pthread_join(relative, NULL), 0);
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
  clockid_t process, other;
  struct timespec time;
  EQUAL(clock_getcpuclockid(0, &process), 0);
  EQUAL(clock_getcpuclockid(getpid(), &other), 0);
  EQUAL(other, process);
  EQUAL(clock_getcpuclockid(12345, &process), ESRCH);
  EQUAL(pthread_getcpuclockid(CL_THREADS, &other), ESRCH);
  EQUAL(clock_getres(process, &time), 0);
  EQUAL(clock_settime(process, &time), -1);
  EQUAL(errno, EPERM);
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

static void *sleeps_long(void *absolute) {
  nanosleep(&(struct timespec){.tv_sec = absolute ? 0 : 100000}, NULL);
  clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &(struct timespec){.tv_sec = INT64_MAX}, NULL);
  return NULL;
}

static void can_be_cancelled(void) {
  for (intptr_t i = 0; i < 2; i++) {
    void *value;
    pthread_t thread = spawn(ABOVE, sleeps_long, (void *)i);
    usleep(1000); /* it sleeps on any CPU */
    EQUAL(pthread_cancel(thread), 0);
    EQUAL(pthread_join(thread, &value), 0);
    CHECK(value == PTHREAD_CANCELED);
  }
}

int main(void) {
  converts();
  shows_time();
  has_deadlines();
  refuses_to_sleep();
  sleeps(CLOCK_MONOTONIC);
  sleeps(CLOCK_REALTIME);
  sleeps_by_old_names();
  moves_with_the_clock();
  counts_cpu_time();
  can_be_cancelled();
  return finish();
}
