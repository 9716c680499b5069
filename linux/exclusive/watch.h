/* SPDX-License-Identifier: Apache-2.0
 *
 * The watcher: a second process that does nothing but wait for the tool's end. If the tool has not taken everything back
 * itself by then (kill -9), the watcher does. */
#ifndef CL_WATCH_H
#define CL_WATCH_H

#include <sys/types.h>

struct cl_watcher {
  pid_t pid;
  int fd; /* the tool's end of a pipe, which the kernel closes with the tool */
};

/* To be called before the first line of the journal, and before the lock is taken: the watcher inherits neither. */
int cl_watcher_start(struct cl_watcher *watcher);
/* The tool is done: the watcher ends. */
void cl_watcher_stop(struct cl_watcher *watcher);

#endif
