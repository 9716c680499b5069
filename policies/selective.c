/* SPDX-License-Identifier: Apache-2.0
 *
 * As dynamic, but a thread stays where its data are warm.
 *
 * Source: [SMP], its future work: selective migration. The paper names it and leaves open when to migrate; here:
 *   A thread that wakes or was preempted, and left its CPU less than `warm` ago, returns to that CPU if the CPU is
 *   idle; or if no CPU is idle and no other thread waits for that CPU in this way: then it is next there when its turn
 *   comes. Otherwise it waits in the queue for all. Turns are by arrival, as in dynamic, so no thread overtakes.
 *   A CPU that finds nothing else takes a thread that waits for another CPU: idling is never cheaper than a cold cache
 *   that is warm again after a fraction of a slice.
 * A thread that has used up its slice or yields waits in the queue for all: by its turn, others have run on its CPU.
 * Cost: O(1).
 * Bound: as dynamic, plus one slice for a thread that waits for its CPU. */
#include "cl_round_robin.h"

/* Also used of a thread: vtime: when it left its CPU. */

struct place {
  struct cl_rr_cpu rr;    /* first */
  struct cl_entity *warm; /* the thread that waits for this CPU */
};

struct all {
  struct cl_rr rr;       /* first */
  struct cl_cpuset warm; /* CPUs for which a thread waits so */
};

static struct place *place_of(const struct cl_machine *m, uint32_t cpu) { return m->cpu[cpu].state; }
static struct all *all_of(const struct cl_machine *m) { return m->shared; }

static void unqueue(struct cl_machine *m, struct cl_entity *e) {
  if (e->seen == CL_RR_WARM) {
    place_of(m, (uint32_t)e->cpu)->warm = NULL;
    cl_set_remove(&all_of(m)->warm, (uint32_t)e->cpu);
  } else {
    cl_rr_unqueue(m, e);
  }
}

/* Should it wait for the CPU it has left? `idle`: there is a CPU, another one, that is. */
static bool goes_back(const struct cl_machine *m, const struct cl_entity *e, enum cl_why why, bool idle) {
  uint32_t cpu = (uint32_t)e->cpu;
  if ((why != CL_WOKEN && why != CL_PREEMPTED) || m->now - e->vtime >= m->tuning.warm) return false;
  if (cl_rr_bound(m, cpu, e) || m->cpu[cpu].owner || place_of(m, cpu)->warm) return false;
  return !idle || (!m->cpu[cpu].current && why == CL_WOKEN);
}

static void selective_enqueue(struct cl_machine *m, uint32_t cpu, struct cl_entity *e, enum cl_why why) {
  struct all *all = all_of(m);
  if (e->queued) {
    unqueue(m, e);
    cl_note_unqueued(m, e);
  }
  if (e->current) e->vtime = m->now;
  cl_rr_arrive(m, e, why, &all->rr.arrivals);
  bool back = goes_back(m, e, why, cl_rr_idle(m, cpu) < CL_CPUS_MAX);
  if (back) cpu = (uint32_t)e->cpu;
  cl_note_queued(m, cpu, e);
  if (back) {
    e->seen = CL_RR_WARM;
    place_of(m, cpu)->warm = e;
    cl_set_add(&all->warm, cpu);
  } else {
    cl_rr_queue(m, cpu, e);
  }
  if (!cl_rr_leaves(why)) cl_rr_resched(m, cpu, e);
}

static void selective_dequeue(struct cl_machine *m, struct cl_entity *e) {
  if (e->queued) unqueue(m, e);
  if (e->current) e->vtime = m->now;
  cl_note_gone(m, e);
}

static struct cl_entity *selective_pick(struct cl_machine *m, uint32_t cpu) {
  struct all *all = all_of(m);
  struct place *place = place_of(m, cpu);
  struct cl_entity *e = m->cpu[cpu].owner;
  if (e) {
    e = e->queued ? e : NULL;
  } else {
    e = cl_rr_older(cl_rr_older(place->warm, &place->rr.own), &all->rr.any);
    uint32_t other = e ? CL_CPUS_MAX : cl_set_near(&all->warm, cpu);
    if (other < CL_CPUS_MAX) {
      e = place_of(m, other)->warm;
      m->moved++;
    }
  }
  if (e) unqueue(m, e);
  cl_rr_picked(m, cpu, e);
  uint32_t idle = cl_rr_idle(m, cpu);
  if (idle < CL_CPUS_MAX && (all->rr.any.first || cl_set_from(&all->warm, 0) < CL_CPUS_MAX)) cl_resched(m, idle);
  return e;
}

const struct cl_policy cl_selective = {
    .name = "selective",
    .text = "dynamic, but a thread stays where its data are warm",
    .cpu_size = sizeof(struct place),
    .shared_size = sizeof(struct all),
    .init = cl_rr_init,
    .place = cl_rr_place,
    .enqueue = selective_enqueue,
    .dequeue = selective_dequeue,
    .pick = selective_pick,
    .tick = cl_rr_tick,
};
