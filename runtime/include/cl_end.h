/* SPDX-License-Identifier: Apache-2.0
 *
 * How a program ends that cannot go on. */
#ifndef CL_END_H
#define CL_END_H

#include <stdint.h>

#define CL_ABORTED 134 /* the exit status that a shell shows of SIGABRT */

/* Prints one line: `what` runs, of that number unless that is CL_UNNUMBERED, and of that name unless NULL or empty. */
#define CL_UNNUMBERED UINT32_MAX
void cl_fault_line(const char *what, const char *name, uint32_t number, unsigned cause, uint32_t pc, uint32_t address);
/* The same, then stops the machine with the status that a shell shows when such a signal ends a program on Linux. */
__attribute__((noreturn)) void cl_fault_in(const char *what, const char *name, uint32_t number, unsigned cause,
                                           uint32_t pc, uint32_t address);

/* A signal ends the program: prints one line, then stops the machine with the status that a shell shows. */
__attribute__((noreturn)) void cl_ended_in(const char *what, const char *name, uint32_t number, int signal,
                                           const char *text);

/* A list in the program's memory cannot be gone along any more. Says so in one line and ends the program as abort does.
 * which: "the waiters of ..."; where: the object that has it. */
__attribute__((noreturn)) void cl_broken(const char *which, const void *where);
/* The same, by the layer that knows which thread runs. */
__attribute__((noreturn)) void cl_broken_in(const char *what, const char *name, uint32_t number, const char *which,
                                            const void *where);

#endif
