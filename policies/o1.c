/* SPDX-License-Identifier: Apache-2.0
 *
 * Linux's O(1) scheduler: on each CPU a list for each of 140 priorities with a bitmap, twice: the active threads, and
 * those that have used up their time slice. When no thread is active the two change places.
 *
 * Source: [DWRR] ("The early 2.6 scheduler"), [GF] (fig. 3); Linux 2.6.0 to 2.6.22, kernel/sched.c. Taken from there:
 *   - the first bit set is the best priority, its list is served round-robin;
 *   - a time slice by nice, recomputed when it is used up: 800 ms at nice -20, 100 at 0, 5 at 19; here relative to
 *     tuning.slice, the slice of nice 0. So the shares are those of the slices: [DWRR]'s "5 %" from nice 0 to 1 and
 *     "50 %" from 18 to 19;
 *   - priorities below 100 are real-time: they stay active, each with the slice of nice 0; 120 is nice 0;
 *   - a woken thread is active, with the rest of its slice, and preempts one of lower priority; a preempted thread
 *     stays first in its list; a thread that yields waits until the arrays swap, a real-time one behind its equals;
 *   - balancing by number: if the busiest CPU has 25 % more threads, half the difference moves, expired threads first,
 *     then by priority, from the end of a list; an idle CPU moves threads even below the 25 %.
 * Left out: the bonus for interactive threads (it guesses from sleep times; without it no thread returns to the active
 * array early, so there is no starvation and no starvation limit), weights (Linux had none: only priorities count).
 *
 * Cost: O(1) a decision; to balance, O(CPUs) plus the threads moved or examined (at most 64).
 * Bound: an expired thread waits at most for the remaining slices of its CPU's active threads. Real-time threads can
 * starve all others. */
#include "cl_queues.h"

#define REALTIME 100u
#define NICE_0 120u
#define WORDS ((CL_PRIORITIES_MAX + 31) / 32)
#define LOOKS 64 /* threads looked at in one balance */

struct o1_array {
  uint32_t set[WORDS]; /* a bit for each list that is not empty */
  struct cl_list list[CL_PRIORITIES_MAX];
};

struct o1_cpu {
  struct o1_array array[2];
  uint32_t active; /* which of them */
};

struct o1 {
  struct cl_queues queues;
  cl_time slice; /* tuning.slice when this was worked out: */
  cl_time part;  /* a 20th of the slice of nice 0 */
};

/* In a thread: left; round = the array it is queued in; seen = it has been queued before. */

static struct o1_cpu *o1_of(const struct cl_machine *m, uint32_t cpu) { return m->cpu[cpu].state; }

static void o1_init(struct cl_machine *m) {
  struct o1 *o1 = m->shared;
  cl_queues_init(m);
  o1->part = 1;
}

/* A 20th of the slice, which its user may change at any time; divided 16 bits at a time. */
static cl_time o1_part(const struct cl_machine *m) {
  struct o1 *o1 = m->shared;
  if (o1->slice == m->tuning.slice) return o1->part;
  uint32_t rest = 0;
  o1->slice = m->tuning.slice;
  o1->part = 0;
  for (int shift = 48; shift >= 0; shift -= 16) {
    rest = rest << 16 | (uint32_t)(o1->slice >> shift & 0xffff);
    o1->part = o1->part << 16 | rest / 20;
    rest %= 20;
  }
  if (!o1->part) o1->part = 1;
  return o1->part;
}

static uint32_t o1_place(const struct cl_machine *m, const struct cl_entity *e) {
  return cl_queues_place(m, e, !e->seen);
}

static int64_t o1_slice(const struct cl_machine *m, const struct cl_entity *e) {
  uint32_t parts = e->priority < REALTIME ? 20 : CL_PRIORITIES_MAX - e->priority;
  if (e->priority >= REALTIME && e->priority < NICE_0) parts *= 4;
  return (int64_t)(o1_part(m) * parts);
}

