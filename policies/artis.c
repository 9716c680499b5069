/* SPDX-License-Identifier: Apache-2.0
 *
 * ARTiS: the CPUs are in two groups, RT (0 to tuning.realtime_cpus - 1) and NRT, and so are the threads (realtime).
 * RT threads run on RT CPUs, so the other threads do not delay them; yet no CPU idles.
 *
 * Source: [GF], section 2.2; Piel, Marquet, Soula, Dekeyser, "Asymmetric real-time scheduler on multi-processor
 * architecture", 2006. From there:
 *   - NRT threads use an RT CPU while it has no RT thread, and leave it when one arrives;
 *   - RT threads beyond the number of RT CPUs go to NRT CPUs, ahead of the NRT threads there, and return as soon as an
 * RT
 *     CPU has no RT thread;
 *   - a CPU accesses only its own run queue. A thread that leaves goes into the task FIFO of its kind; a CPU takes one
 *     from there when it decides: an RT CPU from the FIFO of RT threads, an NRT CPU from that of the others; from the
 *     other FIFO, an RT CPU if it has no RT thread, and an NRT CPU if it has no thread at all. A CPU that needs work
 *     asks (cl_resched) a CPU that has too much, which then gives a thread away.
 * Left open by the paper, here: RT and NRT threads take turns with tuning.slice each, in order of arrival. Balancing
 * equalises the number of threads on the CPUs that NRT threads may use, one thread at a time.
 * Left out: RT0 threads, which may never leave the RT group (place them instead); migrating a thread when it disables
 * preemption.
 *
 * Cost: O(1) a decision, and O(1) for each thread given away; a search for the CPU with the fewest threads, O(CPUs),
 * for a thread that finds no free CPU.
 * Bound: an RT thread runs at once while there are no more RT threads than RT CPUs. A thread in a FIFO waits at most
 * until each CPU of its group has decided: a slice for each thread ahead of it. */
#include "cl_policy.h"

enum { NRT, RT };

/* In a thread: left; seen, while it is queued: */
enum {
  LOOSE = 1, /* it may run anywhere */
  MOVING = 2 /* in a FIFO; it counts for the CPU that it has left */
};

struct artis_cpu {
  struct cl_list list[2]; /* NRT and RT threads that wait here, */
  uint32_t waiting[2];    /* how many, */
  uint32_t loose[2];      /* and how many of them may go elsewhere */
};

struct artis {
  struct cl_list fifo[2];  /* NRT and RT threads that move */
  struct cl_cpuset idle;   /* CPUs with nothing to do that have not been called yet */
  struct cl_cpuset free;   /* RT CPUs with no RT thread that have not been called yet */
  struct cl_cpuset called; /* CPUs that will look at a FIFO */
  struct cl_cpuset asked;  /* CPUs where RT threads run or wait that an RT CPU should have */
  struct cl_cpuset giving; /* CPUs with threads that wait and may go elsewhere */
};

static struct artis *artis_all(const struct cl_machine *m) { return m->shared; }
static struct artis_cpu *artis_of(const struct cl_machine *m, uint32_t cpu) { return m->cpu[cpu].state; }

static uint32_t artis_border(const struct cl_machine *m) {
  return m->tuning.realtime_cpus < m->cpus ? m->tuning.realtime_cpus : m->cpus;
}

static int artis_group(const struct cl_machine *m, uint32_t cpu) { return cpu < artis_border(m) ? RT : NRT; }
static int artis_kind(const struct cl_entity *e) { return e->realtime ? RT : NRT; }

/* RT threads that wait on a CPU or run there. */
static uint32_t artis_realtime(const struct cl_machine *m, uint32_t cpu) {
  const struct cl_entity *current = m->cpu[cpu].current;
  return artis_of(m, cpu)->waiting[RT] + (current && current->realtime);
}

static uint32_t artis_threads(const struct cl_machine *m, uint32_t cpu) {
  const struct artis_cpu *q = artis_of(m, cpu);
  return q->waiting[RT] + q->waiting[NRT] + (m->cpu[cpu].current != NULL);
}

static void artis_put(struct cl_cpuset *set, uint32_t cpu, bool in) { (in ? cl_set_add : cl_set_remove)(set, cpu); }

