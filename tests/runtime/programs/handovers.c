/* SPDX-License-Identifier: Apache-2.0
 *
 * Two threads of a higher priority wake each other on one CPU. Each is ready for a moment before the other one waits, so
 * main's CPU is asked to give way, in vain; main goes on all the same. PAUSE: how long each does something else. */
#include "check.h"

static sem_t turn[2];

static void *hand_over(void *argument) {
  const long own = (long)argument;
  for (;;) {
    sem_wait(&turn[own]);
    for (volatile int i = 0; i < PAUSE; i++) continue;
    sem_post(&turn[!own]);
  }
  return NULL;
}

int main(void) {
  pthread_attr_t attr;
  pthread_t thread;
  attributes(&attr, 30, -1);
  for (long own = 0; own < 2; own++) EQUAL(sem_init(&turn[own], 0, !own), 0);
  for (long own = 0; own < 2; own++) EQUAL(pthread_create(&thread, &attr, hand_over, (void *)own), 0);
  for (volatile int i = 0; i < 10000; i++) continue;
  return finish();
}
