/* SPDX-License-Identifier: Apache-2.0
 *
 * The operations of the internal interface that may wait, by what the back end has of them (included by cl_kernel.h).
 *
 * A back end has three functions for them, cl_backend_wait, cl_backend_port_send and cl_backend_port_receive, which take
 * a time only if CL_BACKEND_TIMEOUTS is 1: the kernel ends the wait itself. Else a timer does. */
#ifndef CL_WAITS_H
#define CL_WAITS_H

#define CL_IS_BY_TIMER(until) (!CL_BACKEND_TIMEOUTS && !__builtin_constant_p(until))

/* Time limit of a wait: started before it, on the waiting thread's stack, and always stopped after it. `leave` is the
 * operation that ends the wait for `object`; the thread waits for that only, again if it likes, while the timer runs.
 * It does not go off before mtime `at`; and some cycles after the thread waits, if that is later. */
void cl_timer_start(struct cl_timer *timer, uint32_t leave, uint32_t object, uint64_t at);
int cl_timer_stop(struct cl_timer *timer); /* it has ended the wait */

/* As start and stop, with cl_backend_lock held; `at`, `leave` and `object` are set. */
void cl_timer_enter(struct cl_timer *timer);
void cl_timer_remove(struct cl_timer *timer);

/* --- objects but ports; op: of the wait, a constant --- */

/* The operation that ends the wait. */
CL_INLINE unsigned cl_leave_of(unsigned op) {
  switch (op) {
    case CL_OP_MUTEX_LOCK: return CL_OP_MUTEX_LEAVE;
    case CL_OP_SEMAPHORE_WAIT: return CL_OP_SEMAPHORE_LEAVE;
    default: return CL_OP_COND_LEAVE;
  }
}

CL_INLINE uint32_t cl_wait_by_timer_here(unsigned op, uint32_t id, uint32_t word, uint64_t at) {
  struct cl_timer timer;
  cl_timer_start(&timer, cl_leave_of(op), id, at);
  uint32_t answer = cl_backend_wait(op, id, word, CL_NEVER);
  return cl_timer_stop(&timer) ? CL_LATE : answer;
}

CL_INLINE uint32_t cl_wait(unsigned op, uint32_t id, uint32_t word, uint64_t until) {
  return CL_IS_BY_TIMER(until) ? cl_wait_by_timer_here(op, id, word, until) : cl_backend_wait(op, id, word, until);
}

CL_INLINE uint32_t cl_op_mutex_lock(uint32_t id, uint64_t until) { return cl_wait(CL_OP_MUTEX_LOCK, id, 0, until); }

CL_INLINE uint32_t cl_op_semaphore_wait(uint32_t id, uint64_t until) {
  return cl_wait(CL_OP_SEMAPHORE_WAIT, id, 0, until);
}

/* Returns at once if there has been a signal since the ticket. */
CL_INLINE uint32_t cl_op_cond_wait(uint32_t id, uint32_t ticket, uint64_t until) {
  return cl_wait(CL_OP_COND_WAIT, id, ticket, until);
}

/* --- ports: a message is `word`, or the number of `words`, up to CL_PORT_WORDS, and these ---
 *
 * `words` is the constant NULL for a message of one word (CL_IS_BLOCK). One of more is for threads only, with interrupts
 * enabled. With a time there is one wait, as with CL_ONCE. */

CL_INLINE uint32_t cl_port_send_by_timer_here(uint32_t id, uint32_t word, const uint32_t *words, uint64_t at) {
  struct cl_timer timer;
  cl_timer_start(&timer, CL_OP_PORT_LEAVE, id, at);
  uint32_t answer = cl_backend_port_send(id, word, words, CL_ONCE);
  return cl_timer_stop(&timer) && answer == CL_RESUMED ? CL_LATE : answer;
}

CL_INLINE uint32_t cl_op_port_send(uint32_t id, uint32_t word, const uint32_t *words, uint64_t until) {
  return CL_IS_BY_TIMER(until) ? cl_port_send_by_timer_here(id, word, words, until)
                               : cl_backend_port_send(id, word, words, until);
}

CL_INLINE uint32_t cl_port_receive_by_timer_here(uint32_t id, uint32_t *word, uint32_t *words, uint32_t room,
                                                 uint64_t at) {
  struct cl_timer timer;
  cl_timer_start(&timer, CL_OP_PORT_LEAVE, id, at);
  uint32_t answer = cl_backend_port_receive(id, word, words, room, CL_ONCE);
  return cl_timer_stop(&timer) && answer == CL_RESUMED ? CL_LATE : answer;
}

/* *word is set if the status is 0. As many words are stored as there is room for; none if *word is no number of words. */
CL_INLINE uint32_t cl_op_port_receive(uint32_t id, uint32_t *word, uint32_t *words, uint32_t room, uint64_t until) {
  return CL_IS_BY_TIMER(until) ? cl_port_receive_by_timer_here(id, word, words, room, until)
                               : cl_backend_port_receive(id, word, words, room, until);
}

#endif
