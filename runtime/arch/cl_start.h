/* SPDX-License-Identifier: Apache-2.0
 *
 * First step after reset, for assembly: a processor with a local memory copies there what is linked to it (link.ld) and
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
