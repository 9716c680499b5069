/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread on each processor of platform amp writes to its copy of a variable in its local memory. */
#include <coreloom.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>

#include "cl_machine.h"

static CL_LOCAL_DATA volatile unsigned number;
static unsigned found[CL_CPUS];
static sem_t stored, all_stored;

static void *own(void *cpu) {
  number = 100 + (unsigned)(uintptr_t)cpu;
  sem_post(&stored);
  sem_wait(&all_stored);
  found[cl_cpu_id()] = number;
  return NULL;
}

int main(void) {
  pthread_t threads[CL_CPUS];
  cl_trace(CL_TRACE_READY, 0);
  cl_trace(CL_TRACE_NAME, (uint32_t)(uintptr_t)"a constant");
  sem_init(&stored, 0, 0);
  sem_init(&all_stored, 0, 0);
  for (unsigned cpu = 0; cpu < CL_CPUS; cpu++) {
    pthread_attr_t attr;
    pthread_attr_init(&attr);
    pthread_attr_setplacement_np(&attr, PTHREAD_PLACEMENT_STATIC_NP, cpu);
    if (pthread_create(&threads[cpu], &attr, own, (void *)(uintptr_t)cpu)) return 1;
  }
  for (unsigned cpu = 0; cpu < CL_CPUS; cpu++) sem_wait(&stored);
  for (unsigned cpu = 0; cpu < CL_CPUS; cpu++) sem_post(&all_stored);
  for (unsigned cpu = 0; cpu < CL_CPUS; cpu++) {
    pthread_join(threads[cpu], NULL);
    printf("cpu %u: %u\n", cpu, found[cpu]);
  }
  puts("ok");
  return 0;
}
