/* SPDX-License-Identifier: Apache-2.0
 *
 * Counters of CPUs. Sources: /proc/schedstat, /proc/stat, /proc/interrupts, /proc/softirqs. */
#ifndef CL_COUNTERS_H
#define CL_COUNTERS_H

#include "cpus.h"

/* Seconds, CLOCK_MONOTONIC. */
double cl_now(void);
/* Since boot, NAN: not known. */
double cl_uptime(void);

/* The counters of one CPU, or of several together, by name or by number. */
#define CL_COUNTED 7
struct cl_counted {
  const char *label; /* of its rate, in the proof */
  const char *heading; /* of its rate, in status */
  const char *key; /* of its rate, in JSON */
  const char *family, *help; /* of itself, for Prometheus */
  const char *before, *before_help; /* of its rate before the CPUs were cleared, for Prometheus */
  int width; /* of the column in status */
  bool of_waits, of_interrupts; /* not known without them, see below */
  double unit; /* of itself: 1e-9: nanoseconds, told in seconds; its rate is told in percent then */
};
extern const struct cl_counted cl_counted[CL_COUNTED];

/* Since boot. */
struct cl_counters {
  double at;       /* cl_now() */
  int cpus;        /* how many */
  bool waits;      /* the kernel keeps wait_ns and switches (CONFIG_SCHEDSTATS); else they are 0 */
  bool interrupts; /* those could be read; else they and softirqs are 0 */
  union {
    struct {
      unsigned long long wait_ns;  /* run-queue wait: time that tasks waited there for a CPU */
      unsigned long long idle_ns;  /* without anything to do: the kernel keeps it exactly, but tells clock ticks */
      unsigned long long switches; /* tasks that were put on the CPU */
      unsigned long long devices;  /* interrupts of devices */
      unsigned long long between;  /* interrupts from other CPUs, and the few others without a device */
      unsigned long long ticks;    /* of the local timer: the tick, and timers that programs set */
      unsigned long long softirqs;
    };
    unsigned long long count[CL_COUNTED];
  };
};
/* That counter is known. */
bool cl_counters_tell(const struct cl_counters *counters, size_t which);
/* Of every CPU apart. */
int cl_counters_each(struct cl_counters counters[CL_CPUS_MOST]);
struct cl_counters cl_counters_sum(const struct cl_counters counters[CL_CPUS_MOST], const struct cl_cpus *cpus);
int cl_counters_read(const struct cl_cpus *cpus, struct cl_counters *sum);

/* The kernel manages this interrupt, and refuses to move it: known only where debugfs says it. */
bool cl_irq_is_managed(int irq);

/* Events between two readings; NAN: not known. */
struct cl_rates {
  double seconds;
  union {
    struct {
      double wait, busy;                                  /* percent of one CPU */
      double switches, devices, between, ticks, softirqs; /* a second */
    };
    double rate[CL_COUNTED];
  };
};
struct cl_rates cl_rates_of(const struct cl_counters *from, const struct cl_counters *to);
/* As a line, for the layer's note "before"; EINVAL: it is none. */
char *cl_rates_format(const struct cl_rates *rates, char text[256]);
int cl_rates_parse(const char *text, struct cl_rates *rates);

/* What a program has had. */
struct cl_program {
  double wall_s, cpu_s;
  unsigned long long voluntary, involuntary; /* switches */
};
/* For a process (tid 0: all its threads) or a thread that this tool did not start, since it began; wall_s is
 * cl_now(). ESRCH: it has ended, so read it periodically and keep the last. What it did between two readings:
 * cl_program_since(); switches of threads that ended between them are missing. */
int cl_program_read(int pid, int tid, struct cl_program *program);
struct cl_program cl_program_since(const struct cl_program *before, const struct cl_program *now);

#endif
