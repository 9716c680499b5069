/* SPDX-License-Identifier: Apache-2.0
 *
 * A bounded buffer, priority order of waiters, time limits, names, errors; of the kernel, and in memory. */
#include "check.h"

#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <time.h>

#define ITEMS 200
#define SLOTS 4

static sem_t room, items, turn;
static int buffer[SLOTS];
static int sum;
static int order[3], ordered;

static void *produce(void *unused) {
  (void)unused;
  for (int i = 0; i < ITEMS; i++) {
    EQUAL(sem_wait(&room), 0);
    buffer[i % SLOTS] = i;
    EQUAL(sem_post(&items), 0);
  }
  return NULL;
}

static void *consume(void *unused) {
  (void)unused;
  for (int i = 0; i < ITEMS; i++) {
    EQUAL(sem_wait(&items), 0);
    EQUAL(buffer[i % SLOTS], i);
    sum += buffer[i % SLOTS];
    EQUAL(sem_post(&room), 0);
  }
  return NULL;
}

static void *wait_turn(void *number) {
  EQUAL(sem_wait(&turn), 0);
  order[ordered++] = (int)(intptr_t)number;
  return NULL;
}

#define FAILS(error, call) \
  do {                     \
    errno = 0;             \
    EQUAL(call, -1);       \
    EQUAL(errno, error);   \
  } while (0)

static void *wait_a_while(void *unused) {
  (void)unused;
  struct timespec at = {1000, 0};
  EQUAL(sem_timedwait(&turn, &at), 0);
  EQUAL(sem_timedwait_np(&turn, 10000000), 0);
  return NULL;
}

static void limits(void) {
  struct timespec at, now;
  EQUAL(sem_init(&turn, 0, 1), 0);
  at.tv_nsec = -1;
  EQUAL(sem_timedwait(&turn, &at), 0); /* it does not wait */
  FAILS(EINVAL, sem_timedwait(&turn, &at));
  at.tv_nsec = 1000000000;
  FAILS(EINVAL, sem_timedwait(&turn, &at));
  EQUAL(clock_gettime(CLOCK_REALTIME, &at), 0);
  FAILS(ETIMEDOUT, sem_timedwait(&turn, &at));
  at.tv_nsec += 300000;
  at.tv_sec += at.tv_nsec / 1000000000;
  at.tv_nsec %= 1000000000;
  FAILS(ETIMEDOUT, sem_timedwait(&turn, &at));
  EQUAL(clock_gettime(CLOCK_REALTIME, &now), 0);
  CHECK(now.tv_sec > at.tv_sec || (now.tv_sec == at.tv_sec && now.tv_nsec >= at.tv_nsec));
  FAILS(ETIMEDOUT, sem_timedwait_np(&turn, 500));
  pthread_t thread = spawn(PTHREAD_PRIORITY_DEFAULT_NP + 1, wait_a_while, NULL);
  waste(30000);
  EQUAL(sem_post(&turn), 0);
  waste(30000);
  EQUAL(sem_post(&turn), 0);
  EQUAL(pthread_join(thread, NULL), 0);
  EQUAL(sem_destroy(&turn), 0);
}

static void fails_to_open(int error, const char *name, int flags, unsigned value) {
  errno = 0;
  CHECK(sem_open(name, flags, 0600, value) == SEM_FAILED);
  EQUAL(errno, error);
}

static void names(void) {
  static char longest[NAME_MAX + 2];
  int value = -1;
  memset(longest, 'x', NAME_MAX + 1);
  longest[0] = '/';
  fails_to_open(ENAMETOOLONG, longest, O_CREAT, 0);
  FAILS(ENAMETOOLONG, sem_unlink(longest));
  longest[NAME_MAX] = 0;
  fails_to_open(ENOENT, longest, 0, 0);
  fails_to_open(EINVAL, "noslash", O_CREAT, 0);
  fails_to_open(EINVAL, "/", O_CREAT, 0);
  fails_to_open(EINVAL, longest, O_CREAT, SEM_VALUE_MAX + 1u);
  FAILS(ENOENT, sem_unlink(longest));
  sem_t *one = sem_open(longest, O_CREAT | O_EXCL, 0600, 3);
  CHECK(one != SEM_FAILED);
  fails_to_open(EEXIST, longest, O_CREAT | O_EXCL, 3);
  CHECK(sem_open(longest, 0) == one);
  CHECK(sem_open(longest, O_CREAT, 0600, 9) == one);
  EQUAL(sem_wait(one), 0);
  EQUAL(sem_getvalue(one, &value), 0);
  EQUAL(value, 2);
  EQUAL(sem_close(one), 0);
  EQUAL(sem_close(one), 0);
  /* another one of the name, while the first is open */
  EQUAL(sem_unlink(longest), 0);
  FAILS(ENOENT, sem_unlink(longest));
  sem_t *other = sem_open(longest, O_CREAT | O_EXCL, 0600, 7);
  CHECK(other != SEM_FAILED && other != one);
  EQUAL(sem_post(one), 0);
  EQUAL(sem_close(one), 0);
  FAILS(EINVAL, sem_close(one));
  /* it lives while it has a name */
  EQUAL(sem_close(other), 0);
  FAILS(EINVAL, sem_close(other));
  CHECK(sem_open(longest, 0) == other);
  EQUAL(sem_getvalue(other, &value), 0);
  EQUAL(value, 7);
  EQUAL(sem_unlink(longest), 0);
  EQUAL(sem_close(other), 0);
  fails_to_open(ENOENT, longest, 0, 0);
}

