/* SPDX-License-Identifier: Apache-2.0
 *
 * Mutexes: locking, types, timed, bad objects. */
#include "conformance.h"

static pthread_mutex_t mutex, second_mutex;
static volatile int go, has_locked, count;

/* A mutex of a type; 0 or an error number. */
static int made(pthread_mutex_t *place, int type) {
  pthread_mutexattr_t attr;
  int error = pthread_mutexattr_init(&attr);
  if (!error) error = pthread_mutexattr_settype(&attr, type);
  if (!error) error = pthread_mutex_init(place, &attr);
  pthread_mutexattr_destroy(&attr);
  return error;
}

static void *try_it(void *place) {
  const int error = pthread_mutex_trylock(place);
  if (!error) pthread_mutex_unlock(place);
  return (void *)(long)error;
}

static void *unlock_it(void *place) { return (void *)(long)pthread_mutex_unlock(place); }

static void *destroy_it(void *place) { return (void *)(long)pthread_mutex_destroy(place); }

static void *lock_it(void *place) {
  const int error = pthread_mutex_lock(place);
  has_locked = 1;
  if (!error) pthread_mutex_unlock(place);
  return (void *)(long)error;
}

static void *hold_it(void *place) {
  pthread_mutex_lock(place);
  has_locked = 1;
  AWAIT(go);
  return (void *)(long)pthread_mutex_unlock(place);
}

/* A test with an unlocked mutex. */
#define FRESH(function, requirement, text) \
  TEST_BETWEEN(function, requirement, text, pthread_mutex_init(&mutex, NULL), pthread_mutex_destroy(&mutex))

FRESH(pthread_mutex_init, default_attributes, "without attributes: an unlocked mutex") {
  OK(pthread_mutex_trylock(&mutex));
  OK(pthread_mutex_unlock(&mutex));
}

TEST(pthread_mutex_init, static_initializer, "PTHREAD_MUTEX_INITIALIZER is as good as the call") {
  static pthread_mutex_t fixed = PTHREAD_MUTEX_INITIALIZER;
  OK(pthread_mutex_lock(&fixed));
  IS(EBUSY, joined(started(try_it, &fixed)));
  OK(pthread_mutex_unlock(&fixed));
  IS(0, joined(started(try_it, &fixed)));
  OK(pthread_mutex_destroy(&fixed));
}

TEST(pthread_mutex_init, initializers_of_types, "PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP and that of ERRORCHECK, too") {
  static pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
  static pthread_mutex_t checking = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
  OK(pthread_mutex_lock(&recursive));
  OK(pthread_mutex_lock(&recursive));
  OK(pthread_mutex_lock(&checking));
  IS(EDEADLK, pthread_mutex_lock(&checking));
  OK(pthread_mutex_unlock(&recursive));
  OK(pthread_mutex_unlock(&recursive));
  OK(pthread_mutex_unlock(&checking));
}

TEST(pthread_mutex_init, attributes_are_copied, "a later change of the attributes does not affect the mutex") {
  pthread_mutexattr_t attr;
  OK(pthread_mutexattr_init(&attr));
  OK(pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE));
  OK(pthread_mutex_init(&mutex, &attr));
  OK(pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ERRORCHECK));
  OK(pthread_mutexattr_destroy(&attr));
  OK(pthread_mutex_lock(&mutex));
  OK(pthread_mutex_lock(&mutex));
  OK(pthread_mutex_unlock(&mutex));
  OK(pthread_mutex_unlock(&mutex));
  OK(pthread_mutex_destroy(&mutex));
}

TEST(pthread_mutex_init, no_small_limit, "200 mutexes can exist, each by itself") {
  static pthread_mutex_t many[200];
  for (int i = 0; i < 200; i++) OK(pthread_mutex_init(&many[i], NULL));
  for (int i = 0; i < 200; i++) OK(pthread_mutex_lock(&many[i]));
  IS(EBUSY, joined(started(try_it, &many[199])));
  for (int i = 0; i < 200; i++) OK(pthread_mutex_unlock(&many[i]));
  IS(0, joined(started(try_it, &many[199])));
  for (int i = 0; i < 200; i++) OK(pthread_mutex_destroy(&many[i]));
}

