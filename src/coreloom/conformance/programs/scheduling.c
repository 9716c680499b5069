/* SPDX-License-Identifier: Apache-2.0
 *
 * Scheduling: policies, priorities, yield. */
#include "conformance.h"

static volatile int go, place, runs, parked;
static char order[16];

static void *wait_for_go(void *argument) {
  AWAIT(go);
  return argument;
}

TEST(sched_get_priority_min, range, "SCHED_FIFO and SCHED_RR have 32 priorities or more") {
  TRUE(sched_get_priority_max(SCHED_FIFO) - sched_get_priority_min(SCHED_FIFO) + 1 >= 32);
  TRUE(sched_get_priority_max(SCHED_RR) - sched_get_priority_min(SCHED_RR) + 1 >= 32);
}

TEST(sched_get_priority_min, other, "SCHED_OTHER has a range, too") {
  TRUE(sched_get_priority_min(SCHED_OTHER) >= 0);
  TRUE(sched_get_priority_max(SCHED_OTHER) >= sched_get_priority_min(SCHED_OTHER));
}

TEST(sched_get_priority_min, unknown_einval, "a policy that there is not: EINVAL") {
  FAILS(EINVAL, sched_get_priority_min(1234));
  FAILS(EINVAL, sched_get_priority_min(-1));
}

TEST(sched_get_priority_max, above_min, "it is at least sched_get_priority_min") {
  TRUE(sched_get_priority_max(SCHED_FIFO) > sched_get_priority_min(SCHED_FIFO));
  TRUE(sched_get_priority_max(SCHED_RR) > sched_get_priority_min(SCHED_RR));
}

TEST(sched_get_priority_max, unknown_einval, "a policy that there is not: EINVAL") {
  FAILS(EINVAL, sched_get_priority_max(1234));
  FAILS(EINVAL, sched_get_priority_max(-1));
}

TEST(sched_rr_get_interval, positive, "the time slice of round-robin is a time") {
  struct timespec interval = {.tv_sec = -1, .tv_nsec = -1};
  OK(sched_rr_get_interval(0, &interval));
  TRUE(interval.tv_sec >= 0 && interval.tv_nsec >= 0 && interval.tv_nsec < 1000000000);
}

TEST(sched_rr_get_interval, no_process_esrch, "a process that there is not: ESRCH") {
  struct timespec interval;
  FAILS(ESRCH, sched_rr_get_interval(0x3ffffff, &interval));
}

TEST(sched_rr_get_interval, null_einval, "nowhere to store the time slice: EINVAL") {
  KERNELS_ONLY();
  FAILS(EINVAL, sched_rr_get_interval(0, nothing));
}

TEST(sched_getscheduler, own_policy, "the caller's policy is one that there is") {
  const int policy = sched_getscheduler(0);
  TRUE(policy == SCHED_OTHER || policy == SCHED_FIFO || policy == SCHED_RR);
}

TEST(sched_getscheduler, no_process_esrch, "a process that there is not: ESRCH") {
  FAILS(ESRCH, sched_getscheduler(0x3ffffff));
}

TEST(sched_getparam, own, "the caller's priority, as pthread_getschedparam gives it") {
  struct sched_param param = {.sched_priority = -1}, own;
  int policy;
  OK(sched_getparam(0, &param));
  OK(pthread_getschedparam(pthread_self(), &policy, &own));
  IS(own.sched_priority, param.sched_priority);
}

TEST(sched_getparam, no_process_esrch, "a process that there is not: ESRCH") {
  struct sched_param param;
  FAILS(ESRCH, sched_getparam(0x3ffffff, &param));
}

TEST(sched_setparam, own, "it sets the caller's priority") {
  struct sched_param before, now;
  OK(sched_getparam(0, &before));
  OK(sched_setparam(0, &before));
  OK(sched_getparam(0, &now));
  IS(before.sched_priority, now.sched_priority);
}

