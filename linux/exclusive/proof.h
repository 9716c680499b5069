/* SPDX-License-Identifier: Apache-2.0
 *
 * What the CPUs and the program went through, before and while they are held. Sources: /proc/schedstat,
 * /proc/interrupts, /proc/softirqs, /proc/TID/stat and status, tracefs (sched_switch) if asked. */
#ifndef CL_PROOF_H
#define CL_PROOF_H

#include <stdio.h>

#include "hold.h"

/* Seconds, CLOCK_MONOTONIC. */
double cl_now(void);

/* Of one CPU, since boot. */
struct cl_times {
  unsigned long long wait_ns;  /* run-queue wait: time that tasks waited there for a CPU */
  unsigned long long ran_ns;   /* time that tasks ran there, exact; one that has not left yet is not counted */
  unsigned long long busy_ns;  /* the same and interrupts, always up to date, in clock ticks */
  unsigned long long switches; /* tasks that were put on the CPU */
};
/* waits: the kernel keeps wait_ns, ran_ns and switches (CONFIG_SCHEDSTATS); else they are 0. */
int cl_times_read(struct cl_times times[CL_CPUS_MOST], bool *waits);

/* Counters of the held CPUs together, since boot. */
struct cl_counters {
  double at;                    /* cl_now() */
  bool waits;                   /* as above */
  struct cl_times times;
  unsigned long long devices;   /* interrupts of devices */
  unsigned long long between;   /* interrupts from other CPUs, and the few others without a device */
  unsigned long long ticks;     /* of the local timer */
  unsigned long long softirqs;
};

struct cl_stray {
  char name[16];
  int tid;
  bool kernel, fixed;
  unsigned long long times; /* that it was seen to run: switches to it with tracefs, else growth of its time in ticks */
};

struct cl_program {
  double wall_s, cpu_s;
  unsigned long long voluntary, involuntary;
};

struct cl_proof {
  struct cl_counters before[2]; /* the window before the CPUs were cleared */
  struct cl_counters during[2];
  struct cl_stray *stray; /* most times first; the program's own are not among them */
  size_t strays;
  struct cl_program program;
  double cleared_s; /* how long state 3 took */
};

int cl_counters_read(const struct cl_cpus *cpus, struct cl_counters *counters);
/* Strays: `begin` remembers all tasks that may run on the CPUs (or starts a trace instance); `end` fills proof. */
struct cl_watch;
int cl_strays_begin(struct cl_hold *hold, struct cl_watch **watch);
int cl_strays_end(struct cl_watch *watch, const struct cl_hold *hold, struct cl_proof *proof);

void cl_proof_table(FILE *out, const struct cl_hold *hold, const struct cl_proof *proof);
void cl_proof_json(FILE *out, const struct cl_hold *hold, const struct cl_mechanism *mechanism,
                   const struct cl_proof *proof);

/* The commands `status` (table, --json, --prometheus, --watch SECONDS) and `verify`; exit status. Both read only. */
struct cl_status_request {
  bool json, prometheus;
  double watch_s; /* 0: once */
};
int cl_status(const struct cl_status_request *request);
int cl_verify(void);

#endif
