/* SPDX-License-Identifier: Apache-2.0
 *
 * Common to policies with a queue for each CPU: which CPUs are idle, which have threads that wait, where a
 * thread goes. `struct cl_queues` lies first in the policy's shared memory.
 *
 * Cost: cl_queues_place O(1) while a CPU is idle or for a thread that wakes, O(CPUs) for a new one when all are busy;
 * the rest O(1). (CPUs that are reserved and idle are passed over one by one.) */
#ifndef CL_QUEUES_H
#define CL_QUEUES_H

#include "cl_policy.h"

struct cl_queues {
  struct cl_cpuset idle;    /* neither a current thread nor one that waits */
  struct cl_cpuset waiting; /* at least one waits */
};

static inline void cl_queues_init(struct cl_machine *m) {
  struct cl_queues *queues = m->shared;
  for (uint32_t cpu = 0; cpu < m->cpus; cpu++) cl_set_add(&queues->idle, cpu);
}

/* To be called for a CPU whose queue or current thread has changed. */
static inline void cl_queues_note(struct cl_machine *m, uint32_t cpu) {
  struct cl_queues *queues = m->shared;
  const struct cl_cpu *c = &m->cpu[cpu];
  (!c->queued && !c->current ? cl_set_add : cl_set_remove)(&queues->idle, cpu);
  (c->queued ? cl_set_add : cl_set_remove)(&queues->waiting, cpu);
}

/* The nearest idle CPU from `from` on that may run this thread; CL_CPUS_MAX: none. */
static inline uint32_t cl_queues_idle(const struct cl_machine *m, const struct cl_entity *e, uint32_t from) {
  const struct cl_queues *queues = m->shared;
  uint32_t cpu = cl_set_from(&queues->idle, from);
  while (cpu < CL_CPUS_MAX && !cl_allowed(m, cpu, e)) cpu = cl_set_from(&queues->idle, cpu + 1);
  if (cpu < CL_CPUS_MAX) return cpu;
  cpu = cl_set_from(&queues->idle, 0);
  while (cpu < from && !cl_allowed(m, cpu, e)) cpu = cl_set_from(&queues->idle, cpu + 1);
  return cpu < from ? cpu : CL_CPUS_MAX;
}

/* The CPU with the least load of those that may run this thread, the first of equals. */
static inline uint32_t cl_lightest(const struct cl_machine *m, const struct cl_entity *e) {
  uint32_t best = m->cpus;
  for (uint32_t cpu = 0; cpu < m->cpus; cpu++)
    if (cl_allowed(m, cpu, e) && (best == m->cpus || m->cpu[cpu].load < m->cpu[best].load)) best = cpu;
  return best < m->cpus ? best : 0;
}

/* Its only CPU; else an idle one, from its last on; else its last one, and for a new thread the lightest. */
static inline uint32_t cl_queues_place(const struct cl_machine *m, const struct cl_entity *e, bool is_new) {
  if (e->home != CL_ANY_CPU) return (uint32_t)e->home;
  uint32_t last = (uint32_t)e->cpu;
  uint32_t idle = cl_queues_idle(m, e, last);
  if (idle < CL_CPUS_MAX) return idle;
  return is_new || !cl_allowed(m, last, e) ? cl_lightest(m, e) : last;
}

/* A thread that has been queued waits behind another: if a CPU is idle that may run it, it should come for it. */
static inline void cl_queues_offer(struct cl_machine *m, const struct cl_entity *e) {
  const struct cl_cpu *c = &m->cpu[(uint32_t)e->cpu];
  if (e->home != CL_ANY_CPU || (!c->current && c->queued < 2)) return;
  uint32_t idle = cl_queues_idle(m, e, (uint32_t)e->cpu);
  if (idle < CL_CPUS_MAX) cl_resched(m, idle);
}

/* Has this CPU threads that wait while another runs or will run there? */
static inline bool cl_queues_spare(const struct cl_machine *m, uint32_t cpu) {
  return m->cpu[cpu].queued > (m->cpu[cpu].current ? 0u : 1u);
}

/* Does it leave the CPU on which it is current, to be queued there again? Then that CPU picks anyway. */
static inline bool cl_leaves(uint32_t cpu, const struct cl_entity *e, enum cl_why why) {
  return (why == CL_PREEMPTED || why == CL_USED || why == CL_YIELDED) && (uint32_t)e->cpu == cpu;
}

#endif
