/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Shared by the BPF side of scx_dwrr and its loader: the tuning (read-only once loaded), the counters, the exit. */
#ifndef SCX_DWRR_H
#define SCX_DWRR_H

#ifndef __bpf__
#include <stdint.h>
typedef int32_t s32;
typedef uint32_t u32;
typedef int64_t s64;
typedef uint64_t u64;
#endif

#define DWRR_CPUS_MAX 1024
#define DWRR_GROUPS_MAX \
  1024 /* cgroups; more, and those deeper than that below the root, count as the one that they are in */
#define DWRR_DEPTH_MAX 16
#define DWRR_SLICE_US 12000 /* B, unless told otherwise */
#define DWRR_DUMP_SIZE 32768 /* of the global `char uei_dump[]`: the kernel's dump after an error */

/* Set by the loader before loading: `const volatile struct dwrr_tuning tuning`. */
struct dwrr_tuning {
  u64 slice_ns;       /* B: the round slice of weight 1024, nice 0 */
  u64 tick_ns;        /* of the kernel: 1 s / CONFIG_HZ; a slice ends at a tick */
  u32 cpus;           /* possible ones */
  u32 lanes;          /* DWRR_GROUPS_MAX x cpus, or cpus without cgroups */
  u32 sleepers_first; /* a thread that has just woken runs before others of the open rounds */
};

struct dwrr_lane { /* a cgroup on a CPU: the BPF side's own, here for its size */
  u32 round;         /* up to this one the CPU runs what lies here before it looks elsewhere */
  u32 bound_round;
  u32 waiting;       /* threads that count and are queued here */
  u32 bound_threads; /* runnable */
  u64 bound_weight;
  u64 bound_slice;   /* B for them */
  u32 pass;          /* in which the CPU has tried it */
};
/* Since the start, for each CPU: the map `stats`. The loader adds them up. */
struct dwrr_stats {
  u64 picked;      /* threads that were taken from a queue to run */
  u64 kept;        /* times a thread went on with a new slice: none came before it */
  u64 balanced;    /* threads taken from another CPU's queue before a round ended here: round balancing */
  u64 direct;      /* woken onto an idle CPU, past the queues */
  u64 kernel;      /* kernel threads that belong to one CPU, past the rounds */
  u64 woken;       /* woken threads that preempted one that had run for a while */
  u64 pinned;      /* threads queued that may not run everywhere: rounds of one CPU's own */
  u64 awaited;     /* times a thread many rounds ahead went on before all others: RCU waited for it */
  u64 held;        /* times a CPU waited, since all that it had was of a round not yet open */
  u64 held_ns;     /* for how long in all */
  u64 borrowed;    /* ticks run ahead so that a CPU was not held */
  u64 skipped;     /* times a round ended without threads that wait on a CPU that a real-time thread has */
  u64 closed;      /* rounds that ended early for a weight above a whole CPU's share */
  u64 throttled;   /* times cgroups had used up what cpu.max allows */
  u64 rescued;     /* threads that ran first after 15 s: their cgroup has too little for all of its threads */
  u64 forgiven_ns; /* service that was not charged: too far ahead, or no more threads than CPUs */
};

/* For all: the map `totals`, one entry. */
struct dwrr_totals {
  u32 lowest;  /* L: the lowest round of the threads that count; of all cgroups together */
  u32 threads; /* runnable, and may run anywhere */
  u64 weight;  /* theirs */
  u32 cgroups; /* with the cpu controller */
  u32 active;  /* that have runnable threads */
};

/* Why it ended: the global `uei`, named as sched_ext's tools do. */
struct dwrr_exit {
  s32 kind;
  char reason[128];
  char message[1024];
};

#endif
