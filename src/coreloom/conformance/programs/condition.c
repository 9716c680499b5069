/* SPDX-License-Identifier: Apache-2.0
 *
 * Condition variables. */
#include "conformance.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond;
static volatile int waiting, ready, woken, place;
static char order[8];

static void *wait_once(void *unused) {
  pthread_mutex_lock(&mutex);
  waiting++;
  while (!ready) pthread_cond_wait(&cond, &mutex);
  woken++;
  pthread_mutex_unlock(&mutex);
  return unused;
}

/* Until `number` threads are in their wait: each has unlocked the mutex. */
static void until_waiting(int number) {
  for (;;) {
    pthread_mutex_lock(&mutex);
    const int now = waiting;
    pthread_mutex_unlock(&mutex);
    if (now == number) return;
    nap();
  }
}

static void clear(void) { waiting = ready = woken = place = 0; }

/* A test with a condition variable. */
#define FRESH(function, requirement, text) \
  TEST_BETWEEN(function, requirement, text, pthread_cond_init(&cond, NULL), pthread_cond_destroy(&cond))

FRESH(pthread_cond_init, default_attributes, "without attributes: a condition variable nobody waits for") {
  OK(pthread_cond_signal(&cond));
  OK(pthread_cond_broadcast(&cond));
}

TEST(pthread_cond_init, static_initializer, "PTHREAD_COND_INITIALIZER is as good as the call") {
  static const pthread_cond_t fresh = PTHREAD_COND_INITIALIZER;
  cond = fresh;
  clear();
  const pthread_t thread = started(wait_once, NULL);
  until_waiting(1);
  OK(pthread_mutex_lock(&mutex));
  ready = 1;
  OK(pthread_cond_signal(&cond));
  OK(pthread_mutex_unlock(&mutex));
  IS(0, joined(thread));
  OK(pthread_cond_destroy(&cond));
}

TEST(pthread_cond_init, no_small_limit, "200 condition variables can exist") {
  static pthread_cond_t many[200];
  for (int i = 0; i < 200; i++) OK(pthread_cond_init(&many[i], NULL));
  for (int i = 0; i < 200; i++) OK(pthread_cond_signal(&many[i]));
  for (int i = 0; i < 200; i++) OK(pthread_cond_destroy(&many[i]));
}

TEST(pthread_cond_destroy, init_again, "a destroyed one can be initialised again") {
  for (int i = 0; i < 100; i++) {
    OK(pthread_cond_init(&cond, NULL));
    OK(pthread_cond_destroy(&cond));
  }
}

TEST(pthread_cond_destroy, unused_static, "a static one that was never used can be destroyed") {
  static pthread_cond_t fixed = PTHREAD_COND_INITIALIZER;
  OK(pthread_cond_destroy(&fixed));
}

TEST(pthread_cond_destroy, then_use_einval, "a destroyed one: EINVAL") {
  OK(pthread_cond_init(&cond, NULL));
  OK(pthread_cond_destroy(&cond));
  KERNELS_ONLY();
  OK(pthread_mutex_lock(&mutex));
  const int error = pthread_cond_wait(&cond, &mutex);
  OK(pthread_mutex_unlock(&mutex));
  IS(EINVAL, error);
  IS(EINVAL, pthread_cond_signal(&cond));
  IS(EINVAL, pthread_cond_broadcast(&cond));
  IS(EINVAL, pthread_cond_destroy(&cond));
}

TEST(pthread_cond_destroy, waited_for_ebusy, "one that threads wait for: EBUSY, and they go on waiting") {
  KERNELS_ONLY();
  OK(pthread_cond_init(&cond, NULL));
  clear();
  const pthread_t thread = started(wait_once, NULL);
  until_waiting(1);
  nap(); /* it has unlocked the mutex, and is about to wait */
  IS(EBUSY, pthread_cond_destroy(&cond));
  ready = 1;
  OK(pthread_cond_signal(&cond));
  IS(0, joined(thread));
  OK(pthread_cond_destroy(&cond));
}

