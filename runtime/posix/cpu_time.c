/* SPDX-License-Identifier: Apache-2.0
 *
 * CPU-time clocks: the time that each thread, and all of them, ran. A CPU adds to a thread's time, and its own,
 * when the thread leaves it or waits; so a reader adds the time that has passed since then. */
#include "clock.h"

static volatile uint64_t of_thread[CL_CONTEXTS];
static struct {
  volatile uint64_t total;
  volatile uint64_t since;
  volatile uint32_t runs; /* a thread runs there since then */
} of_cpu[CL_CPUS];

static uint32_t this_cpu(void) { return CL_CPUS > 1 ? cl_local_read(CL_CPU_ID) : 0; }

/* Interrupts may be on: no switch must come in between. */
static void count(uint32_t runs_now) {
  int was_off = cl_irq_is_off();
  cl_irq_off();
  uint32_t cpu = this_cpu();
  uint64_t now = cl_now();
  if (of_cpu[cpu].runs) {
    of_thread[pthread_self()] += now - of_cpu[cpu].since;
    of_cpu[cpu].total += now - of_cpu[cpu].since;
  }
  of_cpu[cpu].since = now;
  of_cpu[cpu].runs = runs_now;
  if (!was_off) cl_irq_on();
}

void cl_cpu_time_stop_apart(void) { count(0); }
void cl_cpu_time_next(void) { count(1); }
void cl_cpu_time_reset(uint32_t thread) { of_thread[thread] = 0; }

/* The time that has passed on a CPU since it last counted. */
static uint64_t running(uint32_t cpu) {
  uint64_t since, passed;
  uint32_t runs;
  do {
    since = of_cpu[cpu].since;
    runs = of_cpu[cpu].runs;
    passed = cl_now() - since;
  } while (since != of_cpu[cpu].since);
  return runs ? passed : 0;
}

static uint64_t time_of_thread(uint32_t thread) {
  uint64_t before, more;
  do {
    before = of_thread[thread];
    uint32_t word = cl_op_thread_read(thread);
    int runs = (word >> CL_THREAD_WORD_STATE_LSB & CL_THREAD_WORD_STATE_MASK) == CL_STATE_RUNNING;
    more = runs ? running(word >> CL_THREAD_WORD_CPU_LSB & CL_THREAD_WORD_CPU_MASK) : 0;
  } while (before != of_thread[thread]); /* it has been added meanwhile */
  return before + more;
}

static uint64_t time_of_cpu(uint32_t cpu) {
  uint64_t before, more;
  do {
    before = of_cpu[cpu].total;
    more = running(cpu);
  } while (before != of_cpu[cpu].total);
  return before + more;
}

/* Not inlined: a program that has this is built with CL_CPU_TIME. */
CL_COLD uint64_t cl_cpu_time(uint32_t thread) {
  __asm__ volatile("");
  uint64_t all = 0;
  if (!CL_CPU_TIME) return 0;
  if (thread != CL_ALL_THREADS) return time_of_thread(thread);
  for (uint32_t cpu = 0; cpu < CL_CPUS; cpu++) all += time_of_cpu(cpu);
  return all;
}
