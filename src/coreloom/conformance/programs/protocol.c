/* SPDX-License-Identifier: Apache-2.0
 *
 * Mutex protocols (priority inheritance and ceiling) and robust mutexes. */
#include "conformance.h"

static pthread_mutex_t mutex, second;
static volatile int go, holds, waits, done, spinning;

static int made(pthread_mutex_t *place, int protocol, int ceiling) {
  pthread_mutexattr_t attr;
  int error = pthread_mutexattr_init(&attr);
  if (!error) error = pthread_mutexattr_setprotocol(&attr, protocol);
  if (!error && ceiling) error = pthread_mutexattr_setprioceiling(&attr, ceiling);
  if (!error) error = pthread_mutex_init(place, &attr);
  pthread_mutexattr_destroy(&attr);
  return error;
}

static pthread_mutexattr_t attr;

/* A test with fresh attributes. */
#define FRESH_ATTR(function, requirement, text) \
  TEST_BETWEEN(function, requirement, text, pthread_mutexattr_init(&attr), pthread_mutexattr_destroy(&attr))

FRESH_ATTR(pthread_mutexattr_setprotocol, all_protocols, "each of the three protocols is kept") {
  const int protocols[] = {PTHREAD_PRIO_NONE, PTHREAD_PRIO_INHERIT, PTHREAD_PRIO_PROTECT};
  int value = -1;
  for (int i = 0; i < 3; i++) {
    OK(pthread_mutexattr_setprotocol(&attr, protocols[i]));
    OK(pthread_mutexattr_getprotocol(&attr, &value));
    IS(protocols[i], value);
  }
}

FRESH_ATTR(pthread_mutexattr_setprotocol, unknown_einval, "another number: EINVAL or ENOTSUP") {
  const int error = pthread_mutexattr_setprotocol(&attr, 1234);
  TRUE(error == EINVAL || error == ENOTSUP);
}

FRESH_ATTR(pthread_mutexattr_getprotocol, default_none, "PTHREAD_PRIO_NONE unless set") {
  int value = -1;
  OK(pthread_mutexattr_getprotocol(&attr, &value));
  IS(PTHREAD_PRIO_NONE, value);
}

FRESH_ATTR(pthread_mutexattr_setprioceiling, range, "each priority of SCHED_FIFO is kept") {
  int value = -1;
  for (int p = sched_get_priority_min(SCHED_FIFO); p <= sched_get_priority_max(SCHED_FIFO); p++) {
    OK(pthread_mutexattr_setprioceiling(&attr, p));
    OK(pthread_mutexattr_getprioceiling(&attr, &value));
    IS(p, value);
  }
}

FRESH_ATTR(pthread_mutexattr_setprioceiling, outside_einval, "a priority outside that range: EINVAL") {
  IS(EINVAL, pthread_mutexattr_setprioceiling(&attr, sched_get_priority_max(SCHED_FIFO) + 1));
  IS(EINVAL, pthread_mutexattr_setprioceiling(&attr, sched_get_priority_min(SCHED_FIFO) - 1));
}

FRESH_ATTR(pthread_mutexattr_getprioceiling, in_range, "the default is a priority of SCHED_FIFO") {
  int value = -1;
  OK(pthread_mutexattr_getprioceiling(&attr, &value));
  TRUE(value >= sched_get_priority_min(SCHED_FIFO) && value <= sched_get_priority_max(SCHED_FIFO));
}

TEST(pthread_mutex_getprioceiling, returns_ceiling, "the ceiling that its attributes had") {
  int value = -1;
  const int ceiling = sched_get_priority_min(SCHED_FIFO) + 3;
  OK(made(&mutex, PTHREAD_PRIO_PROTECT, ceiling));
  OK(pthread_mutex_getprioceiling(&mutex, &value));
  IS(ceiling, value);
  OK(pthread_mutex_destroy(&mutex));
}

TEST(pthread_mutex_getprioceiling, none_einval, "a mutex without PTHREAD_PRIO_PROTECT: EINVAL") {
  int value;
  OK(made(&mutex, PTHREAD_PRIO_NONE, 0));
  IS(EINVAL, pthread_mutex_getprioceiling(&mutex, &value));
  OK(pthread_mutex_destroy(&mutex));
}

