/* SPDX-License-Identifier: Apache-2.0
 *
 * Read-write locks. */
#include "conformance.h"

static pthread_rwlock_t lock;
static volatile int go, has, late, count;

static void *read_it(void *unused) {
  (void)unused;
  const int error = pthread_rwlock_rdlock(&lock);
  has++;
  AWAIT(go);
  if (!error) pthread_rwlock_unlock(&lock);
  return (void *)(long)error;
}

static void *write_it(void *unused) {
  (void)unused;
  const int error = pthread_rwlock_wrlock(&lock);
  has++;
  AWAIT(go);
  if (!error) pthread_rwlock_unlock(&lock);
  return (void *)(long)error;
}

static void *try_read(void *unused) {
  (void)unused;
  const int error = pthread_rwlock_tryrdlock(&lock);
  if (!error) pthread_rwlock_unlock(&lock);
  return (void *)(long)error;
}

static void *try_write(void *unused) {
  (void)unused;
  const int error = pthread_rwlock_trywrlock(&lock);
  if (!error) pthread_rwlock_unlock(&lock);
  return (void *)(long)error;
}

static void *unlock_it(void *unused) { return (void)unused, (void *)(long)pthread_rwlock_unlock(&lock); }

/* A test with an unlocked lock. */
#define FRESH(function, requirement, text) \
  TEST_BETWEEN(function, requirement, text, pthread_rwlock_init(&lock, NULL), pthread_rwlock_destroy(&lock))

FRESH(pthread_rwlock_init, default_attributes, "without attributes: an unlocked lock") {
  OK(pthread_rwlock_trywrlock(&lock));
  OK(pthread_rwlock_unlock(&lock));
}

TEST(pthread_rwlock_init, with_attributes, "with default attributes the same") {
  pthread_rwlockattr_t attr;
  OK(pthread_rwlockattr_init(&attr));
  OK(pthread_rwlock_init(&lock, &attr));
  OK(pthread_rwlockattr_destroy(&attr));
  OK(pthread_rwlock_rdlock(&lock));
  OK(pthread_rwlock_unlock(&lock));
  OK(pthread_rwlock_destroy(&lock));
}

TEST(pthread_rwlock_init, static_initializer, "PTHREAD_RWLOCK_INITIALIZER is as good as the call") {
  static pthread_rwlock_t fixed = PTHREAD_RWLOCK_INITIALIZER;
  OK(pthread_rwlock_rdlock(&fixed));
  OK(pthread_rwlock_unlock(&fixed));
  OK(pthread_rwlock_wrlock(&fixed));
  OK(pthread_rwlock_unlock(&fixed));
  OK(pthread_rwlock_destroy(&fixed));
}

TEST(pthread_rwlock_init, no_small_limit, "200 locks can exist and be held") {
  static pthread_rwlock_t many[200];
  for (int i = 0; i < 200; i++) OK(pthread_rwlock_init(&many[i], NULL));
  for (int i = 0; i < 200; i++) OK(pthread_rwlock_wrlock(&many[i]));
  for (int i = 0; i < 200; i++) OK(pthread_rwlock_unlock(&many[i]));
  for (int i = 0; i < 200; i++) OK(pthread_rwlock_destroy(&many[i]));
}

TEST(pthread_rwlock_destroy, init_again, "a destroyed lock can be initialised again") {
  for (int i = 0; i < 50; i++) {
    OK(pthread_rwlock_init(&lock, NULL));
    OK(pthread_rwlock_destroy(&lock));
  }
}

TEST(pthread_rwlock_destroy, then_use_einval, "a destroyed lock: EINVAL") {
  OK(pthread_rwlock_init(&lock, NULL));
  OK(pthread_rwlock_destroy(&lock));
  KERNELS_ONLY();
  IS(EINVAL, pthread_rwlock_rdlock(&lock));
  IS(EINVAL, pthread_rwlock_wrlock(&lock));
  IS(EINVAL, pthread_rwlock_tryrdlock(&lock));
  IS(EINVAL, pthread_rwlock_trywrlock(&lock));
  IS(EINVAL, pthread_rwlock_unlock(&lock));
  IS(EINVAL, pthread_rwlock_destroy(&lock));
}

TEST(pthread_rwlock_destroy, held_ebusy, "a lock that is held: EBUSY") {
  KERNELS_ONLY();
  OK(pthread_rwlock_init(&lock, NULL));
  OK(pthread_rwlock_rdlock(&lock));
  IS(EBUSY, pthread_rwlock_destroy(&lock));
  OK(pthread_rwlock_unlock(&lock));
  OK(pthread_rwlock_wrlock(&lock));
  IS(EBUSY, pthread_rwlock_destroy(&lock));
  IS(EPERM, joined(started(unlock_it, NULL)));
  OK(pthread_rwlock_unlock(&lock));
  OK(pthread_rwlock_destroy(&lock));
}

