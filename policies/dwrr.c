/* SPDX-License-Identifier: Apache-2.0
 *
 * Distributed weighted round-robin: in each round a thread runs its round slice, weight x B; no CPU runs ahead of any
 * thread by more than one round.
 *
 * Source: Li, Baumberger and Hahn, PPoPP 2009, as presented by [DWRR]; with the rule that makes the bound hold, and the
 * order in a round, of docs/decisions/0014-dwrr.md. Arithmetic of rounds: cl_dwrr_round.h.
 * Cost: O(log n) a decision for n threads on a CPU, plus the logarithm of the number of CPUs (sets of CPUs). In
 * addition O(CPUs) a few times a round if there are infeasible weights. Bound: L is the lowest round of the runnable
 * threads that may run anywhere. All are in L to L + 2, and none of L + 2 runs; so two of them that are always runnable
 * differ by at most 2 B of service per unit of weight since they started together, and by at most 4 B over any time;
 * plus a tick for the weight if slices end only at ticks.
 *
 * A thread that is placed on one CPU (below: a bound thread) has rounds of that CPU's own. They advance with the CPU's
 * rounds, and also while the CPU would be held. The owner of a reserved CPU is in no round. */
#include "cl_policy.h"

#include "cl_dwrr_round.h"

/* How long a woken thread runs before another woken one may preempt it: B / 32. */
#define FRESH_BITS 5

/* Key of a queued thread: woken threads first, yielding ones last, between them the longest remainder. Not to the last
 * bit: so those of one weight stay in their order, and most join a tree at its end, which reads the least memory. */
#define KEY_FIRST (~(UINT64_MAX >> 2) + 1)
#define KEY_LAST (UINT64_MAX >> 2)
#define KEY_BITS (10 + CL_ROUND_UNIT_BITS)

/* Of a thread: round and left; vtime: the clock up to which it is charged; deadline: CLOSED | the L in which its
 * weight was found infeasible; seen, these marks: */
enum {
  BORN = 1,    /* it has been queued before */
  COUNTED = 2, /* runnable, and may run anywhere: it counts for L */
  BOUND = 4,   /* runnable, and placed on one CPU */
  FRESH = 8    /* it has woken, and has not run for long since */
};
#define CLOSED (1ull << 32)

struct rounds { /* for all CPUs */
  uint32_t lowest;      /* L */
  uint32_t threads;     /* that count, */
  uint32_t count[4];    /* by round mod 4 */
  uint32_t heaviest[4]; /* no thread that runs in this round weighs more */
  uint64_t weight;      /* of all that count */
  uint64_t closed_weight;
  uint32_t closed;      /* threads found infeasible in round L: as if they were not there, nor a CPU each */
  uint32_t taken;       /* CPUs with bound threads */
  bool free;            /* a CPU for each thread */
  cl_time stopped;      /* when the clock stopped for that */
  cl_time stopped_for;  /* before */
  struct cl_cpuset idle;      /* CPUs without current, not reserved */
  struct cl_cpuset ahead;     /* among these are all that run a thread of round L + 2, which they may while free */
  struct cl_cpuset queued[4]; /* CPUs with a thread in tree[round mod 4] */
};

struct line { /* for each CPU */
  struct cl_tree tree[4];  /* threads that count, by round mod 4 */
  struct cl_tree bound[2]; /* bound threads, by round mod 2 */
  uint32_t round;          /* up to this one it runs what lies here before it looks elsewhere */
  uint32_t bound_round;
  uint32_t bound_threads;
  bool held;
};

static struct rounds *rounds_of(const struct cl_machine *m) { return m->shared; }
static struct line *line_of(const struct cl_machine *m, uint32_t cpu) { return m->cpu[cpu].state; }
static int64_t slice_of(const struct cl_machine *m, const struct cl_entity *e) {
  return cl_round_slice(e->weight, m->tuning.slice);
}

/* --- the clock by which threads are charged: it stands while time is free ----------------------- */

static cl_time clock_of(const struct cl_machine *m) {
  const struct rounds *s = rounds_of(m);
  return (s->free ? s->stopped : m->now) - s->stopped_for;
}

