/* SPDX-License-Identifier: Apache-2.0
 *
 * A wait for an object of the kernel that a cancellation, or a signal, may end. */
#ifndef CL_TIMED_H
#define CL_TIMED_H

#include "cancel.h"

/* A mutex is a cancellation point only for a thread that may be cancelled at any time. */
static inline int cl_is_point(unsigned op) {
  return op != CL_OP_MUTEX_LOCK || (CL_SIGNALS && cl_cancel_asynchronous());
}

/* 1: the wait must not begin. */
CL_INLINE int cl_wait_enter(unsigned op, uint32_t id) {
  return cl_is_point(op) ? cl_cancel_enter(cl_leave_of(op), id) : cl_signals_enter(cl_leave_of(op), id);
}

/* The operation's answer, CL_LATE, or CL_CANCELED if it is that of a cancellation point, or in a program with signals. */
CL_INLINE uint32_t cl_wait_until(unsigned op, uint32_t id, uint32_t word, uint64_t until) {
  if (cl_wait_enter(op, id)) return CL_CANCELED;
  uint32_t answer = cl_wait(op, id, word, until);
  return (op != CL_OP_MUTEX_LOCK || CL_SIGNALS) && cl_cancel_left() ? CL_CANCELED : answer;
}

#endif
