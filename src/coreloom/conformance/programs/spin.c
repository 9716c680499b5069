/* SPDX-License-Identifier: Apache-2.0
 *
 * Spin locks. */
#include "conformance.h"

static pthread_spinlock_t lock;
static volatile int has, count;

static void *try_it(void *unused) {
  (void)unused;
  const int error = pthread_spin_trylock(&lock);
  if (!error) pthread_spin_unlock(&lock);
  return (void *)(long)error;
}

static void *unlock_it(void *unused) { return (void)unused, (void *)(long)pthread_spin_unlock(&lock); }

static void *lock_it(void *unused) {
  (void)unused;
  const int error = pthread_spin_lock(&lock);
  has = 1;
  pthread_spin_unlock(&lock);
  return (void *)(long)error;
}

/* A test with an unlocked lock. */
#define FRESH(function, requirement, text)                                                     \
  TEST_BETWEEN(function, requirement, text, pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE), \
               pthread_spin_destroy(&lock))

FRESH(pthread_spin_init, unlocked, "a new lock is free") {
  OK(pthread_spin_trylock(&lock));
  OK(pthread_spin_unlock(&lock));
}

TEST(pthread_spin_destroy, init_again, "a destroyed lock can be initialised again") {
  for (int i = 0; i < 5; i++) {
    OK(pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE));
    OK(pthread_spin_lock(&lock));
    OK(pthread_spin_unlock(&lock));
    OK(pthread_spin_destroy(&lock));
  }
}

TEST(pthread_spin_destroy, then_use_einval, "a destroyed lock: EINVAL") {
  OK(pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE));
  OK(pthread_spin_destroy(&lock));
  KERNELS_ONLY();
  for (int foreign = 0; foreign < 2; foreign++) {
    IS(EINVAL, pthread_spin_lock(&lock));
    IS(EINVAL, pthread_spin_trylock(&lock));
    IS(EINVAL, pthread_spin_unlock(&lock));
    IS(EINVAL, pthread_spin_destroy(&lock));
    memset((void *)&lock, 0x5A, sizeof lock);
  }
  IS(EINVAL, pthread_spin_init(&lock, 42));
}

FRESH(pthread_spin_lock, waits, "a thread waits until it is unlocked") {
  OK(pthread_spin_lock(&lock));
  has = 0;
  const pthread_t thread = started(lock_it, NULL);
  for (int i = 0; i < 1000; i++) sched_yield();
  IS(0, has);
  OK(pthread_spin_unlock(&lock));
  IS(0, joined(thread));
  IS(1, has);
}

static void *add(void *unused) {
  (void)unused;
  int wrong = 0;
  for (int i = 0; i < 200; i++) {
    wrong += pthread_spin_lock(&lock) != 0;
    count = count + 1;
    wrong += pthread_spin_unlock(&lock) != 0;
  }
  return (void *)(long)wrong;
}

FRESH(pthread_spin_lock, excludes, "one thread holds it at a time: four threads lose no count") {
  count = 0;
  pthread_t threads[4];
  for (int i = 0; i < 4; i++) threads[i] = started(add, NULL);
  for (int i = 0; i < 4; i++) IS(0, joined(threads[i]));
  IS(800, count);
}

FRESH(pthread_spin_lock, own_deadlk, "by its owner: EDEADLK, and no hang") {
  KERNELS_ONLY();
  OK(pthread_spin_lock(&lock));
  IS(EDEADLK, pthread_spin_lock(&lock));
  OK(pthread_spin_unlock(&lock));
}

FRESH(pthread_spin_lock, urgent_lets_owner_run, "a more urgent thread on the owner's processor lets it unlock") {
  KERNELS_ONLY();
  pthread_t thread;
  OK(pthread_spin_lock(&lock));
  has = 0;
  OK(started_at(&thread, 30, lock_it, NULL));
  nap();
  IS(0, has);
  OK(pthread_spin_unlock(&lock));
  IS(0, joined(thread));
}

FRESH(pthread_spin_trylock, held_ebusy, "a lock that is held: EBUSY") {
  OK(pthread_spin_lock(&lock));
  IS(EBUSY, joined(started(try_it, NULL)));
  IS(EBUSY, pthread_spin_trylock(&lock));
  OK(pthread_spin_unlock(&lock));
}

FRESH(pthread_spin_unlock, frees, "behind it another thread gets the lock") {
  OK(pthread_spin_lock(&lock));
  OK(pthread_spin_unlock(&lock));
  IS(0, joined(started(try_it, NULL)));
}

TEST(pthread_spin_unlock, not_owner_eperm, "not by its owner: EPERM; destroying it while it is held: EBUSY") {
  KERNELS_ONLY();
  OK(pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE));
  IS(EPERM, pthread_spin_unlock(&lock));
  OK(pthread_spin_lock(&lock));
  IS(EPERM, joined(started(unlock_it, NULL)));
  IS(EBUSY, pthread_spin_destroy(&lock));
  OK(pthread_spin_unlock(&lock));
  OK(pthread_spin_destroy(&lock));
}
