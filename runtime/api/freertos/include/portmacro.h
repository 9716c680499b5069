/* SPDX-License-Identifier: Apache-2.0
 *
 * What FreeRTOS calls a port: types, critical sections, yielding. Part of FreeRTOS.h.
 *
 * There is one critical section for all CPUs. It nests, and every function of the layer is one itself, so functions
 * that do not wait may be called in it. An "interrupt" is a thread above all tasks: ...FromISR works in any context. */
#ifndef PORTMACRO_H
#define PORTMACRO_H

#ifdef __cplusplus
extern "C" {
#endif

#define portCHAR char
#define portFLOAT float
#define portDOUBLE double
#define portLONG long
#define portSHORT short
#define portSTACK_TYPE uint32_t
#define portBASE_TYPE int32_t
#define portUBASE_TYPE uint32_t
#define portPOINTER_SIZE_TYPE uintptr_t
#define portMAX_DELAY ((TickType_t) - 1)
#define portTICK_PERIOD_MS ((TickType_t)(1000 / configTICK_RATE_HZ))
#define portTICK_TYPE_IS_ATOMIC (configTICK_TYPE_WIDTH_IN_BITS != TICK_TYPE_WIDTH_64_BITS)
#define portSTACK_GROWTH (-1)
#define portBYTE_ALIGNMENT 16
#define portBYTE_ALIGNMENT_MASK 15
#define portARCH_NAME "RISC-V"

typedef uint32_t StackType_t;
typedef int32_t BaseType_t;
typedef uint32_t UBaseType_t;
#if configTICK_TYPE_WIDTH_IN_BITS == TICK_TYPE_WIDTH_16_BITS
typedef uint16_t TickType_t;
#elif configTICK_TYPE_WIDTH_IN_BITS == TICK_TYPE_WIDTH_64_BITS
typedef uint64_t TickType_t;
#else
typedef uint32_t TickType_t;
#endif

void vPortEnterCritical(void);
void vPortExitCritical(void);
void vPortDisableInterrupts(void);
void vPortEnableInterrupts(void);
void vPortYield(void);
BaseType_t xPortIsInsideInterrupt(void);
unsigned cl_cpu_id(void);

#define portENTER_CRITICAL() vPortEnterCritical()
#define portEXIT_CRITICAL() vPortExitCritical()
#define portENTER_CRITICAL_FROM_ISR() (vPortEnterCritical(), (UBaseType_t)0)
#define portEXIT_CRITICAL_FROM_ISR(mask) ((void)(mask), vPortExitCritical())
#define portSET_INTERRUPT_MASK_FROM_ISR() portENTER_CRITICAL_FROM_ISR()
#define portCLEAR_INTERRUPT_MASK_FROM_ISR(mask) portEXIT_CRITICAL_FROM_ISR(mask)
#define portSET_INTERRUPT_MASK() portENTER_CRITICAL_FROM_ISR()
#define portCLEAR_INTERRUPT_MASK(mask) portEXIT_CRITICAL_FROM_ISR(mask)
#define portDISABLE_INTERRUPTS() vPortDisableInterrupts()
#define portENABLE_INTERRUPTS() vPortEnableInterrupts()
#define portYIELD() vPortYield()
#define portYIELD_WITHIN_API() vPortYield()
/* The woken task is ready already, and runs as soon as the interrupt has ended. A task that calls it gives way. */
#define portYIELD_FROM_ISR(yield) \
  do {                            \
    if (yield) vPortYield();      \
  } while (0)
#define portEND_SWITCHING_ISR(yield) portYIELD_FROM_ISR(yield)
#define portGET_CORE_ID() ((BaseType_t)cl_cpu_id())
#define portCHECK_IF_IN_ISR() xPortIsInsideInterrupt()
#define portNOP() __asm__ volatile("nop")
#define portMEMORY_BARRIER() __asm__ volatile("" ::: "memory")
#define portSOFTWARE_BARRIER() portMEMORY_BARRIER()
#define portINLINE __inline
#define portFORCE_INLINE inline __attribute__((always_inline))
#define portDONT_DISCARD __attribute__((used))
#define portTASK_FUNCTION_PROTO(function, argument) void function(void *argument)
#define portTASK_FUNCTION(function, argument) void function(void *argument)
#define portTASK_CALLS_FPU_INSTRUCTIONS()
#define portTASK_USES_FLOATING_POINT()
#define portALLOCATE_SECURE_CONTEXT(words)

#ifdef __cplusplus
}
#endif

#endif