TEST(pthread_mutex_init, no_small_limit_static, "200 static mutexes can be locked at once") {
  static pthread_mutex_t many[200]; /* zeros are PTHREAD_MUTEX_INITIALIZER on every ground */
  for (int i = 0; i < 200; i++) OK(pthread_mutex_lock(&many[i]));
  for (int i = 0; i < 200; i++) OK(pthread_mutex_unlock(&many[i]));
  for (int i = 0; i < 200; i++) OK(pthread_mutex_destroy(&many[i]));
}

TEST(pthread_mutex_destroy, init_again, "a destroyed mutex can be initialised again") {
  for (int i = 0; i < 100; i++) {
    OK(pthread_mutex_init(&mutex, NULL));
    OK(pthread_mutex_lock(&mutex));
    OK(pthread_mutex_unlock(&mutex));
    OK(pthread_mutex_destroy(&mutex));
  }
}

TEST(pthread_mutex_destroy, locked_ebusy, "a locked mutex is not destroyed: EBUSY") {
  OK(pthread_mutex_init(&mutex, NULL));
  OK(pthread_mutex_lock(&mutex));
  IS(EBUSY, pthread_mutex_destroy(&mutex));
  OK(pthread_mutex_unlock(&mutex));
  OK(pthread_mutex_destroy(&mutex));
}

TEST(pthread_mutex_destroy, unused_static, "a static mutex that was never locked can be destroyed") {
  static pthread_mutex_t fixed = PTHREAD_MUTEX_INITIALIZER;
  OK(pthread_mutex_destroy(&fixed));
}

FRESH(pthread_mutex_destroy, right_after_unlock, "a thread that has unlocked it may destroy it at once") {
  OK(pthread_mutex_lock(&mutex));
  OK(pthread_mutex_unlock(&mutex));
}

TEST(pthread_mutex_destroy, then_lock_einval, "a destroyed mutex is no mutex: EINVAL") {
  OK(pthread_mutex_init(&mutex, NULL));
  OK(pthread_mutex_destroy(&mutex));
  KERNELS_ONLY();
  IS(EINVAL, pthread_mutex_lock(&mutex));
  IS(EINVAL, pthread_mutex_trylock(&mutex));
  IS(EINVAL, pthread_mutex_unlock(&mutex));
  IS(EINVAL, pthread_mutex_destroy(&mutex));
}

TEST(pthread_mutex_lock, foreign_einval, "bytes that are no mutex: EINVAL, and no hang") {
  KERNELS_ONLY();
  memset(&mutex, 0xA5, sizeof mutex);
  IS(EINVAL, pthread_mutex_lock(&mutex));
  IS(EINVAL, pthread_mutex_trylock(&mutex));
  IS(EINVAL, pthread_mutex_unlock(&mutex));
}

FRESH(pthread_mutex_lock, waits, "a thread that finds it locked waits until it is unlocked") {
  OK(pthread_mutex_lock(&mutex));
  has_locked = 0;
  const pthread_t thread = started(lock_it, &mutex);
  nap();
  IS(0, has_locked);
  OK(pthread_mutex_unlock(&mutex));
  IS(0, joined(thread));
  IS(1, has_locked);
}

static void *add(void *unused) {
  for (int i = 0; i < 200; i++) {
    pthread_mutex_lock(&mutex);
    const int before = count;
    if (i % 50 == 0) sched_yield();
    count = before + 1;
    pthread_mutex_unlock(&mutex);
  }
  return unused;
}

FRESH(pthread_mutex_lock, excludes, "one thread holds it at a time: four threads lose no count") {
  pthread_t threads[4];
  count = 0;
  for (int i = 0; i < 4; i++) threads[i] = started(add, NULL);
  for (int i = 0; i < 4; i++) IS(0, joined(threads[i]));
  IS(800, count);
}

TEST(pthread_mutex_lock, errorcheck_relock_deadlk, "error-checking: its owner gets EDEADLK, and still owns it") {
  OK(made(&mutex, PTHREAD_MUTEX_ERRORCHECK));
  OK(pthread_mutex_lock(&mutex));
  IS(EDEADLK, pthread_mutex_lock(&mutex));
  IS(EBUSY, joined(started(try_it, &mutex)));
  OK(pthread_mutex_unlock(&mutex));
  IS(0, joined(started(try_it, &mutex)));
  OK(pthread_mutex_destroy(&mutex));
}

