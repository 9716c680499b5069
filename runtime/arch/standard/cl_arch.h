/* SPDX-License-Identifier: Apache-2.0
 *
 * Ibex: what C needs of the core. */
#ifndef CL_ARCH_H
#define CL_ARCH_H

#include <stdint.h>

/* start.S answers the kernel's interrupt itself. */
#define CL_ARCH_PREEMPTS 1

#define CL_IRQ_ON_TEXT "csrsi mstatus, 8\n"

static inline void cl_irq_off(void) { __asm__ volatile("csrci mstatus, 8" ::: "memory"); }
static inline void cl_irq_on(void) { __asm__ volatile(CL_IRQ_ON_TEXT ::: "memory"); }

static inline int cl_irq_is_off(void) {
  uint32_t status;
  __asm__ volatile("csrr %0, mstatus" : "=r"(status));
  return !(status & 8);
}

/* From now on this CPU hears the communication port's interrupt. With the hardware kernel it has had a table in which
 * the kernel's handler stands in that one's place; cl_vectors costs the kernel's interrupt a jump, 2 cycles. */
static inline void cl_ipc_listen(void) {
#if defined(CL_KERNEL_HW)
  extern char cl_vectors[];
  __asm__ volatile("csrw mtvec, %0" ::"r"(cl_vectors + 1));
#endif
  __asm__ volatile("csrs mie, %0" ::"r"(1 << 17));
}

/* Sleep until an interrupt is pending, taken or not. */
static inline void cl_wait_for_interrupt(void) { __asm__ volatile("wfi" ::: "memory"); }

/* Text of the fault `cause` that the trap entry hands to cl_fault. */
static inline const char *cl_fault_text(unsigned cause) {
  switch (cause) {
    case 1: return "instruction access fault";
    case 2: return "illegal instruction";
    case 3: return "breakpoint";
    case 5: return "load access fault";
    case 7: return "store access fault";
    case 11: return "environment call";
    default: return "exception";
  }
}

#endif
