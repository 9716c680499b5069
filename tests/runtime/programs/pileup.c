/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread that is preempted again and again in the moment it goes on, at all distances of the two events: traps
 * must not pile up on its stack. */
#include "check.h"

#define BIGGEST 260 /* cycles between two posts */

static sem_t bell;
static volatile int stop;
static volatile uint32_t rounds;
static unsigned char stack[1024 + 16] __attribute__((aligned(16)));

static void *urgent(void *unused) {
  (void)unused;
  while (!stop) sem_wait(&bell);
  return NULL;
}

static void *victim(void *unused) {
  (void)unused;
  while (!stop) rounds++;
  return NULL;
}

int main(void) {
  pthread_attr_t attr;
  pthread_t threads[2];
  int last = (int)cl_cpu_count() - 1;
  EQUAL(sem_init(&bell, 0, 0), 0);
  for (unsigned i = 0; i < 16; i++) stack[i] = 0xA5;
  attributes(&attr, 12, last);
  EQUAL(pthread_attr_setstack(&attr, stack + 16, sizeof stack - 16), 0);
  EQUAL(pthread_create(&threads[0], &attr, victim, NULL), 0);
  EQUAL(pthread_create(&threads[1], attributes(&attr, 18, last), urgent, NULL), 0);
  waste(2000);
  for (int distance = 0; distance < BIGGEST; distance++) {
    for (int i = 0; i < 12; i++) {
      sem_post(&bell);
      for (volatile int wait = distance / 4; wait > 0; wait--) continue;
    }
  }
  /* On one CPU the victim is less urgent than this thread: let it run a little. */
  EQUAL(pthread_setschedprio(pthread_self(), 12), 0);
  waste(40000);
  CHECK(rounds > 0);
  stop = 1;
  sem_post(&bell);
  for (int i = 0; i < 2; i++) EQUAL(pthread_join(threads[i], NULL), 0);
  for (unsigned i = 0; i < 16; i++) EQUAL(stack[i], 0xA5);
  return finish();
}
