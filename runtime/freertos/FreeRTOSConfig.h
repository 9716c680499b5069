/* SPDX-License-Identifier: Apache-2.0
 *
 * Configuration of FreeRTOS for Coreloom: the fastest build found (README.md). A program may set what is in #ifndef
 * by a macro, or by a FreeRTOSConfig.h of its own that defines it and then has #include_next <FreeRTOSConfig.h>.
 * values.h has what programs on Coreloom's kernels get, too; this file what the port of FreeRTOS and its events need. */
#ifndef FREERTOS_CONFIG_H
#define FREERTOS_CONFIG_H

#include "cl_machine.h"

/* --- the platform -------------------------------------------------------------------------------------------------- */
#define configMTIME_BASE_ADDRESS (CL_LOCAL + CL_MTIME_LO)
#define configMTIMECMP_BASE_ADDRESS (CL_LOCAL + CL_MTIMECMP_LO)
#define configNUMBER_OF_CORES CL_CPUS
#define configMAX_PRIORITIES CL_PRIORITIES

/* --- scheduling ---------------------------------------------------------------------------------------------------- */
#include "values.h"

#ifndef configUSE_PORT_OPTIMISED_TASK_SELECTION
#define configUSE_PORT_OPTIMISED_TASK_SELECTION 0
#endif
#if CL_CPUS > 1
#define configUSE_TASK_PREEMPTION_DISABLE 0
#define configUSE_PASSIVE_IDLE_HOOK 1
#define configTICK_CORE 0
#define configTIMER_SERVICE_TASK_CORE_AFFINITY tskNO_AFFINITY
#endif

/* --- what it has --------------------------------------------------------------------------------------------------- */
#define configAPPLICATION_ALLOCATED_HEAP 1 /* boot.c */
#define configISR_STACK_SIZE_WORDS 512    /* a CPU's */
#define configUSE_TASK_NOTIFICATIONS 1
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
