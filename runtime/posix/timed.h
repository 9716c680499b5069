/* SPDX-License-Identifier: Apache-2.0
 *
 * A wait for an object of the kernel that a cancellation, or a signal, may end. */
#ifndef CL_TIMED_H
#define CL_TIMED_H

#include "cancel.h"

/* The operation's answer, CL_LATE, or CL_CANCELED if it is that of a cancellation point, or in a program with signals. */
CL_INLINE uint32_t cl_wait_until(unsigned op, uint32_t id, uint32_t word, uint64_t until) {
  /* A mutex is one only for a thread that may be cancelled at any time. */
  const int is_point = op != CL_OP_MUTEX_LOCK || cl_cancel_asynchronous();
  if (is_point ? cl_cancel_enter(cl_leave_of(op), id) : cl_signals_enter(cl_leave_of(op), id)) return CL_CANCELED;
  uint32_t answer = cl_wait(op, id, word, until);
  return (op != CL_OP_MUTEX_LOCK || CL_SIGNALS) && cl_cancel_left() ? CL_CANCELED : answer;
}

#endif
