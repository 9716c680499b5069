/* SPDX-License-Identifier: Apache-2.0
 *
 * A small deterministic user of any policy, for the tests: it keeps time, serves cl_resched (lowest CPU first), ends slices
 * exactly (or at ticks of `grain`), and checks what every policy must keep. Called from machine.py by ctypes.
 *
 * The machine, its threads and all memory of the policy lie in one block, so a copy of it is a copy of everything:
 * that is how drain() asks a policy for its queues without knowing them. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cl_policy.h"

#define ALIGNED(bytes) (((size_t)(bytes) + 63) / 64 * 64)
#define NO_THREAD (-1)

struct thread {
  struct cl_entity e;
  bool born;     /* it has been enqueued before */
  bool runnable; /* as its user sees it */
  int32_t ran_on;
  uint64_t service;
};

struct cpu {
  bool need_resched;
  int32_t last;   /* the thread that ran here last */
  cl_time since;  /* charged up to then */
  cl_time until;  /* the next look at its current thread */
};

struct host {
  struct cl_machine m; /* first: cl_resched gets its address */
  size_t bytes;
  uint32_t threads;
  cl_time grain;
  struct thread *thread;
  struct cpu *cpu;
  uint64_t switches, migrations;
  char error[256];
};

/* What Python sees of a thread. */
struct view {
  uint64_t service, vtime, deadline, key;
  int64_t left;
  uint32_t round, seen;
  int32_t cpu;
  uint8_t queued, current, runnable;
};

#define POLICY(name) extern const struct cl_policy name;
POLICIES
#undef POLICY
#define POLICY(name) &name,
static const struct cl_policy *const policies[] = {POLICIES};

static void fail(struct host *h, const char *format, ...) {
  if (h->error[0]) return;
  va_list values;
  va_start(values, format);
  vsnprintf(h->error, sizeof h->error, format, values);
  va_end(values);
}

static const struct cl_policy *policy_of(const char *name, size_t length) {
  for (size_t i = 0; i < sizeof policies / sizeof *policies; i++)
    if (strlen(policies[i]->name) == length && !memcmp(policies[i]->name, name, length)) return policies[i];
  return NULL;
}

void cl_resched(struct cl_machine *m, uint32_t cpu) {
  struct host *h = (struct host *)(void *)m;
  if (cpu >= m->cpus) fail(h, "cl_resched(%u): there is no such CPU", cpu);
  else h->cpu[cpu].need_resched = true;
}

/* --- life -------------------------------------------------------------------------------------- */

/* NULL: there is no such policy. */
struct host *host_new(const char *name, uint32_t cpus, uint32_t threads, const uint64_t tuning[6], cl_time grain) {
  const char *colon = strchr(name, ':');
  const struct cl_policy *policy = policy_of(name, colon ? (size_t)(colon - name) : strlen(name));
  const struct cl_policy *base = colon ? policy_of(colon + 1, strlen(colon + 1)) : NULL;
  if (!policy || (colon && !base)) return NULL;
  size_t state = ALIGNED(policy->cpu_size + (base ? base->cpu_size : 0));
  size_t shared = ALIGNED(policy->shared_size + (base ? base->shared_size : 0));
  size_t at_threads = ALIGNED(sizeof(struct host)), at_cpus = at_threads + ALIGNED(threads * sizeof(struct thread));
  size_t at_mine = at_cpus + ALIGNED(cpus * sizeof(struct cl_cpu));
  size_t at_state = at_mine + ALIGNED(cpus * sizeof(struct cpu));
  size_t bytes = at_state + cpus * state + shared;
  char *block = aligned_alloc(64, bytes);
  if (!block) return NULL;
  memset(block, 0, bytes);
  struct host *h = (struct host *)(void *)block;
  h->bytes = bytes;
  h->threads = threads;
  h->grain = grain;
  h->thread = (struct thread *)(void *)(block + at_threads);
  h->cpu = (struct cpu *)(void *)(block + at_mine);
  h->m = (struct cl_machine){
      .cpus = cpus,
      .policy = policy,
      .base = base,
      .tuning = {tuning[0], tuning[1], tuning[2], tuning[3], (uint32_t)tuning[4], (uint32_t)tuning[5]},
      .cpu = (struct cl_cpu *)(void *)(block + at_cpus),
      .shared = block + at_state + cpus * state,
      .open = cpus,
  };
  for (uint32_t i = 0; i < cpus; i++) {
    h->m.cpu[i].state = block + at_state + i * state;
    h->cpu[i].last = NO_THREAD;
    h->cpu[i].until = CL_FOREVER;
  }
  policy->init(&h->m);
  return h;
}

