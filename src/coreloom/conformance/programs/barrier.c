/* SPDX-License-Identifier: Apache-2.0
 *
 * Barriers of threads. */
#include "conformance.h"

static pthread_barrier_t barrier;
static volatile int passed, serial, error_seen;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void pass(void) {
  const int result = pthread_barrier_wait(&barrier);
  pthread_mutex_lock(&mutex);
  passed++;
  if (result == PTHREAD_BARRIER_SERIAL_THREAD) serial++;
  else if (result) error_seen = result;
  pthread_mutex_unlock(&mutex);
}

static void *pass_times(void *times) {
  for (long i = 0; i < (long)times; i++) pass();
  return NULL;
}

static void clear(void) { passed = serial = error_seen = 0; }

TEST(pthread_barrier_init, count_of_one, "a barrier for one thread never waits") {
  OK(pthread_barrier_init(&barrier, NULL, 1));
  IS(PTHREAD_BARRIER_SERIAL_THREAD, pthread_barrier_wait(&barrier));
  IS(PTHREAD_BARRIER_SERIAL_THREAD, pthread_barrier_wait(&barrier));
  OK(pthread_barrier_destroy(&barrier));
}

TEST(pthread_barrier_init, zero_einval, "a count of 0: EINVAL") { IS(EINVAL, pthread_barrier_init(&barrier, NULL, 0)); }

TEST(pthread_barrier_init, with_attributes, "with default attributes as without") {
  pthread_barrierattr_t attr;
  OK(pthread_barrierattr_init(&attr));
  OK(pthread_barrier_init(&barrier, &attr, 1));
  OK(pthread_barrierattr_destroy(&attr));
  IS(PTHREAD_BARRIER_SERIAL_THREAD, pthread_barrier_wait(&barrier));
  OK(pthread_barrier_destroy(&barrier));
}

TEST(pthread_barrier_destroy, init_again, "a destroyed barrier can be initialised again") {
  for (int i = 0; i < 20; i++) {
    OK(pthread_barrier_init(&barrier, NULL, 1));
    OK(pthread_barrier_destroy(&barrier));
  }
}

TEST(pthread_barrier_destroy, then_use_einval, "a destroyed barrier: EINVAL") {
  OK(pthread_barrier_init(&barrier, NULL, 1));
  OK(pthread_barrier_destroy(&barrier));
  KERNELS_ONLY();
  for (int foreign = 0; foreign < 2; foreign++) {
    IS(EINVAL, pthread_barrier_wait(&barrier));
    IS(EINVAL, pthread_barrier_destroy(&barrier));
    memset(&barrier, 0x5A, sizeof barrier);
  }
}

TEST(pthread_barrier_destroy, waited_for_ebusy, "a barrier at which threads wait: EBUSY") {
  KERNELS_ONLY();
  OK(pthread_barrier_init(&barrier, NULL, 2));
  clear();
  const pthread_t thread = started(pass_times, (void *)1);
  nap();
  IS(EBUSY, pthread_barrier_destroy(&barrier));
  pass();
  IS(0, joined(thread));
  OK(pthread_barrier_destroy(&barrier));
}

TEST(pthread_barrier_wait, waits_for_all, "nobody passes before the last has come") {
  OK(pthread_barrier_init(&barrier, NULL, 3));
  clear();
  const pthread_t a = started(pass_times, (void *)1), b = started(pass_times, (void *)1);
  nap();
  IS(0, passed);
  pass();
  IS(0, joined(a));
  IS(0, joined(b));
  IS(3, passed);
  OK(pthread_barrier_destroy(&barrier));
}

TEST(pthread_barrier_wait, one_serial, "PTHREAD_BARRIER_SERIAL_THREAD for exactly one, 0 for the others") {
  OK(pthread_barrier_init(&barrier, NULL, 4));
  clear();
  pthread_t threads[3];
  for (int i = 0; i < 3; i++) threads[i] = started(pass_times, (void *)1);
  pass();
  for (int i = 0; i < 3; i++) IS(0, joined(threads[i]));
  IS(1, serial);
  IS(0, error_seen);
  OK(pthread_barrier_destroy(&barrier));
}

