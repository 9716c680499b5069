/* SPDX-License-Identifier: Apache-2.0
 *
 * The hardware kernel: every operation is one load on the CPU's private kernel port, after a store of the argument
 * word if there is one. No other CPU or thread can interfere in between: the port's argument register belongs to the
 * thread (traps save and restore it). */
#ifndef CL_BACKEND_H
#define CL_BACKEND_H

static inline volatile uint32_t *cl_port(unsigned op, uint32_t id) {
  return (volatile uint32_t *)(CL_KERNEL_PORT + (op << CL_ADDRESS_OP_LSB) + (id << CL_ADDRESS_ID_LSB));
}

/* The load that executes the operation. A compiler barrier on both sides, as locks are among the operations. */
static inline uint32_t cl_port_load(unsigned op, uint32_t id) {
  __asm__ volatile("" ::: "memory");
  uint32_t word = *cl_port(op, id);
  __asm__ volatile("" ::: "memory");
  return word;
}

/* In a program with signals interrupts are disabled between GIVE_WAY and SAVED: a trap there could not ask the kernel
 * whether its thread runs (cl_signals_in_trap). */
static inline void cl_hw_irq_on(uint32_t word) {
  if (!CL_SIGNALS || (int32_t)word >= 0) cl_irq_on();
}

/* A load in which the CPU may wait, with interrupts disabled already or ... */
static inline uint32_t cl_port_wait_masked(unsigned op, uint32_t id) {
  cl_cpu_time_stop();
  uint32_t word = cl_port_load(op, id);
  cl_cpu_time_go();
  return word;
}
/* ... not. */
static inline uint32_t cl_port_wait(unsigned op, uint32_t id) {
  if (CL_SIGNALS) cl_irq_off();
  uint32_t word = cl_port_wait_masked(op, id);
  if (CL_SIGNALS) cl_hw_irq_on(word);
  return word;
}

uint32_t cl_hw_interrupted(void);

/* Act on the word returned by a waiting operation. */
static inline uint32_t cl_hw_settle(uint32_t word) {
  if (CL_LIKELY(word <= CL_WORD_VALUE_MASK)) return word;
  if ((int32_t)word < 0) return cl_switch(word); /* GIVE_WAY */
  if (CL_UNLIKELY(word == CL_STATUS(CL_STATUS_EINTR))) return cl_hw_interrupted();
  return word;
}

/* The same: what is not answered at once or in place leaves for assembly that keeps a1, too, so that a function which
 * has something left to do needs no frame. */
static inline uint32_t cl_hw_settle_frameless(uint32_t word) {
  if (CL_LIKELY(word <= CL_WORD_VALUE_MASK)) return word;
  if (CL_LIKELY(word == CL_RESUMED)) return CL_RESUMED;
  register uint32_t a0 __asm__("a0") = word;
  __asm__ volatile("call t0, cl_hw_settle_apart"
                   : "+r"(a0)
                   :
                   : "t0", "t1", "t2", "t3", "t4", "t5", "t6", "a2", "a3", "a4", "a5", "a6", "a7", "memory");
  return a0;
}

/* The same after a store of the argument word. */
CL_INLINE uint32_t cl_port_give(unsigned op, uint32_t id, uint32_t word) {
  *cl_port(CL_OP_WORD0, 0) = word;
  return cl_port_load(op, id);
}
CL_INLINE uint32_t cl_port_give_and_wait(unsigned op, uint32_t id, uint32_t word) {
  *cl_port(CL_OP_WORD0, 0) = word;
  return cl_port_wait(op, id);
}

/* Switches in place. `mostly`: whether it mostly has to, for the order of the checks. */
CL_INLINE uint32_t cl_hw_settle_in_place(uint32_t answer, int mostly) {
  if (!mostly && answer <= CL_WORD_VALUE_MASK) return answer;
  if (CL_UNLIKELY((int32_t)answer >= 0)) return answer == CL_RESUMED ? CL_RESUMED : cl_hw_settle(answer);
  cl_switch_here(answer);
  return CL_RESUMED;
}

#define CL_DIRECT(prototype, access) \
  CL_INLINE prototype { return access; }
#include "cl_kernel_calls.h"

CL_INLINE uint32_t cl_op_thread_join(uint32_t id) { return cl_hw_settle(cl_port_wait(CL_OP_THREAD_JOIN, id)); }
CL_INLINE uint32_t cl_op_barrier_wait(uint32_t id, uint32_t others) {
  return cl_hw_settle(cl_port_give_and_wait(CL_OP_BARRIER_WAIT, id, others));
}
CL_INLINE uint32_t cl_op_yield(void) { return cl_hw_settle_in_place(cl_port_wait(CL_OP_YIELD, 0), 1); }
CL_INLINE uint32_t cl_op_interrupt_wait(uint32_t id) {
  return cl_hw_settle_in_place(cl_port_wait(CL_OP_INTERRUPT_WAIT, id), 1);
}

/* Messages: `words` is the constant NULL for one of a word (cl_waits.h). Further words are not saved by traps, so no other
 * thread may run on this CPU between them and their operation. */
