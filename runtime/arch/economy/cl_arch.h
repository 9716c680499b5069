/* SPDX-License-Identifier: Apache-2.0
 *
 * PicoRV32: core-specific code for C. */
#ifndef CL_ARCH_H
#define CL_ARCH_H

#include <stdint.h>

#define CL_IRQ_KERNEL 4
#define CL_IRQ_TIMER 5

#define CL_ARCH_HANDLER_STACK 0

/* maskirq: a set bit masks. The core's own faults (1, 2) are never masked: the core would halt. With the
 * hardware kernel only its interrupt, the timer's and the communication port's (8) are enabled besides. */
#define CL_IRQS_OFF (~6)
#if defined(CL_KERNEL_HW)
#if defined(CL_SIGNALS) && CL_SIGNALS
#define CL_IRQS_ON (~(1 << 8 | 1 << 6 | 1 << CL_IRQ_TIMER | 1 << CL_IRQ_KERNEL | 6)) /* 6: another CPU's */
#else
#define CL_IRQS_ON (~(1 << 8 | 1 << CL_IRQ_TIMER | 1 << CL_IRQ_KERNEL | 6))
#endif
#define CL_IRQ_ON_TEXT "li t0, -375\n.insn r 0x0b, 6, 3, x0, t0, x0\n" /* in a program with signals: CL_IRQS_ON */
#else
#define CL_IRQS_ON 0
#define CL_IRQ_ON_TEXT ".insn r 0x0b, 6, 3, x0, x0, x0\n"
#endif

static inline void cl_irq_off(void) {
  __asm__ volatile(".insn r 0x0b, 6, 3, x0, %0, x0" ::"r"(CL_IRQS_OFF) : "memory");
}
static inline void cl_irq_on(void) {
  __asm__ volatile(".insn r 0x0b, 6, 3, x0, %z0, x0" ::"rJ"(CL_IRQS_ON) : "memory");
}

/* The mask can only be read by writing it. */
static inline int cl_irq_is_off(void) {
  int mask;
  __asm__ volatile(
      ".insn r 0x0b, 6, 3, %0, %1, x0\n"
      ".insn r 0x0b, 6, 3, x0, %0, x0\n"
      : "=&r"(mask)
      : "r"(CL_IRQS_OFF));
  return mask == CL_IRQS_OFF;
}

/* Enable the communication port's interrupt on this CPU: it always is. */
static inline void cl_ipc_listen(const void *registers) { (void)registers; }

/* The same for the Back-Door's interrupt, with a bell handler. */
static inline void cl_backdoor_listen(void (*handler)(uint32_t bells)) { (void)handler; }

/* Sleep until an interrupt is pending, masked or not. */
static inline void cl_wait_for_interrupt(void) { __asm__ volatile(".insn r 0x0b, 4, 4, x0, x0, x0" ::: "memory"); }

/* Text of the fault `cause` that the trap entry hands to cl_fault: bits of q1. */
static inline const char *cl_fault_text(unsigned cause) {
  return cause & 2 ? "illegal instruction" : "misaligned access";
}

/* The signal that Linux sends for it: SIGILL or SIGBUS. */
static inline int cl_fault_signal(unsigned cause) { return cause & 2 ? 4 : 7; }

#endif