/* To be called when threads or CPUs have come or gone. */
static void look_whether_free(struct cl_machine *m) {
  struct rounds *s = rounds_of(m);
  bool free = s->threads <= m->open && s->taken == 0;
  if (free == s->free) return;
  if (free) {
    s->stopped = m->now;
  } else {
    s->stopped_for += m->now - s->stopped;
    for (uint32_t cpu = 0; (cpu = cl_set_from(&s->ahead, cpu)) < CL_CPUS_MAX; cpu++) {
      const struct cl_entity *e = m->cpu[cpu].current;
      if (e && e->seen & COUNTED && e->round - s->lowest == CL_ROUND_SPAN) cl_resched(m, cpu);
      cl_set_remove(&s->ahead, cpu);
    }
  }
  s->free = free;
}

/* --- L ----------------------------------------------------------------------------------------- */

static void raise_lowest(struct rounds *s) {
  while (s->threads && !s->count[s->lowest % 4]) {
    s->lowest++;
    if (!s->free) s->heaviest[(s->lowest + 1) % 4] = 0; /* until now nobody might run in it */
    s->closed = 0;
    s->closed_weight = 0;
  }
}

/* The thread is in the next round, with a new slice. */
static void next_round(struct cl_machine *m, struct cl_entity *e) {
  struct rounds *s = rounds_of(m);
  s->count[e->round % 4]--;
  cl_round_use_up(&e->round, &e->left, slice_of(m, e));
  s->count[e->round % 4]++;
  raise_lowest(s);
}

/* A thread becomes runnable on this CPU. */
static void join(struct cl_machine *m, uint32_t cpu, struct cl_entity *e) {
  struct rounds *s = rounds_of(m);
  struct line *line = line_of(m, cpu);
  bool bound = e->home != CL_ANY_CPU;
  uint32_t lowest = bound ? line->bound_round : s->lowest;
  if (!(e->seen & BORN)) e->round = lowest - 1; /* as if it had slept for long */
  /* A round that closes admits nobody, or with many sleepers it would not end. */
  uint32_t open = !bound && s->heaviest[(lowest + 1) % 4] ? lowest + 1 : lowest;
  cl_round_wake(&e->round, &e->left, slice_of(m, e), open, bound ? lowest : line->round);
  if (m->cpu[cpu].owner == e) return;
  if (bound) {
    e->seen |= BOUND;
    if (!line->bound_threads++) s->taken++;
  } else {
    e->seen |= COUNTED;
    s->threads++;
    s->weight += e->weight;
    s->count[e->round % 4]++;
    raise_lowest(s);
  }
  look_whether_free(m);
}

/* A thread no longer counts. */
static void leave(struct cl_machine *m, struct cl_entity *e) {
  struct rounds *s = rounds_of(m);
  if (e->seen & BOUND && !--line_of(m, (uint32_t)e->cpu)->bound_threads) s->taken--;
  if (e->seen & COUNTED) {
    s->threads--;
    s->weight -= e->weight;
    if (e->deadline == (CLOSED | s->lowest)) {
      s->closed--;
      s->closed_weight -= e->weight;
    }
    e->deadline = 0;
    s->count[e->round % 4]--;
    raise_lowest(s);
  }
  e->seen &= ~(uint32_t)(COUNTED | BOUND);
  look_whether_free(m);
}

static void note_runs(struct rounds *s, const struct cl_entity *e) {
  if (e->weight > s->heaviest[e->round % 4]) s->heaviest[e->round % 4] = e->weight;
}

/* Would a thread of this weight have more than a CPU, among those that are not closed? */
static bool infeasible(const struct cl_machine *m, uint32_t weight) {
  const struct rounds *s = rounds_of(m);
  uint32_t without = s->taken + s->closed;
  return m->open > without && (uint64_t)weight * (m->open - without) > s->weight - s->closed_weight;
}

static void close_round(struct cl_machine *m, struct cl_entity *e) {
  struct rounds *s = rounds_of(m);
  e->deadline = CLOSED | s->lowest;
  s->closed++;
  s->closed_weight += e->weight;
  e->left = 0;
  e->vtime = clock_of(m); /* what it has run until now was that round's */
  next_round(m, e);
  note_runs(s, e);
}

