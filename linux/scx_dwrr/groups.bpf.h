/* SPDX-License-Identifier: GPL-2.0-only
 *
 * cgroups: which cgroup's threads a CPU runs next (cpu.weight), and which have used up their period's budget (cpu.max).
 *
 * Each cgroup has a virtual time, compared with its siblings': the CPU time of all threads in it, per unit of weight.
 * The threads directly in a cgroup that has child cgroups are one more sibling, with the sum of their weights, as the
 * kernel counts the root's. A CPU serves the cgroup furthest behind at the level at which their paths from the root
 * part. A cgroup that cannot use its share, as all its threads run, falls behind no further than the floor: so it still
 * comes first, but cannot take CPUs for long when it has more threads later. */
#ifndef DWRR_GROUPS_H
#define DWRR_GROUPS_H

#include "state.bpf.h"

#define TIME_BITS 20
#define SHARES(weight) ((weight) < 1 ? 10u : (weight) * 1024u / 100u) /* of cpu.weight */
#define NO_QUOTA (1ull << 50)                                         /* us; the kernel's own is the largest number */

/* --- under the lock ----------------------------------------------------------------------------- */

static __always_inline u64 virtual(u64 time, u64 weight) { return (time << TIME_BITS) / (weight | !weight); }

/* Charges CPU time to one of several siblings; `in` is the cgroup that they are in. */
static __always_inline void advance(u64 *time, struct group *in, u64 weight, u64 passed, bool rescued) {
  u64 least = *time, margin = virtual(tuning.slice_ns + 2 * s.online * tuning.tick_ns, weight);
  if ((s64)(in->floor - least) > 0) least = in->floor;
  if (!rescued && (s64)(least - margin - in->floor) > 0) in->floor = least - margin;
  *time = least + virtual(passed, weight);
}

static __always_inline void refill(struct group *n, u64 now) {
  u64 since = now - n->period_began, periods = since / (n->period | !n->period);
  s64 most = n->quota + n->burst;
  if ((s64)since < 0 || !periods) return;
  n->period_began += periods * n->period;
  n->budget += (periods < 1024 ? periods : 1024) * n->quota;
  if (n->budget > most) n->budget = most;
  if (n->throttled && n->budget > 0) {
    n->throttled = false;
    s.throttled--;
    s.changes++;
  }
}

static __always_inline void charge_groups(const struct line *l, u64 ran, u64 passed, u64 now) {
  struct group *g = group_of(l->group);
  u32 k, in = 0;
  bpf_for(k, 0, DWRR_DEPTH_MAX) {
    if (k >= g->depth) break;
    struct group *n = group_of(g->path[k]);
    if (passed) advance(&n->time, group_of(in), n->shares, passed, l->rescued);
    in = g->path[k];
    if (!n->quota) continue;
    refill(n, now);
    n->budget -= ran;
    if (n->budget > 0 || n->throttled) continue;
    n->throttled = true;
    s.throttled++;
  }
  if (passed) advance(&g->own_time, g, g->all_weight, passed, l->rescued);
}

static __always_inline void set_quota(struct group *n, u64 period_us, u64 quota_us, u64 burst_us, u64 now) {
  bool limited = quota_us < NO_QUOTA && period_us;
  if (n->quota) s.quotas--;
  if (limited) s.quotas++;
  if (n->throttled) s.throttled--;
  n->throttled = false;
  s.changes++;
  n->quota = limited ? quota_us * 1000 : 0;
  n->period = limited ? period_us * 1000 : 0;
  n->burst = limited && burst_us < NO_QUOTA ? burst_us * 1000 : 0;
  n->budget = n->quota;
  n->period_began = now;
}

/* --- without it --------------------------------------------------------------------------------- */

static __always_inline bool is_throttled(u32 group) {
  const struct group *g = group_of(group);
  u32 k;
  if (!READ(s.throttled)) return false;
  bpf_for(k, 0, DWRR_DEPTH_MAX) {
    if (k >= g->depth) return false;
    if (READ(group_of(g->path[k])->throttled)) return true;
  }
  return false;
}

/* Its threads stop at each tick: there may be others, or a limit. */
static __always_inline bool is_watched(void) { return READ(s.active) > 1 || READ(s.quotas); }

