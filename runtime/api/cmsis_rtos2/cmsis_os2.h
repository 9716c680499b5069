/* SPDX-License-Identifier: Apache-2.0
 *
 * CMSIS-RTOS2, names and meanings as Arm publishes them (version 2.1.3, and CPU affinity as of 2.3.0), over Coreloom's
 * runtime. README.md says what differs. */
#ifndef CMSIS_OS2_H_
#define CMSIS_OS2_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef __NO_RETURN
#define __NO_RETURN __attribute__((noreturn))
#endif

/* Ticks a second. */
#ifndef OS_TICK_FREQ
#define OS_TICK_FREQ 1000
#endif

/* --- types ---------------------------------------------------------------------------------------- */

typedef struct {
  uint32_t api;    /* major * 10 000 000 + minor * 10 000 + patch */
  uint32_t kernel; /* the same */
} osVersion_t;

typedef enum {
  osKernelInactive = 0,
  osKernelReady = 1,
  osKernelRunning = 2,
  osKernelLocked = 3,
  osKernelSuspended = 4,
  osKernelError = -1,
  osKernelReserved = INT32_MAX
} osKernelState_t;

typedef enum {
  osThreadInactive = 0,
  osThreadReady = 1,
  osThreadRunning = 2,
  osThreadBlocked = 3,
  osThreadTerminated = 4,
  osThreadError = -1,
  osThreadReserved = INT32_MAX
} osThreadState_t;

/* Seven groups; but for the first and the last each has eight levels. */
#define CMSIS_OS2_GROUP(name, level)                                                                       \
  osPriority##name = level, osPriority##name##1 = (level) + 1, osPriority##name##2 = (level) + 2,          \
  osPriority##name##3 = (level) + 3, osPriority##name##4 = (level) + 4, osPriority##name##5 = (level) + 5, \
  osPriority##name##6 = (level) + 6, osPriority##name##7 = (level) + 7

typedef enum {
  osPriorityNone = 0,
  osPriorityIdle = 1,
  CMSIS_OS2_GROUP(Low, 8),
  CMSIS_OS2_GROUP(BelowNormal, 16),
  CMSIS_OS2_GROUP(Normal, 24),
  CMSIS_OS2_GROUP(AboveNormal, 32),
  CMSIS_OS2_GROUP(High, 40),
  CMSIS_OS2_GROUP(Realtime, 48),
  osPriorityISR = 56,
  osPriorityError = -1,
  osPriorityReserved = INT32_MAX
} osPriority_t;

typedef enum {
  osOK = 0,
  osError = -1,
  osErrorTimeout = -2,
  osErrorResource = -3,
  osErrorParameter = -4,
  osErrorNoMemory = -5,
  osErrorISR = -6,
  osErrorSafetyClass = -7,
  osStatusReserved = INT32_MAX
} osStatus_t;

typedef void (*osThreadFunc_t)(void *argument);
typedef void (*osTimerFunc_t)(void *argument);

typedef enum { osTimerOnce = 0, osTimerPeriodic = 1 } osTimerType_t;

#define osWaitForever UINT32_MAX

#define osFlagsWaitAny 0u
#define osFlagsWaitAll 1u
#define osFlagsNoClear 2u
#define osFlagsError (1u << 31)
#define osFlagsErrorUnknown ((uint32_t)osError)
#define osFlagsErrorTimeout ((uint32_t)osErrorTimeout)
#define osFlagsErrorResource ((uint32_t)osErrorResource)
#define osFlagsErrorParameter ((uint32_t)osErrorParameter)
#define osFlagsErrorISR ((uint32_t)osErrorISR)

#define osThreadDetached 0u
#define osThreadJoinable 1u
#define osThreadUnprivileged 2u /* makes no difference, as osThreadPrivileged */
#define osThreadPrivileged 4u

#define osMutexRecursive 1u
#define osMutexPrioInherit 2u
#define osMutexRobust 8u

#define osThreadProcessor(n) (1u << (n)) /* in an affinity mask */

typedef void *osThreadId_t;
typedef void *osTimerId_t;
typedef void *osEventFlagsId_t;
typedef void *osMutexId_t;
typedef void *osSemaphoreId_t;
typedef void *osMemoryPoolId_t;
typedef void *osMessageQueueId_t;
typedef uint32_t TZ_ModuleId_t;

