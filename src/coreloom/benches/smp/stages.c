/* SPDX-License-Identifier: Apache-2.0
 *
 * Switches of both kinds on one CPU. First two threads exchange EXCHANGES messages, each a voluntary switch; then two
 * threads compute for SLICES time slices, each ended by a full-context switch. */
#include "coreloom.h"

#include <pthread.h>
#include <stdlib.h>

enum { EXCHANGES = 100, SLICES = 50, SLICE = 10000 };

static uint32_t end;

static void must(int error) {
  if (error) exit(2);
}

static void *answer(void *argument) {
  (void)argument;
  must(port_open(0, PORT_DIRECT));
  for (unsigned n = 0; n < EXCHANGES; n++) {
    uint32_t word;
    must(port_receive(0, &word));
    must(port_send(1, word));
  }
  return NULL;
}

static void *compute(void *argument) {
  (void)argument;
  while ((int32_t)(end - cl_cycle()) > 0) continue;
  return NULL;
}

int main(void) {
  pthread_t other, one, two;
  must(port_open(1, PORT_DIRECT));
  must(pthread_create(&other, NULL, answer, NULL));
  must(sched_yield());
  for (uint32_t n = 0; n < EXCHANGES; n++) {
    uint32_t word;
    must(port_send(0, n));
    must(port_receive(1, &word));
    must(word != n);
  }
  must(pthread_join(other, NULL));
  end = cl_cycle() + SLICES * SLICE;
  must(pthread_create(&one, NULL, compute, NULL));
  must(pthread_create(&two, NULL, compute, NULL));
  must(pthread_join(one, NULL));
  must(pthread_join(two, NULL));
  return 0;
}
