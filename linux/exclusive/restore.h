/* SPDX-License-Identifier: Apache-2.0
 *
 * Undoes what dead tools have left behind. */
#ifndef CL_RESTORE_H
#define CL_RESTORE_H

#include <stdbool.h>

/* The command. */
struct cl_restore_request {
  int id;      /* of one reservation; 0: all whose tool has ended */
  bool all;    /* those of tools that live, too */
  bool repair; /* write what others have changed since, too */
  bool json;
};
int cl_restore(const struct cl_restore_request *request); /* exit status */

/* Takes back every reservation whose tool has ended; the caller holds the lock. Count of those. */
int cl_restore_dead(void);

#endif
