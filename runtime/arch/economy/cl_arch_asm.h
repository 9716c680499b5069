/* SPDX-License-Identifier: Apache-2.0
 *
 * PicoRV32: core-specific macros for common assembly. */
  .macro cl_irq_on
  .insn r 0x0b, 6, 3, x0, x0, x0 /* maskirq zero */
  .endm
  .macro cl_irq_off
  li t0, -7 /* all except the core's own faults */
  .insn r 0x0b, 6, 3, x0, t0, x0 /* maskirq t0 */
  .endm
