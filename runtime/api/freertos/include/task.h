/* SPDX-License-Identifier: Apache-2.0
 *
 * Tasks, their notifications, time, the scheduler. */
#ifndef INC_TASK_H
#define INC_TASK_H

#ifndef INC_FREERTOS_H
#error "include FreeRTOS.h before task.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define tskKERNEL_VERSION_NUMBER "V11.2.0"
#define tskKERNEL_VERSION_MAJOR 11
#define tskKERNEL_VERSION_MINOR 2
#define tskKERNEL_VERSION_BUILD 0

#define tskIDLE_PRIORITY ((UBaseType_t)0)
#define tskNO_AFFINITY ((UBaseType_t) - 1)
#define tskDEFAULT_INDEX_TO_NOTIFY ((UBaseType_t)0)

#define taskSCHEDULER_SUSPENDED ((BaseType_t)0)
#define taskSCHEDULER_NOT_STARTED ((BaseType_t)1)
#define taskSCHEDULER_RUNNING ((BaseType_t)2)

#define taskYIELD() portYIELD()
#define taskENTER_CRITICAL() portENTER_CRITICAL()
#define taskEXIT_CRITICAL() portEXIT_CRITICAL()
#define taskENTER_CRITICAL_FROM_ISR() portENTER_CRITICAL_FROM_ISR()
#define taskEXIT_CRITICAL_FROM_ISR(mask) portEXIT_CRITICAL_FROM_ISR(mask)
#define taskDISABLE_INTERRUPTS() portDISABLE_INTERRUPTS()
#define taskENABLE_INTERRUPTS() portENABLE_INTERRUPTS()

typedef struct tskTaskControlBlock *TaskHandle_t;
typedef const struct tskTaskControlBlock *ConstTaskHandle_t;
typedef BaseType_t (*TaskHookFunction_t)(void *argument);

typedef enum { eRunning, eReady, eBlocked, eSuspended, eDeleted, eInvalid } eTaskState;
typedef enum { eNoAction, eSetBits, eIncrement, eSetValueWithOverwrite, eSetValueWithoutOverwrite } eNotifyAction;

typedef struct xTIME_OUT {
  BaseType_t xOverflowCount;
  TickType_t xTimeOnEntering;
} TimeOut_t;

typedef struct xTASK_STATUS {
  TaskHandle_t xHandle;
  const char *pcTaskName;
  UBaseType_t xTaskNumber;
  eTaskState eCurrentState;
  UBaseType_t uxCurrentPriority;
  UBaseType_t uxBasePriority;
  configRUN_TIME_COUNTER_TYPE ulRunTimeCounter; /* cycles */
  StackType_t *pxStackBase;
  configSTACK_DEPTH_TYPE usStackHighWaterMark;
  UBaseType_t uxCoreAffinityMask;
} TaskStatus_t;

/* --- creation and end --- */

BaseType_t xTaskCreate(TaskFunction_t code, const char *name, configSTACK_DEPTH_TYPE words, void *argument,
                       UBaseType_t priority, TaskHandle_t *task);
TaskHandle_t xTaskCreateStatic(TaskFunction_t code, const char *name, configSTACK_DEPTH_TYPE words, void *argument,
                               UBaseType_t priority, StackType_t *stack, StaticTask_t *memory);
BaseType_t xTaskCreateAffinitySet(TaskFunction_t code, const char *name, configSTACK_DEPTH_TYPE words, void *argument,
                                  UBaseType_t priority, UBaseType_t cpus, TaskHandle_t *task);
TaskHandle_t xTaskCreateStaticAffinitySet(TaskFunction_t code, const char *name, configSTACK_DEPTH_TYPE words,
                                          void *argument, UBaseType_t priority, StackType_t *stack,
                                          StaticTask_t *memory, UBaseType_t cpus);
void vTaskDelete(TaskHandle_t task);

/* --- control --- */

void vTaskDelay(TickType_t ticks);
BaseType_t xTaskDelayUntil(TickType_t *last, TickType_t period);
#define vTaskDelayUntil(last, period) ((void)xTaskDelayUntil(last, period))
BaseType_t xTaskAbortDelay(TaskHandle_t task);
UBaseType_t uxTaskPriorityGet(TaskHandle_t task);
UBaseType_t uxTaskPriorityGetFromISR(TaskHandle_t task);
UBaseType_t uxTaskBasePriorityGet(TaskHandle_t task);
UBaseType_t uxTaskBasePriorityGetFromISR(TaskHandle_t task);
void vTaskPrioritySet(TaskHandle_t task, UBaseType_t priority);
void vTaskSuspend(TaskHandle_t task);
void vTaskResume(TaskHandle_t task);
BaseType_t xTaskResumeFromISR(TaskHandle_t task);
void vTaskCoreAffinitySet(TaskHandle_t task, UBaseType_t cpus);
UBaseType_t vTaskCoreAffinityGet(ConstTaskHandle_t task);
void vTaskPreemptionDisable(TaskHandle_t task);
void vTaskPreemptionEnable(TaskHandle_t task);

