/* SPDX-License-Identifier: Apache-2.0
 *
 * What `coreloom bench policies` runs.
 *
 * Shares and decisions: COMPUTE threads compute, one of weight HEAVY and the others of weight LIGHT, and PAIRS pairs
 * send each other a word to and fro. Those that compute become ready at once, by one port_publish, at READY. The host
 * sees who runs, and ends the program.
 *
 * MIGRATE: a thread with WORKING_SET bytes of straight code in its loop moves from one CPU to the other and back, by
 * having it for itself. Marks: cycles of the move, of its first round there, and of one more.
 *
 * WAKES: COMPUTE threads compute, and one sleeps that many times. Marks: cycles from the end of each sleep until the
 * thread runs. Its priority is that of the others; with REALTIME one that policies with real-time threads take for that
 * of such a thread. */
#include <coreloom.h>
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#ifndef HEAVY
#define HEAVY 1
#endif
#ifndef LIGHT
#define LIGHT 1
#endif
#ifndef COMPUTE
#define COMPUTE 0
#endif
#ifndef PAIRS
#define PAIRS 0
#endif
#ifndef WORKING_SET
#define WORKING_SET 2048
#endif

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

#ifdef MIGRATE
static __attribute__((noinline)) uint32_t work(uint32_t value) {
  uint32_t start = cl_cycle();
  __asm__ volatile(".rept " TEXT(WORKING_SET) " / 4\n addi %0, %0, 1\n .endr" : "+r"(value));
  return cl_cycle() - start;
}

/* Twice the instruction cache: when the thread comes back here, nothing is left. */
static __attribute__((noinline)) void drive_out(uint32_t value) {
  __asm__ volatile(".rept 8192 / 4\n addi %0, %0, 1\n .endr" : "+r"(value));
}

int main(void) {
  for (unsigned round = 0; round < 20; round++) {
    uint32_t start = cl_cycle();
    if (cl_cpu_reserve(~round & 1, pthread_self())) exit(3);
    cl_mark(cl_cycle() - start);
    cl_mark(work(round));
    cl_mark(work(round));
    drive_out(round);
    if (cl_cpu_release(~round & 1)) exit(3);
  }
  exit(0);
}
#elif defined(WAKES)
#define MIDDLE (CL_PRIORITIES / 2) /* the lowest priority of a real-time thread: that of neither kind here */

static void *compute(void *argument) {
  for (volatile uint32_t value = (uint32_t)(uintptr_t)argument;;) value = value * 1664525u + 1013904223u;
  return NULL;
}

static void *sleep_often(void *unused) {
  sem_t never;
  (void)unused;
  if (sem_init(&never, 0, 0)) exit(3);
  for (uint32_t round = 0; round < WAKES; round++) {
    uint32_t cycles = 15000 + round * 7919 % 10000; /* at any moment of the others' slices */
    uint32_t start = cl_cycle();
    if (!sem_timedwait_np(&never, cycles) || errno != ETIMEDOUT) exit(3);
    cl_mark(cl_cycle() - start - cycles);
  }
  exit(0);
}

static void create(int priority, void *(*start)(void *), int argument) {
  struct sched_param param = {priority};
  pthread_attr_t attr;
  pthread_t thread;
  pthread_attr_init(&attr);
  pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED);
  pthread_attr_setschedparam(&attr, &param);
  if (pthread_create(&thread, &attr, start, (void *)(intptr_t)argument)) exit(3);
}

int main(void) {
  for (int i = 0; i < COMPUTE; i++) create(MIDDLE - 1, compute, i);
  create(REALTIME ? MIDDLE + 1 : MIDDLE - 1, sleep_often, 0);
  pthread_exit(NULL);
}
#else
static sem_t waiting;

static void *compute(void *argument) {
  volatile uint32_t value = (uint32_t)(uintptr_t)argument;
  uint32_t word;
  if (port_open(2 * PAIRS + (int)value, PORT_BUFFERED)) exit(3);
  sem_post(&waiting);
  port_receive(2 * PAIRS + (int)value, &word);
  for (;;) value = value * 1664525u + 1013904223u;
  return NULL;
}

static void *send(void *argument) {
  int port = (int)(intptr_t)argument;
  uint32_t word = 0;
  if (port_open(port, PORT_DIRECT)) exit(3);
  if (!(port & 1)) port_send(port ^ 1, 0);
  for (;;) {
    port_receive(port, &word);
    port_send(port ^ 1, word + 1);
  }
  return NULL;
}

static pthread_t create(int weight, void *(*start)(void *), int argument) {
  pthread_attr_t attr;
  pthread_t thread;
  pthread_attr_init(&attr);
  pthread_attr_setsuspended_np(&attr, 1);
  if (pthread_create(&thread, &attr, start, (void *)(intptr_t)argument)) exit(3);
  if (weight > 1) pthread_setweight_np(thread, weight);
  return thread;
}

int main(void) {
  pthread_t threads[COMPUTE + 2 * PAIRS];
  int made = 0;
  sem_init(&waiting, 0, 0);
  /* The odd ones first: they wait when the even ones send. */
  for (int i = 0; i < PAIRS; i++) threads[made++] = create(1, send, 2 * i + 1);
  for (int i = 0; i < PAIRS; i++) threads[made++] = create(1, send, 2 * i);
  for (int i = 0; i < COMPUTE; i++) threads[made++] = create(i ? LIGHT : HEAVY, compute, i);
  for (int i = 0; i < made; i++) pthread_continue_np(threads[i]);
  for (int i = 0; i < COMPUTE; i++) sem_wait(&waiting);
  for (int i = 0; i < COMPUTE; i++) port_send(2 * PAIRS + i, 0);
  cl_ready();
  port_publish();
  pthread_exit(NULL);
}
#endif
