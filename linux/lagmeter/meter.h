/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Data about each watched thread, from events (of the BPF programs) or samples (of /proc); the same lag for
 * both. No input or output. Functions return the error number (0: done). */
#ifndef LAG_METER_H
#define LAG_METER_H

#include <stdio.h>

#include "event.h"
#include "lag.h"

#define LAG_NO_CPU 0xffffu
#define LAG_ENDED 512 /* of those that have ended, so many, and twice as many at most, have a record of their own: */
#define LAG_SUMS \
  64   /* those furthest from what they should have had. Others are in sums, each of one kind: command,
                       * group and weight; when there are more kinds, in one sum for each group */

enum lag_group { LAG_COUNTED, LAG_PINNED, LAG_REALTIME, LAG_GROUPS }; /* only the first have a lag */

enum lag_state { LAG_ASLEEP, LAG_WAITS, LAG_RUNS };

struct lag_thread {
  struct lag_one one;
  int32_t tid, pid;
  char command[LAG_COMMAND];
  int8_t nice;
  uint8_t policy;
  uint16_t cpu; /* where it ran last; LAG_NO_CPU: nowhere yet */
  enum lag_group group;
  enum lag_state state;
  bool woken;          /* it waits since it woke */
  bool runnable;       /* at the last sample */
  uint64_t since_ns;   /* in this state */
  uint64_t cpu_ns, wait_ns;
  uint64_t counted_ns; /* by the kernel, when it began to run; LAG_UNKNOWN: it did not say */
  uint64_t sample, sampled_cpu_ns, sampled_wait_ns, sampled_runs; /* the last sample, and what it said */
  uint64_t runs, migrations, voluntary, involuntary;
  struct lag_histogram *latency; /* us from runnable to running; NULL: none yet */
  uint32_t of;                   /* 0: a thread; else the sum of so many that have ended */
  bool mixed;                    /* of several kinds */
  bool missing;                  /* not there when last looked for */
  bool drawn;                    /* it is in the timeline */
  uint32_t at;                   /* its place among the living */
  struct lag_thread *next;       /* with the same hash */
};

struct lag_meter {
  struct lag *lag;
  uint64_t begun_ns, events;
  uint64_t samples;                   /* 0: events come */
  uint32_t cpus;                      /* that a thread must be allowed on to be counted */
  struct lag_thread **threads;        /* the living, in any order */
  uint32_t count, room;
  struct lag_thread *ended[2 * LAG_ENDED + 2]; /* two more: the pair of the largest gap stays, whoever it is */
  struct lag_thread *sums[LAG_SUMS + LAG_GROUPS];
  uint32_t ended_count, sum_count;
  struct lag_thread *by_tid[4096];
  struct lag_thread *on[LAG_NO_CPU];  /* the thread that runs there */
  struct lag_histogram latency;       /* of all */
  /* Called, if set, when a thread has run, when its lag has changed its direction, and when it has ended. */
  void (*ran)(void *to, struct lag_thread *t, uint64_t from_ns, uint64_t to_ns);
  void (*turned)(void *to, const struct lag_thread *t, uint64_t now_ns, double lag_ns);
  void (*gone)(void *to, const struct lag_thread *t);
  void *to;
};

struct lag_meter *lag_meter_new(uint32_t cpus);
void lag_meter_begin(struct lag_meter *m, uint64_t now_ns);
void lag_meter_free(struct lag_meter *m);

int lag_event(struct lag_meter *m, const struct lag_event *e);
/* A sample: begin, each thread that there is, end. A thread that is missing has ended. */
struct lag_sample {
  struct lag_event who; /* all but kind, cpu and time */
  bool runnable;
  uint64_t cpu_ns, wait_ns, runs; /* since it was born */
};
void lag_sample_begin(struct lag_meter *m, uint64_t now_ns);
int lag_sampled(struct lag_meter *m, const struct lag_sample *got);
int lag_sample_end(struct lag_meter *m);

/* To be called at times: whose end was not told is ended when it was not there twice in turn. */
int lag_sweep(struct lag_meter *m, bool (*lives)(const struct lag_thread *t));

/* All up to now is known. */
void lag_until(struct lag_meter *m, uint64_t now_ns);

/* Of CPU time and waiting so far, also of threads that run or wait at the moment */
uint64_t lag_cpu_ns(const struct lag_meter *m, const struct lag_thread *t);
uint64_t lag_wait_ns(const struct lag_meter *m, const struct lag_thread *t);
bool lag_anything(const struct lag_meter *m); /* was anybody ever runnable? */
uint32_t lag_weight(const struct lag_thread *t);
/* For qsort of pointers: furthest from what they should have had first; those without a lag by CPU time. */
int lag_compare(const void *a, const void *b);

#endif
