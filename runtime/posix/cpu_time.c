/* SPDX-License-Identifier: Apache-2.0
 *
 * CPU-time clocks: the time that each thread, and all of them, ran. A CPU adds to a thread's time, and its own,
 * when the thread leaves it or waits; so a reader adds the time that has passed since then. */
#include "clock.h"

static volatile uint64_t of_thread[CL_CONTEXTS];
static struct {
  volatile uint64_t total;
  volatile uint64_t since;
  volatile uint32_t runs; /* the thread that runs there since then, from 1; 0: none */
} of_cpu[CL_CPUS];

static uint32_t this_cpu(void) { return CL_CPUS > 1 ? cl_local_read(CL_CPU_ID) : 0; }

/* The thread runs_now, from 1, begins to run, or none. Interrupts may be on: no switch must come in between. */
static void count(uint32_t runs_now) {
  int was_off = cl_irq_is_off();
  cl_irq_off();
  uint32_t cpu = this_cpu();
  uint64_t now = cl_now();
  if (of_cpu[cpu].runs) {
    of_thread[of_cpu[cpu].runs - 1] += now - of_cpu[cpu].since;
    of_cpu[cpu].total += now - of_cpu[cpu].since;
  }
  of_cpu[cpu].since = now;
  of_cpu[cpu].runs = runs_now;
  if (!was_off) cl_irq_on();
}

void cl_cpu_time_stop_apart(void) { count(0); }
void cl_cpu_time_go_apart(void) { count((uint32_t)pthread_self() + 1); }
void cl_cpu_time_next(uint32_t word) { count((uint16_t)word + 1u); }
void cl_cpu_time_reset(uint32_t thread) { of_thread[thread] = 0; }

/* The time that has passed on a CPU since it last counted, if the thread runs there, or any. */
static uint64_t running(uint32_t cpu, uint32_t thread) {
  uint64_t since, passed;
  uint32_t runs;
  do {
    since = of_cpu[cpu].since;
    runs = of_cpu[cpu].runs;
    passed = cl_now() - since;
  } while (since != of_cpu[cpu].since);
  return runs && (thread == CL_ALL_THREADS || runs - 1 == thread) ? passed : 0;
}

static uint64_t time_of_thread(uint32_t thread) {
  uint64_t before, more;
  do {
    before = of_thread[thread];
    more = 0;
    for (uint32_t cpu = 0; cpu < CL_CPUS; cpu++) more += running(cpu, thread);
  } while (before != of_thread[thread]); /* it has been added meanwhile */
  return before + more;
}

static uint64_t time_of_cpu(uint32_t cpu) {
  uint64_t before, more;
  do {
    before = of_cpu[cpu].total;
    more = running(cpu, CL_ALL_THREADS);
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
