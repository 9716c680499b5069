/* SPDX-License-Identifier: Apache-2.0
 *
 * PicoRV32: start-up and traps. It has a non-standard interrupt scheme: the core jumps to 0x10 with the return address
 * in q0 and the causes in q1, and takes no interrupt until retirq.
 *
 * The entry leaves that mode at once with interrupts masked, so everything after it is plain code that may switch
 * threads. There is no instruction that unmasks and jumps; so the exit's last two instructions unmask, with gp, which
 * the compiler never uses, and jump to q0. An interrupt between the two would overwrite q0: the entry recognises that
 * address and returns to the address in q2, which is the same.
 *
 * Trap frame (80 bytes), pushed on the stack of the interrupted thread:
 *   0 ra  4-28 t0-t6  32-60 a0-a7  64 pc  68 the kernel port's WORD0 (hardware kernel)
 */
#include "cl_arch_asm.h"
#include "cl_frame.h"
#include "cl_kernel_ops.h"
#include "cl_machine.h"
#include "cl_start.h"

#define FRAME 80
#define WORD0 (CL_KERNEL_PORT + (CL_OP_WORD0 << CL_ADDRESS_OP_LSB))
#define IRQS_OFF -7 /* mask all but the core's own: 1 illegal instruction, 2 misaligned access */
#define FAULTS 6
#define IPC (1 << 8) /* the communication port's, or the Back-Door's */
#if defined(CL_KERNEL_HW)
#define IRQS_ON CL_IRQS_ON_HW
#else
#define IRQS_ON 0
#endif

  .macro getq rd, q
  .insn r 0x0b, 4, 0, \rd, x\q, x0
  .endm
  .macro setq q, rs
  .insn r 0x0b, 2, 1, x\q, \rs, x0
  .endm
  .macro retirq
  .insn r 0x0b, 0, 2, x0, x0, x0
  .endm
  .macro maskirq rs
  .insn r 0x0b, 6, 3, x0, \rs, x0
  .endm

  .section .vectors, "ax", @progbits
  .option norelax
  .globl cl_vectors
cl_vectors:
  .balign 16
  .word 0, 0, 0, 0
  j interrupt /* + 0x10 */
  .fill 0x80 - 0x14, 1, 0
  .globl cl_start
cl_start: /* + 0x80 */
  cl_copy_program
  cl_boot_stack
  la tp, cl_threads
  li t0, IRQS_OFF
  maskirq t0
  cl_jump_if_other cl_boot_other
  cl_begin

  .section .text.hot, "ax", @progbits
  .option norelax
  .balign 16
  .globl cl_trap_entry
cl_trap_entry:
interrupt:
  addi sp, sp, -FRAME
  cl_store_registers
  getq t0, 0
  la t1, return
  bne t0, t1, 1f
  getq t0, 2
1:
  sw t0, 64(sp)
#if defined(CL_KERNEL_HW)
  lui t1, %hi(WORD0)
  lw t1, %lo(WORD0)(t1)
  sw t1, 68(sp)
#endif
  getq t1, 1
  andi a0, t1, IPC | FAULTS
  bnez a0, others
  li t1, IRQS_OFF
  maskirq t1
  la t1, 1f
  setq 0, t1
  retirq
1:
  getq a0, 1
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
  lw gp, 64(sp)
  setq 0, gp
  setq 2, gp
  li gp, IRQS_ON
  cl_load_registers
  addi sp, sp, FRAME
  maskirq gp
return:
  retirq

/* A fault, or the communication port; a simultaneous kernel interrupt is raised again. */
others:
  andi a0, t1, FAULTS
  bnez a0, fault
#if CL_IPC || CL_BACKDOOR
  li t1, IRQS_OFF
  maskirq t1
  la t1, 1f
  setq 0, t1
  retirq
1:
  lui t0, %hi(cl_ipc_dispatch)
  lw t0, %lo(cl_ipc_dispatch)(t0)
  jalr t0
#if !defined(CL_KERNEL_HW)
  call cl_sw_after_handlers
#endif
  j back
#endif

/* A fault ends the program. q0 points after the faulting instruction. The stack may be corrupted. */
fault:
  addi a1, t0, -4
#if CL_FAULT_ENDS_THREAD
  li t1, IRQS_OFF
  .insn r 0x0b, 6, 3, t2, t1, x0 /* maskirq: t2 is the mask before */
  beq t2, t1, 1f /* interrupts were disabled: something may be half done */
  la t1, cl_fault_of_thread
  setq 0, t1
  li a2, 0
  retirq
1:
#endif
  cl_boot_stack t0
  li a2, 0
  tail cl_fault
