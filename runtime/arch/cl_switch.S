/* SPDX-License-Identifier: Apache-2.0
 *
 * Context switch, the same for both cores and both kernels.
 *
 * A suspended thread is its stack pointer in cl_threads[tid].sp. At that address lies the place where it goes on;
 * what else it keeps is its own business. cl_switch keeps what a C function must keep; cl_switch_here
 * (cl_kernel.h) lets the compiler keep just what is in use. A preempted thread waits in cl_switch, called by the
 * trap handler, above whose frame lies the trap's.
 *
 * Interrupts: with the hardware kernel they may stay on: it interrupts nobody between GIVE_WAY and SAVED. SAVED is
 * said by the thread that goes on, when sp is its own: another CPU may run the thread we left from there on. With the
 * software kernel interrupts are off until the thread goes on; its lock is released as soon as the thread we leave has
 * its stack pointer stored, for nothing below that is touched from there on. One that goes on in its trap handler
 * turns interrupts off before; or each time it is about to go on a new trap could pile up on its stack.
 */
#include "cl_arch_asm.h"
#include "cl_kernel_ops.h"
#include "cl_machine.h"

#define FRAME 64

  /* First things of a thread that goes on; t1 and t2 are from cl_switch_away. */
  .macro saved
#if defined(CL_KERNEL_HW)
  lui t0, %hi(CL_KERNEL_PORT + (CL_OP_SAVED << CL_ADDRESS_OP_LSB))
  sw zero, %lo(CL_KERNEL_PORT + (CL_OP_SAVED << CL_ADDRESS_OP_LSB))(t0)
#endif
  .endm

  .macro trace_run
  srli t1, t1, CL_THREAD_SHIFT
  sw t1, %lo(CL_LOCAL + CL_TRACE + 4 * CL_TRACE_RUN)(t2)
  .endm

  .macro save
  addi sp, sp, -FRAME
  sw ra, 0(sp)
  sw s0, 4(sp)
  sw s1, 8(sp)
  sw s2, 12(sp)
  sw s3, 16(sp)
  sw s4, 20(sp)
  sw s5, 24(sp)
  sw s6, 28(sp)
  sw s7, 32(sp)
  sw s8, 36(sp)
  sw s9, 40(sp)
  sw s10, 44(sp)
  sw s11, 48(sp)
  .endm

  .macro restore
  lw ra, 0(sp)
  lw s0, 4(sp)
  lw s1, 8(sp)
  lw s2, 12(sp)
  lw s3, 16(sp)
  lw s4, 20(sp)
  lw s5, 24(sp)
  lw s6, 28(sp)
  lw s7, 32(sp)
  lw s8, 36(sp)
  lw s9, 40(sp)
  lw s10, 44(sp)
  lw s11, 48(sp)
  addi sp, sp, FRAME
  .endm

  .section .text.hot, "ax", @progbits
  .option norelax

/* Leave this thread for thread a0[15:0]; a0 is an answer with GIVE_WAY and status 0. Called with t0 as the return
 * address. Comes back when this thread runs again, in the state of the CPU that comes: with the hardware kernel SAVED
 * is to be said, with the software kernel interrupts are to be turned on. t1 = the thread's number << CL_THREAD_SHIFT,
 * t2 = CL_LOCAL; sp and tp are kept and no other register is. */
  .globl cl_switch_away
  .type cl_switch_away, @function
  .balign 16
cl_switch_away:
  addi sp, sp, -16
  sw t0, 0(sp)
  sw sp, CL_THREAD_SP(tp)

/* void cl_switch_to(uint32_t word): the same for a CPU that leaves nothing behind. */
  .globl cl_switch_to
  .type cl_switch_to, @function
cl_switch_to:
  lui t2, %hi(CL_LOCAL)
#if !defined(CL_KERNEL_HW) && CL_CPUS > 1
  sw zero, %lo(CL_LOCAL + CL_LOCK_RELEASE)(t2)
#endif
  slli t1, a0, CL_THREAD_SHIFT /* GIVE_WAY falls out at the top */
  lui t0, %hi(cl_threads)
  add t0, t0, t1
  lw sp, %lo(cl_threads + CL_THREAD_SP)(t0)
  addi tp, t0, %lo(cl_threads)
  lw t0, 0(sp)
  addi sp, sp, 16
  jr t0
  .size cl_switch_away, . - cl_switch_away

/* uint32_t cl_switch(uint32_t word): leave this thread as a C function may. Comes back when it runs again, with
 * interrupts on, and returns RESUMED. */
  .globl cl_switch
  .type cl_switch, @function
cl_switch:
  save
  jal t0, cl_switch_away
  saved
  restore
  lui a0, CL_WORD_RESUMED_MASK << (CL_WORD_RESUMED_LSB - 12)
  trace_run
#if !defined(CL_KERNEL_HW)
  cl_irq_on
#endif
  ret
  .size cl_switch, . - cl_switch

/* void cl_switch_in_trap(uint32_t word): the same from a trap handler; comes back with interrupts off. */
  .globl cl_switch_in_trap
  .type cl_switch_in_trap, @function
cl_switch_in_trap:
  save
  jal t0, cl_switch_away
#if defined(CL_KERNEL_HW)
  cl_irq_off
#endif
  saved
  restore
  trace_run
  ret
  .size cl_switch_in_trap, . - cl_switch_in_trap

/* Where a new thread begins: its function and argument lie on the stack (cl_thread_prepare). */
  .globl cl_thread_entry
cl_thread_entry:
  saved
  trace_run
  lw a0, 0(sp)
  lw a1, 4(sp)
  addi sp, sp, 16
#if !defined(CL_KERNEL_HW)
  cl_irq_on
#endif
  tail cl_thread_main

/* void cl_on_boot_stack(void (*tail)(void)) */
  .globl cl_on_boot_stack
  .type cl_on_boot_stack, @function
cl_on_boot_stack:
  lui t2, %hi(CL_LOCAL)
  lw t0, %lo(CL_LOCAL + CL_CPU_ID)(t2)
  la t1, cl_boot_stacks
  addi t0, t0, 1
  slli t0, t0, CL_BOOT_STACK_SHIFT
  add sp, t1, t0
  jr a0
