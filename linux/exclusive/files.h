/* SPDX-License-Identifier: Apache-2.0
 *
 * The only place that opens files of /proc, /sys and /run. Every path is absolute; cl_files_root(), for tests, puts a
 * folder with a tree of such files before all of them, and then nothing below it is more than a file. */
#ifndef CL_FILES_H
#define CL_FILES_H

#include <stdbool.h>
#include <stddef.h>

#define CL_PATH_MOST 512

void cl_files_root(const char *folder);
bool cl_files_is_tree(void); /* a root is set: no system call may touch a task or a device */
/* The real path: the root before `path`. */
const char *cl_files_path(const char *path, char real[CL_PATH_MOST + 256]);

/* Reads all of a file, cut at size - 1, and ends it with a zero; the final newline is taken off. errno's number. */
int cl_read(const char *path, char *text, size_t size);
/* Reads all of a file into the heap, for those without a bound (/proc/interrupts). free() it. */
int cl_read_all(const char *path, char **text);
/* One write(2) of the text: what the files of the kernel need. */
int cl_write(const char *path, const char *text);
/* A whole file or none: beside it, then renamed. For ordinary files (--json FILE), not for the kernel's. */
int cl_write_whole(const char *path, const char *text);
bool cl_exists(const char *path);
/* Calls `each` with the name of every entry of a folder but "." and ".."; stops at its first non-zero answer. */
int cl_list(const char *path, int (*each)(void *context, const char *name), void *context);

#endif
