/* SPDX-License-Identifier: Apache-2.0
 *
 * The kernel's enforcement of a reservation: read back from the kernel, whatever was asked for. */
#ifndef CL_ENFORCED_H
#define CL_ENFORCED_H

#include "proof.h"

/* Calls `find` with a line for each way in which the CPUs are not the program's alone: the partition is invalid or lacks
 * a CPU, the workqueues may use one, a task of others that could be elsewhere may run there (`task`; else NULL). Reads
 * only. `tasks`: all that may be there. */
void cl_enforced(const struct cl_held *held, const char *mechanism, const struct cl_tasks *tasks,
                 void (*find)(void *context, const struct cl_task *task, const char *line), void *context);

#endif
