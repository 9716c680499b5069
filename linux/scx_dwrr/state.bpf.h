/* SPDX-License-Identifier: GPL-2.0-only
 *
 * State of threads, CPUs and cgroups, and how threads of one cgroup take part in its rounds: those that count for L,
 * their lowest round. Which cgroup a CPU serves is in groups.bpf.h. */
#ifndef DWRR_STATE_H
#define DWRR_STATE_H

#include "kernel.h"
#include "scx_dwrr.h"

#define CL_ROUND_SPAN 62u /* a tick may be many rounds of a light thread */
#include "cl_dwrr_round.h"

#define RING (CL_ROUND_SPAN + 2)
#define ROUND_MAX (1000000000ull << 10) /* for weight 1024 */
#define AHEAD_MAX (8 * ROUND_MAX)
#define CLOSED (1ull << 32)
#define MASK (DWRR_CPUS_MAX - 1)
#define KICK(name) KERNEL(scx_kick_flags, SCX_KICK_##name)
#define LOCAL KERNEL(scx_dsq_id_flags, SCX_DSQ_LOCAL)
#define ENQ(name) KERNEL(scx_enq_flags, SCX_ENQ_##name)
#define READ(x) (*(volatile typeof(x) *)&(x))

/* The verifier looks at such a function once, whoever calls it. It wants scalars and an int back. */
#define APART __attribute__((noinline))

const volatile struct dwrr_tuning tuning = {
    .slice_ns = DWRR_SLICE_US * 1000, .tick_ns = 4000000, .cpus = 4, .lanes = 1, .sleepers_first = 1};

struct share { /* what a thread has of the rounds */
  s64 left;    /* more than 0 */
  u64 closed;  /* CLOSED | the L in which its weight was found infeasible */
  u32 round;
  u32 weight;
};

struct thread {
  struct share of;
  u64 key;      /* by which it was queued in its round */
  u32 cpu;      /* where it is queued or runs */
  u32 group;    /* of groups[] */
  bool born;    /* it has been in a round */
  bool joined;  /* runnable, and in rounds: */
  bool bound;   /* those of its CPU */
  bool fresh;   /* it has woken, and comes first */
  bool last;    /* it has yielded */
  bool queued;  /* among those that count */
  bool handed;  /* its waker's CPU: that one is about to sleep */
  bool chosen;  /* its CPU was idle when it woke */
  bool rescued; /* it had waited for so long that it came before all others */
  u32 borrowed; /* the round that it has run ahead in */
  u32 awaited;  /* times in turn that it went on as RCU waited for it */
};

struct {
  __uint(type, BPF_MAP_TYPE_TASK_STORAGE);
  __uint(map_flags, BPF_F_NO_PREALLOC);
  __type(key, int);
  __type(value, struct thread);
} threads SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
  __uint(max_entries, 1);
  __type(key, u32);
  __type(value, struct dwrr_stats);
} stats SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, 1);
  __type(key, u32);
  __type(value, struct dwrr_totals);
} totals SEC(".maps");

struct watch {
  struct bpf_timer timer;
};
struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, 2);
  __type(key, u32);
  __type(value, struct watch);
} watches SEC(".maps");
static const u32 of_stands = 0, of_refills = 1; /* go_on and refill_all */

static struct line { /* a CPU */
  struct share of;   /* its running thread's */
  u64 exec;          /* its CPU time, */
  u64 clock;         /* and the clock, up to which it is charged */
  u64 clock_was;     /* s.clock then */
  u64 fresh_until;   /* of the kernel's clock */
  u64 held_since;
  u64 own;           /* the key of the thread that may go on, */
  u32 own_group;
  bool goes_on;      /* while there is one; */
  bool own_bound;
  bool own_yields;
  bool runs;         /* a thread that is in rounds; it counts: */
  bool counts;
  bool rescued;
  bool held;
  bool leaves;       /* goes offline: a kick from there might never be delivered, nor any later one */
  u32 group;         /* that it runs or ran last, */
  u64 turn_until;    /* and stays with until then if others are not far behind */
  u64 looked;        /* when it last looked for those that wait for long */
  u32 pass;          /* see next_group */
  u32 bound_threads; /* runnable, of all cgroups */
} lines[DWRR_CPUS_MAX];

