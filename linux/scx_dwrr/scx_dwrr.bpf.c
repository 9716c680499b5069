/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Distributed weighted round-robin as a sched_ext scheduler: in each round a thread runs its round slice, weight x B;
 * no CPU runs ahead of any thread of its cgroup by more than one round. Between cgroups: groups.bpf.h.
 *
 * Source: Li, Baumberger and Hahn, PPoPP 2009; with the rule of docs/decisions/0014-dwrr.md that makes the bound
 * hold. README.md: contract, bound, cost, differences from the policy in policies/dwrr.c.
 *
 * Each CPU has two trees of queued threads per cgroup, ordered by round: those that count for L (they may run on all
 * CPUs), and the bound ones. The paper's current and expired queues are the front and the rest of such a tree. State
 * shared by all CPUs changes under one lock, for some tens of instructions: when a thread becomes or stops being
 * runnable, and when it stops. The running thread's charge is kept with its CPU, where others may close its round. */
#include "charge.bpf.h"

#define FRESH_NS (tuning.slice_ns >> 5) /* minimum time between two wake-up preemptions on a CPU */
#define AWAITED_MAX 8
#define WAITS_MAX_S 15 /* in a cgroup that has too little for all of its threads; */
#define AWAITED_MAX_S 4 /* if RCU waits for it. The kernel ends a scheduler at 30 and 21 s. */
#define LOOKS_NS 1000000000ull

char LICENSE[] SEC("license") = "GPL";

struct dwrr_exit uei;
char uei_dump[DWRR_DUMP_SIZE] SEC(".data.dump");

/* --- to be done after the lock ------------------------------------------------------------------ */

/* More may run than before, or time is free or is no longer: have the CPUs look that this concerns. */
APART int tell(u64 clock_was, u64 clock, u32 changes_was) {
  u32 cpu;
  struct dwrr_totals *all = bpf_map_lookup_elem(&totals, &zero);
  if (all) *all = (struct dwrr_totals){READ(s.rounds), READ(s.threads), READ(s.weight), READ(s.known), READ(s.active)};
  if (READ(s.throttled) && !READ(s.refilling) && !__sync_lock_test_and_set(&s.refilling, 1)) {
    struct watch *watch = bpf_map_lookup_elem(&watches, &of_refills);
    STAT(throttled, 1);
    if (watch) bpf_timer_start(&watch->timer, tuning.tick_ns, 0);
  }
  if (clock_was & 1 && !(clock & 1)) {
    bpf_for(cpu, 0, tuning.cpus) {
      struct line *l = line_of(cpu);
      if (l->counts && cl_round_before(group_of(l->group)->lowest + 1, l->of.round))
        scx_bpf_kick_cpu(cpu, KICK(PREEMPT));
    }
  } else if (changes_was != READ(s.changes) && READ(s.held)) {
    bpf_for(cpu, 0, tuning.cpus) if (line_of(cpu)->held) scx_bpf_kick_cpu(cpu, 0);
  }
  return 0;
}

#define LOCKED(...)                            \
  ({                                           \
    bpf_spin_lock(&lock);                      \
    u64 clock_was_ = s.clock;                  \
    u32 changes_was_ = s.changes;              \
    __VA_ARGS__                                \
    u64 clock_is_ = s.clock;                   \
    bpf_spin_unlock(&lock);                    \
    tell(clock_was_, clock_is_, changes_was_); \
  })

/* The running thread is charged, and is in another round if its slice is used up. It goes on, or stops. */
APART int settle(u32 cpu, u64 exec, struct thread *t __arg_nonnull, bool stops) {
  struct line *l = line_of(cpu);
  struct dwrr_lane *a = lane_of(l->group, cpu);
  u64 now = scx_bpf_now(), forgiven;
  LOCKED(note_served(l, now); forgiven = charge(l, a, exec, now); if (stops) {
    l->runs = l->counts = l->rescued = false;
    t->of = l->of;
  });
  STAT(forgiven_ns, forgiven);
  return 0;
}

