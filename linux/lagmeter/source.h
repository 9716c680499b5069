/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Where events come from. Functions return the error number (0: done), lag_why() is then the one line to print. */
#ifndef LAG_SOURCE_H
#define LAG_SOURCE_H

#include "meter.h"

struct lag_source {
  const char *name; /* bpf, proc */
  double sample_ms; /* of proc; 0: exact */
  double longest_sample_ms; /* from the begin of one to the end of the next: it may miss threads that come or go */
  struct lag_meter *meter;
  struct lag_filter whom;
  double own_before_ms; /* CPU time of lagmeter itself before it began to watch */
  /* Look for what has happened, for so long at most. */
  int (*look)(struct lag_source *s, int wait_ms);
  uint64_t (*lost)(const struct lag_source *s);
  void (*close)(struct lag_source *s);
  void *own;
};

const char *lag_why(void);
int lag_refuse(int error, const char *format, ...) __attribute__((format(printf, 2, 3)));
uint64_t lag_now_ns(void);
double lag_own_ms(void); /* CPU time of lagmeter itself */

/* Begin to watch. */
int lag_bpf_open(struct lag_source *s, bool verbose);
int lag_proc_open(struct lag_source *s, const char *cgroup);

#endif
