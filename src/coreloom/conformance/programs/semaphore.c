/* SPDX-License-Identifier: Apache-2.0
 *
 * Semaphores: unnamed, timed, named. */
#include <fcntl.h>
#include <limits.h>

#include "conformance.h"

static sem_t sem;
static volatile int has, late, place, count;
static char order[8];
static sem_t *named;
static const char name[] = "/coreloom-conformance", other[] = "/coreloom-conformance-2";

static int value_of(sem_t *which) {
  int value = -1000;
  return sem_getvalue(which, &value) ? -1001 : value;
}

static void *wait_it(void *which) {
  const int result = sem_wait(which);
  has++;
  return (void *)(long)result;
}

TEST(sem_init, value, "it has the value given") {
  OK(sem_init(&sem, 0, 0));
  IS(0, value_of(&sem));
  OK(sem_destroy(&sem));
  OK(sem_init(&sem, 0, 7));
  IS(7, value_of(&sem));
  OK(sem_destroy(&sem));
}

TEST(sem_init, value_max, "SEM_VALUE_MAX is a value") {
  OK(sem_init(&sem, 0, SEM_VALUE_MAX));
  IS(SEM_VALUE_MAX, value_of(&sem));
  OK(sem_destroy(&sem));
  TRUE(SEM_VALUE_MAX >= _POSIX_SEM_VALUE_MAX);
}

TEST(sem_init, too_large_einval, "a value above SEM_VALUE_MAX: EINVAL") {
  FAILS(EINVAL, sem_init(&sem, 0, (unsigned)SEM_VALUE_MAX + 1));
}

TEST(sem_init, no_small_limit, "200 semaphores can exist") {
  static sem_t many[200];
  for (int i = 0; i < 200; i++) OK(sem_init(&many[i], 0, (unsigned)i));
  for (int i = 0; i < 200; i++) IS(i, value_of(&many[i]));
  for (int i = 0; i < 200; i++) OK(sem_destroy(&many[i]));
}

TEST(sem_destroy, init_again, "a destroyed semaphore can be initialised again") {
  for (int i = 0; i < 100; i++) {
    OK(sem_init(&sem, 0, 1));
    OK(sem_wait(&sem));
    OK(sem_destroy(&sem));
  }
}

TEST(sem_destroy, then_use_einval, "a destroyed semaphore: EINVAL, and no hang") {
  OK(sem_init(&sem, 0, 0));
  OK(sem_destroy(&sem));
  KERNELS_ONLY();
  FAILS(EINVAL, sem_wait(&sem));
  FAILS(EINVAL, sem_trywait(&sem));
  FAILS(EINVAL, sem_post(&sem));
  FAILS(EINVAL, sem_destroy(&sem));
  int value;
  FAILS(EINVAL, sem_getvalue(&sem, &value));
}

TEST(sem_destroy, waited_for_ebusy, "a semaphore that threads wait for: EBUSY, and they go on waiting") {
  KERNELS_ONLY();
  OK(sem_init(&sem, 0, 0));
  const pthread_t thread = started(wait_it, &sem);
  nap();
  FAILS(EBUSY, sem_destroy(&sem));
  OK(sem_post(&sem));
  IS(0, joined(thread));
  OK(sem_destroy(&sem));
}

TEST(sem_wait, foreign_einval, "bytes that are no semaphore: EINVAL, and no hang") {
  KERNELS_ONLY();
  memset(&sem, 0xA5, sizeof sem);
  FAILS(EINVAL, sem_wait(&sem));
  FAILS(EINVAL, sem_post(&sem));
  memset(&sem, 0, sizeof sem);
  FAILS(EINVAL, sem_wait(&sem));
  FAILS(EINVAL, sem_post(&sem));
}

TEST(sem_wait, decrements, "above 0 it takes one and returns") {
  OK(sem_init(&sem, 0, 2));
  OK(sem_wait(&sem));
  IS(1, value_of(&sem));
  OK(sem_wait(&sem));
  IS(0, value_of(&sem));
  OK(sem_destroy(&sem));
}

/* A test with a semaphore of 0. */
#define FRESH(function, requirement, text) \
  TEST_BETWEEN(function, requirement, text, sem_init(&sem, 0, 0), sem_destroy(&sem))

