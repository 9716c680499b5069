/* SPDX-License-Identifier: Apache-2.0
 *
 * Ibex: vectors, start-up, traps.
 *
 * Trap frame, pushed on the stack of the interrupted thread, AT bytes above sp:
 *   0 ra  4-28 t0-t6  32-60 a0-a7  64 pc  68 the kernel port's WORD0, 72-116 s0-s11 (both hardware kernel)
 * The 16 bytes below it, with the hardware kernel, are those of cl_switch_away, so that a switch needs no other frame.
 */
#include "cl_frame.h"
#include "cl_kernel_ops.h"
#include "cl_machine.h"
#include "cl_start.h"
#include "cl_backdoor_regs.h"

#if defined(CL_KERNEL_HW)
#define AT 16
#define FRAME 144
#else
#define AT 0
#define FRAME 80
#endif
#define HANDLER_FRAME 80 /* of a handler in the table of vectors */
#define CPUCTRL 0x7c0 /* Ibex: bit 0 turns the instruction cache on */
#define WORD0 (CL_KERNEL_PORT + (CL_OP_WORD0 << CL_ADDRESS_OP_LSB))
#define PREEMPT (CL_KERNEL_PORT + (CL_OP_PREEMPT << CL_ADDRESS_OP_LSB))
#define YIELD (CL_KERNEL_PORT + (CL_OP_YIELD << CL_ADDRESS_OP_LSB))
#define SAVED (CL_KERNEL_PORT + (CL_OP_SAVED << CL_ADDRESS_OP_LSB))

/* The core jumps to base + 4 * cause for interrupts, to the base for exceptions. The base is 256-byte aligned;
 * with the reset entry at + 0x80 there is room for 32. The code of the interrupt `number` may follow. */
  .macro vectors_below number
  j exception
  .rept 6
  j interrupt
  .endr
#if defined(CL_KERNEL_HW)
  j timer_interrupt /* 7 */
#else
  j interrupt
#endif
  .rept \number - 8
  j interrupt
  .endr
  .endm

  .section .vectors, "ax", @progbits
  .option norelax
  .globl cl_vectors
cl_vectors:
  vectors_below 32
  .globl cl_start
cl_start:
  cl_copy_program
#if defined(CL_KERNEL_HW)
  la t0, vectors + 1
#else
  la t0, cl_vectors + 1
#endif
  csrw mtvec, t0
#if defined(CL_KERNEL_HW) && CL_REGISTER_BANKS > 1
  la t0, go_on
  sw t0, %lo(CL_BANKS_RESUME)(zero)
#endif
  csrwi CPUCTRL, 1
  cl_boot_stack
  la tp, cl_threads
#if defined(CL_KERNEL_HW)
#if CL_SIGNALS && CL_REGISTER_BANKS == 1
  li t0, 1 << 11 | 1 << 7 | 1 << 3 /* and another CPU's: a thread here has a signal */
#else
  li t0, 1 << 11 | 1 << 7 /* the kernel's interrupt, and the timer's */
#endif
#else
  li t0, 1 << 3 | 1 << 7 | 1 << 16 /* another CPU's, timer, lines */
#endif
  csrw mie, t0
  cl_jump_if_other cl_boot_other
  cl_begin

  .section .text.hot, "ax", @progbits
  .option norelax
#if defined(CL_KERNEL_HW)
/* The kernel's interrupt is number 11, and its handler's code is in the table itself. */
  .balign 256
vectors:
  vectors_below 11
#else
  .balign 16
#endif
  .globl cl_trap_entry
#if defined(CL_KERNEL_HW) && CL_REGISTER_BANKS > 1
#include "cl_trap_banks.h"
#else
cl_trap_entry:
interrupt:
  cl_push_frame FRAME, AT
