/* SPDX-License-Identifier: Apache-2.0
 *
 * Configuration of FreeRTOS for Coreloom: the fastest build found (README.md). A program may set what is in #ifndef
 * by a macro, or by a FreeRTOSConfig.h of its own that defines it and then has #include_next <FreeRTOSConfig.h>. */
#ifndef FREERTOS_CONFIG_H
#define FREERTOS_CONFIG_H

#include "cl_machine.h"

/* --- the platform --------------------------------------------------------------------------------------------------
 *
 * A tick is a millisecond at the clock of the standard core on an FPGA. */
#ifndef configCPU_CLOCK_HZ
#define configCPU_CLOCK_HZ 33000000ul
#endif
#ifndef configTICK_RATE_HZ
#define configTICK_RATE_HZ 1000
#endif
#define configMTIME_BASE_ADDRESS (CL_LOCAL + CL_MTIME_LO)
#define configMTIMECMP_BASE_ADDRESS (CL_LOCAL + CL_MTIMECMP_LO)
#define configNUMBER_OF_CORES CL_CPUS
#define configMAX_PRIORITIES CL_PRIORITIES

/* --- scheduling ---------------------------------------------------------------------------------------------------- */
#define configUSE_PREEMPTION 1
#ifndef configUSE_TIME_SLICING
#define configUSE_TIME_SLICING 1
#endif
#define configIDLE_SHOULD_YIELD 1
#ifndef configUSE_PORT_OPTIMISED_TASK_SELECTION
#define configUSE_PORT_OPTIMISED_TASK_SELECTION 0
#endif
#if CL_CPUS > 1
#define configRUN_MULTIPLE_PRIORITIES 1
#define configUSE_CORE_AFFINITY 1
#define configUSE_TASK_PREEMPTION_DISABLE 0
#define configUSE_PASSIVE_IDLE_HOOK 1
#define configTICK_CORE 0
#define configTIMER_SERVICE_TASK_CORE_AFFINITY tskNO_AFFINITY
#endif

/* --- what it has --------------------------------------------------------------------------------------------------- */
#define configTICK_TYPE_WIDTH_IN_BITS TICK_TYPE_WIDTH_32_BITS
#define configSUPPORT_STATIC_ALLOCATION 1
#define configSUPPORT_DYNAMIC_ALLOCATION 1
#define configKERNEL_PROVIDED_STATIC_MEMORY 1
#define configAPPLICATION_ALLOCATED_HEAP 1 /* boot.c */
#ifndef configTOTAL_HEAP_SIZE
#define configTOTAL_HEAP_SIZE (256 * 1024)
#endif
#define configMINIMAL_STACK_SIZE 128      /* words */
#define configISR_STACK_SIZE_WORDS 512    /* a CPU's */
#define configMAX_TASK_NAME_LEN 16
#define configUSE_MUTEXES 1
#define configUSE_RECURSIVE_MUTEXES 1
#define configUSE_COUNTING_SEMAPHORES 1
#define configUSE_TASK_NOTIFICATIONS 1
#ifndef configUSE_TIMERS
#define configUSE_TIMERS 0
#endif
#define configTIMER_TASK_PRIORITY (configMAX_PRIORITIES - 1)
#define configTIMER_QUEUE_LENGTH 8
#define configTIMER_TASK_STACK_DEPTH 256
#define configUSE_IDLE_HOOK 1 /* sleeps */
#define configUSE_TICK_HOOK 0
#define configCHECK_FOR_STACK_OVERFLOW 0
#if defined(CL_FREERTOS_ASSERT)
void cl_freertos_failed(const char *file, int line) __attribute__((noreturn));
#define configASSERT(condition) \
  if (!(condition)) cl_freertos_failed(__FILE__, __LINE__)
#endif

#define INCLUDE_vTaskPrioritySet 1
#define INCLUDE_uxTaskPriorityGet 1
#define INCLUDE_vTaskDelete 1
#define INCLUDE_vTaskSuspend 1
#define INCLUDE_vTaskDelay 1
#define INCLUDE_xTaskDelayUntil 1
#define INCLUDE_xTaskGetCurrentTaskHandle 1
#define INCLUDE_xTaskGetSchedulerState 1
#define INCLUDE_xTaskGetIdleTaskHandle 1
#define INCLUDE_eTaskGetState 1
#define INCLUDE_xTaskAbortDelay 1
#define INCLUDE_xTimerPendFunctionCall configUSE_TIMERS

/* --- events for figures and timelines, as Coreloom's kernels log them ----------------------------------------------
 *
 * Two instructions each. The address is not left to the compiler, which would keep it in a register that the function
 * must then save. */
#define CL_LOG(kind, value)                                                                                \
  do {                                                                                                     \
    uint32_t cl_address;                                                                                   \
    __asm__ volatile("lui %0, %1\n\tsw %z2, %3(%0)"                                                        \
                     : "=&r"(cl_address)                                                                   \
                     : "i"(CL_LOCAL >> 12), "rJ"(value), "i"((CL_LOCAL & 0xfff) + CL_TRACE + 4 * (kind))); \
  } while (0)
/* Entering a service that may give way. */
#define traceENTER_xQueueReceive(...) CL_LOG(CL_TRACE_CALL, 0)
#define traceENTER_xQueueGenericSend(...) CL_LOG(CL_TRACE_CALL, 0)
#define traceENTER_xQueueSemaphoreTake(...) CL_LOG(CL_TRACE_CALL, 0)
#define traceENTER_xQueuePeek(...) CL_LOG(CL_TRACE_CALL, 0)
#define traceENTER_ulTaskGenericNotifyTake(...) CL_LOG(CL_TRACE_CALL, 0)
#define traceENTER_xTaskGenericNotifyWait(...) CL_LOG(CL_TRACE_CALL, 0)
#define traceENTER_vTaskDelay(...) CL_LOG(CL_TRACE_CALL, 0)
#define traceENTER_xTaskDelayUntil(...) CL_LOG(CL_TRACE_CALL, 0)
#define traceENTER_xEventGroupWaitBits(...) CL_LOG(CL_TRACE_CALL, 0)
/* The kernel has chosen; the registers are loaded after it. */
#if CL_CPUS > 1
#define traceTASK_SWITCHED_IN() CL_LOG(CL_TRACE_RUN, pxCurrentTCBs[portGET_CORE_ID()])
#else
#define traceTASK_SWITCHED_IN() CL_LOG(CL_TRACE_RUN, pxCurrentTCB)
#endif
#define traceTASK_CREATE(task)                 \
  do {                                         \
    CL_LOG(CL_TRACE_NEW, (task));              \
    CL_LOG(CL_TRACE_NAME, (task)->pcTaskName); \
  } while (0)
#if !defined(CL_FREERTOS_OWN_PORT)
/* The first instruction of a task that gave way within a service; our port logs it itself. */
#define portYIELD_WITHIN_API()   \
  do {                           \
    portYIELD();                 \
    CL_LOG(CL_TRACE_RESUMED, 0); \
  } while (0)
#endif

#endif
