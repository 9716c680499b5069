/* SPDX-License-Identifier: Apache-2.0
 *
 * Clocks and sleep. */
#include "conformance.h"

static volatile int go;

static long long ns_between(struct timespec a, struct timespec b) {
  return (long long)(b.tv_sec - a.tv_sec) * 1000000000 + (b.tv_nsec - a.tv_nsec);
}

static struct timespec now(clockid_t clock) {
  struct timespec time = {.tv_sec = -1};
  clock_gettime(clock, &time);
  return time;
}

static void compute_for(long long ns) {
  const struct timespec begin = now(CLOCK_MONOTONIC);
  while (ns_between(begin, now(CLOCK_MONOTONIC)) < ns) continue;
}

TEST(clock_gettime, valid, "0 for CLOCK_REALTIME and CLOCK_MONOTONIC, nanoseconds within a second") {
  struct timespec time;
  const clockid_t clocks[] = {CLOCK_REALTIME, CLOCK_MONOTONIC};
  for (int i = 0; i < 2; i++) {
    memset(&time, 0xff, sizeof time);
    OK(clock_gettime(clocks[i], &time));
    TRUE(time.tv_sec >= 0 && time.tv_nsec >= 0 && time.tv_nsec < 1000000000);
  }
}

TEST(clock_gettime, monotonic, "CLOCK_MONOTONIC does not go back in 500 readings") {
  struct timespec before = now(CLOCK_MONOTONIC);
  for (int i = 0; i < 500; i++) {
    const struct timespec time = now(CLOCK_MONOTONIC);
    TRUE(ns_between(before, time) >= 0);
    before = time;
  }
}

TEST(clock_gettime, advances, "both clocks advance") {
  const struct timespec monotonic = now(CLOCK_MONOTONIC), realtime = now(CLOCK_REALTIME);
  nap();
  TRUE(ns_between(monotonic, now(CLOCK_MONOTONIC)) > 0);
  TRUE(ns_between(realtime, now(CLOCK_REALTIME)) > 0);
}

TEST(clock_gettime, unknown_einval, "a clock that there is not: EINVAL") {
  struct timespec time;
  FAILS(EINVAL, clock_gettime(1234, &time));
}

TEST(clock_gettime, thread_cpu_time, "CLOCK_THREAD_CPUTIME_ID counts what the thread computes, not what it waits") {
  const struct timespec begin = now(CLOCK_THREAD_CPUTIME_ID), wall = now(CLOCK_MONOTONIC);
  compute_for(1000000);
  const struct timespec computed = now(CLOCK_THREAD_CPUTIME_ID);
  TRUE(ns_between(begin, computed) > 0);
  for (int i = 0; i < 5; i++) nap();
  const struct timespec waited = now(CLOCK_THREAD_CPUTIME_ID);
  TRUE(ns_between(computed, waited) >= 0);
  TRUE(ns_between(begin, waited) < ns_between(wall, now(CLOCK_MONOTONIC)));
  TRUE(ns_between(computed, waited) < 4000000);
}

TEST(clock_gettime, process_cpu_time, "CLOCK_PROCESS_CPUTIME_ID counts what the program computes") {
  const struct timespec begin = now(CLOCK_PROCESS_CPUTIME_ID);
  compute_for(1000000);
  TRUE(ns_between(begin, now(CLOCK_PROCESS_CPUTIME_ID)) > 0);
}

TEST(clock_gettime, no_time_is_0, "CLOCK_REALTIME is past 2025: to many programs 0 is an error") {
  TRUE(now(CLOCK_REALTIME).tv_sec >= 1767225600);
}

TEST(clock_getres, valid, "a resolution above 0 and up to 20 ms for each clock") {
  const clockid_t clocks[] = {CLOCK_REALTIME, CLOCK_MONOTONIC, CLOCK_THREAD_CPUTIME_ID, CLOCK_PROCESS_CPUTIME_ID};
  for (int i = 0; i < 4; i++) {
    struct timespec resolution = {.tv_sec = -1};
    OK(clock_getres(clocks[i], &resolution));
    IS(0, resolution.tv_sec);
    TRUE(resolution.tv_nsec > 0 && resolution.tv_nsec <= 20000000);
  }
}

TEST(clock_getres, null_place, "without a place for it: 0") { OK(clock_getres(CLOCK_REALTIME, NULL)); }

TEST(clock_getres, unknown_einval, "a clock that there is not: EINVAL") {
  struct timespec resolution;
  FAILS(EINVAL, clock_getres(1234, &resolution));
}

