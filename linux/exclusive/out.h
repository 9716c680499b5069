/* SPDX-License-Identifier: Apache-2.0
 *
 * Files that the user names to be written: --report, --log. The name may be in a directory that others may write to,
 * and whatever they put there must not make root write elsewhere:
 *
 * - A symbolic link anywhere in the path is followed only if root or the user owns it, whatever protected_symlinks is;
 *   one of another user is refused (ELOOP). So is a regular log file with a second name (EMLINK), which could be a hard
 *   link to any file, and a directory (EISDIR).
 * - A regular file, or none yet, gets a report as a whole: a new file next to it, whose name is unpredictable, opened
 *   with O_EXCL and O_NOFOLLOW, mode 0644 less umask, is renamed to it. A log is appended to.
 * - Devices, pipes and what /dev/stdout, /dev/stderr and /dev/fd/N stand for are written in place, never replaced. */
#ifndef CL_OUT_H
#define CL_OUT_H

#include <stdbool.h>

struct cl_out {
  int fd;     /* open: written in place; -1: an ordinary file is to be made */
  int folder; /* of that */
  char name[256];
};

/* Finds out, without changing anything, where a report goes. Returns an errno number; then nothing is open. */
int cl_out_open(const char *path, struct cl_out *out);
/* Writes it and closes it. */
int cl_out_write(struct cl_out *out, const char *text);
/* A file to append lines to. */
int cl_out_append(const char *path, int *fd);
/* The meaning of an errno value of these functions. */
const char *cl_out_error(int error);

#endif
