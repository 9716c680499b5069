/* SPDX-License-Identifier: Apache-2.0
 *
 * What a FreeRTOSConfig.h leaves out, and what it asks for that cannot be. Part of FreeRTOS.h. */
#ifndef CL_FREERTOS_CONFIG_H
#define CL_FREERTOS_CONFIG_H

#define CL_FREERTOS_API 1

/* --- required, as in FreeRTOS --- */

#ifndef configMINIMAL_STACK_SIZE
#error "configMINIMAL_STACK_SIZE is not defined in FreeRTOSConfig.h: define it, in words"
#endif
#ifndef configMAX_PRIORITIES
#error "configMAX_PRIORITIES is not defined in FreeRTOSConfig.h: define it"
#endif
#ifndef configTICK_RATE_HZ
#error "configTICK_RATE_HZ is not defined in FreeRTOSConfig.h: define it"
#endif
#ifndef configUSE_PREEMPTION
#error "configUSE_PREEMPTION is not defined in FreeRTOSConfig.h: define it as 1"
#endif

/* --- defaults --- */

#ifndef configTICK_TYPE_WIDTH_IN_BITS
#if defined(configUSE_16_BIT_TICKS) && configUSE_16_BIT_TICKS
#define configTICK_TYPE_WIDTH_IN_BITS TICK_TYPE_WIDTH_16_BITS
#else
#define configTICK_TYPE_WIDTH_IN_BITS TICK_TYPE_WIDTH_32_BITS
#endif
#endif
#ifndef configCPU_CLOCK_HZ
#define configCPU_CLOCK_HZ CL_CLOCK_HZ
#endif
#ifndef configNUMBER_OF_CORES
#define configNUMBER_OF_CORES 1
#endif
#ifndef configRUN_MULTIPLE_PRIORITIES
#define configRUN_MULTIPLE_PRIORITIES 1
#endif
#ifndef configUSE_CORE_AFFINITY
#define configUSE_CORE_AFFINITY 0
#endif
#ifndef configUSE_TASK_PREEMPTION_DISABLE
#define configUSE_TASK_PREEMPTION_DISABLE 0
#endif
#ifndef configUSE_TIME_SLICING
#define configUSE_TIME_SLICING 1
#endif
#ifndef configUSE_IDLE_HOOK
#define configUSE_IDLE_HOOK 0
#endif
#ifndef configUSE_PASSIVE_IDLE_HOOK
#define configUSE_PASSIVE_IDLE_HOOK 0
#endif
#ifndef configUSE_TICK_HOOK
#define configUSE_TICK_HOOK 0
#endif
#ifndef configUSE_MALLOC_FAILED_HOOK
#define configUSE_MALLOC_FAILED_HOOK 0
#endif
#ifndef configUSE_DAEMON_TASK_STARTUP_HOOK
#define configUSE_DAEMON_TASK_STARTUP_HOOK 0
#endif
#ifndef configMAX_TASK_NAME_LEN
#define configMAX_TASK_NAME_LEN 16
#endif
#ifndef configTASK_NOTIFICATION_ARRAY_ENTRIES
#define configTASK_NOTIFICATION_ARRAY_ENTRIES 1
#endif
#ifndef configNUM_THREAD_LOCAL_STORAGE_POINTERS
#define configNUM_THREAD_LOCAL_STORAGE_POINTERS 0
#endif
#ifndef configSTACK_DEPTH_TYPE
#define configSTACK_DEPTH_TYPE uint32_t
#endif
#ifndef configMESSAGE_BUFFER_LENGTH_TYPE
#define configMESSAGE_BUFFER_LENGTH_TYPE size_t
#endif
#ifndef configRUN_TIME_COUNTER_TYPE
#define configRUN_TIME_COUNTER_TYPE uint32_t
#endif
#ifndef configINITIAL_TICK_COUNT
#define configINITIAL_TICK_COUNT 0
#endif
#ifndef configTOTAL_HEAP_SIZE
#define configTOTAL_HEAP_SIZE (64 * 1024)
#endif
#ifndef configAPPLICATION_ALLOCATED_HEAP
#define configAPPLICATION_ALLOCATED_HEAP 0
#endif
#ifndef configUSE_TIMERS
#define configUSE_TIMERS 0
#endif
#ifndef configMAX
#define configMAX(a, b) ((a) > (b) ? (a) : (b))
#endif
#ifndef configMIN
#define configMIN(a, b) ((a) < (b) ? (a) : (b))
#endif
#ifndef configQUEUE_REGISTRY_SIZE
#define configQUEUE_REGISTRY_SIZE 0
#endif
#ifndef configGENERATE_RUN_TIME_STATS
#define configGENERATE_RUN_TIME_STATS 0
#endif
#ifndef INCLUDE_vTaskSuspend
#define INCLUDE_vTaskSuspend 1
#endif
#ifndef configASSERT
#define configASSERT(condition) ((void)0)
#endif

/* --- what cannot be met --- */

#if !configUSE_PREEMPTION
#error "configUSE_PREEMPTION 0 is not supported: Coreloom's kernels are preemptive"
#endif
#if configNUMBER_OF_CORES > CL_CPUS
#error "configNUMBER_OF_CORES is more than the platform's CPUs: choose as many by --cpus"
#endif
#if configNUMBER_OF_CORES > 1 && !configRUN_MULTIPLE_PRIORITIES
#error "configRUN_MULTIPLE_PRIORITIES 0 is not supported: every CPU runs the best task there is"
#endif
#if defined(configUSE_CO_ROUTINES) && configUSE_CO_ROUTINES
#error "configUSE_CO_ROUTINES 1 is not supported: use tasks"
#endif
#if defined(configENABLE_MPU) && configENABLE_MPU
#error "configENABLE_MPU 1 is not supported: the platforms have no memory protection"
#endif
#if defined(configENABLE_TRUSTZONE) && configENABLE_TRUSTZONE
#error "configENABLE_TRUSTZONE 1 is not supported: it is for Arm"
#endif
#if configUSE_TIMERS && !defined(configTIMER_TASK_PRIORITY)
#error "configTIMER_TASK_PRIORITY is not defined in FreeRTOSConfig.h: configUSE_TIMERS 1 needs it"
#endif
#if configUSE_TIMERS && !defined(configTIMER_QUEUE_LENGTH)
#error "configTIMER_QUEUE_LENGTH is not defined in FreeRTOSConfig.h: configUSE_TIMERS 1 needs it"
#endif
#if configUSE_TIMERS && !defined(configTIMER_TASK_STACK_DEPTH)
#error "configTIMER_TASK_STACK_DEPTH is not defined in FreeRTOSConfig.h: configUSE_TIMERS 1 needs it"
#endif
/* Above the tasks are the suspended scheduler and interrupts. */
#if (configMAX_PRIORITIES) < 1 || (configMAX_PRIORITIES) > CL_PRIORITIES - 2
#error \
    "configMAX_PRIORITIES must be from 1 to the platform's kernel.priorities - 2: choose fewer, or a platform with more"
#endif

#endif
