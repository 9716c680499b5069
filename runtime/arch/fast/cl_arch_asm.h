/* SPDX-License-Identifier: Apache-2.0
 *
 * VexRiscv: core-specific macros for common assembly. */
  .macro cl_irq_on
  csrsi mstatus, 8
  .endm
  .macro cl_irq_off
  csrci mstatus, 8
  .endm