/* The thread is on the CPU, in the rounds that it belongs to now. */
APART int enter(struct thread *t __arg_nonnull, u32 cpu, u32 weight, bool bound, bool woken) {
  u64 now = scx_bpf_now();
  if (t->joined && t->bound == bound && (!bound || t->cpu == cpu)) {
    t->cpu = cpu;
    return 0;
  }
  struct dwrr_lane *a = lane_of(t->group, cpu);
  LOCKED(if (t->joined) leave(t);
         if (t->bound)
             t->of.round += a->bound_round - lane_of(t->group, t->cpu)->bound_round; /* another CPU has other rounds */
         t->cpu = cpu; join(t, a, weight, bound, woken); look_whether_free(now););
  return 0;
}

/* --- queues ------------------------------------------------------------------------------------- */

/* Threads are queued by round, those of one in the order in which they came to it, woke or yielded. */
static __always_inline u64 key_of(struct thread *t, const struct share *of, bool comes, u64 now) {
  if (comes || t->key >> 32 != of->round) t->key = (u64)of->round << 32 | (u32)(now >> 10);
  return t->key;
}

static __always_inline u64 above(u32 round) { return (u64)(round + 1) << 32; }

/* At least as long as a thread is there, and cheaper than the kernel's own count. */
static __always_inline bool may_hold(const struct dwrr_lane *a, u64 queue) {
  return queue & 1 ? READ(a->bound_threads) : READ(a->waiting);
}

/* Take the first thread of a cgroup's queue on CPU `from` whose key is below the limit. */
APART int take(u32 group, u32 from, bool bound, u64 limit, u32 cpu) {
  u64 queue = COUNTS(group, from) + bound;
  struct task_struct *p;
  if (!may_hold(lane_of(group, from), queue)) return false;
  bpf_for_each(scx_dsq, p, queue, 0) {
    if ((s64)(p->scx.dsq_vtime - limit) >= 0) return false;
    if (from != cpu && (p->migration_disabled || !bpf_cpumask_test_cpu(cpu, p->cpus_ptr))) continue;
    if (scx_bpf_dsq_move(&___it, p, LOCAL, 0)) return true;
  }
  return false;
}

/* Take a thread of the round that is not open yet, which has not run ahead in it. */
APART int borrow(u32 group, u32 cpu, u32 round) {
  u64 queue = COUNTS(group, cpu);
  struct task_struct *p;
  if (!may_hold(lane_of(group, cpu), queue)) return false;
  bpf_for_each(scx_dsq, p, queue, 0) {
    struct thread *t = thread_of(p);
    if ((s64)(p->scx.dsq_vtime - above(round)) >= 0) return false;
    if (t && t->borrowed != round && scx_bpf_dsq_move(&___it, p, LOCAL, 0)) return true;
  }
  return false;
}

/* The same from another CPU's: whether that is done. */
APART int take_elsewhere(u32 group, u32 cpu, u64 limit, bool bound) {
  u32 i;
  bpf_for(i, 1, tuning.cpus) {
    u32 other = cpu + i < tuning.cpus ? cpu + i : cpu + i - tuning.cpus;
    if (take(group, other, bound, limit, cpu)) return true;
  }
  return false;
}

/* Takes one from a queue that has waited long, in a cgroup whose share is too small for its threads. */
APART int rescue_from(u64 queue) {
  u64 now = bpf_jiffies64(), second = 1000000000ull / tuning.tick_ns;
  struct task_struct *p;
  bpf_for_each(scx_dsq, p, queue, 0) {
    u64 waits = now - p->scx.runnable_at;
    struct thread *t;
    if ((s64)waits < (s64)(AWAITED_MAX_S * second)) continue;
    if (waits < WAITS_MAX_S * second && !is_awaited(p)) continue;
    t = thread_of(p);
    if (!t || !scx_bpf_dsq_move(&___it, p, LOCAL, 0)) continue;
    t->rescued = true;
    STAT(rescued, 1);
    return true;
  }
  return false;
}

APART int rescue(u32 cpu) {
  struct line *l = line_of(cpu);
  u64 now = scx_bpf_now();
  u32 i, n = READ(s.active);
  if (now - l->looked < LOOKS_NS) return false;
  bpf_for(i, 0, n) {
    u32 group = READ(active[i & (DWRR_GROUPS_MAX - 1)]);
    const struct dwrr_lane *a = lane_of(group, cpu);
    if (READ(a->waiting) && rescue_from(COUNTS(group, cpu))) return true;
    if (READ(a->bound_threads) && rescue_from(BOUND(group, cpu))) return true;
  }
  l->looked = now; /* after one that was found, others are looked for at once */
  return false;
}

