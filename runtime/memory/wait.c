/* SPDX-License-Identifier: Apache-2.0
 *
 * All threads in all queues wait at one condition variable of the kernel, the lot, and each is woken there by name: with
 * COND_LEAVE. A thread that is queued but does not wait yet has a ticket (condition.c), which a signal makes invalid;
 * that signal may wake another thread, which finds no reason and waits again. */
#include "wait.h"

#include <errno.h>

#include "cl_end.h"

static uint32_t lot_plus_1;
unsigned cl_wait_point, cl_wait_again;
struct cl_waiter *cl_waiters[CL_THREADS];

static uint32_t lot(void) {
  if (CL_UNLIKELY(!lot_plus_1)) lot_plus_1 = cl_value(cl_backend_op(CL_OP_COND_CREATE, 0, 0)) + 1;
  return lot_plus_1 - 1;
}

CL_COLD int cl_queue_needs(uint32_t condition) {
  cl_backend_lock();
  int needs = !lot_plus_1;
  if (needs) lot_plus_1 = condition + 1;
  cl_backend_unlock();
  return needs;
}

CL_COLD void cl_queue_broken(const struct cl_queue *queue) { cl_broken("the list of waiters", queue); }

static void insert(struct cl_queue *queue, struct cl_waiter *waiter) {
  struct cl_waiter **link = &queue->first, *each;
  for (unsigned left = CL_THREADS; (each = cl_queue_checked(queue, *link)) && each->priority >= waiter->priority;
       left--) {
    if (!left) cl_queue_broken(queue);
    link = &each->next;
  }
  waiter->next = each;
  *link = waiter;
}

CL_COLD void cl_queue_take_out(struct cl_waiter *waiter) {
  struct cl_waiter **link = &waiter->queue->first;
  for (unsigned left = CL_THREADS; *link != waiter; left--) {
    if (!left || !cl_queue_checked(waiter->queue, *link)) cl_queue_broken(waiter->queue);
    link = &(*link)->next;
  }
  *link = waiter->next;
  waiter->queue = NULL;
}

CL_COLD uint32_t cl_priority_now(uint32_t thread) {
  return cl_priority_in(cl_backend_op(CL_OP_THREAD_READ, thread, 0));
}

CL_COLD void cl_queue_enter(struct cl_queue *queue, struct cl_waiter *me) {
  me->thread = cl_self_number();
  me->priority = cl_priority_now(me->thread);
  me->queue = queue;
  me->woken = 0;
  cl_waiters[me->thread] = me;
  insert(queue, me);
}

CL_COLD int cl_queue_sleep(struct cl_waiter *me, uint64_t at) {
  struct cl_timer timer = {.at = at, .leave = CL_OP_COND_LEAVE, .object = lot()};
  int status = 0;
  if (at != CL_NEVER) {
    if (cl_now() < at) cl_timer_enter(&timer);
    else status = ETIMEDOUT;
  }
  while (!me->woken) {
    if (timer.ended) status = ETIMEDOUT;
    if (CL_CANCEL && cl_wait_ends(me)) status = ECANCELED;
    if (status) break;
    uint32_t ticket = cl_backend_op(CL_OP_COND_TICKET, timer.object, 0);
    cl_backend_unlock();
    cl_op_cond_wait(timer.object, ticket, CL_NEVER);
    cl_backend_lock();
  }
  cl_timer_remove(&timer);
  if (status && me->queue) cl_queue_take_out(me);
  cl_waiters[me->thread] = NULL;
  if (CL_CANCEL && status == ECANCELED) cl_wait_ended(me);
  else cl_backend_unlock();
  return status;
}

CL_COLD int cl_queue_wait(struct cl_queue *queue, struct cl_waiter *me, uint64_t at) {
  cl_queue_enter(queue, me);
  return cl_queue_sleep(me, at);
}

CL_COLD void cl_queue_look(uint32_t thread) {
  if (!cl_status(cl_backend_leave(CL_OP_COND_LEAVE, lot(), thread))) return;
  cl_backend_op(CL_OP_COND_SIGNAL, lot(), 0);
  cl_backend_leave(CL_OP_COND_LEAVE, lot(),
                   thread); /* it may have begun to wait before the signal, which woke another */
}

CL_COLD struct cl_waiter *cl_queue_wake(struct cl_queue *queue) {
  struct cl_waiter *first = cl_queue_checked(queue, queue->first);
  if (!first) return NULL;
  queue->first = first->next;
  first->woken = 1;
  cl_queue_look(first->thread);
  return first;
}

CL_COLD struct cl_waiter *cl_queue_waiter(uint32_t thread) {
  struct cl_waiter *waiter = cl_waiters[thread];
  return waiter && !waiter->woken && waiter->queue ? waiter : NULL;
}

CL_COLD void cl_queue_reorder(struct cl_waiter *waiter, uint32_t priority) {
  struct cl_queue *queue = waiter->queue;
  cl_queue_take_out(waiter);
  waiter->queue = queue;
  waiter->priority = priority;
  insert(queue, waiter);
}
