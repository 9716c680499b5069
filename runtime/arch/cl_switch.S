/* SPDX-License-Identifier: Apache-2.0
 *
 * Context switch, the same for all cores and both kernels.
 *
 * A suspended thread is represented by its stack pointer in cl_threads[tid].sp. At that address is its resume address;
 * whatever else it saved depends on that address. cl_switch saves the callee-saved registers; cl_switch_here
 * (cl_kernel.h) lets the compiler save only live ones. A preempted thread waits in cl_switch, called by the trap
 * handler; the trap frame is above its frame.
 *
 * Interrupts: with the hardware kernel they may stay enabled, as it raises none between GIVE_WAY and SAVED; in a program
 * with signals they are disabled, as with the software kernel, until the thread resumes. SAVED is
 * stored by the resuming thread, when sp is its own: from then on another CPU may run the old thread. With the software
 * kernel interrupts are disabled until the thread resumes; its lock is released as soon as the old thread's stack
 * pointer is stored, as nothing below that is accessed afterwards. A thread that resumes in its trap handler disables
 * interrupts before; otherwise each time it is about to resume, a new trap could pile up on its stack.
 */
#include "cl_arch_asm.h"
#include "cl_frame.h"
#include "cl_kernel_ops.h"
#include "cl_machine.h"
#include "cl_start.h"

#define FRAME 64

/* Whether a resuming thread enables interrupts: the hardware kernel leaves them on, but in a program with signals. */
#if !defined(CL_KERNEL_HW) || CL_SIGNALS
#define ENABLES 1
#endif

  /* First steps of a resuming thread; t1 and t2 are from cl_switch_away. */
  .macro saved
#if defined(CL_KERNEL_HW)
#if CL_REGISTER_BANKS > 1
  sw zero, %lo(CL_SAVED)(zero)
#else
  lui t0, %hi(CL_SAVED)
  sw zero, %lo(CL_SAVED)(t0)
#endif
#endif
  .endm

  .macro trace_run
  srli t1, t1, CL_THREAD_SHIFT
#if CL_REGISTER_BANKS > 1
  sw t1, %lo(CL_RUN)(zero)
#else
  sw t1, %lo(CL_RUN)(t2)
#endif
  .endm

  .macro save
  addi sp, sp, -FRAME
  sw ra, 0(sp)
  cl_kept_registers sw, 4
  .endm

  .macro restore
  lw ra, 0(sp)
  cl_kept_registers lw, 4
  addi sp, sp, FRAME
  .endm

  .section .text.hot, "ax", @progbits
  .option norelax

/* Leave this thread for thread a0[15:0]; a0 is an answer with GIVE_WAY and status 0. Called with t0 as the return
 * address. Returns when this thread runs again, in the state of the CPU that runs it: with the hardware kernel SAVED
 * must be stored, with the software kernel interrupts must be enabled. t1 = the thread's number << CL_THREAD_SHIFT,
 * t2 = CL_LOCAL; only sp and tp are preserved. */
  .globl cl_switch_away
  .type cl_switch_away, @function
  .balign 16
cl_switch_away:
  addi sp, sp, -16
  sw t0, 0(sp)
  sw sp, CL_THREAD_SP(tp)

/* void cl_switch_to(uint32_t word): the same for a CPU without an old thread to save. */
  .globl cl_switch_to
  .type cl_switch_to, @function
cl_switch_to:
  cl_take_thread
  jr t0
  .size cl_switch_away, . - cl_switch_away

/* uint32_t cl_switch(uint32_t word): switch away from this thread, by the C ABI. Returns RESUMED when it runs
 * again, with interrupts enabled. */
  .globl cl_switch
  .type cl_switch, @function
cl_switch:
  save
  jal t0, cl_switch_away
resumes:
  saved
  restore
  lui a0, CL_WORD_RESUMED_MASK << (CL_WORD_RESUMED_LSB - 12)
  trace_run
#if ENABLES
  cl_irq_on
#endif
  ret
  .size cl_switch, . - cl_switch

#if defined(CL_KERNEL_HW)
/* Act on a0, the answer of an operation that waits: give way; or continue to wait after another interrupt; or return an
 * error as it is. Called with t0 as the return address; a0 is then RESUMED or an error, t0-t6 and a2-a7 are lost. */
  .globl cl_hw_settle_apart
  .type cl_hw_settle_apart, @function
cl_hw_settle_apart:
  bgez a0, 1f
  save
  sw t0, 52(sp)
  sw a1, 56(sp)
  jal t0, cl_switch_away
  saved
  lw t3, 52(sp)
  lw a1, 56(sp)
  restore
  lui a0, CL_WORD_RESUMED_MASK << (CL_WORD_RESUMED_LSB - 12)
  trace_run
#if ENABLES
  cl_irq_on
#endif
  jr t3
1:
  lui t1, CL_STATUS_EINTR << (CL_WORD_STATUS_LSB - 12)
  bne a0, t1, 2f
  addi sp, sp, -16
  sw ra, 0(sp)
  sw t0, 4(sp)
  sw a1, 8(sp)
  call cl_hw_interrupted
  lw ra, 0(sp)
  lw t0, 4(sp)
  lw a1, 8(sp)
  addi sp, sp, 16
2:
  jr t0
  .size cl_hw_settle_apart, . - cl_hw_settle_apart
#endif

/* uint32_t cl_switch_by(void (*tail)(void)): the same, but what comes next is known only when this thread is saved:
 * `tail` finds out, on the boot stack of this CPU. Interrupts must be disabled. */
  .globl cl_switch_by
  .type cl_switch_by, @function
cl_switch_by:
  save
  la t0, resumes
  addi sp, sp, -16
  sw t0, 0(sp)
  sw sp, CL_THREAD_SP(tp)
  tail cl_on_boot_stack
  .size cl_switch_by, . - cl_switch_by

/* void cl_switch_in_trap(uint32_t word): the same from a trap handler; returns with interrupts disabled. */
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

/* Entry of a new thread: its function and argument are on the stack (cl_thread_prepare). */
  .globl cl_thread_entry
cl_thread_entry:
  saved
  trace_run
  lw a0, 0(sp)
  lw a1, 4(sp)
  addi sp, sp, 16
#if ENABLES
  cl_irq_on
#endif
  tail cl_thread_main

  .globl cl_switch_end
cl_switch_end:

/* void cl_on_boot_stack(void (*tail)(void)) */
  .globl cl_on_boot_stack
  .type cl_on_boot_stack, @function
cl_on_boot_stack:
  cl_boot_stack t0
  jr a0

#if CL_THREAD_SHIFT > 4
/* The room of struct cl_thread, before all _Thread_local variables (link.ld). */
  .section .tdata.cl_control, "awT", @progbits
  .zero 16
#endif
