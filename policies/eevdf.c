/* SPDX-License-Identifier: Apache-2.0
 *
 * Earliest eligible virtual deadline first: a queue for each CPU; of the threads that have had at most their share, the
 * one with the earliest virtual deadline runs.
 *
 * Source: Stoica and Abdel-Wahab, "Earliest eligible virtual deadline first", 1995; Linux from 6.6,
 * kernel/sched/fair.c. As there:
 *   - V, the weighted average of the virtual times of a CPU's threads, is where all would be if served ideally; a
 *     thread's lag is V minus its virtual time; it is eligible while that is not negative;
 *   - a thread requests tuning.slice at a time: its deadline is its current virtual time plus slice / weight; the first
 *     request of a new thread is half a slice;
 *   - a request runs until it is served, unless a woken (or migrated) thread is eligible and has an earlier deadline;
 *   - a sleeping thread keeps its lag, at most two slices, and has the same lag when it returns: since its return
 *     shifts V, it is placed at lag x (W + w) / W before V (W: the others' weight, w: its own); a moved thread takes its
 *     lag and the time to its deadline along; on a CPU without threads lag is undefined;
 *   - a thread that yields requests one more slice.
 * Balancing is that of cfs.
 *
 * V is stored exactly, as a whole number and a remainder of W, so eligibility is a comparison; the tree is ordered by
 * deadline and keeps the least virtual time of each subtree. Time between two decisions must be below 2^42 (ns: an
 * hour). Cost: O(log n) a decision, n threads of the CPU; cl_fair.h has the cost of balancing. Bound (the paper's
 * theorem): on one CPU, threads that stay have a lag between - slice and + slice of service. Between CPUs none, as
 * for cfs. */
#include "cl_fair.h"

struct eevdf_cpu {
  struct cl_tree tree;    /* of those that wait; key = deadline */
  uint64_t average;       /* V = average + rest / weight, 0 <= rest < weight */
  int64_t rest;
  uint64_t weight;        /* of those that wait and the current one: its members */
  struct cl_entity *last; /* it has been preempted just now; or NULL */
  cl_time since;          /* when the current one was charged last */
};

/* In a thread: vtime; deadline, as long as it is no member: after vtime; left: in the tree the least vtime of its
 * subtree, as long as it is no member its lag; round and seen: cl_fair.h. */

static struct eevdf_cpu *eevdf_of(const struct cl_machine *m, uint32_t cpu) { return m->cpu[cpu].state; }

/* --- V ----------------------------------------------------------------------------------------- */

/* n / by rounded down, leaving the remainder: by 2^32 / by from below, exact to 2^-15, until nothing is left. */
static int64_t eevdf_divide(int64_t *n, uint64_t by) {
  uint32_t shift = 0;
  uint64_t top = by;
  for (; top >> 16; top >>= 1) shift++;
  uint32_t inverse = UINT32_MAX / ((uint32_t)top + (shift ? 1 : 0));
  bool negative = *n < 0;
  uint64_t rest = negative ? -(uint64_t)*n : (uint64_t)*n;
  uint64_t quotient = 0;
  while (rest >= by) {
    uint64_t step = cl_scale(rest >> shift, inverse, 32);
    if (!step) step = 1;
    rest -= step * by;
    quotient += step;
  }
  if (negative && rest) {
    quotient++;
    rest = by - rest;
  }
  *n = (int64_t)rest;
  return negative ? -(int64_t)quotient : (int64_t)quotient;
}

/* The sum of weight x vtime changes by this. */
static void eevdf_shift(struct eevdf_cpu *q, int64_t change) {
  q->rest += change;
  q->average += (uint64_t)eevdf_divide(&q->rest, q->weight);
}

static int64_t eevdf_ahead(const struct eevdf_cpu *q, const struct cl_entity *e) {
  return (int64_t)(e->vtime - q->average);
}

/* A thread becomes a member, with its lag. Placed at lag + lag x w / W before V it moves V back by lag x w / W. */
static void eevdf_join(const struct cl_machine *m, uint32_t cpu, struct cl_entity *e) {
  struct eevdf_cpu *q = eevdf_of(m, cpu);
  int64_t lag = 0, rest = 0;
  if (q->weight) {
    lag = e->left;
    rest = lag * (int64_t)e->weight;
    q->average -= (uint64_t)eevdf_divide(&rest, q->weight);
  }
  e->vtime = q->average - (uint64_t)lag;
  e->deadline += e->vtime;
  q->weight += e->weight;
  eevdf_shift(q, -rest);
}

