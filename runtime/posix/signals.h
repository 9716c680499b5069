/* SPDX-License-Identifier: Apache-2.0
 *
 * Signals (heap/signal.c), for the files whose functions wait or start threads.
 *
 * CL_SIGNALS is 1 for a program that has actions, masks or waits of signals, or threads that may be cancelled at any
 * time (src/coreloom/toolchain/firmware.py). Then a signal that a thread does not block ends its wait as a request of
 * cancellation does (cancel.h). */
#ifndef CL_SIGNALS_H
#define CL_SIGNALS_H

#include <signal.h>
#include <stdint.h>

#include "cl_kernel.h"

/* By this function the build sees it. */
#if CL_SIGNALS
static inline void cl_signals_used(void) {}
#else
void cl_signals_used(void);
#endif

/* The outcome of a wait that was ended. */
enum { CL_HANDLED = 1, CL_INTERRUPTED = 2 }; /* a handler was called; and one without SA_RESTART */

/* Calls the handlers of the caller's signals. */
int cl_signals_run(void);
/* The same, and ends the thread if that was asked for. */
int cl_signals_act(void);
/* As cl_cancel_enter, for a wait that is not a cancellation point. 1: handlers have to be called. */
int cl_signals_enter_apart(uint32_t leave, uint32_t object);
static inline int cl_signals_enter(uint32_t leave, uint32_t object) {
  return CL_SIGNALS && cl_signals_enter_apart(leave, object);
}

void cl_signals_begin(uint32_t thread); /* before it starts: it has the mask of its creator */
void cl_signals_end(void);              /* the caller takes none any more */
/* With the lock. */
uint32_t cl_signals_now(uint32_t thread); /* bits of cl_cancel.now */

#define CL_TO_PROCESS UINT32_MAX

/* The source of a timer's signals; told, with the lock, when one is taken. */
struct cl_source {
  int pending; /* there is one */
  void (*taken)(struct cl_source *source, siginfo_t *info);
};

/* An error number. In a program without signals it does at once what it does by default (heap/kill.c). */
int cl_signals_post(uint32_t to, const siginfo_t *info, struct cl_source *source);
int cl_signal_send(uint32_t to, const siginfo_t *info, struct cl_source *source);
int cl_signal_is_ignored(int signal); /* by default */
__attribute__((noreturn)) void cl_signal_end(int signal);
void cl_signals_abort(void); /* whatever blocks it */

#endif
