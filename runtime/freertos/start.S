/* SPDX-License-Identifier: Apache-2.0
 *
 * FreeRTOS on Ibex: vectors and start-up. The traps are the port's. */
#include "cl_machine.h"
#include "cl_start.h"

#define CPUCTRL 0x7c0 /* Ibex: bit 0 turns the instruction cache on */

/* The core jumps to base + 4 * cause for interrupts, to the base for exceptions; after reset to base + 0x80. */
  .section .vectors, "ax", @progbits
  .option norelax
  .globl cl_vectors
cl_vectors:
  j freertos_risc_v_exception_handler
  .rept 2
  j freertos_risc_v_interrupt_handler
  .endr
#if CL_CPUS > 1
  j cl_port_ipi /* 3 */
#else
  j freertos_risc_v_interrupt_handler
#endif
  .rept 3
  j freertos_risc_v_interrupt_handler
  .endr
  j freertos_risc_v_mtimer_interrupt_handler /* 7 */
  .rept 24
  j freertos_risc_v_interrupt_handler
  .endr
cl_start:
  la t0, cl_vectors + 1
  csrw mtvec, t0
  csrwi CPUCTRL, 1
  csrwi mie, 0
  li gp, 1 /* our port: no critical section before the scheduler's ends with interrupts on */
  li tp, 0
  csrr a0, mhartid
  la sp, cl_boot_stacks
  addi t0, a0, 1
  slli t0, t0, CL_BOOT_STACK_SHIFT
  add sp, sp, t0
  csrw mscratch, sp /* our port: the stack of an exception */
  bnez a0, cl_boot_other
  cl_begin
