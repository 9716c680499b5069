/* SPDX-License-Identifier: Apache-2.0
 *
 * Every CPU takes the same lock of the Lock Unit again and again for CYCLES cycles, adds one to a word in memory, and
 * runs an empty loop HOLD times before it gives it back. Afterwards two MARK events for each CPU: how often it had the
 * lock, and its longest wait. */
#include "coreloom.h"

#include <pthread.h>
#include <stdlib.h>

static volatile uint32_t word;
static uint32_t end;
static volatile uint32_t begun;

static struct {
  uint32_t turns, longest;
} of[CL_CPUS];

static void must(int error) {
  if (error) exit(2);
}

static void *work(void *argument) {
  const unsigned me = (unsigned)(uintptr_t)argument;
  uint32_t turns = 0, longest = 0, before;
  while (!begun) continue;
  do {
    before = cl_cycle();
    must(shared_memory_lock(&word));
    const uint32_t waited = cl_cycle() - before;
    word = word + 1;
    for (unsigned n = 0; n < HOLD; n++) __asm__ volatile("nop");
    must(shared_memory_unlock(&word));
    turns++;
    if (waited > longest) longest = waited;
  } while ((int32_t)(end - cl_cycle()) > 0);
  of[me].turns = turns;
  of[me].longest = longest;
  return NULL;
}

int main(void) {
  pthread_t threads[CL_CPUS];
  pthread_attr_t attributes;
  must(pthread_attr_init(&attributes));
  for (unsigned cpu = 1; cpu < CL_CPUS; cpu++) {
    must(pthread_attr_setplacement_np(&attributes, PTHREAD_PLACEMENT_STATIC_NP, cpu));
    must(pthread_create(&threads[cpu], &attributes, work, (void *)(uintptr_t)cpu));
  }
  for (uint32_t wait = cl_cycle(); cl_cycle() - wait < 20000;) continue; /* all have started */
  end = cl_cycle() + CYCLES;
  begun = 1;
  work((void *)0);
  uint32_t turns = of[0].turns;
  for (unsigned cpu = 1; cpu < CL_CPUS; cpu++) {
    must(pthread_join(threads[cpu], NULL));
    turns += of[cpu].turns;
  }
  for (unsigned cpu = 0; cpu < CL_CPUS; cpu++) {
    cl_mark(of[cpu].turns);
    cl_mark(of[cpu].longest);
  }
  return turns != word;
}
