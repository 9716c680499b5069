/* SPDX-License-Identifier: Apache-2.0
 *
 * Text files of entries: one per line, fields separated by tabs; tabs, newlines and backslashes in them are escaped. */
#ifndef CL_LINES_H
#define CL_LINES_H

#include <stdbool.h>
#include <stddef.h>

/* Appends an entry by one write(2): on a tmpfs it is complete or absent, whenever the tool is killed. A partial one
 * (full disk) is removed again. E2BIG: longer than 16 KiB. */
int cl_line_add(int fd, const char *const *field, size_t count);
/* Splits a line in place and takes the escapes out; SIZE_MAX: more than `most` fields, or a bad escape. */
size_t cl_line_split(char *line, char **field, size_t most);
/* All digits, and not too many. */
bool cl_line_number(const char *text, unsigned long long *value);
/* Such a text, in one of a few buffers in turn. */
const char *cl_line_of(unsigned long long number);
/* The same for the number of a task or a layer: from 1 on, and an int. */
bool cl_line_id(const char *text, int *id);
/* Whether a path has a part "..", as that of a cgroup outside of the reader's cgroup namespace. */
bool cl_leads_up(const char *path);
/* An absolute path that fits (CL_PATH_MOST) and goes nowhere up. */
bool cl_line_path(const char *text);

/* Whether a text of words apart by blanks has this one. */
bool cl_lists_word(const char *text, const char *word);

/* The lines of a text in turn: *at moves on, NULL at the end. One is not `whole` where its
 * newline is missing, a zero would end it before, or it is longer than an entry can be. */
char *cl_line_next(char **at, const char *end, bool *whole);

#endif