/* Counted before it is queued, and until it runs or sleeps: the kernel's own count costs a search. */
static __always_inline void set_queued(struct thread *t, bool queued) {
  if (t->queued == queued) return;
  __sync_fetch_and_add(&s.queued, queued ? 1 : -1);
  __sync_fetch_and_add(&group_of(t->group)->queued, queued ? 1 : -1);
  __sync_fetch_and_add(&lane_of(t->group, t->cpu)->waiting, queued ? 1 : -1);
  t->queued = queued;
}

/* Whether there is anybody for whom the running thread could make room. */
static __always_inline bool has_others(const struct line *l, u32 group, u32 cpu) {
  return READ(s.active) > 1 || READ(lane_of(group, cpu)->waiting) || READ(l->bound_threads) > !l->counts;
}

/* Close what can be closed; whether L, or what may be run, is another now. */
APART int close_rounds(u32 group, u32 lowest) {
  struct group *g = group_of(group);
  u64 now = scx_bpf_now(), closed = 0;
  bool done;
  LOCKED(if (g->lowest == lowest) {
    closed = s.closed_ever;
    close_infeasible(group, now);
    closed = s.closed_ever - closed;
  } done = g->lowest != lowest || closed;);
  if (closed) STAT(closed, closed);
  return done;
}

/* Somebody waits elsewhere: time is not free until nobody does. */
APART int charge_all(void) {
  u64 now = scx_bpf_now();
  LOCKED(s.crowded = true; look_whether_free(now););
  return 0;
}

/* A thread dispatched to a CPU just before a real-time thread took that CPU cannot be taken back, and L would stand
 * still. When CPUs have found no thread in the cgroup that may run, and no thread of round L has run for two ticks,
 * L advances without those in it. */
static int go_on(void *map, u32 *key, struct watch *watch) {
  u64 now = scx_bpf_now();
  u32 i, n = READ(s.active);
  bool again = false, skipped = false;
  LOCKED(
      bpf_for(i, 0, tuning.cpus) {
        const struct line *l = line_of(i);
        note_served(l, now);
      } bpf_for(i, 0, n) {
        struct group *g = group_of(active[i & (DWRR_GROUPS_MAX - 1)]);
        if ((s.clock & 1) || g->stood != g->lowest || g->threads == g->behind || g->throttled) continue;
        u64 looked = s.held ? now : g->stood_at;
        again = true;
        if (g->seen == g->lowest && (s64)(looked - g->served) > (s64)(2 * tuning.tick_ns)) {
          g->behind += g->count[g->lowest % RING];
          g->count[g->lowest % RING] = 0;
          raise_lowest(g);
          skipped = true;
        }
        g->seen = g->lowest;
      } s.watched = again;);
  if (skipped) STAT(skipped, 1);
  if (again) bpf_timer_start(&watch->timer, 2 * tuning.tick_ns, 0);
  return 0;
}

/* cpu.max: a cgroup that has used up a period's budget may run again in the next. */
static int refill_all(void *map, u32 *key, struct watch *watch) {
  u64 now = scx_bpf_now();
  u32 i;
  bool again;
  LOCKED(bpf_for(i, 1, DWRR_GROUPS_MAX) {
    struct group *g = group_of(i);
    if (g->throttled) refill(g, now);
  } again = s.throttled;
         s.refilling = again;);
  if (again) bpf_timer_start(&watch->timer, tuning.tick_ns, 0);
  return 0;
}

/* The CPU has found only threads of rounds that are not yet open. */
APART int stands(u32 group, u32 lowest) {
  struct watch *watch = bpf_map_lookup_elem(&watches, &of_stands);
  struct group *g = group_of(group);
  g->stood = lowest;
  g->stood_at = scx_bpf_now();
  if (READ(s.watched)) return 0;
  bpf_spin_lock(&lock);
  bool watched = s.watched;
  s.watched = true;
  bpf_spin_unlock(&lock);
  if (!watched && watch) bpf_timer_start(&watch->timer, 2 * tuning.tick_ns, 0);
  return 0;
}

/* The CPU waits until more may run or time is free: whether neither has happened already. */
APART int hold(u32 cpu, u32 changes) {
  struct line *l = line_of(cpu);
  u64 now = scx_bpf_now();
  bpf_spin_lock(&lock);
  bool same = s.changes == changes;
  if (same && !l->held) {
    l->held = true;
    s.held++;
  }
  bpf_spin_unlock(&lock);
  if (same && !l->held_since && !READ(s.throttled)) { /* cpu.max has it idle, not a round */
    STAT(held, 1);
    l->held_since = now;
  }
  return same;
}