/* To be called for a CPU whose queue or current thread has changed. */
static void artis_note(struct cl_machine *m, uint32_t cpu) {
  struct artis *all = artis_all(m);
  const struct artis_cpu *q = artis_of(m, cpu);
  const struct cl_cpu *c = &m->cpu[cpu];
  bool rt = artis_group(m, cpu) == RT, runs_rt = c->current && c->current->realtime;
  artis_put(&all->idle, cpu, !c->owner && !artis_threads(m, cpu));
  artis_put(&all->free, cpu, !c->owner && rt && !artis_realtime(m, cpu));
  bool strays = rt ? runs_rt && q->loose[RT] : q->loose[RT] || (runs_rt && c->current->home == CL_ANY_CPU);
  artis_put(&all->asked, cpu, strays);
  artis_put(&all->giving, cpu, q->loose[RT] + q->loose[NRT] && artis_threads(m, cpu) > 1);
}

/* --- where to ---------------------------------------------------------------------------------- */

/* The nearest of a set among the CPUs low to high - 1, from the thread's last one on; CL_CPUS_MAX: none. */
static uint32_t artis_nearest(const struct cl_machine *m, const struct cl_cpuset *set, uint32_t low, uint32_t high,
                              const struct cl_entity *e) {
  uint32_t from = (uint32_t)e->cpu;
  if (from < low || from >= high) from = low;
  uint32_t cpu = cl_set_from(set, from);
  while (cpu < high && !cl_allowed(m, cpu, e)) cpu = cl_set_from(set, cpu + 1);
  if (cpu < high) return cpu;
  cpu = cl_set_from(set, low);
  while (cpu < from && !cl_allowed(m, cpu, e)) cpu = cl_set_from(set, cpu + 1);
  return cpu < from ? cpu : CL_CPUS_MAX;
}

/* A CPU that could run it at once; CL_CPUS_MAX: none. RT: an RT CPU, better an idle one, else an idle NRT CPU. NRT: an
 * idle one, better an NRT CPU. */
static uint32_t artis_find(const struct cl_machine *m, const struct cl_entity *e) {
  const struct artis *all = artis_all(m);
  uint32_t border = artis_border(m), cpu;
  if (e->home != CL_ANY_CPU) return CL_CPUS_MAX;
  if (!e->realtime) {
    cpu = artis_nearest(m, &all->idle, border, m->cpus, e);
    return cpu < CL_CPUS_MAX ? cpu : artis_nearest(m, &all->idle, 0, border, e);
  }
  cpu = artis_nearest(m, &all->idle, 0, border, e);
  if (cpu == CL_CPUS_MAX) cpu = artis_nearest(m, &all->free, 0, border, e);
  return cpu < CL_CPUS_MAX ? cpu : artis_nearest(m, &all->idle, border, m->cpus, e);
}

/* An NRT thread stays away from an RT CPU with RT threads. */
static bool artis_welcome(const struct cl_machine *m, uint32_t cpu, const struct cl_entity *e) {
  return cl_allowed(m, cpu, e) && (e->realtime || artis_group(m, cpu) == NRT || !artis_realtime(m, cpu));
}

/* The CPU with the fewest threads, RT ones if the thread is; m->cpus: none that is not taken by RT threads. */
static uint32_t artis_fewest(const struct cl_machine *m, const struct cl_entity *e) {
  uint32_t (*count)(const struct cl_machine *, uint32_t) = e->realtime ? artis_realtime : artis_threads;
  uint32_t best = m->cpus;
  for (uint32_t cpu = 0; cpu < m->cpus; cpu++)
    if (artis_welcome(m, cpu, e) && (best == m->cpus || count(m, cpu) < count(m, best))) best = cpu;
  return best;
}

static uint32_t artis_place(const struct cl_machine *m, const struct cl_entity *e) {
  if (e->home != CL_ANY_CPU) return (uint32_t)e->home;
  uint32_t cpu = artis_find(m, e);
  if (cpu < CL_CPUS_MAX) return cpu;
  cpu = (uint32_t)e->cpu;
  if (!e->realtime && e->left && artis_welcome(m, cpu, e)) return cpu;
  cpu = artis_fewest(m, e);
  if (cpu < m->cpus) return cpu;
  for (cpu = 0; cpu < m->cpus - 1 && !cl_allowed(m, cpu, e);) cpu++;
  return cpu;
}

/* --- queues ------------------------------------------------------------------------------------ */