FRESH(pthread_cond_wait, releases_mutex, "while it waits the mutex is free for others") {
  clear();
  const pthread_t thread = started(wait_once, NULL);
  until_waiting(1); /* locks the mutex behind it */
  OK(pthread_mutex_lock(&mutex));
  ready = 1;
  OK(pthread_cond_signal(&cond));
  OK(pthread_mutex_unlock(&mutex));
  IS(0, joined(thread));
}

static void *wait_and_try(void *unused) {
  (void)unused;
  pthread_mutex_lock(&mutex);
  waiting = 1;
  while (!ready) pthread_cond_wait(&cond, &mutex);
  const int error = pthread_mutex_trylock(&mutex);
  pthread_mutex_unlock(&mutex);
  return (void *)(long)error;
}

FRESH(pthread_cond_wait, holds_mutex_again, "when it returns the caller holds the mutex") {
  clear();
  const pthread_t thread = started(wait_and_try, NULL);
  until_waiting(1);
  OK(pthread_mutex_lock(&mutex));
  ready = 1;
  OK(pthread_cond_signal(&cond));
  nap(); /* it must not return while we hold the mutex */
  OK(pthread_mutex_unlock(&mutex));
  IS(EBUSY, joined(thread));
}

FRESH(pthread_cond_wait, blocks, "without a signal it does not return") {
  clear();
  const pthread_t thread = started(wait_once, NULL);
  until_waiting(1);
  nap();
  IS(0, woken);
  OK(pthread_mutex_lock(&mutex));
  ready = 1;
  OK(pthread_cond_signal(&cond));
  OK(pthread_mutex_unlock(&mutex));
  IS(0, joined(thread));
}

TEST(pthread_cond_wait, not_owner_eperm, "an error-checking or robust mutex that the caller does not hold: EPERM") {
  pthread_mutexattr_t attr;
  pthread_mutex_t checked;
  OK(pthread_mutexattr_init(&attr));
  OK(pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ERRORCHECK));
  OK(pthread_mutex_init(&checked, &attr));
  OK(pthread_mutexattr_destroy(&attr));
  OK(pthread_cond_init(&cond, NULL));
  IS(EPERM, pthread_cond_wait(&cond, &checked));
  OK(pthread_mutex_destroy(&checked));
  KERNELS_ONLY(); /* the default type is error-checking */
  const struct timespec at = in_ms(CLOCK_REALTIME, 1000);
  IS(EPERM, pthread_cond_wait(&cond, &mutex));
  IS(EPERM, pthread_cond_timedwait(&cond, &mutex, &at));
  OK(pthread_cond_destroy(&cond));
}

static pthread_mutex_t typed;

static void *wait_typed(void *unused) {
  (void)unused;
  pthread_mutex_lock(&typed);
  waiting = 1;
  while (!ready) pthread_cond_wait(&cond, &typed);
  return (void *)(long)pthread_mutex_unlock(&typed);
}

TEST(pthread_cond_wait, every_mutex_type, "it releases and locks again a mutex of every type and protocol") {
  const int types[] = {PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_NORMAL};
  for (int i = 0; i < 4; i++) {
    pthread_mutexattr_t attr;
    OK(pthread_mutexattr_init(&attr));
    OK(pthread_mutexattr_settype(&attr, types[i]));
    if (i == 3) OK(pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_INHERIT));
    OK(pthread_mutex_init(&typed, &attr));
    OK(pthread_mutexattr_destroy(&attr));
    OK(pthread_cond_init(&cond, NULL));
    clear();
    const pthread_t thread = started(wait_typed, NULL);
    AWAIT(waiting);
    OK(pthread_mutex_lock(&typed));
    ready = 1;
    OK(pthread_cond_signal(&cond));
    OK(pthread_mutex_unlock(&typed));
    IS(0, joined(thread));
    OK(pthread_cond_destroy(&cond));
    OK(pthread_mutex_destroy(&typed));
  }
}

FRESH(pthread_cond_signal, wakes_one, "it wakes at least one waiter") {
  clear();
  pthread_t threads[3];
  for (int i = 0; i < 3; i++) threads[i] = started(wait_once, NULL);
  until_waiting(3);
  OK(pthread_mutex_lock(&mutex));
  ready = 1;
  OK(pthread_cond_signal(&cond));
  OK(pthread_mutex_unlock(&mutex));
  AWAIT(woken >= 1);
  OK(pthread_cond_broadcast(&cond));
  for (int i = 0; i < 3; i++) IS(0, joined(threads[i]));
}