TEST(pthread_mutex_setprioceiling, changes, "it sets a new ceiling and stores the old one; the mutex is free then") {
  int old = -1, value = -1;
  const int ceiling = sched_get_priority_max(SCHED_FIFO) - 1;
  OK(made(&mutex, PTHREAD_PRIO_PROTECT, ceiling));
  const int error = pthread_mutex_setprioceiling(&mutex, ceiling + 1, &old);
  if (error == EPERM) UNTESTED("no right to SCHED_FIFO");
  OK(error);
  IS(ceiling, old);
  OK(pthread_mutex_getprioceiling(&mutex, &value));
  IS(ceiling + 1, value);
  OK(pthread_mutex_destroy(&mutex)); /* EBUSY, were it locked */
}

TEST(pthread_mutex_setprioceiling, outside_einval, "a priority outside the range: EINVAL") {
  int old;
  OK(made(&mutex, PTHREAD_PRIO_PROTECT, sched_get_priority_max(SCHED_FIFO)));
  IS(EINVAL, pthread_mutex_setprioceiling(&mutex, sched_get_priority_max(SCHED_FIFO) + 1, &old));
  OK(pthread_mutex_destroy(&mutex));
}

TEST(pthread_mutex_setprioceiling, none_einval, "a mutex without PTHREAD_PRIO_PROTECT: EINVAL") {
  int old;
  OK(made(&mutex, PTHREAD_PRIO_INHERIT, 0));
  IS(EINVAL, pthread_mutex_setprioceiling(&mutex, sched_get_priority_max(SCHED_FIFO), &old));
  OK(pthread_mutex_destroy(&mutex));
}

static void *lock_once(void *place) {
  const int error = pthread_mutex_lock(place);
  if (!error) pthread_mutex_unlock(place);
  return (void *)(long)error;
}

TEST(pthread_mutex_lock, inherit_is_a_mutex, "PTHREAD_PRIO_INHERIT: it locks, excludes and unlocks") {
  OK(made(&mutex, PTHREAD_PRIO_INHERIT, 0));
  OK(pthread_mutex_lock(&mutex));
  IS(EBUSY, pthread_mutex_trylock(&mutex));
  const pthread_t thread = started(lock_once, &mutex);
  nap();
  OK(pthread_mutex_unlock(&mutex));
  IS(0, joined(thread));
  OK(pthread_mutex_destroy(&mutex));
}

TEST(pthread_mutex_lock, above_ceiling_einval, "PTHREAD_PRIO_PROTECT: a caller above the ceiling gets EINVAL") {
  pthread_t thread;
  OK(made(&mutex, PTHREAD_PRIO_PROTECT, sched_get_priority_min(SCHED_FIFO) + 2));
  const int error = started_at(&thread, 4, lock_once, &mutex);
  if (error == EPERM) UNTESTED("no right to SCHED_FIFO");
  OK(error);
  IS(EINVAL, joined(thread));
  OK(pthread_mutex_destroy(&mutex));
}

TEST(pthread_mutex_lock, at_ceiling, "PTHREAD_PRIO_PROTECT: a caller at the ceiling locks it") {
  pthread_t thread;
  OK(made(&mutex, PTHREAD_PRIO_PROTECT, sched_get_priority_min(SCHED_FIFO) + 4));
  const int error = started_at(&thread, 4, lock_once, &mutex);
  if (error == EPERM) UNTESTED("no right to SCHED_FIFO");
  OK(error);
  IS(0, joined(thread));
  OK(pthread_mutex_destroy(&mutex));
}

/* The classic inversion, on one processor each for as long as all are placed there: low holds the mutex, high waits
 * for it, middle computes. */
static void *low(void *unused) {
  pthread_mutex_lock(&mutex);
  holds = 1;
  AWAIT(go);
  pthread_mutex_unlock(&mutex);
  return unused;
}

static void *middle(void *unused) {
  spinning = 1;
  while (!done) continue;
  return unused;
}

static void *high(void *unused) {
  waits = 1;
  pthread_mutex_lock(&mutex);
  done = 1;
  pthread_mutex_unlock(&mutex);
  return unused;
}

static int placed_at(pthread_t *thread, int above, void *(*start)(void *)) {
  pthread_attr_t attr;
  struct sched_param param = {.sched_priority = sched_get_priority_min(SCHED_FIFO) + above};
  pthread_attr_init(&attr);
  pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED);
  pthread_attr_setschedpolicy(&attr, SCHED_FIFO);
  pthread_attr_setschedparam(&attr, &param);
  pthread_attr_setplacement_np(&attr, PTHREAD_PLACEMENT_STATIC_NP, 0);
  const int error = pthread_create(thread, &attr, start, NULL);
  pthread_attr_destroy(&attr);
  return error;
}

