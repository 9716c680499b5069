/* SPDX-License-Identifier: Apache-2.0
 *
 * The interface of all scheduling policies towards their user (the scheduling model, the software kernel, a test).
 *
 * A policy is one C file that defines one `const struct cl_policy`. It manages the runnable threads per CPU and decides
 * where a thread goes, which one is next, for how long, and when a CPU must decide again. It does no input or output,
 * has no heap and no global state: its state is in the user's memory (cpu_size, shared_size), zeroed before init. C11,
 * freestanding: it also runs on a 32-bit core without 64-bit division, so nothing on the path of a switch divides
 * 64-bit numbers.
 *
 * The user keeps time (`now`), calls one function at a time, and provides cl_resched(). Times are in the user's unit:
 * nanoseconds in the model, cycles on the SoC.
 *
 * Life of a thread, seen from a policy:
 *   place, enqueue   it becomes runnable                     -> queued
 *   pick             a CPU without current takes it          -> current of that CPU
 *   tick             it has run; how long it may continue
 *   enqueue          it stays runnable but leaves its CPU    -> queued
 *   dequeue          it is no longer runnable (it blocks or ends), whether queued or current
 * Between pick and the next enqueue or dequeue the thread is in no queue, but it counts as runnable. */
#ifndef CL_POLICY_H
#define CL_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cl_containers.h"

typedef uint64_t cl_time;
#define CL_FOREVER UINT64_MAX

#define CL_WEIGHT_NICE_0 1024u    /* the weight of nice 0 in Linux; weights are relative to it */
#define CL_WEIGHT_MOST (1u << 20) /* 1 to this */
#define CL_ANY_CPU (-1)
#define CL_PRIORITIES_MAX 140u    /* as in Linux: 0 to 99 real time, 100 + 20 + nice others; 0 is the most urgent */

/* Why a thread is enqueued. */
enum cl_why {
  CL_NEW,       /* for the first time */
  CL_WOKEN,     /* it was blocked */
  CL_PREEMPTED, /* it was current, another thread should run, and it has not used up its slice */
  CL_USED,      /* it was current, and tick returned 0 */
  CL_YIELDED,   /* it was current and yields */
  CL_MOVED      /* it was current on another CPU, or was dequeued there, and its user moves it (exclusive.c) */
};

/* A thread as a policy sees it. The user sets the first part before the first enqueue (the rest zero); the second is
 * the policy's. */
struct cl_entity {
  uint32_t id;
  uint32_t weight;   /* its share: 1 to CL_WEIGHT_MOST */
  uint16_t priority; /* 0 (most urgent) to CL_PRIORITIES_MAX - 1, for policies with priorities */
  int16_t home;      /* the only CPU that may run it, or CL_ANY_CPU */
  bool realtime;     /* artis: of the RT group */

  /* Readable by the user: */
  int16_t cpu;       /* on whose queue it is, or where it is or was last current */
  bool queued;
  bool current;

  /* The policy's own; each file says what it keeps where. */
  struct cl_node node; /* its place in a tree or a list; node.key orders a tree */
  uint64_t vtime;      /* a virtual time */
  uint64_t deadline;
  int64_t left;        /* time left of a slice; below 0: run over */
  uint32_t round;
  uint32_t seen;       /* small marks */
};

struct cl_machine;

struct cl_cpu {
  struct cl_entity *current; /* set by pick, cleared by enqueue and dequeue of it */
  struct cl_entity *owner;   /* reserved: the only thread that may run here; else NULL */
  uint32_t queued;           /* threads in its queue; in one queue for all: those that came to this CPU */
  uint64_t load;             /* sum of the weights of the threads that are queued or current here */
  void *state;               /* cpu_size bytes, the policy's */
};

struct cl_tuning {
  cl_time slice; /* ring, static, dynamic, selective, artis: the time slice. dwrr: B, the round slice of a thread
                          of weight CL_WEIGHT_NICE_0. o1: the slice of nice 0. eevdf: the base slice */
  cl_time latency; /* cfs: the period in which each thread should run once */
  cl_time granularity; /* cfs: the least time a thread runs before another is preferred */
  cl_time warm; /* selective: how long a thread's data stay in the cache of the CPU it left */
  uint32_t realtime_cpus; /* artis: CPUs 0 to this - 1 are of the RT group */
  uint32_t latency_threads; /* cfs: threads that share one latency; 0: as many as the granularity leaves room for */
};