FRESH(pthread_rwlock_rdlock, readers_share, "several readers hold it at once") {
  go = has = 0;
  pthread_t threads[4];
  for (int i = 0; i < 4; i++) threads[i] = started(read_it, NULL);
  AWAIT(has == 4);
  go = 1;
  for (int i = 0; i < 4; i++) IS(0, joined(threads[i]));
}

FRESH(pthread_rwlock_rdlock, waits_for_writer, "a reader waits while a writer holds it") {
  OK(pthread_rwlock_wrlock(&lock));
  has = 0;
  go = 1;
  const pthread_t thread = started(read_it, NULL);
  nap();
  IS(0, has);
  OK(pthread_rwlock_unlock(&lock));
  IS(0, joined(thread));
}

FRESH(pthread_rwlock_rdlock, several_times, "a thread may hold several read locks, and unlocks each") {
  for (int i = 0; i < 5; i++) OK(pthread_rwlock_rdlock(&lock));
  for (int i = 0; i < 4; i++) OK(pthread_rwlock_unlock(&lock));
  IS(EBUSY, joined(started(try_write, NULL)));
  OK(pthread_rwlock_unlock(&lock));
  IS(0, joined(started(try_write, NULL)));
}

FRESH(pthread_rwlock_rdlock, again_before_writer, "a thread that reads it reads it again, though a writer waits") {
  OK(pthread_rwlock_rdlock(&lock));
  has = 0;
  go = 1;
  const pthread_t thread = started(write_it, NULL);
  nap();
  OK(pthread_rwlock_rdlock(&lock));
  OK(pthread_rwlock_tryrdlock(&lock));
  IS(0, has);
  for (int i = 0; i < 3; i++) OK(pthread_rwlock_unlock(&lock));
  IS(0, joined(thread));
}

FRESH(pthread_rwlock_rdlock, behind_writer,
      "under SCHED_FIFO a reader waits behind a writer of its priority or above") {
  NOT_ON_LINUX("this C library lets readers go first, whatever the priorities");
  pthread_t writer, below, equal;
  OK(pthread_rwlock_rdlock(&lock));
  has = 0;
  go = 0;
  OK(started_at(&writer, 4, write_it, NULL));
  nap();
  OK(started_at(&below, 3, read_it, NULL));
  OK(started_at(&equal, 4, read_it, NULL));
  nap();
  IS(0, has);
  OK(pthread_rwlock_unlock(&lock));
  AWAIT_ANY(has == 1);
  nap();
  IS(1, has);
  go = 1;
  IS(0, joined(writer));
  IS(0, joined(below));
  IS(0, joined(equal));
}

FRESH(pthread_rwlock_rdlock, before_writer,
      "under SCHED_FIFO a reader goes before a waiting writer of lower priority") {
  pthread_t writer, reader;
  OK(pthread_rwlock_rdlock(&lock));
  has = 0;
  go = 1;
  OK(started_at(&writer, 4, write_it, NULL));
  nap();
  OK(started_at(&reader, 5, read_it, NULL));
  IS(0, joined(reader));
  IS(1, has);
  OK(pthread_rwlock_unlock(&lock));
  IS(0, joined(writer));
}

TEST(pthread_rwlock_rdlock, foreign_einval, "bytes that are no lock: EINVAL, and no hang") {
  KERNELS_ONLY();
  for (int byte = 0; byte < 256; byte += 255) {
    memset(&lock, byte, sizeof lock);
    IS(EINVAL, pthread_rwlock_rdlock(&lock));
    IS(EINVAL, pthread_rwlock_wrlock(&lock));
    IS(EINVAL, pthread_rwlock_unlock(&lock));
    IS(EINVAL, pthread_rwlock_destroy(&lock));
  }
}

FRESH(pthread_rwlock_rdlock, writer_deadlk, "by its writer: EDEADLK, and no hang") {
  OK(pthread_rwlock_wrlock(&lock));
  IS(EDEADLK, pthread_rwlock_rdlock(&lock));
  OK(pthread_rwlock_unlock(&lock));
}

