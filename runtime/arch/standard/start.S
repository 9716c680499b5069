/* SPDX-License-Identifier: Apache-2.0
 *
 * Ibex: vectors, start-up, traps.
 *
 * Trap frame (80 bytes), pushed on the stack of the thread that was interrupted:
 *   0 ra  4-28 t0-t6  32-60 a0-a7  64 pc  68 the kernel port's WORD0 (hardware kernel)
 */
#include "cl_kernel_ops.h"
#include "cl_machine.h"

#define FRAME 80
#define CPUCTRL 0x7c0 /* Ibex: bit 0 turns the instruction cache on */
#define WORD0 (CL_KERNEL_PORT + (CL_OP_WORD0 << CL_ADDRESS_OP_LSB))

/* The core jumps to base + 4 * cause for interrupts, to the base for exceptions. The base is 256-byte aligned;
 * with the reset entry at + 0x80 there is room for 32. */
  .section .vectors, "ax", @progbits
  .option norelax
  .globl cl_vectors
cl_vectors:
  j exception
  .rept 31
  j interrupt
  .endr
  .globl cl_start
cl_start:
  la t0, cl_vectors + 1
  csrw mtvec, t0
  csrwi CPUCTRL, 1
  lui t2, %hi(CL_LOCAL)
  lw a0, %lo(CL_LOCAL + CL_CPU_ID)(t2)
  la sp, cl_boot_stacks
  addi t0, a0, 1
  slli t0, t0, CL_BOOT_STACK_SHIFT
  add sp, sp, t0
  la tp, cl_threads
#if defined(CL_KERNEL_HW)
  li t0, 1 << 11 /* the kernel's interrupt */
#else
  li t0, 1 << 3 | 1 << 7 | 1 << 16 /* another CPU's, timer, lines */
#endif
  csrw mie, t0
  bnez a0, cl_boot_other
  la t0, __bss_start
  la t1, __bss_end
1:
  sw zero, 0(t0)
  addi t0, t0, 4
  bltu t0, t1, 1b
  la sp, cl_main_stack + CL_MAIN_STACK_BYTES
  tail cl_boot_main

  .section .text.hot, "ax", @progbits
  .option norelax
  .balign 16
  .globl cl_trap_entry
cl_trap_entry:
interrupt:
  addi sp, sp, -FRAME
  sw t0, 4(sp)
  csrr t0, mepc
  sw ra, 0(sp)
  sw t1, 8(sp)
  sw t2, 12(sp)
  sw t3, 16(sp)
  sw t4, 20(sp)
  sw t5, 24(sp)
  sw t6, 28(sp)
  sw a0, 32(sp)
  sw a1, 36(sp)
  sw a2, 40(sp)
  sw a3, 44(sp)
  sw a4, 48(sp)
  sw a5, 52(sp)
  sw a6, 56(sp)
  sw a7, 60(sp)
  sw t0, 64(sp)
#if defined(CL_KERNEL_HW)
  lui t1, %hi(WORD0)
  lw t1, %lo(WORD0)(t1)
  sw t1, 68(sp)
#endif
  call cl_interrupt
  /* Interrupts are off here, wherever this thread has been meanwhile. */
#if defined(CL_KERNEL_HW)
  lw t1, 68(sp)
  lui t0, %hi(WORD0)
  sw t1, %lo(WORD0)(t0)
#endif
  lw t0, 64(sp)
  csrw mepc, t0
  li t0, 0x1880 /* mret: machine mode, interrupts on */
  csrw mstatus, t0
  lw ra, 0(sp)
  lw t0, 4(sp)
  lw t1, 8(sp)
  lw t2, 12(sp)
  lw t3, 16(sp)
  lw t4, 20(sp)
  lw t5, 24(sp)
  lw t6, 28(sp)
  lw a0, 32(sp)
  lw a1, 36(sp)
  lw a2, 40(sp)
  lw a3, 44(sp)
  lw a4, 48(sp)
  lw a5, 52(sp)
  lw a6, 56(sp)
  lw a7, 60(sp)
  addi sp, sp, FRAME
  mret

/* Nothing is saved: a fault ends the program. The stack may be what is broken. */
exception:
  lui t2, %hi(CL_LOCAL)
  lw a0, %lo(CL_LOCAL + CL_CPU_ID)(t2)
  la sp, cl_boot_stacks
  addi t0, a0, 1
  slli t0, t0, CL_BOOT_STACK_SHIFT
  add sp, sp, t0
  csrr a0, mcause
  csrr a1, mepc
  csrr a2, mtval
  tail cl_fault