/* --- the callbacks ------------------------------------------------------------------------------ */

/* A woken task goes first, except for the last eighth of its slice, which it runs in its turn. */
static __always_inline bool comes_first(const struct group *g, const struct dwrr_lane *a, const struct thread *t) {
  return tuning.sleepers_first && t->of.left > slice_of(g, a, t->of.weight, t->bound) / 8;
}

/* Does the CPU's thread let one go first that has woken? */
static __always_inline bool gives_way(const struct line *l, u32 cpu, u32 group, u64 now) {
  u32 own = READ(l->group);
  return READ(l->runs) && now >= READ(l->fresh_until) && (own == group || is_behind(cpu, group, own));
}

s32 OPS(select_cpu, struct task_struct *p, s32 prev, u64 flags) {
  bool idle = false;
  s32 cpu = scx_bpf_select_cpu_dfl(p, prev, flags, &idle);
  struct thread *t = thread_of(p);
  if (!t) return cpu;
  u32 own = bpf_get_smp_processor_id();
  t->chosen = idle;
  t->handed = !idle && flags & KERNEL(scx_wake_flags, SCX_WAKE_SYNC) && READ(line_of(own)->runs) &&
              bpf_cpumask_test_cpu(own, p->cpus_ptr);
  return t->handed ? (s32)own : cpu;
}

void OPS(enqueue, struct task_struct *p, u64 flags) {
  s32 cpu = scx_bpf_task_cpu(p);
  struct line *l = line_of(cpu);
  struct thread *t = thread_of(p);
  bool woken = flags & ENQ(WAKEUP);
  u32 own = bpf_get_smp_processor_id();
  if (!t) return;
  bool chosen = t->chosen, handed = t->handed && cpu == (s32)own;
  t->chosen = t->handed = false;
  if (woken && of_one_cpu(p)) {
    STAT(kernel, 1);
    scx_bpf_dsq_insert(p, LOCAL, tuning.tick_ns, flags | ENQ(PREEMPT));
    return;
  }
  if (line_of(own)->leaves) { /* past the rounds, without a kick */
    scx_bpf_dsq_insert(p, LOCAL, tuning.tick_ns, flags);
    return;
  }
  set_queued(t, false); /* it may have been moved to this CPU while it waited */
  enter(t, cpu, weight_of(p), is_bound(p), woken);
  u32 group = t->group;
  struct group *g = group_of(group);
  struct dwrr_lane *a = lane_of(group, cpu);
  bool throttled = is_throttled(group);
  u32 lowest = READ(g->lowest);
  bool open = !cl_round_before((t->bound ? a->bound_round : lowest + 1), t->of.round);
  t->fresh = woken && comes_first(g, a, t);
  u64 now = scx_bpf_now();
  if (chosen && (open || is_free()) && !throttled) {
    STAT(direct, 1);
    scx_bpf_dsq_insert(p, LOCAL, tuning.tick_ns, flags);
    return;
  }
  if (t->fresh && open && !handed && !throttled && gives_way(l, cpu, group, now)) {
    STAT(woken, 1);
    l->fresh_until = now + FRESH_NS; /* one at a time: this queue is the kernel's, and no other CPU looks there */
    scx_bpf_dsq_insert(p, LOCAL, tuning.tick_ns, flags | ENQ(PREEMPT));
    return;
  }
  u32 first = t->bound ? a->bound_round : lowest;
  /* Let a task that RCU waits for run on, at most AWAITED_MAX times in a row. */
  bool awaited = cl_round_before(first + 2, t->of.round) && t->awaited < AWAITED_MAX && is_awaited(p);
  t->awaited = awaited ? t->awaited + 1 : 0;
  if (awaited) STAT(awaited, 1);
  u64 key = (t->fresh && open) || awaited ? (u64)(first - 1) << 32 : key_of(t, &t->of, woken || t->last, now);
  t->last = false;
  if (t->bound) STAT(pinned, 1);
  set_queued(t, !t->bound);
  scx_bpf_dsq_insert_vtime(p, COUNTS(group, cpu) + t->bound, tuning.tick_ns, key, flags);
  if (handed) { /* it runs as soon as its waker sleeps, or at the next tick */
    set_slice(bpf_get_current_task_btf(), 1);
    return;
  }
  s32 idle = chosen ? cpu : flags & ENQ(LAST) || throttled ? -1 : scx_bpf_pick_idle_cpu(p->cpus_ptr, 0);
  if (idle >= 0) scx_bpf_kick_cpu(idle, KICK(IDLE));
}