static struct group { /* a cgroup; 0: the root. The rounds of its own threads: */
  u64 weight;         /* of those that count */
  u64 closed_weight;
  u64 slice;          /* B for those that count */
  u32 lowest;         /* L */
  u32 threads;        /* that count */
  u32 closed;         /* found infeasible in round L: as if they were not there, nor one CPU each */
  u32 queued;         /* threads that count and wait */
  u32 behind;         /* threads that L went on without, see go_on: of an earlier round, in no count */
  u32 seen;           /* L when go_on last looked */
  u32 stood;          /* L when a CPU last found only threads of rounds not yet open, */
  u64 stood_at;       /* and when that was */
  u64 served;         /* when a CPU last began or ended to run a thread of round L */
  u32 count[RING];    /* threads by round */
  u32 bound;          /* runnable threads of CPUs' own rounds */
  u64 all_weight;     /* of all runnable threads, those too */
  /* compared with its siblings, see groups.bpf.h: */
  u64 time;           /* virtual, of all in it */
  u64 own_time;       /* of its own threads next to the cgroups in it */
  u64 floor;          /* nobody in it is behind this */
  u32 shares;         /* cpu.weight: 1024 for 100 */
  u32 weight_was;     /* while cpu.idle is set */
  u64 id;
  u64 quota, period, burst; /* cpu.max; 0: none */
  s64 budget;         /* of the period that began */
  u64 period_began;
  bool throttled;     /* until then the budget is used up */
  bool used;
  bool gone;          /* removed; its place is free when its last thread has ended */
  bool queues;        /* the kernel has them */
  u32 at;             /* its place in active[] */
  u32 depth;          /* the root: 0 */
  u32 path[DWRR_DEPTH_MAX]; /* from below the root to itself */
} groups[DWRR_GROUPS_MAX];

static u32 active[DWRR_GROUPS_MAX]; /* cgroups with runnable threads, in any order */

struct dwrr_lane lanes[1] SEC(".data.lanes"); /* tuning.lanes of them: the loader has it made larger */

static struct { /* for all CPUs */
  u64 clock;    /* see clock_at */
  u64 closed_ever;
  u32 rounds;   /* that ended, in all cgroups */
  u32 changes;  /* in what may run, for CPUs that are held */
  u32 threads;  /* that count, */
  u64 weight;   /* and theirs, in all cgroups */
  u32 queued;   /* and wait */
  u32 taken;    /* CPUs with bound threads */
  u32 held;
  u32 online;
  u32 active;   /* cgroups in active[] */
  u32 known;    /* cgroups in groups[] */
  u32 quotas;   /* cgroups with cpu.max */
  u32 throttled;
  u32 refilling; /* refill_all will look */
  bool watched; /* go_on will look */
  bool crowded; /* somebody waits although there is a CPU for each: a real-time thread has one */
} s;
struct bpf_spin_lock lock SEC(".data.lock") __attribute__((visibility("hidden"), aligned(8)));

#define STAT(name, n)                                            \
  ({                                                             \
    struct dwrr_stats *at_ = bpf_map_lookup_elem(&stats, &zero); \
    if (at_) at_->name += (n);                                   \
  })
static const u32 zero;

static const u32 weight_of_nice[40] = {88761, 71755, 56483, 46273, 36291, 29154, 23254, 18705, 14949, 11916,
                                       9548,  7620,  6100,  4904,  3906,  3121,  2501,  1991,  1586,  1277,
                                       1024,  820,   655,   526,   423,   335,   272,   215,   172,   137,
                                       110,   87,    70,    56,    45,    36,    29,    23,    18,    15};

static __always_inline u32 weight_of(const struct task_struct *p) {
  u32 nice = (u32)p->static_prio - 100;
  return p->policy == SCHED_IDLE ? 3 : weight_of_nice[nice < 40 ? nice : 20];
}

/* For an index: the compiler must not take the mask behind it away, a bound that the verifier needs. */
static __always_inline u64 unknown(u64 i) {
  asm volatile("" : "+r"(i));
  return i;
}