/* The first list from this priority on that is not empty; CL_PRIORITIES_MAX: none. */
static uint32_t o1_from(const struct o1_array *array, uint32_t priority) {
  if (priority >= CL_PRIORITIES_MAX) return CL_PRIORITIES_MAX;
  uint32_t word = priority / 32;
  uint32_t bits = array->set[word] >> priority % 32 << priority % 32;
  while (!bits) {
    if (++word == WORDS) return CL_PRIORITIES_MAX;
    bits = array->set[word];
  }
  return word * 32 + (uint32_t)__builtin_ctz(bits);
}

static void o1_add(struct cl_machine *m, uint32_t cpu, struct cl_entity *e, uint32_t which, bool in_front) {
  struct o1_array *array = &o1_of(m, cpu)->array[which];
  (in_front ? cl_list_prepend : cl_list_append)(&array->list[e->priority], &e->node);
  array->set[e->priority / 32] |= 1u << e->priority % 32;
  e->round = which;
  cl_note_queued(m, cpu, e);
  cl_queues_note(m, cpu);
}

static void o1_take(struct cl_machine *m, struct cl_entity *e) {
  struct o1_array *array = &o1_of(m, (uint32_t)e->cpu)->array[e->round];
  struct cl_list *list = &array->list[e->priority];
  cl_list_remove(list, &e->node);
  if (!list->first) array->set[e->priority / 32] &= ~(1u << e->priority % 32);
}

static void o1_enqueue(struct cl_machine *m, uint32_t cpu, struct cl_entity *e, enum cl_why why) {
  uint32_t from = (uint32_t)e->cpu, active = o1_of(m, cpu)->active;
  bool leaves = cl_leaves(cpu, e, why), was_current = e->current;
  if (e->left <= 0) e->left = o1_slice(m, e);
  bool expires = (why == CL_USED || why == CL_YIELDED) && e->priority >= REALTIME;
  e->seen = 1;
  o1_add(m, cpu, e, expires ? !active : active, why == CL_PREEMPTED);
  if (was_current && from != cpu) cl_queues_note(m, from);
  const struct cl_entity *current = m->cpu[cpu].current;
  if (!leaves && cl_allowed(m, cpu, e) && (!current || e->priority < current->priority)) cl_resched(m, cpu);
  cl_queues_offer(m, e);
}

static void o1_dequeue(struct cl_machine *m, struct cl_entity *e) {
  uint32_t cpu = (uint32_t)e->cpu;
  if (e->queued) o1_take(m, e);
  cl_note_gone(m, e);
  cl_queues_note(m, cpu);
}

/* --- moving ------------------------------------------------------------------------------------ */

static uint32_t o1_running(const struct cl_machine *m, uint32_t cpu) {
  return m->cpu[cpu].queued + (m->cpu[cpu].current != NULL);
}

/* Up to `amount` threads of one array, from the best priority on, of each list from its end. */
static uint32_t o1_move(struct cl_machine *m, uint32_t from, uint32_t to, uint32_t which, uint32_t amount, int *looks) {
  struct o1_array *array = &o1_of(m, from)->array[which];
  uint32_t moved = 0;
  for (uint32_t at = o1_from(array, 0); at < CL_PRIORITIES_MAX; at = o1_from(array, at + 1)) {
    for (struct cl_node *node = array->list[at].last, *before; node; node = before) {
      struct cl_entity *e = cl_entity_of(node);
      before = node->parent;
      if (moved == amount || (*looks)-- <= 0) return moved;
      if (!cl_allowed(m, to, e)) continue;
      o1_take(m, e);
      cl_note_unqueued(m, e);
      o1_add(m, to, e, o1_of(m, to)->active, false);
      m->moved++;
      moved++;
    }
  }
  return moved;
}

static uint32_t o1_move_any(struct cl_machine *m, uint32_t from, uint32_t to, uint32_t amount) {
  uint32_t expired = !o1_of(m, from)->active;
  int looks = LOOKS;
  uint32_t moved = o1_move(m, from, to, expired, amount, &looks);
  if (moved < amount) moved += o1_move(m, from, to, !expired, amount - moved, &looks);
  cl_queues_note(m, from);
  return moved;
}

