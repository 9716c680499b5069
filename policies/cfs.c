/* SPDX-License-Identifier: Apache-2.0
 *
 * Linux's completely fair scheduler: a queue for each CPU, ordered by virtual time; the thread with the least service
 * for its weight is next. Weights are balanced between CPUs by [DWRR]'s rule, and only as far as it goes.
 *
 * Source: [DWRR] ("Current scheduler", "Load balancing of CFS", "Limitations of CFS"); Linux 2.6.23 to 6.5,
 * kernel/sched/fair.c. Taken from there:
 *   - a period of tuning.latency in which each thread runs once; with more than tuning.latency_threads (or if
 *     tuning.granularity per thread requires it) a granularity for each; a thread's slice is its weighted share of the
 *     period, at least the granularity;
 *   - min_vruntime: a virtual time of the CPU that never decreases. A new thread is placed one slice behind it, a
 *     sleeper at most half a latency before it; a migrating thread keeps its distance to it;
 *   - a woken thread preempts if it is behind by more than the granularity for its weight, and is then preferred
 *     (Linux: next buddy); otherwise the current thread continues, even if others are before it;
 *   - a thread that yields lets the second one run, if that is at most the granularity ahead;
 *   - a CPU that becomes idle pulls one thread from the busiest; an idle CPU gets a cl_resched when there is work.
 * Left out: groups, domains of CPUs (there is one), decaying load averages (load is the sum of weights, as in [DWRR]),
 * the 25 % imbalance that Linux requires before it balances (not mentioned by [DWRR]).
 *
 * Cost: O(log n) a decision, n threads of the CPU; cl_fair.h has the cost of balancing.
 * Bound: on one CPU about a period of latency. Between CPUs none: [DWRR]'s counter-example (weights 1024 and 4 x 335
 * on two CPUs: 158 should move, half the lightest is 167.5, nothing moves) persists for ever, with a ratio of 4 where
 * the weights say 3.06. */
#include "cl_fair.h"

struct cfs_cpu {
  struct cl_tree tree;      /* of those that wait; key = vtime */
  uint64_t least;           /* the least virtual time here, but it never goes back */
  struct cl_entity *prefer; /* of those that wait, unless another is too far behind; or NULL */
  struct cl_entity *skip;   /* it has yielded; or NULL */
  struct cl_entity *last;   /* it has been preempted just now: its slice goes on; or NULL */
  cl_time used;             /* what the current thread has run since it was picked */
  cl_time since;            /* when it was charged last */
};

static struct cfs_cpu *cfs_of(const struct cl_machine *m, uint32_t cpu) { return m->cpu[cpu].state; }

static void cfs_init(struct cl_machine *m) { cl_queues_init(m); }

static uint32_t cfs_place(const struct cl_machine *m, const struct cl_entity *e) {
  return cl_queues_place(m, e, cl_is_new(e));
}

/* Its part of the period among the threads of its CPU, `threads` of them with this load. */
static cl_time cfs_slice(const struct cl_machine *m, const struct cl_entity *e, uint32_t threads, uint64_t load) {
  cl_time period = threads * m->tuning.granularity;
  bool fits = m->tuning.latency_threads ? threads <= m->tuning.latency_threads : period < m->tuning.latency;
  if (fits) period = m->tuning.latency;
  cl_time slice = cl_part(period, e->weight, load);
  if (slice < m->tuning.granularity) slice = m->tuning.granularity;
  return slice ? slice : 1;
}

/* The current thread's time, including the part that it has not been charged for yet. */
static uint64_t cfs_current(const struct cl_machine *m, uint32_t cpu) {
  struct cl_entity *current = m->cpu[cpu].current;
  return current->vtime + cl_virtual(current, m->now - cfs_of(m, cpu)->since);
}

static void cfs_advance(const struct cl_machine *m, uint32_t cpu) {
  struct cfs_cpu *q = cfs_of(m, cpu);
  const struct cl_entity *current = m->cpu[cpu].current;
  if (!current && !q->tree.first) return;
  uint64_t least = current ? cfs_current(m, cpu) : q->tree.first->key;
  if (q->tree.first && cl_before(q->tree.first->key, least)) least = q->tree.first->key;
  if (cl_before(q->least, least)) q->least = least;
}

/* Into the queue of another CPU: the distance to its time stays. */
static void cfs_translate(const struct cl_machine *m, struct cl_entity *e, uint32_t to) {
  cfs_advance(m, (uint32_t)e->cpu);
  cfs_advance(m, to);
  e->vtime += cfs_of(m, to)->least - cfs_of(m, (uint32_t)e->cpu)->least;
}

static void cfs_add(struct cl_machine *m, uint32_t cpu, struct cl_entity *e) {
  e->node.key = e->vtime;
  cl_tree_add(&cfs_of(m, cpu)->tree, &e->node);
  cl_note_queued(m, cpu, e);
  cl_queues_note(m, cpu);
}

static void cfs_take(struct cl_machine *m, struct cl_entity *e) {
  struct cfs_cpu *q = cfs_of(m, (uint32_t)e->cpu);
  cl_tree_remove(&q->tree, &e->node);
  if (q->prefer == e) q->prefer = NULL;
  if (q->last == e) q->last = NULL;
  if (q->skip == e) q->skip = NULL;
}

static void cfs_move(struct cl_machine *m, struct cl_entity *e, uint32_t to) {
  uint32_t from = (uint32_t)e->cpu;
  cfs_take(m, e);
  cl_note_unqueued(m, e);
  cl_queues_note(m, from);
  cfs_translate(m, e, to);
  cfs_add(m, to, e);
  m->moved++;
}

