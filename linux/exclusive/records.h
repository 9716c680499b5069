/* SPDX-License-Identifier: Apache-2.0
 *
 * The files of CL_STATE.
 *
 * A lock on a layer's file, never a PID, tells that a tool is alive: a lock is seen from every PID namespace and
 * whatever hidepid= hides, and the kernel ends it with the process. Such a lock needs write access, which is root's.
 */
#ifndef CL_RECORDS_H
#define CL_RECORDS_H

#include "files.h"

#define CL_STATE "/run/coreloom-exclusive"
#define CL_BASELINE CL_STATE "/baseline"

/* The folder, which everybody may read whatever the umask is. */
int cl_state_folder(void);
/* Opens a file there, or one that another has open. No link is followed, no FIFO waited for. ENOTSUP: it is no file. */
int cl_state_open(const char *path, int flags, int *fd);

enum cl_mark { CL_MARK_TOOL, CL_MARK_WATCHER };
/* Locks a layer's file, open for writing, for as long as it is open. EAGAIN: another has. */
int cl_state_mark(int fd, enum cl_mark mark);
bool cl_state_marked(int fd, enum cl_mark mark);

#endif
