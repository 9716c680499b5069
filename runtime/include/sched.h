/* SPDX-License-Identifier: Apache-2.0
 *
 * Scheduling: POSIX <sched.h>. There is one process, and what is set for it (process number 0 or getpid()) is set for
 * the calling thread. Errors: -1, with errno set. */
#ifndef CORELOOM_SCHED_H
#define CORELOOM_SCHED_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Fixed priorities; equals take turns by time slices, whatever the policy (runtime/CAVEATS.md). */
#define SCHED_OTHER 0
#define SCHED_FIFO 1
#define SCHED_RR 2
#define SCHED_SPORADIC 4 /* ENOTSUP */

struct sched_param {
  int sched_priority; /* sched_get_priority_min() .. sched_get_priority_max(); a larger number runs first */
};

/* Let the next ready thread of the same priority run. Returns 0. */
int sched_yield(void);

/* The range of priorities, the same for all policies. EINVAL: no such policy. */
int sched_get_priority_min(int policy);
int sched_get_priority_max(int policy);

/* ESRCH: no such process. EINVAL: no such policy or priority, or NULL. */
int sched_setscheduler(pid_t process, int policy, const struct sched_param *param); /* returns the former policy */
int sched_getscheduler(pid_t process);
int sched_setparam(pid_t process, const struct sched_param *param);
int sched_getparam(pid_t process, struct sched_param *param);
int sched_rr_get_interval(pid_t process, struct timespec *interval); /* the length of a time slice */

/* Sets of CPUs. */
#define CPU_SETSIZE 32
typedef struct {
  uint32_t cpus; /* a bit each */
} cpu_set_t;
#define CPU_ZERO(set) ((void)((set)->cpus = 0))
#define CPU_SET(cpu, set) ((void)((set)->cpus |= (uint32_t)((cpu) < CPU_SETSIZE) << ((cpu) % CPU_SETSIZE)))
#define CPU_CLR(cpu, set) ((void)((set)->cpus &= ~((uint32_t)((cpu) < CPU_SETSIZE) << ((cpu) % CPU_SETSIZE))))
#define CPU_ISSET(cpu, set) ((cpu) < CPU_SETSIZE && ((set)->cpus >> ((cpu) % CPU_SETSIZE) & 1))
#define CPU_COUNT(set) __builtin_popcount((set)->cpus)
#define CPU_EQUAL(a, b) ((a)->cpus == (b)->cpus)

/* Linux's, by gettid(), or 0 for the caller: as pthread_setaffinity_np and pthread_getaffinity_np. */
int sched_setaffinity(pid_t thread, size_t size, const cpu_set_t *set);
int sched_getaffinity(pid_t thread, size_t size, cpu_set_t *set);
int sched_getcpu(void); /* a thread may move at any time */

#ifdef __cplusplus
}
#endif

#endif
