/* SPDX-License-Identifier: Apache-2.0
 *
 * Switches of one kind on CPU 0, until ROUNDS of them are counted; every other CPU stores in each cycle that the bus
 * gives it. -DKIND=voluntary: two threads exchange semaphores. preemption: two threads compute, and a time slice ends.
 * interrupt: a thread computes, and one that keeps all the registers that a function preserves waits for line 0, which
 * the host raises.
 * FOOTPRINT: so many bytes of straight code between two switches; twice the instruction cache drive all else out. */
#include <coreloom.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

#include "../moment.h"

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)
#define CHOICE __attribute__((unused)) static

enum { STACK = 1024 };

static sem_t turn[2];
static uint32_t end = UINT32_MAX; /* the cycle when computing threads end the program */

static void must(int error) {
  if (error) exit(2);
}

CL_INLINE void drive_out(void) {
#if FOOTPRINT
  __asm__ volatile(".rept " TEXT(FOOTPRINT) " / 4\n nop\n .endr");
#endif
}

static void create(unsigned cpu, int priority, void *stack, void *(*start)(void *), uintptr_t argument) {
  pthread_attr_t attr;
  pthread_t thread;
  struct sched_param param = {priority};
  must(pthread_attr_init(&attr));
  must(pthread_attr_setschedparam(&attr, &param));
  must(pthread_attr_setplacement_np(&attr, PTHREAD_PLACEMENT_STATIC_NP, cpu));
  if (stack) must(pthread_attr_setstack(&attr, stack, STACK));
  must(pthread_create(&thread, &attr, start, (void *)argument));
}

/* --- A thread of another CPU: a store whenever the bus takes one --- */

static void *disturb(void *argument) {
  volatile uint32_t *word = argument;
  for (;;)
    for (unsigned i = 0; i < 16; i++) *word = i;
  return NULL;
}

/* --- Threads of CPU 0 --- */

static void *exchange(void *argument) {
  unsigned own = (unsigned)(uintptr_t)argument;
  for (unsigned i = 0; i < ROUNDS; i++) {
    drive_out();
    must(sem_wait(&turn[own]));
    must(sem_post(&turn[!own]));
  }
  exit(0);
}

/* Loads, stores, multiplications and branches, on its own stack. */
static void *compute(void *argument) {
  uint32_t value = (uint32_t)(uintptr_t)argument;
  volatile uint32_t data[64];
  for (unsigned i = 0; i < 64; i++) data[i] = i;
  for (;;) {
    for (unsigned i = 0; i < 64; i++) {
      value = value * 1664525u + 1013904223u;
      if (value >> 31) data[i] += value;
      else data[i] ^= value >> 3;
    }
    drive_out();
    if (cl_cycle() > end) exit(0);
  }
  return NULL;
}

/* The registers that a function preserves, s0 to s11, hold what is asked for behind the wait: all are loaded again
 * before `served`. */
CL_LOCAL_CODE static void *serve(void *unused) {
  (void)unused;
  must(interrupt_bind_thread_np(0));
  uint32_t a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7, h = 8, i = 9, j = 10, k = 11;
  for (uint32_t n = 0; n < ROUNDS; n++) {
    must(interrupt_wait_np(0));
    __asm__ volatile("nop\n" LABEL("served")
                     : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e), "+r"(f), "+r"(g), "+r"(h), "+r"(i), "+r"(j),
                       "+r"(k), "+r"(n)::"memory");
  }
  exit(a + b + c + d + e + f + g + h + i + j + k == 66 ? 0 : 3);
}

CHOICE void voluntary(int priority, unsigned char stacks[2][STACK]) {
  for (unsigned i = 0; i < 2; i++) must(sem_init(&turn[i], 0, !i));
  for (unsigned i = 0; i < 2; i++) create(0, priority, stacks[i], exchange, i);
}

CHOICE void preemption(int priority, unsigned char stacks[2][STACK]) {
  end = cl_cycle() + ROUNDS * CL_SLICE_TICKS * CL_TICK_CYCLES;
  for (unsigned i = 0; i < 2; i++) create(0, priority, stacks[i], compute, i);
}

CHOICE void interrupt(int priority, unsigned char stacks[2][STACK]) {
  create(0, priority, stacks[0], serve, 0);
  create(0, priority - 1, stacks[1], compute, 1);
}

int main(void) {
  static CL_LOCAL_DATA unsigned char stacks[2][STACK] __attribute__((aligned(16)));
  static uint32_t words[CL_CPUS];
  int top = sched_get_priority_max(SCHED_RR);
  must(pthread_setschedprio(pthread_self(), top));
  for (unsigned cpu = 1; cpu < CL_CPUS; cpu++) create(cpu, top - 1, NULL, disturb, (uintptr_t)&words[cpu]);
  KIND(top - 1, stacks);
  must(pthread_setschedprio(pthread_self(), 0)); /* the others never let it run again */
  return 2;
}
