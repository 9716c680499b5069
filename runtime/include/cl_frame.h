/* SPDX-License-Identifier: Apache-2.0
 *
 * For assembly. Registers that a C function does not keep, at sp: 0 ra, 4-28 t0-t6, 32-60 a0-a7. */
#include "cl_machine.h"

  .macro cl_registers_behind_t2 op, at=0
  \op t3, \at + 16(sp)
  \op t4, \at + 20(sp)
  \op t5, \at + 24(sp)
  \op t6, \at + 28(sp)
  \op a1, \at + 36(sp)
  \op a2, \at + 40(sp)
  \op a3, \at + 44(sp)
  \op a4, \at + 48(sp)
  \op a5, \at + 52(sp)
  \op a6, \at + 56(sp)
  \op a7, \at + 60(sp)
  .endm

  /* op: sw or lw; but for t0 */
  .macro cl_registers_but_t0 op, at=0
  \op ra, \at + 0(sp)
  \op t1, \at + 8(sp)
  \op t2, \at + 12(sp)
  \op a0, \at + 32(sp)
  cl_registers_behind_t2 \op, \at
  .endm

  .macro cl_store_registers
  sw t0, 4(sp)
  cl_registers_but_t0 sw
  .endm

  .macro cl_load_registers at=0
  lw t0, \at + 4(sp)
  cl_registers_but_t0 lw, \at
  .endm

  /* Registers that a C function keeps. */
  .macro cl_kept_registers op, at
  \op s0, \at + 0(sp)
  \op s1, \at + 4(sp)
  \op s2, \at + 8(sp)
  \op s3, \at + 12(sp)
  \op s4, \at + 16(sp)
  \op s5, \at + 20(sp)
  \op s6, \at + 24(sp)
  \op s7, \at + 28(sp)
  \op s8, \at + 32(sp)
  \op s9, \at + 36(sp)
  \op s10, \at + 40(sp)
  \op s11, \at + 44(sp)
  .endm

  /* On entry to a trap: the registers that a C function does not keep and 64 pc, `at` bytes above sp, in a frame of that
   * many bytes. */
  .macro cl_push_frame bytes, at=0
  addi sp, sp, -\bytes
  sw t0, \at + 4(sp)
  csrr t0, mepc
  cl_registers_but_t0 sw, \at
  sw t0, \at + 64(sp)
  .endm

  /* For thread a0[15:0]: its stack, tp, and where it goes on in t0; t1 = its number << CL_THREAD_SHIFT. With the software
   * kernel t2 = CL_LOCAL. */
  .macro cl_take_thread
#if CL_CPU_TIME
  addi sp, sp, -16
  sw a0, 0(sp)
  call cl_cpu_time_next
  lw a0, 0(sp)
  addi sp, sp, 16
#endif
#if CL_REGISTER_BANKS == 1 || !defined(CL_KERNEL_HW)
  lui t2, %hi(CL_LOCAL)
#endif
#if !defined(CL_KERNEL_HW) && CL_CPUS > 1
  sw zero, %lo(CL_LOCAL + CL_LOCK_RELEASE)(t2)
#endif
  slli t1, a0, CL_THREAD_SHIFT /* shifts GIVE_WAY out */
  lui t0, %hi(cl_threads)
  add t0, t0, t1
  lw sp, %lo(cl_threads + CL_THREAD_SP)(t0)
  addi tp, t0, %lo(cl_threads)
  lw t0, 0(sp)
  addi sp, sp, 16
  .endm
