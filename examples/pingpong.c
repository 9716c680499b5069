/* SPDX-License-Identifier: Apache-2.0
 *
 * Two threads wake each other 1000 times. Look at the cycles: hardly anything happens here but waiting and waking,
 * so this is what the kernel costs. Compare one CPU with two. */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

enum { ROUNDS = 1000 };

static sem_t ping, pong;

static void *other(void *unused) {
  for (int i = 0; i < ROUNDS; i++) {
    sem_wait(&ping);
    sem_post(&pong);
  }
  return unused;
}

int main(void) {
  pthread_t thread;
  sem_init(&ping, 0, 0);
  sem_init(&pong, 0, 0);
  pthread_create(&thread, NULL, other, NULL);
  for (int i = 0; i < ROUNDS; i++) {
    sem_post(&ping);
    sem_wait(&pong);
  }
  pthread_join(thread, NULL);
  printf("%d round trips\n", ROUNDS);
}