enum found { NONE, TAKEN, KEPT, CHANGED };

/* Choose a cgroup's next task for the CPU. Its previous task runs on if none comes before it. */
APART int serve(u32 cpu, u32 group) {
  struct line *l = line_of(cpu);
  struct group *g = group_of(group);
  struct dwrr_lane *a = lane_of(group, cpu);
  bool goes_on = l->goes_on && l->own_group == group, bound = l->own_bound, waits;
  u64 own = l->own;
  u32 i;
  bpf_for(i, 0, RING + 2) {
    u32 lowest = READ(g->lowest);
    bool free = is_free();
    if (cl_round_before(a->round, lowest)) {
      a->round = lowest;
      a->bound_round++;
    }
    u64 limit = above(free ? lowest + RING : a->round), bound_limit = above(a->bound_round);
    u64 last = above(lowest + 1) - 1; /* of those that may run */
    if (l->own_yields && !bound && (s64)(own - last) < 0) own = last;
    bool keep = goes_on && (s64)(own - (bound ? bound_limit : limit)) < 0;
    if (keep && bound) bound_limit = own;
    if (keep && !bound) limit = own;
    if ((READ(a->bound_threads) &&
         (take(group, cpu, false, above(lowest - 1), cpu) || take(group, cpu, true, bound_limit, cpu))) ||
        ((!keep || !bound) && take(group, cpu, false, limit, cpu))) {
      STAT(picked, 1);
      return TAKEN;
    }
    if (keep && free && READ(s.queued)) {
      charge_all();
      continue;
    }
    if (keep) return KEPT;
    waits = READ(g->queued);
    if (waits && ((limit != above(lowest) && take_elsewhere(group, cpu, above(lowest), false)) ||
                  take_elsewhere(group, cpu, limit, false))) {
      STAT(balanced, 1);
      return TAKEN;
    }
    waits = waits || (goes_on && !bound);
    if (waits && !free && a->round == lowest) {
      a->round++;
      a->bound_round++;
      continue;
    }
    if (waits && !free && close_rounds(group, lowest)) continue;
    if ((READ(a->bound_threads) && scx_bpf_dsq_nr_queued(BOUND(group, cpu))) || (goes_on && bound)) {
      a->bound_round++;
      continue;
    }
    if (waits && !free) stands(group, lowest);
    return NONE;
  }
  return CHANGED;
}

/* The same before the CPU idles: threads that may run ahead to the next tick, and threads bound to other CPUs too. */
APART int serve_else(u32 cpu, u32 group, bool runs_ahead) {
  struct group *g = group_of(group);
  u32 lowest = READ(g->lowest);
  if (take_elsewhere(group, cpu, above(lane_of(group, cpu)->bound_round + (1u << 30)), true)) {
    STAT(balanced, 1);
    return TAKEN;
  }
  if (runs_ahead) return KEPT;
  return READ(g->queued) && borrow(group, cpu, lowest + 2) ? TAKEN : NONE;
}

/* Threads that arrived here while a move from elsewhere failed, which drops this CPU's lock, have not been seen. */
APART int serve_late(u32 cpu, u32 group) {
  const struct dwrr_lane *a = lane_of(group, cpu);
  u32 open = is_free() ? group_of(group)->lowest + RING : a->round;
  return take(group, cpu, false, above(open), cpu) || take(group, cpu, true, above(a->bound_round + (1u << 30)), cpu);
}

enum pass { USUAL, ELSE, LATE, PASSES };

