/* SPDX-License-Identifier: Apache-2.0
 *
 * Cancellation is deferred: it takes effect at a cancellation point, or, if the thread lets itself be cancelled at any
 * time, in any wait (wait.c, mutex.c) and where it computes, as a signal does (heap/signal.c). A request ends a wait as a time limit of 0 cycles would, by a timer that looks
 * again if the thread is only about to wait. */
#include "cancel.h"

#include <errno.h>

#include "cl_end.h"
#include "wait.h"

struct cl_cancel cl_cancels[CL_THREADS];
int cl_cancel_any_time;

static uint32_t number_of(const struct cl_cancel *cancel) { return (uint32_t)(cancel - cl_cancels); }

/* With the lock. */
static void look(struct cl_cancel *cancel) {
  cancel->now = (cancel->requested && !cancel->disabled) | (CL_SIGNALS ? cl_signals_now(number_of(cancel)) : 0);
}

CL_COLD void cl_cancel_look(uint32_t thread) { look(&cl_cancels[thread]); }

void cl_cancel_end(void) { pthread_exit(PTHREAD_CANCELED); }

void pthread_testcancel(void) { cl_cancel_test(); }

CL_COLD int cl_cancel_enter_apart(uint32_t leave, uint32_t object) {
  struct cl_cancel *cancel = cl_cancel_mine();
  cl_backend_lock();
  int now = cancel->now != 0;
  cancel->leave = (uint16_t)(now || (cancel->disabled && !CL_SIGNALS) ? 0 : leave);
  cancel->ends = CL_NOW_CANCEL | CL_NOW_SIGNAL | CL_NOW_AWAITED;
  cancel->object = object;
  if (CL_SIGNALS) cancel->held = (uint8_t)now;
  cl_backend_unlock();
  return now;
}

CL_COLD int cl_cancel_left_apart(void) {
  struct cl_cancel *cancel = cl_cancel_mine();
  cl_backend_lock();
  cancel->leave = 0;
  cl_timer_remove(&cancel->timer);
  int ended = cancel->timer.ended != 0;
  cancel->timer = (struct cl_timer){0};
  if (CL_SIGNALS) cancel->held = (uint8_t)ended;
  cl_backend_unlock();
  if (!ended) cl_signals_test();
  return ended;
}

CL_COLD void cl_cancel_forget(uint32_t thread) {
  cl_timer_remove(&cl_cancels[thread].timer);
  cl_cancels[thread].timer = (struct cl_timer){0};
  cl_cancels[thread].held = 0;
}

/* With the lock: end the wait of a thread. A line's wait is ended by its caller. */
static void end_wait(pthread_t thread, struct cl_cancel *cancel) {
  if (cl_queue_waiter(thread)) {
    if (cl_mutex_protocols && cancel->asynchronous) cl_mutex_gave_up(thread);
    cl_queue_look(thread);
  }
  if (!CL_SIGNALS && (!cancel->leave || cancel->leave == CL_OP_INTERRUPT_WAIT)) return;
  if (cancel->timer.runs || cancel->timer.ended) return; /* by a request before this one */
  uint32_t leave = CL_SIGNALS ? CL_LEAVE_BY_CALL : cancel->leave;
  cancel->timer = (struct cl_timer){.at = cl_now(), .leave = leave, .object = cancel->object};
  cl_timer_enter(&cancel->timer);
  cancel->timer.thread = thread;
}

CL_COLD int cl_wait_ends(const struct cl_waiter *me) {
  uint32_t now = cl_cancel_mine()->now;
  if (me->ends == &cl_wait_point || cl_cancel_asynchronous()) return now != 0;
  return me->ends && now & CL_NOW_SIGNAL;
}

CL_COLD void cl_wait_ended(const struct cl_waiter *me) {
  const int is_point = me->ends == &cl_wait_point, is_counted = CL_SIGNALS && me->ends && !is_point;
  if (CL_SIGNALS) cl_cancel_mine()->held = 1;
  if (is_counted) ++*me->ends;
  cl_backend_unlock();
  if (is_counted) cl_signals_run();
  if (!is_point && cl_cancel_asynchronous()) cl_cancel_act();
}

