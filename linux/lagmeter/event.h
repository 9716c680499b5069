/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The events that the BPF programs send to lagmeter, and the threads that they watch. */
#ifndef LAG_EVENT_H
#define LAG_EVENT_H

#ifndef __bpf__
#include <stdbool.h>
#include <stdint.h>
#endif

#define LAG_COMMAND 16 /* bytes of a thread's name, with the end */
#define LAG_UNKNOWN (~0ull) /* CPU time */

enum lag_kind {
  LAG_NEW,       /* runnable for the first time */
  LAG_WAKE,      /* runnable again */
  LAG_THERE,     /* runnable when the watching began */
  LAG_IN,        /* runs from now on */
  LAG_PREEMPTED, /* runs no longer, and waits */
  LAG_SLEEPS,    /* runs no longer, and is not runnable */
  LAG_ENDS,      /* runs no longer, and never again */
};

struct lag_event {
  uint64_t at_ns;  /* CLOCK_MONOTONIC */
  uint64_t cpu_ns; /* its CPU time as the kernel counts it, or LAG_UNKNOWN */
  int32_t tid, pid;
  uint16_t kind, cpu;
  uint16_t allowed; /* on how many CPUs it may run */
  uint8_t policy;   /* SCHED_... */
  int8_t nice;
  char command[LAG_COMMAND];
};

enum lag_whom { LAG_ALL, LAG_PROCESS, LAG_TREE, LAG_NAME, LAG_CGROUP };

struct lag_filter {
  uint32_t whom;
  int32_t pid; /* of the process, or of the tree's first */
  int32_t own; /* of lagmeter: never watched */
  uint32_t kernel_threads;
  uint64_t cgroup; /* its id, */
  uint32_t level;  /* and how deep it lies */
  char command[LAG_COMMAND];
};

#endif
