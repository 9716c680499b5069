/* SPDX-License-Identifier: Apache-2.0
 *
 * VexRiscv: core-specific code for C. */
#ifndef CL_ARCH_H
#define CL_ARCH_H

#include <stdint.h>

/* Bits of mip. The kernel's interrupt, the lines and the communication port's share one; they are apart in a register
 * of this core. */
#define CL_IRQ_TIMER 7
#define CL_IRQ_KERNEL 11

#define CL_ARCH_HANDLER_STACK 0

#define CL_IRQ_ON_TEXT "csrsi mstatus, 8\n"

static inline void cl_irq_off(void) { __asm__ volatile("csrci mstatus, 8" ::: "memory"); }
static inline void cl_irq_on(void) { __asm__ volatile(CL_IRQ_ON_TEXT ::: "memory"); }

static inline int cl_irq_is_off(void) {
  uint32_t status;
  __asm__ volatile("csrr %0, mstatus" : "=r"(status));
  return !(status & 8);
}

/* Enable the communication port's interrupt on this CPU. */
static inline void cl_ipc_listen(const void *registers) {
  (void)registers;
  __asm__ volatile("csrsi 0xbc0, 4");
}

/* The same for the Back-Door's interrupt: no platform of this core has one. */
static inline void cl_backdoor_listen(void (*handler)(uint32_t bells)) { (void)handler; }

/* Wait until an interrupt is pending, taken or not: wfi does nothing on this core. The loop is in its cache. */
static inline void cl_wait_for_interrupt(void) {
  uint32_t pending, enabled;
  do {
    __asm__ volatile("csrr %0, mip\ncsrr %1, mie" : "=r"(pending), "=r"(enabled)::"memory");
  } while (!(pending & enabled));
}

/* Text of the fault `cause` that the trap entry hands to cl_fault. */
static inline const char *cl_fault_text(unsigned cause) {
  switch (cause) {
    case 0: return "misaligned jump";
    case 2: return "illegal instruction";
    case 4: return "misaligned load";
    case 6: return "misaligned store";
    case 11: return "environment call";
    default: return "exception";
  }
}

/* The signal that Linux sends for it: SIGILL, SIGBUS or SIGSEGV. */
static inline int cl_fault_signal(unsigned cause) { return cause == 2 ? 4 : cause <= 6 ? 7 : 11; }

#endif
