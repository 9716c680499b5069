/* SPDX-License-Identifier: Apache-2.0
 *
 * PicoRV32: the loader's start-up and traps. The core goes to 0x10 with the return address in q0 and the causes in q1,
 * and interrupts nobody until retirq. As in runtime/arch/economy: the entry leaves that mode at once with interrupts
 * masked, and the way back ends in an instruction that unmasks and one that jumps to q0; where that is interrupted, q2
 * is the same. q3 keeps the sp. A trap in a program is its end, but for its bells. */
#include "cl_frame.h"
#include "loader.h"

#define FRAME 80
#define ENDS 0x36     /* 1 illegal instruction, 2 misaligned access, 4 bus error, 5 timer */
#define IRQS_OFF -7   /* mask all but the core's own faults: it would stop for good */
#define IRQS_ON -311  /* unmask those that end a program, and 8, bells */
#define IRQS_BELL -55 /* the same without bells */

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
  .balign 16
  .fill 0x10, 1, 0
  j interrupt /* + 0x10 */
  .fill 0x80 - 0x14, 1, 0
  .globl cl_start
cl_start: /* + 0x80 */
  li t0, IRQS_OFF
  maskirq t0
  li sp, CL_LOADER_STACK
  j cl_loader_begin

interrupt:
  setq 3, sp
  getq sp, 1
  andi sp, sp, ENDS
  bnez sp, ends
  getq sp, 3
  addi sp, sp, -FRAME
  cl_store_registers
  getq t0, 0
  la t1, return
  bne t0, t1, 1f
  getq t0, 2
1:
  sw t0, 64(sp)
  li t1, IRQS_BELL
  maskirq t1
  la t1, 1f
  setq 0, t1
  retirq
1:
  li t1, CL_BACKDOOR_FAR_BASE
  lw a0, CL_BACKDOOR_FAR_BELL_TAKE(t1)
  beqz a0, 1f /* taken by far_bells in this very moment */
  jalr tp
1:
  lw t0, 64(sp)
  setq 0, t0
  setq 2, t0
  li gp, IRQS_ON
  cl_load_registers
  addi sp, sp, FRAME
  maskirq gp
return:
  retirq

ends:
  getq a0, 1
  getq a1, 0
  la t0, return
  bne a1, t0, 1f
  getq a1, 2
1:
  li t0, IRQS_OFF
  maskirq t0
  li sp, CL_LOADER_STACK
  la t0, cl_loader_trap
  setq 0, t0
  retirq

  .text
  .globl cl_loader_run
cl_loader_run:
  mv t0, a0
  mv a0, a1
  mv a1, a2
  mv a2, a3
  li sp, CL_LOADER_PAGE
  li t1, IRQS_ON
  maskirq t1
  jalr t0
  li t0, IRQS_OFF
  maskirq t0
  li sp, CL_LOADER_STACK
  mv a1, a0
  li a0, CL_BACKDOOR_STATE_DONE
  li a2, 0
  li a3, 0
  j cl_loader_end
