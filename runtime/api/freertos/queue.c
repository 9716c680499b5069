/* SPDX-License-Identifier: Apache-2.0
 *
 * Queues, and what is one: semaphores, mutexes, queue sets. A woken task looks again whether there is something for it,
 * as another may have been faster. */
#include "layer.h"

#include <string.h>

#include "queue.h"

typedef uint32_t __attribute__((may_alias)) word;

CL_INLINE void copy_words(void *to, const void *from, UBaseType_t bytes) {
  word *at = to;
  const word *source = from, *end = source + bytes / sizeof(word);
#pragma clang loop unroll(disable)
  do *at++ = *source++;
  while (source < end);
}

/* Items are mostly a few words. */
static inline int are_words(const void *to, const void *from, UBaseType_t bytes) {
  return !(((uintptr_t)to | (uintptr_t)from | bytes) % sizeof(word)) && bytes && bytes <= 8 * sizeof(word);
}
CL_INLINE void copy(void *to, const void *from, UBaseType_t bytes) {
  if (CL_LIKELY(are_words(to, from, bytes))) copy_words(to, from, bytes);
  else memcpy(to, from, bytes);
}

static inline int is_mutex(const StaticQueue_t *queue) {
  return queue->cl_type == queueQUEUE_TYPE_MUTEX || queue->cl_type == queueQUEUE_TYPE_RECURSIVE_MUTEX;
}

/* cl_kind, of what is in no set: a semaphore or a mutex is no more than its count and its holder; the items of WORDS are
 * a few whole words. */
enum { ANY, COUNTER, MUTEX, WORDS };
static inline uint8_t kind_of(const StaticQueue_t *queue) {
  if (queue->cl_set) return ANY;
  if (queue->cl_item) return are_words(queue->cl_items, NULL, queue->cl_item) ? WORDS : ANY;
  return is_mutex(queue) ? MUTEX : COUNTER;
}

/* --- creation --- */

static QueueHandle_t prepare(StaticQueue_t *queue, UBaseType_t length, UBaseType_t item, uint8_t *items, uint8_t type,
                             int is_static) {
  *queue = (StaticQueue_t){.cl_items = items, .cl_length = length, .cl_item = item, .cl_type = type};
  queue->cl_read = queue->cl_write = items;
  queue->cl_end = items + length * item;
  queue->cl_static = (uint8_t)is_static;
  queue->cl_kind = kind_of(queue);
  return queue;
}

QueueHandle_t xQueueGenericCreate(UBaseType_t length, UBaseType_t item, uint8_t type) {
  configASSERT(length);
  if (!length || (item && length > (SIZE_MAX - sizeof(StaticQueue_t)) / item)) return NULL;
  StaticQueue_t *queue = pvPortMalloc(sizeof *queue + (size_t)length * item);
  return queue ? prepare(queue, length, item, (uint8_t *)(queue + 1), type, 0) : NULL;
}

QueueHandle_t xQueueGenericCreateStatic(UBaseType_t length, UBaseType_t item, uint8_t *storage, StaticQueue_t *memory,
                                        uint8_t type) {
  configASSERT(length && memory && (storage != NULL) == (item != 0));
  return memory && length ? prepare(memory, length, item, storage, type, 1) : NULL;
}

BaseType_t xQueueGenericGetStaticBuffers(QueueHandle_t queue, uint8_t **storage, StaticQueue_t **memory) {
  if (!queue->cl_static) return pdFALSE;
  if (storage) *storage = queue->cl_items;
  *memory = queue;
  return pdTRUE;
}

void vQueueDelete(QueueHandle_t queue) {
  configASSERT(queue);
  if (!queue->cl_static) vPortFree(queue);
}

static QueueHandle_t filled(QueueHandle_t queue, UBaseType_t units) {
  if (queue) queue->cl_count = units;
  return queue;
}

QueueHandle_t xQueueCreateMutex(uint8_t type) { return filled(xQueueGenericCreate(1, 0, type), 1); }
QueueHandle_t xQueueCreateMutexStatic(uint8_t type, StaticQueue_t *memory) {
  return filled(xQueueGenericCreateStatic(1, 0, NULL, memory, type), 1);
}
QueueHandle_t xQueueCreateCountingSemaphore(UBaseType_t most, UBaseType_t first) {
  configASSERT(most && first <= most);
  return first <= most ? filled(xQueueGenericCreate(most, 0, queueQUEUE_TYPE_COUNTING_SEMAPHORE), first) : NULL;
}
QueueHandle_t xQueueCreateCountingSemaphoreStatic(UBaseType_t most, UBaseType_t first, StaticQueue_t *memory) {
  configASSERT(most && first <= most);
  if (first > most) return NULL;
  return filled(xQueueGenericCreateStatic(most, 0, NULL, memory, queueQUEUE_TYPE_COUNTING_SEMAPHORE), first);
}

