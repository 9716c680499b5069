/* SPDX-License-Identifier: Apache-2.0
 *
 * One ring of all runnable threads for all CPUs, searched as a whole at each decision.
 *
 * Source: [DWRR] ("Scheduler Before Kernel V2.6"), and Linux 2.4's kernel/sched.c. Taken from there:
 *   - one queue; a new or woken thread goes to its front, one that has used its slice or yields to its end;
 *   - goodness: real-time threads (priority below 100) before all others, by priority; others by the rest of their
 *     slice, plus 2.5 slices on the CPU where the thread ran last (PROC_CHANGE_PENALTY); of equals the first in the
 *     queue;
 *   - an epoch ends when no ready thread has any slice left: each thread keeps half of its rest and gets a new slice
 *     (lazily, by the epoch's number), so that a sleeper returns with up to two slices;
 *   - a woken thread preempts the CPU where its goodness exceeds the current thread's most;
 *   - a real-time thread gets a new slice when its slice is used up, in any epoch.
 * Different: the slice in Linux is linear in nice; here it is weight x slice, as in the other policies. There is no
 * bonus for the same address space, as there are no address spaces.
 *
 * Cost: O(n) a decision, O(CPUs) to find the CPU to preempt.
 * Bound: on one CPU each thread gets its slice once an epoch. On several there is none: a thread that runs when an
 * epoch ends keeps half of the rest of its slice. */
#include "cl_policy.h"

#define REALTIME 100u /* priorities below are real time */
#define GOOD_REALTIME (INT64_MAX / 2)

struct ring {
  struct cl_list threads;
  uint32_t epoch;
};

/* In a thread: left; round = the epoch whose slice it has got; seen = it has yielded, pass it over once. */

static cl_time slice_of(const struct cl_machine *m, const struct cl_entity *e) {
  cl_time slice = m->tuning.slice * e->weight >> 10;
  return slice ? slice : 1;
}

/* The slices of the epochs since. After 64 halvings nothing is left of the old remainder. */
static void refill(const struct cl_machine *m, struct cl_entity *e) {
  const struct ring *ring = m->shared;
  uint32_t epochs = ring->epoch - e->round;
  if (epochs > 64) epochs = 64;
  for (; epochs; epochs--) e->left = e->left / 2 + (int64_t)slice_of(m, e);
  e->round = ring->epoch;
}

static int64_t goodness(const struct cl_machine *m, uint32_t cpu, struct cl_entity *e) {
  refill(m, e);
  if (e->priority < REALTIME) return GOOD_REALTIME - e->priority;
  if (e->left <= 0) return 0;
  bool here = (uint32_t)e->cpu == cpu;
  return e->left + (here ? (int64_t)(m->tuning.slice * 5 / 2) : 0);
}

static void ring_init(struct cl_machine *m) { (void)m; }

static uint32_t ring_place(const struct cl_machine *m, const struct cl_entity *e) {
  return e->home != CL_ANY_CPU ? (uint32_t)e->home : (uint32_t)e->cpu % m->cpus;
}

/* Makes one CPU look: an idle one, preferably the thread's last; else, for a thread that has become runnable, the CPU
 * whose current thread it exceeds most. */
static void resched_for(struct cl_machine *m, struct cl_entity *e, enum cl_why why) {
  bool leaving = why == CL_PREEMPTED || why == CL_USED || why == CL_YIELDED; /* its CPU picks anyway */
  uint32_t best = m->cpus;
  int64_t most = 0;
  for (uint32_t i = 0; i < m->cpus; i++) {
    uint32_t cpu = ((uint32_t)e->cpu + i) % m->cpus;
    if (!cl_allowed(m, cpu, e) || (leaving && cpu == (uint32_t)e->cpu)) continue;
    struct cl_entity *current = m->cpu[cpu].current;
    if (!current) {
      cl_resched(m, cpu);
      return;
    }
    if (leaving) continue;
    int64_t more = goodness(m, cpu, e) - goodness(m, cpu, current);
    if (more > most) {
      most = more;
      best = cpu;
    }
  }
  if (best < m->cpus) cl_resched(m, best);
}

static void ring_enqueue(struct cl_machine *m, uint32_t cpu, struct cl_entity *e, enum cl_why why) {
  struct ring *ring = m->shared;
  if (e->queued) {
    cl_list_remove(&ring->threads, &e->node);
    cl_note_unqueued(m, e);
  }
  if (why == CL_NEW) {
    e->left = (int64_t)slice_of(m, e);
    e->round = ring->epoch;
  }
  refill(m, e);
  if (e->priority < REALTIME && e->left <= 0) e->left = (int64_t)slice_of(m, e);
  e->seen = why == CL_YIELDED;
  cl_note_queued(m, cpu, e);
  if (why == CL_USED || why == CL_YIELDED) cl_list_append(&ring->threads, &e->node);
  else cl_list_prepend(&ring->threads, &e->node);
  resched_for(m, e, why);
}

static void ring_dequeue(struct cl_machine *m, struct cl_entity *e) {
  struct ring *ring = m->shared;
  if (e->queued) cl_list_remove(&ring->threads, &e->node);
  cl_note_gone(m, e);
}

/* The best of those that this CPU may run. One that has yielded is worse than any, but for this once. */
static struct cl_entity *best_for(struct cl_machine *m, uint32_t cpu, int64_t *most) {
  const struct ring *ring = m->shared;
  struct cl_entity *best = NULL;
  *most = INT64_MIN;
  for (struct cl_node *node = ring->threads.first; node; node = node->left) {
    struct cl_entity *e = cl_entity_of(node);
    if (!cl_allowed(m, cpu, e)) continue;
    int64_t good = e->seen ? -1 : goodness(m, cpu, e);
    e->seen = 0;
    if (good > *most) {
      *most = good;
      best = e;
    }
  }
  return best;
}

static struct cl_entity *ring_pick(struct cl_machine *m, uint32_t cpu) {
  struct ring *ring = m->shared;
  int64_t most;
  struct cl_entity *best = best_for(m, cpu, &most);
  if (best && most == 0) {
    ring->epoch++;
    best = best_for(m, cpu, &most);
  }
  if (!best) return NULL;
  refill(m, best);
  if (best->left <= 0) { /* it has yielded, and is alone */
    ring->epoch++;
    refill(m, best);
  }
  cl_list_remove(&ring->threads, &best->node);
  cl_note_unqueued(m, best);
  cl_note_current(m, cpu, best);
  return best;
}

static cl_time ring_tick(struct cl_machine *m, uint32_t cpu, cl_time ran) {
  struct cl_entity *e = m->cpu[cpu].current;
  refill(m, e);
  e->left -= (int64_t)ran;
  if (e->left < 0) e->left = 0;
  return (cl_time)e->left;
}

const struct cl_policy cl_ring = {
    .name = "ring",
    .text = "one queue for all CPUs, searched for the largest remaining slice",
    .shared_size = sizeof(struct ring),
    .init = ring_init,
    .place = ring_place,
    .enqueue = ring_enqueue,
    .dequeue = ring_dequeue,
    .pick = ring_pick,
    .tick = ring_tick,
};
