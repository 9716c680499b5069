/* SPDX-License-Identifier: Apache-2.0
 *
 * Where things are in a Coreloom SoC. For C and assembly. */
#ifndef CL_MACHINE_H
#define CL_MACHINE_H

/* Memory. The first two MiB hold program, heap and stacks (runtime/arch/link.ld). */
#define CL_RAM 0x40000000
#define CL_INPUT 0x40200000  /* word 0: length in bytes; the data follow */
#define CL_OUTPUT 0x41000000 /* the same */
#define CL_INPUT_MAX (CL_OUTPUT - CL_INPUT - 4)
#define CL_OUTPUT_MAX (0x01000000 - 4)

/* Local memory of the CPU (platforms with CL_LOCAL_MEMORY_BYTES); text and constants are there. */
#define CL_LOCAL_MEMORY 0x20000000

/* Console, on the shared bus. */
#define CL_UART_TX 0xE0000000
#define CL_UART_STATUS 0xE0000004 /* bit 0: ready for a byte */

/* Kernel port, private to the CPU: address = port | op << 12 | id << 2. */
#define CL_KERNEL_PORT 0xF0000000

/* Communication port, private to the CPU: address = port | patience << 16 | op << 10 | index << 2. */
#define CL_IPC_PORT 0xF0200000

/* Local device, private to the CPU. */
#define CL_LOCAL 0xF0100000
#define CL_CPU_ID 0x00
#define CL_CPU_COUNT 0x04
#define CL_CYCLE 0x08
#define CL_BUS_COUNT 0x10 /* ro: transfers on the shared bus since reset */
#define CL_LOCK_ADDRESS 0x20
#define CL_LOCK_GRANT 0x24
#define CL_LOCK_ACQUIRE 0x28
#define CL_LOCK_RELEASE 0x2C
#define CL_TRACE 0x40 /* + 4 * kind */
#define CL_EXIT 0x80
#define CL_MTIME_LO 0xC0
#define CL_MTIME_HI 0xC4
#define CL_MTIMECMP_LO 0xC8
#define CL_MTIMECMP_HI 0xCC
#define CL_IPI 0xD0
#define CL_IPI_CLEAR 0xD4

/* Interrupt lines, on CPU 0 only: a rising edge sets the line's bit in PENDING. */
#define CL_LINE_PENDING 0xE0 /* ro */
#define CL_LINE_CLEAR 0xE4   /* wo: clears the bits that are 1 */
#define CL_LINE_ENABLE 0xE8  /* rw: interrupt while PENDING & ENABLE; 0 after reset */

/* Hardware thread n, on the shared bus: CL_HWT + CL_HWT_STRIDE * n. See rtl/hwt/README.md. */
#define CL_HWT 0xE1000000
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

/* A thread's control block (struct cl_thread), pointed to by tp. */
#define CL_THREAD_SHIFT 4 /* log2 of its size */
#define CL_THREAD_SP 0

/* Stack of a CPU that has no thread: after reset, in the last steps of thread exit, in a fault. */
#define CL_BOOT_STACK_SHIFT 10 /* log2 of its bytes */
#define CL_MAIN_STACK_BYTES 32768

#ifndef __ASSEMBLER__
#include <stdint.h>

static inline uint32_t cl_local_read(unsigned offset) {
  return *(const volatile uint32_t *)(CL_LOCAL + offset);
}

static inline void cl_local_write(unsigned offset, uint32_t word) {
  *(volatile uint32_t *)(CL_LOCAL + offset) = word;
}

static inline void cl_trace(unsigned kind, uint32_t value) { cl_local_write(CL_TRACE + 4 * kind, value); }
#endif

#endif