CL_INLINE uint32_t cl_hw_send(unsigned op, uint32_t id, uint32_t word, const uint32_t *words) {
  const int waits = op == CL_OP_PORT_SEND;
  if (!CL_IS_BLOCK(words)) return waits ? cl_port_give_and_wait(op, id, word) : cl_port_give(op, id, word);
  cl_irq_off();
  cl_words_put(cl_port(CL_OP_WORD0, 1), words, word);
  *cl_port(CL_OP_WORD0, 0) = word;
  uint32_t answer = waits ? cl_port_wait_masked(op, id) : cl_port_load(op, id);
  cl_hw_irq_on(answer);
  return answer;
}

CL_INLINE uint32_t cl_hw_ask(unsigned op, uint32_t id, int block) {
  if (block) cl_irq_off();
  if (op != CL_OP_PORT_RECEIVE) return cl_port_load(op, id);
  return block ? cl_port_wait_masked(op, id) : cl_port_wait(op, id);
}

/* After the operation that answered: its message, if there is one. */
CL_INLINE uint32_t cl_hw_get(uint32_t answer, uint32_t *word, uint32_t *words, uint32_t room) {
  if (CL_LIKELY(answer <= CL_WORD_VALUE_MASK)) {
    *word = *cl_port(CL_OP_WORD0, 0);
    if (CL_IS_BLOCK(words)) cl_words_get(words, cl_port(CL_OP_WORD0, 1), *word, room);
  }
  if (CL_IS_BLOCK(words)) cl_hw_irq_on(answer);
  return answer;
}

/* If the CPU should give way, the kernel interrupts it afterwards. */
/* The thread interrupted may be between two operations that share WORD0. */
static inline uint32_t cl_op_semaphore_post_in_trap(uint32_t id) {
  uint32_t word = *cl_port(CL_OP_WORD0, 0), answer = cl_op_semaphore_post(id);
  *cl_port(CL_OP_WORD0, 0) = word;
  return answer;
}

/* A handler could have a deadline of its own before the wait begins. */
#define CL_BACKEND_TIMEOUTS (CL_TIMEOUTS && !CL_SIGNALS)

/* A later deadline than the kernel compares is left to the timer. */
static inline int cl_hw_timeout_start(uint64_t at) {
  if ((int64_t)(at - cl_now()) >= 1 << 30) return 0;
  *cl_port(CL_OP_WORD0, 0) = (uint32_t)at;
  return !cl_port_load(CL_OP_TIMEOUT_START, 0);
}

/* As cl_hw_settle, of a thread with a deadline: takes it away, which is also the operation that says SAVED. */
CL_INLINE uint32_t cl_hw_settle_until(uint32_t word) {
  uint32_t late;
  if (CL_LIKELY((int32_t)word < 0)) {
    register uint32_t a0 __asm__("a0") = word;
    CL_SWITCH_HERE(a0, "lui a0, %%hi(%3)\nlw a0, %%lo(%3)(a0)\n", CL_OP_TIMEOUT_STOP, "");
    late = a0;
    word = CL_RESUMED;
  } else {
    if (CL_UNLIKELY(word == CL_STATUS(CL_STATUS_EINTR))) word = cl_hw_interrupted();
    late = cl_port_load(CL_OP_TIMEOUT_STOP, 0);
  }
  return CL_LIKELY(late) ? CL_LATE : word;
}

/* The interface's operations with `until` (cl_waits.h). A limit later than the kernel compares is rare: its code is out of
 * line (kernel/timer.c). */

uint32_t cl_wait_by_timer(unsigned op, uint32_t id, uint32_t word, uint64_t at);
uint32_t cl_port_send_by_timer(uint32_t id, uint32_t word, const uint32_t *words, uint64_t at);
uint32_t cl_port_receive_by_timer(uint32_t id, uint32_t *word, uint32_t *words, uint32_t room, uint64_t at);

CL_INLINE uint32_t cl_backend_wait(unsigned op, uint32_t id, uint32_t word, uint64_t until) {
  if (CL_IS(until, CL_NOW)) {
    switch (op) {
      case CL_OP_MUTEX_LOCK: return cl_port_load(CL_OP_MUTEX_TRYLOCK, id);
      case CL_OP_SEMAPHORE_WAIT: return cl_port_load(CL_OP_SEMAPHORE_TRYWAIT, id);
      default: return cl_port_give(op - CL_OP_FLAGS_WAIT_ANY + CL_OP_FLAGS_TRYWAIT_ANY, id, word);
    }
  }
  if (CL_IS(until, CL_NEVER)) {
    switch (op) {
      case CL_OP_MUTEX_LOCK: return cl_hw_settle_frameless(cl_port_wait(op, id));
      case CL_OP_SEMAPHORE_WAIT: return cl_hw_settle_in_place(cl_port_wait(op, id), 0);
      case CL_OP_COND_WAIT: return cl_hw_settle_frameless(cl_port_give_and_wait(op, id, word));
      default: return cl_hw_settle_in_place(cl_port_give_and_wait(op, id, word), 0);
    }
  }
  if (CL_UNLIKELY(!cl_hw_timeout_start(until))) return cl_wait_by_timer(op, id, word, until);
  return cl_hw_settle_until(cl_port_give_and_wait(op, id, word));
}

