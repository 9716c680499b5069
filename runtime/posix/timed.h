/* SPDX-License-Identifier: Apache-2.0
 *
 * A wait for an object of the kernel with a time limit: the hardware kernel may end it by itself (CL_TIMEOUTS), or the
 * timer does. */
#ifndef CL_TIMED_H
#define CL_TIMED_H

#include "cancel.h"

CL_INLINE uint32_t cl_wait_for(unsigned op, uint32_t id, uint32_t word) {
  switch (op) {
    case CL_OP_MUTEX_LOCK: return cl_op_mutex_lock(id);
    case CL_OP_SEMAPHORE_WAIT: return cl_op_semaphore_wait(id);
    case CL_OP_COND_WAIT: return cl_op_cond_wait(id, word);
    default: return cl_op_flags_wait(op, id, word);
  }
}

/* The operation that ends the wait. */
CL_INLINE unsigned cl_leave_of(unsigned op) {
  switch (op) {
    case CL_OP_MUTEX_LOCK: return CL_OP_MUTEX_LEAVE;
    case CL_OP_SEMAPHORE_WAIT: return CL_OP_SEMAPHORE_LEAVE;
    default: return CL_OP_COND_LEAVE;
  }
}

CL_INLINE uint32_t cl_wait_by_timer_here(unsigned op, uint32_t id, uint32_t word, uint64_t at) {
  const int is_point = op != CL_OP_MUTEX_LOCK;
  struct cl_timer timer;
  uint32_t answer = 0;
  cl_timer_start(&timer, cl_leave_of(op), id, at);
  int cancelled = is_point ? cl_cancel_enter(cl_leave_of(op), id) : cl_signals_enter(cl_leave_of(op), id);
  if (!cancelled) {
    answer = cl_wait_for(op, id, word);
    cancelled = (is_point || CL_SIGNALS) && cl_cancel_left();
  }
  if (cl_timer_stop(&timer)) answer = CL_LATE;
  return cancelled ? CL_CANCELED : answer;
}
uint32_t cl_wait_by_timer(unsigned op, uint32_t id, uint32_t word, uint64_t at);

/* The operation's answer, CL_LATE, or CL_CANCELED if it is that of a cancellation point, or in a program with signals. */
CL_INLINE uint32_t cl_wait_until(unsigned op, uint32_t id, uint32_t word, uint64_t at) {
  const int is_point = op != CL_OP_MUTEX_LOCK;
  if (!CL_BACKEND_TIMEOUTS) return cl_wait_by_timer_here(op, id, word, at);
  if (CL_UNLIKELY(!cl_backend_timeout_start(at))) return cl_wait_by_timer(op, id, word, at);
  if (is_point && cl_cancel_enter(cl_leave_of(op), id)) {
    cl_backend_timeout_stop();
    return CL_CANCELED;
  }
  uint32_t answer = cl_backend_wait_until(op, id, word);
  return is_point && cl_cancel_left() ? CL_CANCELED : answer;
}

#endif