/* cb_mem and cb_size of all attributes are ignored: control blocks are the runtime's. */

typedef struct {
  const char *name;
  uint32_t attr_bits;
  void *cb_mem;
  uint32_t cb_size;
  void *stack_mem;
  uint32_t stack_size;
  osPriority_t priority;
  TZ_ModuleId_t tz_module;
  uint32_t affinity_mask;
} osThreadAttr_t;

#define CMSIS_OS2_ATTRIBUTES \
  const char *name;          \
  uint32_t attr_bits;        \
  void *cb_mem;              \
  uint32_t cb_size

typedef struct {
  CMSIS_OS2_ATTRIBUTES;
} osTimerAttr_t;

typedef struct {
  CMSIS_OS2_ATTRIBUTES;
} osEventFlagsAttr_t;

typedef struct {
  CMSIS_OS2_ATTRIBUTES;
} osMutexAttr_t;

typedef struct {
  CMSIS_OS2_ATTRIBUTES;
} osSemaphoreAttr_t;

typedef struct {
  CMSIS_OS2_ATTRIBUTES;
  void *mp_mem;
  uint32_t mp_size;
} osMemoryPoolAttr_t;

typedef struct {
  CMSIS_OS2_ATTRIBUTES;
  void *mq_mem;
  uint32_t mq_size;
} osMessageQueueAttr_t;

/* --- functions. osErrorISR, or the like: not from a handler ---------------------------------------- */

osStatus_t osKernelInitialize(void);
osStatus_t osKernelGetInfo(osVersion_t *version, char *id_buf, uint32_t id_size);
osKernelState_t osKernelGetState(void);
osStatus_t osKernelStart(void);
int32_t osKernelLock(void); /* 1: it was locked by the caller, 0: not; or an osStatus_t */
int32_t osKernelUnlock(void);
int32_t osKernelRestoreLock(int32_t lock);
uint32_t osKernelSuspend(void); /* ticks until a timer goes off, osWaitForever: none runs */
void osKernelResume(uint32_t sleep_ticks);
uint32_t osKernelGetTickCount(void);
uint32_t osKernelGetTickFreq(void);
uint32_t osKernelGetSysTimerCount(void);
uint32_t osKernelGetSysTimerFreq(void);

osThreadId_t osThreadNew(osThreadFunc_t func, void *argument, const osThreadAttr_t *attr);
const char *osThreadGetName(osThreadId_t thread_id);
osThreadId_t osThreadGetId(void);
osThreadState_t osThreadGetState(osThreadId_t thread_id);
uint32_t osThreadGetStackSize(osThreadId_t thread_id);
uint32_t osThreadGetStackSpace(osThreadId_t thread_id); /* what is free now, not the least ever */
osStatus_t osThreadSetPriority(osThreadId_t thread_id, osPriority_t priority);
osPriority_t osThreadGetPriority(osThreadId_t thread_id);
osStatus_t osThreadYield(void);
osStatus_t osThreadSuspend(osThreadId_t thread_id);
osStatus_t osThreadResume(osThreadId_t thread_id);
osStatus_t osThreadDetach(osThreadId_t thread_id);
osStatus_t osThreadJoin(osThreadId_t thread_id);
__NO_RETURN void osThreadExit(void);
osStatus_t osThreadTerminate(osThreadId_t thread_id);
uint32_t osThreadGetCount(void);
uint32_t osThreadEnumerate(osThreadId_t *thread_array, uint32_t array_items);
osStatus_t osThreadSetAffinityMask(osThreadId_t thread_id, uint32_t affinity_mask);
uint32_t osThreadGetAffinityMask(osThreadId_t thread_id);

uint32_t osThreadFlagsSet(osThreadId_t thread_id, uint32_t flags);
uint32_t osThreadFlagsClear(uint32_t flags);
uint32_t osThreadFlagsGet(void);
uint32_t osThreadFlagsWait(uint32_t flags, uint32_t options, uint32_t timeout);

osStatus_t osDelay(uint32_t ticks);
osStatus_t osDelayUntil(uint32_t ticks);