TEST(clock_settime, realtime, "CLOCK_REALTIME goes on from the time set; CLOCK_MONOTONIC is not affected") {
  NOT_ON_LINUX("this machine's clock is not ours to set");
  const struct timespec monotonic = now(CLOCK_MONOTONIC), later = {.tv_sec = 1700000000, .tv_nsec = 5};
  OK(clock_settime(CLOCK_REALTIME, &later));
  const struct timespec time = now(CLOCK_REALTIME);
  TRUE(ns_between(later, time) >= 0);
  TRUE(ns_between(later, time) < 1000000000);
  TRUE(ns_between(monotonic, now(CLOCK_MONOTONIC)) < 1000000000);
}

TEST(clock_settime, monotonic_einval, "CLOCK_MONOTONIC cannot be set: EINVAL") {
  const struct timespec time = now(CLOCK_MONOTONIC);
  FAILS(EINVAL, clock_settime(CLOCK_MONOTONIC, &time));
}

TEST(clock_settime, bad_time_einval, "nanoseconds outside 0 to 999 999 999: EINVAL") {
  const struct timespec bad[] = {{.tv_sec = 1, .tv_nsec = 1000000000}, {.tv_sec = 1, .tv_nsec = -1}, {.tv_sec = -1}};
  for (int i = 0; i < 3; i++) FAILS(EINVAL, clock_settime(CLOCK_REALTIME, &bad[i]));
}

TEST(clock_settime, unknown_einval, "a clock that there is not: EINVAL") {
  const struct timespec time = {.tv_sec = 1};
  FAILS(EINVAL, clock_settime(1234, &time));
}

TEST(nanosleep, not_before, "it returns when the time has passed, not before") {
  const long times[] = {0, 1, 100000, 2000000};
  for (int i = 0; i < 4; i++) {
    const struct timespec time = {.tv_nsec = times[i]}, begin = now(CLOCK_MONOTONIC);
    OK(nanosleep(&time, NULL));
    TRUE(ns_between(begin, now(CLOCK_MONOTONIC)) >= times[i]);
  }
}

TEST(nanosleep, bad_time_einval, "nanoseconds outside 0 to 999 999 999: EINVAL") {
  const struct timespec bad[] = {{.tv_nsec = 1000000000}, {.tv_nsec = -1}, {.tv_sec = -1}};
  for (int i = 0; i < 3; i++) FAILS(EINVAL, nanosleep(&bad[i], NULL));
}

static void *sleep_then_go(void *unused) {
  const struct timespec time = {.tv_nsec = 1000000};
  nanosleep(&time, NULL);
  go = 1;
  return unused;
}

TEST(nanosleep, others_run, "other threads run meanwhile") {
  go = 0;
  const pthread_t thread = started(sleep_then_go, NULL);
  long rounds = 0;
  while (!go) {
    rounds++;
    sched_yield();
  }
  IS(0, joined(thread));
  TRUE(rounds > 0);
}

static void *sleep_ms(void *ms) {
  const struct timespec time = {.tv_nsec = (long)ms * 1000000};
  const struct timespec begin = now(CLOCK_MONOTONIC);
  if (nanosleep(&time, NULL)) return (void *)1;
  return (void *)(long)(ns_between(begin, now(CLOCK_MONOTONIC)) < (long)ms * 1000000);
}

TEST(nanosleep, several_at_once, "several threads sleep at once, each for its time") {
  pthread_t threads[4];
  for (long i = 0; i < 4; i++) threads[i] = started(sleep_ms, (void *)(4 - i));
  for (int i = 0; i < 4; i++) IS(0, joined(threads[i]));
}

TEST(clock_nanosleep, relative, "without a flag the time is from now") {
  const clockid_t clocks[] = {CLOCK_REALTIME, CLOCK_MONOTONIC};
  for (int i = 0; i < 2; i++) {
    const struct timespec time = {.tv_nsec = 1000000}, begin = now(CLOCK_MONOTONIC);
    OK(clock_nanosleep(clocks[i], 0, &time, NULL));
    TRUE(ns_between(begin, now(CLOCK_MONOTONIC)) >= 1000000);
  }
}

TEST(clock_nanosleep, absolute, "TIMER_ABSTIME: until that time on the clock, not before") {
  const clockid_t clocks[] = {CLOCK_REALTIME, CLOCK_MONOTONIC};
  for (int i = 0; i < 2; i++) {
    const struct timespec at = in_ms(clocks[i], 2);
    OK(clock_nanosleep(clocks[i], TIMER_ABSTIME, &at, NULL));
    TRUE(has_come(clocks[i], at));
  }
}

TEST(clock_nanosleep, absolute_past, "TIMER_ABSTIME with a time that is past: 0 at once") {
  const struct timespec at = {0};
  OK(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL));
  OK(clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &at, NULL));
}

