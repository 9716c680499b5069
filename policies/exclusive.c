/* SPDX-License-Identifier: Apache-2.0
 *
 * Reserves a CPU for one thread, on top of any other policy (m->base): Golden-Finger.
 *
 * Source: [GF], section 3.1, figures 4 to 6. A request goes through its five states:
 *   0 validate  does the CPU exist, can it be reserved, may the thread run there
 *   1 list      close the CPU, dequeue the threads that wait for it, sum up their load and the current one's
 *   2 choose    of all other open CPUs the least loaded one, the lowest number of equals
 *   3 migrate   put them all there; the current thread follows when the CPU decides again (cl_resched)
 *   4 run       put the thread on the CPU, alone; back to 0
 * Beyond the paper: several CPUs may be reserved, but one stays open; a CPU can be released (reserve with NULL); the
 * thread may exist already, run elsewhere or sleep: its CPU stays idle for it. (A thread must release its CPU before it
 * ends.) While a thread owns a CPU, that CPU is its home, and cl_allowed() keeps all other threads off in the base. A
 * thread that is enqueued on a reserved CPU nevertheless goes where the migrated ones went, or to the least loaded CPU.
 * Threads placed on a CPU (home): while one is runnable, its CPU cannot be reserved (EBUSY). One that wakes later waits
 * until its CPU is released.
 *
 * Errors: EINVAL: no such CPU; the thread is placed on another one; release of a CPU that is not reserved. EBUSY:
 * reserved already; the last open CPU; a thread is placed there; the thread owns a CPU already.
 * Cost: that of the base, plus O(1). A reservation: O(threads that wait there + CPUs) calls of the base.
 * Bound: that of the base, on the open CPUs; the owner has its CPU whenever it is runnable. */
#include "cl_policy.h"

/* Error numbers, as in POSIX systems. */
enum { BUSY = 16, INVALID = 22 };

enum exclusive_state { GF_VALIDATE, GF_LIST, GF_CHOOSE, GF_MIGRATE, GF_RUN, GF_DONE };

struct exclusive { /* for all CPUs, behind the base's */
  uint32_t state;    /* 0 between requests */
  uint32_t reached;  /* the last state that the last request has come to */
  uint32_t cpu;      /* of the last request, */
  uint32_t threads;  /* how many had to leave it, */
  uint64_t load;     /* with what load, */
  uint32_t lightest; /* and where to */
  bool queued;       /* the owner was */
  struct cl_entity *owner;
  struct cl_list list; /* those that have left the queue */
};

struct exclusive_cpu { /* for each CPU, behind the base's */
  uint32_t placed;   /* runnable threads whose home it is, but for the owner */
  uint32_t lightest; /* where its threads went */
  int16_t home;      /* of the owner, before */
};

#define BEHIND(state, size) ((void *)((char *)(state) + (((size) + 7u) & ~7u)))
#define ALIGNMENT 8u /* what BEHIND may add */

static struct exclusive *exclusive_of(const struct cl_machine *m) { return BEHIND(m->shared, m->base->shared_size); }

static struct exclusive_cpu *exclusive_place_of(const struct cl_machine *m, uint32_t cpu) {
  return BEHIND(m->cpu[cpu].state, m->base->cpu_size);
}

static bool exclusive_runnable(const struct cl_entity *e) { return e->queued || e->current; }

static bool exclusive_owns(const struct cl_machine *m, const struct cl_entity *e) {
  return e->home != CL_ANY_CPU && m->cpu[(uint32_t)e->home].owner == e;
}

/* The open CPU with the least load, the owner's not counted. */
static uint32_t exclusive_lightest(const struct cl_machine *m, const struct cl_entity *owner) {
  uint32_t best = 0;
  uint64_t least = UINT64_MAX;
  for (uint32_t cpu = 0; cpu < m->cpus; cpu++) {
    if (m->cpu[cpu].owner) continue;
    uint64_t load = m->cpu[cpu].load;
    if (owner && exclusive_runnable(owner) && (uint32_t)owner->cpu == cpu) load -= owner->weight;
    if (load >= least) continue;
    best = cpu;
    least = load;
  }
  return best;
}

/* Where a thread goes that comes to this CPU. */
static uint32_t exclusive_redirected(const struct cl_machine *m, uint32_t cpu, const struct cl_entity *e) {
  if (cl_allowed(m, cpu, e)) return cpu;
  if (e->home != CL_ANY_CPU) return (uint32_t)e->home;
  uint32_t other = exclusive_place_of(m, cpu)->lightest;
  return m->cpu[cpu].owner && cl_allowed(m, other, e) ? other : exclusive_lightest(m, NULL);
}

/* --- the five states --------------------------------------------------------------------------- */

static int exclusive_validate(struct cl_machine *m, struct exclusive *x) {
  if (x->cpu >= m->cpus) return INVALID;
  if (m->cpu[x->cpu].owner || exclusive_owns(m, x->owner)) return BUSY;
  if (x->owner->home != CL_ANY_CPU && (uint32_t)x->owner->home != x->cpu) return INVALID;
  uint32_t placed = exclusive_place_of(m, x->cpu)->placed;
  if (x->owner->home != CL_ANY_CPU && exclusive_runnable(x->owner)) placed--;
  return m->open < 2 || placed ? BUSY : 0;
}