/* Is cgroup a further behind than b? For the CPU the distance does not matter while it stays with one. */
APART int is_behind(u32 cpu, u32 a, u32 b) {
  const struct line *l = line_of(cpu);
  struct group *of_a = group_of(a), *of_b = group_of(b);
  bool stays = l->goes_on && scx_bpf_now() < l->turn_until;
  u32 k;
  bpf_for(k, 0, DWRR_DEPTH_MAX + 1) {
    bool leaf_a = k >= of_a->depth, leaf_b = k >= of_b->depth;
    if (leaf_a && leaf_b) return false;
    u32 next_a = leaf_a ? a : of_a->path[k & 15], next_b = leaf_b ? b : of_b->path[k & 15];
    if (!leaf_a && !leaf_b && next_a == next_b) continue;
    struct group *n_a = group_of(next_a), *n_b = group_of(next_b);
    s64 ahead = READ(*(leaf_a ? &n_a->own_time : &n_a->time)) - READ(*(leaf_b ? &n_b->own_time : &n_b->time));
    if (stays && a == l->own_group) ahead -= virtual(tuning.slice_ns, leaf_a ? n_a->all_weight : n_a->shares);
    if (stays && b == l->own_group) ahead += virtual(tuning.slice_ns, leaf_b ? n_b->all_weight : n_b->shares);
    return ahead < 0;
  }
  return false;
}

/* The cgroup that the CPU serves next, of those that it has not tried in this pass; -1: there is none. */
APART int next_group(u32 cpu, u32 pass) {
  const struct line *l = line_of(cpu);
  s32 best = -1;
  u32 i, n = READ(s.active);
  bpf_for(i, 0, n) {
    u32 group = READ(active[i & (DWRR_GROUPS_MAX - 1)]);
    const struct group *g = group_of(group);
    if (lane_of(group, cpu)->pass == pass) continue;
    if (!READ(g->queued) && !READ(g->bound) && !(l->goes_on && l->own_group == group)) continue;
    if (is_throttled(group)) continue;
    if (best < 0 || is_behind(cpu, group, best)) best = group;
  }
  if (best >= 0) lane_of(best, cpu)->pass = pass;
  return best;
}

/* --- which cgroups there are -------------------------------------------------------------------- */

struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, DWRR_GROUPS_MAX);
  __type(key, u64);
  __type(value, u32);
} places SEC(".maps"); /* in groups[], by the cgroup's id */

/* A cgroup without a place is part of the one that it is in. */
static __always_inline u32 place_of(struct cgroup *cgroup) {
  u32 i;
  bpf_for(i, 0, 64) {
    if (!cgroup) break;
    u64 id = BPF_CORE_READ(cgroup, kn, id);
    u32 *place = bpf_map_lookup_elem(&places, &id);
    if (place) return *place & (DWRR_GROUPS_MAX - 1);
    cgroup = BPF_CORE_READ(cgroup, self.parent, cgroup);
  }
  return 0;
}

/* The place that a cgroup has of its own; -1: none. */
static __always_inline s32 own_place(struct cgroup *cgroup) {
  u64 id = BPF_CORE_READ(cgroup, kn, id);
  u32 *place = bpf_map_lookup_elem(&places, &id);
  return place ? (s32)(*place & (DWRR_GROUPS_MAX - 1)) : -1;
}

static __always_inline s32 make_queues(u32 group) {
  u32 i;
  s32 error = 0;
  bpf_for(i, 0, 2 * tuning.cpus) {
    error = scx_bpf_create_dsq(COUNTS(group, 0) + i, -1);
    if (error) break;
  }
  return error;
}

static __always_inline void begin_rounds(u32 group) {
  struct group *g = group_of(group);
  u32 cpu;
  g->slice = tuning.slice_ns;
  bpf_for(cpu, 0, tuning.cpus) {
    struct dwrr_lane *a = lane_of(group, cpu);
    a->bound_slice = tuning.slice_ns;
    a->round = g->lowest;
  }
}

/* A place for a cgroup, which is `depth` below the root; -1: there is none. */
static __always_inline s32 take_place(u32 parent, u64 id) {
  struct group *in = group_of(parent);
  s32 found = -1;
  u32 i;
  bpf_spin_lock(&lock);
  if (in->depth < DWRR_DEPTH_MAX) {
    bpf_for(i, 1, DWRR_GROUPS_MAX) {
      struct group *g = group_of(i);
      if (g->used) continue;
      g->used = true;
      found = i;
      break;
    }
  }
  if (found > 0) {
    struct group *g = group_of(found);
    u32 k;
    g->id = id;
    g->time = in->floor;
    g->own_time = g->floor = 0;
    g->shares = 1024;
    g->weight_was = 0;
    g->quota = g->period = g->burst = 0;
    g->budget = 0;
    g->depth = in->depth + 1;
    bpf_for(k, 0, DWRR_DEPTH_MAX) g->path[k] = k < in->depth ? in->path[k] : (u32)found;
    s.known++;
  }
  bpf_spin_unlock(&lock);
  return found;
}

static __always_inline void give_place_back(u32 group) {
  struct group *g = group_of(group);
  bpf_spin_lock(&lock);
  if (g->quota) s.quotas--;
  if (g->throttled) s.throttled--;
  g->quota = 0;
  g->throttled = false;
  s.known--;
  g->gone = g->threads || g->bound; /* threads that end may still run */
  g->used = g->gone;
  bpf_spin_unlock(&lock);
}

#endif
