/* SPDX-License-Identifier: Apache-2.0
 *
 * The lock of all that a front end has: the back end's, with interrupts disabled; with the hardware kernel inline, as
 * hw/cl_hw.c has it. */
#ifndef CL_API_GUARD_H
#define CL_API_GUARD_H

#include "cl_kernel.h"

static inline void cl_api_hold(void) { /* interrupts are disabled already */
#if !defined(CL_KERNEL_HW)
  cl_backend_lock();
#elif CL_CPUS > 1
  cl_local_write(CL_LOCK_ADDRESS, (uint32_t)(uintptr_t)cl_timers);
  cl_local_read(CL_LOCK_ACQUIRE); /* waits */
#endif
  __asm__ volatile("" ::: "memory");
}

static inline void cl_api_enter(void) {
  cl_irq_off();
  cl_api_hold();
}

static inline void cl_api_leave(void) {
  __asm__ volatile("" ::: "memory");
#if !defined(CL_KERNEL_HW)
  cl_backend_unlock();
#else
  if (CL_CPUS > 1) cl_local_write(CL_LOCK_RELEASE, 0);
  cl_irq_on();
#endif
}

static inline void cl_api_leave_quietly(void) { /* nobody was woken */
#if defined(CL_KERNEL_HW)
  cl_api_leave();
#else
  cl_backend_unlock_quietly();
#endif
}

#endif
