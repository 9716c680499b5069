/* SPDX-License-Identifier: Apache-2.0
 *
 * The loader of processor 1. Between its C and its start-up code, which is the core's. */
#ifndef CL_LOADER_H
#define CL_LOADER_H

#include "cl_far.h"

/* Where both stacks end: the program's at the page, the loader's at the end of the memory. */
#define CL_LOADER_PAGE (CL_BACKDOOR_MEMORY_BASE + CL_BACKDOOR_MEMORY_BYTES - CL_BACKDOOR_LOADER_BYTES)
#define CL_LOADER_STACK (CL_BACKDOOR_MEMORY_BASE + CL_BACKDOOR_MEMORY_BYTES)

#ifndef __ASSEMBLER__
/* After reset, and after the end of a program (CL_BACKDOOR_STATE_* and its detail): neither returns, and neither relies
 * on anything in the memory. */
_Noreturn void cl_loader_begin(void);
_Noreturn void cl_loader_end(uint32_t state, uint32_t detail, uint32_t pc, uint32_t address);

/* Runs a program until its end, which start.S makes a call of cl_loader_end. */
_Noreturn void cl_loader_run(uint32_t entry, const uint32_t *argument, uint32_t bytes, struct cl_far_page *page);
#endif

#endif