TEST(pthread_barrier_wait, again_and_again, "the barrier is ready for the next round at once") {
  OK(pthread_barrier_init(&barrier, NULL, 3));
  clear();
  const pthread_t a = started(pass_times, (void *)20), b = started(pass_times, (void *)20);
  for (int i = 0; i < 20; i++) pass();
  IS(0, joined(a));
  IS(0, joined(b));
  IS(60, passed);
  IS(20, serial);
  IS(0, error_seen);
  OK(pthread_barrier_destroy(&barrier));
}

TEST(pthread_barrier_wait, destroy_by_serial, "the thread that got PTHREAD_BARRIER_SERIAL_THREAD may destroy it") {
  for (int i = 0; i < 10; i++) {
    OK(pthread_barrier_init(&barrier, NULL, 2));
    clear();
    const pthread_t thread = started(pass_times, (void *)1);
    const int result = pthread_barrier_wait(&barrier);
    TRUE(result == 0 || result == PTHREAD_BARRIER_SERIAL_THREAD);
    if (result) OK(pthread_barrier_destroy(&barrier));
    IS(0, joined(thread));
    if (!result) OK(pthread_barrier_destroy(&barrier));
  }
}

TEST(pthread_barrierattr_init, defaults, "private") {
  pthread_barrierattr_t attr;
  int shared = -1;
  OK(pthread_barrierattr_init(&attr));
  OK(pthread_barrierattr_getpshared(&attr, &shared));
  IS(PTHREAD_PROCESS_PRIVATE, shared);
  OK(pthread_barrierattr_destroy(&attr));
}

TEST(pthread_barrierattr_destroy, nothing_einval, "a null pointer is no attributes: EINVAL") {
  KERNELS_ONLY();
  IS(EINVAL, pthread_barrierattr_destroy(nothing));
  int shared;
  IS(EINVAL, pthread_barrierattr_getpshared(nothing, &shared));
}

TEST(pthread_barrierattr_destroy, init_again, "destroyed attributes can be initialised again") {
  pthread_barrierattr_t attr;
  for (int i = 0; i < 3; i++) {
    OK(pthread_barrierattr_init(&attr));
    OK(pthread_barrierattr_destroy(&attr));
  }
}

TEST(pthread_barrierattr_destroy, then_use_einval, "destroyed attributes: EINVAL") {
  KERNELS_ONLY();
  pthread_barrierattr_t attr;
  OK(pthread_barrierattr_init(&attr));
  OK(pthread_barrierattr_destroy(&attr));
  IS(EINVAL, pthread_barrier_init(&barrier, &attr, 1));
}

TEST(pthread_barrierattr_setpshared, kept, "both values are accepted; another number is EINVAL") {
  pthread_barrierattr_t attr;
  int shared = -1;
  OK(pthread_barrierattr_init(&attr));
  OK(pthread_barrierattr_setpshared(&attr, PTHREAD_PROCESS_SHARED));
  OK(pthread_barrierattr_getpshared(&attr, &shared));
  IS(PTHREAD_PROCESS_SHARED, shared);
  OK(pthread_barrierattr_setpshared(&attr, PTHREAD_PROCESS_PRIVATE));
  IS(EINVAL, pthread_barrierattr_setpshared(&attr, 1234));
  OK(pthread_barrierattr_destroy(&attr));
}

TEST(pthread_barrierattr_getpshared, default_private, "PTHREAD_PROCESS_PRIVATE unless set") {
  pthread_barrierattr_t attr;
  int shared = -1;
  OK(pthread_barrierattr_init(&attr));
  OK(pthread_barrierattr_getpshared(&attr, &shared));
  IS(PTHREAD_PROCESS_PRIVATE, shared);
  OK(pthread_barrierattr_destroy(&attr));
}
