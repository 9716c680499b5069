/* SPDX-License-Identifier: Apache-2.0
 *
 * Between the files of the POSIX layer. */
#ifndef CL_POSIX_H
#define CL_POSIX_H

#include <pthread.h>

#include "cl_kernel.h"

#define CL_TEXT_(x) #x
#define CL_TEXT(x) CL_TEXT_(x)

/* In the new thread, before its function: say its name. */
void cl_posix_thread_begin(void);

/* Entering a service that may give way. */
static inline void cl_trace_call(void) { cl_trace(CL_TRACE_CALL, 0); }

static inline void cl_uart_put(char c) {
  while (!(*(const volatile uint32_t *)CL_UART_STATUS & 1)) continue;
  *(volatile uint32_t *)CL_UART_TX = (unsigned char)c;
}

#endif
