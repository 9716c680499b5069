/* SPDX-License-Identifier: Apache-2.0
 *
 * The only place that opens files of /proc, /sys and /run. Every path is absolute; cl_files_root(), for tests, puts a
 * directory with a tree of such files before all of them, and then everything below it is a plain file. */
#ifndef CL_FILES_H
#define CL_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include "cpus.h"

#define CL_PATH_MOST 512
#define CL_FOLDER_MOST (CL_PATH_MOST + 4096) /* of any task's group: a mount, and what the kernel tells at most */

void cl_files_root(const char *folder);
bool cl_files_is_tree(void); /* a root is set: no system call may touch a task or a device */
/* The real path: the root before `path`, in one of a few buffers in turn. "" if it does not fit, or for "": there is no
 * such file then, and functions below return ENAMETOOLONG. A path is never truncated: that would name another file. */
const char *cl_files_path(const char *path);

/* A path as printf would make it, in one of a few buffers in turn; "" if it does not fit. It lasts until the eighth
 * after it: callers keep none over a call that may make others. */
const char *cl_path(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Reads a whole file and terminates it with a zero; the final newline is removed. Returns an errno number, and then
 * the text is empty. EFBIG: it is longer than size - 1. So nothing is ever truncated: a list of processes or CPUs
 * without its end is another list. For files whose length is up to the kernel, not to users. */
int cl_read(const char *path, char *text, size_t size);
/* A file with a list of CPUs. */
int cl_read_cpus(const char *path, struct cl_cpus *set);
/* Only the first size - 1 bytes: for files of which only the beginning matters. */
int cl_read_start(const char *path, char *text, size_t size);
/* Reads all of a file into the heap, for those without a bound (/proc/interrupts, cgroup.procs). free() it. */
int cl_read_all(const char *path, char **text);
/* A whole file from its begin, wherever the descriptor stands; text[length] is zero. free() it. */
int cl_read_open(int fd, char **text, size_t *length);
/* One write(2) of the text: what the kernel files need. */
int cl_write(const char *path, const char *text);
/* A whole file or none, in a folder of ours: next to it, then renamed. Not for the kernel's files. */
int cl_write_whole(const char *path, const char *text);
/* The same for the file `name` in an open folder; a link or device of that name is replaced, not followed. */
int cl_replace(int folder, const char *name, const char *text);
int cl_put_all(int fd, const char *text); /* to a pipe, too, which takes a part at a time */
bool cl_exists(const char *path);
/* Calls `each` with the name of every entry of a folder but "." and ".."; stops at its first non-zero answer. */
int cl_list(const char *path, int (*each)(void *context, const char *name), void *context);

#endif
