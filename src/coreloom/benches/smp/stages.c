/* SPDX-License-Identifier: Apache-2.0
 *
 * Switches of both kinds. First two threads on each CPU exchange EXCHANGES messages, each a voluntary switch; then two
 * threads a CPU compute for SLICES time slices, each ended by a full-context switch. */
#include "coreloom.h"

#include <pthread.h>
#include <stdlib.h>

enum { EXCHANGES = 100, SLICES = 50, SLICE = 10000, THREADS = 2 * CL_CPUS };

static volatile int is_open[CL_CPUS];
static uint32_t end;

static void must(int error) {
  if (error) exit(2);
}

/* The CPU's port to the answering thread, and the one back. */
static int there(uint32_t cpu) { return (int)(2 * cpu); }
static int back(uint32_t cpu) { return (int)(2 * cpu + 1); }

static void *answer(void *argument) {
  const uint32_t cpu = (uint32_t)(uintptr_t)argument;
  must(port_open(there(cpu), PORT_DIRECT));
  is_open[cpu] = 1;
  for (unsigned n = 0; n < EXCHANGES; n++) {
    uint32_t word;
    must(port_receive(there(cpu), &word));
    must(port_send(back(cpu), word));
  }
  return NULL;
}

static void *ask(void *argument) {
  const uint32_t cpu = (uint32_t)(uintptr_t)argument;
  must(port_open(back(cpu), PORT_DIRECT));
  while (!is_open[cpu]) must(sched_yield());
  for (uint32_t n = 0; n < EXCHANGES; n++) {
    uint32_t word;
    must(port_send(there(cpu), n));
    must(port_receive(back(cpu), &word));
    must(word != n);
  }
  return NULL;
}

static void *compute(void *argument) {
  (void)argument;
  while ((int32_t)(end - cl_cycle()) > 0) continue;
  return NULL;
}

/* Every CPU has one thread of each. */
static void run(void *(*one)(void *), void *(*other)(void *)) {
  pthread_t threads[THREADS];
  pthread_attr_t attr;
  must(pthread_attr_init(&attr));
  for (uint32_t n = 0; n < THREADS; n++) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(n / 2, &set);
    if (CL_CPUS > 1) must(pthread_attr_setaffinity_np(&attr, sizeof set, &set));
    must(pthread_create(&threads[n], &attr, n % 2 ? other : one, (void *)(uintptr_t)(n / 2)));
  }
  for (uint32_t n = 0; n < THREADS; n++) must(pthread_join(threads[n], NULL));
}

int main(void) {
  run(answer, ask);
  end = cl_cycle() + SLICES * SLICE;
  run(compute, compute);
  return 0;
}