static __always_inline struct line *line_of(s32 cpu) { return &lines[unknown((u32)cpu) & MASK]; }
static __always_inline struct group *group_of(u32 group) { return &groups[unknown(group) & (DWRR_GROUPS_MAX - 1)]; }

static __always_inline struct dwrr_lane *lane_of(u32 group, u32 cpu) {
  char *first = (char *)lanes;
  u64 i = (u64)(group & (DWRR_GROUPS_MAX - 1)) * tuning.cpus + cpu;
  asm volatile("" : "+r"(first)); /* the compiler sees one lane only, */
  if (i >= tuning.lanes) i = 0;
  asm volatile("" : "+r"(i)); /* and takes no bound away that the verifier needs */
  if (i >= tuning.lanes) return &lanes[0];
  return (struct dwrr_lane *)(first + i * sizeof(struct dwrr_lane));
}

/* The queues of a cgroup on a CPU. */
static __always_inline u64 COUNTS(u32 group, u32 cpu) { return ((u64)group * tuning.cpus + cpu) * 2; }
static __always_inline u64 BOUND(u32 group, u32 cpu) { return COUNTS(group, cpu) + 1; }

static __always_inline struct thread *thread_of(struct task_struct *p) {
  return bpf_task_storage_get(&threads, p, NULL, 0);
}
static __always_inline bool of_one_cpu(const struct task_struct *p) {
  return p->flags & PF_KTHREAD && p->nr_cpus_allowed == 1;
}

/* It was preempted in an RCU read-side critical section, so the whole kernel waits for it. (The nesting depth says
 * nothing: this program runs in one.) */
static __always_inline bool is_awaited(const struct task_struct *p) {
  return bpf_core_field_exists(p->rcu_blocked_node) && p->rcu_blocked_node;
}

static __always_inline bool is_bound(const struct task_struct *p) { return (u32)p->nr_cpus_allowed < s.online; }

static __always_inline void set_slice(struct task_struct *p, u64 slice) {
  if (bpf_ksym_exists(scx_bpf_task_set_slice)) scx_bpf_task_set_slice(p, slice);
  else p->scx.slice = slice;
}

/* --- the clock by which threads are charged: it stands while time is free ----------------------- */

/* One word, so that it can be read without the lock: where it stands, and 1; or by what it is behind. */
static __always_inline u64 clock_at(u64 clock, u64 now) { return clock & 1 ? clock >> 1 : now - (clock >> 1); }
static __always_inline bool is_free(void) { return READ(s.clock) & 1; }

/* A CPU for each thread: time is free. */
static __always_inline void look_whether_free(u64 now) {
  if (!s.queued) s.crowded = false;
  bool free = s.threads <= s.online && s.taken == 0 && !s.crowded;
  if (free == (s.clock & 1)) return;
  s.changes++;
  u64 clock = clock_at(s.clock, now);
  s.clock = free ? clock << 1 | 1 : (now - clock) << 1;
}

/* --- B ------------------------------------------------------------------------------------------ */

/* No thread should wait long, however many there are: B is halved while a round takes more than a second. */
static __always_inline void fit(u64 *slice, u64 weight_of_cpu) {
  u64 round = weight_of_cpu * *slice;
  if (round > ROUND_MAX && *slice > 1) *slice >>= 1;
  else if (round < ROUND_MAX / 4 && *slice < tuning.slice_ns) *slice <<= 1;
}

static __always_inline s64 slice_of(const struct group *g, const struct dwrr_lane *a, u32 weight, bool bound) {
  return cl_round_slice(weight, bound ? a->bound_slice : g->slice);
}

/* --- L: all under the lock ---------------------------------------------------------------------- */

static __always_inline void raise_lowest(struct group *g) {
  u32 i;
  if (g->threads == g->behind) return;
  bpf_for(i, 0, RING) {
    if (g->count[g->lowest % RING]) break;
    g->lowest++;
    g->closed = 0;
    g->closed_weight = 0;
    s.rounds++;
    s.changes++;
  }
}