/* --- the scheduler --- */

void vTaskStartScheduler(void);
void vTaskEndScheduler(void);
void vTaskSuspendAll(void);
BaseType_t xTaskResumeAll(void);
BaseType_t xTaskGetSchedulerState(void);
TickType_t xTaskGetTickCount(void);
TickType_t xTaskGetTickCountFromISR(void);
void vTaskSetTimeOutState(TimeOut_t *state);
BaseType_t xTaskCheckForTimeOut(TimeOut_t *state, TickType_t *ticks);

/* --- what there is to know --- */

TaskHandle_t xTaskGetCurrentTaskHandle(void);
TaskHandle_t xTaskGetCurrentTaskHandleForCore(BaseType_t cpu);
TaskHandle_t xTaskGetIdleTaskHandle(void);
TaskHandle_t xTaskGetIdleTaskHandleForCore(BaseType_t cpu);
TaskHandle_t xTaskGetHandle(const char *name);
char *pcTaskGetName(TaskHandle_t task);
eTaskState eTaskGetState(TaskHandle_t task);
UBaseType_t uxTaskGetNumberOfTasks(void);
UBaseType_t uxTaskGetStackHighWaterMark(TaskHandle_t task);
configSTACK_DEPTH_TYPE uxTaskGetStackHighWaterMark2(TaskHandle_t task);
BaseType_t xTaskGetStaticBuffers(TaskHandle_t task, StackType_t **stack, StaticTask_t **memory);
void vTaskSetApplicationTaskTag(TaskHandle_t task, TaskHookFunction_t tag);
TaskHookFunction_t xTaskGetApplicationTaskTag(TaskHandle_t task);
TaskHookFunction_t xTaskGetApplicationTaskTagFromISR(TaskHandle_t task);
BaseType_t xTaskCallApplicationTaskHook(TaskHandle_t task, void *argument);
void vTaskSetThreadLocalStoragePointer(TaskHandle_t task, BaseType_t index, void *value);
void *pvTaskGetThreadLocalStoragePointer(TaskHandle_t task, BaseType_t index);
UBaseType_t uxTaskGetTaskNumber(TaskHandle_t task);
void vTaskSetTaskNumber(TaskHandle_t task, UBaseType_t number);
void vTaskGetInfo(TaskHandle_t task, TaskStatus_t *status, BaseType_t with_stack, eTaskState state);
UBaseType_t uxTaskGetSystemState(TaskStatus_t *status, UBaseType_t room, configRUN_TIME_COUNTER_TYPE *total);
void vTaskListTasks(char *text, size_t bytes);
void vTaskGetRunTimeStatistics(char *text, size_t bytes);
#ifndef configSTATS_BUFFER_MAX_LENGTH
#define configSTATS_BUFFER_MAX_LENGTH 0xFFFF
#endif
#define vTaskList(text) vTaskListTasks(text, configSTATS_BUFFER_MAX_LENGTH)
#define vTaskGetRunTimeStats(text) vTaskGetRunTimeStatistics(text, configSTATS_BUFFER_MAX_LENGTH)
configRUN_TIME_COUNTER_TYPE ulTaskGetRunTimeCounter(TaskHandle_t task);
configRUN_TIME_COUNTER_TYPE ulTaskGetRunTimePercent(TaskHandle_t task);
configRUN_TIME_COUNTER_TYPE ulTaskGetIdleRunTimeCounter(void);
configRUN_TIME_COUNTER_TYPE ulTaskGetIdleRunTimePercent(void);

/* --- notifications --- */

BaseType_t xTaskGenericNotify(TaskHandle_t task, UBaseType_t index, uint32_t value, eNotifyAction action,
                              uint32_t *before);
BaseType_t xTaskGenericNotifyFromISR(TaskHandle_t task, UBaseType_t index, uint32_t value, eNotifyAction action,
                                     uint32_t *before, BaseType_t *woken);
void vTaskGenericNotifyGiveFromISR(TaskHandle_t task, UBaseType_t index, BaseType_t *woken);
BaseType_t xTaskGenericNotifyWait(UBaseType_t index, uint32_t clear_first, uint32_t clear_last, uint32_t *value,
                                  TickType_t ticks);