TEST(sched_setparam, outside_einval, "a priority outside the policy's range: EINVAL") {
  struct sched_param param = {.sched_priority = sched_get_priority_max(sched_getscheduler(0)) + 1};
  FAILS(EINVAL, sched_setparam(0, &param));
}

TEST(sched_setparam, no_process_esrch, "a process that there is not: ESRCH") {
  struct sched_param param;
  OK(sched_getparam(0, &param));
  FAILS(ESRCH, sched_setparam(0x3ffffff, &param));
}

/* SCHED_RR for a moment: what the call returned, and what then was the policy; -1 with errno if it failed. */
static int round_robin(int *found, int *priority) {
  struct sched_param before, param = {.sched_priority = sched_get_priority_min(SCHED_RR) + 2}, now;
  const int policy = sched_getscheduler(0);
  if (sched_getparam(0, &before)) return -1;
  const int result = sched_setscheduler(0, SCHED_RR, &param);
  if (result == -1) return -1;
  *found = sched_getscheduler(0);
  *priority = sched_getparam(0, &now) ? -1 : now.sched_priority - sched_get_priority_min(SCHED_RR);
  if (sched_setscheduler(0, policy, &before) == -1) return -1;
  return result;
}

TEST(sched_setscheduler, changes, "it sets policy and priority") {
  int policy = -1, priority = -1;
  errno = 0;
  const int result = round_robin(&policy, &priority);
  if (result == -1 && errno == EPERM) UNTESTED("no right to SCHED_RR");
  TRUE(result != -1);
  IS(SCHED_RR, policy);
  IS(2, priority);
}

TEST(sched_setscheduler, returns_policy_before, "it returns the policy before") {
  NOT_ON_LINUX("this C library returns 0");
  int policy, priority;
  IS(sched_getscheduler(0), round_robin(&policy, &priority));
}

TEST(sched_setscheduler, unknown_einval, "a policy that there is not, or a priority outside its range: EINVAL") {
  struct sched_param param;
  OK(sched_getparam(0, &param));
  FAILS(EINVAL, sched_setscheduler(0, 1234, &param));
  param.sched_priority = sched_get_priority_max(SCHED_RR) + 1;
  FAILS(EINVAL, sched_setscheduler(0, SCHED_RR, &param));
}

TEST(sched_setscheduler, no_process_esrch, "a process that there is not: ESRCH") {
  struct sched_param param = {.sched_priority = sched_get_priority_min(SCHED_RR)};
  FAILS(ESRCH, sched_setscheduler(0x3ffffff, SCHED_RR, &param));
}

static void *yield(void *argument) {
  for (int i = 0; i < 50; i++) sched_yield();
  return argument;
}

TEST(sched_yield, returns_zero, "0, with others ready and alone") {
  OK(sched_yield());
  const pthread_t a = started(yield, NULL), b = started(yield, NULL);
  for (int i = 0; i < 50; i++) OK(sched_yield());
  IS(0, joined(a));
  IS(0, joined(b));
}

static void *take_turns(void *name) {
  while (!go) sched_yield();
  for (int i = 0; i < 4; i++) {
    if (place < 15) order[place++] = (char)(long)name;
    sched_yield();
  }
  return NULL;
}

/* A thread at a level of SCHED_FIFO on processor 0. */
static int placed_at(pthread_t *thread, int above, void *(*start)(void *), void *argument) {
  pthread_attr_t attr;
  struct sched_param param = {.sched_priority = sched_get_priority_min(SCHED_FIFO) + above};
  pthread_attr_init(&attr);
  pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED);
  pthread_attr_setschedpolicy(&attr, SCHED_FIFO);
  pthread_attr_setschedparam(&attr, &param);
  pthread_attr_setplacement_np(&attr, PTHREAD_PLACEMENT_STATIC_NP, 0);
  const int error = pthread_create(thread, &attr, start, argument);
  pthread_attr_destroy(&attr);
  return error;
}

