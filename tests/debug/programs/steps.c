// SPDX-License-Identifier: Apache-2.0
// What the session steps through: one thread adds when main lets it, three others compute all the time.
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>

struct sums {
  int calls, all;
};

static sem_t go, done;
static volatile int stop;
static volatile unsigned spins;
static struct sums sums;

static int add(struct sums *to, int n) {
  to->calls++;
  to->all += n;
  return to->all;
}

static void *adder(void *argument) {
  int rounds = *(int *)argument;
  int last = 0;
  for (int i = 1; i <= rounds; i++) {
    sem_wait(&go);
    last = add(&sums, 10 * i);
    sem_post(&done);
  }
  return (void *)(intptr_t)last;
}

static void *spinner(void *argument) {
  while (!stop) spins++;
  return argument;
}

int main(void) {
  static int rounds = 4;
  pthread_t spinners[3], thread;
  void *last;
  sem_init(&go, 0, 0);
  sem_init(&done, 0, 0);
  for (int i = 0; i < 3; i++) pthread_create(&spinners[i], NULL, spinner, NULL);
  pthread_create(&thread, NULL, adder, &rounds);
  pthread_setname_np(thread, "adder");
  for (int i = 0; i < rounds; i++) {
    sem_post(&go);
    sem_wait(&done);
  }
  pthread_join(thread, &last);
  for (int i = 0; i < 3; i++) pthread_join(spinners[i], NULL);
  printf("%d calls, %d\n", sums.calls, (int)(intptr_t)last);
  return sums.all == 100 ? 0 : 3;
}
