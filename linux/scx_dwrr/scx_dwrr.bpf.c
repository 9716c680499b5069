/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Distributed weighted round-robin as a sched_ext scheduler: in each round a thread runs its round slice, weight x B;
 * no CPU runs ahead of any thread by more than one round.
 *
 * Source: [DWRR]: Li, Baumberger, Hahn, PPoPP 2009; with the rule that makes the bound hold of
 * docs/decisions/0014-dwrr.md. README.md: contract, bound, cost, what differs from the policy in policies/dwrr.c.
 *
 * Each CPU has two trees of queued threads, ordered by round: those that count for L (they may run on all CPUs), and
 * the bound ones. Current and expired queue of the paper are the front and the rest of such a tree.
 * State that all CPUs share changes under one lock, for some tens of instructions: when a thread becomes runnable or
 * ceases to be, and when it stops. What the running thread is charged lies with its CPU, where others may close its
 * round. */
#include "kernel.h"
#include "scx_dwrr.h"

#define CL_ROUND_SPAN 62u /* a tick may be many rounds of a light thread */
#include "cl_dwrr_round.h"

#define RING (CL_ROUND_SPAN + 2)
#define ROUND_MAX (1000000000ull << 10) /* for weight 1024 */
#define AHEAD_MAX (8 * ROUND_MAX)
#define FRESH_NS (tuning.slice_ns >> 5) /* for how long no other comes first where one has */
#define AWAITED_MAX 8
#define CLOSED (1ull << 32)
#define MASK (DWRR_CPUS_MAX - 1)
#define COUNTS(cpu) ((u64)(cpu) * 2) /* the queues of a CPU */
#define BOUND(cpu) ((u64)(cpu) * 2 + 1)
#define KICK(name) KERNEL(scx_kick_flags, SCX_KICK_##name)
#define LOCAL KERNEL(scx_dsq_id_flags, SCX_DSQ_LOCAL)
#define ENQ(name) KERNEL(scx_enq_flags, SCX_ENQ_##name)
#define READ(x) (*(volatile typeof(x) *)&(x))

/* The verifier looks at such a function once, whoever calls it. It wants scalars and an int back. */
#define APART __attribute__((noinline))

char LICENSE[] SEC("license") = "GPL";

const volatile struct dwrr_tuning tuning = {
    .slice_ns = DWRR_SLICE_US * 1000, .tick_ns = 4000000, .cpus = 4, .sleepers_first = 1};

struct share { /* what a thread has of the rounds */
  s64 left;    /* more than 0 */
  u64 closed;  /* CLOSED | the L in which its weight was found infeasible */
  u32 round;
  u32 weight;
};

struct thread {
  struct share of;
  u64 key;     /* by which it was queued in its round */
  u32 cpu;     /* where it is queued or runs */
  bool born;   /* it has been in a round */
  bool joined; /* runnable, and in rounds: */
  bool bound;  /* those of its CPU */
  bool fresh;  /* it has woken, and comes first */
  bool last;   /* it has yielded */
  bool queued; /* among those that count */
  bool handed; /* its waker's CPU: that one is about to sleep */
  bool chosen; /* its CPU was idle when it woke */
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
  __uint(max_entries, 1);
  __type(key, u32);
  __type(value, struct watch);
} watches SEC(".maps");

struct dwrr_exit uei;
char uei_dump[DWRR_DUMP_SIZE] SEC(".data.dump");

static struct line { /* a CPU */
  struct share of;   /* its running thread's */
  u64 exec;          /* its CPU time, */
  u64 clock;         /* and the clock, up to which it is charged */
  u64 clock_was;     /* s.clock then */
  u64 fresh_until;   /* of the kernel's clock */
  u64 held_since;
  u32 round;         /* up to this one the CPU runs what lies here before it looks elsewhere */
  u32 bound_round;
  u32 waiting;       /* threads that count and are queued here */
  u32 bound_threads; /* runnable */
  u64 bound_weight;
  u64 bound_slice; /* B for them, */
  bool runs;         /* a thread that is in rounds; it counts: */
  bool counts;
  bool held;
  bool leaves;       /* goes offline: a kick from there might never be delivered, nor any later one */
} lines[DWRR_CPUS_MAX];