FRESH(sem_wait, waits_at_zero, "at 0 it waits for a post") {
  has = 0;
  const pthread_t thread = started(wait_it, &sem);
  nap();
  IS(0, has);
  OK(sem_post(&sem));
  IS(0, joined(thread));
  IS(0, value_of(&sem));
}

TEST(sem_trywait, decrements, "above 0 it takes one") {
  OK(sem_init(&sem, 0, 1));
  OK(sem_trywait(&sem));
  IS(0, value_of(&sem));
  OK(sem_destroy(&sem));
}

FRESH(sem_trywait, zero_eagain, "at 0: EAGAIN at once, and the value stays") {
  FAILS(EAGAIN, sem_trywait(&sem));
  IS(0, value_of(&sem));
}

FRESH(sem_post, increments, "without a waiter the value is one more") {
  OK(sem_post(&sem));
  OK(sem_post(&sem));
  IS(2, value_of(&sem));
}

FRESH(sem_post, wakes_one, "each post lets one waiter go on") {
  has = 0;
  pthread_t threads[3];
  for (int i = 0; i < 3; i++) threads[i] = started(wait_it, &sem);
  nap();
  for (int i = 0; i < 3; i++) {
    OK(sem_post(&sem));
    AWAIT(has > i);
    nap();
    IS(i + 1, has);
  }
  for (int i = 0; i < 3; i++) IS(0, joined(threads[i]));
}

TEST(sem_post, overflow, "at SEM_VALUE_MAX: EOVERFLOW, and the value stays") {
  OK(sem_init(&sem, 0, SEM_VALUE_MAX));
  FAILS(EOVERFLOW, sem_post(&sem));
  IS(SEM_VALUE_MAX, value_of(&sem));
  OK(sem_destroy(&sem));
}

static void *wait_in_order(void *letter) {
  sem_wait(&sem);
  order[place++] = (char)(long)letter;
  return NULL;
}

FRESH(sem_post, best_waiter_first,
      "under SCHED_FIFO the waiter of the highest priority goes on first, of equals the first") {
  NOT_ON_LINUX("this C library wakes by arrival, whatever the priorities");
  place = 0;
  memset(order, 0, sizeof order);
  const int above[] = {2, 6, 4, 6};
  pthread_t threads[4];
  for (int i = 0; i < 4; i++) {
    OK(started_at(&threads[i], above[i], wait_in_order, (void *)(long)"abcd"[i]));
    nap();
  }
  for (int i = 0; i < 4; i++) {
    OK(sem_post(&sem));
    AWAIT_ANY(place == i + 1);
  }
  for (int i = 0; i < 4; i++) IS(0, joined(threads[i]));
  IS(0, strcmp(order, "bdca"));
}

static void *add(void *unused) {
  for (int i = 0; i < 200; i++) {
    sem_wait(&sem);
    const int before = count;
    if (i % 50 == 0) sched_yield();
    count = before + 1;
    sem_post(&sem);
  }
  return unused;
}

TEST(sem_wait, excludes, "a semaphore of 1 is a lock: four threads lose no count") {
  OK(sem_init(&sem, 0, 1));
  count = 0;
  pthread_t threads[4];
  for (int i = 0; i < 4; i++) threads[i] = started(add, NULL);
  for (int i = 0; i < 4; i++) IS(0, joined(threads[i]));
  IS(800, count);
  OK(sem_destroy(&sem));
}

FRESH(sem_getvalue, with_waiters, "while threads wait: 0, or minus their number") {
  const pthread_t thread = started(wait_it, &sem);
  nap();
  const int value = value_of(&sem);
  OK(sem_post(&sem));
  IS(0, joined(thread));
  TRUE(value == 0 || value == -1);
}

/* --- Timed --- */

TEST(sem_timedwait, available, "above 0 it takes one, even if the time is past") {
  OK(sem_init(&sem, 0, 1));
  const struct timespec at = in_ms(CLOCK_REALTIME, -1000);
  OK(sem_timedwait(&sem, &at));
  IS(0, value_of(&sem));
  OK(sem_destroy(&sem));
}

