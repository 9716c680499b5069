/* SPDX-License-Identifier: Apache-2.0
 *
 * Common to the mechanisms: partition.c has two of them, affinity.c one. */
#ifndef CL_MECHANISMS_H
#define CL_MECHANISMS_H

#include "hold.h"

extern const struct cl_mechanism cl_isolated, cl_root, cl_affinity;

/* "WHAT: No such file or directory" into `why`; answers the error, so that `return cl_why(...)` reads well. */
int cl_why(char *why, size_t size, int error, const char *format, ...) __attribute__((format(printf, 4, 5)));
/* "MOUNT/coreloom-ID" with a suffix behind it */
void cl_group_name(const struct cl_hold *hold, const char *mount, const char *suffix, char path[CL_PATH_MOST]);

/* It would change something, and may not. A plan only reads. */
bool cl_needs_root(const struct cl_hold *hold);
/* If no kernel thread is visible, this is a container: warns, as tasks outside it may use the CPUs. */
void cl_warn_container(const struct cl_tasks *kernel);
/* The workqueues that are bound to no CPU. */
int cl_workqueues_away(struct cl_hold *hold);

#endif