CL_COLD void cl_cancel_end_wait(uint32_t thread) { end_wait(thread, &cl_cancels[thread]); }

CL_COLD int pthread_cancel(pthread_t thread) {
  if (thread >= CL_THREADS) return ESRCH;
  uint32_t word = cl_op_thread_read(thread);
  if (cl_status(word)) return cl_status(word);
  if (cl_op_get_entry(thread) >> CL_ENTRY_WORD_HARDWARE_LSB & CL_ENTRY_WORD_HARDWARE_MASK) return ENOTSUP;
  if ((word >> CL_THREAD_WORD_STATE_LSB & CL_THREAD_WORD_STATE_MASK) == CL_STATE_EXITED) return 0;
  struct cl_cancel *cancel = &cl_cancels[thread];
  cl_backend_lock();
  cancel->requested = 1;
  look(cancel);
  int now = (cancel->now & CL_NOW_CANCEL) != 0;
  if (now) end_wait(thread, cancel);
  uint32_t line = now && cancel->leave == CL_OP_INTERRUPT_WAIT ? cancel->object : CL_LINES;
  cl_backend_unlock();
  if (line < CL_LINES) cl_op_interrupt_raise(line);
  if (cancel == cl_cancel_mine() && cancel->asynchronous) cl_cancel_test();
  return 0;
}

int pthread_setcancelstate(int state, int *old) {
  if (state != PTHREAD_CANCEL_ENABLE && state != PTHREAD_CANCEL_DISABLE) return EINVAL;
  struct cl_cancel *cancel = cl_cancel_mine();
  cl_backend_lock();
  if (old) *old = cancel->disabled ? PTHREAD_CANCEL_DISABLE : PTHREAD_CANCEL_ENABLE;
  cancel->disabled = state == PTHREAD_CANCEL_DISABLE;
  look(cancel);
  cl_backend_unlock();
  if (cancel->asynchronous) cl_cancel_test();
  return 0;
}

#if !CL_SIGNALS
CL_COLD void cl_signals_used(void) { __asm__ volatile(""); }
#endif

int pthread_setcanceltype(int type, int *old) {
  if (type != PTHREAD_CANCEL_DEFERRED && type != PTHREAD_CANCEL_ASYNCHRONOUS) return EINVAL;
  struct cl_cancel *cancel = cl_cancel_mine();
  if (old) *old = cancel->asynchronous ? PTHREAD_CANCEL_ASYNCHRONOUS : PTHREAD_CANCEL_DEFERRED;
  cancel->asynchronous = type == PTHREAD_CANCEL_ASYNCHRONOUS;
  if (cancel->asynchronous) {
    cl_cancel_any_time = 1;
    cl_signals_used();
    cl_cancel_test();
  }
  return 0;
}

/* --- cleanup handlers --------------------------------------------------------------------------- */

static struct cl_cleanup *cleanups[CL_THREADS]; /* of each thread the last that was pushed */

/* Handlers are on the stack, above this function's frame: one below belongs to a function that has returned. */
static void all(void) {
  const char *const frame = __builtin_frame_address(0);
  struct cl_cleanup *last;
  while ((last = cleanups[pthread_self()])) {
    if ((const char *)last < frame) cl_broken("the list of cleanup handlers", last);
    cl_cleanup_pop(last, 1);
  }
}

void cl_cleanup_push(struct cl_cleanup *cleanup) {
  struct cl_cleanup **last = &cleanups[pthread_self()];
  cleanup->before = *last;
  /* Written now, though the compiler may see no reader: a thread that computes can be ended at any time. */
  __asm__ volatile("" ::"r"(cleanup) : "memory");
  *last = cleanup;
  cl_cleanup_all = all;
}

void cl_cleanup_pop(struct cl_cleanup *cleanup, int execute) {
  cleanups[pthread_self()] = cleanup->before;
  if (execute) cleanup->routine(cleanup->argument);
}
