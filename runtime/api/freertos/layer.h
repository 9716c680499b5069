/* SPDX-License-Identifier: Apache-2.0
 *
 * Between the files of the layer. They are compiled with the program, by its flags and its FreeRTOSConfig.h, and stand on
 * the kernel's internal interface (cl_kernel.h), on waiting in memory (memory/wait.h), and on pthread_create.
 *
 * One lock guards all that the layer has: the back end's, with interrupts disabled. It nests, as critical sections of
 * the program are the same, and functions that do not wait may be called in them. */
#ifndef CL_FREERTOS_LAYER_H
#define CL_FREERTOS_LAYER_H

#ifndef CL_FREERTOS_STRICT /* a user's flags are for the user's sources */
#pragma clang diagnostic ignored "-Weverything"
#endif

#include "FreeRTOS.h"
#include "task.h"

#include "../../memory/memory.h" /* the C library has one of that name, which posix.h would find */
#include "../../memory/wait.h"
#include "../../posix/posix.h"
#include "../common/guard.h"

#define CL_FRT_CYCLES ((uint32_t)((configCPU_CLOCK_HZ) / (configTICK_RATE_HZ))) /* of a tick */

/* The kernel's priorities: a task has its own; above all are a task that is not to be preempted, and interrupts. */
#define CL_FRT_HIGH (CL_PRIORITIES - 2u)
#define CL_FRT_TOP (CL_PRIORITIES - 1u)

extern uint32_t cl_frt_depths[CL_CPUS]; /* of critical sections on each CPU */

static inline uint32_t *cl_frt_depth(void) { return &cl_frt_depths[CL_CPUS > 1 ? cl_local_read(CL_CPU_ID) : 0]; }

static inline void cl_frt_enter(void) {
  cl_irq_off();
  if (!(*cl_frt_depth())++) cl_api_hold();
}

static inline void cl_frt_leave(void) {
  if (!--*cl_frt_depth()) cl_api_leave();
}

/* The same of a function that calls no other of the API in between: the depth stays. What waits, or calls one, stays in a
 * critical section that cl_frt_leave ends. */
static inline void cl_frt_enter_leaf(void) {
  cl_irq_off();
#if CL_CPUS > 1 || !defined(CL_KERNEL_HW)
  if (!*cl_frt_depth()) cl_api_hold();
#endif
}
static inline void cl_frt_leave_leaf(void) {
  if (CL_LIKELY(!*cl_frt_depth())) cl_api_leave();
}
static inline void cl_frt_leave_leaf_quietly(void) { /* nobody was woken */
  if (CL_LIKELY(!*cl_frt_depth())) cl_api_leave_quietly();
}
static inline void cl_frt_stay(void) { ++*cl_frt_depth(); }

/* For calls that take the kernel's lock themselves: leaves all critical sections, and enters them again. */
static inline uint32_t cl_frt_open(void) {
  cl_irq_off();
  uint32_t depth = *cl_frt_depth();
  *cl_frt_depth() = 0;
  if (depth) cl_api_leave();
  else cl_irq_on();
  return depth;
}
static inline void cl_frt_close(uint32_t depth) {
  if (!depth) return;
  cl_frt_enter();
  *cl_frt_depth() = depth;
}

extern TaskHandle_t cl_frt_tasks[CL_THREADS]; /* of each thread; NULL: main, or an interrupt */
static inline TaskHandle_t cl_frt_self(void) { return cl_frt_tasks[cl_self_number()]; }
static inline TaskHandle_t cl_frt_task(TaskHandle_t task) { return task ? task : cl_frt_self(); }

/* The following with the lock held. */

uint64_t cl_frt_now(void);               /* the tick count, before it overflows */
uint64_t cl_frt_after(TickType_t ticks); /* the mtime at which that many ticks from now begin */
static inline uint64_t cl_frt_until(TickType_t ticks) { /* or CL_NEVER */
  return INCLUDE_vTaskSuspend && ticks == portMAX_DELAY ? CL_NEVER : cl_frt_after(ticks);
}
/* Waits in the queue, with `data` for whoever wakes it. 0: woken, perhaps for no reason, so look again. Else its time is
 * over, or another task has aborted the wait. */
int cl_frt_wait(struct cl_queue *queue, void *data, uint64_t at);
int cl_frt_wait_long(struct cl_queue *queue); /* without data or limit, sooner */
static inline int cl_frt_wait_in(struct cl_queue *queue, uint64_t at) {
  return CL_LIKELY(at == CL_NEVER) ? cl_frt_wait_long(queue) : cl_frt_wait(queue, NULL, at);
}
/* Wakes the first, if any waits. *woken, if there is one, becomes pdTRUE if it is better than the caller; interrupts give
 * way to any. */
void cl_frt_wake_first(struct cl_queue *queue);
void cl_frt_wake_and_tell(struct cl_queue *queue, BaseType_t *woken);
CL_INLINE void cl_frt_wake(struct cl_queue *queue, BaseType_t *woken) {
  if (!queue->first) return;
  if (woken) cl_frt_wake_and_tell(queue, woken);
  else cl_frt_wake_first(queue);
}
void cl_frt_wake_up(struct cl_waiter *waiter); /* one that is in no queue any more */
BaseType_t cl_frt_is_better(uint32_t priority);
/* A task waits for a mutex; gives one back; has given up to wait, when `most` is the best priority of those that wait. */
void cl_frt_inherit(TaskHandle_t holder);
void cl_frt_disinherit(TaskHandle_t holder);
void cl_frt_disinherit_to(TaskHandle_t holder, UBaseType_t most);

/* Frees what ended tasks have left; not of one that is about to end, except in `memory`. Without the lock. */
void cl_frt_reap(const StaticTask_t *memory);

#endif