void host_free(struct host *h) { free(h); }

void host_thread(struct host *h, uint32_t id, uint32_t weight, uint32_t priority, int32_t home, bool realtime) {
  struct thread *t = &h->thread[id];
  t->ran_on = NO_THREAD;
  t->e.id = id;
  t->e.weight = weight;
  t->e.priority = (uint16_t)priority;
  t->e.home = (int16_t)home;
  t->e.realtime = realtime;
}

/* From now on only this CPU may run it, or any. */
void host_home(struct host *h, uint32_t id, int32_t home) { h->thread[id].e.home = (int16_t)home; }

void host_slice(struct host *h, cl_time slice) { h->m.tuning.slice = slice; }

/* --- the user's loop --------------------------------------------------------------------------- */

static struct thread *thread_of(struct cl_entity *e) { return (struct thread *)(void *)e; }

/* Charge the current thread up to now; what tick answers. */
static cl_time charge(struct host *h, uint32_t cpu) {
  cl_time ran = h->m.now - h->cpu[cpu].since;
  h->cpu[cpu].since = h->m.now;
  thread_of(h->m.cpu[cpu].current)->service += ran;
  return h->m.policy->tick(&h->m, cpu, ran);
}

static void look_again_in(struct host *h, uint32_t cpu, cl_time time) {
  cl_time until = time > CL_FOREVER - h->m.now ? CL_FOREVER : h->m.now + time;
  if (h->grain && until != CL_FOREVER) until = (until + h->grain - 1) / h->grain * h->grain;
  h->cpu[cpu].until = until;
}

/* A CPU without current picks. */
static void look(struct host *h, uint32_t cpu) {
  struct cpu *c = &h->cpu[cpu];
  for (int tries = 0; tries < 100000; tries++) {
    c->need_resched = false;
    c->until = CL_FOREVER;
    struct cl_entity *e = h->m.policy->pick(&h->m, cpu);
    if (e != h->m.cpu[cpu].current) fail(h, "pick of CPU %u does not answer its current thread", cpu);
    if (!e) return;
    struct thread *t = thread_of(e);
    if (!t->runnable) fail(h, "CPU %u picks thread %u, which is not runnable", cpu, e->id);
    if (!cl_allowed(&h->m, cpu, e)) fail(h, "CPU %u picks thread %u, which may not run there", cpu, e->id);
    if (e->queued || !e->current || (uint32_t)e->cpu != cpu)
      fail(h, "CPU %u picks thread %u, which is not marked as current there", cpu, e->id);
    if (h->error[0]) return;
    c->since = h->m.now;
    cl_time time = h->m.policy->tick(&h->m, cpu, 0);
    if (time) {
      if (c->last != (int32_t)e->id) h->switches++;
      if (t->ran_on != NO_THREAD && t->ran_on != (int32_t)cpu) h->migrations++;
      c->last = (int32_t)e->id;
      t->ran_on = (int32_t)cpu;
      look_again_in(h, cpu, time);
      return;
    }
    h->m.policy->enqueue(&h->m, cpu, e, CL_USED);
  }
  fail(h, "CPU %u picks for ever at time %llu", cpu, (unsigned long long)h->m.now);
}

/* Serve each cl_resched. */
void host_settle(struct host *h) {
  for (uint32_t served = 0; !h->error[0]; served++) {
    uint32_t cpu = 0;
    while (cpu < h->m.cpus && !h->cpu[cpu].need_resched) cpu++;
    if (cpu == h->m.cpus) return;
    if (served > 1000 + 10 * h->m.cpus) {
      fail(h, "cl_resched(%u) is called for ever at time %llu", cpu, (unsigned long long)h->m.now);
      return;
    }
    h->cpu[cpu].need_resched = false;
    if (h->m.cpu[cpu].current) {
      charge(h, cpu);
      if (h->m.cpu[cpu].current) h->m.policy->enqueue(&h->m, cpu, h->m.cpu[cpu].current, CL_PREEMPTED);
    }
    look(h, cpu);
  }
}

void host_wake(struct host *h, uint32_t id) {
  struct thread *t = &h->thread[id];
  if (t->runnable) return;
  t->runnable = true;
  uint32_t cpu = h->m.policy->place(&h->m, &t->e);
  h->m.policy->enqueue(&h->m, cpu, &t->e, t->born ? CL_WOKEN : CL_NEW);
  t->born = true;
}

