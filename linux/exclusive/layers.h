/* SPDX-License-Identifier: Apache-2.0
 *
 * All reservations. */
#ifndef CL_LAYERS_H
#define CL_LAYERS_H

#include "layer.h"

/* All reservations by number, damaged ones included (tool = 0); free() *list. If the file was removed, `path` is
 * that of the open one. Cost: the files; all processes are scanned only where the files do not add up to what the
 * baseline says is held, and only by root. EPROTO: some are of another version of this tool. */
int cl_layers(struct cl_reservation **list, size_t *count);

#endif