CL_INLINE uint32_t cl_backend_port_send(uint32_t id, uint32_t word, const uint32_t *words, uint64_t until) {
  if (CL_IS(until, CL_NOW)) return cl_hw_send(CL_OP_PORT_TRYSEND, id, word, words);
  if (!__builtin_constant_p(until)) {
    if (CL_UNLIKELY(!cl_hw_timeout_start(until))) return cl_port_send_by_timer(id, word, words, until);
    return cl_hw_settle_until(cl_hw_send(CL_OP_PORT_SEND, id, word, words));
  }
  uint32_t answer;
  do {
    answer = cl_hw_send(CL_OP_PORT_SEND, id, word, words);
    if (CL_LIKELY(!answer)) return 0;
    answer = cl_hw_settle(answer);
  } while (CL_IS(until, CL_NEVER) && answer == CL_RESUMED);
  return answer;
}

CL_INLINE uint32_t cl_backend_port_receive(uint32_t id, uint32_t *word, uint32_t *words, uint32_t room,
                                           uint64_t until) {
  const int block = CL_IS_BLOCK(words);
  if (CL_IS(until, CL_NOW)) return cl_hw_get(cl_hw_ask(CL_OP_PORT_TRYRECEIVE, id, block), word, words, room);
  if (!__builtin_constant_p(until)) {
    if (CL_UNLIKELY(!cl_hw_timeout_start(until))) return cl_port_receive_by_timer(id, word, words, room, until);
    return cl_hw_settle_until(cl_hw_get(cl_hw_ask(CL_OP_PORT_RECEIVE, id, block), word, words, room));
  }
  uint32_t answer;
  if (CL_IS(until, CL_ONCE)) {
    answer = cl_hw_get(cl_hw_ask(CL_OP_PORT_RECEIVE, id, block), word, words, room);
    return answer <= CL_WORD_VALUE_MASK ? answer : cl_hw_settle(answer);
  }
  do { /* a message of one word is looked for last: then the thread mostly has to wait */
    answer = cl_hw_ask(CL_OP_PORT_RECEIVE, id, block);
    if (block) cl_hw_get(answer, word, words, room);
    if ((int32_t)answer < 0) {
      cl_switch_here(answer);
      answer = CL_RESUMED;
    } else if (answer <= CL_WORD_VALUE_MASK) {
      return block ? answer : cl_hw_get(answer, word, words, room);
    } else {
      answer = cl_hw_settle(answer);
    }
  } while (answer == CL_RESUMED);
  return answer;
}

#define CL_BACKEND_EVENT_FLAGS CL_EVENT_FLAGS
CL_INLINE uint32_t cl_op_flags(unsigned op, uint32_t id, uint32_t *word) {
  if (op != CL_OP_FLAGS_GET && op != CL_OP_FLAGS_FOUND) return cl_port_give(op, id, *word);
  uint32_t answer = cl_port_load(op, id);
  if (!answer) *word = *cl_port(CL_OP_WORD0, 0);
  return answer;
}
#define CL_BACKEND_INHERITANCE CL_INHERITANCE
#define CL_BACKEND_MONITORS CL_MONITORS
/* Unlocks the mutex and waits for a signal of the condition variable. Answers RESUMED with the mutex; 0 perhaps without
 * it: then mutex_lock is refused with EDEADLK if the thread has it. */
CL_INLINE uint32_t cl_op_mutex_wait(uint32_t id, uint32_t condition) {
  uint32_t word = cl_port_give_and_wait(CL_OP_MUTEX_WAIT, id, condition);
  if (CL_LIKELY(word == CL_RESUMED)) return CL_RESUMED;
  word = cl_hw_settle_frameless(word);
  return CL_LIKELY(word == CL_RESUMED) ? 0 : word;
}

static inline uint32_t cl_backend_leave(uint32_t op, uint32_t id, uint32_t thread) {
  return cl_backend_op(op, id, thread);
}

uint32_t cl_op_move(uint32_t word);
static inline uint32_t cl_op_mutex_lock_apart(uint32_t id) {
  return cl_backend_wait(CL_OP_MUTEX_LOCK, id, 0, CL_NEVER);
}

/* A thread that a trap has interrupted is the kernel's running one, and so does not wait. */
#define CL_BACKEND_CLEARS_IPI 1
#define CL_BACKEND_TRAPS_FOR_SIGNALS (CL_REGISTER_BANKS == 1) /* else a thread that computes does not hear of them */
static inline int cl_backend_computes(uint32_t thread) {
  uint32_t word = cl_op_thread_read(thread);
  return (word >> CL_THREAD_WORD_STATE_LSB & CL_THREAD_WORD_STATE_MASK) == CL_STATE_RUNNING &&
         (word >> CL_THREAD_WORD_CPU_LSB & CL_THREAD_WORD_CPU_MASK) == (CL_CPUS > 1 ? cl_local_read(CL_CPU_ID) : 0);
}

__attribute__((noreturn)) void cl_op_thread_exit(void);
static inline void cl_backend_start(void) {}

#endif