osTimerId_t osTimerNew(osTimerFunc_t func, osTimerType_t type, void *argument, const osTimerAttr_t *attr);
const char *osTimerGetName(osTimerId_t timer_id);
osStatus_t osTimerStart(osTimerId_t timer_id, uint32_t ticks);
osStatus_t osTimerStop(osTimerId_t timer_id);
uint32_t osTimerIsRunning(osTimerId_t timer_id);
osStatus_t osTimerDelete(osTimerId_t timer_id);

osEventFlagsId_t osEventFlagsNew(const osEventFlagsAttr_t *attr);
const char *osEventFlagsGetName(osEventFlagsId_t ef_id);
uint32_t osEventFlagsSet(osEventFlagsId_t ef_id, uint32_t flags);
uint32_t osEventFlagsClear(osEventFlagsId_t ef_id, uint32_t flags);
uint32_t osEventFlagsGet(osEventFlagsId_t ef_id);
uint32_t osEventFlagsWait(osEventFlagsId_t ef_id, uint32_t flags, uint32_t options, uint32_t timeout);
osStatus_t osEventFlagsDelete(osEventFlagsId_t ef_id);

osMutexId_t osMutexNew(const osMutexAttr_t *attr);
const char *osMutexGetName(osMutexId_t mutex_id);
osStatus_t osMutexAcquire(osMutexId_t mutex_id, uint32_t timeout);
osStatus_t osMutexRelease(osMutexId_t mutex_id);
osThreadId_t osMutexGetOwner(osMutexId_t mutex_id);
osStatus_t osMutexDelete(osMutexId_t mutex_id);

osSemaphoreId_t osSemaphoreNew(uint32_t max_count, uint32_t initial_count, const osSemaphoreAttr_t *attr);
const char *osSemaphoreGetName(osSemaphoreId_t semaphore_id);
osStatus_t osSemaphoreAcquire(osSemaphoreId_t semaphore_id, uint32_t timeout);
osStatus_t osSemaphoreRelease(osSemaphoreId_t semaphore_id);
uint32_t osSemaphoreGetCount(osSemaphoreId_t semaphore_id);
osStatus_t osSemaphoreDelete(osSemaphoreId_t semaphore_id);

osMemoryPoolId_t osMemoryPoolNew(uint32_t block_count, uint32_t block_size, const osMemoryPoolAttr_t *attr);
const char *osMemoryPoolGetName(osMemoryPoolId_t mp_id);
void *osMemoryPoolAlloc(osMemoryPoolId_t mp_id, uint32_t timeout);
osStatus_t osMemoryPoolFree(osMemoryPoolId_t mp_id, void *block);
uint32_t osMemoryPoolGetCapacity(osMemoryPoolId_t mp_id);
uint32_t osMemoryPoolGetBlockSize(osMemoryPoolId_t mp_id);
uint32_t osMemoryPoolGetCount(osMemoryPoolId_t mp_id);
uint32_t osMemoryPoolGetSpace(osMemoryPoolId_t mp_id);
osStatus_t osMemoryPoolDelete(osMemoryPoolId_t mp_id);

osMessageQueueId_t osMessageQueueNew(uint32_t msg_count, uint32_t msg_size, const osMessageQueueAttr_t *attr);
const char *osMessageQueueGetName(osMessageQueueId_t mq_id);
osStatus_t osMessageQueuePut(osMessageQueueId_t mq_id, const void *msg_ptr, uint8_t msg_prio, uint32_t timeout);
osStatus_t osMessageQueueGet(osMessageQueueId_t mq_id, void *msg_ptr, uint8_t *msg_prio, uint32_t timeout);
uint32_t osMessageQueueGetCapacity(osMessageQueueId_t mq_id);
uint32_t osMessageQueueGetMsgSize(osMessageQueueId_t mq_id);
uint32_t osMessageQueueGetCount(osMessageQueueId_t mq_id);
uint32_t osMessageQueueGetSpace(osMessageQueueId_t mq_id);
osStatus_t osMessageQueueReset(osMessageQueueId_t mq_id);
osStatus_t osMessageQueueDelete(osMessageQueueId_t mq_id);

#ifdef __cplusplus
}
#endif

#endif