static volatile int inversion_error, inversion_protocol;

/* Runs above all of them, so that it can start one after the other. */
static void *conduct(void *unused) {
  pthread_t threads[3];
  go = holds = waits = done = spinning = 0;
  inversion_error = made(&mutex, inversion_protocol, sched_get_priority_min(SCHED_FIFO) + 6);
  if (inversion_error) return unused;
  inversion_error = placed_at(&threads[0], 1, low);
  if (inversion_error) return unused;
  while (!holds) nap();
  inversion_error = placed_at(&threads[2], 5, high);
  if (inversion_error) return unused;
  /* With a ceiling it does not even run before. */
  for (int i = 0; i < 3 && !waits; i++) nap();
  nap();
  inversion_error = placed_at(&threads[1], 3, middle);
  nap();
  go = 1;
  for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
  pthread_mutex_destroy(&mutex);
  return unused;
}

static void inversion(int protocol) {
  pthread_t conductor;
  inversion_protocol = protocol;
  const int error = placed_at(&conductor, 8, conduct);
  if (error == EPERM) UNTESTED("no right to SCHED_FIFO");
  OK(error);
  IS(0, joined(conductor));
  OK(inversion_error);
  IS(1, done);
}

TEST(pthread_mutex_lock, inherit_bounds_inversion,
     "PTHREAD_PRIO_INHERIT: its owner runs at its best waiter's priority, so a middle thread that computes for "
     "ever does not keep it from unlocking") {
  inversion(PTHREAD_PRIO_INHERIT);
}

TEST(pthread_mutex_lock, protect_bounds_inversion,
     "PTHREAD_PRIO_PROTECT: its owner runs at the ceiling, so a middle thread does not keep it from unlocking") {
  inversion(PTHREAD_PRIO_PROTECT);
}

/* --- Robust --- */

static int made_robust(pthread_mutex_t *place) {
  pthread_mutexattr_t attr;
  int error = pthread_mutexattr_init(&attr);
  if (!error) error = pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
  if (!error) error = pthread_mutex_init(place, &attr);
  pthread_mutexattr_destroy(&attr);
  return error;
}

static void *try_it(void *place) { return (void *)(long)pthread_mutex_trylock(place); }

static void *lock_and_end(void *place) { return (void *)(long)pthread_mutex_lock(place); }

FRESH_ATTR(pthread_mutexattr_setrobust, kept, "both values are kept") {
  int value = -1;
  OK(pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST));
  OK(pthread_mutexattr_getrobust(&attr, &value));
  IS(PTHREAD_MUTEX_ROBUST, value);
  OK(pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_STALLED));
  OK(pthread_mutexattr_getrobust(&attr, &value));
  IS(PTHREAD_MUTEX_STALLED, value);
}

FRESH_ATTR(pthread_mutexattr_setrobust, unknown_einval, "another number: EINVAL") {
  IS(EINVAL, pthread_mutexattr_setrobust(&attr, 1234));
}

FRESH_ATTR(pthread_mutexattr_getrobust, default_stalled, "PTHREAD_MUTEX_STALLED unless set") {
  int value = -1;
  OK(pthread_mutexattr_getrobust(&attr, &value));
  IS(PTHREAD_MUTEX_STALLED, value);
}

/* A test with a robust mutex. */
#define FRESH(function, requirement, text) \
  TEST_BETWEEN(function, requirement, text, made_robust(&mutex), pthread_mutex_destroy(&mutex))

FRESH(pthread_mutex_lock, robust_ownerdead, "robust: its owner has ended: EOWNERDEAD, and the caller holds it") {
  IS(0, joined(started(lock_and_end, &mutex)));
  IS(EOWNERDEAD, pthread_mutex_lock(&mutex));
  IS(EBUSY, joined(started(try_it, &mutex)));
  OK(pthread_mutex_consistent(&mutex));
  OK(pthread_mutex_unlock(&mutex));
  OK(pthread_mutex_lock(&mutex));
  OK(pthread_mutex_unlock(&mutex));
}

FRESH(pthread_mutex_trylock, robust_ownerdead, "robust: its owner has ended: EOWNERDEAD") {
  IS(0, joined(started(lock_and_end, &mutex)));
  IS(EOWNERDEAD, pthread_mutex_trylock(&mutex));
  OK(pthread_mutex_consistent(&mutex));
  OK(pthread_mutex_unlock(&mutex));
}

