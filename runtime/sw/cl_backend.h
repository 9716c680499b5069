/* SPDX-License-Identifier: Apache-2.0
 *
 * The software kernel: every operation is a call (cl_sw.c), which link-time optimisation inlines. */
#ifndef CL_BACKEND_H
#define CL_BACKEND_H

#define CL_DIRECT(prototype, access) prototype;
#include "cl_kernel_calls.h"

uint32_t cl_op_thread_join(uint32_t id);
uint32_t cl_op_barrier_wait(uint32_t id, uint32_t others);

/* Of the interface's operations with `until` (cl_waits.h): not at all, without a limit, and one wait. */
uint32_t cl_backend_mutex_trylock(uint32_t id);
uint32_t cl_backend_mutex_lock(uint32_t id);
uint32_t cl_backend_semaphore_trywait(uint32_t id);
uint32_t cl_backend_cond_wait(uint32_t id, uint32_t ticket);

/* Messages of one word, for which `words` is the constant NULL (cl_waits.h), and of more have functions of their own. */
uint32_t cl_sw_port_trysend(uint32_t id, uint32_t word);
uint32_t cl_sw_port_trysend_words(uint32_t id, const uint32_t *words, uint32_t count);
CL_INLINE uint32_t cl_backend_port_trysend(uint32_t id, uint32_t word, const uint32_t *words) {
  return CL_IS_BLOCK(words) ? cl_sw_port_trysend_words(id, words, word) : cl_sw_port_trysend(id, word);
}

uint32_t cl_sw_port_send_once(uint32_t id, uint32_t word);
uint32_t cl_sw_port_send_words_once(uint32_t id, const uint32_t *words, uint32_t count);
CL_INLINE uint32_t cl_backend_port_send_once(uint32_t id, uint32_t word, const uint32_t *words) {
  return CL_IS_BLOCK(words) ? cl_sw_port_send_words_once(id, words, word) : cl_sw_port_send_once(id, word);
}

/* The caller sees that the common answer is 0, and looks for no error in it. */
uint32_t cl_sw_port_send(uint32_t id, uint32_t word);
uint32_t cl_sw_port_send_words(uint32_t id, const uint32_t *words, uint32_t count);
CL_INLINE uint32_t cl_backend_port_send(uint32_t id, uint32_t word, const uint32_t *words) {
  uint32_t answer = CL_IS_BLOCK(words) ? cl_sw_port_send_words(id, words, word) : cl_sw_port_send(id, word);
  if (CL_LIKELY(!answer)) return 0;
  __asm__("" : "+r"(answer)); /* else the compiler drops the test */
  return answer;
}

uint32_t cl_sw_port_tryreceive(uint32_t id, uint32_t *word);
uint32_t cl_sw_port_tryreceive_words(uint32_t id, uint32_t *word, uint32_t *words, uint32_t room);
CL_INLINE uint32_t cl_backend_port_tryreceive(uint32_t id, uint32_t *word, uint32_t *words, uint32_t room) {
  return CL_IS_BLOCK(words) ? cl_sw_port_tryreceive_words(id, word, words, room) : cl_sw_port_tryreceive(id, word);
}

/* cl_sw_...: may return GIVE_WAY, with interrupts disabled and the kernel locked. It switches in place. */
CL_INLINE uint32_t cl_sw_settle(uint32_t word) {
  if (CL_UNLIKELY((int32_t)word >= 0)) return word;
  cl_switch_here(word);
  return CL_RESUMED;
}

uint32_t cl_sw_yield(void);
uint32_t cl_sw_semaphore_wait(uint32_t id);
uint32_t cl_sw_interrupt_wait(uint32_t id);
CL_INLINE uint32_t cl_op_yield(void) { return cl_sw_settle(cl_sw_yield()); }
CL_INLINE uint32_t cl_op_interrupt_wait(uint32_t id) { return cl_sw_settle(cl_sw_interrupt_wait(id)); }
CL_INLINE uint32_t cl_backend_semaphore_wait(uint32_t id) { return cl_sw_settle(cl_sw_semaphore_wait(id)); }

/* The same; or RESUMED: then it has waited, and must be called again. */
uint32_t cl_sw_port_receive(uint32_t id, uint32_t *word);
uint32_t cl_sw_port_receive_words(uint32_t id, uint32_t *word, uint32_t *words, uint32_t room);
CL_INLINE uint32_t cl_backend_port_receive_once(uint32_t id, uint32_t *word, uint32_t *words, uint32_t room) {
  uint32_t answer = CL_IS_BLOCK(words) ? cl_sw_port_receive_words(id, word, words, room) : cl_sw_port_receive(id, word);
  if ((int32_t)answer >= 0) return answer;
  cl_switch_here(answer);
  return CL_RESUMED;
}
CL_INLINE uint32_t cl_backend_port_receive(uint32_t id, uint32_t *word, uint32_t *words, uint32_t room) {
  uint32_t answer;
  do answer = cl_backend_port_receive_once(id, word, words, room);
  while (answer == CL_RESUMED);
  return answer;
}

#define CL_BACKEND_TIMEOUTS 0
static inline int cl_backend_timeout_start(uint64_t at) { return (void)at, 0; }
static inline uint32_t cl_backend_wait_until(unsigned op, uint32_t id, uint32_t word) {
  return (void)op, (void)id, (void)word, CL_STATUS(CL_STATUS_EINVAL);
}
#define cl_backend_port_send_until cl_backend_port_send_once
#define cl_backend_port_receive_until cl_backend_port_receive_once

#define CL_BACKEND_EVENT_FLAGS 0
static inline uint32_t cl_op_flags(unsigned op, uint32_t id, uint32_t word) {
  return (void)op, (void)id, (void)word, CL_STATUS(CL_STATUS_EINVAL);
}
static inline uint32_t cl_op_flags_wait(unsigned op, uint32_t id, uint32_t word) { return cl_op_flags(op, id, word); }
static inline uint32_t cl_op_flags_read(unsigned op, uint32_t id, uint32_t *word) {
  return cl_op_flags(op, id, *word = 0);
}
#define CL_BACKEND_INHERITANCE 0
static inline uint32_t cl_backend_mutex_protocol(uint32_t id, uint32_t word) {
  return (void)id, (void)word, CL_STATUS(CL_STATUS_EINVAL);
}

/* The kernel is never interrupted, so every thread that is computes. */
#define CL_BACKEND_CLEARS_IPI 0
#define CL_BACKEND_TRAPS_FOR_SIGNALS 1
static inline int cl_backend_computes(uint32_t thread) { return (void)thread, 1; }

uint32_t cl_op_semaphore_post_in_trap(uint32_t id);
uint32_t cl_op_mutex_lock_apart(uint32_t id);
uint32_t cl_op_move(uint32_t word);
__attribute__((noreturn)) void cl_op_thread_exit(void);
void cl_backend_start(void);

#endif