static struct { /* for all CPUs */
  u64 clock;    /* see clock_at */
  u64 weight;   /* of all threads that count */
  u64 closed_weight;
  u64 closed_ever;
  u64 slice;    /* B for those that count */
  u32 lowest;   /* L */
  u32 threads;  /* that count */
  u32 closed;   /* found infeasible in round L: as if they were not there, nor a CPU each */
  u32 taken;    /* CPUs with bound threads */
  u32 held;
  u32 queued;   /* threads that count and wait */
  u32 online;
  u64 served;   /* when a CPU last began or ended to run a thread of round L */
  u32 behind;   /* threads that L went on without, see go_on: of an earlier round, in no count */
  u32 seen;     /* L when go_on last looked */
  bool watched; /* go_on will look */
  bool crowded; /* somebody waits although there is a CPU for each: a real-time thread has one */
  u32 count[RING]; /* threads by round */
} s;
struct bpf_spin_lock lock SEC(".data.lock") __attribute__((visibility("hidden"), aligned(8)));

#define STAT(name, n)                                           \
  ({                                                            \
    struct dwrr_stats *at_ = bpf_map_lookup_elem(&stats, &zero); \
    if (at_) at_->name += (n);                                  \
  })
static const u32 zero;

static const u32 weight_of_nice[40] = {
    88761, 71755, 56483, 46273, 36291, 29154, 23254, 18705, 14949, 11916, 9548, 7620, 6100, 4904,
    3906,  3121,  2501,  1991,  1586,  1277,  1024,  820,   655,   526,   423,  335,  272,  215,
    172,   137,   110,   87,    70,    56,    45,    36,    29,    23,    18,   15};

static __always_inline u32 weight_of(const struct task_struct *p) {
  u32 nice = (u32)p->static_prio - 100;
  return p->policy == SCHED_IDLE ? 3 : weight_of_nice[nice < 40 ? nice : 20];
}

static __always_inline struct line *line_of(s32 cpu) { return &lines[cpu & MASK]; }
static __always_inline struct thread *thread_of(struct task_struct *p) {
  return bpf_task_storage_get(&threads, p, NULL, 0);
}
static __always_inline bool of_one_cpu(const struct task_struct *p) {
  return p->flags & PF_KTHREAD && p->nr_cpus_allowed == 1;
}

/* It was preempted in a read section of RCU, so the whole kernel waits for it. (A nesting of them says nothing: this
 * program runs in one.) */
static __always_inline bool is_awaited(const struct task_struct *p) {
  return bpf_core_field_exists(p->rcu_blocked_node) && p->rcu_blocked_node;
}

static __always_inline bool is_bound(const struct task_struct *p) { return (u32)p->nr_cpus_allowed < s.online; }

static __always_inline void set_slice(struct task_struct *p, u64 slice) {
  if (bpf_ksym_exists(scx_bpf_task_set_slice))
    scx_bpf_task_set_slice(p, slice);
  else
    p->scx.slice = slice;
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
  u64 clock = clock_at(s.clock, now);
  s.clock = free ? clock << 1 | 1 : (now - clock) << 1;
}

/* --- B ------------------------------------------------------------------------------------------ */

/* Nobody should wait for long, however many they are: B is halved while a round takes more than a second. */
static __always_inline void fit(u64 *slice, u64 weight_of_cpu) {
  u64 round = weight_of_cpu * *slice;
  if (round > ROUND_MAX && *slice > 1)
    *slice >>= 1;
  else if (round < ROUND_MAX / 4 && *slice < tuning.slice_ns)
    *slice <<= 1;
}

static __always_inline s64 slice_of(const struct line *l, u32 weight, bool bound) {
  return cl_round_slice(weight, bound ? l->bound_slice : s.slice);
}

/* --- L: all under the lock ---------------------------------------------------------------------- */

static __always_inline void raise_lowest(void) {
  u32 i;
  if (s.threads == s.behind) return;
  bpf_for(i, 0, RING) {
    if (s.count[s.lowest % RING]) break;
    s.lowest++;
    s.closed = 0;
    s.closed_weight = 0;
  }
}

static __always_inline void set_round(u32 *round, u32 to) {
  s.count[*round % RING]--;
  s.count[to % RING]++;
  *round = to;
  raise_lowest();
}

/* Without it L went on: it is in the round that is L now. */
static __always_inline void catch_up(struct share *of) {
  if (!cl_round_before(of->round, s.lowest)) return;
  of->round = s.lowest;
  s.behind--;
  s.count[s.lowest % RING]++;
}

