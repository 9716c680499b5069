/* SPDX-License-Identifier: Apache-2.0
 *
 * PicoRV32: what C needs of the core. */
#ifndef CL_ARCH_H
#define CL_ARCH_H

/* maskirq: a set bit masks. The core's own faults (1, 2) are never masked: it would stop for good. */
#define CL_IRQ_ON_TEXT ".insn r 0x0b, 6, 3, x0, x0, x0\n"

static inline void cl_irq_off(void) { __asm__ volatile(".insn r 0x0b, 6, 3, x0, %0, x0" ::"r"(~6) : "memory"); }
static inline void cl_irq_on(void) { __asm__ volatile(CL_IRQ_ON_TEXT ::: "memory"); }

/* Sleep until an interrupt is pending, masked or not. */
static inline void cl_wait_for_interrupt(void) { __asm__ volatile(".insn r 0x0b, 4, 4, x0, x0, x0" ::: "memory"); }

/* Text of the fault `cause` that the trap entry hands to cl_fault: bits of q1. */
static inline const char *cl_fault_text(unsigned cause) {
  return cause & 2 ? "illegal instruction" : "misaligned access";
}

#endif
