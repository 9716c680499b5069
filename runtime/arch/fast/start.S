/* SPDX-License-Identifier: Apache-2.0
 *
 * VexRiscv: start-up and traps. Interrupts and exceptions have one entry.
 *
 * Trap frame (80 bytes), pushed on the stack of the interrupted thread:
 *   0 ra  4-28 t0-t6  32-60 a0-a7  64 pc  68 the kernel port's WORD0 (hardware kernel)
 */
#include "cl_frame.h"
#include "cl_kernel_ops.h"
#include "cl_machine.h"
#include "cl_start.h"

#define FRAME 80
#define WORD0 (CL_KERNEL_PORT + (CL_OP_WORD0 << CL_ADDRESS_OP_LSB))
/* Registers of this core: the sources of the external interrupt that are enabled, and those of them that are pending */
#define SOURCES 0xbc0
#define PENDING 0xfc0
#define KERNEL 1
#define LINES 2
#define IPC 4

  .section .vectors, "ax", @progbits
  .option norelax
  .globl cl_vectors
cl_vectors:
  .fill 0x80, 1, 0
  .globl cl_start
cl_start: /* + 0x80 */
  cl_copy_program
  la t0, cl_trap_entry
  csrw mtvec, t0
  cl_boot_stack
  la tp, cl_threads
#if defined(CL_KERNEL_HW)
  csrwi SOURCES, KERNEL
#if CL_SIGNALS
  li t0, 1 << 11 | 1 << 7 | 1 << 3 /* and another CPU's: a thread here has a signal */
#else
  li t0, 1 << 11 | 1 << 7 /* external, timer */
#endif
#else
  csrwi SOURCES, LINES
  li t0, 1 << 11 | 1 << 7 | 1 << 3 /* and another CPU's */
#endif
  csrw mie, t0
  bnez a0, cl_boot_other
  cl_begin

  .section .text.hot, "ax", @progbits
  .option norelax
  .balign 16
  .globl cl_trap_entry
cl_trap_entry:
  cl_push_frame FRAME
#if defined(CL_KERNEL_HW)
  lui t1, %hi(WORD0)
  lw t1, %lo(WORD0)(t1)
  sw t1, 68(sp)
#endif
  csrr t1, mcause
  bgez t1, exception
#if CL_IPC
  csrr t1, PENDING
  andi t1, t1, IPC
  bnez t1, ipc
#endif
  csrr a0, mip
  call cl_interrupt
back:
#if CL_SIGNALS
  call cl_signals_in_trap
#endif
  /* Interrupts are disabled here, whichever CPU this thread is on now. */
#if defined(CL_KERNEL_HW)
  lw t1, 68(sp)
  lui t0, %hi(WORD0)
  sw t1, %lo(WORD0)(t0)
#endif
  lw t0, 64(sp)
  csrw mepc, t0
  li t0, 0x1880 /* mret: machine mode, interrupts on */
  csrw mstatus, t0
  cl_load_registers
  addi sp, sp, FRAME
  mret

#if CL_IPC
/* The communication port; a simultaneous interrupt of the kernel is raised again. */
ipc:
  lui t0, %hi(cl_ipc_dispatch)
  lw t0, %lo(cl_ipc_dispatch)(t0)
  jalr t0
#if !defined(CL_KERNEL_HW)
  call cl_sw_after_handlers
#endif
  j back
#endif

/* A fault ends the program, or the thread (cl_fault_of_thread). The stack may be corrupted. */
exception:
  cl_end_by_fault
