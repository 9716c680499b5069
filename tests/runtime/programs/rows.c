/* SPDX-License-Identifier: Apache-2.0
 *
 * Cycles of the common services: least, mean and most of ROUNDS, after some that fill the cache. One line each. */
#include "check.h"

#include <stdlib.h>

#define ROUNDS 100
#define WARM 8 /* not counted */
#define RING 5
#define TOP (CL_PRIORITIES - 1)

static uint32_t least, most, sum, count;

static void begin(void) {
  least = ~0u;
  most = sum = count = 0;
}

static void note(uint32_t cycles) {
  if (++count <= WARM) return;
  if (cycles < least) least = cycles;
  if (cycles > most) most = cycles;
  sum += cycles;
}

static void say(const char *row) {
  printf("%s %u %u %u\n", row, (unsigned)least, (unsigned)(sum / (count - WARM)), (unsigned)most);
}

static void *yield(void *argument) {
  int first = argument != NULL;
  uint32_t start = cl_cycle();
  for (int i = 0; i < ROUNDS; i++) {
    sched_yield();
    uint32_t now = cl_cycle();
    if (first) note((now - start) / RING);
    start = now;
  }
  return NULL;
}

static void yields(void) {
  pthread_t threads[RING];
  begin();
  for (int i = 0; i < RING; i++) threads[i] = spawn(1, yield, i ? NULL : &threads);
  for (int i = 0; i < RING; i++) pthread_join(threads[i], NULL);
  say("yield");
}

static void one_thread(void) {
  sem_t semaphore;
  pthread_mutex_t mutex;
  uint32_t words[4] = {0};
  EQUAL(sem_init(&semaphore, 0, 0), 0);
  EQUAL(pthread_mutex_init(&mutex, NULL), 0);
  EQUAL(port_open(0, PORT_DIRECT), 0);
  begin();
  for (int i = 0; i < ROUNDS; i++) {
    uint32_t start = cl_cycle();
    sem_post(&semaphore);
    sem_wait(&semaphore);
    note(cl_cycle() - start);
  }
  say("semaphore");
  begin();
  for (int i = 0; i < ROUNDS; i++) {
    uint32_t start = cl_cycle();
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    note(cl_cycle() - start);
  }
  say("mutex");
  begin();
  for (int i = 0; i < ROUNDS; i++) {
    uint32_t start = cl_cycle();
    for (int k = 0; k < 4; k++) port_send(0, words[k]);
    for (int k = 0; k < 4; k++) port_receive(0, &words[k]);
    note(cl_cycle() - start);
  }
  say("message-of-4");
  begin();
  for (int i = 0; i < ROUNDS; i++) {
    uint32_t start = cl_cycle();
    free(malloc(128));
    note(cl_cycle() - start);
  }
  say("malloc");
}

static void *nothing(void *argument) { return argument; }

static void create(const char *row, int priority) {
  pthread_attr_t attr;
  attributes(&attr, priority, 0);
  begin();
  for (int i = 0; i < ROUNDS; i++) {
    pthread_t thread;
    uint32_t start = cl_cycle();
    pthread_create(&thread, &attr, nothing, NULL);
    pthread_join(thread, NULL);
    note(cl_cycle() - start);
  }
  say(row);
}

int main(void) {
  yields();
  one_thread();
  create("create-less-urgent", 1);
  create("create-more-urgent", TOP);
  return finish();
}