FRESH(pthread_mutex_lock, default_checks,
      "the default type: EDEADLK to its owner, EPERM to a thread that does not hold it") {
  KERNELS_ONLY();
  IS(EPERM, pthread_mutex_unlock(&mutex));
  OK(pthread_mutex_lock(&mutex));
  IS(EDEADLK, pthread_mutex_lock(&mutex));
  IS(EPERM, joined(started(unlock_it, &mutex)));
  IS(EBUSY, joined(started(destroy_it, &mutex)));
  OK(pthread_mutex_unlock(&mutex));
}

TEST(pthread_mutex_lock, recursive_counts, "recursive: free after as many unlocks as locks") {
  OK(made(&mutex, PTHREAD_MUTEX_RECURSIVE));
  for (int i = 0; i < 20; i++) OK(pthread_mutex_lock(&mutex));
  for (int i = 0; i < 19; i++) OK(pthread_mutex_unlock(&mutex));
  IS(EBUSY, joined(started(try_it, &mutex)));
  OK(pthread_mutex_unlock(&mutex));
  IS(0, joined(started(try_it, &mutex)));
  OK(pthread_mutex_destroy(&mutex));
}

TEST(pthread_mutex_lock, recursive_waits, "recursive: another thread waits for it") {
  OK(made(&mutex, PTHREAD_MUTEX_RECURSIVE));
  OK(pthread_mutex_lock(&mutex));
  OK(pthread_mutex_lock(&mutex));
  has_locked = 0;
  const pthread_t thread = started(lock_it, &mutex);
  OK(pthread_mutex_unlock(&mutex));
  nap();
  IS(0, has_locked);
  OK(pthread_mutex_unlock(&mutex));
  IS(0, joined(thread));
  OK(pthread_mutex_destroy(&mutex));
}

static void *relock_normal(void *place) {
  pthread_mutex_lock(place);
  has_locked = 1;
  pthread_mutex_lock(place); /* waits until main unlocks it */
  has_locked = 2;
  return NULL;
}

TEST(pthread_mutex_lock, normal_relock_waits, "normal: a relock waits; it does not fail and does not succeed") {
  static pthread_mutex_t stuck;
  OK(made(&stuck, PTHREAD_MUTEX_NORMAL));
  has_locked = 0;
  const pthread_t thread = started(relock_normal, &stuck);
  AWAIT(has_locked);
  nap();
  IS(1, has_locked);
  OK(pthread_detach(thread)); /* it waits for ever */
}

TEST(pthread_mutex_lock, errorcheck_waits, "error-checking: another thread waits for it") {
  OK(made(&mutex, PTHREAD_MUTEX_ERRORCHECK));
  OK(pthread_mutex_lock(&mutex));
  has_locked = 0;
  const pthread_t thread = started(lock_it, &mutex);
  nap();
  IS(0, has_locked);
  OK(pthread_mutex_unlock(&mutex));
  IS(0, joined(thread));
  OK(pthread_mutex_destroy(&mutex));
}

static char order[8];
static volatile int place;

static void *lock_in_order(void *name) {
  pthread_mutex_lock(&mutex);
  order[place++] = (char)(long)name;
  pthread_mutex_unlock(&mutex);
  return NULL;
}

FRESH(pthread_mutex_unlock, best_waiter_first,
      "of several waiters that of the highest priority gets it, of equals the first") {
  const int above[] = {2, 6, 4, 6};
  pthread_t threads[4];
  OK(pthread_mutex_lock(&mutex));
  place = 0;
  memset(order, 0, sizeof order);
  for (int i = 0; i < 4; i++) {
    const int error = started_at(&threads[i], above[i], lock_in_order, (void *)(long)"abcd"[i]);
    if (error == EPERM) {
      OK(pthread_mutex_unlock(&mutex));
      UNTESTED("no right to SCHED_FIFO");
    }
    OK(error);
    nap();
  }
  OK(pthread_mutex_unlock(&mutex));
  for (int i = 0; i < 4; i++) IS(0, joined(threads[i]));
  IS(0, strcmp(order, "bdca"));
}