static __always_inline void join(struct thread *t, struct line *l, u32 weight, bool bound, bool woken) {
  u32 lowest = bound ? l->bound_round : s.lowest, open = lowest;
  s64 slice = slice_of(l, weight, bound);
  t->of.weight = weight;
  if (!t->born) t->of.round = lowest - 1; /* as if it had slept for long */
  if (t->bound != bound) t->of.round = lowest;
  /* Round L admits nobody: with many sleepers it would not end, and beside one that has run for L and L + 1 already
   * who comes would fall two rounds behind. */
  if (!bound && (woken || !t->born)) open++;
  cl_round_wake(&t->of.round, &t->of.left, slice, open, bound || cl_round_before(l->round, open) ? open : l->round);
  if (t->of.left > slice) t->of.left = slice; /* its weight was another */
  t->born = true;
  t->joined = true;
  t->bound = bound;
  t->of.closed = 0;
  if (bound) {
    if (!l->bound_threads++) s.taken++;
    l->bound_weight += weight;
    fit(&l->bound_slice, l->bound_weight);
    return;
  }
  s.threads++;
  s.weight += weight;
  fit(&s.slice, s.weight / s.online);
  s.count[t->of.round % RING]++;
  raise_lowest();
}

static __always_inline void leave(struct thread *t) {
  t->joined = false;
  if (t->bound) {
    struct line *l = line_of(t->cpu);
    if (!--l->bound_threads) s.taken--;
    l->bound_weight -= t->of.weight;
    fit(&l->bound_slice, l->bound_weight);
    return;
  }
  catch_up(&t->of);
  s.threads--;
  s.weight -= t->of.weight;
  fit(&s.slice, s.weight / s.online);
  if (t->of.closed == (CLOSED | s.lowest)) {
    s.closed--;
    s.closed_weight -= t->of.weight;
  }
  s.count[t->of.round % RING]--;
  raise_lowest();
}

static __always_inline void note_served(const struct line *l, u64 now) {
  if (l->counts && l->of.round == s.lowest) s.served = now;
}

/* The running thread has had that much CPU time; what of it is forgiven. */
static __always_inline u64 charge(struct line *l, u64 exec, u64 now) {
  u64 clock = clock_at(s.clock, now), ran = exec - l->exec, passed = clock - l->clock;
  if (l->clock_was == s.clock) passed = s.clock & 1 ? 0 : ran; /* exact, which the CPUs' clocks are not */
  if ((s64)passed < 0) passed = 0;
  if (passed > ran) passed = ran;
  l->of.left -= cl_round_fine(passed);
  l->exec = exec;
  l->clock = clock;
  l->clock_was = s.clock;
  if (l->of.left > 0) return ran - passed;
  u32 i, round = l->of.round, furthest = (l->counts ? s.lowest : l->bound_round) + CL_ROUND_SPAN;
  s64 slice = slice_of(l, l->of.weight, !l->counts);
  u64 one = s.weight / s.online * s.slice + l->bound_weight * l->bound_slice, ahead = 0;
  bpf_for(i, 0, RING) {
    if (l->of.left > 0 || round == furthest || ahead > AHEAD_MAX) break;
    ahead += one;
    cl_round_use_up(&round, &l->of.left, slice);
  }
  if (l->counts)
    set_round(&l->of.round, round);
  else
    l->of.round = round;
  if (l->of.left <= 0) {
    passed -= cl_round_time(-l->of.left);
    l->of.left = slice;
  }
  return ran - passed;
}

/* A CPU would be held, so all threads of round L run. For those whose weight is infeasible it is over. In any
 * order: when one is left out, others may become infeasible, but none is no longer. */
static __always_inline void close_infeasible(u64 now) {
  u32 lowest = s.lowest, cpu;
  bpf_for(cpu, 0, tuning.cpus) {
    struct line *l = line_of(cpu);
    u32 without = s.taken + s.closed;
    if (s.lowest != lowest || s.online <= without) break;
    if (!l->counts || l->of.round != lowest) continue;
    if ((u64)l->of.weight * (s.online - without) <= s.weight - s.closed_weight) continue;
    l->of.closed = CLOSED | lowest;
    s.closed++;
    s.closed_weight += l->of.weight;
    l->of.left = slice_of(l, l->of.weight, false);
    l->clock_was = ~0ull;
    l->clock = clock_at(s.clock, now); /* what it has run until now was that round's */
    set_round(&l->of.round, lowest + 1);
    s.closed_ever++;
  }
}