/* Choose the next task: try the cgroups, the one furthest behind first. */
void OPS(dispatch, s32 cpu, struct task_struct *prev) {
  struct line *l = line_of(cpu);
  struct thread *t = NULL;
  u32 i, pass = USUAL, changes;
  l->goes_on = false;
  if (prev && prev->scx.flags & KERNEL(scx_ent_flags, SCX_TASK_QUEUED) && l->runs && (t = thread_of(prev))) {
    settle(cpu, prev->se.sum_exec_runtime, t, false);
    l->own_group = t->group;
    l->own_bound = t->bound;
    l->own_yields = t->last;
    l->own = key_of(t, &l->of, t->last, scx_bpf_now());
    l->goes_on = true;
  }
  changes = READ(s.changes);
  if (READ(s.known) > 1 && READ(s.queued) + READ(l->bound_threads) && rescue(cpu)) return;
  l->pass++;
  bpf_for(i, 0, PASSES * DWRR_GROUPS_MAX) {
    s32 group = next_group(cpu, l->pass), found;
    if (group < 0) {
      bool waits = READ(s.queued) || (l->goes_on && !l->own_bound);
      l->pass++;
      if (pass == LATE) return;
      if (pass++ == USUAL || !waits || hold(cpu, changes)) continue;
      pass = USUAL; /* more may run now */
      changes = READ(s.changes);
      continue;
    }
    u32 lowest = READ(group_of(group)->lowest);
    bool own = l->goes_on && t && (u32)group == l->own_group;
    bool ahead = own && !t->bound && l->of.round == lowest + 2 && t->borrowed != lowest + 2;
    found = pass == USUAL ? serve(cpu, group) : pass == ELSE ? serve_else(cpu, group, ahead) : serve_late(cpu, group);
    if (found == TAKEN) return;
    if (found == KEPT && prev && t) {
      if (pass == USUAL) {
        u64 time = cl_round_time(l->of.left);
        STAT(kept, 1);
        t->last = false;
        if (is_watched() && time > tuning.tick_ns) time = tuning.tick_ns;
        set_slice(prev, time);
      } else {
        STAT(borrowed, 1);
        t->borrowed = lowest + 2;
        set_slice(prev, 1);
      }
      return;
    }
    if (found == CHANGED) break;
  }
  if (l->goes_on && prev) set_slice(prev, tuning.tick_ns);
  else scx_bpf_kick_cpu(cpu, 0); /* others have changed too much meanwhile: once more */
}

void OPS(running, struct task_struct *p) {
  s32 cpu = scx_bpf_task_cpu(p);
  struct line *l = line_of(cpu);
  struct thread *t = thread_of(p);
  u64 now = scx_bpf_now();
  if (!t) return;
  set_queued(t, false);
  if (l->held) {
    bpf_spin_lock(&lock);
    l->held = false;
    s.held--;
    bpf_spin_unlock(&lock);
  }
  if (l->held_since) {
    STAT(held_ns, now - l->held_since);
    l->held_since = 0;
  }
  l->fresh_until = 0;
  if (of_one_cpu(p) && !t->joined) return;
  if (READ(s.crowded) && !READ(s.queued)) LOCKED(look_whether_free(now););
  enter(t, cpu, weight_of(p), is_bound(p), false);
  struct group *g = group_of(t->group);
  u64 time = cl_round_time(t->of.left);
  if (t->rescued) {
    time = 1;
  } else if (!t->bound && !is_free() && cl_round_before(READ(g->lowest) + 1, t->of.round)) {
    STAT(borrowed, 1);
    t->borrowed = t->of.round;
    time = 1; /* to the next tick */
  }
  if (t->fresh) {
    l->fresh_until = now + FRESH_NS;
    if (!is_free()) time /= 2; /* then in its turn */
  }
  if (READ(s.known) > 1 && time > tuning.slice_ns) time = tuning.slice_ns; /* another cgroup may wake */
  if (is_watched() && time > tuning.tick_ns) time = tuning.tick_ns;
  set_slice(p, time);
  if (l->group != t->group) l->turn_until = now + tuning.slice_ns;
  bpf_spin_lock(&lock);
  if (!t->bound) catch_up(g, &t->of);
  l->group = t->group;
  l->rescued = t->rescued;
  t->rescued = false;
  l->of = t->of;
  l->exec = p->se.sum_exec_runtime;
  l->clock = clock_at(s.clock, now);
  l->clock_was = s.clock;
  l->runs = true;
  l->counts = !t->bound;
  note_served(l, now);
  bpf_spin_unlock(&lock);
}