FRESH(pthread_mutex_trylock, free_is_locked, "a free mutex is locked") {
  OK(pthread_mutex_trylock(&mutex));
  IS(EBUSY, joined(started(try_it, &mutex)));
  OK(pthread_mutex_unlock(&mutex));
}

FRESH(pthread_mutex_trylock, locked_ebusy, "one that another thread holds: EBUSY at once") {
  go = has_locked = 0;
  const pthread_t thread = started(hold_it, &mutex);
  AWAIT(has_locked);
  IS(EBUSY, pthread_mutex_trylock(&mutex));
  go = 1;
  IS(0, joined(thread));
}

TEST(pthread_mutex_trylock, own_ebusy, "one that the caller holds: EBUSY, if it is not recursive") {
  const int types[] = {PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_DEFAULT};
  for (int i = 0; i < 3; i++) {
    OK(made(&mutex, types[i]));
    OK(pthread_mutex_lock(&mutex));
    IS(EBUSY, pthread_mutex_trylock(&mutex));
    OK(pthread_mutex_unlock(&mutex));
    OK(pthread_mutex_destroy(&mutex));
  }
}

TEST(pthread_mutex_trylock, recursive_counts, "a recursive one that the caller holds is locked once more") {
  OK(made(&mutex, PTHREAD_MUTEX_RECURSIVE));
  OK(pthread_mutex_lock(&mutex));
  OK(pthread_mutex_trylock(&mutex));
  OK(pthread_mutex_unlock(&mutex));
  IS(EBUSY, joined(started(try_it, &mutex)));
  OK(pthread_mutex_unlock(&mutex));
  OK(pthread_mutex_destroy(&mutex));
}

TEST(pthread_mutex_unlock, errorcheck_other_eperm, "error-checking: EPERM for a thread that does not hold it") {
  OK(made(&mutex, PTHREAD_MUTEX_ERRORCHECK));
  OK(pthread_mutex_lock(&mutex));
  IS(EPERM, joined(started(unlock_it, &mutex)));
  IS(EBUSY, joined(started(try_it, &mutex)));
  OK(pthread_mutex_unlock(&mutex));
  OK(pthread_mutex_destroy(&mutex));
}

TEST(pthread_mutex_unlock, errorcheck_free_eperm, "error-checking: a free one gives EPERM") {
  OK(made(&mutex, PTHREAD_MUTEX_ERRORCHECK));
  IS(EPERM, pthread_mutex_unlock(&mutex));
  OK(pthread_mutex_destroy(&mutex));
}

TEST(pthread_mutex_unlock, recursive_other_eperm, "recursive: EPERM for a thread that does not hold it") {
  OK(made(&mutex, PTHREAD_MUTEX_RECURSIVE));
  IS(EPERM, pthread_mutex_unlock(&mutex));
  OK(pthread_mutex_lock(&mutex));
  IS(EPERM, joined(started(unlock_it, &mutex)));
  OK(pthread_mutex_unlock(&mutex));
  OK(pthread_mutex_destroy(&mutex));
}

TEST(pthread_mutex_unlock, order_is_free, "several are unlocked in any order") {
  OK(pthread_mutex_init(&mutex, NULL));
  OK(pthread_mutex_init(&second_mutex, NULL));
  OK(pthread_mutex_lock(&mutex));
  OK(pthread_mutex_lock(&second_mutex));
  OK(pthread_mutex_unlock(&mutex));
  IS(0, joined(started(try_it, &mutex)));
  IS(EBUSY, joined(started(try_it, &second_mutex)));
  OK(pthread_mutex_unlock(&second_mutex));
  OK(pthread_mutex_destroy(&mutex));
  OK(pthread_mutex_destroy(&second_mutex));
}

/* --- Timed --- */

static void *timed_past(void *place) {
  const struct timespec past = in_ms(CLOCK_REALTIME, -100);
  const int error = pthread_mutex_timedlock(place, &past);
  if (!error) pthread_mutex_unlock(place);
  return (void *)(long)error;
}

