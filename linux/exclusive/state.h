/* SPDX-License-Identifier: Apache-2.0
 *
 * CL_STATE as a whole: its lock, and all reservations, including those whose files were removed. A tool and its watcher
 * keep their records open, so the kernel still has them, as /proc/PID/fd/N, for as long as one of them is alive. Only
 * root's processes count, and of those only ones that the layer itself names: others cannot forge it. */
#ifndef CL_STATE_H
#define CL_STATE_H

#include "layer.h"

/* Only one tool at a time sets up or takes down: a lock on CL_STATE/lock, until *fd is closed. */
int cl_state_lock(int *fd);
int cl_state_try(int *fd); /* EWOULDBLOCK: another has it */
/* Who has it: its pid, or 0. */
int cl_state_holder(void);

/* All reservations by number, damaged ones included (tool = 0); free() *list. If the file was removed, `path` is
 * that of the open one. Cost: the files; all processes are scanned only where the files do not add up to what the
 * baseline says is held, and only by root. */
int cl_layers(struct cl_reservation **list, size_t *count);
/* The newest baseline that was removed and that a living reservation has open. ENOENT: there is none. */
int cl_state_baseline(char path[CL_PATH_MOST]);

#endif