/* Is it so far behind one that has come to this virtual time that it should run instead? */
static bool cfs_preempts(const struct cl_machine *m, struct cl_entity *e, uint64_t vtime) {
  return (int64_t)(vtime - e->vtime) > (int64_t)cl_virtual(e, m->tuning.granularity);
}

static void cfs_settle(struct cl_machine *m, uint32_t cpu, struct cl_entity *e, enum cl_why why) {
  struct cfs_cpu *q = cfs_of(m, cpu);
  if (why == CL_NEW) {
    const struct cl_cpu *c = &m->cpu[cpu];
    cl_time slice = cfs_slice(m, e, c->queued + (c->current != NULL) + 1, c->load + e->weight);
    e->vtime = q->least + cl_virtual(e, slice);
  } else if ((uint32_t)e->cpu != cpu) {
    cfs_translate(m, e, cpu);
  }
  if (why == CL_WOKEN) {
    uint64_t floor = q->least - (m->tuning.latency / 2) * CL_WEIGHT_NICE_0;
    if (cl_before(e->vtime, floor)) e->vtime = floor;
  }
}

static void cfs_enqueue(struct cl_machine *m, uint32_t cpu, struct cl_entity *e, enum cl_why why) {
  struct cfs_cpu *q = cfs_of(m, cpu);
  uint32_t from = (uint32_t)e->cpu;
  bool leaves = cl_leaves(cpu, e, why), was_current = e->current;
  cfs_advance(m, cpu);
  cfs_settle(m, cpu, e, why);
  bool first = !q->tree.first;
  cfs_add(m, cpu, e);
  if (was_current && from != cpu) cl_queues_note(m, from);
  if (leaves) {
    if (why == CL_YIELDED) q->skip = e;
    if (why == CL_PREEMPTED) q->last = e;
    if (why == CL_PREEMPTED && !q->prefer) q->prefer = e;
  } else if (cl_allowed(m, cpu, e)) {
    bool preempts = m->cpu[cpu].current && cfs_preempts(m, e, cfs_current(m, cpu));
    if (preempts) q->prefer = e;
    /* A current thread that was alone has been told to run for ever. */
    if (!m->cpu[cpu].current || first || preempts) cl_resched(m, cpu);
  }
  cl_queues_offer(m, e);
}

static void cfs_dequeue(struct cl_machine *m, struct cl_entity *e) {
  uint32_t cpu = (uint32_t)e->cpu;
  if (e->queued) cfs_take(m, e);
  cl_note_gone(m, e);
  cl_queues_note(m, cpu);
}

/* The thread that it prefers among those that wait on a CPU. */
static struct cl_entity *cfs_best(const struct cl_machine *m, uint32_t cpu) {
  const struct cfs_cpu *q = cfs_of(m, cpu);
  struct cl_entity *owner = m->cpu[cpu].owner;
  if (owner) return owner->queued && (uint32_t)owner->cpu == cpu ? owner : NULL;
  if (!q->tree.first) return NULL;
  struct cl_entity *first = cl_entity_of(q->tree.first);
  if (q->prefer && !cfs_preempts(m, first, q->prefer->vtime)) return q->prefer;
  if (first != q->skip) return first;
  struct cl_node *next = cl_tree_next(&first->node);
  return next && !cfs_preempts(m, first, cl_entity_of(next)->vtime) ? cl_entity_of(next) : first;
}

static struct cl_entity *cfs_pick(struct cl_machine *m, uint32_t cpu) {
  struct cfs_cpu *q = cfs_of(m, cpu);
  struct cl_entity *e = cfs_best(m, cpu);
  if (!e && !m->cpu[cpu].owner && cl_fair_pull(m, cpu, cfs_move)) e = cfs_best(m, cpu);
  if (e) {
    if (e != q->last) q->used = 0;
    cfs_take(m, e);
    cl_note_unqueued(m, e);
    cl_note_current(m, cpu, e);
    q->since = m->now;
  }
  q->prefer = q->skip = q->last = NULL;
  cl_queues_note(m, cpu);
  return e;
}

static cl_time cfs_tick(struct cl_machine *m, uint32_t cpu, cl_time ran) {
  struct cfs_cpu *q = cfs_of(m, cpu);
  struct cl_entity *e = m->cpu[cpu].current;
  e->vtime += cl_virtual(e, ran);
  q->used += ran;
  q->since = m->now;
  cfs_advance(m, cpu);
  if (!q->tree.first || m->cpu[cpu].owner) return CL_FOREVER;
  cl_time slice = cfs_slice(m, e, m->cpu[cpu].queued + 1, m->cpu[cpu].load);
  return slice > q->used ? slice - q->used : 0;
}

static uint32_t cfs_balance(struct cl_machine *m, uint32_t cpu) { return cl_fair_balance(m, cpu, cfs_move); }

static struct cl_entity *cfs_waiting(const struct cl_machine *m, uint32_t cpu) {
  struct cl_node *node = cfs_of(m, cpu)->tree.first;
  return node ? cl_entity_of(node) : NULL;
}

const struct cl_policy cl_cfs = {
    .name = "cfs",
    .text = "a tree by virtual run time for each CPU; weights balanced by the rule of Linux",
    .cpu_size = sizeof(struct cfs_cpu),
    .shared_size = sizeof(struct cl_queues),
    .init = cfs_init,
    .place = cfs_place,
    .enqueue = cfs_enqueue,
    .dequeue = cfs_dequeue,
    .pick = cfs_pick,
    .tick = cfs_tick,
    .balance = cfs_balance,
    .waiting = cfs_waiting,
};
