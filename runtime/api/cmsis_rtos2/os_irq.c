/* SPDX-License-Identifier: Apache-2.0 */
#include "coreloom.h"
#include "irq_ctrl.h"
#include "os.h"

static IRQHandler_t handlers[CL_LINES];
static uint8_t enabled[CL_LINES];

static int is_line(IRQn_ID_t irqn) { return irqn >= 0 && irqn < CL_LINES; }

static void call(unsigned line) {
  if (handlers[line]) handlers[line]();
}

int32_t IRQ_Initialize(void) { return 0; }

int32_t IRQ_SetHandler(IRQn_ID_t irqn, IRQHandler_t handler) {
  if (!is_line(irqn)) return -1;
  handlers[irqn] = handler;
  return 0;
}

IRQHandler_t IRQ_GetHandler(IRQn_ID_t irqn) { return is_line(irqn) ? handlers[irqn] : NULL; }

int32_t IRQ_Enable(IRQn_ID_t irqn) {
  if (!is_line(irqn) || cl_api_handle((unsigned)irqn, call)) return -1;
  enabled[irqn] = 1;
  cl_api_line((unsigned)irqn, 1);
  return 0;
}

int32_t IRQ_Disable(IRQn_ID_t irqn) {
  if (!is_line(irqn)) return -1;
  enabled[irqn] = 0;
  cl_api_line((unsigned)irqn, 0);
  return 0;
}

uint32_t IRQ_GetEnableState(IRQn_ID_t irqn) { return is_line(irqn) && enabled[irqn]; }

int32_t IRQ_SetPending(IRQn_ID_t irqn) { return is_line(irqn) && !interrupt_raise_np((unsigned)irqn) ? 0 : -1; }
