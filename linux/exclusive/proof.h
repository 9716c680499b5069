/* SPDX-License-Identifier: Apache-2.0
 *
 * Events on the CPUs and in the program, before and while the CPUs are held. Sources: counters.h, /proc/TID/stat,
 * status and schedstat, tracefs (sched_switch) if requested. */
#ifndef CL_PROOF_H
#define CL_PROOF_H

#include <stdio.h>

#include "hold.h"
#include "plain.h"
#include "target.h"

/* The members of a JSON object, without its brackets. */
void cl_rates_json(FILE *out, const struct cl_rates *rates);

struct cl_stray {
  char name[16];
  int tid;
  bool kernel, fixed;
  unsigned long long times; /* that it got a CPU while it was allowed on these */
};

struct cl_proof {
  struct cl_counters before[2]; /* the window before the CPUs were cleared: hold->before */
  struct cl_counters during[2];
  struct cl_stray *stray; /* most times first; the program's own are not among them. free() it */
  size_t strays;
  const char *source;      /* of the strays: "sched_switch" or "/proc"; NULL: nobody looked */
  unsigned long long lost; /* switches that the trace buffer could not hold */
  struct cl_program program;
  double cleared_s; /* how long state 3 took */
};

/* Which other tasks run on the held CPUs. `begin` when they are cleared and the program is known, `end` before
 * anything is undone; it frees the watch (NULL: nothing was watched). With --trace every switch is seen, by a trace
 * instance that is removed with the reservation; without it, or without tracefs (reported), what /proc counts for
 * each task. */
/* The task belongs to the program: its process, or if one thread is held that thread; what is in its cgroup; what it
 * has started. A task that has ended since it was read cannot be checked, and counts as the program's. */
bool cl_is_program(const struct cl_hold *hold, const struct cl_task *task);
struct cl_watch;
int cl_strays_begin(struct cl_hold *hold, struct cl_watch **watch);
int cl_strays_end(struct cl_watch *watch, const struct cl_hold *hold, struct cl_proof *proof);

/* "key": 1.234, or null */
void cl_json_number(FILE *out, const char *comma, const char *key, double value);
void cl_proof_table(FILE *out, const struct cl_hold *hold, const struct cl_proof *proof);
void cl_proof_json(FILE *out, const struct cl_hold *hold, const struct cl_mechanism *mechanism,
                   const struct cl_proof *proof);

/* A reservation as its tool knows it: its CPUs, its program (tid 0: it has ended), its cgroup. `request` points into
 * `held`: it is valid only as long as `held` stays in place. cl_held_free() it. */
struct cl_held {
  struct cl_request request;
  struct cl_target target;
  struct cl_hold hold;
};
void cl_held_of(const struct cl_reservation *reservation, struct cl_held *held);
void cl_held_free(struct cl_held *held);

/* status.c, verify.c: the commands `status` (table, --json, --prometheus, --watch SECONDS) and `verify`; exit status.
 * Both read only, and print on the standard output. */
struct cl_status_request {
  bool json, prometheus;
  double watch_s; /* 0: once */
};
int cl_status(const struct cl_status_request *request);
int cl_verify(bool json);

#endif
