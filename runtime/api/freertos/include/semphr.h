/* SPDX-License-Identifier: Apache-2.0
 *
 * Semaphores and mutexes. */
#ifndef SEMAPHORE_H
#define SEMAPHORE_H

#ifndef INC_FREERTOS_H
#error "include FreeRTOS.h before semphr.h"
#endif

#include "queue.h"

typedef QueueHandle_t SemaphoreHandle_t;

#define semBINARY_SEMAPHORE_QUEUE_LENGTH ((uint8_t)1)
#define semSEMAPHORE_QUEUE_ITEM_LENGTH ((uint8_t)0)
#define semGIVE_BLOCK_TIME ((TickType_t)0)

#define xSemaphoreCreateBinary() xQueueGenericCreate(1, 0, queueQUEUE_TYPE_BINARY_SEMAPHORE)
#define xSemaphoreCreateBinaryStatic(memory) \
  xQueueGenericCreateStatic(1, 0, NULL, memory, queueQUEUE_TYPE_BINARY_SEMAPHORE)
#define vSemaphoreCreateBinary(semaphore)                     \
  do {                                                        \
    (semaphore) = xSemaphoreCreateBinary();                   \
    if ((semaphore) != NULL) (void)xSemaphoreGive(semaphore); \
  } while (0)
#define xSemaphoreCreateCounting(most, first) xQueueCreateCountingSemaphore(most, first)
#define xSemaphoreCreateCountingStatic(most, first, memory) xQueueCreateCountingSemaphoreStatic(most, first, memory)
#define xSemaphoreCreateMutex() xQueueCreateMutex(queueQUEUE_TYPE_MUTEX)
#define xSemaphoreCreateMutexStatic(memory) xQueueCreateMutexStatic(queueQUEUE_TYPE_MUTEX, memory)
#define xSemaphoreCreateRecursiveMutex() xQueueCreateMutex(queueQUEUE_TYPE_RECURSIVE_MUTEX)
#define xSemaphoreCreateRecursiveMutexStatic(memory) xQueueCreateMutexStatic(queueQUEUE_TYPE_RECURSIVE_MUTEX, memory)
#define vSemaphoreDelete(semaphore) vQueueDelete(semaphore)
#define xSemaphoreGetStaticBuffer(semaphore, memory) xQueueGenericGetStaticBuffers(semaphore, NULL, memory)

#define xSemaphoreTake(semaphore, ticks) xQueueSemaphoreTake(semaphore, ticks)
#define xSemaphoreTakeFromISR(semaphore, woken) xQueueReceiveFromISR(semaphore, NULL, woken)
#define xSemaphoreGive(semaphore) cl_frt_give(semaphore)
#define xSemaphoreGiveFromISR(semaphore, woken) xQueueGiveFromISR(semaphore, woken)
#define xSemaphoreTakeRecursive(mutex, ticks) xQueueTakeMutexRecursive(mutex, ticks)
#define xSemaphoreGiveRecursive(mutex) xQueueGiveMutexRecursive(mutex)
#define xSemaphoreGetMutexHolder(mutex) xQueueGetMutexHolder(mutex)
#define xSemaphoreGetMutexHolderFromISR(mutex) xQueueGetMutexHolderFromISR(mutex)
#define uxSemaphoreGetCount(semaphore) uxQueueMessagesWaiting(semaphore)
#define uxSemaphoreGetCountFromISR(semaphore) uxQueueMessagesWaitingFromISR(semaphore)

#endif
