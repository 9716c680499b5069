/* SPDX-License-Identifier: Apache-2.0
 *
 * Message queues. A queue has a fixed number of slots; a sender takes a free one, fills it and gives it to the receiver
 * that waits or to the list of messages; a receiver the other way round. So a message is copied without a lock, and a
 * woken thread has its slot. */
#include <mqueue.h>

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "../posix/cancel.h"
#include "../posix/clock.h"
#include "../posix/names.h"
#include "../posix/notify.h"
#include "cl_end.h"

#define FIRST 3 /* descriptor: below are those of the console */

/* The slots are between blocks of the program's, so each says in which list it is, and a list how many it has. */
struct slots {
  struct slot *first;
  long count;
};

struct slot {
  struct slot *next;
  const struct slots *list; /* NULL: a call has the slot */
  size_t length;
  unsigned priority;
  char text[];
};

struct queue {
  struct cl_named named; /* the first; the slots are between the queue and its name */
  unsigned uses;         /* its name, descriptors, and calls */
  long slots;
  long size; /* of a slot's text */
  struct slots free;
  struct slots messages; /* by priority, then by arrival */
  struct cl_queue senders, receivers;
  mqd_t notifies; /* by which descriptor somebody wants to be notified, 0: nobody */
  struct cl_notice notice;
};

/* The list of names is under `opening`; the rest under the back end's lock. */
static pthread_mutex_t opening = PTHREAD_MUTEX_INITIALIZER;
static struct cl_names queues;
static struct descriptor {
  struct queue *queue; /* NULL: it is free */
  int flags;
} descriptors[MQ_OPEN_MAX];

/* --- slots --- */

/* A slot that is in the list. */
static struct slot *checked(const struct queue *queue, const struct slots *list, struct slot *slot) {
  const uintptr_t from = (uintptr_t)(queue + 1), at = (uintptr_t)slot;
  if (CL_UNLIKELY(at % sizeof(uint32_t) || at < from || at >= (uintptr_t)queue->named.name || slot->list != list)) {
    cl_broken("the list of a message queue's slots", queue);
  }
  return slot;
}

static void put(struct slots *list, struct slot **link, struct slot *slot) {
  slot->next = *link;
  slot->list = list;
  *link = slot;
  list->count++;
}

/* The first; NULL: there is none. */
static struct slot *pop(const struct queue *queue, struct slots *list) {
  if (!list->count) return NULL;
  struct slot *first = checked(queue, list, list->first);
  list->first = first->next;
  list->count--;
  first->list = NULL;
  return first;
}

/* --- descriptors --- */

/* NULL, and unlocked: no descriptor for `access`. Else the lock is held and the queue stays until end(). */
static struct descriptor *begin(mqd_t number, int access) {
  if (number < FIRST || number >= FIRST + MQ_OPEN_MAX) return NULL;
  struct descriptor *found = &descriptors[number - FIRST];
  cl_backend_lock();
  int mode = found->flags & O_ACCMODE;
  if (found->queue && (access == O_RDWR || mode == O_RDWR || mode == access)) {
    found->queue->uses++;
    return found;
  }
  cl_backend_unlock();
  return NULL;
}

/* With the lock, which is released. */
static void end(struct queue *queue) {
  int last = !--queue->uses;
  cl_backend_unlock();
  if (last) free(queue);
}

static mqd_t describe(struct queue *queue, int flags) {
  cl_backend_lock();
  for (int i = 0; i < MQ_OPEN_MAX; i++) {
    if (descriptors[i].queue) continue;
    descriptors[i] = (struct descriptor){queue, flags};
    queue->uses++;
    cl_backend_unlock();
    return FIRST + i;
  }
  cl_backend_unlock();
  return cl_fail(EMFILE);
}

/* --- names --- */

/* The name is its only use. NULL: no room. */
static struct queue *make(const char *name, long slots, long size) {
  size_t each, bytes, length = strlen(name) + 1;
  if (__builtin_add_overflow((size_t)size, sizeof(struct slot) + 3, &each)) return NULL;
  each &= ~(size_t)3;
  if (__builtin_mul_overflow((size_t)slots, each, &bytes)) return NULL;
  if (__builtin_add_overflow(bytes, sizeof(struct queue) + length, &bytes)) return NULL;
  struct queue *queue = malloc(bytes);
  if (!queue) return NULL;
  *queue = (struct queue){.uses = 1, .slots = slots, .size = size};
  char *place = (char *)(queue + 1);
  for (long i = 0; i < slots; i++, place += each) put(&queue->free, &queue->free.first, (struct slot *)place);
  queue->named.name = memcpy(place, name, length);
  return queue;
}

