/* SPDX-License-Identifier: Apache-2.0
 *
 * The simulator's state. Each file uses those before it: cpus.c, the user of the policy (cl_policy.h); program.c, the
 * threads' steps; machine.c, time; main.c, which reads the workload and writes what was found. Times in ns. */
#ifndef SIM_H
#define SIM_H

#include <stdio.h>

#include "cl_policy.h"
#include "events.h"
#include "lag.h"

#define NONE UINT32_MAX

enum step_kind { STEP_COMPUTE, STEP_SLEEP, STEP_LOCK, STEP_UNLOCK, STEP_SEND, STEP_RECEIVE, STEP_YIELD, STEP_EXIT };

struct step {
  uint64_t kind;
  uint64_t object; /* of a lock or port; sleep: 1 is exponential */
  uint64_t low;    /* time from low to high; exponential: low is the mean; send: messages */
  uint64_t high;
};

/* One kind of thread, as in workload.py. */
struct kind {
  uint64_t count, weight, priority, home, realtime, start, gap, times, first, steps, counted;
};

struct thread {
  struct cl_entity e; /* first: a policy's entity is its thread */
  uint32_t kind;
  uint32_t step;
  uint64_t left; /* of its computing; 0: a step that takes no time, or waits, is next */
  uint64_t since; /* runnable since */
  uint64_t random;
  uint32_t next;   /* behind it in the queue of a lock or port */
  uint32_t ran_on; /* the CPU it was last switched to, or NONE */
  bool born;
  bool runnable;
  bool waking; /* since it became runnable it has not run */
  uint64_t done; /* times its steps have ended */
  uint64_t service, waiting, switches, migrations, wakeups;
  uint64_t latencies, latency_sum, latency_max;
};

struct queue {
  uint32_t first, last;
};

struct lock {
  uint32_t owner;
  struct queue waiting;
};

struct port {
  uint64_t messages;
  struct queue waiting;
};

struct cpu {
  uint32_t thread; /* that it serves, or NONE: it is idle */
  uint32_t last;   /* whose state it holds */
  uint64_t since;  /* its service is counted up to then; ahead of now while the switch takes time */
  uint64_t slice_end;
  uint64_t idle_since;
  uint64_t idle; /* up to then */
  bool need_resched;
  bool listed; /* in the ring of rescheds */
};

struct sim {
  struct cl_machine m; /* first: cl_resched gets its address */
  uint64_t tick, balance, switch_cost, migrate_cost, warm_cost, end;
  uint32_t kinds, threads, reserves;
  const struct kind *kind;
  const struct step *step;
  const uint64_t (*reserve)[2]; /* CPU, thread */
  struct thread *thread;
  struct cpu *cpu;
  struct lock *lock;
  struct port *port;
  struct events events; /* ids: CPUs, then threads, then the CPUs' balancing */
  uint32_t *rescheds;      /* a ring of CPUs */
  uint32_t first_resched, resched_count;
  uint32_t busy; /* the CPU whose thread does a step, or NONE */
  struct lag lag;
  uint32_t **latency;     /* histograms by thread, or by kind where there are many threads; NULL: empty */
  uint32_t *latency_all;
  uint64_t latency_max;
  bool latency_by_kind;
  uint32_t alive, stuck; /* threads that have not ended; of them: that wait for a lock or a port */
  uint64_t decisions;    /* see README.md */
  uint64_t switches, migrations, idle, service;
  FILE *timeline;
  uint64_t timeline_left; /* records that may still be written */
};

/* cpus.c */
_Noreturn void sim_fail(const struct sim *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
void sim_wake(struct sim *s, struct thread *t);
void sim_ended(struct sim *s, struct thread *t); /* it is not runnable any more */
cl_time cpu_served(struct sim *s, uint32_t c);
cl_time cpu_charge(struct sim *s, uint32_t c);
void cpu_go_on(struct sim *s, uint32_t c, cl_time time);
void cpu_enqueue(struct sim *s, uint32_t c, struct thread *t, enum cl_why why);
void cpu_look(struct sim *s, uint32_t c);
void cpu_serve_rescheds(struct sim *s);
static inline struct thread *thread_of(struct cl_entity *e) { return (struct thread *)(void *)e; }

/* program.c */
enum went { WENT_ON, WENT_BLOCKED, WENT_YIELDED, WENT_ENDED };
void program_start(struct sim *s, struct thread *t);
void program_resume(struct sim *s, struct thread *t);
enum went program_go_on(struct sim *s, struct thread *t);

/* machine.c */
void sim_run(struct sim *s);

#endif
