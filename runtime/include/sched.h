/* SPDX-License-Identifier: Apache-2.0
 *
 * Scheduling: what of POSIX <sched.h> Coreloom has. */
#ifndef CORELOOM_SCHED_H
#define CORELOOM_SCHED_H

#ifdef __cplusplus
extern "C" {
#endif

/* One policy: fixed priorities, round-robin among equals (POSIX SCHED_RR). */
#define SCHED_OTHER 0
#define SCHED_FIFO 1
#define SCHED_RR 2

struct sched_param {
  int sched_priority; /* sched_get_priority_min() .. sched_get_priority_max(); a larger number runs first */
};

/* Let the next ready thread of the same priority run. Returns 0. */
int sched_yield(void);

/* The range of priorities; the policy is not looked at. */
int sched_get_priority_min(int policy);
int sched_get_priority_max(int policy);

#ifdef __cplusplus
}
#endif

#endif
