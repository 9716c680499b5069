/* SPDX-License-Identifier: Apache-2.0
 *
 * Waiting for objects that live in memory: those that the kernel does not have, or has no room for.
 *
 * All queues are under one lock, the back end's (cl_backend_lock, cl_backend_unlock): a short critical section with
 * interrupts disabled, and the only kernel operations in it are those of cl_backend_op. */
#ifndef CL_WAIT_H
#define CL_WAIT_H

#include <errno.h>

#include "cl_kernel.h"
#include "cl_objects.h"

/* On the waiter's stack. Its owner sets `data`, for whoever wakes it, `mutex` and `ends`. */
struct cl_waiter {
  struct cl_waiter *next;
  struct cl_queue *queue; /* NULL: taken out of it, before it has woken */
  uint32_t thread;
  uint32_t priority;
  volatile uint32_t woken;
  void *data;
  struct cl_mutex *mutex; /* it waits for it, or NULL */
  unsigned *ends; /* CL_POINT, CL_AGAIN_BY or NULL: neither a cancellation nor a signal ends the wait */
};

/* The caller is a cancellation point: a cancellation, or a signal, ends the wait with ECANCELED. Or: a signal does, is
 * counted, and the wait begins again. Constants in a program without. */
#define CL_POINT (CL_CANCEL ? &cl_wait_point : NULL)
#define CL_AGAIN_BY(count) (CL_SIGNALS ? (count) : NULL)
extern unsigned cl_wait_point, cl_wait_again; /* any other count, if nobody wants it */
/* The wait of such a waiter was ended so, and handlers have been called. */
#define CL_AGAIN(status) (CL_SIGNALS && (status) == ECANCELED)

/* What the layer above knows of that (posix/cancel.c), in a program that has it: with the lock, whether the wait ends;
 * and after it was ended, which releases the lock. */
int cl_wait_ends(const struct cl_waiter *me);
void cl_wait_ended(const struct cl_waiter *me);

extern struct cl_waiter *cl_waiters[CL_THREADS];
__attribute__((noreturn)) void cl_queue_broken(const struct cl_queue *queue);

/* A waiter of the queue, or NULL. A queue is in an object of the program's, and its waiters are on stacks: only cl_waiters
 * is certain. */
static inline struct cl_waiter *cl_queue_checked(const struct cl_queue *queue, struct cl_waiter *waiter) {
  if (waiter &&
      CL_UNLIKELY(waiter->thread >= CL_THREADS || cl_waiters[waiter->thread] != waiter || waiter->queue != queue)) {
    cl_queue_broken(queue);
  }
  return waiter;
}

/* Called with the lock held; returns without it. 0: woken. ETIMEDOUT: at mtime `at` (CL_NEVER: no limit), which may be
 * over already. ECANCELED: as `ends` says. */
int cl_queue_wait(struct cl_queue *queue, struct cl_waiter *me, uint64_t at);
/* cl_queue_wait in two parts. */
void cl_queue_enter(struct cl_queue *queue, struct cl_waiter *me);
int cl_queue_sleep(struct cl_waiter *me, uint64_t at);

/* The following with the lock held. A thread made ready may be better than the caller, which gives way when it releases
 * the lock. */
struct cl_waiter *cl_queue_wake(struct cl_queue *queue); /* the first, which is valid until unlock; NULL: none */
void cl_queue_look(uint32_t thread); /* the thread, if it waits, looks whether its wait ends */
struct cl_waiter *cl_queue_waiter(uint32_t thread); /* NULL: it is in no queue */
void cl_queue_take_out(struct cl_waiter *waiter); /* it gives up */

void cl_queue_reorder(struct cl_waiter *waiter, uint32_t priority); /* last of its new priority */
uint32_t cl_priority_now(uint32_t thread);

/* For the kernel's last condition variable. 1: all threads in queues will wait at it: it is the caller's no longer. */
int cl_queue_needs(uint32_t condition);

#endif