static void *sleep_in_realtime(void *flags) {
  const int absolute = flags != NULL;
  const struct timespec time = {.tv_sec = absolute ? 1800000000 : 0, .tv_nsec = absolute ? 0 : 3000000};
  const struct timespec begin = now(CLOCK_MONOTONIC);
  if (clock_nanosleep(CLOCK_REALTIME, absolute ? TIMER_ABSTIME : 0, &time, NULL)) return (void *)1;
  return (void *)(long)(absolute ? is_before(now(CLOCK_REALTIME), time)
                                 : ns_between(begin, now(CLOCK_MONOTONIC)) < 3000000);
}

TEST(clock_nanosleep, clock_is_set, "to set the clock moves the end of an absolute sleep, and of no other") {
  NOT_ON_LINUX("this machine's clock is not ours to set");
  const struct timespec before = {.tv_sec = 1700000000}, later = {.tv_sec = 1799999999, .tv_nsec = 999000000};
  OK(clock_settime(CLOCK_REALTIME, &before));
  const pthread_t absolute = started(sleep_in_realtime, (void *)&go), relative = started(sleep_in_realtime, NULL);
  nap();
  OK(clock_settime(CLOCK_REALTIME, &later)); /* a millisecond to go */
  IS(0, joined(absolute));
  IS(0, joined(relative));
}

TEST(clock_nanosleep, bad_time_einval, "nanoseconds outside 0 to 999 999 999: EINVAL, as the result") {
  const struct timespec bad[] = {{.tv_nsec = 1000000000}, {.tv_nsec = -1}};
  errno = 0;
  IS(EINVAL, clock_nanosleep(CLOCK_MONOTONIC, 0, &bad[0], NULL));
  IS(EINVAL, clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &bad[1], NULL));
}

TEST(clock_nanosleep, own_cpu_clock_einval, "the caller's CPU-time clock: EINVAL") {
  const struct timespec time = {.tv_nsec = 1};
  IS(EINVAL, clock_nanosleep(CLOCK_THREAD_CPUTIME_ID, 0, &time, NULL));
}

TEST(clock_nanosleep, unknown, "a clock that there is not: EINVAL or ENOTSUP") {
  const struct timespec time = {.tv_nsec = 1};
  const int error = clock_nanosleep(1234, 0, &time, NULL);
  TRUE(error == EINVAL || error == ENOTSUP);
}

TEST(sleep, zero, "0 seconds: 0 at once") { IS(0, sleep(0)); }

TEST(usleep, not_before, "it returns when the time has passed, not before") {
  const struct timespec begin = now(CLOCK_MONOTONIC);
  OK(usleep(1500));
  TRUE(ns_between(begin, now(CLOCK_MONOTONIC)) >= 1500000);
}

static volatile long computed_enough;

static void *compute_and_wait(void *unused) {
  compute_for(1000000);
  computed_enough = 1;
  AWAIT(go);
  return unused;
}

TEST(pthread_getcpuclockid, of_other_thread, "the clock of another thread's CPU time") {
  clockid_t clock;
  go = 0;
  computed_enough = 0;
  const pthread_t thread = started(compute_and_wait, NULL);
  const int error = pthread_getcpuclockid(thread, &clock);
  AWAIT(computed_enough);
  struct timespec time = {.tv_sec = -1};
  const int read = error ? 0 : clock_gettime(clock, &time);
  go = 1;
  IS(0, joined(thread));
  OK(error);
  OK(read);
  TRUE(time.tv_sec > 0 || time.tv_nsec > 0);
}

TEST(pthread_getcpuclockid, own, "the caller's clock is CLOCK_THREAD_CPUTIME_ID's time") {
  clockid_t clock;
  OK(pthread_getcpuclockid(pthread_self(), &clock));
  const struct timespec before = now(CLOCK_THREAD_CPUTIME_ID), time = now(clock), after = now(CLOCK_THREAD_CPUTIME_ID);
  TRUE(ns_between(before, time) >= 0);
  TRUE(ns_between(time, after) >= 0);
}

TEST(clock_getcpuclockid, own_process, "the clock of the program's CPU time") {
  clockid_t clock;
  struct timespec time = {.tv_sec = -1};
  OK(clock_getcpuclockid(0, &clock));
  OK(clock_gettime(clock, &time));
  TRUE(time.tv_sec >= 0);
}

TEST(clock_getcpuclockid, no_process_esrch, "a process that there is not: ESRCH") {
  clockid_t clock;
  IS(ESRCH, clock_getcpuclockid(0x3ffffff, &clock));
}
