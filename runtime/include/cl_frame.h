/* SPDX-License-Identifier: Apache-2.0
 *
 * For assembly. Registers that a C function does not keep, at sp: 0 ra, 4-28 t0-t6, 32-60 a0-a7. */
#include "cl_machine.h"

  .macro cl_store_registers
  sw ra, 0(sp)
  sw t0, 4(sp)
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
  .endm

  .macro cl_load_registers at=0
  lw ra, \at + 0(sp)
  lw t0, \at + 4(sp)
  lw t1, \at + 8(sp)
  lw t2, \at + 12(sp)
  lw t3, \at + 16(sp)
  lw t4, \at + 20(sp)
  lw t5, \at + 24(sp)
  lw t6, \at + 28(sp)
  lw a0, \at + 32(sp)
  lw a1, \at + 36(sp)
  lw a2, \at + 40(sp)
  lw a3, \at + 44(sp)
  lw a4, \at + 48(sp)
  lw a5, \at + 52(sp)
  lw a6, \at + 56(sp)
  lw a7, \at + 60(sp)
  .endm

  /* On entry to a trap of the standard core: the same and 64 pc, `at` bytes above sp, in a frame of that many bytes. */
  .macro cl_push_frame bytes, at=0
  addi sp, sp, -\bytes
  sw t0, \at + 4(sp)
  csrr t0, mepc
  sw ra, \at + 0(sp)
  sw t1, \at + 8(sp)
  sw t2, \at + 12(sp)
  sw t3, \at + 16(sp)
  sw t4, \at + 20(sp)
  sw t5, \at + 24(sp)
  sw t6, \at + 28(sp)
  sw a0, \at + 32(sp)
  sw a1, \at + 36(sp)
  sw a2, \at + 40(sp)
  sw a3, \at + 44(sp)
  sw a4, \at + 48(sp)
  sw a5, \at + 52(sp)
  sw a6, \at + 56(sp)
  sw a7, \at + 60(sp)
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
