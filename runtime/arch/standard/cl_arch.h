/* SPDX-License-Identifier: Apache-2.0
 *
 * Ibex: core-specific code for C. */
#ifndef CL_ARCH_H
#define CL_ARCH_H

#include <stdint.h>

/* start.S handles the kernel's interrupt itself. */
#define CL_ARCH_PREEMPTS 1

/* Bytes of the stack in the local memory on which start.S calls the communication port's handlers; 0: the interrupted
 * stack. The software kernel switches threads after them, so there it must be the thread's. */
#if defined(CL_KERNEL_HW) && defined(CL_AMP) && CL_AMP
#define CL_ARCH_HANDLER_STACK 1024
#else
#define CL_ARCH_HANDLER_STACK 0
#endif

#define CL_IRQ_ON_TEXT "csrsi mstatus, 8\n"

static inline void cl_irq_off(void) { __asm__ volatile("csrci mstatus, 8" ::: "memory"); }
static inline void cl_irq_on(void) { __asm__ volatile(CL_IRQ_ON_TEXT ::: "memory"); }

static inline int cl_irq_is_off(void) {
  uint32_t status;
  __asm__ volatile("csrr %0, mstatus" : "=r"(status));
  return !(status & 8);
}

/* Enable the communication port's interrupt on this CPU, with a vector table that contains its handler's code. With the
 * hardware kernel the previous table contained the kernel's; that now costs an additional jump, 2 cycles. `registers`:
 * where the handler saves registers, if it has its own stack. */
static inline void cl_ipc_listen(const void *registers) {
  extern char cl_ipc_vectors[];
  __asm__ volatile("csrw mscratch, %0" ::"r"(registers));
  __asm__ volatile("lui gp, 0x10000"); /* CL_IPC_FAILED */
  __asm__ volatile("csrw mtvec, %0" ::"r"(cl_ipc_vectors + 1));
  __asm__ volatile("csrs mie, %0" ::"r"(1 << 17));
}

/* The same for the Back-Door's interrupt and its bell handler, on a platform without that port. */
static inline void cl_backdoor_listen(void (*handler)(uint32_t bells)) {
#if CL_BACKDOOR
  extern char cl_backdoor_vectors[];
  __asm__ volatile("mv gp, %0" ::"r"(handler));
  __asm__ volatile("csrw mtvec, %0" ::"r"(cl_backdoor_vectors + 1));
  __asm__ volatile("csrs mie, %0" ::"r"(1 << 17));
#else
  (void)handler;
#endif
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

/* The signal that Linux sends for it: SIGILL, SIGTRAP or SIGSEGV. */
static inline int cl_fault_signal(unsigned cause) { return cause == 2 ? 4 : cause == 3 ? 5 : 11; }

#endif