static void artis_add(struct cl_machine *m, uint32_t cpu, struct cl_entity *e, bool in_front) {
  struct artis_cpu *q = artis_of(m, cpu);
  int kind = artis_kind(e);
  (in_front ? cl_list_prepend : cl_list_append)(&q->list[kind], &e->node);
  e->seen = e->home == CL_ANY_CPU ? LOOSE : 0;
  q->waiting[kind]++;
  q->loose[kind] += e->seen;
  cl_note_queued(m, cpu, e);
  artis_note(m, cpu);
}

/* Out of the list or the FIFO; it still counts for its CPU. */
static void artis_take(struct cl_machine *m, struct cl_entity *e) {
  int kind = artis_kind(e);
  if (e->seen & MOVING) {
    cl_list_remove(&artis_all(m)->fifo[kind], &e->node);
    return;
  }
  struct artis_cpu *q = artis_of(m, (uint32_t)e->cpu);
  cl_list_remove(&q->list[kind], &e->node);
  q->waiting[kind]--;
  q->loose[kind] -= e->seen & LOOSE;
}

/* Makes this CPU look; no other shall count on it until it has. */
static void artis_call(struct cl_machine *m, uint32_t cpu) {
  cl_set_remove(&artis_all(m)->idle, cpu);
  cl_set_remove(&artis_all(m)->free, cpu);
  cl_set_add(&artis_all(m)->called, cpu);
  cl_resched(m, cpu);
}

/* Into the FIFO, for the CPU that is called, or for the next one that looks. */
static void artis_give(struct cl_machine *m, struct cl_entity *e, uint32_t to) {
  artis_take(m, e);
  e->seen = LOOSE | MOVING;
  cl_list_append(&artis_all(m)->fifo[artis_kind(e)], &e->node);
  artis_note(m, (uint32_t)e->cpu);
  if (to < CL_CPUS_MAX) artis_call(m, to);
}

static struct cl_entity *artis_first_loose(const struct cl_machine *m, uint32_t cpu, int kind) {
  if (!artis_of(m, cpu)->loose[kind]) return NULL;
  struct cl_node *node = artis_of(m, cpu)->list[kind].first;
  while (node && !(cl_entity_of(node)->seen & LOOSE && cl_entity_of(node)->home == CL_ANY_CPU)) node = node->left;
  return node ? cl_entity_of(node) : NULL;
}

/* Take one thread of this kind from the FIFO. */
static void artis_arrive(struct cl_machine *m, uint32_t cpu, int kind) {
  struct cl_node *node = artis_all(m)->fifo[kind].first;
  if (!node) return;
  struct cl_entity *e = cl_entity_of(node);
  artis_take(m, e);
  if ((uint32_t)e->cpu != cpu) m->moved++;
  cl_note_unqueued(m, e);
  artis_add(m, cpu, e, false);
}

/* The threads that wait here and could run elsewhere. */
static void artis_share(struct cl_machine *m, uint32_t cpu, int kind) {
  for (struct cl_entity *e; (e = artis_first_loose(m, cpu, kind));) {
    uint32_t to = artis_find(m, e);
    if (to == CL_CPUS_MAX) return;
    artis_give(m, e, to);
  }
}

/* RT threads go back to RT CPUs. */
static void artis_return(struct cl_machine *m, uint32_t cpu) {
  for (struct cl_entity *e; (e = artis_first_loose(m, cpu, RT));) {
    uint32_t to = artis_nearest(m, &artis_all(m)->free, 0, artis_border(m), e);
    if (to == CL_CPUS_MAX) return;
    artis_give(m, e, to);
  }
}

/* NRT threads leave, wherever to. */
static void artis_leave(struct cl_machine *m, uint32_t cpu) {
  for (struct cl_entity *e; (e = artis_first_loose(m, cpu, NRT));) artis_give(m, e, artis_find(m, e));
}

/* --- the interface ----------------------------------------------------------------------------- */

static void artis_init(struct cl_machine *m) {
  for (uint32_t cpu = 0; cpu < m->cpus; cpu++) artis_note(m, cpu);
}

static void artis_enqueue(struct cl_machine *m, uint32_t cpu, struct cl_entity *e, enum cl_why why) {
  uint32_t from = (uint32_t)e->cpu;
  bool was_current = e->current, leaves = was_current && from == cpu;
  if (why == CL_USED || why == CL_YIELDED || e->left <= 0) e->left = (int64_t)m->tuning.slice;
  artis_add(m, cpu, e, why == CL_PREEMPTED);
  if (was_current && from != cpu) artis_note(m, from);
  const struct cl_entity *current = m->cpu[cpu].current;
  if (leaves || !cl_allowed(m, cpu, e)) return;
  if (!current || (e->realtime && !current->realtime)) {
    artis_call(m, cpu);
    return;
  }
  uint32_t to = artis_find(m, e);
  if (to < CL_CPUS_MAX) artis_give(m, e, to);
}