FRESH(pthread_cond_signal, nobody, "without a waiter it has no effect, now or later") {
  clear();
  OK(pthread_cond_signal(&cond));
  const pthread_t thread = started(wait_once, NULL);
  until_waiting(1);
  nap();
  IS(0, woken);
  OK(pthread_mutex_lock(&mutex));
  ready = 1;
  OK(pthread_cond_signal(&cond));
  OK(pthread_mutex_unlock(&mutex));
  IS(0, joined(thread));
}

FRESH(pthread_cond_signal, without_mutex, "the caller need not hold the mutex") {
  clear();
  const pthread_t thread = started(wait_once, NULL);
  until_waiting(1);
  OK(pthread_mutex_lock(&mutex));
  ready = 1;
  OK(pthread_mutex_unlock(&mutex));
  OK(pthread_cond_signal(&cond));
  IS(0, joined(thread));
}

static void *wait_in_order(void *name) {
  pthread_mutex_lock(&mutex);
  waiting++;
  while (!ready) pthread_cond_wait(&cond, &mutex);
  ready--;
  order[place++] = (char)(long)name;
  pthread_mutex_unlock(&mutex);
  return NULL;
}

/* Threads a to d, which wait; the first is the least urgent, b and d are equals. */
static void line_up(pthread_t threads[4]) {
  const int above[] = {2, 6, 4, 6};
  clear();
  memset(order, 0, sizeof order);
  for (int i = 0; i < 4; i++) {
    OK(started_at(&threads[i], above[i], wait_in_order, (void *)(long)"abcd"[i]));
    until_waiting(i + 1);
  }
}

FRESH(pthread_cond_signal, best_waiter_first,
      "the waiter of the highest priority is woken first, of equals the first") {
  NOT_ON_LINUX("this C library wakes by arrival, whatever the priorities");
  pthread_t threads[4];
  line_up(threads);
  for (int i = 0; i < 4; i++) {
    OK(pthread_mutex_lock(&mutex));
    ready = 1;
    OK(pthread_cond_signal(&cond));
    OK(pthread_mutex_unlock(&mutex));
    AWAIT_ANY(place == i + 1);
  }
  for (int i = 0; i < 4; i++) IS(0, joined(threads[i]));
  IS(0, strcmp(order, "bdca"));
}

FRESH(pthread_cond_broadcast, best_waiter_first, "those that it wakes get the mutex in the order of their priorities") {
  NOT_ON_LINUX("this C library wakes by arrival, whatever the priorities");
  pthread_t threads[4];
  line_up(threads);
  OK(pthread_mutex_lock(&mutex));
  ready = 4;
  OK(pthread_cond_broadcast(&cond));
  nap();
  IS(0, place); /* not before the mutex is free */
  OK(pthread_mutex_unlock(&mutex));
  for (int i = 0; i < 4; i++) IS(0, joined(threads[i]));
  IS(0, strcmp(order, "bdca"));
}

FRESH(pthread_cond_broadcast, wakes_all, "it wakes every waiter") {
  clear();
  pthread_t threads[6];
  for (int i = 0; i < 6; i++) threads[i] = started(wait_once, NULL);
  until_waiting(6);
  OK(pthread_mutex_lock(&mutex));
  ready = 1;
  OK(pthread_cond_broadcast(&cond));
  OK(pthread_mutex_unlock(&mutex));
  for (int i = 0; i < 6; i++) IS(0, joined(threads[i]));
  IS(6, woken);
}

FRESH(pthread_cond_broadcast, nobody, "without a waiter it has no effect, now or later") {
  clear();
  OK(pthread_cond_broadcast(&cond));
  const pthread_t thread = started(wait_once, NULL);
  until_waiting(1);
  nap();
  IS(0, woken);
  OK(pthread_mutex_lock(&mutex));
  ready = 1;
  OK(pthread_cond_broadcast(&cond));
  OK(pthread_mutex_unlock(&mutex));
  IS(0, joined(thread));
}

