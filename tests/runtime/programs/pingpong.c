/* SPDX-License-Identifier: Apache-2.0
 *
 * Two threads on CPU 0 hand a word to and fro: every receive blocks, every block is a voluntary switch. */
#include <coreloom.h>
#include <pthread.h>
#include <stdio.h>

#ifndef ROUNDS
#define ROUNDS 200
#endif

static void *echo(void *unused) {
  (void)unused;
  port_open(1, PORT_BUFFERED);
  for (int i = 0; i < ROUNDS; i++) {
    uint32_t word;
    port_receive(1, &word);
    port_send(0, word + 1);
  }
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
    uint32_t word;
    port_send(1, (uint32_t)i);
    port_receive(0, &word);
    sum += word;
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
