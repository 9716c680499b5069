/* SPDX-License-Identifier: Apache-2.0
 *
 * Two threads on CPU 0 hand a word to and fro: every receive blocks, every block is a voluntary switch.
 * VIA: 0 ports, 1 semaphores, 2 nothing but sched_yield. */
#include <coreloom.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

#ifndef ROUNDS
#define ROUNDS 200
#endif
#ifndef VIA
#define VIA 0
#endif

#if VIA == 0
static void give(int to, uint32_t word) { port_send(to, word); }
static uint32_t take(int from) {
  uint32_t word = 0;
  port_receive(from, &word);
  return word;
}
#else
static uint32_t box[2];
#if VIA == 1
static sem_t full[2];
static void give(int to, uint32_t word) {
  box[to] = word;
  sem_post(&full[to]);
}
static uint32_t take(int from) {
  sem_wait(&full[from]);
  return box[from];
}
#else
static void give(int to, uint32_t word) { box[to] = word; }
static uint32_t take(int from) {
  sched_yield();
  return box[from];
}
#endif
#endif

static void *echo(void *unused) {
  (void)unused;
  port_open(1, PORT_BUFFERED);
  for (int i = 0; i < ROUNDS; i++) give(0, take(1) + 1);
  port_publish();
  return NULL;
}

static uint32_t cycles, sum;

static void *serve(void *unused) {
  (void)unused;
  port_open(0, PORT_BUFFERED);
  sched_yield();
  uint32_t start = cl_cycle();
  for (int i = 0; i < ROUNDS; i++) {
    give(1, (uint32_t)i);
    sum += take(0);
    cl_done(1);
  }
  cycles = cl_cycle() - start;
  return NULL;
}

int main(void) {
  pthread_attr_t attr;
  pthread_t threads[2];
  pthread_attr_init(&attr);
  pthread_attr_setplacement_np(&attr, PTHREAD_PLACEMENT_STATIC_NP, 0);
#if VIA == 1
  sem_init(&full[0], 0, 0);
  sem_init(&full[1], 0, 0);
#endif
  cl_ready();
  pthread_create(&threads[0], &attr, serve, NULL);
  pthread_create(&threads[1], &attr, echo, NULL);
  pthread_join(threads[0], NULL);
  pthread_join(threads[1], NULL);
  printf("sum %u\n", (unsigned)sum);
#ifdef PRINT_CYCLES
  printf("%u cycles a round trip\n", (unsigned)(cycles / ROUNDS));
#endif
  return sum == ROUNDS * (ROUNDS + 1) / 2 ? 0 : 1;
}
