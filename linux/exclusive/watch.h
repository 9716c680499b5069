/* SPDX-License-Identifier: Apache-2.0
 *
 * The watcher: a second process that waits for the tool's end, and for --max. If the tool has not undone everything
 * itself by then (kill -9; stopped), the watcher does. It keeps the records open, and rewrites them if they were
 * removed. That it lives is told by its lock on the layer's file (state.h). When tasks wait for CPUs that are
 * offline (settle.h) it stays until these are back, or until SIGTERM. */
#ifndef CL_WATCH_H
#define CL_WATCH_H

#include <stdbool.h>
#include <sys/types.h>

struct cl_watcher {
  pid_t pid;
  int fd; /* the tool's end of a pipe, which the kernel closes with the tool */
};

/* Call before the layer is begun, and before the lock is taken: the watcher inherits neither. */
int cl_watcher_start(struct cl_watcher *watcher);
/* The CPUs are held, or the records are in a new file; `deadline` (cl_now(), or INFINITY): after which the watcher
 * releases them. NAN: nothing is left to do, the watcher ends. */
void cl_watcher_tell(const struct cl_watcher *watcher, double deadline);
/* The tool is done: the watcher ends. If it is `unfinished` the watcher continues without the tool, a new one if it
 * was killed. */
void cl_watcher_stop(struct cl_watcher *watcher, bool unfinished);

#endif