/* --- to be done after the lock ------------------------------------------------------------------ */

/* L has risen, or time is free or is no longer: have the CPUs look that this concerns. */
APART int tell(u64 clock_was, u64 clock, u32 lowest_was, u32 lowest) {
  u32 cpu;
  struct dwrr_totals *all = bpf_map_lookup_elem(&totals, &zero);
  if (all) *all = (struct dwrr_totals){lowest, READ(s.threads), READ(s.weight)};
  if (clock_was & 1 && !(clock & 1)) {
    bpf_for(cpu, 0, tuning.cpus) {
      struct line *l = line_of(cpu);
      if (l->counts && cl_round_before(lowest + 1, l->of.round)) scx_bpf_kick_cpu(cpu, KICK(PREEMPT));
    }
  } else if (((clock & 1) != (clock_was & 1) || lowest != lowest_was) && READ(s.held)) {
    bpf_for(cpu, 0, tuning.cpus)
      if (line_of(cpu)->held) scx_bpf_kick_cpu(cpu, 0);
  }
  return 0;
}

#define LOCKED(...)                                           \
  ({                                                          \
    bpf_spin_lock(&lock);                                     \
    u64 clock_was_ = s.clock;                                 \
    u32 lowest_was_ = s.lowest;                               \
    __VA_ARGS__                                               \
    u64 clock_is_ = s.clock;                                  \
    u32 lowest_is_ = s.lowest;                                \
    bpf_spin_unlock(&lock);                                   \
    tell(clock_was_, clock_is_, lowest_was_, lowest_is_);     \
  })