FRESH(pthread_mutex_timedlock, robust_ownerdead, "robust: its owner has ended: EOWNERDEAD") {
  IS(0, joined(started(lock_and_end, &mutex)));
  const struct timespec at = in_ms(CLOCK_REALTIME, 1000);
  IS(EOWNERDEAD, pthread_mutex_timedlock(&mutex, &at));
  OK(pthread_mutex_consistent(&mutex));
  OK(pthread_mutex_unlock(&mutex));
}

static void *hold_and_end(void *place) {
  const int error = pthread_mutex_lock(place);
  holds = 1;
  AWAIT(go);
  return (void *)(long)error;
}

static void *wait_for_it(void *place) {
  waits = 1;
  const int error = pthread_mutex_lock(place);
  if (error == EOWNERDEAD) pthread_mutex_consistent(place);
  pthread_mutex_unlock(place);
  return (void *)(long)error;
}

FRESH(pthread_mutex_lock, robust_waiter_ownerdead, "robust: a waiter gets EOWNERDEAD when the owner ends") {
  go = holds = waits = 0;
  const pthread_t owner = started(hold_and_end, &mutex);
  AWAIT(holds);
  const pthread_t waiter = started(wait_for_it, &mutex);
  AWAIT(waits);
  nap();
  go = 1;
  IS(0, joined(owner));
  IS(EOWNERDEAD, joined(waiter));
}

FRESH(pthread_mutex_unlock, not_recoverable, "robust: unlocked without being made consistent it is ENOTRECOVERABLE") {
  IS(0, joined(started(lock_and_end, &mutex)));
  IS(EOWNERDEAD, pthread_mutex_lock(&mutex));
  OK(pthread_mutex_unlock(&mutex));
  IS(ENOTRECOVERABLE, pthread_mutex_lock(&mutex));
  IS(ENOTRECOVERABLE, pthread_mutex_trylock(&mutex));
}

FRESH(pthread_mutex_unlock, robust_other_eperm, "robust: EPERM for a thread that does not hold it") {
  IS(EPERM, pthread_mutex_unlock(&mutex));
}

TEST(pthread_mutex_consistent, not_robust_einval, "a mutex that is not robust: EINVAL") {
  OK(pthread_mutex_init(&second, NULL));
  OK(pthread_mutex_lock(&second));
  IS(EINVAL, pthread_mutex_consistent(&second));
  OK(pthread_mutex_unlock(&second));
  OK(pthread_mutex_destroy(&second));
}

FRESH(pthread_mutex_consistent, not_inconsistent_einval, "a robust one whose owner is alive: EINVAL") {
  OK(pthread_mutex_lock(&mutex));
  IS(EINVAL, pthread_mutex_consistent(&mutex));
  OK(pthread_mutex_unlock(&mutex));
}

/* As started_at, on one processor. */
static int started_on_first(pthread_t *thread, int above, void *(*start)(void *), void *argument) {
  pthread_attr_t attr;
  cpu_set_t first;
  struct sched_param param = {.sched_priority = sched_get_priority_min(SCHED_FIFO) + above};
  CPU_ZERO(&first);
  CPU_SET(0, &first);
  pthread_attr_init(&attr);
  pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED);
  pthread_attr_setschedpolicy(&attr, SCHED_FIFO);
  pthread_attr_setschedparam(&attr, &param);
  pthread_attr_setaffinity_np(&attr, sizeof first, &first);
  const int error = pthread_create(thread, &attr, start, argument);
  pthread_attr_destroy(&attr);
  return error;
}

static void *lock_and_compute(void *unused) {
  (void)unused;
  if (pthread_mutex_lock(&mutex)) return (void *)2;
  holds = 1;
  while (!waits) nap();
  const struct timespec enough = in_ms(CLOCK_MONOTONIC, 40);
  while (!done && !has_come(CLOCK_MONOTONIC, enough)) continue;
  const int in_time = done;
  pthread_mutex_unlock(&mutex);
  return (void *)(long)!in_time;
}

static void *lock_in_time(void *unused) {
  (void)unused;
  const struct timespec until = in_ms(CLOCK_REALTIME, 5);
  waits = 1;
  const int error = pthread_mutex_timedlock(&mutex, &until);
  done = 1;
  if (!error) pthread_mutex_unlock(&mutex);
  return (void *)(long)error;
}