FRESH(pthread_rwlock_wrlock, waits_for_readers, "a writer waits until the last reader has unlocked") {
  OK(pthread_rwlock_rdlock(&lock));
  OK(pthread_rwlock_rdlock(&lock));
  has = 0;
  go = 1;
  const pthread_t thread = started(write_it, NULL);
  nap();
  IS(0, has);
  OK(pthread_rwlock_unlock(&lock));
  nap();
  IS(0, has);
  OK(pthread_rwlock_unlock(&lock));
  IS(0, joined(thread));
}

FRESH(pthread_rwlock_wrlock, waits_for_writer, "a writer waits for another writer") {
  OK(pthread_rwlock_wrlock(&lock));
  has = 0;
  go = 1;
  const pthread_t thread = started(write_it, NULL);
  nap();
  IS(0, has);
  OK(pthread_rwlock_unlock(&lock));
  IS(0, joined(thread));
}

FRESH(pthread_rwlock_wrlock, own_deadlk, "by its writer: EDEADLK, and no hang") {
  OK(pthread_rwlock_wrlock(&lock));
  IS(EDEADLK, pthread_rwlock_wrlock(&lock));
  OK(pthread_rwlock_unlock(&lock));
}

static void *add(void *unused) {
  for (int i = 0; i < 100; i++) {
    pthread_rwlock_wrlock(&lock);
    const int before = count;
    if (i % 25 == 0) sched_yield();
    count = before + 1;
    pthread_rwlock_unlock(&lock);
  }
  return unused;
}

FRESH(pthread_rwlock_wrlock, excludes, "one writer at a time: four threads lose no count") {
  count = 0;
  pthread_t threads[4];
  for (int i = 0; i < 4; i++) threads[i] = started(add, NULL);
  for (int i = 0; i < 4; i++) IS(0, joined(threads[i]));
  IS(400, count);
}

FRESH(pthread_rwlock_tryrdlock, free_or_read, "0 if it is free or held by readers") {
  IS(0, joined(started(try_read, NULL)));
  OK(pthread_rwlock_rdlock(&lock));
  IS(0, joined(started(try_read, NULL)));
  OK(pthread_rwlock_unlock(&lock));
}

FRESH(pthread_rwlock_tryrdlock, written_ebusy, "EBUSY if a writer holds it") {
  OK(pthread_rwlock_wrlock(&lock));
  IS(EBUSY, joined(started(try_read, NULL)));
  OK(pthread_rwlock_unlock(&lock));
}

static void *try_read_late(void *unused) {
  AWAIT(go);
  return try_read(unused);
}

static void *read_and_end(void *other) { return (void *)(long)pthread_rwlock_rdlock(other); }

FRESH(pthread_rwlock_tryrdlock, ended_reader_is_none,
      "a thread that follows one that ended while it read is no reader") {
  NOT_ON_LINUX("this C library lets readers go first, whatever the priorities");
  static pthread_rwlock_t other = PTHREAD_RWLOCK_INITIALIZER;
  pthread_t writer;
  IS(0, joined(started(read_and_end, &other))); /* its number is free */
  OK(pthread_rwlock_rdlock(&lock));
  const pthread_t next = started(try_read_late, NULL);
  go = 0;
  OK(started_at(&writer, 30, write_it, NULL));
  nap();
  go = 1;
  IS(EBUSY, joined(next)); /* as a writer waits */
  OK(pthread_rwlock_unlock(&lock));
  IS(0, joined(writer));
}

FRESH(pthread_rwlock_trywrlock, free_is_locked, "0 if it is free, which excludes readers and writers") {
  OK(pthread_rwlock_trywrlock(&lock));
  IS(EBUSY, joined(started(try_read, NULL)));
  IS(EBUSY, joined(started(try_write, NULL)));
  OK(pthread_rwlock_unlock(&lock));
}

FRESH(pthread_rwlock_trywrlock, held_ebusy, "EBUSY if anybody holds it") {
  OK(pthread_rwlock_rdlock(&lock));
  IS(EBUSY, joined(started(try_write, NULL)));
  IS(EBUSY, pthread_rwlock_trywrlock(&lock));
  OK(pthread_rwlock_unlock(&lock));
  OK(pthread_rwlock_wrlock(&lock));
  IS(EBUSY, pthread_rwlock_trywrlock(&lock));
  OK(pthread_rwlock_unlock(&lock));
}

FRESH(pthread_rwlock_unlock, wakes_all_readers, "when a writer unlocks it all waiting readers get it") {
  OK(pthread_rwlock_wrlock(&lock));
  go = has = 0;
  pthread_t threads[3];
  for (int i = 0; i < 3; i++) threads[i] = started(read_it, NULL);
  nap();
  IS(0, has);
  OK(pthread_rwlock_unlock(&lock));
  AWAIT(has == 3);
  go = 1;
  for (int i = 0; i < 3; i++) IS(0, joined(threads[i]));
}

