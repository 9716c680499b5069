/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread is woken at every moment of its way into a wait for an object in memory, while a better thread waits for
 * another one: that must not take the wake-up. The way is long now and then, by a third thread. */
#include "check.h"

#define ROUNDS 500

static pthread_rwlock_t handed = PTHREAD_RWLOCK_INITIALIZER, never = PTHREAD_RWLOCK_INITIALIZER;
static volatile int begun = -1, done = -1;

static void *waits_for_ever(void *unused) {
  (void)unused;
  pthread_rwlock_wrlock(&never);
  return NULL;
}

static void *takes(void *unused) {
  (void)unused;
  for (int round = 0; round < ROUNDS; done = round++) {
    while (begun < round) continue;
    EQUAL(pthread_rwlock_wrlock(&handed), 0);
    EQUAL(pthread_rwlock_unlock(&handed), 0);
  }
  return NULL;
}

static void *interrupts(void *unused) {
  sem_t none;
  (void)unused;
  EQUAL(sem_init(&none, 0, 0), 0);
  for (unsigned i = 0;; i++) sem_timedwait_np(&none, 500 + i * 37 % 400);
  return NULL;
}

int main(void) {
  pthread_attr_t attr;
  pthread_t other;
  EQUAL(pthread_rwlock_wrlock(&never), 0);
  spawn(PTHREAD_PRIORITY_DEFAULT_NP + 1, waits_for_ever, NULL);
  const int cpu = (int)cl_cpu_count() - 1;
  EQUAL(pthread_create(&other, attributes(&attr, PTHREAD_PRIORITY_DEFAULT_NP + 1, cpu), interrupts, NULL), 0);
  EQUAL(pthread_create(&other, attributes(&attr, PTHREAD_PRIORITY_DEFAULT_NP, cpu), takes, NULL), 0);
  for (int round = 0; round < ROUNDS; round++) {
    EQUAL(pthread_rwlock_wrlock(&handed), 0);
    begun = round;
    waste(200 + (uint32_t)round * 11 % 500);
    EQUAL(pthread_rwlock_unlock(&handed), 0);
    const uint32_t start = cl_cycle();
    while (done < round && cl_cycle() - start < 100000) continue;
    if (done < round) break;
  }
  EQUAL(done, ROUNDS - 1);
  return finish();
}