static mqd_t open_named(const char *name, int flags, const struct mq_attr *attr) {
  struct cl_named **place = cl_name_find(&queues, name);
  if (*place && flags & O_CREAT && flags & O_EXCL) return cl_fail(EEXIST);
  if (*place) return describe((struct queue *)*place, flags);
  if (!(flags & O_CREAT)) return cl_fail(ENOENT);
  if (attr && (attr->mq_maxmsg <= 0 || attr->mq_msgsize <= 0)) return cl_fail(EINVAL);
  struct queue *queue = make(name, attr ? attr->mq_maxmsg : MQ_MAXMSG_NP, attr ? attr->mq_msgsize : MQ_MSGSIZE_NP);
  if (!queue) return cl_fail(ENOSPC);
  mqd_t number = describe(queue, flags);
  if (number == -1) free(queue);
  else cl_name_add(&queues, place, &queue->named);
  return number;
}

mqd_t mq_open(const char *name, int flags, ...) {
  const struct mq_attr *attr = NULL;
  if (flags & O_CREAT) {
    va_list more;
    va_start(more, flags);
    (void)va_arg(more, mode_t);
    attr = va_arg(more, struct mq_attr *);
    va_end(more);
  }
  int status = cl_name_check(name);
  if (status || (flags & O_ACCMODE) == O_ACCMODE) return cl_fail(status ? status : EINVAL);
  pthread_mutex_lock(&opening);
  mqd_t number = open_named(name, flags & (O_ACCMODE | O_CREAT | O_EXCL | O_NONBLOCK), attr);
  pthread_mutex_unlock(&opening);
  return number;
}

int mq_close(mqd_t number) {
  struct descriptor *found = begin(number, O_RDWR);
  if (!found) return cl_fail(EBADF);
  struct queue *queue = found->queue;
  if (queue->notifies == number) queue->notifies = 0;
  found->queue = NULL;
  queue->uses--; /* the descriptor's use, besides begin()'s */
  end(queue);
  return 0;
}

int mq_unlink(const char *name) {
  int status = cl_name_check_known(name);
  if (status) return cl_fail(status);
  pthread_mutex_lock(&opening);
  struct cl_named **place = cl_name_find(&queues, name), *found = *place;
  if (found) cl_name_remove(&queues, place);
  pthread_mutex_unlock(&opening);
  if (!found) return cl_fail(ENOENT);
  cl_backend_lock();
  end((struct queue *)found);
  return 0;
}

/* --- messages --- */

/* A slot of the list, or of whoever gives one to the waiters. With the lock, which is released. */
static int take(const struct queue *queue, struct slots *list, struct cl_queue *waiters, int flags,
                const struct timespec *until, struct slot **slot) {
  for (;;) {
    struct cl_waiter me = {.ends = CL_POINT};
    uint64_t at = CL_NEVER;
    *slot = pop(queue, list);
    int status = *slot ? 0 : flags & O_NONBLOCK ? EAGAIN : until ? cl_deadline(CLOCK_REALTIME, until, &at) : 0;
    if (*slot || status) {
      cl_backend_unlock();
      return status;
    }
    status = cl_queue_wait(waiters, &me, at);
    *slot = me.data;
    if (!CL_SIGNALS || status != ECANCELED || cl_cancel_mine()->now & CL_NOW_CANCEL) return status;
    if (cl_signals_run() & CL_INTERRUPTED) return EINTR;
    cl_backend_lock();
  }
}

/* 0: nobody waits. */
static int hand(struct cl_queue *waiters, struct slot *slot) {
  struct cl_waiter *woken = cl_queue_wake(waiters);
  if (woken) woken->data = slot;
  return woken != NULL;
}

