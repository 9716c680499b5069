/* SPDX-License-Identifier: Apache-2.0
 *
 * On a busy machine the tool would wait for a turn after each step, and the machine would be half changed meanwhile:
 * while it sets up and undoes, it runs before all others. */
#ifndef CL_URGENT_H
#define CL_URGENT_H

#include <stdbool.h>

/* From now on, or as before. Where the kernel does not allow it nothing happens, nor if the tool already runs before
 * them. No process may be created meanwhile: it would not have the priority that the tool was started with. */
void cl_urgent(bool on);

#endif