#if defined(CL_KERNEL_HW)
  /* The kernel's interrupt: a better thread, or the slice is used up. All in one piece, as the time from here to
   * cl_switch_to is what an interrupt thread waits for its CPU: no call, and one frame. */
  lui t2, %hi(CL_LOCAL)
  sw zero, %lo(CL_LOCAL + CL_TRACE + 4 * CL_TRACE_TRAP)(t2)
  lui t1, %hi(WORD0)
  lui t3, %hi(PREEMPT)
  lw t1, %lo(WORD0)(t1)
#if defined(CL_PREEMPTED_LAST)
  lui t0, %hi(YIELD)
  lw a0, %lo(YIELD)(t0)
  sw t1, AT + 68(sp)
  bltz a0, give_way
#endif
  lw a0, %lo(PREEMPT)(t3)
  sw t1, AT + 68(sp)
  bgez a0, back
give_way: /* the name is for `coreloom bench smp` */
  la t0, go_on
  sw t0, 0(sp) /* the lowest word: a stack that has no room for the frame shows before interrupts are enabled */
#if !CL_SIGNALS
  /* The next thread expects interrupts enabled. The kernel raises none before SAVED. */
  csrsi mstatus, 8
#endif
  cl_kept_registers sw, AT + 72
  sw sp, CL_THREAD_SP(tp)
  j cl_switch_to

/* As after cl_switch_away: t1 = the thread's number << CL_THREAD_SHIFT, t2 = CL_LOCAL. Disable interrupts before SAVED;
 * otherwise each time a thread is about to resume, a new trap could pile up on its stack. */
  .balign 8
go_on:
  csrci mstatus, 8
  lui t0, %hi(SAVED)
  sw zero, %lo(SAVED)(t0)
  cl_kept_registers lw, 72
  addi sp, sp, -AT
  srli t1, t1, CL_THREAD_SHIFT
  sw t1, %lo(CL_LOCAL + CL_TRACE + 4 * CL_TRACE_RUN)(t2)
#else
  call cl_interrupt
#endif
back:
#if CL_SIGNALS
  call cl_signals_in_trap
#endif
  /* Interrupts are disabled here, whichever CPU this thread is on now. */
#if defined(CL_KERNEL_HW)
  lw t1, AT + 68(sp)
  lui t0, %hi(WORD0)
  sw t1, %lo(WORD0)(t0)
#endif
  lw t0, AT + 64(sp)
  csrw mepc, t0
  li t0, 0x1880 /* mret: machine mode, interrupts on */
  csrw mstatus, t0
  cl_load_registers AT
  addi sp, sp, FRAME
  mret

#if defined(CL_KERNEL_HW)
timer_interrupt:
  cl_push_frame FRAME, AT
  lui t1, %hi(WORD0)
  lw t1, %lo(WORD0)(t1)
  sw t1, AT + 68(sp)
  call cl_interrupt
  csrr t0, mip /* the time limit has made a better thread ready: the kernel's interrupt, without another frame */
  slli t0, t0, 31 - 11
  bgez t0, back
#if defined(CL_PREEMPTED_LAST)
  lui t3, %hi(YIELD)
  lw a0, %lo(YIELD)(t3)
  bltz a0, give_way
#endif
  lui t3, %hi(PREEMPT)
  lw a0, %lo(PREEMPT)(t3)
  bltz a0, give_way
  j back
#endif
#endif

#if CL_IPC
/* The communication port's interrupt is number 17, and its handler's code is in this table (cl_ipc_listen). It takes
 * bells while it saves registers. If it ends with mret, neither mepc nor mstatus has changed; a handler that uses the
 * kernel preserves WORD0. gp = CL_IPC_FAILED; the compiler never uses gp. */
#define FIRST_SHIFT 5 /* log2 of the size of struct cl_ipc_first */
#define TAKE 0
#define LEVELS 4
#define BELL 8
#define WIRE 12
#define MASK 16
#define CPU 20
#define OTHERS 24
#define WOKE 28

