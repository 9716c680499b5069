/* SPDX-License-Identifier: Apache-2.0
 *
 * PAIRS pairs of threads: of each, one posts the other's semaphore and waits for its own, for ever. With static
 * placement both threads of a pair stay on one CPU. */
#include "coreloom.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

enum { PAIRS = 4 };

static struct {
  sem_t there, back;
} pairs[PAIRS];

static void must(int error) {
  if (error) exit(2);
}

static void *ask(void *argument) {
  const unsigned pair = (unsigned)(uintptr_t)argument;
  for (;;) {
    must(sem_post(&pairs[pair].there));
    must(sem_wait(&pairs[pair].back));
    cl_done(1);
  }
  return NULL;
}

static void *answer(void *argument) {
  const unsigned pair = (unsigned)(uintptr_t)argument;
  for (;;) {
    must(sem_wait(&pairs[pair].there));
    must(sem_post(&pairs[pair].back));
  }
  return NULL;
}

int main(void) {
  pthread_attr_t attributes;
  must(pthread_attr_init(&attributes));
  for (unsigned pair = 0; pair < PAIRS; pair++) {
    pthread_t thread;
    if (CL_PLACEMENT) {
      must(pthread_attr_setplacement_np(&attributes, PTHREAD_PLACEMENT_STATIC_NP, pair % CL_CPUS));
    }
    must(sem_init(&pairs[pair].there, 0, 0));
    must(sem_init(&pairs[pair].back, 0, 0));
    must(pthread_create(&thread, &attributes, answer, (void *)(uintptr_t)pair));
    must(pthread_create(&thread, &attributes, ask, (void *)(uintptr_t)pair));
  }
  cl_ready();
  pthread_exit(NULL);
}