struct cl_machine {
  uint32_t cpus; /* 1 to 32767 */
  cl_time now;
  const struct cl_policy *policy;
  const struct cl_policy *base; /* the policy below exclusive */
  struct cl_tuning tuning;
  struct cl_cpu *cpu;
  void *shared; /* shared_size bytes, the policy's */
  uint32_t open; /* CPUs that are not reserved */
  uint64_t moved; /* threads that a policy has moved from one CPU's queue to another's */
  uint64_t held; /* dwrr: how often a CPU waited because the next round could not begin yet */
};

struct cl_policy {
  const char *name;
  const char *text; /* one line for a list */
  uint32_t cpu_size; /* bytes of state for each CPU, */
  uint32_t shared_size; /* and for all of them */

  void (*init)(struct cl_machine *m);

  /* Where a thread that becomes runnable should queue. Changes nothing. */
  uint32_t (*place)(const struct cl_machine *m, const struct cl_entity *e);

  /* Queue a thread on a CPU (from place, or where it was current). Calls cl_resched for CPUs that must decide again. */
  void (*enqueue)(struct cl_machine *m, uint32_t cpu, struct cl_entity *e, enum cl_why why);

  /* The thread stops being runnable; charged to now by tick if it is current. */
  void (*dequeue)(struct cl_machine *m, struct cl_entity *e);

  /* The next thread of a CPU that has no current one: it becomes current. May take it from elsewhere. NULL: none. */
  struct cl_entity *(*pick)(struct cl_machine *m, uint32_t cpu);

  /* The current thread has run `ran` since the last tick (0 after pick). The time that it may run before the next
   * tick; CL_FOREVER: until something happens; 0: it should leave the CPU (CL_USED). Also called, to charge, before
   * the thread leaves for another reason; then the answer does not matter. */
  cl_time (*tick)(struct cl_machine *m, uint32_t cpu, cl_time ran);

  /* Called periodically on each CPU: balance the queues. Returns the number of threads moved. NULL: never needed. */
  uint32_t (*balance)(struct cl_machine *m, uint32_t cpu);

  /* Any one thread of this CPU's own queue, for a user that moves it: dequeue, then enqueue elsewhere as CL_MOVED.
   * NULL: there is none. The function is NULL where one queue is for all CPUs. */
  struct cl_entity *(*waiting)(const struct cl_machine *m, uint32_t cpu);

  /* Reserve a CPU for one thread: 0, or the error number (EBUSY, EINVAL). With NULL: release it.
   * Only exclusive has this function (NULL elsewhere); the others respect cpu.owner. */
  int (*reserve)(struct cl_machine *m, uint32_t cpu, struct cl_entity *owner);
};

/* Provided by the user: this CPU must decide again. Without a current thread: pick. With one: make it give way (tick,
 * enqueue as CL_PREEMPTED, pick). May be called while a function of the policy runs, so it only notes the CPU. */
void cl_resched(struct cl_machine *m, uint32_t cpu);

/* May this CPU run this thread at all? */
static inline bool cl_allowed(const struct cl_machine *m, uint32_t cpu, const struct cl_entity *e) {
  const struct cl_entity *owner = m->cpu[cpu].owner;
  return (owner == NULL || owner == e) && (e->home == CL_ANY_CPU || (uint32_t)e->home == cpu);
}

/* Notes that enqueue, pick and dequeue make in every policy. */
static inline void cl_note_queued(struct cl_machine *m, uint32_t cpu, struct cl_entity *e) {
  if (e->current) {
    m->cpu[(uint32_t)e->cpu].current = NULL;
    m->cpu[(uint32_t)e->cpu].load -= e->weight;
    e->current = false;
  }
  e->queued = true;
  e->cpu = (int16_t)cpu;
  m->cpu[cpu].queued++;
  m->cpu[cpu].load += e->weight;
}

static inline void cl_note_unqueued(struct cl_machine *m, struct cl_entity *e) {
  e->queued = false;
  m->cpu[(uint32_t)e->cpu].queued--;
  m->cpu[(uint32_t)e->cpu].load -= e->weight;
}

static inline void cl_note_current(struct cl_machine *m, uint32_t cpu, struct cl_entity *e) {
  e->current = true;
  e->cpu = (int16_t)cpu;
  m->cpu[cpu].current = e;
  m->cpu[cpu].load += e->weight;
}

static inline void cl_note_gone(struct cl_machine *m, struct cl_entity *e) {
  struct cl_cpu *cpu = &m->cpu[(uint32_t)e->cpu];
  if (e->queued) cpu->queued--;
  if (e->current) cpu->current = NULL;
  cpu->load -= e->weight;
  e->queued = e->current = false;
}

#endif
