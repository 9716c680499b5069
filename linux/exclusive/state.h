/* SPDX-License-Identifier: Apache-2.0
 *
 * CL_STATE as a whole: its files, its lock, and all reservations, including those whose files were removed. A tool and
 * its watcher keep their records open, so the kernel still has them, as /proc/PID/fd/N, for as long as one of them is
 * alive.
 *
 * A lock on a layer's file, never a PID, tells that a tool is alive: a lock is seen from every PID namespace and
 * whatever hidepid= hides, and the kernel ends it with the process. Such a lock needs write access, which is root's.
 */
#ifndef CL_STATE_H
#define CL_STATE_H

#include "layer.h"

/* Only one tool at a time sets up or takes down: a lock on CL_STATE/lock, until *fd is closed. */
int cl_state_try(int *fd); /* EWOULDBLOCK: another has it */
/* The same, but waits up to `patience_s`. */
int cl_state_lock(int *fd, double patience_s);
/* The holder of the lock: "pid 4711 (coreloom-exclus)" */
const char *cl_state_holder_text(char text[64]);

/* The folder, which everybody may read whatever the umask is. */
int cl_state_folder(void);
/* Opens a file there, or one that another has open. No link is followed, no FIFO waited for. ENOTSUP: it is no file. */
int cl_state_open(const char *path, int flags, int *fd);

enum cl_mark { CL_MARK_TOOL, CL_MARK_WATCHER };
/* Locks a layer's file, open for writing, for as long as it is open. EAGAIN: another has. */
int cl_state_mark(int fd, enum cl_mark mark);
bool cl_state_marked(int fd, enum cl_mark mark);

/* The PID namespace, in whose numbers tasks are recorded; "-": not known. */
#define CL_SPACE_TEXT 24
void cl_state_space(char text[CL_SPACE_TEXT]);

/* The defect of the records and the remedy, for an error of this file, layer.h, baseline.h or settle.h. */
const char *cl_state_error(int error);

/* All reservations by number, damaged ones included (tool = 0); free() *list. If the file was removed, `path` is
 * that of the open one. Cost: the files; all processes are scanned only where the files do not add up to what the
 * baseline says is held, and only by root. EPROTO: some are of another version of this tool. */
int cl_layers(struct cl_reservation **list, size_t *count);
/* The newest baseline that was removed and that a living reservation has open. ENOENT: there is none. */
int cl_state_baseline(char path[CL_PATH_MOST]);

#endif
