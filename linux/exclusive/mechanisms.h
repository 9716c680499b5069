/* SPDX-License-Identifier: Apache-2.0
 *
 * What the mechanisms share: each file has one or two of them; what is not about the cgroups of tasks is here. */
#ifndef CL_MECHANISMS_H
#define CL_MECHANISMS_H

#include "hold.h"

extern const struct cl_mechanism cl_isolated, cl_root, cl_cpuset, cl_cpuset_v1, cl_affinity;

/* "WHAT: No such file or directory" into `why`; answers the error, so that `return cl_why(...)` reads well. */
int cl_why(char *why, size_t size, int error, const char *format, ...) __attribute__((format(printf, 4, 5)));
/* "FOLDER/NAME" */
/* "" if it does not fit. */
const char *cl_join(char path[CL_PATH_MOST], const char *folder, const char *name);
/* "MOUNT/coreloom-ID" with a suffix behind it */
void cl_group_name(const struct cl_hold *hold, const char *mount, const char *suffix, char path[CL_PATH_MOST]);

/* It would change something, and may not. A plan only reads. */
bool cl_needs_root(const struct cl_hold *hold);
/* Why cpusets of cgroup v2 cannot be used, or NULL. */
const char *cl_v2_cannot(const struct cl_hold *hold);

/* Whether a list reads as it did the last time; takes ownership of the text (heap). For sweeps, which must be cheap. */
bool cl_unchanged(char **last, char *text);

/* The kernel's threads that were there in state 1. */
int cl_kernel_tasks(const struct cl_hold *hold, struct cl_tasks *kernel);
/* The kernel forgets the affinity of its own threads when it creates a partition, and before 6.2 what any task has
 * requested whenever its cpuset changes: pins those again that were pinned, to what is left to them. */
void cl_pins_again(const struct cl_hold *hold);
/* Records what the threads of a process that came later have requested, before its cpuset is changed. */
int cl_pins_of(struct cl_hold *hold, int pid);

/* Moves kernel threads off the CPUs: those that `kernel` lists, as they were before. `itself`: the kernel has done
 * it, or in a plan will do it, so that they only have to be counted. */
int cl_kernel_away(struct cl_hold *hold, const struct cl_tasks *kernel, bool itself);
/* Those that came since; returns their number: looks again when there are others than the last time. A new kernel
 * thread starts with all CPUs, whatever kthreadd has. */
int cl_kernel_sweep(struct cl_hold *hold);
/* If no kernel thread is visible, this is a container: warns, as tasks outside it may use the CPUs. */
void cl_warn_container(const struct cl_tasks *kernel);
/* The workqueues that are bound to no CPU. */
int cl_workqueues_away(struct cl_hold *hold);

/* Moves a task of the program into hold->group, and onto hold->use even if it has requested other CPUs.
 * task->allowed is what it had before the first thread of its process entered. */
int cl_group_enter(struct cl_hold *hold, const char *controller, const struct cl_task *task, char *why, size_t size);

/* cgroup v2: removes the CPUs from the cgroups directly below the mount that list them, and with `all` also from
 * those that list none, which means all. Number of cgroups changed in *count. */
int cl_groups_narrow(struct cl_hold *hold, const char *mount, bool all, int *count);

#endif
