/* SPDX-License-Identifier: Apache-2.0
 *
 * One queue for all CPUs, round-robin: the next free CPU takes the thread that has waited longest.
 *
 * Source: [SMP], dynamic migration: any CPU can resume any task, as its registers are in shared memory. Threads
 * placed on a CPU, which the paper does not have here, wait in a queue of that CPU, in the same order of arrival.
 * Cost: O(1). Bound: equal turns, not weighted. A thread waits for at most one slice of each queued thread, divided
 * by the number of CPUs. */
#include "cl_round_robin.h"

static void dynamic_enqueue(struct cl_machine *m, uint32_t cpu, struct cl_entity *e, enum cl_why why) {
  struct cl_rr *rr = m->shared;
  if (e->queued) {
    cl_rr_unqueue(m, e);
    cl_note_unqueued(m, e);
  }
  cl_rr_arrive(m, e, why, &rr->arrivals);
  cl_note_queued(m, cpu, e);
  cl_rr_queue(m, cpu, e);
  if (!cl_rr_leaves(why)) cl_rr_resched(m, cpu, e);
}

static void dynamic_dequeue(struct cl_machine *m, struct cl_entity *e) {
  if (e->queued) cl_rr_unqueue(m, e);
  cl_note_gone(m, e);
}

static struct cl_entity *dynamic_pick(struct cl_machine *m, uint32_t cpu) {
  const struct cl_rr *rr = m->shared;
  struct cl_entity *e = m->cpu[cpu].owner;
  if (e) e = e->queued ? e : NULL;
  else e = cl_rr_older(cl_rr_older(NULL, &cl_rr_of(m, cpu)->own), &rr->any);
  if (e) cl_rr_unqueue(m, e);
  cl_rr_picked(m, cpu, e);
  uint32_t idle = cl_rr_idle(m, cpu);
  if (rr->any.first && idle < CL_CPUS_MAX) cl_resched(m, idle); /* whom this one was preempted for was bound */
  return e;
}

const struct cl_policy cl_dynamic = {
    .name = "dynamic",
    .text = "round-robin in one queue for all CPUs",
    .cpu_size = sizeof(struct cl_rr_cpu),
    .shared_size = sizeof(struct cl_rr),
    .init = cl_rr_init,
    .place = cl_rr_place,
    .enqueue = dynamic_enqueue,
    .dequeue = dynamic_dequeue,
    .pick = dynamic_pick,
    .tick = cl_rr_tick,
};