void host_block(struct host *h, uint32_t id) {
  struct thread *t = &h->thread[id];
  if (!t->runnable) return;
  uint32_t cpu = (uint32_t)t->e.cpu;
  if (t->e.current) charge(h, cpu);
  bool current = t->e.current;
  t->runnable = false;
  h->m.policy->dequeue(&h->m, &t->e);
  if (current) look(h, cpu);
}

void host_yield(struct host *h, uint32_t cpu) {
  if (!h->m.cpu[cpu].current) return;
  charge(h, cpu);
  struct cl_entity *e = h->m.cpu[cpu].current;
  if (e) h->m.policy->enqueue(&h->m, cpu, e, CL_YIELDED);
  look(h, cpu);
}

/* To the next end of a slice, but not beyond `until`. Whether a slice has ended. */
bool host_step(struct host *h, cl_time until) {
  host_settle(h);
  uint32_t cpu = 0;
  for (uint32_t i = 1; i < h->m.cpus; i++)
    if (h->cpu[i].until < h->cpu[cpu].until) cpu = i;
  cl_time next = h->cpu[cpu].until;
  if (next > until || h->error[0]) {
    if (h->m.now < until) h->m.now = until;
    return false;
  }
  h->m.now = next;
  cl_time time = charge(h, cpu);
  if (h->m.cpu[cpu].current && time) {
    look_again_in(h, cpu, time);
  } else {
    if (h->m.cpu[cpu].current) h->m.policy->enqueue(&h->m, cpu, h->m.cpu[cpu].current, CL_USED);
    look(h, cpu);
  }
  host_settle(h);
  return true;
}

uint32_t host_balance(struct host *h, uint32_t cpu) {
  return h->m.policy->balance ? h->m.policy->balance(&h->m, cpu) : 0;
}

int host_reserve(struct host *h, uint32_t cpu, int32_t id) {
  return h->m.policy->reserve(&h->m, cpu, id < 0 ? NULL : &h->thread[id].e);
}

/* For a policy without reserve: as exclusive would set it, with nobody else there. */
void host_own(struct host *h, uint32_t cpu, int32_t id) {
  if (!h->m.cpu[cpu].owner != (id < 0)) h->m.open += id < 0 ? 1u : -1u;
  h->m.cpu[cpu].owner = id < 0 ? NULL : &h->thread[id].e;
}

/* --- looking ----------------------------------------------------------------------------------- */

uint64_t host_now(const struct host *h) { return h->m.now; }
uint64_t host_moved(const struct host *h) { return h->m.moved; }
uint64_t host_held(const struct host *h) { return h->m.held; }
uint64_t host_switches(const struct host *h) { return h->switches; }
uint64_t host_migrations(const struct host *h) { return h->migrations; }
uint64_t host_load(const struct host *h, uint32_t cpu) { return h->m.cpu[cpu].load; }
uint32_t host_queued(const struct host *h, uint32_t cpu) { return h->m.cpu[cpu].queued; }
bool host_need_resched(const struct host *h, uint32_t cpu) { return h->cpu[cpu].need_resched; }
const char *host_error(const struct host *h) { return h->error; }
const void *host_shared(const struct host *h) { return h->m.shared; }
const void *host_state(const struct host *h, uint32_t cpu) { return h->m.cpu[cpu].state; }

void host_resched(struct host *h, uint32_t cpu) { cl_resched(&h->m, cpu); }

void host_clear_resched(struct host *h) {
  for (uint32_t i = 0; i < h->m.cpus; i++) h->cpu[i].need_resched = false;
}

int32_t host_current(const struct host *h, uint32_t cpu) {
  return h->m.cpu[cpu].current ? (int32_t)h->m.cpu[cpu].current->id : NO_THREAD;
}

void host_view(const struct host *h, uint32_t id, struct view *view) {
  const struct thread *t = &h->thread[id];
  const struct cl_entity *e = &t->e;
  uint64_t running = e->current ? h->m.now - h->cpu[(uint32_t)e->cpu].since : 0;
  *view = (struct view){
      t->service + running, e->vtime,    e->deadline, e->node.key, e->left, e->round, e->seen, e->cpu, e->queued,
      e->current,           t->runnable,
  };
}

void host_services(const struct host *h, uint64_t *services) {
  for (uint32_t i = 0; i < h->threads; i++) {
    struct view view;
    host_view(h, i, &view);
    services[i] = view.service;
  }
}

