/* SPDX-License-Identifier: Apache-2.0
 *
 * How a program ends that cannot go on. */
#ifndef CL_END_H
#define CL_END_H

#include <stdint.h>

/* Prints one line: `what` runs, of that number unless that is CL_UNNUMBERED, and of that name unless NULL or empty. */
#define CL_UNNUMBERED UINT32_MAX
void cl_fault_line(const char *what, const char *name, uint32_t number, unsigned cause, uint32_t pc, uint32_t address);
/* The same, then stops the machine with the status that a shell shows when such a signal ends a program on Linux. */
__attribute__((noreturn)) void cl_fault_in(const char *what, const char *name, uint32_t number, unsigned cause,
                                           uint32_t pc, uint32_t address);

#endif
