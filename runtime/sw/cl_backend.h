/* SPDX-License-Identifier: Apache-2.0
 *
 * The software kernel: every operation is a call (cl_sw.c), which link-time optimisation inlines. */
#ifndef CL_BACKEND_H
#define CL_BACKEND_H

#define CL_DIRECT(prototype, access) prototype;
#include "cl_kernel_calls.h"

uint32_t cl_op_thread_join(uint32_t id);
uint32_t cl_op_barrier_wait(uint32_t id, uint32_t others);

/* cl_sw_...: may return GIVE_WAY, with interrupts disabled and the kernel locked. It switches in place. */
CL_INLINE uint32_t cl_sw_settle(uint32_t word) {
  if (CL_UNLIKELY((int32_t)word >= 0)) return word;
  cl_switch_here(word);
  return CL_RESUMED;
}

uint32_t cl_sw_yield(void);
uint32_t cl_sw_interrupt_wait(uint32_t id);
CL_INLINE uint32_t cl_op_yield(void) { return cl_sw_settle(cl_sw_yield()); }
CL_INLINE uint32_t cl_op_interrupt_wait(uint32_t id) { return cl_sw_settle(cl_sw_interrupt_wait(id)); }

/* --- the interface's operations with `until` (cl_waits.h) --- */

uint32_t cl_sw_mutex_trylock(uint32_t id);
uint32_t cl_sw_mutex_lock(uint32_t id);
uint32_t cl_sw_semaphore_trywait(uint32_t id);
uint32_t cl_sw_semaphore_wait(uint32_t id);
uint32_t cl_sw_cond_wait(uint32_t id, uint32_t ticket);

#define CL_BACKEND_TIMEOUTS 0
CL_INLINE uint32_t cl_backend_wait(unsigned op, uint32_t id, uint32_t word, uint64_t until) {
  const int waits = !CL_IS(until, CL_NOW);
  switch (op) {
    case CL_OP_MUTEX_LOCK: return waits ? cl_sw_mutex_lock(id) : cl_sw_mutex_trylock(id);
    case CL_OP_SEMAPHORE_WAIT: return waits ? cl_sw_settle(cl_sw_semaphore_wait(id)) : cl_sw_semaphore_trywait(id);
    default: return cl_sw_cond_wait(id, word);
  }
}

/* The common path of a message of one word, for which `words` is the constant NULL, has functions of its own. */
uint32_t cl_sw_port_trysend(uint32_t id, uint32_t word, const uint32_t *words, uint32_t count);
uint32_t cl_sw_port_send_once(uint32_t id, uint32_t word, const uint32_t *words, uint32_t count);
uint32_t cl_sw_port_send(uint32_t id, uint32_t word);
uint32_t cl_sw_port_send_words(uint32_t id, const uint32_t *words, uint32_t count);
CL_INLINE uint32_t cl_backend_port_send(uint32_t id, uint32_t word, const uint32_t *words, uint64_t until) {
  const int block = CL_IS_BLOCK(words);
  if (CL_IS(until, CL_NOW)) return cl_sw_port_trysend(id, word, words, block ? word : 0);
  if (CL_IS(until, CL_ONCE)) return cl_sw_port_send_once(id, word, words, block ? word : 0);
  uint32_t answer = block ? cl_sw_port_send_words(id, words, word) : cl_sw_port_send(id, word);
  if (CL_LIKELY(!answer)) return 0; /* so the caller looks for no error in it */
  __asm__("" : "+r"(answer)); /* else the compiler drops the test */
  return answer;
}

/* Those that wait may return GIVE_WAY, as above; or RESUMED: then they have waited, and must be called again. */
uint32_t cl_sw_port_tryreceive(uint32_t id, uint32_t *word);
uint32_t cl_sw_port_tryreceive_words(uint32_t id, uint32_t *word, uint32_t *words, uint32_t room);
uint32_t cl_sw_port_receive(uint32_t id, uint32_t *word);
uint32_t cl_sw_port_receive_words(uint32_t id, uint32_t *word, uint32_t *words, uint32_t room);
CL_INLINE uint32_t cl_backend_port_receive(uint32_t id, uint32_t *word, uint32_t *words, uint32_t room,
                                           uint64_t until) {
  const int block = CL_IS_BLOCK(words);
  if (CL_IS(until, CL_NOW))
    return block ? cl_sw_port_tryreceive_words(id, word, words, room) : cl_sw_port_tryreceive(id, word);
  uint32_t answer;
  do {
    answer = block ? cl_sw_port_receive_words(id, word, words, room) : cl_sw_port_receive(id, word);
    if ((int32_t)answer < 0) {
      cl_switch_here(answer);
      answer = CL_RESUMED;
    }
  } while (CL_IS(until, CL_NEVER) && answer == CL_RESUMED);
  return answer;
}

#define CL_BACKEND_EVENT_FLAGS 0
static inline uint32_t cl_op_flags(unsigned op, uint32_t id, uint32_t *word) {
  return (void)op, (void)id, (void)word, CL_STATUS(CL_STATUS_EINVAL);
}
#define CL_BACKEND_INHERITANCE 0
#define CL_BACKEND_MONITORS 0

/* The kernel is never interrupted, so every thread that is computes. */
#define CL_BACKEND_CLEARS_IPI 0
#define CL_BACKEND_TRAPS_FOR_SIGNALS 1
static inline int cl_backend_computes(uint32_t thread) { return (void)thread, 1; }

uint32_t cl_backend_leave(uint32_t op, uint32_t id, uint32_t thread);
uint32_t cl_op_semaphore_post_in_trap(uint32_t id);
uint32_t cl_op_mutex_lock_apart(uint32_t id);
uint32_t cl_op_move(uint32_t word);
__attribute__((noreturn)) void cl_op_thread_exit(void);
void cl_backend_start(void);

#endif