TEST(pthread_cond_broadcast, then_destroy, "behind it the condition variable may be destroyed at once") {
  OK(pthread_cond_init(&cond, NULL));
  clear();
  const pthread_t a = started(wait_once, NULL), b = started(wait_once, NULL);
  until_waiting(2);
  OK(pthread_mutex_lock(&mutex));
  ready = 1;
  OK(pthread_cond_broadcast(&cond));
  OK(pthread_cond_destroy(&cond));
  OK(pthread_mutex_unlock(&mutex));
  IS(0, joined(a));
  IS(0, joined(b));
}

/* --- Timed --- */

FRESH(pthread_cond_timedwait, timedout, "no signal until the time: ETIMEDOUT, not before it, with the mutex held") {
  OK(pthread_mutex_lock(&mutex));
  const struct timespec at = in_ms(CLOCK_REALTIME, 2);
  int error = 0;
  while (!error) error = pthread_cond_timedwait(&cond, &mutex, &at);
  const int come = has_come(CLOCK_REALTIME, at), held = pthread_mutex_trylock(&mutex);
  OK(pthread_mutex_unlock(&mutex));
  IS(ETIMEDOUT, error);
  TRUE(come);
  IS(EBUSY, held);
}

FRESH(pthread_cond_timedwait, past_timedout, "a time that is past: ETIMEDOUT at once, with the mutex held") {
  OK(pthread_mutex_lock(&mutex));
  const struct timespec at = in_ms(CLOCK_REALTIME, -1000);
  IS(ETIMEDOUT, pthread_cond_timedwait(&cond, &mutex, &at));
  IS(EBUSY, pthread_mutex_trylock(&mutex));
  OK(pthread_mutex_unlock(&mutex));
}

static void *wait_late(void *unused) {
  (void)unused;
  const struct timespec at = in_ms(CLOCK_REALTIME, 5000);
  int error = 0;
  pthread_mutex_lock(&mutex);
  waiting = 1;
  while (!ready && !error) error = pthread_cond_timedwait(&cond, &mutex, &at);
  pthread_mutex_unlock(&mutex);
  return (void *)(long)error;
}

FRESH(pthread_cond_timedwait, signalled, "a signal before the time ends it with 0") {
  clear();
  const pthread_t thread = started(wait_late, NULL);
  until_waiting(1);
  OK(pthread_mutex_lock(&mutex));
  ready = 1;
  OK(pthread_cond_signal(&cond));
  OK(pthread_mutex_unlock(&mutex));
  IS(0, joined(thread));
}

FRESH(pthread_cond_timedwait, bad_time_einval, "nanoseconds outside 0 to 999 999 999: EINVAL") {
  const struct timespec bad[] = {{.tv_sec = 1, .tv_nsec = 1000000000}, {.tv_sec = 1, .tv_nsec = -1}};
  OK(pthread_mutex_lock(&mutex));
  IS(EINVAL, pthread_cond_timedwait(&cond, &mutex, &bad[0]));
  IS(EINVAL, pthread_cond_timedwait(&cond, &mutex, &bad[1]));
  OK(pthread_mutex_unlock(&mutex));
}

TEST(pthread_cond_timedwait, monotonic_clock, "the time is on the clock of the attributes") {
  pthread_condattr_t attr;
  OK(pthread_condattr_init(&attr));
  OK(pthread_condattr_setclock(&attr, CLOCK_MONOTONIC));
  OK(pthread_cond_init(&cond, &attr));
  OK(pthread_condattr_destroy(&attr));
  OK(pthread_mutex_lock(&mutex));
  const struct timespec at = in_ms(CLOCK_MONOTONIC, 2);
  int error = 0;
  while (!error) error = pthread_cond_timedwait(&cond, &mutex, &at);
  const int come = has_come(CLOCK_MONOTONIC, at);
  OK(pthread_mutex_unlock(&mutex));
  IS(ETIMEDOUT, error);
  TRUE(come);
  OK(pthread_cond_destroy(&cond));
}

/* --- Attributes --- */

