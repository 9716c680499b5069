/* SPDX-License-Identifier: Apache-2.0
 *
 * FreeRTOS's API on Coreloom's kernels (runtime/api/freertos): the program's configuration, types, and the memory of
 * static objects. README.md there says what differs from FreeRTOS V11. */
#ifndef INC_FREERTOS_H
#define INC_FREERTOS_H

#include <stddef.h>
#include <stdint.h>

#define TICK_TYPE_WIDTH_16_BITS 0
#define TICK_TYPE_WIDTH_32_BITS 1
#define TICK_TYPE_WIDTH_64_BITS 2

#include "FreeRTOSConfig.h"

#include "cl_freertos_config.h"
#include "cl_objects.h"
#include "portmacro.h"
#include "projdefs.h"

#include "portable.h"

/* What programs of before FreeRTOS V8 call it */
#ifndef configENABLE_BACKWARD_COMPATIBILITY
#define configENABLE_BACKWARD_COMPATIBILITY 1
#endif
#if configENABLE_BACKWARD_COMPATIBILITY
#define portTickType TickType_t
#define portTICK_RATE_MS portTICK_PERIOD_MS
#define xTaskHandle TaskHandle_t
#define xQueueHandle QueueHandle_t
#define xQueueSetHandle QueueSetHandle_t
#define xQueueSetMemberHandle QueueSetMemberHandle_t
#define xSemaphoreHandle SemaphoreHandle_t
#define xTimerHandle TimerHandle_t
#define xTimeOutType TimeOut_t
#define xTaskStatusType TaskStatus_t
#define pdTASK_CODE TaskFunction_t
#define pdTASK_HOOK_CODE TaskHookFunction_t
#define tmrTIMER_CALLBACK TimerCallbackFunction_t
#define eTaskStateGet eTaskGetState
#define pcTaskGetTaskName pcTaskGetName
#define pcTimerGetTimerName pcTimerGetName
#define pcQueueGetQueueName pcQueueGetName
#define vTaskGetTaskInfo vTaskGetInfo
#define xTaskGetIdleRunTimeCounter ulTaskGetIdleRunTimeCounter
#endif

/* Marks of branches, of which FreeRTOS's own tests count those that were taken */
#ifndef mtCOVERAGE_TEST_MARKER
#define mtCOVERAGE_TEST_MARKER()
#endif
#ifndef mtCOVERAGE_TEST_DELAY
#define mtCOVERAGE_TEST_DELAY()
#endif

#ifdef __cplusplus
extern "C" {
#endif

struct tskTaskControlBlock {
  uint32_t cl_thread; /* the kernel's number */
  volatile uint8_t cl_stop, cl_moves, cl_aborted; /* asked of it by others: tasks.c */
  volatile uint8_t cl_parked, cl_removed, cl_gone;
  uint8_t cl_is_static, cl_ended, cl_stays;
  UBaseType_t cl_base, cl_priority, cl_held; /* without inheritance, with it; mutexes held */
  UBaseType_t cl_affinity;
  struct cl_queue cl_own; /* here it waits for anything but an object */
  struct tskTaskControlBlock *cl_next;
  UBaseType_t cl_number, cl_user_number;
  StackType_t *cl_stack;
  uint32_t cl_depth; /* words */
  TaskFunction_t cl_code;
  void *cl_argument;
  char cl_name[configMAX_TASK_NAME_LEN];
  volatile uint32_t cl_notified[configTASK_NOTIFICATION_ARRAY_ENTRIES];
  volatile uint8_t cl_notice[configTASK_NOTIFICATION_ARRAY_ENTRIES];
  BaseType_t (*cl_tag)(void *argument);
  void *cl_locals[configNUM_THREAD_LOCAL_STORAGE_POINTERS + 1];
};

struct QueueDefinition {
  uint8_t *cl_items, *cl_end, *cl_read, *cl_write; /* all of them; the oldest one, and where the next one goes */
  UBaseType_t cl_length, cl_item, cl_count; /* cl_item: bytes of one */
  struct cl_queue cl_receivers, cl_senders;
  struct QueueDefinition *cl_set;
  struct tskTaskControlBlock *cl_holder; /* of a mutex */
  UBaseType_t cl_depth;                  /* of a recursive one */
  const char *cl_name;
  UBaseType_t cl_number;
  uint8_t cl_type, cl_static, cl_kind; /* cl_kind: queue.c */
};

struct EventGroupDef_t {
  uint32_t cl_bits;
  struct cl_queue cl_waiters;
  uint8_t cl_static;
};

struct StreamBufferDef_t {
  uint8_t *cl_bytes;
  size_t cl_length, cl_read, cl_count, cl_trigger;
  struct cl_queue cl_receiver, cl_sender;
  void (*cl_sent)(struct StreamBufferDef_t *buffer, BaseType_t is_in_isr, BaseType_t *woken);
  void (*cl_received)(struct StreamBufferDef_t *buffer, BaseType_t is_in_isr, BaseType_t *woken);
  UBaseType_t cl_number, cl_index;
  uint8_t cl_type, cl_static;
};

struct tmrTimerControl {
  const char *cl_name;
  struct tmrTimerControl *cl_next; /* of those that run, by their time */
  TickType_t cl_period;
  uint64_t cl_due; /* a tick */
  void *cl_id;
  void (*cl_callback)(struct tmrTimerControl *timer);
  UBaseType_t cl_number;
  uint8_t cl_active, cl_reload, cl_static;
};

typedef struct tskTaskControlBlock StaticTask_t;
typedef struct QueueDefinition StaticQueue_t;
typedef StaticQueue_t StaticSemaphore_t;
typedef struct EventGroupDef_t StaticEventGroup_t;
typedef struct StreamBufferDef_t StaticStreamBuffer_t;
typedef StaticStreamBuffer_t StaticMessageBuffer_t;
typedef struct tmrTimerControl StaticTimer_t;

/* The layer is compiled apart from the program: the scheduler's start compares their configurations. */
#define CL_FREERTOS_CONFIGURATION                                                                     \
  {(uint32_t)(configTICK_RATE_HZ), configMAX_PRIORITIES, configNUMBER_OF_CORES, sizeof(StaticTask_t), \
   configTICK_TYPE_WIDTH_IN_BITS}
#ifndef CL_FREERTOS_LAYER_H
__attribute__((weak)) const uint32_t cl_freertos_configuration[] = CL_FREERTOS_CONFIGURATION;
#endif

#ifdef __cplusplus
}
#endif

#endif
