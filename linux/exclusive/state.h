/* SPDX-License-Identifier: Apache-2.0
 *
 * CL_STATE as a whole: its files, its lock, and the tools that live, including those whose files were removed. A tool
 * and its watcher keep their records open, so the kernel still has them, as /proc/PID/fd/N, for as long as one of them
 * is alive.
 */
#ifndef CL_STATE_H
#define CL_STATE_H

#include "layer.h"
#include "records.h"

/* Only one tool at a time sets up or takes down: a lock on CL_STATE/lock, until *fd is closed. */
int cl_state_try(int *fd); /* EWOULDBLOCK: another has it */
/* The same, but waits up to `patience_s`. */
int cl_state_lock(int *fd, double patience_s);
/* The holder of the lock: "pid 4711 (coreloom-exclus)" */
const char *cl_state_holder_text(char text[64]);

/* The PID namespace, in whose numbers tasks are recorded; "-": not known. */
#define CL_SPACE_TEXT 24
void cl_state_space(char text[CL_SPACE_TEXT]);

/* The defect of the records and the remedy, for an error of this file, layer.h, baseline.h or settle.h. */
const char *cl_state_error(int error);

/* The files that a process has open in CL_STATE; "": none. */
struct cl_opens {
  char layer[64], baseline[64]; /* /proc/PID/fd/N; the latter only where it was removed */
  bool layer_removed, lock_removed;
};

/* Calls `each` for every tool or watcher that lives and has a removed file open, if its layer was not replaced or
 * ended since; `first`: what that layer says. */
int cl_state_alive(int (*each)(void *context, const struct cl_opens *of, const struct cl_reservation *first),
                   void *context);

bool cl_has_end(const char *text, const char *end);

#endif
