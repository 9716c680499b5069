/* SPDX-License-Identifier: Apache-2.0
 *
 * Cancellation, for the files whose functions are cancellation points.
 *
 * Programs without it (CL_CANCEL, cl_kernel.h) pay nothing.
 * A point at which the thread waits for an object of the kernel:
 *   int cancelled = cl_cancel_enter(CL_OP_SEMAPHORE_LEAVE, object);
 *   if (!cancelled) { ... wait ...; cancelled = cl_cancel_left(); }
 *   ... what a cleanup handler relies on ...
 *   if (cancelled) cl_cancel_act();   ... which returns only in a program with signals: then the call ends with EINTR,
 *                                     or begins again
 * One at which it waits in a queue (wait.h): cl_cancel_test(), then the waiter's `ends` is CL_POINT, and after ECANCELED
 * the same. */
#ifndef CL_CANCEL_H
#define CL_CANCEL_H

#include "posix.h"
#include "signals.h"

enum { CL_NOW_CANCEL = 1, CL_NOW_SIGNAL = 2, CL_NOW_AWAITED = 4 };

struct cl_cancel {
  volatile uint32_t now; /* why a wait ends: requested, and the thread lets itself be cancelled; signals */
  uint8_t requested;
  uint8_t disabled;
  uint8_t asynchronous;
  uint8_t held; /* its wait was ended, and it calls its handlers itself, not in a trap: it has to know of them */
  uint16_t leave; /* the operation that ends the thread's wait; 0: it does not wait at a cancellation point */
  uint16_t ends;  /* the bits of `now` that do; for a program with signals */
  uint32_t object;
  struct cl_timer timer; /* does that */
};

extern struct cl_cancel cl_cancels[CL_THREADS];

/* End the thread: its request is granted. */
__attribute__((noreturn)) void cl_cancel_end(void);

/* The caller's wait has been ended, or must not begin. Returns what has come of signals: the call begins again, or ends
 * with EINTR. */
static inline int cl_cancel_act(void) {
  if (CL_SIGNALS) return cl_signals_act();
  cl_cancel_end();
}

/* With the lock: the word `now` is made anew; the thread's wait is ended for it; the request for that is undone. */
void cl_cancel_look(uint32_t thread);
void cl_cancel_end_wait(uint32_t thread);
void cl_cancel_forget(uint32_t thread);

static inline struct cl_cancel *cl_cancel_mine(void) { return &cl_cancels[cl_self() - cl_threads]; }

static inline const volatile uint32_t *cl_cancel_word(void) { return CL_CANCEL ? &cl_cancel_mine()->now : NULL; }

/* Threads may ask to be cancelled at any time, in a program with signals; a constant as in attr.h. */
extern int cl_cancel_any_time;

static inline int cl_cancel_asynchronous(void) {
  return CL_SIGNALS && cl_cancel_any_time && cl_cancel_mine()->asynchronous;
}

static inline void cl_cancel_test(void) {
  if (CL_CANCEL && cl_cancel_mine()->now) cl_cancel_act();
}

/* Likewise for a wait that is not a cancellation point. */
static inline void cl_signals_test(void) {
  if (CL_SIGNALS && cl_cancel_mine()->now & CL_NOW_SIGNAL) cl_signals_run();
}

int cl_cancel_enter_apart(uint32_t leave, uint32_t object);
int cl_cancel_left_apart(void);

/* 1: there is a request. Else one ends the wait from now on. */
static inline int cl_cancel_enter(uint32_t leave, uint32_t object) {
  return CL_CANCEL && cl_cancel_enter_apart(leave, object);
}

/* The wait is over: 1: by a request, and without what it was for. */
static inline int cl_cancel_left(void) { return CL_CANCEL && cl_cancel_left_apart(); }

#endif