static void *timed_soon(void *place) {
  const struct timespec at = in_ms(CLOCK_REALTIME, 2);
  const int error = pthread_mutex_timedlock(place, &at);
  if (!error) pthread_mutex_unlock(place);
  has_locked = has_come(CLOCK_REALTIME, at);
  return (void *)(long)error;
}

static void *timed_late(void *place) {
  const struct timespec at = in_ms(CLOCK_REALTIME, 2000);
  const int error = pthread_mutex_timedlock(place, &at);
  if (!error) pthread_mutex_unlock(place);
  has_locked = 1 + has_come(CLOCK_REALTIME, at);
  return (void *)(long)error;
}

static void *timed_absurd(void *place) {
  const struct timespec at = {.tv_sec = 1, .tv_nsec = 1000000000};
  return (void *)(long)pthread_mutex_timedlock(place, &at);
}

FRESH(pthread_mutex_timedlock, free_is_locked, "a free mutex is locked, even if the time is past") {
  IS(0, joined(started(timed_past, &mutex)));
  IS(0, joined(started(timed_soon, &mutex)));
}

FRESH(pthread_mutex_timedlock, timedout, "one that stays locked: ETIMEDOUT, not before the time") {
  OK(pthread_mutex_lock(&mutex));
  IS(ETIMEDOUT, joined(started(timed_soon, &mutex)));
  IS(1, has_locked);
  OK(pthread_mutex_unlock(&mutex));
}

FRESH(pthread_mutex_timedlock, past_timedout, "a time that is past: ETIMEDOUT at once") {
  OK(pthread_mutex_lock(&mutex));
  IS(ETIMEDOUT, joined(started(timed_past, &mutex)));
  OK(pthread_mutex_unlock(&mutex));
}

FRESH(pthread_mutex_timedlock, unlocked_in_time, "one that is unlocked before the time is locked then") {
  OK(pthread_mutex_lock(&mutex));
  has_locked = 0;
  const pthread_t thread = started(timed_late, &mutex);
  nap();
  IS(0, has_locked);
  OK(pthread_mutex_unlock(&mutex));
  IS(0, joined(thread));
  IS(1, has_locked);
}

FRESH(pthread_mutex_timedlock, bad_time_einval, "nanoseconds outside 0 to 999 999 999, where it must wait: EINVAL") {
  OK(pthread_mutex_lock(&mutex));
  IS(EINVAL, joined(started(timed_absurd, &mutex)));
  OK(pthread_mutex_unlock(&mutex));
}

TEST(pthread_mutex_timedlock, errorcheck_deadlk, "error-checking: its owner gets EDEADLK") {
  OK(made(&mutex, PTHREAD_MUTEX_ERRORCHECK));
  OK(pthread_mutex_lock(&mutex));
  const struct timespec at = in_ms(CLOCK_REALTIME, 2);
  IS(EDEADLK, pthread_mutex_timedlock(&mutex, &at));
  OK(pthread_mutex_unlock(&mutex));
  OK(pthread_mutex_destroy(&mutex));
}

TEST(pthread_mutex_timedlock, recursive_counts, "recursive: its owner locks it once more") {
  OK(made(&mutex, PTHREAD_MUTEX_RECURSIVE));
  OK(pthread_mutex_lock(&mutex));
  const struct timespec at = in_ms(CLOCK_REALTIME, 2);
  OK(pthread_mutex_timedlock(&mutex, &at));
  OK(pthread_mutex_unlock(&mutex));
  IS(EBUSY, joined(started(try_it, &mutex)));
  OK(pthread_mutex_unlock(&mutex));
  OK(pthread_mutex_destroy(&mutex));
}

TEST(pthread_mutex_timedlock, normal_own_timedout, "normal: its owner waits until the time: ETIMEDOUT") {
  OK(made(&mutex, PTHREAD_MUTEX_NORMAL));
  OK(pthread_mutex_lock(&mutex));
  const struct timespec at = in_ms(CLOCK_REALTIME, 2);
  IS(ETIMEDOUT, pthread_mutex_timedlock(&mutex, &at));
  OK(pthread_mutex_unlock(&mutex));
  OK(pthread_mutex_destroy(&mutex));
}

/* --- Attributes --- */

static pthread_mutexattr_t attr;