static char order[8];

static void *note(void *letter) {
  order[has++] = (char)(long)letter;
  return (void *)(long)pthread_rwlock_unlock(&lock);
}

static void *read_in_order(void *letter) { return pthread_rwlock_rdlock(&lock) ? &lock : note(letter); }

static void *write_in_order(void *letter) { return pthread_rwlock_wrlock(&lock) ? &lock : note(letter); }

FRESH(pthread_rwlock_unlock, best_first,
      "the waiter of the highest priority is next, a writer before readers of its own") {
  NOT_ON_LINUX("this C library lets readers go first, whatever the priorities");
  const int above[] = {4, 5, 5, 6, 4};
  pthread_t threads[5];
  OK(pthread_rwlock_wrlock(&lock));
  has = 0;
  memset(order, 0, sizeof order);
  for (int i = 0; i < 5; i++) {
    OK(started_at(&threads[i], above[i], i == 1 || i == 4 ? write_in_order : read_in_order, (void *)(long)"abcde"[i]));
    nap();
  }
  OK(pthread_rwlock_unlock(&lock));
  for (int i = 0; i < 5; i++) IS(0, joined(threads[i]));
  IS(0, strcmp(order, "dbcea"));
}

FRESH(pthread_rwlock_unlock, free_eperm, "a lock that nobody holds: EPERM") {
  KERNELS_ONLY();
  IS(EPERM, pthread_rwlock_unlock(&lock));
}

/* --- Timed --- */

static long ms;

static void *timed_read(void *unused) {
  (void)unused;
  const struct timespec at = in_ms(CLOCK_REALTIME, ms);
  const int error = pthread_rwlock_timedrdlock(&lock, &at);
  late = has_come(CLOCK_REALTIME, at);
  if (!error) pthread_rwlock_unlock(&lock);
  return (void *)(long)error;
}

static void *timed_write(void *unused) {
  (void)unused;
  const struct timespec at = in_ms(CLOCK_REALTIME, ms);
  const int error = pthread_rwlock_timedwrlock(&lock, &at);
  late = has_come(CLOCK_REALTIME, at);
  if (!error) pthread_rwlock_unlock(&lock);
  return (void *)(long)error;
}

FRESH(pthread_rwlock_timedrdlock, free_is_locked, "a free lock is locked, even if the time is past") {
  ms = -1000;
  IS(0, joined(started(timed_read, NULL)));
}

FRESH(pthread_rwlock_timedrdlock, timedout, "a lock that stays written: ETIMEDOUT, not before the time") {
  OK(pthread_rwlock_wrlock(&lock));
  ms = 2;
  IS(ETIMEDOUT, joined(started(timed_read, NULL)));
  IS(1, late);
  ms = -1000;
  IS(ETIMEDOUT, joined(started(timed_read, NULL)));
  OK(pthread_rwlock_unlock(&lock));
}

FRESH(pthread_rwlock_timedrdlock, unlocked_in_time, "a lock that becomes free before the time is locked then") {
  OK(pthread_rwlock_wrlock(&lock));
  ms = 5000;
  const pthread_t thread = started(timed_read, NULL);
  nap();
  OK(pthread_rwlock_unlock(&lock));
  IS(0, joined(thread));
  IS(0, late);
}

FRESH(pthread_rwlock_timedrdlock, bad_time_einval, "nanoseconds outside 0 to 999 999 999, where it must wait: EINVAL") {
  const struct timespec bad = {.tv_sec = 1, .tv_nsec = 1000000000};
  OK(pthread_rwlock_wrlock(&lock));
  IS(EINVAL, pthread_rwlock_timedrdlock(&lock, &bad));
  OK(pthread_rwlock_unlock(&lock));
}

FRESH(pthread_rwlock_timedwrlock, free_is_locked, "a free lock is locked, even if the time is past") {
  ms = -1000;
  IS(0, joined(started(timed_write, NULL)));
}

FRESH(pthread_rwlock_timedwrlock, timedout, "a lock that stays read: ETIMEDOUT, not before the time") {
  OK(pthread_rwlock_rdlock(&lock));
  ms = 2;
  IS(ETIMEDOUT, joined(started(timed_write, NULL)));
  IS(1, late);
  OK(pthread_rwlock_unlock(&lock));
}

