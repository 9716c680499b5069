/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory pools and message queues. */
#include <string.h>

#include "os.h"

static inline uint32_t words(uint32_t bytes) { return (bytes + 3) & ~3u; }

/* Of so many blocks of so many bytes; 0: that does not fit. */
static size_t room(uint32_t blocks, uint32_t bytes) {
  uint64_t all = (uint64_t)blocks * bytes;
  return all && all <= INT32_MAX ? (size_t)all : 0;
}

/* --- pools ---------------------------------------------------------------------------------------- */

struct pool {
  struct os_object object;
  char *memory;
  uint32_t capacity, size, used, fresh; /* blocks that have never been used are behind `fresh` */
  void **free;
  struct cl_queue waiters;
  uint8_t is_given; /* the memory is the program's */
};

struct pool_waiter {
  struct cl_api_waiter is;
  void *block;
};

osMemoryPoolId_t osMemoryPoolNew(uint32_t block_count, uint32_t block_size, const osMemoryPoolAttr_t *attr) {
  size_t size = block_size > INT32_MAX ? 0 : room(block_count, words(block_size));
  void *given = attr ? attr->mp_mem : NULL;
  if (!size || cl_api_in_handler()) return NULL;
  void *memory = os_memory(given, given ? attr->mp_size : 0, size);
  struct pool *pool = memory ? os_new(OS_POOL, sizeof *pool, attr) : NULL;
  if (!pool) {
    if (!given) os_give_back(memory);
    return NULL;
  }
  pool->memory = memory;
  pool->is_given = given != NULL;
  pool->capacity = block_count;
  pool->size = words(block_size);
  return pool;
}

const char *osMemoryPoolGetName(osMemoryPoolId_t id) { return os_name(id, OS_POOL); }

void *osMemoryPoolAlloc(osMemoryPoolId_t id, uint32_t timeout) {
  struct pool *pool = id;
  struct pool_waiter me = {.block = NULL};
  if (CL_UNLIKELY(OS_WAITS(id, OS_POOL, timeout))) return NULL;
  cl_api_enter();
  if (pool->free) {
    me.block = pool->free;
    pool->free = *pool->free;
  } else if (pool->fresh < pool->capacity) {
    me.block = pool->memory + pool->fresh++ * pool->size;
  } else if (timeout && os_may_wait()) {
    cl_api_wait(&pool->waiters, &me.is, os_at(timeout), osErrorTimeout);
    return me.block;
  }
  pool->used += me.block != NULL;
  cl_api_leave_quietly();
  return me.block;
}

osStatus_t osMemoryPoolFree(osMemoryPoolId_t id, void *block) {
  struct pool *pool = id;
  if (CL_UNLIKELY(!os_is(id, OS_POOL))) return osErrorParameter;
  size_t offset = (size_t)((char *)block - pool->memory);
  if ((char *)block < pool->memory || offset >= pool->fresh * pool->size || offset % pool->size)
    return osErrorParameter;
  cl_api_enter();
  struct cl_api_waiter *first = cl_api_first(&pool->waiters);
  if (first) {
    ((struct pool_waiter *)first)->block = block;
    cl_api_wake(first, osOK);
    cl_api_leave();
    return osOK;
  }
  osStatus_t status = pool->used ? osOK : osErrorResource;
  if (!status) {
    *(void ***)block = pool->free;
    pool->free = block;
    pool->used--;
  }
  cl_api_leave_quietly();
  return status;
}

static struct pool *pool_of(osMemoryPoolId_t id) { return os_is(id, OS_POOL) ? id : NULL; }
uint32_t osMemoryPoolGetCapacity(osMemoryPoolId_t id) { return pool_of(id) ? pool_of(id)->capacity : 0; }
uint32_t osMemoryPoolGetBlockSize(osMemoryPoolId_t id) { return pool_of(id) ? pool_of(id)->size : 0; }
uint32_t osMemoryPoolGetCount(osMemoryPoolId_t id) { return pool_of(id) ? pool_of(id)->used : 0; }
uint32_t osMemoryPoolGetSpace(osMemoryPoolId_t id) {
  return pool_of(id) ? pool_of(id)->capacity - pool_of(id)->used : 0;
}

