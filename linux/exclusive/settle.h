/* SPDX-License-Identifier: Apache-2.0
 *
 * Makes the machine what it should be: what the baseline says, minus the CPUs of the live layers. So every end is the
 * same: the layer that ends is left out, and everything is computed again. It may run twice, by any process, and after
 * any part of it (decision 0018). */
#ifndef CL_SETTLE_H
#define CL_SETTLE_H

#include <stdbool.h>

#include "layer.h"

struct cl_settled {
  int layers;  /* that ended */
  int done;    /* values written */
  int already; /* were as they should be */
  int foreign; /* somebody else has changed since we wrote: kept, each said by cl_warn */
  int failed;  /* the kernel refused; each reported by cl_warn. The records are kept */
  int owed;    /* tasks whose CPUs are all offline: settle again when these are back; the baseline stays until then */
  int damaged; /* lines that cannot be read; each said by cl_warn */
};

struct cl_settling {
  int id;      /* this reservation ends, though its tool may live; 0: none */
  bool all;    /* every one ends */
  bool again;  /* the one of `id` is to begin anew: its file stays */
  bool repair; /* what others have changed is written, too */
};

/* Ends all layers whose tool has ended, and those requested; the caller holds the lock. EIO: something failed, the
 * files of the layers that end are kept. */
int cl_settle(const struct cl_settling *how, struct cl_settled *settled);

/* Differences from the intended state, for verify: calls `find` with a line for each wrong value that nobody holds
 * (`foreign`: others have set it). Reads only. */
int cl_settle_look(void (*find)(void *context, bool foreign, const char *line), void *context);

#endif