/* A thread leaves the members; its lag is kept, up to two slices. */
static void eevdf_leave(const struct cl_machine *m, struct cl_entity *e) {
  struct eevdf_cpu *q = eevdf_of(m, (uint32_t)e->cpu);
  int64_t ahead = eevdf_ahead(q, e), most = (int64_t)cl_virtual(e, 2 * m->tuning.slice);
  e->left = ahead > most ? -most : ahead < -most ? most : -ahead;
  e->deadline -= e->vtime;
  q->weight -= e->weight;
  if (q->weight) eevdf_shift(q, -ahead * (int64_t)e->weight);
  else q->rest = 0;
}

static void eevdf_charge(struct eevdf_cpu *q, struct cl_entity *e, cl_time ran) {
  uint64_t time = cl_virtual(e, ran);
  e->vtime += time;
  eevdf_shift(q, (int64_t)(time * e->weight));
}

/* --- the tree ---------------------------------------------------------------------------------- */

static void eevdf_update(struct cl_node *node) {
  struct cl_entity *e = cl_entity_of(node);
  uint64_t least = e->vtime;
  if (node->left && cl_before((uint64_t)cl_entity_of(node->left)->left, least))
    least = (uint64_t)cl_entity_of(node->left)->left;
  if (node->right && cl_before((uint64_t)cl_entity_of(node->right)->left, least))
    least = (uint64_t)cl_entity_of(node->right)->left;
  e->left = (int64_t)least;
}

static void eevdf_add(struct cl_machine *m, uint32_t cpu, struct cl_entity *e) {
  e->node.key = e->deadline;
  cl_tree_add_with(&eevdf_of(m, cpu)->tree, &e->node, eevdf_update);
  cl_note_queued(m, cpu, e);
  cl_queues_note(m, cpu);
}

static void eevdf_take(struct cl_machine *m, struct cl_entity *e) {
  struct eevdf_cpu *q = eevdf_of(m, (uint32_t)e->cpu);
  cl_tree_remove_with(&q->tree, &e->node, eevdf_update);
  if (q->last == e) q->last = NULL;
}

/* The earliest deadline of those whose virtual time is not after V. */
static struct cl_entity *eevdf_earliest(const struct eevdf_cpu *q) {
  for (struct cl_node *node = q->tree.root; node;) {
    struct cl_node *left = node->left;
    if (left && !cl_before(q->average, (uint64_t)cl_entity_of(left)->left)) node = left;
    else if (eevdf_ahead(q, cl_entity_of(node)) <= 0) return cl_entity_of(node);
    else node = node->right;
  }
  return NULL;
}

static void eevdf_move(struct cl_machine *m, struct cl_entity *e, uint32_t to) {
  uint32_t from = (uint32_t)e->cpu;
  eevdf_take(m, e);
  eevdf_leave(m, e);
  cl_note_unqueued(m, e);
  cl_queues_note(m, from);
  eevdf_join(m, to, e);
  eevdf_add(m, to, e);
  m->moved++;
}

/* --- the interface ----------------------------------------------------------------------------- */

static void eevdf_init(struct cl_machine *m) { cl_queues_init(m); }

static uint32_t eevdf_place(const struct cl_machine *m, const struct cl_entity *e) {
  return cl_queues_place(m, e, cl_is_new(e));
}

/* The current thread's request goes on, but for one that is due earlier and eligible by now. */
static bool eevdf_preempts(const struct cl_machine *m, uint32_t cpu, const struct cl_entity *e) {
  const struct eevdf_cpu *q = eevdf_of(m, cpu);
  struct cl_entity *current = m->cpu[cpu].current;
  if (!cl_before(e->deadline, current->deadline)) return false;
  int64_t served = q->rest + (int64_t)(cl_virtual(current, m->now - q->since) * current->weight);
  return eevdf_ahead(q, e) <= eevdf_divide(&served, q->weight);
}