FRESH(sem_timedwait, timedout, "no post until the time: ETIMEDOUT, not before it, and the value stays") {
  const struct timespec at = in_ms(CLOCK_REALTIME, 2);
  FAILS(ETIMEDOUT, sem_timedwait(&sem, &at));
  TRUE(has_come(CLOCK_REALTIME, at));
  IS(0, value_of(&sem));
}

FRESH(sem_timedwait, past_timedout, "a time that is past: ETIMEDOUT at once") {
  const struct timespec at = in_ms(CLOCK_REALTIME, -1000);
  FAILS(ETIMEDOUT, sem_timedwait(&sem, &at));
}

static void *wait_late(void *unused) {
  (void)unused;
  const struct timespec at = in_ms(CLOCK_REALTIME, 5000);
  const int result = sem_timedwait(&sem, &at);
  late = has_come(CLOCK_REALTIME, at);
  return (void *)(long)result;
}

FRESH(sem_timedwait, posted_in_time, "a post before the time ends it with 0") {
  const pthread_t thread = started(wait_late, NULL);
  nap();
  OK(sem_post(&sem));
  IS(0, joined(thread));
  IS(0, late);
}

FRESH(sem_timedwait, bad_time_einval, "nanoseconds outside 0 to 999 999 999, where it must wait: EINVAL") {
  const struct timespec bad[] = {{.tv_sec = 1, .tv_nsec = 1000000000}, {.tv_sec = 1, .tv_nsec = -1}};
  FAILS(EINVAL, sem_timedwait(&sem, &bad[0]));
  FAILS(EINVAL, sem_timedwait(&sem, &bad[1]));
}

/* --- Named --- */

TEST(sem_open, creates, "O_CREAT makes a semaphore with the value given") {
  sem_unlink(name);
  named = sem_open(name, O_CREAT, 0600, 3);
  TRUE(named != SEM_FAILED);
  IS(3, value_of(named));
  OK(sem_close(named));
  OK(sem_unlink(name));
}

TEST(sem_open, same_object, "a second open of the name, with another value or without O_CREAT, gives the same one") {
  sem_unlink(name);
  named = sem_open(name, O_CREAT, 0600, 1);
  TRUE(named != SEM_FAILED);
  sem_t *const again = sem_open(name, O_CREAT, 0600, 9), *const third = sem_open(name, 0);
  TRUE(again != SEM_FAILED && third != SEM_FAILED);
  IS(1, value_of(again));
  OK(sem_post(again));
  IS(2, value_of(named));
  IS(2, value_of(third));
  OK(sem_close(third));
  OK(sem_close(again));
  OK(sem_close(named));
  OK(sem_unlink(name));
}

TEST(sem_open, exclusive_eexist, "O_CREAT and O_EXCL of a name that exists: EEXIST") {
  sem_unlink(name);
  named = sem_open(name, O_CREAT | O_EXCL, 0600, 1);
  TRUE(named != SEM_FAILED);
  errno = 0;
  TRUE(sem_open(name, O_CREAT | O_EXCL, 0600, 1) == SEM_FAILED);
  IS(EEXIST, errno);
  OK(sem_close(named));
  OK(sem_unlink(name));
}

TEST(sem_open, missing_enoent, "a name that does not exist, without O_CREAT: ENOENT") {
  sem_unlink(name);
  errno = 0;
  TRUE(sem_open(name, 0) == SEM_FAILED);
  IS(ENOENT, errno);
}

TEST(sem_open, too_large_einval, "a value above SEM_VALUE_MAX: EINVAL") {
  sem_unlink(name);
  errno = 0;
  TRUE(sem_open(name, O_CREAT, 0600, (unsigned)SEM_VALUE_MAX + 1) == SEM_FAILED);
  IS(EINVAL, errno);
}

TEST(sem_open, long_name, "a name longer than NAME_MAX: ENAMETOOLONG") {
  NOT_ON_LINUX("this C library says EINVAL");
  static char text[NAME_MAX + 20];
  memset(text, 'n', sizeof text - 1);
  text[0] = '/';
  errno = 0;
  TRUE(sem_open(text, O_CREAT, 0600, 1) == SEM_FAILED);
  IS(ENAMETOOLONG, errno);
  FAILS(ENAMETOOLONG, sem_unlink(text));
  text[NAME_MAX] = 0; /* with the slash */
  named = sem_open(text, O_CREAT | O_EXCL, 0600, 1);
  TRUE(named != SEM_FAILED);
  OK(sem_close(named));
  OK(sem_unlink(text));
}

