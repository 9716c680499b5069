/* SPDX-License-Identifier: Apache-2.0
 *
 * What `coreloom bench deadlines` runs: periodic threads whose deadline is the end of their period.
 *
 * Input: words HORIZON, and of each thread PERIOD (ticks), WORK (cycles), PRIORITY. All are released at once first, where
 * fixed priorities have it hardest. Marks: of each job, when it ends, its thread in bits 31:24 and in bits 23:0 by how
 * many cycles it is late, below zero if it is early. */
#include <coreloom.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdlib.h>

#define MOST 16
#define ROUNDS 4096u /* of the loop, whose cycles are measured before the threads begin */

struct thread {
  uint32_t period, work, priority; /* ticks, cycles */
};

static const struct thread *threads;
static uint32_t horizon, begin, round_cycles; /* cycles of ROUNDS rounds */
static sem_t never;

static __attribute__((noinline, aligned(64))) void rounds(uint32_t count) {
  __asm__ volatile("1: addi %0, %0, -1\n bnez %0, 1b" : "+r"(count));
}

static void *periodic(void *argument) {
  uint32_t number = (uint32_t)(uintptr_t)argument;
  const struct thread *own = &threads[number];
  uint32_t period = own->period * CL_TICK_CYCLES;
  uint32_t count = (uint32_t)((uint64_t)own->work * ROUNDS / round_cycles);
  for (uint32_t release = 0; release + period <= horizon; release += period) {
    int32_t left = (int32_t)(begin + release - cl_cycle());
    if (left > 0 && (!sem_timedwait_np(&never, (uint32_t)left) || errno != ETIMEDOUT)) exit(3);
    rounds(count);
    cl_mark(number << 24 | ((cl_cycle() - begin - release - period) & 0xFFFFFF));
  }
  return NULL;
}

int main(void) {
  size_t length;
  const uint32_t *input = cl_input(&length);
  uint32_t count = (uint32_t)((length - sizeof *input) / sizeof(struct thread));
  pthread_t made[MOST];
  horizon = input[0];
  threads = (const struct thread *)(input + 1);
  if (count == 0 || count > MOST || sem_init(&never, 0, 0)) exit(3);
  rounds(1); /* the loop is in the cache */
  uint32_t start = cl_cycle();
  rounds(ROUNDS);
  round_cycles = cl_cycle() - start;
  begin = cl_cycle() + 100000; /* all threads wait by then */
  for (uint32_t i = 0; i < count; i++) {
    struct sched_param param = {(int)threads[i].priority};
    pthread_attr_t attr;
    if (pthread_attr_init(&attr) || pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED) ||
        pthread_attr_setschedparam(&attr, &param))
      exit(3);
    if (EDF && pthread_attr_setdeadline_np(&attr, (int)threads[i].period)) exit(3);
    if (pthread_create(&made[i], &attr, periodic, (void *)(uintptr_t)i)) exit(3);
  }
  for (uint32_t i = 0; i < count; i++) pthread_join(made[i], NULL);
  exit(0);
}