static __always_inline void set_round(struct group *g, u32 *round, u32 to) {
  g->count[*round % RING]--;
  g->count[to % RING]++;
  *round = to;
  raise_lowest(g);
}

/* Without it L went on: it is in the round that is L now. */
static __always_inline void catch_up(struct group *g, struct share *of) {
  if (!cl_round_before(of->round, g->lowest)) return;
  of->round = g->lowest;
  g->behind--;
  g->count[g->lowest % RING]++;
}

/* The first runnable thread of a cgroup has come, or the last has gone. */
static __always_inline void set_active(u32 group, bool on) {
  struct group *g = group_of(group);
  if (on) {
    u32 k, in = 0;
    g->at = s.active++;
    active[g->at & (DWRR_GROUPS_MAX - 1)] = group;
    bpf_for(k, 0, DWRR_DEPTH_MAX) { /* what nobody used while it slept is gone */
      if (k >= g->depth) break;
      struct group *n = group_of(g->path[k]);
      if ((s64)(group_of(in)->floor - n->time) > 0) n->time = group_of(in)->floor;
      in = g->path[k];
    }
    if ((s64)(g->floor - g->own_time) > 0) g->own_time = g->floor;
    return;
  }
  u32 other = active[--s.active & (DWRR_GROUPS_MAX - 1)];
  active[g->at & (DWRR_GROUPS_MAX - 1)] = other;
  group_of(other)->at = g->at;
  s.changes++;
  if (g->gone) g->used = g->gone = false;
}

static __always_inline void join(struct thread *t, struct dwrr_lane *a, u32 weight, bool bound, bool woken) {
  struct group *g = group_of(t->group);
  u32 lowest = bound ? a->bound_round : g->lowest, open = lowest;
  s64 slice = slice_of(g, a, weight, bound);
  t->of.weight = weight;
  if (!t->born) t->of.round = lowest - 1; /* as if it had slept for long */
  if (t->bound != bound) t->of.round = lowest;
  /* Round L admits no thread: with many sleepers it would not end, and next to one that has already run for L and L +
   * 1 a newcomer would fall two rounds behind. */
  if (!bound && (woken || !t->born)) open++;
  cl_round_wake(&t->of.round, &t->of.left, slice, open, bound || cl_round_before(a->round, open) ? open : a->round);
  if (t->of.left > slice) t->of.left = slice; /* its weight was another */
  t->born = true;
  t->joined = true;
  t->bound = bound;
  t->of.closed = 0;
  g->all_weight += weight;
  if (!g->threads && !g->bound) set_active(t->group, true);
  if (bound) {
    if (!line_of(t->cpu)->bound_threads++) s.taken++;
    g->bound++;
    a->bound_threads++;
    a->bound_weight += weight;
    fit(&a->bound_slice, a->bound_weight);
    return;
  }
  s.threads++;
  s.weight += weight;
  g->threads++;
  g->weight += weight;
  fit(&g->slice, g->weight / s.online);
  g->count[t->of.round % RING]++;
  raise_lowest(g);
}

static __always_inline void leave(struct thread *t) {
  struct group *g = group_of(t->group);
  t->joined = false;
  g->all_weight -= t->of.weight;
  if (t->bound) {
    struct dwrr_lane *a = lane_of(t->group, t->cpu);
    if (!--line_of(t->cpu)->bound_threads) s.taken--;
    g->bound--;
    a->bound_threads--;
    a->bound_weight -= t->of.weight;
    fit(&a->bound_slice, a->bound_weight);
  } else {
    catch_up(g, &t->of);
    s.threads--;
    s.weight -= t->of.weight;
    g->threads--;
    g->weight -= t->of.weight;
    fit(&g->slice, g->weight / s.online);
    if (t->of.closed == (CLOSED | g->lowest)) {
      g->closed--;
      g->closed_weight -= t->of.weight;
    }
    g->count[t->of.round % RING]--;
    raise_lowest(g);
  }
  if (!g->threads && !g->bound) set_active(t->group, false);
}

static __always_inline void note_served(const struct line *l, u64 now) {
  struct group *g = group_of(l->group);
  if (l->counts && l->of.round == g->lowest) g->served = now;
}

#endif