/* A CPU would be held, so all threads of round L run. For those whose weight is infeasible it is over: whether L has
 * risen. In any order: when one is left out, others may become infeasible, but none is no longer. */
static bool close_infeasible(struct cl_machine *m) {
  struct rounds *s = rounds_of(m);
  uint32_t lowest = s->lowest;
  while (infeasible(m, s->heaviest[lowest % 4])) {
    uint32_t heaviest = 0;
    for (uint32_t cpu = 0; cpu < m->cpus; cpu++) {
      struct cl_entity *e = m->cpu[cpu].current;
      if (!e || !(e->seen & COUNTED) || e->round != lowest) continue;
      if (infeasible(m, e->weight)) close_round(m, e);
      else if (e->weight > heaviest) heaviest = e->weight;
      if (s->lowest != lowest) return true;
    }
    s->heaviest[lowest % 4] = heaviest;
  }
  return false;
}

/* --- queues ------------------------------------------------------------------------------------ */

static struct cl_tree *tree_of(const struct cl_machine *m, const struct cl_entity *e) {
  struct line *line = line_of(m, (uint32_t)e->cpu);
  return e->seen & COUNTED ? &line->tree[e->round % 4] : &line->bound[e->round % 2];
}

static void queue(struct cl_machine *m, uint32_t cpu, struct cl_entity *e) {
  cl_note_queued(m, cpu, e);
  struct cl_tree *tree = tree_of(m, e);
  if (e->seen & COUNTED && !tree->root) cl_set_add(&rounds_of(m)->queued[e->round % 4], cpu);
  cl_tree_add(tree, &e->node);
}

static void unqueue(struct cl_machine *m, struct cl_entity *e) {
  struct cl_tree *tree = tree_of(m, e);
  cl_tree_remove(tree, &e->node);
  if (e->seen & COUNTED && !tree->root) cl_set_remove(&rounds_of(m)->queued[e->round % 4], (uint32_t)e->cpu);
  cl_note_unqueued(m, e);
}

/* Does a thread that counts wait in one of the rounds L to `last`? */
static bool waits(const struct rounds *s, uint32_t last) {
  for (uint32_t round = s->lowest; !cl_round_before(last, round); round++)
    if (cl_set_from(&s->queued[round % 4], 0) < CL_CPUS_MAX) return true;
  return false;
}

/* The last round that any CPU may run. */
static uint32_t last_round(const struct rounds *s) { return s->lowest + (s->free ? 2 : 1); }

/* An idle CPU that may run others than its owner, the nearest; CL_CPUS_MAX: none. */
static uint32_t idle_near(const struct cl_machine *m, uint32_t cpu) {
  const struct cl_cpuset *idle = &rounds_of(m)->idle;
  uint32_t first = cl_set_near(idle, cpu), found = first;
  while (found < CL_CPUS_MAX && m->cpu[found].owner) {
    found = cl_set_near(idle, found + 1);
    if (found == first) return CL_CPUS_MAX;
  }
  return found;
}

/* If a thread waits in one of the rounds up to `last`, have an idle CPU look. When it has taken one, it goes on so. */
static void offer(struct cl_machine *m, uint32_t near, uint32_t last) {
  uint32_t cpu = idle_near(m, near);
  if (cpu < CL_CPUS_MAX && waits(rounds_of(m), last)) cl_resched(m, cpu);
}

/* --- the interface ----------------------------------------------------------------------------- */

static void dwrr_init(struct cl_machine *m) {
  struct rounds *s = rounds_of(m);
  s->free = true;
  s->stopped = m->now;
  for (uint32_t cpu = 0; cpu < m->cpus; cpu++) cl_set_add(&s->idle, cpu);
}

static uint32_t dwrr_place(const struct cl_machine *m, const struct cl_entity *e) {
  if (e->home != CL_ANY_CPU) return (uint32_t)e->home;
  uint32_t last = e->seen & BORN ? (uint32_t)e->cpu : e->id % m->cpus; /* spread the new ones */
  if (m->cpu[last].owner == e) return last;
  uint32_t idle = idle_near(m, last);
  if (idle < CL_CPUS_MAX) return idle;
  for (uint32_t i = 0; m->cpu[last].owner && i < m->cpus; i++) last = last + 1 < m->cpus ? last + 1 : 0;
  return last;
}