static void use(void) {
  pthread_t threads[3];
  int value = -1;
  sum = ordered = 0;
  EQUAL(sem_init(&room, 0, SLOTS), 0);
  EQUAL(sem_init(&items, 0, 0), 0);
  EQUAL(pthread_create(&threads[0], NULL, produce, NULL), 0);
  EQUAL(pthread_create(&threads[1], NULL, consume, NULL), 0);
  EQUAL(pthread_join(threads[0], NULL), 0);
  EQUAL(pthread_join(threads[1], NULL), 0);
  EQUAL(sum, ITEMS * (ITEMS - 1) / 2);
  EQUAL(sem_getvalue(&room, &value), 0);
  EQUAL(value, SLOTS);

  EQUAL(sem_init(&turn, 0, 0), 0);
  static const int priority[3] = {17, 19, 18};
  for (int i = 0; i < 3; i++) {
    threads[i] = spawn(priority[i], wait_turn, (void *)(intptr_t)i);
    waste(30000);
  }
  FAILS(EBUSY, sem_destroy(&turn));
  for (int i = 0; i < 3; i++) {
    EQUAL(sem_post(&turn), 0);
    waste(30000);
  }
  for (int i = 0; i < 3; i++) EQUAL(pthread_join(threads[i], NULL), 0);
  EQUAL(order[0] * 100 + order[1] * 10 + order[2], 120);

  FAILS(EAGAIN, sem_trywait(&turn));
  EQUAL(sem_post(&turn), 0);
  EQUAL(sem_trywait(&turn), 0);
  EQUAL(sem_destroy(&turn), 0);
  FAILS(EINVAL, sem_post(&turn));
  FAILS(EINVAL, sem_wait(&turn));
  FAILS(EINVAL, sem_trywait(&turn));
  FAILS(EINVAL, sem_timedwait_np(&turn, 5));
  FAILS(EINVAL, sem_getvalue(&turn, &value));
  FAILS(EINVAL, sem_destroy(&turn));
  FAILS(EINVAL, sem_init(&turn, 0, SEM_VALUE_MAX + 1u));
  EQUAL(sem_init(&turn, 1, SEM_VALUE_MAX), 0);
  FAILS(EOVERFLOW, sem_post(&turn));
  EQUAL(sem_getvalue(&turn, &value), 0);
  EQUAL(value, SEM_VALUE_MAX);
  EQUAL(sem_destroy(&turn), 0);
  EQUAL(sem_destroy(&room), 0);
  EQUAL(sem_destroy(&items), 0);
  limits();
}

int main(void) {
  static sem_t many[CL_SEMAPHORES + 1];
  uint32_t number = ~0u;
  use();
  names();
  /* the kernel has no more */
  for (int i = 0; i < CL_SEMAPHORES; i++) EQUAL(sem_init(&many[i], 0, 0), 0);
  EQUAL(sem_getnumber_np(&many[CL_SEMAPHORES - 1], &number), 0);
  EQUAL(number, CL_SEMAPHORES - 1);
  EQUAL(sem_init(&many[CL_SEMAPHORES], 0, 0), 0);
  FAILS(EINVAL, sem_getnumber_np(&many[CL_SEMAPHORES], &number));
  EQUAL(sem_post_handler_np(&many[CL_SEMAPHORES]), EINVAL);
  FAILS(EINVAL, sem_getnumber_np(&turn, &number));
  use();
  names();
  for (int i = 0; i <= CL_SEMAPHORES; i++) EQUAL(sem_destroy(&many[i]), 0);
  return finish();
}