TEST(pthread_condattr_init, defaults, "CLOCK_REALTIME, private") {
  pthread_condattr_t attr;
  clockid_t clock = (clockid_t)-1;
  int shared = -1;
  OK(pthread_condattr_init(&attr));
  OK(pthread_condattr_getclock(&attr, &clock));
  IS(CLOCK_REALTIME, clock);
  OK(pthread_condattr_getpshared(&attr, &shared));
  IS(PTHREAD_PROCESS_PRIVATE, shared);
  OK(pthread_condattr_destroy(&attr));
}

TEST(pthread_condattr_destroy, nothing_einval, "a null pointer is no attributes: EINVAL") {
  KERNELS_ONLY();
  IS(EINVAL, pthread_condattr_destroy(nothing));
  clockid_t clock;
  IS(EINVAL, pthread_condattr_getclock(nothing, &clock));
}

TEST(pthread_condattr_destroy, init_again, "destroyed attributes can be initialised again") {
  pthread_condattr_t attr;
  for (int i = 0; i < 3; i++) {
    OK(pthread_condattr_init(&attr));
    OK(pthread_condattr_destroy(&attr));
  }
}

TEST(pthread_condattr_destroy, then_use_einval, "destroyed attributes: EINVAL") {
  KERNELS_ONLY();
  pthread_condattr_t attr;
  clockid_t clock;
  OK(pthread_condattr_init(&attr));
  OK(pthread_condattr_destroy(&attr));
  IS(EINVAL, pthread_condattr_destroy(&attr));
  IS(EINVAL, pthread_condattr_getclock(&attr, &clock));
  IS(EINVAL, pthread_condattr_setclock(&attr, CLOCK_REALTIME));
  IS(EINVAL, pthread_cond_init(&cond, &attr));
}

static pthread_condattr_t attr;

/* A test with fresh attributes. */
#define FRESH_ATTR(function, requirement, text) \
  TEST_BETWEEN(function, requirement, text, pthread_condattr_init(&attr), pthread_condattr_destroy(&attr))

FRESH_ATTR(pthread_condattr_setclock, kept, "CLOCK_REALTIME and CLOCK_MONOTONIC are kept") {
  clockid_t clock;
  OK(pthread_condattr_setclock(&attr, CLOCK_MONOTONIC));
  OK(pthread_condattr_getclock(&attr, &clock));
  IS(CLOCK_MONOTONIC, clock);
  OK(pthread_condattr_setclock(&attr, CLOCK_REALTIME));
  OK(pthread_condattr_getclock(&attr, &clock));
  IS(CLOCK_REALTIME, clock);
}

FRESH_ATTR(pthread_condattr_setclock, cpu_clock_einval, "a CPU-time clock, or no clock: EINVAL") {
  IS(EINVAL, pthread_condattr_setclock(&attr, CLOCK_THREAD_CPUTIME_ID));
  IS(EINVAL, pthread_condattr_setclock(&attr, 1234));
}

TEST(pthread_condattr_getclock, default_realtime, "CLOCK_REALTIME unless set") {
  pthread_condattr_t attr;
  clockid_t clock = (clockid_t)-1;
  OK(pthread_condattr_init(&attr));
  OK(pthread_condattr_getclock(&attr, &clock));
  IS(CLOCK_REALTIME, clock);
  OK(pthread_condattr_destroy(&attr));
}

FRESH_ATTR(pthread_condattr_setpshared, kept, "both values are accepted; another number is EINVAL") {
  int shared = -1;
  OK(pthread_condattr_setpshared(&attr, PTHREAD_PROCESS_SHARED));
  OK(pthread_condattr_getpshared(&attr, &shared));
  IS(PTHREAD_PROCESS_SHARED, shared);
  OK(pthread_condattr_setpshared(&attr, PTHREAD_PROCESS_PRIVATE));
  OK(pthread_condattr_getpshared(&attr, &shared));
  IS(PTHREAD_PROCESS_PRIVATE, shared);
  IS(EINVAL, pthread_condattr_setpshared(&attr, 1234));
}

FRESH_ATTR(pthread_condattr_getpshared, default_private, "PTHREAD_PROCESS_PRIVATE unless set") {
  int shared = -1;
  OK(pthread_condattr_getpshared(&attr, &shared));
  IS(PTHREAD_PROCESS_PRIVATE, shared);
}
