/* SPDX-License-Identifier: Apache-2.0
 *
 * PicoRV32: core-specific macros for common assembly. */
/* The mask with the hardware kernel: 1 and 2, the core's own, 4, the kernel's, 5, the timer's, and 8 are enabled; in a
 * program with signals also 6, another CPU's. */
#if CL_SIGNALS
#define CL_IRQS_ON_HW -375
#else
#define CL_IRQS_ON_HW -311
#endif
  .macro cl_irq_on
#if defined(CL_KERNEL_HW)
  li t0, CL_IRQS_ON_HW
  .insn r 0x0b, 6, 3, x0, t0, x0 /* maskirq t0 */
#else
  .insn r 0x0b, 6, 3, x0, x0, x0 /* maskirq zero */
#endif
  .endm
  .macro cl_irq_off
  li t0, -7 /* all except the core's own faults */
  .insn r 0x0b, 6, 3, x0, t0, x0 /* maskirq t0 */
  .endm
