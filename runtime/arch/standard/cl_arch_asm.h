/* SPDX-License-Identifier: Apache-2.0
 *
 * Ibex: what assembly common to the cores needs. */
  .macro cl_irq_on
  csrsi mstatus, 8
  .endm
  .macro cl_irq_off
  csrci mstatus, 8
  .endm