BaseType_t xQueueGenericReset(QueueHandle_t queue, BaseType_t is_new) {
  configASSERT(queue);
  cl_frt_enter();
  queue->cl_count = 0;
  queue->cl_read = queue->cl_write = queue->cl_items;
  if (!is_new) cl_frt_wake(&queue->cl_senders, NULL);
  cl_frt_leave();
  return pdPASS;
}

/* --- one item in or out, with the lock --- */

static CL_COLD void put_in_set(QueueHandle_t queue, QueueSetHandle_t set, BaseType_t *woken);

CL_APART void give_mutex(QueueHandle_t mutex) {
  cl_frt_disinherit(mutex->cl_holder);
  mutex->cl_holder = NULL;
}
CL_APART void take_mutex(QueueHandle_t mutex) {
  TaskHandle_t self = cl_frt_self();
  mutex->cl_holder = self;
  if (self) self->cl_held++;
}

/* Where the item behind this one is. */
CL_INLINE uint8_t *behind(const StaticQueue_t *queue, uint8_t *at) {
  at += queue->cl_item;
  return at == queue->cl_end ? queue->cl_items : at;
}

CL_INLINE void put(QueueHandle_t queue, const void *item, BaseType_t where, BaseType_t *woken) {
  if (queue->cl_kind == COUNTER) {
    queue->cl_count++;
    cl_frt_wake(&queue->cl_receivers, woken);
    return;
  }
  QueueSetHandle_t set = queue->cl_set;
  UBaseType_t before = queue->cl_count;
  uint8_t *to = queue->cl_write;
  if (where == queueOVERWRITE && before) {
    to = queue->cl_read;
    before--;
  } else if (where == queueSEND_TO_FRONT && queue->cl_item) {
    to = queue->cl_read = (queue->cl_read == queue->cl_items ? queue->cl_end : queue->cl_read) - queue->cl_item;
  } else {
    queue->cl_write = behind(queue, to);
  }
  if (queue->cl_item) copy(to, item, queue->cl_item);
  if (CL_UNLIKELY(is_mutex(queue))) give_mutex(queue);
  int is_more = before == queue->cl_count;
  queue->cl_count = before + 1;
  if (CL_LIKELY(!set)) cl_frt_wake(&queue->cl_receivers, woken);
  else if (is_more) put_in_set(queue, set, woken);
}

static CL_COLD void put_in_set(QueueHandle_t queue, QueueSetHandle_t set, BaseType_t *woken) {
  configASSERT(set->cl_count < set->cl_length);
  if (set->cl_count < set->cl_length) put(set, &queue, queueSEND_TO_BACK, woken);
}

CL_INLINE void take(QueueHandle_t queue, void *item, BaseType_t *woken) {
  if (queue->cl_item) {
    if (item) copy(item, queue->cl_read, queue->cl_item);
    queue->cl_read = behind(queue, queue->cl_read);
  }
  queue->cl_count--;
  if (is_mutex(queue)) take_mutex(queue);
  cl_frt_wake(&queue->cl_senders, woken);
}

/* The task that holds a mutex has the highest priority of those that wait for it. */
static void gave_up(QueueHandle_t mutex) {
  const struct cl_waiter *best = cl_queue_checked(&mutex->cl_receivers, mutex->cl_receivers.first);
  cl_frt_disinherit_to(mutex->cl_holder, best ? best->priority : 0);
}

static inline int is_ready(const StaticQueue_t *queue, int for_room) {
  return for_room ? queue->cl_count < queue->cl_length : queue->cl_count != 0;
}

CL_APART BaseType_t wait_for(QueueHandle_t queue, int for_room, TickType_t ticks) {
  struct cl_queue *const waiters = for_room ? &queue->cl_senders : &queue->cl_receivers;
  uint64_t at = cl_frt_until(ticks);
  while (!is_ready(queue, for_room)) {
    if (!ticks) return pdFALSE;
    if (!for_room && is_mutex(queue)) cl_frt_inherit(queue->cl_holder);
    if (!cl_frt_wait(waiters, NULL, at)) continue;
    ticks = 0;
    if (!for_room && is_mutex(queue) && !queue->cl_count) gave_up(queue);
  }
  return pdTRUE;
}

