/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Files that root writes where others can, too. */
#ifndef LAG_CREATE_H
#define LAG_CREATE_H

#include <stdio.h>

/* Opens a new file, or empties the existing one, for writing; anything but a regular file is written in place. Not
 * through another user's link, nor to a file that another user has put there. Returns the error number, and why. */
int lag_create(const char *path, FILE **file, const char **why);

#endif