TEST(sched_yield, equals_take_turns, "under SCHED_FIFO it lets the next of the same priority run") {
  pthread_t a, b;
  go = place = 0;
  memset(order, 0, sizeof order);
  const int error = placed_at(&a, 3, take_turns, (void *)'a');
  if (error == EPERM) UNTESTED("no right to SCHED_FIFO");
  OK(error);
  OK(placed_at(&b, 3, take_turns, (void *)'b'));
  nap();
  go = 1;
  IS(0, joined(a));
  IS(0, joined(b));
  TRUE(strcmp(order, "abababab") == 0 || strcmp(order, "babababa") == 0);
}

static void *note_name(void *name) {
  if (place < 15) order[place++] = (char)(long)name;
  return NULL;
}

static void *make_three(void *unused) {
  pthread_t threads[3];
  runs = placed_at(&threads[0], 2, note_name, (void *)'a') || placed_at(&threads[1], 4, note_name, (void *)'b') ||
         placed_at(&threads[2], 3, note_name, (void *)'c');
  /* None has run yet: all are below us, on our processor. */
  parked = place;
  for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
  return unused;
}

TEST(pthread_create, priority_order, "under SCHED_FIFO ready threads of one processor run in the order of priorities") {
  pthread_t thread;
  place = 0;
  memset(order, 0, sizeof order);
  const int error = placed_at(&thread, 8, make_three, NULL);
  if (error == EPERM) UNTESTED("no right to SCHED_FIFO");
  OK(error);
  IS(0, joined(thread));
  IS(0, runs);
  IS(0, parked);
  IS(0, strcmp(order, "bca"));
}

TEST(pthread_getschedparam, as_created, "policy and priority that the thread was created with") {
  pthread_t thread;
  struct sched_param param;
  int policy = -1;
  go = 0;
  const int error = started_at(&thread, 3, wait_for_go, NULL);
  if (error == EPERM) UNTESTED("no right to SCHED_FIFO");
  OK(error);
  const int result = pthread_getschedparam(thread, &policy, &param);
  go = 1;
  IS(0, joined(thread));
  OK(result);
  IS(SCHED_FIFO, policy);
  IS(sched_get_priority_min(SCHED_FIFO) + 3, param.sched_priority);
}

TEST(pthread_getschedparam, no_thread_esrch, "a number that no thread has: ESRCH") {
  KERNELS_ONLY();
  struct sched_param param;
  int policy;
  IS(ESRCH, pthread_getschedparam((pthread_t)0x7fff0, &policy, &param));
}

TEST(pthread_setschedparam, changes, "it sets policy and priority of a thread") {
  struct sched_param param = {.sched_priority = sched_get_priority_min(SCHED_RR) + 5}, now;
  int policy = -1;
  go = 0;
  const pthread_t thread = started(wait_for_go, NULL);
  const int error = pthread_setschedparam(thread, SCHED_RR, &param);
  const int again = pthread_getschedparam(thread, &policy, &now);
  go = 1;
  IS(0, joined(thread));
  if (error == EPERM) UNTESTED("no right to SCHED_RR");
  OK(error);
  OK(again);
  IS(SCHED_RR, policy);
  IS(param.sched_priority, now.sched_priority);
}

TEST(pthread_setschedparam, unknown_policy, "a policy that there is not: EINVAL or ENOTSUP, and nothing changes") {
  struct sched_param param, now;
  int policy, after;
  OK(pthread_getschedparam(pthread_self(), &policy, &param));
  const int error = pthread_setschedparam(pthread_self(), 1234, &param);
  TRUE(error == EINVAL || error == ENOTSUP);
  OK(pthread_getschedparam(pthread_self(), &after, &now));
  IS(policy, after);
  IS(param.sched_priority, now.sched_priority);
}