void OPS(stopping, struct task_struct *p, bool runnable) {
  s32 cpu = scx_bpf_task_cpu(p);
  struct line *l = line_of(cpu);
  struct thread *t = thread_of(p);
  if (!t) return;
  if (l->runs) settle(cpu, p->se.sum_exec_runtime, t, true);
  l->fresh_until = 0;
  /* Not back to the CPU's own queue, where others could not take it. */
  if (runnable) set_slice(p, 0);
}

void OPS(quiescent, struct task_struct *p, u64 flags) {
  struct thread *t = thread_of(p);
  u64 now = scx_bpf_now();
  if (!t || !t->joined) return;
  set_queued(t, false);
  t->last = false;
  LOCKED(leave(t); look_whether_free(now););
}

/* A thread may have been queued while the CPU did not yet look idle. */
void OPS(update_idle, s32 cpu, bool idle) {
  struct line *l = line_of(cpu);
  if (idle && READ(s.queued) && !l->held && !l->leaves) scx_bpf_kick_cpu(cpu, 0);
}

bool OPS(yield, struct task_struct *from, struct task_struct *to) {
  struct thread *t = thread_of(from);
  if (!to && t && has_others(line_of(t->cpu), t->group, t->cpu)) {
    t->last = true;
    set_slice(from, 0);
  }
  return false;
}

/* --- cgroups ---------------------------------------------------------------------------------------------------- */

SEC("struct_ops.s/cgroup_init")
s32 BPF_PROG(dwrr_cgroup_init, struct cgroup *cgroup, struct scx_cgroup_init_args *args) {
  struct cgroup *above = BPF_CORE_READ(cgroup, self.parent, cgroup);
  u64 id = BPF_CORE_READ(cgroup, kn, id), now = scx_bpf_now();
  s32 place = 0;
  if (above) {
    place = take_place(place_of(above), id);
    if (place < 0) return 0;
    if (!group_of(place)->queues && make_queues(place)) {
      give_place_back(place);
      return 0;
    }
    group_of(place)->queues = true;
    begin_rounds(place);
  }
  struct group *g = group_of(place);
  u64 period = args->bw_period_us, quota = args->bw_quota_us, burst = args->bw_burst_us;
  bool idle = bpf_core_field_exists(args->sched_idle) && args->sched_idle;
  g->weight_was = args->weight;
  LOCKED(g->shares = SHARES(idle ? 0 : g->weight_was); if (place) set_quota(g, period, quota, burst, now););
  u32 at = place;
  if (bpf_map_update_elem(&places, &id, &at, 0) && place) give_place_back(place);
  return 0;
}

void OPS(cgroup_exit, struct cgroup *cgroup) {
  s32 place = own_place(cgroup);
  u64 id = BPF_CORE_READ(cgroup, kn, id);
  if (place <= 0) return;
  bpf_map_delete_elem(&places, &id);
  give_place_back(place);
}

/* Its rounds there are new ones. */
void OPS(cgroup_move, struct task_struct *p, struct cgroup *from, struct cgroup *to) {
  struct thread *t = thread_of(p);
  u64 now = scx_bpf_now();
  if (!t) return;
  set_queued(t, false);
  LOCKED(if (t->joined) leave(t); t->born = t->bound = false; look_whether_free(now););
  t->group = place_of(to);
}

void OPS(cgroup_set_weight, struct cgroup *cgroup, u32 weight) {
  s32 place = own_place(cgroup);
  if (place <= 0) return;
  LOCKED(group_of(place)->weight_was = weight; group_of(place)->shares = SHARES(weight););
}

void OPS(cgroup_set_idle, struct cgroup *cgroup, bool idle) {
  s32 place = own_place(cgroup);
  if (place <= 0) return;
  LOCKED(group_of(place)->shares = SHARES(idle ? 0 : group_of(place)->weight_was););
}

void OPS(cgroup_set_bandwidth, struct cgroup *cgroup, u64 period_us, u64 quota_us, u64 burst_us) {
  s32 place = own_place(cgroup);
  u64 now = scx_bpf_now();
  if (place <= 0) return;
  LOCKED(set_quota(group_of(place), period_us, quota_us, burst_us, now););
}

/* --- CPUs come and go: the kernel moves what runs there, and asks dispatch no longer ----------------------------- */

/* To the kernel's global queue, from which the CPU that goes offline also takes what may run nowhere else. */
APART int vacate(u64 queue) {
  struct task_struct *p;
  bpf_for_each(scx_dsq, p, queue, 0) scx_bpf_dsq_move(&___it, p, KERNEL(scx_dsq_id_flags, SCX_DSQ_GLOBAL), 0);
  return 0;
}

