/* SPDX-License-Identifier: Apache-2.0
 *
 * Four threads in a row hand numbers on, each by the port of the next. Look at more CPUs: the stages work at the same
 * time, until a message costs more than the work on it. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

#include "coreloom.h"

enum { STAGES = 4, NUMBERS = 400 };

static pthread_barrier_t open_ports;

static void *stage(void *argument) {
  int self = (int)(intptr_t)argument;
  uint32_t sum = 0;
  port_open(self, PORT_DIRECT);
  pthread_barrier_wait(&open_ports);
  for (int i = 0; i < NUMBERS; i++) {
    uint32_t number = (uint32_t)i;
    if (self > 0) port_receive(self, &number);
    for (int step = 0; step < 20; step++) number = number * 1664525u + 1013904223u;
    if (self < STAGES - 1) port_send(self + 1, number);
    sum += number;
  }
  return (void *)(uintptr_t)sum;
}

int main(void) {
  pthread_t threads[STAGES];
  void *sum = NULL;
  pthread_barrier_init(&open_ports, NULL, STAGES);
  for (int i = 0; i < STAGES; i++) pthread_create(&threads[i], NULL, stage, (void *)(intptr_t)i);
  for (int i = 0; i < STAGES; i++) pthread_join(threads[i], &sum);
  printf("sum behind %d stages: %u\n", STAGES, (unsigned)(uintptr_t)sum);
}