/* Should e, which has become runnable on the CPU, run there before its current thread? */
static bool comes_before(const struct cl_machine *m, uint32_t cpu, const struct cl_entity *e,
                         const struct cl_entity *current) {
  const struct rounds *s = rounds_of(m);
  const struct line *line = line_of(m, cpu);
  if (m->cpu[cpu].owner) return m->cpu[cpu].owner == e;
  if (e->seen & BOUND ? e->round != line->bound_round : cl_round_before(last_round(s), e->round)) return false;
  return e->seen & FRESH && !(current->seen & FRESH);
}

static void dwrr_enqueue(struct cl_machine *m, uint32_t cpu, struct cl_entity *e, enum cl_why why) {
  const struct rounds *s = rounds_of(m);
  bool leaving = why == CL_PREEMPTED || why == CL_USED || why == CL_YIELDED;
  if (e->queued) unqueue(m, e);
  if (e->seen & (COUNTED | BOUND) && (m->cpu[cpu].owner == e || (e->seen & BOUND && (uint32_t)e->cpu != cpu)))
    leave(m, e);
  if (!(e->seen & (COUNTED | BOUND))) {
    join(m, cpu, e);
  } else if (e->left <= 0) {
    if (e->seen & BOUND) cl_round_use_up(&e->round, &e->left, slice_of(m, e));
    else if (e->round - s->lowest < CL_ROUND_SPAN) next_round(m, e);
  }
  e->seen = BORN | (why == CL_WOKEN ? e->seen | FRESH : e->seen & ~(uint32_t)FRESH);
  e->node.key = e->seen & FRESH ? KEY_FIRST : why == CL_YIELDED ? KEY_LAST : (uint64_t)-(e->left >> KEY_BITS);
  queue(m, cpu, e);
  if (leaving) return; /* its CPU picks now */
  const struct cl_entity *current = m->cpu[cpu].current;
  if (current ? comes_before(m, cpu, e, current) : cl_allowed(m, cpu, e)) cl_resched(m, cpu);
  else offer(m, cpu, last_round(s));
}

static void dwrr_dequeue(struct cl_machine *m, struct cl_entity *e) {
  if (e->queued) unqueue(m, e);
  else cl_note_gone(m, e);
  leave(m, e);
  offer(m, (uint32_t)e->cpu, rounds_of(m)->lowest + CL_ROUND_SPAN); /* also to see whether a weight is infeasible now */
}

/* The first of the threads here: one that has just woken, of any round that may be run; else of rounds L to `last`,
 * or bound to this CPU. */
static struct cl_entity *first_here(const struct cl_machine *m, uint32_t cpu, uint32_t last) {
  const struct rounds *s = rounds_of(m);
  const struct line *line = line_of(m, cpu);
  struct cl_node *bound = line->bound[line->bound_round % 2].first;
  struct cl_node *first = NULL;
  for (uint32_t round = s->lowest; !cl_round_before(last_round(s), round); round++) {
    struct cl_node *node = line->tree[round % 4].first;
    bool reached = !cl_round_before(last, round);
    if (node && (first ? cl_before(node->key, first->key) && cl_entity_of(node)->seen & FRESH
                       : reached || cl_entity_of(node)->seen & FRESH))
      first = node;
  }
  if (bound && (!first || cl_before(bound->key, first->key))) first = bound;
  return first ? cl_entity_of(first) : NULL;
}

/* The same from the nearest other CPU that has one: round balancing. */
static struct cl_entity *first_elsewhere(const struct cl_machine *m, uint32_t cpu, uint32_t last) {
  const struct rounds *s = rounds_of(m);
  for (uint32_t round = s->lowest; !cl_round_before(last, round); round++) {
    uint32_t other = cl_set_near(&s->queued[round % 4], cpu + 1);
    if (other < CL_CPUS_MAX) return cl_entity_of(line_of(m, other)->tree[round % 4].first);
  }
  return NULL;
}