/* The same without a limit, and of no mutex. */
static BaseType_t wait_long(QueueHandle_t queue, int for_room) {
  while (!is_ready(queue, for_room)) {
    if (cl_frt_wait_long(for_room ? &queue->cl_senders : &queue->cl_receivers)) return is_ready(queue, for_room);
  }
  return pdTRUE;
}

/* Waits for room, or for an item. A unit of a semaphore that is taken later wakes who waits to give one, too. */
CL_APART BaseType_t when(QueueHandle_t queue, int for_room, TickType_t ticks) {
  if (for_room && queue->cl_kind != WORDS) queue->cl_kind = ANY;
  if (INCLUDE_vTaskSuspend && ticks == portMAX_DELAY && (for_room || !is_mutex(queue)))
    return wait_long(queue, for_room);
  return wait_for(queue, for_room, ticks);
}

/* --- for tasks: what need not wait enters the critical section as a leaf --- */

CL_APART BaseType_t wake_first(struct cl_queue *waiters) {
  cl_frt_wake_first(waiters);
  cl_frt_leave_leaf();
  return pdTRUE;
}

CL_APART BaseType_t send_any(QueueHandle_t queue, const void *item, TickType_t ticks, BaseType_t where) {
  configASSERT(!queue->cl_holder || queue->cl_holder == cl_frt_self());
  if (CL_UNLIKELY(!is_ready(queue, 1)) && where != queueOVERWRITE) {
    cl_frt_stay();
    BaseType_t fits = ticks && when(queue, 1, ticks);
    if (fits) put(queue, item, where, NULL);
    cl_frt_leave();
    return fits;
  }
  put(queue, item, where, NULL);
  cl_frt_leave_leaf();
  return pdTRUE;
}

BaseType_t xQueueGenericSend(QueueHandle_t queue, const void *item, TickType_t ticks, BaseType_t where) {
  configASSERT(queue && (item || !queue->cl_item));
  configASSERT(where != queueOVERWRITE || queue->cl_length == 1);
  cl_trace_call();
  cl_frt_enter_leaf();
  UBaseType_t count = queue->cl_count;
  if (CL_UNLIKELY(queue->cl_kind != WORDS || where != queueSEND_TO_BACK || count == queue->cl_length) ||
      CL_UNLIKELY((uintptr_t)item % sizeof(word)))
    return send_any(queue, item, ticks, where);
  uint8_t *to = queue->cl_write;
  queue->cl_count = count + 1;
  queue->cl_write = behind(queue, to);
  copy_words(to, item, queue->cl_item);
  if (CL_UNLIKELY(queue->cl_receivers.first != NULL)) return wake_first(&queue->cl_receivers);
  cl_frt_leave_leaf_quietly();
  return pdTRUE;
}

CL_APART BaseType_t receive_later(QueueHandle_t queue, void *item, TickType_t ticks) {
  cl_frt_stay();
  BaseType_t is_there = ticks && when(queue, 0, ticks);
  if (is_there) take(queue, item, NULL);
  cl_frt_leave();
  return is_there;
}

CL_APART BaseType_t take_any(QueueHandle_t queue, void *item) {
  take(queue, item, NULL);
  cl_frt_leave_leaf();
  return pdTRUE;
}

BaseType_t xQueueReceive(QueueHandle_t queue, void *item, TickType_t ticks) {
  configASSERT(queue && (item || !queue->cl_item));
  cl_trace_call();
  cl_frt_enter_leaf();
  UBaseType_t count = queue->cl_count;
  if (CL_UNLIKELY(!count)) return receive_later(queue, item, ticks);
  if (CL_UNLIKELY(queue->cl_kind != WORDS) || CL_UNLIKELY((uintptr_t)item % sizeof(word))) return take_any(queue, item);
  uint8_t *from = queue->cl_read;
  queue->cl_count = count - 1;
  queue->cl_read = behind(queue, from);
  copy_words(item, from, queue->cl_item);
  if (CL_UNLIKELY(queue->cl_senders.first != NULL)) return wake_first(&queue->cl_senders);
  cl_frt_leave_leaf_quietly();
  return pdTRUE;
}