void OPS(cpu_offline, s32 cpu) {
  struct line *l = line_of(cpu);
  u64 now = scx_bpf_now();
  u32 other;
  LOCKED(s.online--; if (l->held) {
    l->held = false;
    s.held--;
  } look_whether_free(now););
  l->held_since = 0;
  bpf_for(other, 0, DWRR_GROUPS_MAX) {
    if (!group_of(other)->queues) continue;
    vacate(COUNTS(other, cpu));
    vacate(BOUND(other, cpu));
  }
  bpf_for(other, 0, tuning.cpus) scx_bpf_kick_cpu(other, KICK(IDLE));
  l->leaves = true;
}

void OPS(cpu_online, s32 cpu) {
  u64 now = scx_bpf_now();
  line_of(cpu)->leaves = false;
  LOCKED(s.online++; look_whether_free(now););
}

SEC("struct_ops.s/init_task") s32 BPF_PROG(dwrr_init_task, struct task_struct *p, struct scx_init_task_args *args) {
  struct thread *t = bpf_task_storage_get(&threads, p, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
  if (!t) return -12; /* ENOMEM */
  if (READ(s.known) > 1 && bpf_core_field_exists(args->cgroup)) t->group = place_of(args->cgroup);
  return 0;
}

SEC("struct_ops.s/init") s32 BPF_PROG(dwrr_init) {
  const struct cpumask *online = scx_bpf_get_online_cpumask();
  s.online = bpf_cpumask_weight(online);
  scx_bpf_put_cpumask(online);
  s.clock = 1;
  s.known = 1;
  struct watch *looks = bpf_map_lookup_elem(&watches, &of_stands);
  struct watch *refills = bpf_map_lookup_elem(&watches, &of_refills);
  if (!looks || bpf_timer_init(&looks->timer, &watches, CLOCK_MONOTONIC)) return -22; /* EINVAL */
  if (!refills || bpf_timer_init(&refills->timer, &watches, CLOCK_MONOTONIC)) return -22;
  bpf_timer_set_callback(&looks->timer, go_on);
  bpf_timer_set_callback(&refills->timer, refill_all);
  begin_rounds(0);
  group_of(0)->shares = 1024;
  group_of(0)->used = group_of(0)->queues = true;
  return make_queues(0);
}

void OPS(exit, struct scx_exit_info *info) {
  bpf_probe_read_kernel_str(uei.reason, sizeof uei.reason, info->reason);
  bpf_probe_read_kernel_str(uei.message, sizeof uei.message, info->msg);
  bpf_probe_read_kernel_str(uei_dump, sizeof uei_dump, info->dump);
  uei.kind = info->kind;
}

SEC(".struct_ops.link")
struct sched_ext_ops dwrr = {
    .select_cpu = (void *)dwrr_select_cpu,
    .enqueue = (void *)dwrr_enqueue,
    .dispatch = (void *)dwrr_dispatch,
    .running = (void *)dwrr_running,
    .stopping = (void *)dwrr_stopping,
    .quiescent = (void *)dwrr_quiescent,
    .update_idle = (void *)dwrr_update_idle,
    .yield = (void *)dwrr_yield,
    .cpu_online = (void *)dwrr_cpu_online,
    .cpu_offline = (void *)dwrr_cpu_offline,
    .init_task = (void *)dwrr_init_task,
    .cgroup_init = (void *)dwrr_cgroup_init,
    .cgroup_exit = (void *)dwrr_cgroup_exit,
    .cgroup_move = (void *)dwrr_cgroup_move,
    .cgroup_set_weight = (void *)dwrr_cgroup_set_weight,
    .cgroup_set_bandwidth = (void *)dwrr_cgroup_set_bandwidth,
    .cgroup_set_idle = (void *)dwrr_cgroup_set_idle,
    .init = (void *)dwrr_init,
    .exit = (void *)dwrr_exit,
    .flags = SCX_OPS_KEEP_BUILTIN_IDLE | SCX_OPS_ENQ_LAST | SCX_OPS_ENQ_EXITING | SCX_OPS_ENQ_MIGRATION_DISABLED |
             SCX_OPS_ALLOW_QUEUED_WAKEUP,
    .timeout_ms = 30000,
    .name = "dwrr",
};