FRESH(pthread_rwlock_timedwrlock, unlocked_in_time, "a lock that becomes free before the time is locked then") {
  OK(pthread_rwlock_rdlock(&lock));
  ms = 5000;
  const pthread_t thread = started(timed_write, NULL);
  nap();
  OK(pthread_rwlock_unlock(&lock));
  IS(0, joined(thread));
  IS(0, late);
}

FRESH(pthread_rwlock_timedwrlock, bad_time_einval, "nanoseconds outside 0 to 999 999 999, where it must wait: EINVAL") {
  const struct timespec bad = {.tv_sec = 1, .tv_nsec = -1};
  OK(pthread_rwlock_rdlock(&lock));
  IS(EINVAL, pthread_rwlock_timedwrlock(&lock, &bad));
  OK(pthread_rwlock_unlock(&lock));
}

FRESH(pthread_rwlock_timedwrlock, gives_up_its_place, "after ETIMEDOUT a writer keeps no reader out") {
  OK(pthread_rwlock_rdlock(&lock));
  ms = 2;
  IS(ETIMEDOUT, joined(started(timed_write, NULL)));
  IS(0, joined(started(try_read, NULL)));
  ms = 1000;
  IS(0, joined(started(timed_read, NULL)));
  OK(pthread_rwlock_unlock(&lock));
}

/* --- Attributes --- */

TEST(pthread_rwlockattr_init, defaults, "private") {
  pthread_rwlockattr_t attr;
  int shared = -1;
  OK(pthread_rwlockattr_init(&attr));
  OK(pthread_rwlockattr_getpshared(&attr, &shared));
  IS(PTHREAD_PROCESS_PRIVATE, shared);
  OK(pthread_rwlockattr_destroy(&attr));
}

TEST(pthread_rwlockattr_destroy, nothing_einval, "a null pointer is no attributes: EINVAL") {
  KERNELS_ONLY();
  IS(EINVAL, pthread_rwlockattr_destroy(nothing));
  int shared;
  IS(EINVAL, pthread_rwlockattr_getpshared(nothing, &shared));
}

TEST(pthread_rwlockattr_destroy, init_again, "destroyed attributes can be initialised again") {
  pthread_rwlockattr_t attr;
  for (int i = 0; i < 3; i++) {
    OK(pthread_rwlockattr_init(&attr));
    OK(pthread_rwlockattr_destroy(&attr));
  }
}

TEST(pthread_rwlockattr_destroy, then_use_einval, "destroyed attributes: EINVAL") {
  KERNELS_ONLY();
  pthread_rwlockattr_t attr;
  OK(pthread_rwlockattr_init(&attr));
  OK(pthread_rwlockattr_destroy(&attr));
  IS(EINVAL, pthread_rwlock_init(&lock, &attr));
}

TEST(pthread_rwlockattr_setpshared, kept, "both values are accepted; another number is EINVAL") {
  pthread_rwlockattr_t attr;
  int shared = -1;
  OK(pthread_rwlockattr_init(&attr));
  OK(pthread_rwlockattr_setpshared(&attr, PTHREAD_PROCESS_SHARED));
  OK(pthread_rwlockattr_getpshared(&attr, &shared));
  IS(PTHREAD_PROCESS_SHARED, shared);
  OK(pthread_rwlockattr_setpshared(&attr, PTHREAD_PROCESS_PRIVATE));
  IS(EINVAL, pthread_rwlockattr_setpshared(&attr, 1234));
  OK(pthread_rwlockattr_destroy(&attr));
}

TEST(pthread_rwlockattr_getpshared, default_private, "PTHREAD_PROCESS_PRIVATE unless set") {
  pthread_rwlockattr_t attr;
  int shared = -1;
  OK(pthread_rwlockattr_init(&attr));
  OK(pthread_rwlockattr_getpshared(&attr, &shared));
  IS(PTHREAD_PROCESS_PRIVATE, shared);
  OK(pthread_rwlockattr_destroy(&attr));
}

TEST(pthread_rwlockattr_init, kind, "pthread_rwlockattr_setkind_np: the kinds are kept; no kind: EINVAL") {
  pthread_rwlockattr_t attr;
  int kind = -1;
  OK(pthread_rwlockattr_init(&attr));
  OK(pthread_rwlockattr_getkind_np(&attr, &kind));
  IS(PTHREAD_RWLOCK_DEFAULT_NP, kind);
  OK(pthread_rwlockattr_setkind_np(&attr, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP));
  OK(pthread_rwlockattr_getkind_np(&attr, &kind));
  IS(PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP, kind);
  IS(EINVAL, pthread_rwlockattr_setkind_np(&attr, 42));
  OK(pthread_rwlockattr_destroy(&attr));
}