/* A count, without a limit. */
CL_APART BaseType_t await_unit(QueueHandle_t semaphore) {
  cl_frt_stay();
  BaseType_t is_there;
  do is_there = !cl_frt_wait_long(&semaphore->cl_receivers) || semaphore->cl_count;
  while (is_there && !semaphore->cl_count);
  if (is_there) semaphore->cl_count--;
  cl_frt_leave();
  return is_there;
}

BaseType_t xQueueSemaphoreTake(QueueHandle_t semaphore, TickType_t ticks) {
  configASSERT(semaphore && !semaphore->cl_item);
  cl_trace_call();
  cl_frt_enter_leaf();
  uint8_t kind = semaphore->cl_kind;
  if (CL_UNLIKELY(!semaphore->cl_count)) {
    if (kind == COUNTER && INCLUDE_vTaskSuspend && ticks == portMAX_DELAY) return await_unit(semaphore);
    return receive_later(semaphore, NULL, ticks);
  }
  if (CL_UNLIKELY(kind == ANY)) return take_any(semaphore, NULL);
  semaphore->cl_count--;
  if (kind == MUTEX) {
    TaskHandle_t self = cl_frt_self();
    semaphore->cl_holder = self;
    if (self) self->cl_held++;
  }
  cl_frt_leave_leaf_quietly();
  return pdTRUE;
}

CL_APART BaseType_t give_any(QueueHandle_t semaphore) {
  configASSERT(!semaphore->cl_holder || semaphore->cl_holder == cl_frt_self());
  BaseType_t fits = is_ready(semaphore, 1);
  if (fits) put(semaphore, NULL, queueSEND_TO_BACK, NULL);
  cl_frt_leave_leaf();
  return fits;
}

BaseType_t cl_frt_give(QueueHandle_t semaphore) {
  configASSERT(semaphore && !semaphore->cl_item);
  cl_trace_call();
  cl_frt_enter_leaf();
  if (CL_UNLIKELY(!is_ready(semaphore, 1))) return give_any(semaphore);
  if (semaphore->cl_kind != COUNTER) {
    TaskHandle_t holder = semaphore->cl_holder;
    if (semaphore->cl_kind == ANY || holder != cl_frt_self() || !holder || holder->cl_priority != holder->cl_base)
      return give_any(semaphore);
    holder->cl_held--;
    semaphore->cl_holder = NULL;
  }
  semaphore->cl_count++;
  if (CL_UNLIKELY(semaphore->cl_receivers.first != NULL)) return wake_first(&semaphore->cl_receivers);
  cl_frt_leave_leaf_quietly();
  return pdTRUE;
}

BaseType_t xQueuePeek(QueueHandle_t queue, void *item, TickType_t ticks) {
  configASSERT(queue && (item || !queue->cl_item));
  cl_trace_call();
  cl_frt_enter();
  BaseType_t is_there = is_ready(queue, 0) || (ticks && when(queue, 0, ticks));
  if (is_there) {
    copy(item, queue->cl_read, queue->cl_item);
    cl_frt_wake(&queue->cl_receivers, NULL); /* it is there for others, too */
  }
  cl_frt_leave();
  return is_there;
}

BaseType_t xQueueTakeMutexRecursive(QueueHandle_t mutex, TickType_t ticks) {
  configASSERT(mutex);
  if (mutex->cl_holder != cl_frt_self() && !xQueueSemaphoreTake(mutex, ticks)) return pdFAIL;
  mutex->cl_depth++;
  return pdPASS;
}

BaseType_t xQueueGiveMutexRecursive(QueueHandle_t mutex) {
  configASSERT(mutex);
  if (mutex->cl_holder != cl_frt_self()) return pdFAIL;
  if (!--mutex->cl_depth) cl_frt_give(mutex);
  return pdPASS;
}

TaskHandle_t xQueueGetMutexHolder(QueueHandle_t mutex) { return is_mutex(mutex) ? mutex->cl_holder : NULL; }
TaskHandle_t xQueueGetMutexHolderFromISR(QueueHandle_t mutex) { return xQueueGetMutexHolder(mutex); }

/* --- for interrupts --- */

BaseType_t xQueueGenericSendFromISR(QueueHandle_t queue, const void *item, BaseType_t *woken, BaseType_t where) {
  configASSERT(queue && (item || !queue->cl_item));
  cl_frt_enter();
  BaseType_t fits = where == queueOVERWRITE || queue->cl_count < queue->cl_length;
  if (fits) put(queue, item, where, woken);
  cl_frt_leave();
  return fits;
}