/* A test with fresh attributes. */
#define FRESH_ATTR(function, requirement, text) \
  TEST_BETWEEN(function, requirement, text, pthread_mutexattr_init(&attr), pthread_mutexattr_destroy(&attr))

FRESH_ATTR(pthread_mutexattr_init, defaults, "type PTHREAD_MUTEX_DEFAULT, private, no protocol, not robust") {
  int value = -1;
  OK(pthread_mutexattr_gettype(&attr, &value));
  IS(PTHREAD_MUTEX_DEFAULT, value);
  OK(pthread_mutexattr_getpshared(&attr, &value));
  IS(PTHREAD_PROCESS_PRIVATE, value);
  OK(pthread_mutexattr_getprotocol(&attr, &value));
  IS(PTHREAD_PRIO_NONE, value);
  OK(pthread_mutexattr_getrobust(&attr, &value));
  IS(PTHREAD_MUTEX_STALLED, value);
}

TEST(pthread_mutexattr_destroy, nothing_einval, "a null pointer is no attributes: EINVAL") {
  KERNELS_ONLY();
  IS(EINVAL, pthread_mutexattr_destroy(nothing));
  int type;
  IS(EINVAL, pthread_mutexattr_gettype(nothing, &type));
}

TEST(pthread_mutexattr_destroy, init_again, "destroyed attributes can be initialised again") {
  pthread_mutexattr_t attr;
  for (int i = 0; i < 3; i++) {
    OK(pthread_mutexattr_init(&attr));
    OK(pthread_mutexattr_destroy(&attr));
  }
}

TEST(pthread_mutexattr_destroy, then_use_einval, "destroyed attributes: EINVAL") {
  KERNELS_ONLY();
  pthread_mutexattr_t attr;
  int value;
  OK(pthread_mutexattr_init(&attr));
  OK(pthread_mutexattr_destroy(&attr));
  IS(EINVAL, pthread_mutexattr_destroy(&attr));
  IS(EINVAL, pthread_mutexattr_gettype(&attr, &value));
  IS(EINVAL, pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_STALLED));
  IS(EINVAL, pthread_mutex_init(&mutex, &attr));
}

FRESH_ATTR(pthread_mutexattr_settype, all_types, "each of the four types is kept") {
  const int types[] = {PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_DEFAULT};
  int value = -1;
  for (int i = 0; i < 4; i++) {
    OK(pthread_mutexattr_settype(&attr, types[i]));
    OK(pthread_mutexattr_gettype(&attr, &value));
    IS(types[i], value);
  }
}

FRESH_ATTR(pthread_mutexattr_settype, unknown_einval, "another number: EINVAL, and the type stays") {
  int value = -1;
  IS(EINVAL, pthread_mutexattr_settype(&attr, 1234));
  IS(EINVAL, pthread_mutexattr_settype(&attr, -1));
  OK(pthread_mutexattr_gettype(&attr, &value));
  IS(PTHREAD_MUTEX_DEFAULT, value);
}

FRESH_ATTR(pthread_mutexattr_gettype, returns_type, "the type last set") {
  int value = -1;
  OK(pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE));
  OK(pthread_mutexattr_gettype(&attr, &value));
  IS(PTHREAD_MUTEX_RECURSIVE, value);
}

FRESH_ATTR(pthread_mutexattr_setpshared, kept, "both values are accepted") {
  int shared = -1;
  OK(pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED));
  OK(pthread_mutexattr_getpshared(&attr, &shared));
  IS(PTHREAD_PROCESS_SHARED, shared);
  OK(pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_PRIVATE));
  OK(pthread_mutexattr_getpshared(&attr, &shared));
  IS(PTHREAD_PROCESS_PRIVATE, shared);
}

FRESH_ATTR(pthread_mutexattr_setpshared, unknown_einval, "a value that is none of the two: EINVAL") {
  IS(EINVAL, pthread_mutexattr_setpshared(&attr, 1234));
}

FRESH_ATTR(pthread_mutexattr_getpshared, default_private, "PTHREAD_PROCESS_PRIVATE unless set") {
  int value = -1;
  OK(pthread_mutexattr_getpshared(&attr, &value));
  IS(PTHREAD_PROCESS_PRIVATE, value);
}