/* The thread that this CPU should run; NULL: there is none, or the CPU is held. */
static struct cl_entity *choose(struct cl_machine *m, uint32_t cpu) {
  struct rounds *s = rounds_of(m);
  struct line *line = line_of(m, cpu);
  struct cl_entity *owner = m->cpu[cpu].owner;
  if (owner) return owner->queued ? owner : NULL;
  for (;;) {
    if (cl_round_before(line->round, s->lowest)) {
      line->round = s->lowest;
      if (!line->bound[line->bound_round % 2].root) line->bound_round++;
    }
    uint32_t last = s->free ? last_round(s) : line->round;
    struct cl_entity *e = first_here(m, cpu, last);
    if (!e) e = first_elsewhere(m, cpu, last);
    if (e) return e;
    bool waiting = waits(s, s->lowest + CL_ROUND_SPAN);
    if (line->round == s->lowest && waiting) {
      line->round++;
      line->bound_round++;
    } else if (waiting && close_infeasible(m)) {
      continue;
    } else if (line->bound[(line->bound_round + 1) % 2].root) {
      line->bound_round++;
    } else {
      if (waiting && !line->held) m->held++;
      line->held = waiting;
      return NULL;
    }
  }
}

static struct cl_entity *dwrr_pick(struct cl_machine *m, uint32_t cpu) {
  struct rounds *s = rounds_of(m);
  look_whether_free(m);
  struct cl_entity *e = choose(m, cpu);
  if (e) {
    if ((uint32_t)e->cpu != cpu) m->moved++;
    unqueue(m, e);
    cl_note_current(m, cpu, e);
    e->vtime = clock_of(m);
    if (e->seen & COUNTED) {
      note_runs(s, e);
      if (e->round - s->lowest == CL_ROUND_SPAN) cl_set_add(&s->ahead, cpu);
    }
    line_of(m, cpu)->held = false;
    cl_set_remove(&s->idle, cpu);
  } else if (!m->cpu[cpu].owner) {
    cl_set_add(&s->idle, cpu);
  }
  offer(m, cpu, last_round(s));
  return e;
}

static cl_time dwrr_tick(struct cl_machine *m, uint32_t cpu, cl_time ran) {
  struct rounds *s = rounds_of(m);
  struct cl_entity *e = m->cpu[cpu].current;
  if (m->cpu[cpu].owner == e) {
    if (e->seen & (COUNTED | BOUND)) {
      leave(m, e);
      offer(m, cpu, last_round(s));
    }
    return CL_FOREVER;
  }
  look_whether_free(m);
  cl_time clock = clock_of(m), charged = clock - e->vtime;
  e->left -= cl_round_fine(ran < charged ? ran : charged);
  e->vtime = clock;
  if (e->left > 0 && e->seen & FRESH) {
    cl_time time = m->tuning.slice >> FRESH_BITS;
    if (!ran && time) return time < cl_round_time(e->left) ? time : cl_round_time(e->left);
    e->seen &= ~(uint32_t)FRESH;
    const struct cl_entity *next = first_here(m, cpu, line_of(m, cpu)->round);
    if (next && next->seen & FRESH) cl_resched(m, cpu);
  }
  if (e->left > 0) return cl_round_time(e->left);
  return e->seen & COUNTED && e->round - s->lowest == CL_ROUND_SPAN ? cl_round_time(slice_of(m, e)) : 0;
}

static struct cl_entity *dwrr_waiting(const struct cl_machine *m, uint32_t cpu) {
  const struct line *line = line_of(m, cpu);
  struct cl_node *first = line->bound[0].first ? line->bound[0].first : line->bound[1].first;
  for (int i = 0; !first && i < 4; i++) first = line->tree[i].first;
  return first ? cl_entity_of(first) : NULL;
}

const struct cl_policy cl_dwrr = {
    .name = "dwrr",
    .text = "rounds of weight x B per thread; no CPU runs ahead by more than one round",
    .cpu_size = sizeof(struct line),
    .shared_size = sizeof(struct rounds),
    .init = dwrr_init,
    .place = dwrr_place,
    .enqueue = dwrr_enqueue,
    .dequeue = dwrr_dequeue,
    .pick = dwrr_pick,
    .tick = dwrr_tick,
    .waiting = dwrr_waiting,
};