BaseType_t xQueueGiveFromISR(QueueHandle_t queue, BaseType_t *woken) {
  return xQueueGenericSendFromISR(queue, NULL, woken, queueSEND_TO_BACK);
}

BaseType_t xQueueReceiveFromISR(QueueHandle_t queue, void *item, BaseType_t *woken) {
  configASSERT(queue && (item || !queue->cl_item));
  cl_frt_enter();
  BaseType_t is_there = queue->cl_count > 0;
  if (is_there) take(queue, item, woken);
  cl_frt_leave();
  return is_there;
}

BaseType_t xQueuePeekFromISR(QueueHandle_t queue, void *item) {
  cl_frt_enter();
  BaseType_t is_there = queue->cl_count > 0;
  if (is_there) copy(item, queue->cl_read, queue->cl_item);
  cl_frt_leave();
  return is_there;
}

/* --- what there is to know --- */

UBaseType_t uxQueueMessagesWaiting(QueueHandle_t queue) { return *(volatile UBaseType_t *)&queue->cl_count; }
UBaseType_t uxQueueMessagesWaitingFromISR(QueueHandle_t queue) { return uxQueueMessagesWaiting(queue); }
UBaseType_t uxQueueSpacesAvailable(QueueHandle_t queue) { return queue->cl_length - uxQueueMessagesWaiting(queue); }
BaseType_t xQueueIsQueueEmptyFromISR(QueueHandle_t queue) { return !uxQueueMessagesWaiting(queue); }
BaseType_t xQueueIsQueueFullFromISR(QueueHandle_t queue) { return !uxQueueSpacesAvailable(queue); }
UBaseType_t uxQueueGetQueueItemSize(QueueHandle_t queue) { return queue->cl_item; }
UBaseType_t uxQueueGetQueueLength(QueueHandle_t queue) { return queue->cl_length; }
UBaseType_t uxQueueGetQueueNumber(QueueHandle_t queue) { return queue->cl_number; }
void vQueueSetQueueNumber(QueueHandle_t queue, UBaseType_t number) { queue->cl_number = number; }
uint8_t ucQueueGetQueueType(QueueHandle_t queue) { return queue->cl_type; }
void vQueueAddToRegistry(QueueHandle_t queue, const char *name) { queue->cl_name = name; }
void vQueueUnregisterQueue(QueueHandle_t queue) { queue->cl_name = NULL; }
const char *pcQueueGetName(QueueHandle_t queue) { return queue->cl_name; }

/* --- sets: queues of the handles of members that have an item --- */

QueueSetHandle_t xQueueCreateSet(UBaseType_t length) {
  return xQueueGenericCreate(length, sizeof(QueueHandle_t), queueQUEUE_TYPE_SET);
}
QueueSetHandle_t xQueueCreateSetStatic(UBaseType_t length, uint8_t *storage, StaticQueue_t *memory) {
  return xQueueGenericCreateStatic(length, sizeof(QueueHandle_t), storage, memory, queueQUEUE_TYPE_SET);
}

BaseType_t xQueueAddToSet(QueueSetMemberHandle_t member, QueueSetHandle_t set) {
  cl_frt_enter();
  BaseType_t can = !member->cl_set && !member->cl_count;
  if (can) {
    member->cl_set = set;
    member->cl_kind = ANY;
  }
  cl_frt_leave();
  return can;
}

BaseType_t xQueueRemoveFromSet(QueueSetMemberHandle_t member, QueueSetHandle_t set) {
  cl_frt_enter();
  BaseType_t can = member->cl_set == set && !member->cl_count;
  if (can) {
    member->cl_set = NULL;
    member->cl_kind = kind_of(member);
  }
  cl_frt_leave();
  return can;
}

QueueSetMemberHandle_t xQueueSelectFromSet(QueueSetHandle_t set, TickType_t ticks) {
  QueueSetMemberHandle_t member = NULL;
  return xQueueReceive(set, &member, ticks) ? member : NULL;
}

QueueSetMemberHandle_t xQueueSelectFromSetFromISR(QueueSetHandle_t set) {
  QueueSetMemberHandle_t member = NULL;
  return xQueueReceiveFromISR(set, &member, NULL) ? member : NULL;
}
