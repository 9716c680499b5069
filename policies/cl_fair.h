/* SPDX-License-Identifier: Apache-2.0
 *
 * Common to cfs and eevdf: virtual time without a division, and [DWRR]'s rule for balancing weights.
 *
 * Virtual time is time x 2^20 / weight, in whole units. As in Linux (its table of weights and of their inverses, weight
 * 1024 = nice 0) the division is a multiplication by 2^32 / weight, which is worked out once for a thread by a division
 * of 32 bits and kept in it (round; seen = the weight it belongs to). It is rounded up: by 2^-23 of the time at weight
 * 512, by 2^-22 x weight / 1024 in general, nothing for powers of two.
 *
 * Virtual times wrap: a thread may sleep while its CPU's goes on by 2^63, which takes 104 days in ns at nice 0 (and 2.4
 * hours if nobody above weight 1 ran).
 *
 * A policy's state of a CPU begins with its tree; its shared memory with struct cl_queues. */
#ifndef CL_FAIR_H
#define CL_FAIR_H

#include "cl_queues.h"

/* 2^32 / x, rounded up. */
static inline uint32_t cl_inverse(uint32_t x) { return x > 1 ? UINT32_MAX / x + 1 : UINT32_MAX; }

/* value x factor >> shift, for shifts up to 32. */
static inline uint64_t cl_scale(uint64_t value, uint32_t factor, uint32_t shift) {
  return ((value >> 32) * factor << (32 - shift)) + ((uint64_t)(uint32_t)value * factor >> shift);
}

/* A time as virtual time of this thread. */
static inline uint64_t cl_virtual(struct cl_entity *e, cl_time time) {
  if (e->seen != e->weight) {
    e->round = cl_inverse(e->weight);
    e->seen = e->weight;
  }
  return cl_scale(time, e->round, 12);
}

/* Has it never been queued? */
static inline bool cl_is_new(const struct cl_entity *e) { return !e->seen; }

/* The weight's part of a period, exact to 2^-15. */
static inline cl_time cl_part(cl_time period, uint32_t weight, uint64_t of) {
  uint32_t shift = 0;
  for (; of >> 16; of >>= 1) shift++;
  uint64_t part = (uint64_t)weight * cl_inverse((uint32_t)of) >> shift;
  return part > UINT32_MAX ? period : cl_scale(period, (uint32_t)part, 32);
}

/* --- moving ------------------------------------------------------------------------------------ */

typedef void (*cl_fair_move)(struct cl_machine *m, struct cl_entity *e, uint32_t to);

/* The first of a queue that another CPU may run, NULL: none of its first 32 (as Linux's sched_nr_migrate). */
static inline struct cl_entity *cl_fair_movable(const struct cl_machine *m, uint32_t from, uint32_t to) {
  const struct cl_tree *tree = m->cpu[from].state;
  struct cl_node *node = tree->first;
  for (int looks = 0; node && looks < 32; looks++, node = cl_tree_next(node))
    if (cl_allowed(m, to, cl_entity_of(node))) return cl_entity_of(node);
  return NULL;
}

/* A CPU without a thread takes one: the first movable one of the busiest CPU. Cost: O(CPUs where threads wait). */
static inline bool cl_fair_pull(struct cl_machine *m, uint32_t cpu, cl_fair_move move) {
  const struct cl_queues *queues = m->shared;
  struct cl_entity *best = NULL;
  uint64_t load = 0;
  uint32_t from = cl_set_from(&queues->waiting, 0);
  for (; from < m->cpus; from = cl_set_from(&queues->waiting, from + 1)) {
    if (from == cpu || m->cpu[from].load <= load || !cl_queues_spare(m, from)) continue;
    struct cl_entity *e = cl_fair_movable(m, from, cpu);
    if (!e) continue;
    best = e;
    load = m->cpu[from].load;
  }
  if (!best) return false;
  move(m, best, cpu);
  return true;
}

/* [DWRR]'s rule: how much weight this CPU should get from the busiest one: min(min(load of the busiest, average),
 * average - own load). All times the number of CPUs, so that the average is exact and needs no division. */
static inline uint64_t cl_fair_imbalance(const struct cl_machine *m, uint32_t cpu, uint32_t *busiest) {
  uint64_t sum = 0;
  *busiest = cpu;
  for (uint32_t other = 0; other < m->cpus; other++) {
    if (m->cpu[other].owner) continue;
    sum += m->cpu[other].load;
    if (m->cpu[other].load > m->cpu[*busiest].load) *busiest = other;
  }
  uint64_t own = m->cpu[cpu].load * m->open, most = m->cpu[*busiest].load * m->open;
  if (*busiest == cpu || sum <= own) return 0;
  uint64_t amount = most < sum ? most : sum;
  return sum - own < amount ? sum - own : amount;
}

/* Moves by that rule; a thread moves if half its weight is not above what is left to move, so nothing does if that is
 * below half the lightest one's. Cost: O(CPUs + threads of the busiest). */
static inline uint32_t cl_fair_balance(struct cl_machine *m, uint32_t cpu, cl_fair_move move) {
  if (m->cpu[cpu].owner) return 0;
  uint32_t busiest;
  uint64_t amount = cl_fair_imbalance(m, cpu, &busiest);
  if (!amount) return 0;
  const struct cl_tree *tree = m->cpu[busiest].state;
  uint32_t moved = 0;
  for (struct cl_node *node = tree->first, *next; node && amount; node = next) {
    struct cl_entity *e = cl_entity_of(node);
    uint64_t weight = (uint64_t)e->weight * m->open;
    next = cl_tree_next(node);
    if (!cl_allowed(m, cpu, e) || weight > 2 * amount) continue;
    move(m, e, cpu);
    moved++;
    amount -= weight < amount ? weight : amount;
  }
  if (moved) cl_resched(m, cpu);
  return moved;
}

#endif
