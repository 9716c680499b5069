/* SPDX-License-Identifier: Apache-2.0
 *
 * What a program that brings no FreeRTOSConfig.h gets, on FreeRTOS and on Coreloom's kernels alike, so that figures of the
 * two are of one program. What is in #ifndef a program may set by a macro. */
#ifndef CL_FREERTOS_VALUES_H
#define CL_FREERTOS_VALUES_H

/* A tick is a millisecond at the clock of the standard core on an FPGA. */
#ifndef configCPU_CLOCK_HZ
#define configCPU_CLOCK_HZ 33000000ul
#endif
#ifndef configTICK_RATE_HZ
#define configTICK_RATE_HZ 1000
#endif
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
#define configMINIMAL_STACK_SIZE 128 /* words */
#define configMAX_TASK_NAME_LEN 16
#define configUSE_MUTEXES 1
#define configUSE_RECURSIVE_MUTEXES 1
#define configUSE_COUNTING_SEMAPHORES 1
#ifndef configUSE_TIMERS
#define configUSE_TIMERS 0
#endif
#define configTIMER_TASK_PRIORITY (configMAX_PRIORITIES - 1)
#define configTIMER_QUEUE_LENGTH 8
#define configTIMER_TASK_STACK_DEPTH 256

#endif
