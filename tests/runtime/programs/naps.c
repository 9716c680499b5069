/* SPDX-License-Identifier: Apache-2.0
 *
 * CPUs that fall asleep and are woken all the time, while others send, wait and switch.
 *
 * First rings of threads on ports, with pauses of all lengths: a message finds its receiver waiting on a CPU that
 * sleeps in its context, or just leaves it, or has left it long ago. Every thread keeps a pattern on its stack, which
 * nobody may run before it is saved. Then slices: a CPU that has slept must have a timer that goes off. */
#include "check.h"

#include <sched.h>

#define RINGS 3
#define MEMBERS 4
#define ROUNDS 60

static volatile int received[RINGS][MEMBERS];

static int port_of(int ring, int member) { return 1 + ring * MEMBERS + member % MEMBERS; }

static void *member(void *argument) {
  int ring = (int)(intptr_t)argument / MEMBERS, me = (int)(intptr_t)argument % MEMBERS;
  uint32_t random = (uint32_t)(intptr_t)argument * 2654435761u + 1;
  volatile uint32_t pattern[8];
  EQUAL(port_open(port_of(ring, me), ring == 1 ? 0 : PORT_DIRECT), 0);
  EQUAL(port_send(0, 0), 0);
  for (int round = 0; round < ROUNDS; round++) {
    for (unsigned i = 0; i < 8; i++) pattern[i] = random ^ i;
    uint32_t word = 0;
    EQUAL(port_receive(port_of(ring, me), &word), 0);
    EQUAL(word, round * MEMBERS + me);
    for (unsigned i = 0; i < 8; i++) EQUAL(pattern[i], random ^ i);
    received[ring][me]++;
    random = random * 1664525 + 1013904223;
    waste(random >> 23);
    if (!(random >> 8 & 7)) sched_yield();
    EQUAL(port_send(port_of(ring, me + 1), word + 1), 0);
  }
  return NULL;
}

/* Two on a CPU: each sees the other get on several times, and neither calls the kernel. */
static volatile uint32_t turns[16];
static volatile int last[8];

static void *spinner(void *argument) {
  int me = (int)(intptr_t)argument, cpu = me / 2;
  uint32_t start = cl_cycle();
  while (turns[me] < 4 || turns[me ^ 1] < 4) {
    if (last[cpu] != me) {
      last[cpu] = me;
      turns[me]++;
    }
    if (cl_cycle() - start > 1000000) break;
  }
  CHECK(turns[me] >= 4);
  return NULL;
}

int main(void) {
  pthread_attr_t attr;
  pthread_t threads[RINGS * MEMBERS];
  int cpus = (int)cl_cpu_count();
  EQUAL(port_open(0, PORT_DIRECT), 0);
  for (int i = 0; i < RINGS * MEMBERS; i++) {
    int cpu = i / MEMBERS == 2 ? i % cpus : -1;
    EQUAL(pthread_create(&threads[i], attributes(&attr, 12 + i % 3, cpu), member, (void *)(intptr_t)i), 0);
  }
  for (int i = 0; i < RINGS * MEMBERS; i++) {
    uint32_t word;
    EQUAL(port_receive(0, &word), 0);
  }
  for (int ring = 0; ring < RINGS; ring++) EQUAL(port_send(port_of(ring, 0), 0), 0);
  EQUAL(port_publish(), 0);
  /* The last message of a ring goes to a member that has ended; its port stays open. */
  for (int i = 0; i < RINGS * MEMBERS; i++) {
    EQUAL(pthread_join(threads[i], NULL), 0);
    EQUAL(received[i / MEMBERS][i % MEMBERS], ROUNDS);
  }
  for (int i = 0; i < cpus; i++) last[i] = -1;
  for (int i = 0; i < 2 * cpus; i++)
    EQUAL(pthread_create(&threads[i], attributes(&attr, 12, i / 2), spinner, (void *)(intptr_t)i), 0);
  for (int i = 0; i < 2 * cpus; i++) EQUAL(pthread_join(threads[i], NULL), 0);
  return finish();
}
