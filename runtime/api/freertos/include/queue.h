/* SPDX-License-Identifier: Apache-2.0
 *
 * Queues and queue sets. A semaphore is a queue of items of no bytes (semphr.h). */
#ifndef QUEUE_H
#define QUEUE_H

#ifndef INC_FREERTOS_H
#error "include FreeRTOS.h before queue.h"
#endif

#include "task.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct QueueDefinition *QueueHandle_t;
typedef struct QueueDefinition *QueueSetHandle_t;
typedef struct QueueDefinition *QueueSetMemberHandle_t;

#define queueSEND_TO_BACK ((BaseType_t)0)
#define queueSEND_TO_FRONT ((BaseType_t)1)
#define queueOVERWRITE ((BaseType_t)2)

#define queueQUEUE_TYPE_BASE ((uint8_t)0)
#define queueQUEUE_TYPE_MUTEX ((uint8_t)1)
#define queueQUEUE_TYPE_COUNTING_SEMAPHORE ((uint8_t)2)
#define queueQUEUE_TYPE_BINARY_SEMAPHORE ((uint8_t)3)
#define queueQUEUE_TYPE_RECURSIVE_MUTEX ((uint8_t)4)
#define queueQUEUE_TYPE_SET ((uint8_t)5)

QueueHandle_t xQueueGenericCreate(UBaseType_t length, UBaseType_t item, uint8_t type);
QueueHandle_t xQueueGenericCreateStatic(UBaseType_t length, UBaseType_t item, uint8_t *storage, StaticQueue_t *memory,
                                        uint8_t type);
#define xQueueCreate(length, item) xQueueGenericCreate(length, item, queueQUEUE_TYPE_BASE)
#define xQueueCreateStatic(length, item, storage, memory) \
  xQueueGenericCreateStatic(length, item, storage, memory, queueQUEUE_TYPE_BASE)
BaseType_t xQueueGenericGetStaticBuffers(QueueHandle_t queue, uint8_t **storage, StaticQueue_t **memory);
#define xQueueGetStaticBuffers(queue, storage, memory) xQueueGenericGetStaticBuffers(queue, storage, memory)
void vQueueDelete(QueueHandle_t queue);
BaseType_t xQueueGenericReset(QueueHandle_t queue, BaseType_t is_new);
#define xQueueReset(queue) xQueueGenericReset(queue, pdFALSE)

BaseType_t xQueueGenericSend(QueueHandle_t queue, const void *item, TickType_t ticks, BaseType_t where);
BaseType_t xQueueGenericSendFromISR(QueueHandle_t queue, const void *item, BaseType_t *woken, BaseType_t where);
#define xQueueSend(queue, item, ticks) xQueueGenericSend(queue, item, ticks, queueSEND_TO_BACK)
#define xQueueSendToBack(queue, item, ticks) xQueueGenericSend(queue, item, ticks, queueSEND_TO_BACK)
#define xQueueSendToFront(queue, item, ticks) xQueueGenericSend(queue, item, ticks, queueSEND_TO_FRONT)
#define xQueueOverwrite(queue, item) xQueueGenericSend(queue, item, 0, queueOVERWRITE)
#define xQueueSendFromISR(queue, item, woken) xQueueGenericSendFromISR(queue, item, woken, queueSEND_TO_BACK)
#define xQueueSendToBackFromISR(queue, item, woken) xQueueGenericSendFromISR(queue, item, woken, queueSEND_TO_BACK)
#define xQueueSendToFrontFromISR(queue, item, woken) xQueueGenericSendFromISR(queue, item, woken, queueSEND_TO_FRONT)
#define xQueueOverwriteFromISR(queue, item, woken) xQueueGenericSendFromISR(queue, item, woken, queueOVERWRITE)

BaseType_t xQueueReceive(QueueHandle_t queue, void *item, TickType_t ticks);
BaseType_t xQueueReceiveFromISR(QueueHandle_t queue, void *item, BaseType_t *woken);
BaseType_t xQueuePeek(QueueHandle_t queue, void *item, TickType_t ticks);
BaseType_t xQueuePeekFromISR(QueueHandle_t queue, void *item);

UBaseType_t uxQueueMessagesWaiting(QueueHandle_t queue);
UBaseType_t uxQueueMessagesWaitingFromISR(QueueHandle_t queue);
UBaseType_t uxQueueSpacesAvailable(QueueHandle_t queue);
BaseType_t xQueueIsQueueEmptyFromISR(QueueHandle_t queue);
BaseType_t xQueueIsQueueFullFromISR(QueueHandle_t queue);
UBaseType_t uxQueueGetQueueItemSize(QueueHandle_t queue);
UBaseType_t uxQueueGetQueueLength(QueueHandle_t queue);
UBaseType_t uxQueueGetQueueNumber(QueueHandle_t queue);
void vQueueSetQueueNumber(QueueHandle_t queue, UBaseType_t number);
uint8_t ucQueueGetQueueType(QueueHandle_t queue);
void vQueueAddToRegistry(QueueHandle_t queue, const char *name);
void vQueueUnregisterQueue(QueueHandle_t queue);
const char *pcQueueGetName(QueueHandle_t queue);

QueueSetHandle_t xQueueCreateSet(UBaseType_t length);
QueueSetHandle_t xQueueCreateSetStatic(UBaseType_t length, uint8_t *storage, StaticQueue_t *memory);
BaseType_t xQueueAddToSet(QueueSetMemberHandle_t member, QueueSetHandle_t set);
BaseType_t xQueueRemoveFromSet(QueueSetMemberHandle_t member, QueueSetHandle_t set);
QueueSetMemberHandle_t xQueueSelectFromSet(QueueSetHandle_t set, TickType_t ticks);
QueueSetMemberHandle_t xQueueSelectFromSetFromISR(QueueSetHandle_t set);

/* --- of semphr.h --- */

QueueHandle_t xQueueCreateMutex(uint8_t type);
QueueHandle_t xQueueCreateMutexStatic(uint8_t type, StaticQueue_t *memory);
QueueHandle_t xQueueCreateCountingSemaphore(UBaseType_t most, UBaseType_t first);
QueueHandle_t xQueueCreateCountingSemaphoreStatic(UBaseType_t most, UBaseType_t first, StaticQueue_t *memory);
BaseType_t xQueueSemaphoreTake(QueueHandle_t queue, TickType_t ticks);
BaseType_t cl_frt_give(QueueHandle_t semaphore);
BaseType_t xQueueGiveFromISR(QueueHandle_t queue, BaseType_t *woken);
BaseType_t xQueueTakeMutexRecursive(QueueHandle_t mutex, TickType_t ticks);
BaseType_t xQueueGiveMutexRecursive(QueueHandle_t mutex);
TaskHandle_t xQueueGetMutexHolder(QueueHandle_t mutex);
TaskHandle_t xQueueGetMutexHolderFromISR(QueueHandle_t mutex);

#ifdef __cplusplus
}
#endif

#endif