uint32_t ulTaskGenericNotifyTake(UBaseType_t index, BaseType_t clear, TickType_t ticks);
BaseType_t xTaskGenericNotifyStateClear(TaskHandle_t task, UBaseType_t index);
uint32_t ulTaskGenericNotifyValueClear(TaskHandle_t task, UBaseType_t index, uint32_t bits);

#define xTaskNotifyIndexed(task, index, value, action) xTaskGenericNotify(task, index, value, action, NULL)
#define xTaskNotify(task, value, action) xTaskNotifyIndexed(task, tskDEFAULT_INDEX_TO_NOTIFY, value, action)
#define xTaskNotifyAndQueryIndexed(task, index, value, action, before) \
  xTaskGenericNotify(task, index, value, action, before)
#define xTaskNotifyAndQuery(task, value, action, before) \
  xTaskNotifyAndQueryIndexed(task, tskDEFAULT_INDEX_TO_NOTIFY, value, action, before)
#define xTaskNotifyIndexedFromISR(task, index, value, action, woken) \
  xTaskGenericNotifyFromISR(task, index, value, action, NULL, woken)
#define xTaskNotifyFromISR(task, value, action, woken) \
  xTaskNotifyIndexedFromISR(task, tskDEFAULT_INDEX_TO_NOTIFY, value, action, woken)
#define xTaskNotifyAndQueryIndexedFromISR(task, index, value, action, before, woken) \
  xTaskGenericNotifyFromISR(task, index, value, action, before, woken)
#define xTaskNotifyAndQueryFromISR(task, value, action, before, woken) \
  xTaskNotifyAndQueryIndexedFromISR(task, tskDEFAULT_INDEX_TO_NOTIFY, value, action, before, woken)
#define xTaskNotifyGiveIndexed(task, index) xTaskGenericNotify(task, index, 0, eIncrement, NULL)
#define xTaskNotifyGive(task) xTaskNotifyGiveIndexed(task, tskDEFAULT_INDEX_TO_NOTIFY)
#define vTaskNotifyGiveIndexedFromISR(task, index, woken) vTaskGenericNotifyGiveFromISR(task, index, woken)
#define vTaskNotifyGiveFromISR(task, woken) vTaskNotifyGiveIndexedFromISR(task, tskDEFAULT_INDEX_TO_NOTIFY, woken)
#define xTaskNotifyWaitIndexed(index, first, last, value, ticks) \
  xTaskGenericNotifyWait(index, first, last, value, ticks)
#define xTaskNotifyWait(first, last, value, ticks) \
  xTaskNotifyWaitIndexed(tskDEFAULT_INDEX_TO_NOTIFY, first, last, value, ticks)
#define ulTaskNotifyTakeIndexed(index, clear, ticks) ulTaskGenericNotifyTake(index, clear, ticks)
#define ulTaskNotifyTake(clear, ticks) ulTaskNotifyTakeIndexed(tskDEFAULT_INDEX_TO_NOTIFY, clear, ticks)
#define xTaskNotifyStateClearIndexed(task, index) xTaskGenericNotifyStateClear(task, index)
#define xTaskNotifyStateClear(task) xTaskNotifyStateClearIndexed(task, tskDEFAULT_INDEX_TO_NOTIFY)
#define ulTaskNotifyValueClearIndexed(task, index, bits) ulTaskGenericNotifyValueClear(task, index, bits)
#define ulTaskNotifyValueClear(task, bits) ulTaskNotifyValueClearIndexed(task, tskDEFAULT_INDEX_TO_NOTIFY, bits)

/* --- defined by the program, if it configures them --- */

void vApplicationIdleHook(void);
void vApplicationPassiveIdleHook(void);
void vApplicationTickHook(void);
void vApplicationMallocFailedHook(void);
void vApplicationDaemonTaskStartupHook(void);
void vApplicationStackOverflowHook(TaskHandle_t task, char *name);
void vApplicationGetIdleTaskMemory(StaticTask_t **task, StackType_t **stack, configSTACK_DEPTH_TYPE *words);
void vApplicationGetPassiveIdleTaskMemory(StaticTask_t **task, StackType_t **stack, configSTACK_DEPTH_TYPE *words,
                                          BaseType_t index);
void vApplicationGetTimerTaskMemory(StaticTask_t **task, StackType_t **stack, configSTACK_DEPTH_TYPE *words);

#ifdef __cplusplus
}
#endif

#endif
