/* SPDX-License-Identifier: Apache-2.0
 *
 * PicoRV32: what assembly common to the cores needs. */
  .macro cl_irq_on
  .insn r 0x0b, 6, 3, x0, x0, x0 /* maskirq zero */
  .endm
  .macro cl_irq_off
  li t0, -7 /* all but the core's own faults */
  .insn r 0x0b, 6, 3, x0, t0, x0 /* maskirq t0 */
  .endm
