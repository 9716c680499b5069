/* SPDX-License-Identifier: Apache-2.0
 *
 * Properties of a Coreloom SoC, besides its addresses (cl_soc_map.h). For C and assembly. */
#ifndef CL_MACHINE_H
#define CL_MACHINE_H

#include "cl_soc_map.h"

/* Hardware thread n, on the shared bus: CL_HWT + CL_HWT_STRIDE * n. See rtl/hwt/README.md. */
#define CL_HWT_STRIDE 0x100
#define CL_HWT_COMMAND 0x00 /* HARDWARE_START ... of coreloom.h */
#define CL_HWT_STATUS 0x04
#define CL_HWT_ARGUMENT 0x08
#define CL_HWT_RESULT 0x0C
#define CL_HWT_EXIT_RECORD 0x10
#define CL_HWT_FAULT_ADDRESS 0x14
#define CL_HWT_UNIT 0x18
#define CL_HWT_STATE_MASK 0x7 /* of STATUS: HARDWARE_IDLE ... of coreloom.h */
#define CL_HWT_REFUSED 0x8     /* the last command changed nothing */
#define CL_HWT_HAS_THREAD 0x10 /* until its thread has exited */
#define CL_HWT_TID_LSB 16

/* Kinds of trace events. */
#define CL_TRACE_READY 0
#define CL_TRACE_CALL 1
#define CL_TRACE_RUN 2
#define CL_TRACE_DONE 3
#define CL_TRACE_IDLE 4
#define CL_TRACE_MARK 5
#define CL_TRACE_NAME 6
#define CL_TRACE_TRAP 7
#define CL_TRACE_RESUMED 8 /* FreeRTOS: the thread of the last RUN has its registers */
#define CL_TRACE_NEW 9     /* FreeRTOS: the next NAME is this thread's */
#define CL_TRACE_HOST 10   /* no event: the address of a struct cl_host_call (cl_host.h) */

/* Where a resuming thread stores that the last one is saved, and which thread runs. */
#if CL_REGISTER_BANKS > 1
#define CL_SAVED (CL_NEAR_KERNEL + (CL_OP_SAVED << 2))
#define CL_RUN (CL_NEAR_LOCAL + CL_TRACE + 4 * CL_TRACE_RUN)
#else
#define CL_SAVED (CL_KERNEL_PORT + (CL_OP_SAVED << CL_ADDRESS_OP_LSB))
#define CL_RUN (CL_LOCAL + CL_TRACE + 4 * CL_TRACE_RUN)
#endif

/* A thread's control block (struct cl_thread), pointed to by tp, and its _Thread_local variables: the build defines it
 * for a program that has some. */
#ifndef CL_THREAD_SHIFT
#define CL_THREAD_SHIFT 4 /* log2 of their size */
#endif
#define CL_THREAD_SP 0

/* Stack of a CPU that has no thread: after reset, in the last steps of thread exit, in a fault. */
#define CL_BOOT_STACK_SHIFT 10 /* log2 of its bytes */

#ifndef __ASSEMBLER__
#include <stdint.h>

static inline uint32_t cl_local_read(unsigned offset) { return *(const volatile uint32_t *)(CL_LOCAL + offset); }

static inline void cl_local_write(unsigned offset, uint32_t word) { *(volatile uint32_t *)(CL_LOCAL + offset) = word; }

static inline void cl_trace(unsigned kind, uint32_t value) { cl_local_write(CL_TRACE + 4 * kind, value); }

static inline void cl_uart_put(char c) {
  while (!(*(const volatile uint32_t *)CL_UART_STATUS & 1)) continue;
  *(volatile uint32_t *)CL_UART_TX = (unsigned char)c;
}
#endif

#endif
