/* SPDX-License-Identifier: Apache-2.0
 *
 * Interrupt handlers: the part of CMSIS-Core's interrupt controller API that programs use to install one. An interrupt
 * is a line of Coreloom's, 0 to CL_LINES - 1. Each function returns 0, or -1: no such line, or it cannot be bound. */
#ifndef IRQ_CTRL_H_
#define IRQ_CTRL_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef void (*IRQHandler_t)(void);
typedef int32_t IRQn_ID_t;

int32_t IRQ_Initialize(void);
int32_t IRQ_SetHandler(IRQn_ID_t irqn, IRQHandler_t handler);
IRQHandler_t IRQ_GetHandler(IRQn_ID_t irqn);
int32_t IRQ_Enable(IRQn_ID_t irqn);  /* at the beginning all are disabled */
int32_t IRQ_Disable(IRQn_ID_t irqn); /* one interrupt that comes meanwhile is remembered */
uint32_t IRQ_GetEnableState(IRQn_ID_t irqn);
int32_t IRQ_SetPending(IRQn_ID_t irqn); /* raises it by software */

#ifdef __cplusplus
}
#endif

#endif