osStatus_t osMemoryPoolDelete(osMemoryPoolId_t id) {
  struct pool *pool = id;
  void *memory = os_is(id, OS_POOL) && !pool->is_given ? pool->memory : NULL;
  osStatus_t status = os_delete(id, OS_POOL, &pool->waiters, NULL);
  if (!status) os_give_back(memory);
  return status;
}

/* --- message queues ------------------------------------------------------------------------------- */

struct message {
  struct message *next;
  uint32_t priority;
  uint32_t data[];
};

struct queue {
  struct os_object object;
  char *memory;
  uint32_t capacity, size, count, fresh;
  struct message *first, *last, *free;
  struct cl_queue senders, receivers;
  uint8_t is_given;
};

struct queue_waiter {
  struct cl_api_waiter is;
  const void *sent;
  void *received;
  uint32_t priority;
};

static inline uint32_t slot(const struct queue *queue) { return (uint32_t)sizeof(struct message) + words(queue->size); }

osMessageQueueId_t osMessageQueueNew(uint32_t msg_count, uint32_t msg_size, const osMessageQueueAttr_t *attr) {
  if (!msg_size || msg_size > INT16_MAX || cl_api_in_handler()) return NULL;
  size_t size = room(msg_count, (uint32_t)sizeof(struct message) + words(msg_size));
  void *given = attr ? attr->mq_mem : NULL;
  /* What the program gives is for the data; the runtime's own is for what it adds to each message. */
  if (!size || (given && !os_memory(given, attr->mq_size, room(msg_count, words(msg_size))))) return NULL;
  if (given && attr->mq_size < size) given = NULL;
  void *memory = os_memory(given, given ? attr->mq_size : 0, size);
  struct queue *queue = memory ? os_new(OS_QUEUE, sizeof *queue, attr) : NULL;
  if (!queue) {
    if (!given) os_give_back(memory);
    return NULL;
  }
  queue->memory = memory;
  queue->is_given = given != NULL;
  queue->capacity = msg_count;
  queue->size = msg_size;
  return queue;
}

const char *osMessageQueueGetName(osMessageQueueId_t id) { return os_name(id, OS_QUEUE); }

/* A call of memcpy costs more than a word. */
static inline void copy(const struct queue *queue, void *to, const void *from) {
  if (queue->size == 4 && !(((uintptr_t)to | (uintptr_t)from) & 3)) *(uint32_t *)to = *(const uint32_t *)from;
  else memcpy(to, from, queue->size);
}

/* There is room: behind those of its priority, before those of lower ones. */
static void put(struct queue *queue, const void *data, uint32_t priority) {
  struct message *message = queue->free;
  if (message) queue->free = message->next;
  else message = (struct message *)(queue->memory + queue->fresh++ * slot(queue));
  message->priority = priority;
  copy(queue, message->data, data);
  struct message **link = &queue->first;
  if (queue->first && queue->last->priority >= priority) link = &queue->last->next;
  else
    while (*link && (*link)->priority >= priority) link = &(*link)->next;
  message->next = *link;
  if (!message->next) queue->last = message;
  *link = message;
  queue->count++;
}

static uint32_t get(struct queue *queue, void *data) {
  struct message *message = queue->first;
  uint32_t priority = message->priority;
  copy(queue, data, message->data);
  queue->first = message->next;
  message->next = queue->free;
  queue->free = message;
  queue->count--;
  return priority;
}

