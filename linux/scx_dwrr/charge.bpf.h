/* SPDX-License-Identifier: GPL-2.0-only
 *
 * CPU time: what a running thread has had is charged to its round and, with its cgroups, to their virtual times. */
#ifndef DWRR_CHARGE_H
#define DWRR_CHARGE_H

#include "groups.bpf.h"

/* The running thread has had that much CPU time; what of it is forgiven. */
static __always_inline u64 charge(struct line *l, struct dwrr_lane *a, u64 exec, u64 now) {
  struct group *g = group_of(l->group);
  u64 clock = clock_at(s.clock, now), ran = exec - l->exec, passed = clock - l->clock;
  if (l->clock_was == s.clock) passed = s.clock & 1 ? 0 : ran; /* exact, which the CPUs' clocks are not */
  if ((s64)passed < 0) passed = 0;
  if (passed > ran) passed = ran;
  if (s.known > 1) charge_groups(l, ran, passed, now);
  l->of.left -= cl_round_fine(passed);
  l->exec = exec;
  l->clock = clock;
  l->clock_was = s.clock;
  if (l->of.left > 0) return ran - passed;
  u32 i, round = l->of.round, furthest = (l->counts ? g->lowest : a->bound_round) + CL_ROUND_SPAN;
  s64 slice = slice_of(g, a, l->of.weight, !l->counts);
  u64 one = g->weight / s.online * g->slice + a->bound_weight * a->bound_slice, ahead = 0;
  bpf_for(i, 0, RING) {
    if (l->of.left > 0 || round == furthest || ahead > AHEAD_MAX) break;
    ahead += one;
    cl_round_use_up(&round, &l->of.left, slice);
  }
  if (l->counts) set_round(g, &l->of.round, round);
  else l->of.round = round;
  if (l->of.left <= 0) {
    passed -= cl_round_time(-l->of.left);
    l->of.left = slice;
  }
  return ran - passed;
}

/* A CPU would be held, so all threads of round L run. For those with an infeasible weight the round is over. In any
 * order: when one is left out, others may become infeasible, but none becomes feasible again. */
static __always_inline void close_infeasible(u32 group, u64 now) {
  struct group *g = group_of(group);
  u32 lowest = g->lowest, cpu;
  bpf_for(cpu, 0, tuning.cpus) {
    struct line *l = line_of(cpu);
    u32 without = s.taken + g->closed;
    if (g->lowest != lowest || s.online <= without) break;
    if (!l->counts || l->group != group || l->of.round != lowest) continue;
    if ((u64)l->of.weight * (s.online - without) <= g->weight - g->closed_weight) continue;
    l->of.closed = CLOSED | lowest;
    g->closed++;
    g->closed_weight += l->of.weight;
    l->of.left = cl_round_slice(l->of.weight, g->slice);
    l->clock_was = ~0ull;
    l->clock = clock_at(s.clock, now); /* what it has run until now was that round's */
    set_round(g, &l->of.round, lowest + 1);
    s.closed_ever++;
  }
}

#endif