static int exclusive_list(struct cl_machine *m, struct exclusive *x) {
  struct cl_cpu *c = &m->cpu[x->cpu];
  struct exclusive_cpu *place = exclusive_place_of(m, x->cpu);
  if (x->owner->home != CL_ANY_CPU && exclusive_runnable(x->owner)) place->placed--;
  place->home = x->owner->home;
  x->owner->home = (int16_t)x->cpu;
  c->owner = x->owner;
  m->open--;

  x->queued = x->owner->queued;
  if (x->queued) m->base->dequeue(m, x->owner);
  bool leaves = c->current && c->current != x->owner;
  x->threads = leaves ? 1 : 0;
  x->load = leaves ? c->current->weight : 0;
  x->list = (struct cl_list){0};
  for (struct cl_entity *e; m->base->waiting && (e = m->base->waiting(m, x->cpu));) {
    m->base->dequeue(m, e);
    cl_list_append(&x->list, &e->node);
    x->threads++;
    x->load += e->weight;
  }
  return 0;
}

static int exclusive_choose(struct cl_machine *m, struct exclusive *x) {
  exclusive_place_of(m, x->cpu)->lightest = x->lightest = exclusive_lightest(m, x->owner);
  return 0;
}

static int exclusive_migrate(struct cl_machine *m, struct exclusive *x) {
  while (x->list.first) {
    struct cl_entity *e = cl_entity_of(x->list.first);
    cl_list_remove(&x->list, &e->node);
    m->base->enqueue(m, x->lightest, e, CL_MOVED);
    m->moved++;
  }
  if (m->cpu[x->cpu].current && m->cpu[x->cpu].current != x->owner) cl_resched(m, x->cpu);
  return 0;
}

static int exclusive_run(struct cl_machine *m, struct exclusive *x) {
  if (x->queued) m->base->enqueue(m, x->cpu, x->owner, CL_MOVED);
  if (x->owner->current && (uint32_t)x->owner->cpu != x->cpu) cl_resched(m, (uint32_t)x->owner->cpu);
  if (m->cpu[x->cpu].current != x->owner) cl_resched(m, x->cpu);
  return 0;
}

static int exclusive_take(struct cl_machine *m, uint32_t cpu, struct cl_entity *owner) {
  static int (*const states[GF_DONE])(struct cl_machine *, struct exclusive *) = {
      exclusive_validate, exclusive_list, exclusive_choose, exclusive_migrate, exclusive_run,
  };
  struct exclusive *x = exclusive_of(m);
  x->cpu = cpu;
  x->owner = owner;
  int error = 0;
  for (x->state = GF_VALIDATE; x->state < GF_DONE && !error; x->state++) {
    x->reached = x->state;
    error = states[x->state](m, x);
  }
  x->state = GF_VALIDATE;
  return error;
}

static int exclusive_give_back(struct cl_machine *m, uint32_t cpu) {
  struct cl_entity *owner = cpu < m->cpus ? m->cpu[cpu].owner : NULL;
  if (!owner) return INVALID;
  bool queued = owner->queued;
  if (queued) m->base->dequeue(m, owner);
  m->cpu[cpu].owner = NULL;
  m->open++;
  owner->home = exclusive_place_of(m, cpu)->home;
  if (queued) m->base->enqueue(m, cpu, owner, CL_MOVED);
  if (owner->home != CL_ANY_CPU && exclusive_runnable(owner)) exclusive_place_of(m, cpu)->placed++;
  cl_resched(m, cpu);
  return 0;
}

/* --- the interface ----------------------------------------------------------------------------- */

static void exclusive_init(struct cl_machine *m) { m->base->init(m); }

static uint32_t exclusive_place(const struct cl_machine *m, const struct cl_entity *e) {
  return exclusive_redirected(m, m->base->place(m, e), e);
}

static void exclusive_enqueue(struct cl_machine *m, uint32_t cpu, struct cl_entity *e, enum cl_why why) {
  if (!exclusive_runnable(e) && e->home != CL_ANY_CPU && !exclusive_owns(m, e))
    exclusive_place_of(m, (uint32_t)e->home)->placed++;
  uint32_t to = exclusive_redirected(m, cpu, e);
  if (to != cpu && e->current) {
    m->moved++;
    why = CL_MOVED;
  }
  m->base->enqueue(m, to, e, why);
}

static void exclusive_dequeue(struct cl_machine *m, struct cl_entity *e) {
  if (e->home != CL_ANY_CPU && !exclusive_owns(m, e)) exclusive_place_of(m, (uint32_t)e->home)->placed--;
  m->base->dequeue(m, e);
}

static struct cl_entity *exclusive_pick(struct cl_machine *m, uint32_t cpu) { return m->base->pick(m, cpu); }

static cl_time exclusive_tick(struct cl_machine *m, uint32_t cpu, cl_time ran) { return m->base->tick(m, cpu, ran); }

static uint32_t exclusive_balance(struct cl_machine *m, uint32_t cpu) {
  return m->base->balance && !m->cpu[cpu].owner ? m->base->balance(m, cpu) : 0;
}

static struct cl_entity *exclusive_waiting(const struct cl_machine *m, uint32_t cpu) {
  return m->base->waiting ? m->base->waiting(m, cpu) : NULL;
}

static int exclusive_reserve(struct cl_machine *m, uint32_t cpu, struct cl_entity *owner) {
  return owner ? exclusive_take(m, cpu, owner) : exclusive_give_back(m, cpu);
}

const struct cl_policy cl_exclusive = {
    .name = "exclusive",
    .text = "a CPU reserved for one thread, on top of any other policy",
    .cpu_size = sizeof(struct exclusive_cpu) + ALIGNMENT,
    .shared_size = sizeof(struct exclusive) + ALIGNMENT,
    .init = exclusive_init,
    .place = exclusive_place,
    .enqueue = exclusive_enqueue,
    .dequeue = exclusive_dequeue,
    .pick = exclusive_pick,
    .tick = exclusive_tick,
    .balance = exclusive_balance,
    .waiting = exclusive_waiting,
    .reserve = exclusive_reserve,
};