osStatus_t osMessageQueuePut(osMessageQueueId_t id, const void *msg_ptr, uint8_t msg_prio, uint32_t timeout) {
  struct queue *queue = id;
  if (CL_UNLIKELY(OS_WAITS(id, OS_QUEUE, timeout) || !msg_ptr)) return osErrorParameter;
  cl_api_enter();
  struct queue_waiter *receiver = (struct queue_waiter *)cl_api_first(&queue->receivers);
  if (receiver) {
    copy(queue, receiver->received, msg_ptr);
    receiver->priority = msg_prio;
    cl_api_wake(&receiver->is, osOK);
    cl_api_leave();
    return osOK;
  }
  if (CL_LIKELY(queue->count < queue->capacity)) {
    put(queue, msg_ptr, msg_prio);
    cl_api_leave_quietly();
    return osOK;
  }
  struct queue_waiter me = {.sent = msg_ptr, .priority = msg_prio};
  if (timeout && os_may_wait()) return (osStatus_t)cl_api_wait(&queue->senders, &me.is, os_at(timeout), osErrorTimeout);
  cl_api_leave_quietly();
  return timeout ? osErrorTimeout : osErrorResource;
}

/* With the lock, which it releases: senders put what there is room for. */
static void let_send(struct queue *queue) {
  struct queue_waiter *sender = (struct queue_waiter *)cl_api_first(&queue->senders);
  if (CL_LIKELY(!sender)) {
    cl_api_leave_quietly();
    return;
  }
  while (sender && queue->count < queue->capacity) {
    put(queue, sender->sent, sender->priority);
    cl_api_wake(&sender->is, osOK);
    sender = (struct queue_waiter *)cl_api_first(&queue->senders);
  }
  cl_api_leave();
}

osStatus_t osMessageQueueGet(osMessageQueueId_t id, void *msg_ptr, uint8_t *msg_prio, uint32_t timeout) {
  struct queue *queue = id;
  if (CL_UNLIKELY(OS_WAITS(id, OS_QUEUE, timeout) || !msg_ptr)) return osErrorParameter;
  cl_api_enter();
  if (CL_LIKELY(queue->count)) {
    uint32_t priority = get(queue, msg_ptr);
    let_send(queue);
    if (msg_prio) *msg_prio = (uint8_t)priority;
    return osOK;
  }
  struct queue_waiter me = {.received = msg_ptr};
  if (timeout && os_may_wait()) {
    osStatus_t status = (osStatus_t)cl_api_wait(&queue->receivers, &me.is, os_at(timeout), osErrorTimeout);
    if (!status && msg_prio) *msg_prio = (uint8_t)me.priority;
    return status;
  }
  cl_api_leave_quietly();
  return timeout ? osErrorTimeout : osErrorResource;
}

static struct queue *queue_of(osMessageQueueId_t id) { return os_is(id, OS_QUEUE) ? id : NULL; }
uint32_t osMessageQueueGetCapacity(osMessageQueueId_t id) { return queue_of(id) ? queue_of(id)->capacity : 0; }
uint32_t osMessageQueueGetMsgSize(osMessageQueueId_t id) { return queue_of(id) ? queue_of(id)->size : 0; }
uint32_t osMessageQueueGetCount(osMessageQueueId_t id) { return queue_of(id) ? queue_of(id)->count : 0; }
uint32_t osMessageQueueGetSpace(osMessageQueueId_t id) {
  return queue_of(id) ? queue_of(id)->capacity - queue_of(id)->count : 0;
}

osStatus_t osMessageQueueReset(osMessageQueueId_t id) {
  struct queue *queue = id;
  if (cl_api_in_handler()) return osErrorISR;
  if (!os_is(id, OS_QUEUE)) return osErrorParameter;
  cl_api_enter();
  queue->first = queue->last = queue->free = NULL;
  queue->count = queue->fresh = 0;
  let_send(queue);
  return osOK;
}

osStatus_t osMessageQueueDelete(osMessageQueueId_t id) {
  struct queue *queue = id;
  void *memory = os_is(id, OS_QUEUE) && !queue->is_given ? queue->memory : NULL;
  osStatus_t status = os_delete(id, OS_QUEUE, &queue->senders, &queue->receivers);
  if (!status) os_give_back(memory);
  return status;
}