TEST(pthread_setschedparam, outside_einval, "a priority outside the policy's range: EINVAL") {
  struct sched_param param = {.sched_priority = sched_get_priority_max(SCHED_FIFO) + 1};
  IS(EINVAL, pthread_setschedparam(pthread_self(), SCHED_FIFO, &param));
  param.sched_priority = sched_get_priority_min(SCHED_FIFO) - 1;
  IS(EINVAL, pthread_setschedparam(pthread_self(), SCHED_FIFO, &param));
}

TEST(pthread_setschedparam, no_thread_esrch, "a number that no thread has: ESRCH") {
  KERNELS_ONLY();
  struct sched_param param = {.sched_priority = sched_get_priority_min(SCHED_RR)};
  IS(ESRCH, pthread_setschedparam((pthread_t)0x7fff0, SCHED_RR, &param));
}

TEST(pthread_setschedprio, changes, "it sets the priority and keeps the policy") {
  pthread_t thread;
  struct sched_param param;
  int policy = -1;
  go = 0;
  const int error = started_at(&thread, 2, wait_for_go, NULL);
  if (error == EPERM) UNTESTED("no right to SCHED_FIFO");
  OK(error);
  const int result = pthread_setschedprio(thread, sched_get_priority_min(SCHED_FIFO) + 4);
  const int again = pthread_getschedparam(thread, &policy, &param);
  go = 1;
  IS(0, joined(thread));
  OK(result);
  OK(again);
  IS(SCHED_FIFO, policy);
  IS(sched_get_priority_min(SCHED_FIFO) + 4, param.sched_priority);
}

TEST(pthread_setschedprio, outside_einval, "a priority outside the policy's range: EINVAL") {
  pthread_t thread;
  go = 0;
  const int error = started_at(&thread, 2, wait_for_go, NULL);
  if (error == EPERM) UNTESTED("no right to SCHED_FIFO");
  OK(error);
  const int high = pthread_setschedprio(thread, sched_get_priority_max(SCHED_FIFO) + 1);
  const int low = pthread_setschedprio(thread, sched_get_priority_min(SCHED_FIFO) - 1);
  go = 1;
  IS(0, joined(thread));
  IS(EINVAL, high);
  IS(EINVAL, low);
}

TEST(pthread_setschedprio, no_thread_esrch, "a number that no thread has: ESRCH") {
  KERNELS_ONLY();
  IS(ESRCH, pthread_setschedprio((pthread_t)0x7fff0, sched_get_priority_min(SCHED_RR)));
}

static void *count_runs(void *unused) {
  runs = 1;
  return unused;
}

static void *raise_the_other(void *thread_of) {
  /* Below us it does not run; above us it does, before the call returns. */
  nap();
  pthread_t other;
  if (placed_at(&other, 2, count_runs, NULL)) return (void *)1;
  if (runs) return (void *)2;
  if (pthread_setschedprio(other, sched_get_priority_min(SCHED_FIFO) + 9)) return (void *)3;
  for (volatile int i = 0; i < 1000; i++) continue;
  const int ran = runs;
  pthread_join(other, NULL);
  (void)thread_of;
  return (void *)(long)(ran ? 0 : 4);
}

TEST(pthread_setschedprio, preempts, "a ready thread that becomes better than the caller runs at once") {
  pthread_t thread;
  runs = 0;
  const int error = placed_at(&thread, 6, raise_the_other, NULL);
  if (error == EPERM) UNTESTED("no right to SCHED_FIFO");
  OK(error);
  IS(0, joined(thread));
}

TEST(pthread_setconcurrency, kept, "the level is kept, and does nothing else") {
  OK(pthread_setconcurrency(3));
  IS(3, pthread_getconcurrency());
  OK(pthread_setconcurrency(0));
}

TEST(pthread_setconcurrency, negative_einval, "a negative level: EINVAL") { IS(EINVAL, pthread_setconcurrency(-1)); }

TEST(pthread_getconcurrency, default_zero, "0 unless set") { IS(0, pthread_getconcurrency()); }
