/* SPDX-License-Identifier: Apache-2.0
 *
 * Ibex: the loader's start-up and traps. A trap in a program is its end, but for its bells. */
#include "loader.h"

#define CPUCTRL 0x7c0 /* Ibex: bit 0: instruction cache on; 0 elsewhere forgets an exception that had no mret */
#define FRAME 64

  .section .vectors, "ax", @progbits
  .option norelax
  .fill 0x80, 1, 0
  .globl cl_start
cl_start: /* + 0x80 */
  la ra, cl_loader_begin
  j to_loader

/* The core jumps to base + 4 * cause for interrupts, to the base for exceptions. */
  .balign 256
vectors:
  j exception
  .rept 16
  j limit /* 7; nothing else is enabled */
  .endr
/* 17, in its place: bells. gp and tp are as cl_far.h says. */
  addi sp, sp, -FRAME
  sw a0, 0(sp)
  lw a0, CL_BACKDOOR_FAR_BELL_TAKE(gp)
  sw t0, 4(sp)
  sw ra, 8(sp)
  sw t1, 12(sp)
  sw t2, 16(sp)
  sw t3, 20(sp)
  sw t4, 24(sp)
  sw t5, 28(sp)
  sw t6, 32(sp)
  sw a1, 36(sp)
  sw a2, 40(sp)
  sw a3, 44(sp)
  sw a4, 48(sp)
  sw a5, 52(sp)
  sw a6, 56(sp)
  sw a7, 60(sp)
  jalr tp
  lw a0, 0(sp)
  lw t0, 4(sp)
  lw ra, 8(sp)
  lw t1, 12(sp)
  lw t2, 16(sp)
  lw t3, 20(sp)
  lw t4, 24(sp)
  lw t5, 28(sp)
  lw t6, 32(sp)
  lw a1, 36(sp)
  lw a2, 40(sp)
  lw a3, 44(sp)
  lw a4, 48(sp)
  lw a5, 52(sp)
  lw a6, 56(sp)
  lw a7, 60(sp)
  addi sp, sp, FRAME
  mret

exception:
  csrr a0, mcause
  csrr a1, mepc
  csrr a2, mtval
  la ra, cl_loader_fault
  j to_loader
limit:
  li a0, CL_BACKDOOR_STATE_LIMIT
  li a1, 0
  csrr a2, mepc
  li a3, 0
end:
  la ra, cl_loader_end
/* To the function at ra, with what it needs of the core. */
to_loader:
  csrci mstatus, 8
  csrw mie, zero
  la t0, vectors + 1
  csrw mtvec, t0
  csrwi CPUCTRL, 1
  li sp, CL_LOADER_STACK
  jr ra

  .text
  .globl cl_loader_run
cl_loader_run:
  mv t0, a0
  mv a0, a1
  mv a1, a2
  mv a2, a3
  li gp, CL_BACKDOOR_FAR_BASE
  li sp, CL_LOADER_PAGE
  li t1, 1 << 7 | 1 << 17 /* timer, bells */
  csrw mie, t1
  fence.i
  csrsi mstatus, 8
  jalr t0
  mv a1, a0
  li a0, CL_BACKDOOR_STATE_DONE
  li a2, 0
  li a3, 0
  j end
