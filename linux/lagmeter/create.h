/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Files that root writes where others can, too. */
#ifndef LAG_CREATE_H
#define LAG_CREATE_H

#include <stdio.h>

/* Opens a new file, or empties the one that is there, for writing; what is no regular file is written in place. Not
 * through a link of another user's, nor to a file that another user has laid there. The error number, and why. */
int lag_create(const char *path, FILE **file, const char **why);

#endif