/* The running thread is charged, and is in another round if its slice is used up. It goes on, or stops. */
APART int settle(u32 cpu, u64 exec, struct thread *t __arg_nonnull, bool stops) {
  struct line *l = line_of(cpu);
  u64 now = scx_bpf_now(), forgiven;
  LOCKED(
    note_served(l, now);
    forgiven = charge(l, exec, now);
    if (stops) {
      l->runs = l->counts = false;
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
  struct line *l = line_of(cpu);
  LOCKED(
    if (t->joined) leave(t);
    if (t->bound) t->of.round += l->bound_round - line_of(t->cpu)->bound_round; /* another CPU has other rounds */
    t->cpu = cpu;
    join(t, l, weight, bound, woken);
    look_whether_free(now););
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
static __always_inline bool may_hold(u64 queue) {
  const struct line *l = line_of(queue / 2);
  return queue & 1 ? READ(l->bound_threads) : READ(l->waiting);
}

/* Take the first thread of a queue whose key is below the limit. */
APART int take(u64 queue, u64 limit, u32 cpu) {
  struct task_struct *p;
  if (!may_hold(queue)) return false;
  bpf_for_each(scx_dsq, p, queue, 0) {
    if ((s64)(p->scx.dsq_vtime - limit) >= 0) return false;
    if (queue / 2 != cpu && (p->migration_disabled || !bpf_cpumask_test_cpu(cpu, p->cpus_ptr))) continue;
    if (scx_bpf_dsq_move(&___it, p, LOCAL, 0)) return true;
  }
  return false;
}

/* Take a thread of the round that is not open yet, which has not run ahead in it. */
APART int borrow(u64 queue, u32 round) {
  struct task_struct *p;
  if (!may_hold(queue)) return false;
  bpf_for_each(scx_dsq, p, queue, 0) {
    struct thread *t = thread_of(p);
    if ((s64)(p->scx.dsq_vtime - above(round)) >= 0) return false;
    if (t && t->borrowed != round && scx_bpf_dsq_move(&___it, p, LOCAL, 0)) return true;
  }
  return false;
}

/* The same from another CPU's: whether that is done. */
APART int take_elsewhere(u32 cpu, u64 limit, bool bound) {
  u32 i;
  bpf_for(i, 1, tuning.cpus) {
    u32 other = cpu + i < tuning.cpus ? cpu + i : cpu + i - tuning.cpus;
    if (take(bound ? BOUND(other) : COUNTS(other), limit, cpu)) return true;
  }
  return false;
}

/* Counted before it is queued, and until it runs or sleeps: the kernel's own count costs a search. */
static __always_inline void set_queued(struct thread *t, bool queued) {
  if (t->queued == queued) return;
  __sync_fetch_and_add(&s.queued, queued ? 1 : -1);
  __sync_fetch_and_add(&line_of(t->cpu)->waiting, queued ? 1 : -1);
  t->queued = queued;
}

/* Whether there is anybody for whom the running thread could make room. */
static __always_inline bool has_others(const struct line *l) {
  return READ(l->waiting) || READ(l->bound_threads) > !l->counts;
}

/* Close what can be closed; whether L, or what may be run, is another now. */
APART int close_rounds(u32 lowest) {
  u64 now = scx_bpf_now(), closed = 0;
  bool done;
  LOCKED(if (s.lowest == lowest) { closed = s.closed_ever; close_infeasible(now); closed = s.closed_ever - closed; }
         done = s.lowest != lowest || closed;);
  if (closed) STAT(closed, closed);
  return done;
}

/* Somebody waits elsewhere: time is not free until nobody does. */
APART int charge_all(void) {
  u64 now = scx_bpf_now();
  LOCKED(
    s.crowded = true;
    look_whether_free(now););
  return 0;
}

/* A thread that was moved to a CPU just before a real-time thread took that one cannot be taken back, and L would
 * stand. When CPUs are held and no thread of round L has run for two ticks, L goes on without those that are in it. */
static int go_on(void *map, u32 *key, struct watch *watch) {
  u64 now = scx_bpf_now();
  u32 cpu;
  bool stands, again;
  LOCKED(
    again = s.held && !(s.clock & 1) && s.threads > s.behind;
    stands = again && s.seen == s.lowest && now - s.served > 2 * tuning.tick_ns;
    bpf_for(cpu, 0, tuning.cpus) {
      const struct line *l = line_of(cpu);
      if (l->counts && l->of.round == s.lowest) stands = false;
    }
    if (stands) {
      s.behind += s.count[s.lowest % RING];
      s.count[s.lowest % RING] = 0;
      raise_lowest();
    }
    s.seen = s.lowest;
    s.watched = again;);
  if (stands) STAT(skipped, 1);
  if (again) bpf_timer_start(&watch->timer, 2 * tuning.tick_ns, 0);
  return 0;
}

/* The CPU waits until L rises or time is free: whether neither has happened already. */
APART int hold(u32 cpu, u32 lowest, bool free) {
  struct line *l = line_of(cpu);
  struct watch *watch = bpf_map_lookup_elem(&watches, &zero);
  u64 now = scx_bpf_now();
  bpf_spin_lock(&lock);
  bool same = s.lowest == lowest && (s.clock & 1) == free, watched = s.watched;
  if (same && !l->held) {
    l->held = true;
    s.held++;
  }
  if (same) s.watched = true;
  bpf_spin_unlock(&lock);
  if (same && !watched && watch) bpf_timer_start(&watch->timer, 2 * tuning.tick_ns, 0);
  if (same && !l->held_since) {
    STAT(held, 1);
    l->held_since = now;
  }
  return same;
}

/* --- the callbacks ------------------------------------------------------------------------------ */

/* Who has woken comes first, but for the last eighth of its slice, which it has in its turn. */
static __always_inline bool comes_first(const struct line *l, const struct thread *t) {
  return tuning.sleepers_first && t->of.left > slice_of(l, t->of.weight, t->bound) / 8;
}

/* Does the CPU's thread let one go first that has woken? */
static __always_inline bool gives_way(const struct line *l, u64 now) {
  return READ(l->runs) && now >= READ(l->fresh_until);
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
  u32 lowest = READ(s.lowest);
  bool open = !cl_round_before((t->bound ? l->bound_round : lowest + 1), t->of.round);
  t->fresh = woken && comes_first(l, t);
  u64 now = scx_bpf_now();
  if (chosen && (open || is_free())) {
    STAT(direct, 1);
    scx_bpf_dsq_insert(p, LOCAL, tuning.tick_ns, flags);
    return;
  }
  if (t->fresh && open && !handed && gives_way(l, now)) {
    STAT(woken, 1);
    l->fresh_until = now + FRESH_NS; /* one at a time: this queue is the kernel's, and no other CPU looks there */
    scx_bpf_dsq_insert(p, LOCAL, tuning.tick_ns, flags | ENQ(PREEMPT));
    return;
  }
  u32 first = t->bound ? l->bound_round : lowest;
  /* Who would wait for long goes on, but not for ever, or one that reads all the time would. */
  bool awaited = cl_round_before(first + 2, t->of.round) && t->awaited < AWAITED_MAX && is_awaited(p);
  t->awaited = awaited ? t->awaited + 1 : 0;
  if (awaited) STAT(awaited, 1);
  u64 key = (t->fresh && open) || awaited ? (u64)(first - 1) << 32 : key_of(t, &t->of, woken || t->last, now);
  t->last = false;
  if (t->bound) STAT(pinned, 1);
  set_queued(t, !t->bound);
  scx_bpf_dsq_insert_vtime(p, t->bound ? BOUND(cpu) : COUNTS(cpu), tuning.tick_ns, key, flags);
  if (handed) { /* it runs as soon as its waker sleeps, or at the next tick */
    set_slice(bpf_get_current_task_btf(), 1);
    return;
  }
  s32 idle = chosen ? cpu : flags & ENQ(LAST) ? -1 : scx_bpf_pick_idle_cpu(p->cpus_ptr, 0);
  if (idle >= 0) scx_bpf_kick_cpu(idle, KICK(IDLE));
}

/* Whom the CPU runs next. Its previous thread goes on if it is still runnable and none comes before it. */
void OPS(dispatch, s32 cpu, struct task_struct *prev) {
  struct line *l = line_of(cpu);
  struct thread *t = NULL;
  bool goes_on = false, bound = false, yielded = false;
  u64 own = 0;
  u32 i;
  if (prev && prev->scx.flags & KERNEL(scx_ent_flags, SCX_TASK_QUEUED) && l->runs && (t = thread_of(prev))) {
    settle(cpu, prev->se.sum_exec_runtime, t, false);
    goes_on = true;
    bound = t->bound;
    yielded = t->last;
    own = key_of(t, &l->of, yielded, scx_bpf_now());
  }
  bpf_for(i, 0, RING + 2) {
    u32 lowest = READ(s.lowest);
    bool free = is_free(), waits;
    if (cl_round_before(l->round, lowest)) {
      l->round = lowest;
      l->bound_round++;
    }
    u64 limit = above(free ? lowest + RING : l->round), bound_limit = above(l->bound_round);
    u64 last = above(lowest + 1) - 1; /* of those that may run */
    if (yielded && !bound && (s64)(own - last) < 0) own = last;
    bool keep = goes_on && (s64)(own - (bound ? bound_limit : limit)) < 0;
    if (keep && bound) bound_limit = own;
    if (keep && !bound) limit = own;
    if ((READ(l->bound_threads) && (take(COUNTS(cpu), above(lowest - 1), cpu) || take(BOUND(cpu), bound_limit, cpu))) ||
        ((!keep || !bound) && take(COUNTS(cpu), limit, cpu))) {
      STAT(picked, 1);
      return;
    }
    if (keep && free && READ(s.queued)) {
      charge_all();
      continue;
    }
    if (keep) {
      STAT(kept, 1);
      t->last = false;
      set_slice(prev, cl_round_time(l->of.left));
      return;
    }
    waits = READ(s.queued);
    if (waits && ((limit != above(lowest) && take_elsewhere(cpu, above(lowest), false)) ||
                  take_elsewhere(cpu, limit, false))) {
      STAT(balanced, 1);
      return;
    }
    waits = waits || (goes_on && !bound);
    if (waits && !free && l->round == lowest) {
      l->round++;
      l->bound_round++;
      continue;
    }
    if (waits && !free && close_rounds(lowest)) continue;
    if (scx_bpf_dsq_nr_queued(BOUND(cpu)) || (goes_on && bound)) {
      l->bound_round++;
      continue;
    }
    if (take_elsewhere(cpu, above(l->bound_round + (1u << 30)), true)) {
      STAT(balanced, 1);
      return;
    }
    if (goes_on && !bound && l->of.round == lowest + 2 && t->borrowed != lowest + 2) {
      STAT(borrowed, 1);
      t->borrowed = lowest + 2;
      set_slice(prev, 1);
      return;
    }
    if (waits && borrow(COUNTS(cpu), lowest + 2)) return;
    if (waits && !hold(cpu, lowest, free)) continue;
    /* Who came here while a move from elsewhere failed, which lets go of this CPU's lock, has not been seen. */
    if (!take(COUNTS(cpu), limit, cpu)) take(BOUND(cpu), above(l->bound_round + (1u << 30)), cpu);
    return;
  }
  if (goes_on)
    set_slice(prev, tuning.tick_ns);
  else
    scx_bpf_kick_cpu(cpu, 0); /* others have changed too much meanwhile: once more */
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
  u64 time = cl_round_time(t->of.left);
  if (!t->bound && !is_free() && cl_round_before(READ(s.lowest) + 1, t->of.round)) {
    STAT(borrowed, 1);
    t->borrowed = t->of.round;
    time = 1; /* to the next tick */
  }
  if (t->fresh) {
    l->fresh_until = now + FRESH_NS;
    if (!is_free()) time /= 2; /* then in its turn */
  }
  set_slice(p, time);
  bpf_spin_lock(&lock);
  if (!t->bound) catch_up(&t->of);
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
  if (!to && t && has_others(line_of(scx_bpf_task_cpu(from)))) {
    t->last = true;
    set_slice(from, 0);
  }
  return false;
}

/* --- CPUs come and go: the kernel moves what runs there, and asks dispatch no longer ----------------------------- */

/* To the kernel's queue for all CPUs, from which the one that goes, too, takes what may run nowhere else. */
APART int vacate(u64 queue) {
  struct task_struct *p;
  bpf_for_each(scx_dsq, p, queue, 0) scx_bpf_dsq_move(&___it, p, KERNEL(scx_dsq_id_flags, SCX_DSQ_GLOBAL), 0);
  return 0;
}

void OPS(cpu_offline, s32 cpu) {
  struct line *l = line_of(cpu);
  u64 now = scx_bpf_now();
  u32 other;
  LOCKED(
    s.online--;
    if (l->held) {
      l->held = false;
      s.held--;
    }
    look_whether_free(now););
  l->held_since = 0;
  vacate(COUNTS(cpu));
  vacate(BOUND(cpu));
  bpf_for(other, 0, tuning.cpus) scx_bpf_kick_cpu(other, KICK(IDLE));
  l->leaves = true;
}

void OPS(cpu_online, s32 cpu) {
  u64 now = scx_bpf_now();
  line_of(cpu)->leaves = false;
  LOCKED(s.online++; look_whether_free(now););
}

SEC("struct_ops.s/init_task") s32 BPF_PROG(dwrr_init_task, struct task_struct *p, struct scx_init_task_args *args) {
  return bpf_task_storage_get(&threads, p, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE) ? 0 : -12 /* ENOMEM */;
}

SEC("struct_ops.s/init") s32 BPF_PROG(dwrr_init) {
  const struct cpumask *online = scx_bpf_get_online_cpumask();
  s.online = bpf_cpumask_weight(online);
  scx_bpf_put_cpumask(online);
  s.clock = 1;
  s.slice = tuning.slice_ns;
  u32 cpu, queue;
  struct watch *watch = bpf_map_lookup_elem(&watches, &zero);
  if (!watch || bpf_timer_init(&watch->timer, &watches, CLOCK_MONOTONIC)) return -22 /* EINVAL */;
  bpf_timer_set_callback(&watch->timer, go_on);
  bpf_for(cpu, 0, tuning.cpus) line_of(cpu)->bound_slice = tuning.slice_ns;
  bpf_for(queue, 0, 2 * tuning.cpus) {
    s32 error = scx_bpf_create_dsq(queue, -1);
    if (error) return error;
  }
  return 0;
}

void OPS(exit, struct scx_exit_info *info) {
  bpf_probe_read_kernel_str(uei.reason, sizeof uei.reason, info->reason);
  bpf_probe_read_kernel_str(uei.message, sizeof uei.message, info->msg);
  bpf_probe_read_kernel_str(uei_dump, sizeof uei_dump, info->dump);
  uei.kind = info->kind;
}

SEC(".struct_ops.link") struct sched_ext_ops dwrr = {
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
    .init = (void *)dwrr_init,
    .exit = (void *)dwrr_exit,
    .flags = SCX_OPS_KEEP_BUILTIN_IDLE | SCX_OPS_ENQ_LAST | SCX_OPS_ENQ_EXITING | SCX_OPS_ENQ_MIGRATION_DISABLED |
             SCX_OPS_ALLOW_QUEUED_WAKEUP,
    .timeout_ms = 30000,
    .name = "dwrr",
};