static void eevdf_enqueue(struct cl_machine *m, uint32_t cpu, struct cl_entity *e, enum cl_why why) {
  struct eevdf_cpu *q = eevdf_of(m, cpu);
  uint32_t from = (uint32_t)e->cpu;
  bool leaves = cl_leaves(cpu, e, why), was_current = e->current;
  uint64_t request = cl_virtual(e, m->tuning.slice);
  if (was_current && from != cpu) eevdf_leave(m, e);
  if (why == CL_NEW) e->left = 0;
  if (why == CL_NEW || why == CL_WOKEN) e->deadline = why == CL_NEW ? request / 2 : request;
  if (!was_current || from != cpu) eevdf_join(m, cpu, e);
  if (why == CL_USED || !cl_before(e->vtime, e->deadline)) e->deadline = e->vtime + request;
  if (why == CL_YIELDED) e->deadline += request;
  bool first = !q->tree.first;
  eevdf_add(m, cpu, e);
  if (was_current && from != cpu) cl_queues_note(m, from);
  if (leaves) q->last = why == CL_PREEMPTED ? e : NULL;
  else if (cl_allowed(m, cpu, e)) /* a current thread that was alone has been told to run for ever */
    if (!m->cpu[cpu].current || first || eevdf_preempts(m, cpu, e)) cl_resched(m, cpu);
  cl_queues_offer(m, e);
}

static void eevdf_dequeue(struct cl_machine *m, struct cl_entity *e) {
  uint32_t cpu = (uint32_t)e->cpu;
  if (e->queued) eevdf_take(m, e);
  eevdf_leave(m, e);
  cl_note_gone(m, e);
  cl_queues_note(m, cpu);
}

static struct cl_entity *eevdf_best(const struct cl_machine *m, uint32_t cpu) {
  const struct eevdf_cpu *q = eevdf_of(m, cpu);
  struct cl_entity *owner = m->cpu[cpu].owner;
  if (owner) return owner->queued && (uint32_t)owner->cpu == cpu ? owner : NULL;
  struct cl_entity *e = eevdf_earliest(q);
  return q->last && !(e && cl_before(e->deadline, q->last->deadline)) ? q->last : e;
}

static struct cl_entity *eevdf_pick(struct cl_machine *m, uint32_t cpu) {
  struct eevdf_cpu *q = eevdf_of(m, cpu);
  struct cl_entity *e = eevdf_best(m, cpu);
  if (!e && !m->cpu[cpu].owner && cl_fair_pull(m, cpu, eevdf_move)) e = eevdf_best(m, cpu);
  if (e) {
    eevdf_take(m, e);
    cl_note_unqueued(m, e);
    cl_note_current(m, cpu, e);
    q->since = m->now;
  }
  q->last = NULL;
  cl_queues_note(m, cpu);
  return e;
}

static cl_time eevdf_tick(struct cl_machine *m, uint32_t cpu, cl_time ran) {
  struct eevdf_cpu *q = eevdf_of(m, cpu);
  struct cl_entity *e = m->cpu[cpu].current;
  if (ran) eevdf_charge(q, e, ran);
  q->since = m->now;
  if (!q->tree.first || m->cpu[cpu].owner) return CL_FOREVER;
  if (!cl_before(e->vtime, e->deadline)) return 0;
  /* Virtual time to time, rounded; cl_virtual rounds up, so that this is enough. */
  return (cl_scale(e->deadline - e->vtime, e->weight, 19) + 1) >> 1;
}

static uint32_t eevdf_balance(struct cl_machine *m, uint32_t cpu) { return cl_fair_balance(m, cpu, eevdf_move); }

static struct cl_entity *eevdf_waiting(const struct cl_machine *m, uint32_t cpu) {
  struct cl_node *node = eevdf_of(m, cpu)->tree.first;
  return node ? cl_entity_of(node) : NULL;
}

const struct cl_policy cl_eevdf = {
    .name = "eevdf",
    .text = "the earliest virtual deadline of the eligible threads",
    .cpu_size = sizeof(struct eevdf_cpu),
    .shared_size = sizeof(struct cl_queues),
    .init = eevdf_init,
    .place = eevdf_place,
    .enqueue = eevdf_enqueue,
    .dequeue = eevdf_dequeue,
    .pick = eevdf_pick,
    .tick = eevdf_tick,
    .balance = eevdf_balance,
    .waiting = eevdf_waiting,
};
