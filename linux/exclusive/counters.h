/* SPDX-License-Identifier: Apache-2.0
 *
 * Counters of CPUs. Sources: /proc/schedstat, /proc/stat, /proc/interrupts, /proc/softirqs. */
#ifndef CL_COUNTERS_H
#define CL_COUNTERS_H

#include "cpus.h"

/* Seconds, CLOCK_MONOTONIC. */
double cl_now(void);

/* Of one CPU, or of several together, since boot. */
struct cl_counters {
  double at;                   /* cl_now() */
  int cpus;                    /* how many */
  bool waits;                  /* the kernel keeps wait_ns and switches (CONFIG_SCHEDSTATS); else they are 0 */
  bool interrupts;             /* those could be read; else they and softirqs are 0 */
  unsigned long long wait_ns;  /* run-queue wait: time that tasks waited there for a CPU */
  unsigned long long
      idle_ns;  /* time without anything to do: the kernel keeps it exactly, but tells it in clock ticks */
  unsigned long long switches; /* tasks that were put on the CPU */
  unsigned long long devices;  /* interrupts of devices */
  unsigned long long between;  /* interrupts from other CPUs, and the few others without a device */
  unsigned long long ticks;    /* of the local timer: the tick, and timers that programs set */
  unsigned long long softirqs;
};
/* Of every CPU apart. */
int cl_counters_each(struct cl_counters counters[CL_CPUS_MOST]);
struct cl_counters cl_counters_sum(const struct cl_counters counters[CL_CPUS_MOST], const struct cl_cpus *cpus);
int cl_counters_read(const struct cl_cpus *cpus, struct cl_counters *sum);

/* What happened between two readings; NAN: not known. */
struct cl_rates {
  double seconds;
  double wait, busy;                                  /* percent of one CPU */
  double switches, devices, between, ticks, softirqs; /* a second */
};
struct cl_rates cl_rates_of(const struct cl_counters *from, const struct cl_counters *to);
/* As a line, for the layer's note "before"; EINVAL: it is none. */
char *cl_rates_format(const struct cl_rates *rates, char text[256]);
int cl_rates_parse(const char *text, struct cl_rates *rates);

#endif
