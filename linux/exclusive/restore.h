/* SPDX-License-Identifier: Apache-2.0
 *
 * Taking back what a tool that is no more has left behind. */
#ifndef CL_RESTORE_H
#define CL_RESTORE_H

#include <stdbool.h>

#include "journal.h"

/* The journal of a tool, its path. */
void cl_journal_of(int tool, char path[CL_PATH_MOST]);
/* Takes back every reservation whose tool has ended; the caller holds the lock. Count of those. */
int cl_restore_dead(void);
/* The command: `id` of one reservation (0: all whose tool has ended; all: those of tools that live, too). Exit status. */
int cl_restore(int id, bool all);

#endif
