/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Included before scx_dwrr.c: its socket is where the environment says. */
#include <stdlib.h>

#include "stats.h"

#undef DWRR_SOCKET
#define DWRR_SOCKET getenv("SOCKET")
