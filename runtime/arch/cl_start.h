/* SPDX-License-Identifier: Apache-2.0
 *
 * For assembly: what start-up and faults of all cores have in common.
 *
 * First step after reset: a processor with a local memory copies there what is linked to it (link.ld) and
 * continues there. They were loaded to the start of the global memory, from which it runs until then, so nothing here may use
 * pc-relative addresses. Two steps: first the loop itself, as it is faster from the local memory. Uses t0 to t6 and a0
 * to a3. */
  .macro cl_copy_program
#if CL_LOCAL_MEMORY_BYTES || CL_CONTEXT_BYTES
  lui t0, %hi(CL_RAM)
  lui t1, %hi(CL_LOCAL_MEMORY)
  lui t2, %hi(copied)
  addi t2, t2, %lo(copied)
1:
  lw t3, 0(t0)
  sw t3, 0(t1)
  addi t0, t0, 4
  addi t1, t1, 4
  bltu t1, t2, 1b
  lui t2, %hi(2f)
  jr %lo(2f)(t2)
2:
  lui t2, %hi(__text_end)
  addi t2, t2, %lo(__text_end)
  j 4f
3:
  lw t3, 0(t0)
  lw t4, 4(t0)
  lw t5, 8(t0)
  lw t6, 12(t0)
  lw a0, 16(t0)
  lw a1, 20(t0)
  lw a2, 24(t0)
  lw a3, 28(t0)
  addi t0, t0, 32
  sw t3, 0(t1)
  sw t4, 4(t1)
  sw t5, 8(t1)
  sw t6, 12(t1)
  sw a0, 16(t1)
  sw a1, 20(t1)
  sw a2, 24(t1)
  sw a3, 28(t1)
  addi t1, t1, 32
4:
  bltu t1, t2, 3b
  j 5f
  .balign 32
copied:
5:
#endif
  .endm

/* If a0 is not 0: jump to \place, which may be in the other memory. */
  .macro cl_jump_if_other place
#if CL_CONTEXT_BYTES
  beqz a0, 1f
  tail \place
1:
#else
  bnez a0, \place
#endif
  .endm

/* sp: the top of this CPU's boot stack, cpu: its number. Uses t0 to t2. */
  .macro cl_boot_stack cpu=a0
  lui t2, %hi(CL_LOCAL)
  lw \cpu, %lo(CL_LOCAL + CL_CPU_ID)(t2)
  la t1, cl_boot_stacks
  addi t0, \cpu, 1
  slli t0, t0, CL_BOOT_STACK_SHIFT
  add sp, t1, t0
  .endm

/* The last step of CPU 0. */
  .macro cl_begin
  la t0, __bss_start
  la t1, __bss_end
1:
  sw zero, 0(t0)
  addi t0, t0, 4
  bltu t0, t1, 1b
  la sp, __main_stack_end
  tail cl_boot_main
  .endm

/* After an exception: ends the program, or the thread (cl_fault_of_thread). The stack may be corrupted. */
  .macro cl_end_by_fault
#if CL_FAULT_ENDS_THREAD
  csrr t0, mstatus
  andi t0, t0, 0x80 /* whether interrupts were enabled: else something may be half done */
  beqz t0, 1f
  csrr a0, mcause
  csrr a1, mepc
  csrr a2, mtval
  andi sp, sp, -16
  la t0, cl_fault_of_thread
  csrw mepc, t0
  mret
1:
#endif
  cl_boot_stack
  csrr a0, mcause
  csrr a1, mepc
  csrr a2, mtval
  tail cl_fault
  .endm
