/* SPDX-License-Identifier: Apache-2.0
 *
 * What the front ends for other RTOS APIs share: threads that others suspend and end, waits in queues, handlers of
 * interrupt lines, alarms, and the lock of the dispatcher. Over the POSIX layer and its queues (memory/wait.h). */
#ifndef CL_API_H
#define CL_API_H

#include <pthread.h>

#include "../../memory/memory.h" /* first: the C library has one of this name */
#include "cl_kernel.h"
#include "guard.h"
#include "posix.h"
#include "wait.h"

/* Kernel priorities above those of the program's threads. */
#define CL_API_DISPATCH (CL_PRIORITIES - 3) /* a thread that nobody may preempt but handlers */
#define CL_API_HANDLER (CL_PRIORITIES - 2)
#define CL_API_TOP (CL_PRIORITIES - 1) /* nobody at all */

/* A thread of a front end, the first member of its control block. */
struct cl_api_thread {
  pthread_t number;
  void (*run)(struct cl_api_thread *self); /* the thread ends when it returns */
  void (*ended)(struct cl_api_thread *self, int by_other); /* its last act, with the lock; the block may be reused */
  void *owner;             /* the front end's control block; NULL: of a handler, or of the alarms */
  int priority;            /* of the kernel, without what locks make of it */
  uint8_t in_handler;      /* its code counts as an interrupt handler */
  uint8_t locks;           /* it has locked the dispatcher */
  volatile uint8_t waits;     /* in cl_api_wait */
  volatile uint8_t suspended; /* somebody wants it to sleep */
  uint8_t parked;          /* the kernel has it off its ready queue for that */
  volatile uint8_t ending;    /* somebody wants it to end, and joins it */
  uint8_t keeps;           /* nobody but a joiner gives its number back */
  struct cl_queue resumed; /* it alone waits there */
};

extern struct cl_api_thread *cl_api_threads[CL_THREADS]; /* NULL: not a thread of a front end, as main */

static inline struct cl_api_thread *cl_api_self(void) { return cl_api_threads[cl_self_number()]; }
static inline int cl_api_in_handler(void) {
  const struct cl_api_thread *self = cl_api_self();
  return self && self->in_handler;
}

/* Makes a thread that cl_api_start lets run; the rest of *thread is 0. An error number of pthread_create. */
int cl_api_create(struct cl_api_thread *thread, pthread_attr_t *attr);
void cl_api_start(struct cl_api_thread *thread);
__attribute__((noreturn)) void cl_api_exit(void);
void cl_api_end(struct cl_api_thread *thread);     /* another thread; returns when it has ended and been joined */
void cl_api_suspend(struct cl_api_thread *thread); /* also the caller */
void cl_api_resume(struct cl_api_thread *thread);
/* Ends its wait with the result, or as its time limit would. 0: it does not wait. */
#define CL_API_LATE INT32_MIN
int cl_api_release(struct cl_api_thread *thread, int result);
/* Its own priority changes; behind the others of the new one. */
void cl_api_set_priority(struct cl_api_thread *thread, int priority);
void cl_api_look(void); /* what others want of the caller */

/* --- Waits. All with the lock of guard.h --- */

/* On the waiting thread's stack. */
struct cl_api_waiter {
  struct cl_waiter waiter;
  int result;
};

/* Releases the lock. Returns what a waker says, or `late` at mtime `at`. */
int cl_api_wait(struct cl_queue *queue, struct cl_api_waiter *me, uint64_t at, int late);
int cl_api_wait_in_turn(struct cl_queue *queue, struct cl_api_waiter *me, uint64_t at, int late); /* by arrival */

static inline struct cl_api_waiter *cl_api_first(const struct cl_queue *queue) {
  return (struct cl_api_waiter *)cl_queue_checked(queue, queue->first);
}
static inline struct cl_api_waiter *cl_api_next(const struct cl_queue *queue, const struct cl_api_waiter *waiter) {
  return (struct cl_api_waiter *)cl_queue_checked(queue, waiter->waiter.next);
}
void cl_api_wake(struct cl_api_waiter *waiter, int result);
void cl_api_wake_all(struct cl_queue *queue, int result);
int cl_api_wake_first(struct cl_queue *queue); /* with result 0; 0: nobody waits */

/* Counts up to `most` what nobody waits for. */
struct cl_api_count {
  uint32_t count, most;
  struct cl_queue waiters;
};
/* Takes the lock. One more, for the first that waits; `full`: there are as many as there may be. */
CL_INLINE int cl_api_give(struct cl_api_count *of, int full) {
  cl_api_enter();
  struct cl_api_waiter *first = cl_api_first(&of->waiters);
  if (first) {
    cl_api_wake(first, 0);
    cl_api_leave();
    return 0;
  }
  const int fits = of->count < of->most;
  if (CL_LIKELY(fits)) of->count++;
  cl_api_leave_quietly();
  return CL_LIKELY(fits) ? 0 : full;
}

/* A wait of the layer's own, which neither suspension nor an end sees. Releases the lock. */
void cl_api_nap(struct cl_queue *queue, struct cl_api_waiter *me, uint64_t at);

/* --- The dispatcher --- */

/* No other thread runs on the caller's CPU until unlock, but for handlers if `priority` is CL_API_DISPATCH; threads of
 * other CPUs that lock it wait. Not nested. */
void cl_api_lock(struct cl_api_thread *self, int priority);
void cl_api_unlock(struct cl_api_thread *self);

/* --- Handlers of lines --- */

/* `call` is called for each interrupt of the line from now on; NULL: ignored. EINVAL: no such line. EBUSY: the program
 * has bound it itself. EAGAIN: no thread left. */
int cl_api_handle(unsigned line, void (*call)(unsigned line));
void cl_api_line(unsigned line, int enabled); /* one interrupt that comes meanwhile is remembered */

/* --- Alarms --- */

struct cl_api_alarm {
  struct cl_api_alarm *next;
  uint64_t at;
  void (*call)(struct cl_api_alarm *alarm); /* by the alarms' thread, with the lock, which it releases */
  uint8_t runs;
};

/* Their thread, once: its priority, and whether it is a handler. EAGAIN: no thread left. */
int cl_api_alarms(int priority, int in_handler);
/* With the lock: of one that does not run; of any. */
void cl_api_alarm_start(struct cl_api_alarm *alarm, uint64_t at);
void cl_api_alarm_stop(struct cl_api_alarm *alarm);
uint64_t cl_api_alarm_next(void); /* when the first goes off, CL_NEVER: none runs */

#endif