static uint32_t o1_balance(struct cl_machine *m, uint32_t cpu) {
  if (m->cpu[cpu].owner) return 0;
  uint32_t busiest = cpu;
  for (uint32_t other = 0; other < m->cpus; other++)
    if (!m->cpu[other].owner && o1_running(m, other) > o1_running(m, busiest)) busiest = other;
  uint32_t own = o1_running(m, cpu), most = o1_running(m, busiest), more = most - own;
  if (4 * more < most) return 0;
  uint32_t moved = o1_move_any(m, busiest, cpu, more / 2);
  if (moved) cl_resched(m, cpu);
  return moved;
}

/* A CPU with nothing to do: half of what the busiest has from which it may take something. */
static bool o1_pull(struct cl_machine *m, uint32_t cpu) {
  const struct cl_queues *queues = m->shared;
  uint32_t tried = cpu, had = UINT32_MAX; /* the last one asked in vain, and how many threads it had */
  for (;;) {
    uint32_t busiest = cpu, most = 0;
    for (uint32_t from = cl_set_from(&queues->waiting, 0); from < m->cpus;
         from = cl_set_from(&queues->waiting, from + 1)) {
      uint32_t running = o1_running(m, from);
      bool asked = running > had || (running == had && from <= tried);
      if (from == cpu || running <= most || asked || !cl_queues_spare(m, from)) continue;
      busiest = from;
      most = running;
    }
    if (!most) return false;
    if (o1_move_any(m, busiest, cpu, most / 2)) return true;
    tried = busiest;
    had = most;
  }
}

/* --- choosing ---------------------------------------------------------------------------------- */

static struct cl_entity *o1_best(const struct cl_machine *m, uint32_t cpu) {
  struct o1_cpu *q = o1_of(m, cpu);
  struct cl_entity *owner = m->cpu[cpu].owner;
  if (owner) return owner->queued && (uint32_t)owner->cpu == cpu ? owner : NULL;
  for (int swaps = 0; swaps < 2; swaps++) {
    const struct o1_array *array = &q->array[q->active];
    uint32_t priority = o1_from(array, 0);
    if (priority < CL_PRIORITIES_MAX) return cl_entity_of(array->list[priority].first);
    q->active = !q->active;
  }
  return NULL;
}

static struct cl_entity *o1_pick(struct cl_machine *m, uint32_t cpu) {
  struct cl_entity *e = o1_best(m, cpu);
  if (!e && !m->cpu[cpu].owner && o1_pull(m, cpu)) e = o1_best(m, cpu);
  if (e) {
    o1_take(m, e);
    cl_note_unqueued(m, e);
    cl_note_current(m, cpu, e);
  }
  cl_queues_note(m, cpu);
  return e;
}

static cl_time o1_tick(struct cl_machine *m, uint32_t cpu, cl_time ran) {
  struct cl_entity *e = m->cpu[cpu].current;
  e->left -= (int64_t)ran;
  return e->left > 0 ? (cl_time)e->left : 0;
}

static struct cl_entity *o1_waiting(const struct cl_machine *m, uint32_t cpu) {
  const struct o1_cpu *q = o1_of(m, cpu);
  for (int i = 0; i < 2; i++) {
    uint32_t priority = o1_from(&q->array[i], 0);
    if (priority < CL_PRIORITIES_MAX) return cl_entity_of(q->array[i].list[priority].first);
  }
  return NULL;
}

const struct cl_policy cl_o1 = {
    .name = "o1",
    .text = "lists for 140 priorities and a bitmap for each CPU, active and expired; balanced by number",
    .cpu_size = sizeof(struct o1_cpu),
    .shared_size = sizeof(struct o1),
    .init = o1_init,
    .place = o1_place,
    .enqueue = o1_enqueue,
    .dequeue = o1_dequeue,
    .pick = o1_pick,
    .tick = o1_tick,
    .balance = o1_balance,
    .waiting = o1_waiting,
};