TEST(sem_open, bad_name_einval, "a name of no slash, or of nothing else: EINVAL") {
  KERNELS_ONLY();
  for (int i = 0; i < 2; i++) {
    errno = 0;
    TRUE(sem_open(i ? "/" : "name", O_CREAT, 0600, 1) == SEM_FAILED);
    IS(EINVAL, errno);
  }
}

TEST(sem_open, two_names, "two names are two semaphores") {
  sem_unlink(name);
  sem_unlink(other);
  named = sem_open(name, O_CREAT, 0600, 1);
  sem_t *const second = sem_open(other, O_CREAT, 0600, 5);
  TRUE(named != SEM_FAILED && second != SEM_FAILED);
  TRUE(named != second);
  OK(sem_post(named));
  IS(5, value_of(second));
  OK(sem_close(named));
  OK(sem_close(second));
  OK(sem_unlink(name));
  OK(sem_unlink(other));
}

TEST(sem_open, waits_and_posts, "a named semaphore waits and wakes as an unnamed one") {
  sem_unlink(name);
  named = sem_open(name, O_CREAT, 0600, 0);
  TRUE(named != SEM_FAILED);
  has = 0;
  const pthread_t thread = started(wait_it, named);
  nap();
  IS(0, has);
  OK(sem_post(named));
  IS(0, joined(thread));
  FAILS(EAGAIN, sem_trywait(named));
  OK(sem_close(named));
  OK(sem_unlink(name));
}

TEST(sem_close, keeps_value, "the semaphore keeps its value until it is unlinked") {
  sem_unlink(name);
  named = sem_open(name, O_CREAT, 0600, 2);
  TRUE(named != SEM_FAILED);
  OK(sem_post(named));
  OK(sem_close(named));
  named = sem_open(name, 0);
  TRUE(named != SEM_FAILED);
  IS(3, value_of(named));
  OK(sem_close(named));
  OK(sem_unlink(name));
}

TEST(sem_close, unnamed_einval, "an unnamed semaphore is none of sem_open's: EINVAL") {
  KERNELS_ONLY();
  OK(sem_init(&sem, 0, 1));
  FAILS(EINVAL, sem_close(&sem));
  OK(sem_destroy(&sem));
}

TEST(sem_close, closed_einval, "one that is not open any more: EINVAL; it lives on while it has a name") {
  KERNELS_ONLY();
  sem_unlink(name);
  named = sem_open(name, O_CREAT, 0600, 4);
  TRUE(named != SEM_FAILED);
  OK(sem_close(named));
  FAILS(EINVAL, sem_close(named));
  TRUE(sem_open(name, 0) == named);
  OK(sem_unlink(name));
  OK(sem_close(named));
  FAILS(EINVAL, sem_close(named));
}

TEST(sem_unlink, name_is_free, "the name is gone at once") {
  sem_unlink(name);
  named = sem_open(name, O_CREAT, 0600, 1);
  TRUE(named != SEM_FAILED);
  OK(sem_unlink(name));
  errno = 0;
  TRUE(sem_open(name, 0) == SEM_FAILED);
  IS(ENOENT, errno);
  OK(sem_close(named));
}

TEST(sem_unlink, open_one_lives, "an open one still works; the name then makes another one") {
  sem_unlink(name);
  named = sem_open(name, O_CREAT, 0600, 4);
  TRUE(named != SEM_FAILED);
  OK(sem_unlink(name));
  OK(sem_wait(named));
  IS(3, value_of(named));
  sem_t *const fresh = sem_open(name, O_CREAT, 0600, 9);
  TRUE(fresh != SEM_FAILED);
  IS(9, value_of(fresh));
  IS(3, value_of(named));
  OK(sem_close(fresh));
  OK(sem_close(named));
  OK(sem_unlink(name));
}

TEST(sem_unlink, missing_enoent, "a name that does not exist, or cannot: ENOENT") {
  sem_unlink(name);
  FAILS(ENOENT, sem_unlink(name));
  FAILS(ENOENT, sem_unlink("/no/semaphore"));
  FAILS(ENOENT, sem_unlink(""));
}