TEST(pthread_mutex_timedlock, inherit_in_time,
     "PTHREAD_PRIO_INHERIT: it ends in time although the owner, raised by it, computes on its processor") {
  pthread_t owner, waiter;
  OK(made(&mutex, PTHREAD_PRIO_INHERIT, 0));
  holds = waits = done = 0;
  if (started_on_first(&owner, 1, lock_and_compute, NULL)) UNTESTED("no right to SCHED_FIFO");
  AWAIT_ANY(holds);
  OK(started_on_first(&waiter, 5, lock_in_time, NULL));
  IS(ETIMEDOUT, joined(waiter));
  IS(0, joined(owner));
  OK(pthread_mutex_destroy(&mutex));
}

static void *lock_and_make_again(void *unused) {
  (void)unused;
  if (pthread_mutex_lock(&mutex)) return (void *)1;
  const int destroyed = pthread_mutex_destroy(&mutex); /* Linux does not look whether it is locked */
  if (destroyed && destroyed != EBUSY) return (void *)2;
  const int again = made_robust(&mutex);
  if (again && again != EBUSY) return (void *)3;
  if (!again && pthread_mutex_lock(&mutex)) return (void *)4;
  if (pthread_mutex_unlock(&mutex) || pthread_mutex_lock(&mutex)) return (void *)5;
  return NULL;
}

TEST(pthread_mutex_destroy, robust_held, "robust: its owner can destroy it while it is locked, as on Linux") {
  for (int round = 0; round < 2; round++) {
    OK(made_robust(&mutex));
    OK(pthread_mutex_lock(&mutex));
    OK(pthread_mutex_destroy(&mutex));
  }
  OK(made_robust(&mutex));
  IS(0, joined(started(lock_and_end, &mutex)));
  IS(EOWNERDEAD, pthread_mutex_lock(&mutex));
  OK(pthread_mutex_destroy(&mutex));
}

FRESH(pthread_mutex_init, while_locked, "robust, locked, destroyed, initialised again: EBUSY, or it is a free one") {
  IS(0, joined(started(lock_and_make_again, NULL)));
  IS(EOWNERDEAD, pthread_mutex_lock(&mutex));
  OK(pthread_mutex_consistent(&mutex));
  OK(pthread_mutex_unlock(&mutex));
}

static void *has_no_right(void *place) {
  if (pthread_mutex_trylock(place) != EBUSY) return (void *)1;
  if (pthread_mutex_unlock(place) != EPERM) return (void *)2;
  return (void *)(long)(pthread_mutex_destroy(place) == EBUSY ? 0 : 3);
}

TEST(pthread_mutex_init, every_type_and_protocol, "each type keeps its rules with each protocol") {
  KERNELS_ONLY();
  const struct timespec past = {.tv_sec = 0}, soon = in_ms(CLOCK_REALTIME, 1);
  for (int type = PTHREAD_MUTEX_DEFAULT; type <= PTHREAD_MUTEX_RECURSIVE; type++) {
    for (int protocol = PTHREAD_PRIO_NONE; protocol <= PTHREAD_PRIO_PROTECT; protocol++) {
      pthread_mutexattr_t attr;
      OK(pthread_mutexattr_init(&attr));
      OK(pthread_mutexattr_settype(&attr, type));
      OK(pthread_mutexattr_setprotocol(&attr, protocol));
      OK(pthread_mutex_init(&mutex, &attr));
      OK(pthread_mutexattr_destroy(&attr));
      IS(EPERM, pthread_mutex_unlock(&mutex));
      OK(pthread_mutex_timedlock(&mutex, &past));
      const int again = type == PTHREAD_MUTEX_RECURSIVE ? 0 : EBUSY;
      IS(again, pthread_mutex_trylock(&mutex));
      if (type == PTHREAD_MUTEX_NORMAL) IS(ETIMEDOUT, pthread_mutex_timedlock(&mutex, &soon));
      else IS(again ? EDEADLK : 0, pthread_mutex_lock(&mutex));
      IS(0, joined(started(has_no_right, &mutex)));
      for (int depth = again ? 1 : 3; depth; depth--) OK(pthread_mutex_unlock(&mutex));
      IS(EPERM, pthread_mutex_unlock(&mutex));
      IS(EINVAL, pthread_mutex_consistent(&mutex));
      OK(pthread_mutex_destroy(&mutex));
      IS(EINVAL, pthread_mutex_lock(&mutex));
    }
  }
}
