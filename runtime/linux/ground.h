/* SPDX-License-Identifier: Apache-2.0
 *
 * Between the files of the Linux ground. */
#ifndef CL_LINUX_GROUND_H
#define CL_LINUX_GROUND_H

#include <stdint.h>
#include <time.h>

#include "cl_compiler.h"

#ifndef CL_CLOCK_HZ
#define CL_CLOCK_HZ 10000000
#endif

/* No interrupt ends a wait of the communication port. */
static inline int cl_irq_is_off(void) { return 0; }

/* The time on `clock` that many cycles from now. */
struct timespec cl_after(clockid_t clock, uint32_t cycles);

/* The machine's processor that is the program's processor `cpu`, which is below cl_cpu_count(). */
int cl_host_cpu(unsigned cpu);

#endif
