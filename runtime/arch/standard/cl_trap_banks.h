/* SPDX-License-Identifier: Apache-2.0
 *
 * Ibex with two banks of registers and the hardware kernel: traps of start.S. sp, gp and tp are the same in both banks.
 *
 * A store to SAVE gives the trap the other bank, and the processor (cl_frame) stores the thread's frame by itself while
 * the kernel decides and the next thread loads its registers. The kernel hears SAVED when it is stored. The trap's own
 * registers hold nothing, and what it leaves in them is lost.
 *
 * Trap frame, pushed on the stack of the interrupted thread:
 *   0 go_on  4-12 free, as cl_switch_away has it  16 ra  20-124 x5 to x31 in their order  128 pc  132 the kernel port's
 *   WORD0 */
#undef FRAME
#define FRAME 144
#define PC 128
#define ARGUMENT 132
#define NEAR(op) CL_NEAR_KERNEL + (op << 2)

cl_trap_entry:
interrupt:
  /* The kernel's interrupt: a better thread, or the slice is used up. All in one piece, as in start.S. */
  addi sp, sp, -FRAME
  sw sp, %lo(CL_BANKS_SAVE)(zero)
  sw zero, %lo(CL_NEAR_LOCAL + CL_TRACE + 4 * CL_TRACE_TRAP)(zero)
#if defined(CL_PREEMPTED_LAST)
  lw a0, %lo(NEAR(CL_OP_YIELD))(zero)
  bltz a0, give_way
#endif
  lw a0, %lo(NEAR(CL_OP_PREEMPT))(zero)
  bgez a0, back
give_way: /* the name is for `coreloom bench smp` */
  sw sp, CL_THREAD_SP(tp)
  .globl cl_switch_from_trap
cl_switch_from_trap:
  cl_take_thread
  csrw mepc, t0
  mret /* to the next thread, which expects interrupts enabled; the kernel raises none before SAVED */

/* From the boot of each CPU on the first word of every frame. As after cl_switch_away: t1 = the thread's number << CL_THREAD_SHIFT, sp is 16 above the frame. Disable interrupts
 * before SAVED; otherwise each time a thread is about to resume, a new trap could pile up on its stack. */
  .balign 8
go_on:
  csrci mstatus, 8
  sw zero, %lo(CL_SAVED)(zero)
  srli t1, t1, CL_THREAD_SHIFT
  sw t1, %lo(CL_RUN)(zero)
  lw t0, PC - 16(sp)
  lw t1, ARGUMENT - 16(sp)
  csrw mepc, t0
  li t0, 0x1880 /* mret: machine mode, interrupts on */
  csrw mstatus, t0
  lw ra, 0(sp)
  lw t2, 12(sp)
  lw s0, 16(sp)
  lw s1, 20(sp)
  lw a0, 24(sp)
  lw a1, 28(sp)
  lw a2, 32(sp)
  lw a3, 36(sp)
  lw a4, 40(sp)
  lw a5, 44(sp)
  lw a6, 48(sp)
  lw a7, 52(sp)
  lw s2, 56(sp)
  lw s3, 60(sp)
  lw s4, 64(sp)
  lw s5, 68(sp)
  lw s6, 72(sp)
  lw s7, 76(sp)
  lw s8, 80(sp)
  lw s9, 84(sp)
  lw s10, 88(sp)
  lw s11, 92(sp)
  lw t3, 96(sp)
  lw t4, 100(sp)
  lw t5, 104(sp)
  lw t6, 108(sp)
  sw t1, %lo(NEAR(CL_OP_WORD0))(zero) /* waits until the last thread's registers are stored */
  lw t0, 4(sp)
  lw t1, 8(sp)
  addi sp, sp, FRAME - 16
  mret

timer_interrupt:
  addi sp, sp, -FRAME
  sw sp, %lo(CL_BANKS_SAVE)(zero)
  call cl_interrupt
  csrr t0, mip /* the time limit has made a better thread ready: the kernel's interrupt, without another frame */
  slli t0, t0, 31 - 11
  bgez t0, 1f
#if defined(CL_PREEMPTED_LAST)
  lw a0, %lo(NEAR(CL_OP_YIELD))(zero)
  bltz a0, give_way
#endif
  lw a0, %lo(NEAR(CL_OP_PREEMPT))(zero)
  bltz a0, give_way
1:
  lw t1, %lo(NEAR(CL_OP_WORD0))(zero) /* waits until the frame is stored */
  lw t1, ARGUMENT(sp)
  sw t1, %lo(NEAR(CL_OP_WORD0))(zero)
back:
  /* The thread goes on: its registers are in the other bank, mepc and mstatus as the trap has left them. */
  sw zero, %lo(CL_BANKS_BACK)(zero)
  addi sp, sp, FRAME
  mret