static void artis_dequeue(struct cl_machine *m, struct cl_entity *e) {
  uint32_t cpu = (uint32_t)e->cpu;
  if (e->queued) artis_take(m, e);
  cl_note_gone(m, e);
  artis_note(m, cpu);
}

static struct cl_entity *artis_best(struct cl_machine *m, uint32_t cpu) {
  const struct artis_cpu *q = artis_of(m, cpu);
  struct cl_entity *owner = m->cpu[cpu].owner;
  if (owner) return owner->queued && (uint32_t)owner->cpu == cpu ? owner : NULL;
  int group = artis_group(m, cpu);
  artis_arrive(m, cpu, group);
  if (!q->list[RT].first && (group == RT || !q->list[NRT].first)) artis_arrive(m, cpu, !group);
  if (group == NRT) artis_return(m, cpu);
  struct cl_node *node = q->list[RT].first ? q->list[RT].first : q->list[NRT].first;
  return node ? cl_entity_of(node) : NULL;
}

static struct cl_entity *artis_pick(struct cl_machine *m, uint32_t cpu) {
  struct artis *all = artis_all(m);
  cl_set_remove(&all->called, cpu);
  struct cl_entity *e = artis_best(m, cpu);
  if (e) {
    artis_take(m, e);
    cl_note_unqueued(m, e);
    cl_note_current(m, cpu, e);
  }
  artis_note(m, cpu);
  if (e && e->realtime && artis_group(m, cpu) == RT) artis_leave(m, cpu);
  for (int kind = RT; kind >= NRT; kind--) {
    artis_share(m, cpu, kind);
    /* If no CPU will look at the FIFO, find one that can. */
    if (!all->fifo[kind].first || cl_set_from(&all->called, 0) < CL_CPUS_MAX) continue;
    uint32_t to = artis_find(m, cl_entity_of(all->fifo[kind].first));
    if (to < CL_CPUS_MAX) artis_call(m, to);
  }
  /* Ask for what this CPU, or another one, could run. */
  if (cl_set_from(&all->free, 0) < CL_CPUS_MAX) {
    uint32_t other = cl_set_near(&all->asked, cpu);
    if (other < CL_CPUS_MAX && other != cpu) cl_resched(m, other);
  }
  if (!e && !m->cpu[cpu].owner) {
    uint32_t other = cl_set_near(&all->giving, cpu);
    if (other < CL_CPUS_MAX && other != cpu) cl_resched(m, other);
  }
  return e;
}

static cl_time artis_tick(struct cl_machine *m, uint32_t cpu, cl_time ran) {
  struct cl_entity *e = m->cpu[cpu].current;
  e->left -= (int64_t)ran;
  return e->left > 0 ? (cl_time)e->left : 0;
}

/* An NRT thread goes to a CPU that has at least two threads fewer. */
static uint32_t artis_balance(struct cl_machine *m, uint32_t cpu) {
  struct cl_entity *e = artis_first_loose(m, cpu, NRT);
  if (!e) return 0;
  uint32_t to = artis_fewest(m, e);
  if (to == m->cpus || artis_threads(m, to) + 2 > artis_threads(m, cpu)) return 0;
  artis_give(m, e, to);
  return 1;
}

static struct cl_entity *artis_waiting(const struct cl_machine *m, uint32_t cpu) {
  const struct artis_cpu *q = artis_of(m, cpu);
  struct cl_node *node = q->list[RT].first ? q->list[RT].first : q->list[NRT].first;
  return node ? cl_entity_of(node) : NULL;
}

const struct cl_policy cl_artis = {
    .name = "artis",
    .text = "CPUs and threads in a real-time and a non-real-time group; migration through a task FIFO",
    .cpu_size = sizeof(struct artis_cpu),
    .shared_size = sizeof(struct artis),
    .init = artis_init,
    .place = artis_place,
    .enqueue = artis_enqueue,
    .dequeue = artis_dequeue,
    .pick = artis_pick,
    .tick = artis_tick,
    .balance = artis_balance,
    .waiting = artis_waiting,
};