/* With a handler stack (CL_ARCH_HANDLER_STACK): mscratch points to the register save area, followed by cl_ipc_first.
 * Otherwise `first` computes this CPU's address in t0; uses t1. */
#if defined(CL_KERNEL_HW) && CL_AMP
#define OWN_STACK
#define FIRST(field) (64 + field)(sp)
#else
#define FIRST(field) field(t0)
#endif
  .macro first
#if !defined(OWN_STACK)
  lui t0, %hi(cl_ipc_first)
#if !CL_AMP && CL_CPUS > 1
  csrr t1, mhartid
  addi t0, t0, %lo(cl_ipc_first)
  slli t1, t1, FIRST_SHIFT
  add t0, t0, t1
#else
  addi t0, t0, %lo(cl_ipc_first)
#endif
#endif
  .endm

  .balign 256
  .globl cl_ipc_vectors
cl_ipc_vectors:
  vectors_below 17
#if defined(OWN_STACK)
  csrrw sp, mscratch, sp
#else
  addi sp, sp, -HANDLER_FRAME
#endif
  sw t0, 4(sp)
  sw t1, 8(sp)
  first
  lw t1, FIRST(TAKE)
  sw a0, 32(sp)
  sw t2, 12(sp)
  lw a0, 0(t1)
  lw t2, FIRST(BELL)
  sw ra, 0(sp)
  cl_registers_behind_t2 sw
  bgeu a0, gp, 1f
  jalr t2
  first
1:
  lw t1, FIRST(LEVELS)
  lw t2, FIRST(MASK)
  lw t1, 0(t1)
  lw t3, FIRST(WIRE)
  lw a0, FIRST(CPU)
  and t1, t1, t2
  beqz t1, 2f
  jalr t3
  first
2:
  lw t1, FIRST(OTHERS)
  beqz t1, 3f
  jalr t1
#if !defined(CL_KERNEL_HW)
  first
#endif
3:
#if !defined(CL_KERNEL_HW)
  lw t1, FIRST(WOKE)
  bnez t1, 4f
#endif
  cl_load_registers
#if defined(OWN_STACK)
  csrrw sp, mscratch, sp
#else
  addi sp, sp, HANDLER_FRAME
#endif
  mret
#if !defined(CL_KERNEL_HW)
4:
  sw zero, FIRST(WOKE)
  csrr t0, mepc
  sw t0, 64(sp)
  call cl_sw_after_handlers
  j back
#endif
#endif

#if CL_BACKDOOR
/* The same for the Back-Door, on a platform without that port (cl_backdoor_listen). It takes bells while it saves
 * registers and calls their handler in gp, which the compiler never uses; the rest is for cl_ipc_dispatch. */
  .balign 256
  .globl cl_backdoor_vectors
cl_backdoor_vectors:
  vectors_below 17
  addi sp, sp, -HANDLER_FRAME
  sw t0, 4(sp)
  lui t0, %hi(CL_BACKDOOR_NEAR_BASE)
  sw a0, 32(sp)
  lw a0, CL_BACKDOOR_NEAR_BELL_TAKE(t0)
  sw ra, 0(sp)
  sw t1, 8(sp)
  sw t2, 12(sp)
  cl_registers_behind_t2 sw
  beqz a0, 1f /* the doorbell */
  jalr gp
1:
  lui t0, %hi(cl_ipc_dispatch)
  lw t0, %lo(cl_ipc_dispatch)(t0)
  jalr t0
#if !defined(CL_KERNEL_HW)
  csrr t0, mepc
  sw t0, 64(sp)
  call cl_sw_after_handlers
  j back
#else
  cl_load_registers
  addi sp, sp, HANDLER_FRAME
  mret
#endif
#endif

/* Nothing is saved: a fault ends the program, or the thread (cl_fault_of_thread). The stack may be corrupted. */
  .globl cl_takes_faults
cl_takes_faults:
exception:
  cl_end_by_fault