/* The order in which the policy would run threads on the CPUs `from` to `to` if each left at once. */
static uint32_t drain(struct host *h, uint32_t from, uint32_t to, int32_t *order) {
  uint32_t n = 0;
  for (bool more = true; more && !h->error[0];) {
    more = false;
    for (uint32_t cpu = from; cpu < to; cpu++) {
      struct cl_entity *e = h->m.cpu[cpu].current;
      if (!e) e = h->m.policy->pick(&h->m, cpu);
      if (!e) continue;
      more = true;
      if (n >= h->threads || e->queued || !e->current) {
        fail(h, "thread %u is queued twice", e->id);
        break;
      }
      order[n++] = (int32_t)e->id;
      h->m.policy->dequeue(&h->m, e);
    }
  }
  return n;
}

static uint32_t drain_copy(struct host *h, uint32_t from, uint32_t to, int32_t *order) {
  void *copy = malloc(h->bytes);
  if (!copy) abort();
  memcpy(copy, h, h->bytes);
  uint32_t n = drain(h, from, to, order);
  char error[sizeof h->error];
  memcpy(error, h->error, sizeof error);
  memcpy(h, copy, h->bytes);
  memcpy(h->error, error, sizeof error);
  free(copy);
  return n;
}

/* The current thread of a CPU, then whom it would pick. */
uint32_t host_order(struct host *h, uint32_t cpu, int32_t *order) { return drain_copy(h, cpu, cpu + 1, order); }

/* --- what every policy must keep --------------------------------------------------------------- */

static bool runs_somewhere(const struct host *h, const struct cl_entity *e) {
  for (uint32_t cpu = 0; cpu < h->m.cpus; cpu++)
    if (cl_allowed(&h->m, cpu, e)) return true;
  return false;
}

static void check_thread(struct host *h, const struct thread *t) {
  const struct cl_entity *e = &t->e;
  if (e->queued + e->current != t->runnable)
    fail(h, "thread %u: runnable %d, queued %d, current %d", e->id, t->runnable, e->queued, e->current);
  if (e->current && h->m.cpu[(uint32_t)e->cpu].current != e) fail(h, "thread %u is not current on its CPU", e->id);
  if (e->current && !cl_allowed(&h->m, (uint32_t)e->cpu, e))
    fail(h, "thread %u runs on CPU %d, which it may not use", e->id, e->cpu);
}

static void check_cpu(struct host *h, uint32_t cpu, bool busy) {
  const struct cl_cpu *c = &h->m.cpu[cpu];
  uint64_t load = 0;
  uint32_t queued = 0;
  for (uint32_t i = 0; i < h->threads; i++) {
    const struct cl_entity *e = &h->thread[i].e;
    if (busy && !c->current && e->queued && cl_allowed(&h->m, cpu, e))
      fail(h, "CPU %u is idle while thread %u waits", cpu, e->id);
    if ((uint32_t)e->cpu != cpu || !h->thread[i].runnable) continue;
    load += e->weight;
    queued += e->queued;
  }
  if (c->queued != queued) fail(h, "CPU %u counts %u queued threads, it has %u", cpu, c->queued, queued);
  if (c->load != load)
    fail(h, "CPU %u counts a load of %llu, it has %llu", cpu, (unsigned long long)c->load, (unsigned long long)load);
  if (c->current && (!c->current->current || (uint32_t)c->current->cpu != cpu))
    fail(h, "CPU %u has a current thread that does not know it", cpu);
}

/* busy: no CPU may be idle while a thread that it may run waits. */
void host_check(struct host *h, bool busy) {
  for (uint32_t i = 0; i < h->threads; i++) check_thread(h, &h->thread[i]);
  for (uint32_t cpu = 0; cpu < h->m.cpus; cpu++) check_cpu(h, cpu, busy);
  if (h->error[0]) return;
  int32_t *order = malloc((h->threads + 1) * sizeof *order);
  uint8_t *seen = calloc(h->threads + 1, 1);
  if (!order || !seen) abort();
  uint32_t n = drain_copy(h, 0, h->m.cpus, order);
  for (uint32_t i = 0; i < n; i++)
    if (seen[order[i]]++) fail(h, "thread %d is queued twice", order[i]);
  for (uint32_t i = 0; i < h->threads; i++) {
    const struct thread *t = &h->thread[i];
    if (seen[i] && !t->runnable) fail(h, "thread %u is queued, but not runnable", i);
    if (!seen[i] && t->runnable && runs_somewhere(h, &t->e)) fail(h, "thread %u is in no queue", i);
  }
  free(order);
  free(seen);
}
