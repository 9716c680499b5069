/* SPDX-License-Identifier: Apache-2.0
 *
 * FreeRTOS's port to Coreloom's standard core: switches and traps.
 *
 * A task that does not run is its stack pointer, the first word of its control block. There is the address where it goes
 * on, and above it, depending on that address:
 *   KEEP (64 bytes)   4 mstatus  8 gp  12 ra  16-60 s0-s11   it gave way, in vPortYield
 *                                             16-60 s0-s11   it was interrupted; above it FRAME
 *   FRAME (80 bytes)  0 ra  4-28 t0-t6  32-60 a0-a7  64 pc
 * The context is whole before vTaskSwitchContext releases the task to other CPUs, and that runs on the CPU's own stack.
 * An interrupt that switches no task saves only what C functions may change. */
#include "cl_frame.h"
#include "cl_machine.h"

#define FRAME 80
#define KEEP 64

  /* \register = the control block of the task of this CPU; uses t1. */
  .macro current register
#if CL_CPUS > 1
  csrr t1, mhartid
  la \register, pxCurrentTCBs
  slli t1, t1, 2
  add \register, \register, t1
  lw \register, 0(\register)
#else
  lui \register, %hi(pxCurrentTCB)
  lw \register, %lo(pxCurrentTCB)(\register)
#endif
  .endm

  .macro save
  sw s0, 16(sp)
  sw s1, 20(sp)
  sw s2, 24(sp)
  sw s3, 28(sp)
  sw s4, 32(sp)
  sw s5, 36(sp)
  sw s6, 40(sp)
  sw s7, 44(sp)
  sw s8, 48(sp)
  sw s9, 52(sp)
  sw s10, 56(sp)
  sw s11, 60(sp)
  .endm

  .macro load
  lw s0, 16(sp)
  lw s1, 20(sp)
  lw s2, 24(sp)
  lw s3, 28(sp)
  lw s4, 32(sp)
  lw s5, 36(sp)
  lw s6, 40(sp)
  lw s7, 44(sp)
  lw s8, 48(sp)
  lw s9, 52(sp)
  lw s10, 56(sp)
  lw s11, 60(sp)
  .endm

  /* Choose a task and go on with it. */
  .macro switch
#if CL_CPUS > 1
  csrr a0, mhartid
#endif
  call vTaskSwitchContext
  current t0
  lw sp, 0(t0)
  lw t0, 0(sp)
  jr t0
  .endm

  .section .text.hot, "ax", @progbits
  .option norelax

/* void vPortYield(void), with interrupts on or off, which they are again when it returns. On one CPU also in a critical
 * section. */
  .globl vPortYield
  .type vPortYield, @function
  .balign 16
vPortYield:
  csrrci t1, mstatus, 8
  addi sp, sp, -KEEP
  lui t0, %hi(yielded)
  addi t0, t0, %lo(yielded)
  sw t1, 4(sp)
  sw t0, 0(sp)
#if CL_CPUS == 1
  sw gp, 8(sp)
#endif
  sw ra, 12(sp)
  save
  current t0
  sw sp, 0(t0)
#if CL_CPUS > 1
  csrr sp, mscratch
#endif
  switch

yielded:
  lui t2, %hi(CL_LOCAL)
  sw zero, %lo(CL_LOCAL + CL_TRACE + 4 * CL_TRACE_RESUMED)(t2)
  lw t1, 4(sp)
  lw ra, 12(sp)
#if CL_CPUS == 1
  lw gp, 8(sp)
#endif
  load
  addi sp, sp, KEEP
  andi t1, t1, 8
  csrs mstatus, t1
  ret
  .size vPortYield, . - vPortYield

  .globl freertos_risc_v_mtimer_interrupt_handler
  .balign 16
freertos_risc_v_mtimer_interrupt_handler:
  cl_push_frame FRAME
  csrrw sp, mscratch, sp /* now sp = the CPU's stack, mscratch = the task's */
  call cl_port_tick
  j leave

  .globl freertos_risc_v_interrupt_handler
  .balign 16
freertos_risc_v_interrupt_handler:
  cl_push_frame FRAME
  csrrw sp, mscratch, sp
  csrr a0, mcause
  call freertos_risc_v_application_interrupt_handler
#if CL_CPUS > 1
  csrr t0, mhartid
  la t1, cl_port_wanted
  slli t0, t0, 2
  add t1, t1, t0
  lw a0, 0(t1)
  sw zero, 0(t1)
#else
  mv a0, tp
  li tp, 0
#endif
leave:
  csrrw sp, mscratch, sp
  beqz a0, back
away:
  addi sp, sp, -KEEP
  lui t0, %hi(interrupted)
  addi t0, t0, %lo(interrupted)
  sw t0, 0(sp)
  save
  current t0
  sw sp, 0(t0)
  csrr sp, mscratch
  switch

interrupted:
#if CL_CPUS == 1
  li gp, 0
#endif
  load
  addi sp, sp, KEEP
back:
  lw t0, 64(sp)
  csrw mepc, t0
  li t0, 0x1880 /* mret: machine mode, interrupts on */
  csrw mstatus, t0
  cl_load_registers
  addi sp, sp, FRAME
  mret

#if CL_CPUS > 1
/* Another CPU asks this one to choose again. */
  .globl cl_port_ipi
  .balign 16
cl_port_ipi:
  cl_push_frame FRAME
  lui t0, %hi(CL_LOCAL)
  sw zero, %lo(CL_LOCAL + CL_IPI_CLEAR)(t0)
  j away
#endif

/* Nothing is saved: an exception ends the program. */
  .globl freertos_risc_v_exception_handler
freertos_risc_v_exception_handler:
  csrr sp, mscratch
  csrr a0, mcause
  tail freertos_risc_v_application_exception_handler

/* A task's first instructions (pxPortInitialiseStack). */
  .globl cl_port_new_task
cl_port_new_task:
  lw t0, 4(sp)
  lw a0, 8(sp)
  addi sp, sp, KEEP
  li gp, 0
  li ra, 0
  csrsi mstatus, 8
  jr t0

/* void cl_port_begin(void *stack_end): this CPU begins with the task that is its own. */
  .globl cl_port_begin
  .type cl_port_begin, @function
cl_port_begin:
  csrw mscratch, a0
  li gp, 0
  li tp, 0
  current t0
  lw sp, 0(t0)
  lw t0, 0(sp)
  jr t0
  .size cl_port_begin, . - cl_port_begin
