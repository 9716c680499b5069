/* SPDX-License-Identifier: Apache-2.0
 *
 * How a program ends that cannot go on. */
#ifndef CL_END_H
#define CL_END_H

#include <stdint.h>

/* Prints one line, then stops the machine with status 2. `what` runs, of that name or, if NULL, number. */
__attribute__((noreturn)) void cl_fault_in(const char *what, const char *name, uint32_t number, unsigned cause,
                                           uint32_t pc, uint32_t address);

#endif
