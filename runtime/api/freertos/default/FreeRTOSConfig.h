/* SPDX-License-Identifier: Apache-2.0
 *
 * The configuration of a program that brings no FreeRTOSConfig.h: the same as that of the real FreeRTOS
 * (runtime/freertos/FreeRTOSConfig.h), with all that the layer has. What is in #ifndef a program may set by a macro. */
#ifndef FREERTOS_CONFIG_H
#define FREERTOS_CONFIG_H

#ifndef configCPU_CLOCK_HZ
#define configCPU_CLOCK_HZ 33000000ul
#endif
#ifndef configTICK_RATE_HZ
#define configTICK_RATE_HZ 1000
#endif
#ifndef configNUMBER_OF_CORES
#define configNUMBER_OF_CORES CL_CPUS
#endif
#define configMAX_PRIORITIES (CL_PRIORITIES - 2)
#define configUSE_PREEMPTION 1
#ifndef configUSE_TIME_SLICING
#define configUSE_TIME_SLICING 1
#endif
#define configIDLE_SHOULD_YIELD 1
#if configNUMBER_OF_CORES > 1
#define configRUN_MULTIPLE_PRIORITIES 1
#define configUSE_CORE_AFFINITY 1
#endif
#define configTICK_TYPE_WIDTH_IN_BITS TICK_TYPE_WIDTH_32_BITS
#define configSUPPORT_STATIC_ALLOCATION 1
#define configSUPPORT_DYNAMIC_ALLOCATION 1
#define configKERNEL_PROVIDED_STATIC_MEMORY 1
#ifndef configTOTAL_HEAP_SIZE
#define configTOTAL_HEAP_SIZE (256 * 1024)
#endif
#define configMINIMAL_STACK_SIZE 128
#define configMAX_TASK_NAME_LEN 16
#ifndef configUSE_TIMERS
#define configUSE_TIMERS 0
#endif
#define configTIMER_TASK_PRIORITY (configMAX_PRIORITIES - 1)
#define configTIMER_QUEUE_LENGTH 8
#define configTIMER_TASK_STACK_DEPTH 256
#ifndef configUSE_IDLE_HOOK
#define configUSE_IDLE_HOOK 0
#endif
#ifndef configUSE_TICK_HOOK
#define configUSE_TICK_HOOK 0
#endif
#define configUSE_MUTEXES 1
#define configUSE_RECURSIVE_MUTEXES 1
#define configUSE_COUNTING_SEMAPHORES 1

#endif
