/* SPDX-License-Identifier: Apache-2.0
 *
 * Common to static, dynamic and selective: the time slice; and to the last two the queue for all CPUs, with
 * another on each CPU for the threads that only this CPU may run. Threads are served in the order in which they
 * came, whichever of the queues they are in: node.key is their number. */
#ifndef CL_ROUND_ROBIN_H
#define CL_ROUND_ROBIN_H

#include "cl_policy.h"

/* Of a thread: left; node.key; seen, where it is queued: */
enum cl_rr_where { CL_RR_ANY, CL_RR_OWN, CL_RR_WARM };

struct cl_rr { /* for all CPUs */
  struct cl_list any;
  uint64_t arrivals;
  struct cl_cpuset idle; /* CPUs without current, not reserved */
};

struct cl_rr_cpu { /* at the beginning of a CPU's state */
  struct cl_list own;
};

static inline bool cl_rr_leaves(enum cl_why why) { return why == CL_PREEMPTED || why == CL_USED || why == CL_YIELDED; }

/* A preempted or moved thread keeps the rest of its slice, and its place in the order. */
static inline void cl_rr_arrive(const struct cl_machine *m, struct cl_entity *e, enum cl_why why, uint64_t *arrivals) {
  if ((why == CL_PREEMPTED || why == CL_MOVED) && e->left > 0) return;
  e->left = (int64_t)m->tuning.slice;
  e->node.key = ++*arrivals;
}

static inline cl_time cl_rr_tick(struct cl_machine *m, uint32_t cpu, cl_time ran) {
  struct cl_entity *e = m->cpu[cpu].current;
  e->left -= (int64_t)ran;
  return e->left > 0 ? (cl_time)e->left : 0;
}

static inline void cl_rr_insert(struct cl_list *list, struct cl_entity *e) {
  if (list->first && cl_before(e->node.key, list->first->key)) cl_list_prepend(list, &e->node);
  else cl_list_append(list, &e->node);
}

/* --- the queue for all ------------------------------------------------------------------------- */

static inline struct cl_rr_cpu *cl_rr_of(const struct cl_machine *m, uint32_t cpu) { return m->cpu[cpu].state; }

static inline void cl_rr_init(struct cl_machine *m) {
  struct cl_rr *rr = m->shared;
  for (uint32_t cpu = 0; cpu < m->cpus; cpu++) cl_set_add(&rr->idle, cpu);
}

/* An idle CPU, the nearest that is not reserved; CL_CPUS_MAX: none. */
static inline uint32_t cl_rr_idle(const struct cl_machine *m, uint32_t cpu) {
  const struct cl_rr *rr = m->shared;
  uint32_t first = cl_set_near(&rr->idle, cpu), found = first;
  while (found < CL_CPUS_MAX && m->cpu[found].owner) {
    found = cl_set_near(&rr->idle, found + 1);
    if (found == first) return CL_CPUS_MAX;
  }
  return found;
}

/* The last CPU if it is idle, else an idle one, else the last. */
static inline uint32_t cl_rr_place(const struct cl_machine *m, const struct cl_entity *e) {
  if (e->home != CL_ANY_CPU) return (uint32_t)e->home;
  if (m->cpu[(uint32_t)e->cpu].owner == e) return (uint32_t)e->cpu;
  uint32_t idle = cl_rr_idle(m, (uint32_t)e->cpu);
  return idle < CL_CPUS_MAX ? idle : (uint32_t)e->cpu;
}

static inline bool cl_rr_bound(const struct cl_machine *m, uint32_t cpu, const struct cl_entity *e) {
  return e->home != CL_ANY_CPU || m->cpu[cpu].owner == e;
}

/* Into the queue for all, or that of the one CPU that may run it. */
static inline void cl_rr_queue(struct cl_machine *m, uint32_t cpu, struct cl_entity *e) {
  struct cl_rr *rr = m->shared;
  bool bound = cl_rr_bound(m, cpu, e);
  e->seen = bound ? CL_RR_OWN : CL_RR_ANY;
  cl_rr_insert(bound ? &cl_rr_of(m, cpu)->own : &rr->any, e);
}

static inline void cl_rr_unqueue(struct cl_machine *m, struct cl_entity *e) {
  struct cl_rr *rr = m->shared;
  cl_list_remove(e->seen == CL_RR_OWN ? &cl_rr_of(m, (uint32_t)e->cpu)->own : &rr->any, &e->node);
}

/* Makes a CPU look at its queues after a thread has been queued on a CPU that does not pick now. */
static inline void cl_rr_resched(struct cl_machine *m, uint32_t cpu, const struct cl_entity *e) {
  if (!m->cpu[cpu].current && cl_allowed(m, cpu, e)) {
    cl_resched(m, cpu);
  } else if (e->seen == CL_RR_ANY) {
    uint32_t idle = cl_rr_idle(m, cpu);
    if (idle < CL_CPUS_MAX) cl_resched(m, idle);
  }
}

static inline struct cl_entity *cl_rr_older(struct cl_entity *a, const struct cl_list *list) {
  struct cl_entity *b = list->first ? cl_entity_of(list->first) : NULL;
  return !a || (b && cl_before(b->node.key, a->node.key)) ? b : a;
}

/* A CPU has picked e or, NULL, nobody. */
static inline void cl_rr_picked(struct cl_machine *m, uint32_t cpu, struct cl_entity *e) {
  struct cl_rr *rr = m->shared;
  if (e) {
    cl_note_unqueued(m, e);
    cl_note_current(m, cpu, e);
    cl_set_remove(&rr->idle, cpu);
  } else if (!m->cpu[cpu].owner) {
    cl_set_add(&rr->idle, cpu);
  }
}

#endif