static int send(mqd_t number, const char *message, size_t length, unsigned priority, const struct timespec *until) {
  cl_trace_call();
  cl_cancel_test();
  struct cl_notice notice = {.signal = 0, .function = NULL};
  struct slot *slot = NULL;
  struct descriptor *found = begin(number, O_WRONLY);
  if (!found) return EBADF;
  struct queue *queue = found->queue;
  int flags = found->flags;
  int status = priority >= MQ_PRIO_MAX ? EINVAL : length > (size_t)queue->size ? EMSGSIZE : 0;
  if (status) {
    end(queue);
    return status;
  }
  status = take(queue, &queue->free, &queue->senders, flags, until, &slot);
  if (!status) {
    memcpy(slot->text, message, length);
    slot->length = length;
    slot->priority = priority;
  }
  cl_backend_lock();
  if (!status && !hand(&queue->receivers, slot)) {
    struct slots *const list = &queue->messages;
    struct slot **link = &list->first;
    for (long left = list->count; left && checked(queue, list, *link)->priority >= priority; left--) {
      link = &(*link)->next;
    }
    put(list, link, slot);
    if (list->count == 1 && queue->notifies) {
      notice = queue->notice;
      queue->notifies = 0;
    }
  }
  end(queue);
  if (status == ECANCELED) cl_cancel_act();
  cl_notify(&notice, SI_MESGQ, NULL, 0); /* the message is there even if no thread can be */
  return status;
}

static ssize_t receive(mqd_t number, char *message, size_t room, unsigned *priority, const struct timespec *until) {
  cl_trace_call();
  cl_cancel_test();
  struct slot *slot = NULL;
  struct descriptor *found = begin(number, O_RDONLY);
  if (!found) return cl_fail(EBADF);
  struct queue *queue = found->queue;
  int flags = found->flags;
  if (room < (size_t)queue->size) {
    end(queue);
    return cl_fail(EMSGSIZE);
  }
  int status = take(queue, &queue->messages, &queue->receivers, flags, until, &slot);
  ssize_t length = -1;
  if (!status) {
    length = (ssize_t)slot->length;
    memcpy(message, slot->text, slot->length);
    if (priority) *priority = slot->priority;
  }
  cl_backend_lock();
  if (!status && !hand(&queue->senders, slot)) put(&queue->free, &queue->free.first, slot);
  end(queue);
  if (status == ECANCELED) cl_cancel_act();
  return status ? cl_fail(status) : length;
}

int mq_send(mqd_t queue, const char *message, size_t length, unsigned priority) {
  return mq_timedsend(queue, message, length, priority, NULL);
}

int mq_timedsend(mqd_t queue, const char *message, size_t length, unsigned priority, const struct timespec *until) {
  int status = send(queue, message, length, priority, until);
  return status ? cl_fail(status) : 0;
}

ssize_t mq_receive(mqd_t queue, char *message, size_t room, unsigned *priority) {
  return receive(queue, message, room, priority, NULL);
}

ssize_t mq_timedreceive(mqd_t queue, char *message, size_t room, unsigned *priority, const struct timespec *until) {
  return receive(queue, message, room, priority, until);
}

/* --- attributes --- */

int mq_setattr(mqd_t number, const struct mq_attr *attr, struct mq_attr *before) {
  struct descriptor *found = begin(number, O_RDWR);
  if (!found) return cl_fail(EBADF);
  struct queue *queue = found->queue;
  if (before) *before = (struct mq_attr){found->flags & O_NONBLOCK, queue->slots, queue->size, queue->messages.count};
  if (attr) found->flags = (found->flags & ~O_NONBLOCK) | (attr->mq_flags & O_NONBLOCK);
  end(queue);
  return 0;
}

int mq_getattr(mqd_t number, struct mq_attr *attr) { return mq_setattr(number, NULL, attr); }

int mq_notify(mqd_t number, const struct sigevent *event) {
  struct cl_notice notice;
  struct descriptor *found = begin(number, O_RDWR);
  if (!found) return cl_fail(EBADF);
  struct queue *queue = found->queue;
  int status = event ? cl_notice_make(&notice, event) : 0;
  if (!status && event && queue->notifies) status = EBUSY;
  if (!status) queue->notifies = event ? number : 0;
  if (!status && event) queue->notice = notice;
  end(queue);
  return status ? cl_fail(status) : 0;
}
