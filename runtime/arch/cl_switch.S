/* SPDX-License-Identifier: Apache-2.0
 *
 * Context switch, the same on both cores and both grounds.
 *
 * A suspended thread is its stack pointer in cl_threads[tid].sp; above it lie the registers that a C function
 * must keep (64 bytes):  0 ra  4 s0  8 s1 ... 48 s11. A preempted thread has the trap's frame above that.
 *
 * Interrupts: with the hardware kernel they may stay on. It interrupts nobody between GIVE_WAY and SAVED, and
 * after SAVED sp is already the next thread's, whose frame is below nothing. With the software kernel they are
 * off, and the kernel's lock is held, until SAVED.
 */
#include "cl_kernel_ops.h"
#include "cl_machine.h"
#include "cl_arch_asm.h"

#define FRAME 64

  .section .text.hot, "ax", @progbits
  .option norelax

/* uint32_t cl_switch(uint32_t word): leave this thread for thread word[15:0]. Comes back when it runs again, with
 * interrupts on, and returns RESUMED. word is an answer with GIVE_WAY and status 0. */
  .globl cl_switch
  .type cl_switch, @function
  .balign 16
cl_switch:
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
  sw sp, CL_THREAD_SP(tp)

/* void cl_switch_to(uint32_t word): the same for a CPU that leaves nothing behind. */
  .globl cl_switch_to
  .type cl_switch_to, @function
cl_switch_to:
  slli t1, a0, CL_THREAD_SHIFT /* GIVE_WAY falls out at the top */
  lui t0, %hi(cl_threads)
  add t0, t0, t1
  lw sp, %lo(cl_threads + CL_THREAD_SP)(t0)
  addi tp, t0, %lo(cl_threads)
  /* SAVED: from here on another CPU may run the thread we left. */
#if defined(CL_KERNEL_HW)
  lui t0, %hi(CL_KERNEL_PORT + (CL_OP_SAVED << CL_ADDRESS_OP_LSB))
  sw zero, %lo(CL_KERNEL_PORT + (CL_OP_SAVED << CL_ADDRESS_OP_LSB))(t0)
  lui t2, %hi(CL_LOCAL)
#else
  lui t2, %hi(CL_LOCAL)
#if CL_CPUS > 1
  sw zero, %lo(CL_LOCAL + CL_LOCK_RELEASE)(t2)
#endif
#endif
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
  srli t1, t1, CL_THREAD_SHIFT
  sw t1, %lo(CL_LOCAL + CL_TRACE + 4 * CL_TRACE_RUN)(t2)
  lui a0, CL_WORD_RESUMED_MASK << (CL_WORD_RESUMED_LSB - 12)
#if !defined(CL_KERNEL_HW)
  cl_irq_on
#endif
  ret
  .size cl_switch, . - cl_switch

/* First instructions of a new thread: s0 is its function, s1 the argument (cl_thread_prepare). */
  .globl cl_thread_entry
cl_thread_entry:
  mv a0, s0
  mv a1, s1
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
