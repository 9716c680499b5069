/* SPDX-License-Identifier: Apache-2.0
 *
 * Round-robin on the CPU where a thread was placed; threads never migrate.
 *
 * Source: [SMP], static: each task has its CPU. That is `home`; a thread without one is assigned to the CPU with the
 * fewest threads assigned so far (the lowest number of equals) and stays there; it is assigned again only if that CPU
 * is reserved for another thread when it wakes.
 * Cost: O(1); O(CPUs) once per thread, to assign it.
 * Bound: equal turns, not weighted, on each CPU; none between CPUs, and a CPU may be idle while threads wait for
 * another. */
#include "cl_round_robin.h"

/* Also used of a thread: seen: it has been assigned. */

struct place {
  struct cl_list threads;
  uint32_t count; /* threads assigned to this CPU */
};

static struct place *place_of(const struct cl_machine *m, uint32_t cpu) { return m->cpu[cpu].state; }

static void static_init(struct cl_machine *m) { (void)m; }

static uint32_t static_place(const struct cl_machine *m, const struct cl_entity *e) {
  if (e->home != CL_ANY_CPU) return (uint32_t)e->home;
  if (e->seen && cl_allowed(m, (uint32_t)e->cpu, e)) return (uint32_t)e->cpu;
  uint32_t best = m->cpus;
  for (uint32_t cpu = 0; cpu < m->cpus; cpu++)
    if (cl_allowed(m, cpu, e) && (best == m->cpus || place_of(m, cpu)->count < place_of(m, best)->count)) best = cpu;
  return best < m->cpus ? best : 0;
}

static void static_enqueue(struct cl_machine *m, uint32_t cpu, struct cl_entity *e, enum cl_why why) {
  uint64_t *arrivals = m->shared;
  if (e->queued) {
    cl_list_remove(&place_of(m, (uint32_t)e->cpu)->threads, &e->node);
    cl_note_unqueued(m, e);
  }
  if (!e->seen || (uint32_t)e->cpu != cpu) {
    if (e->seen) place_of(m, (uint32_t)e->cpu)->count--;
    place_of(m, cpu)->count++;
    e->seen = 1;
  }
  cl_rr_arrive(m, e, why, arrivals);
  cl_note_queued(m, cpu, e);
  cl_rr_insert(&place_of(m, cpu)->threads, e);
  if (!cl_rr_leaves(why) && !m->cpu[cpu].current) cl_resched(m, cpu);
}

static void static_dequeue(struct cl_machine *m, struct cl_entity *e) {
  if (e->queued) cl_list_remove(&place_of(m, (uint32_t)e->cpu)->threads, &e->node);
  cl_note_gone(m, e);
}

static struct cl_entity *static_pick(struct cl_machine *m, uint32_t cpu) {
  struct place *place = place_of(m, cpu);
  struct cl_entity *owner = m->cpu[cpu].owner;
  struct cl_entity *e = place->threads.first ? cl_entity_of(place->threads.first) : NULL;
  if (owner) e = owner->queued && (uint32_t)owner->cpu == cpu ? owner : NULL;
  if (!e) return NULL;
  cl_list_remove(&place->threads, &e->node);
  cl_note_unqueued(m, e);
  cl_note_current(m, cpu, e);
  return e;
}

static struct cl_entity *static_waiting(const struct cl_machine *m, uint32_t cpu) {
  struct cl_node *first = place_of(m, cpu)->threads.first;
  return first ? cl_entity_of(first) : NULL;
}

const struct cl_policy cl_static = {
    .name = "static",
    .text = "round-robin on the CPU where the thread was placed",
    .cpu_size = sizeof(struct place),
    .shared_size = sizeof(uint64_t),
    .init = static_init,
    .place = static_place,
    .enqueue = static_enqueue,
    .dequeue = static_dequeue,
    .pick = static_pick,
    .tick = cl_rr_tick,
    .waiting = static_waiting,
};
