/* SPDX-License-Identifier: Apache-2.0
 *
 * What the programs of `coreloom bench ipc` share: rounds that all CPUs begin together, threads that stay on their
 * CPU. */
#ifndef IPC_H
#define IPC_H

#include <coreloom.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#include "cl_ipc_ops.h"
#include "cl_machine.h"
#include "../moment.h"

#define RAW(op, index, patience) \
  ((volatile uint32_t *)(CL_IPC_PORT + ((uint32_t)(patience) << 16 | (uint32_t)(op) << 10 | (uint32_t)(index) << 2)))
#define FOR_EVER 31

CL_INLINE void must(int error) {
  if (__builtin_expect(error, 0)) exit(error);
}

CL_INLINE uint32_t bus_count(void) { return cl_local_read(CL_BUS_COUNT); }

/* --- Rounds --- */

static volatile uint32_t meeting_at, meeting_round, meeting_arrived[CL_CPUS];

CL_INLINE void wait_until(uint32_t cycle) {
  while ((int32_t)(cl_cycle() - cycle) < 0) {}
}

/* Waits for every CPU to say the same round, from 1 on; returns a cycle to come, the same on all. */
__attribute__((unused)) CL_APART uint32_t meet(unsigned cpu, uint32_t round) {
  meeting_arrived[cpu] = round;
  if (cpu == 0) {
    for (unsigned other = 1; other < CL_CPUS; other++)
      while (meeting_arrived[other] != round) wait_until(cl_cycle() + 50);
    meeting_at = cl_cycle() + 1500;
    meeting_round = round;
  } else {
    while (meeting_round != round) wait_until(cl_cycle() + 50);
  }
  return meeting_at;
}

/* --- Threads --- */

/* A thread that stays on a CPU and is given its number. */
static void create_on(pthread_t *thread, unsigned cpu, void *(*body)(void *)) {
  pthread_attr_t attr;
  must(pthread_attr_init(&attr));
  must(pthread_attr_setplacement_np(&attr, PTHREAD_PLACEMENT_STATIC_NP, cpu));
  must(pthread_create(thread, &attr, body, (void *)(uintptr_t)cpu));
}

/* Runs `body` on every CPU, given its number, until all return. */
static void on_every_cpu(void *(*body)(void *)) {
  pthread_t threads[CL_CPUS];
  for (unsigned cpu = 0; cpu < CL_CPUS; cpu++) create_on(&threads[cpu], cpu, body);
  for (unsigned cpu = 0; cpu < CL_CPUS; cpu++) must(pthread_join(threads[cpu], NULL));
}

#endif
