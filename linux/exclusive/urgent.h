/* SPDX-License-Identifier: Apache-2.0
 *
 * Among many that want the CPU the tool would wait for a turn after each step, and the machine be half changed meanwhile:
 * while it sets up and takes back it goes before them. */
#ifndef CL_URGENT_H
#define CL_URGENT_H

#include <stdbool.h>

/* From now on, or as before. Where the kernel does not allow it nothing happens, nor with one that goes before them
 * anyhow. No process may be made meanwhile: it would not have the priority that the tool was started with. */
void cl_urgent(bool on);

#endif
