/* SPDX-License-Identifier: Apache-2.0
 *
 * The internal interface between the POSIX layer and either kernel.
 *
 * Each kernel's back end implements it: runtime/hw/cl_backend.h (one load on the kernel port each) or
 * runtime/sw/cl_backend.h (one call each). docs/reference/kernel.md defines the operations.
 *
 * An operation returns the kernel's word. An operation that waits returns when the calling thread runs again, with
 * RESUMED set if it was switched out or slept; GIVE_WAY is never returned. port_send and port_receive, which must be
 * repeated in that case, do so themselves. */
#ifndef CL_KERNEL_H
#define CL_KERNEL_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>

#include "cl_arch.h"
#include "cl_compiler.h"
#include "cl_kernel_ops.h"
#include "cl_machine.h"
#include "cl_words.h"

/* X(name, CODE, arguments) declares uint32_t cl_op_<name>(arguments):
 * V: (void), I: (uint32_t id), W: (uint32_t word), IW: (uint32_t id, uint32_t word). */
#define CL_OPS_DIRECT(X)                      \
  X(thread_create, THREAD_CREATE, W)          \
  X(thread_start, THREAD_START, I)            \
  X(thread_detach, THREAD_DETACH, I)          \
  X(set_sched_param, SET_SCHED_PARAM, IW)     \
  X(get_sched_param, GET_SCHED_PARAM, I)      \
  X(check_sched_param, CHECK_SCHED_PARAM, IW) \
  X(thread_read, THREAD_READ, I)              \
  X(slice, SLICE, W)                          \
  X(mutex_create, MUTEX_CREATE, V)            \
  X(mutex_destroy, MUTEX_DESTROY, I)          \
  X(mutex_trylock, MUTEX_TRYLOCK, I)          \
  X(mutex_unlock, MUTEX_UNLOCK, I)            \
  X(semaphore_create, SEMAPHORE_CREATE, W)    \
  X(semaphore_destroy, SEMAPHORE_DESTROY, I)  \
  X(semaphore_trywait, SEMAPHORE_TRYWAIT, I)  \
  X(semaphore_post, SEMAPHORE_POST, I)        \
  X(semaphore_value, SEMAPHORE_VALUE, I)      \
  X(cond_create, COND_CREATE, V)              \
  X(cond_destroy, COND_DESTROY, I)            \
  X(cond_ticket, COND_TICKET, I)              \
  X(cond_signal, COND_SIGNAL, I)              \
  X(cond_broadcast, COND_BROADCAST, I)        \
  X(interrupt_bind, INTERRUPT_BIND, IW)       \
  X(interrupt_unbind, INTERRUPT_UNBIND, I)    \
  X(interrupt_raise, INTERRUPT_RAISE, I)      \
  X(set_weight, SET_WEIGHT, IW)               \
  X(set_deadline, SET_DEADLINE, IW)           \
  X(dequeue, DEQUEUE, V)                      \
  X(remove, REMOVE, I)                        \
  X(get_entry, GET_ENTRY, I)                  \
  X(is_queued, IS_QUEUED, I)                  \
  X(is_empty, IS_EMPTY, V)                    \
  X(set_idle_thread, SET_IDLE_THREAD, I)      \
  X(reserve, RESERVE, IW)                     \
  X(release, RELEASE, I)                      \
  X(port_open, PORT_OPEN, IW)                 \
  X(port_close, PORT_CLOSE, I)                \
  X(port_trysend, PORT_TRYSEND, IW)           \
  X(port_publish, PORT_PUBLISH, V)

#define CL_OPS_WAITING(X)        \
  X(thread_join, THREAD_JOIN, I) \
  X(barrier_wait, BARRIER_WAIT, IW)

/* Operations that wait in place more often than they switch, and after which the caller has more to do. */
#define CL_OPS_FRAMELESS(X)    \
  X(mutex_lock, MUTEX_LOCK, I) \
  X(cond_wait, COND_WAIT, IW)

/* Inlined, and switched in place (cl_switch_here). MOSTLY: whether they mostly switch, for the order of the checks. */
#define CL_OPS_IN_PLACE(X)                \
  X(yield, YIELD, V, 1)                   \
  X(semaphore_wait, SEMAPHORE_WAIT, I, 0) \
  X(interrupt_wait, INTERRUPT_WAIT, I, 1)

/* Both back ends also have
 *   uint32_t cl_op_port_send(uint32_t id, uint32_t word)         waits
 *   uint32_t cl_op_port_receive(uint32_t id, uint32_t *word)     waits; *word is set if the status is 0
 *   uint32_t cl_op_port_tryreceive(uint32_t id, uint32_t *word)
 * and the same for a message of up to CL_PORT_WORDS words, whose first word in the port is their number; by threads only,
 * with interrupts enabled. Of a received one as many are stored as there is room for; none if *word is a larger number:
 *   uint32_t cl_op_port_send_words(uint32_t id, const uint32_t *words, uint32_t count)
 *   uint32_t cl_op_port_trysend_words(the same)
 *   uint32_t cl_op_port_receive_words(uint32_t id, uint32_t *word, uint32_t *words, uint32_t room)
 *   uint32_t cl_op_port_tryreceive_words(the same)
 * and
 *   uint32_t cl_op_semaphore_post_in_trap(uint32_t id)           from a handler of the communication port
 *   uint32_t cl_op_move(uint32_t word)       its status; RESUMED is never returned
 *   uint32_t cl_op_mutex_lock_apart(uint32_t id)                 mutex_lock, for rare callers: the other stays inlined
 *   noreturn void cl_op_thread_exit(void)    the caller's stack may be reused as soon as it is called
 *   void cl_backend_start(void)              once, on CPU 0, before any other operation; interrupts are disabled */
/* For timed waits (runtime/posix/timed.h):
 *   uint32_t cl_op_port_send_once(uint32_t id, uint32_t word)       RESUMED: it has waited and must be repeated
 *   uint32_t cl_op_port_receive_once(uint32_t id, uint32_t *word)   the same
 *   cl_op_port_send_words_once, cl_op_port_receive_words_once       the same
 *   void cl_backend_lock(void), cl_backend_unlock(void)   a short critical section: all CPUs, interrupts disabled
 *   uint32_t cl_backend_op(uint32_t op, uint32_t id, uint32_t word)   with the lock, by a thread: an operation that does
 *     not wait (those that wait.c and mutex.c use); a better thread that it makes ready runs after cl_backend_unlock
 *   void cl_backend_unlock_quietly(void)   cl_backend_unlock if there was no cl_backend_op
 *   void cl_backend_timer(int added)   with the lock: cl_timers and cl_timers_count have changed; one is added, or removed
 *   uint32_t cl_backend_leave(uint32_t op, uint32_t id, uint32_t thread)   with the lock, in an interrupt: ..._leave
 *   CL_BACKEND_TIMEOUTS   1: the kernel can end the caller's wait itself:
 *   int cl_backend_timeout_start(uint64_t at)   0: not at so late a time
 *   void cl_backend_timeout_stop(void)          after that, without a wait
 *   uint32_t cl_backend_wait_until(unsigned op, uint32_t id, uint32_t word)   after that: the operation waits; CL_LATE: the
 *     limit has ended the wait. Switches in place. Also, with _once's meaning of RESUMED:
 *   cl_op_port_send_until, cl_op_port_receive_until, cl_op_port_send_words_until, cl_op_port_receive_words_until
 *   CL_BACKEND_INHERITANCE   1: the kernel's mutexes can have a protocol:
 *   uint32_t cl_backend_mutex_protocol(uint32_t id, uint32_t word)   mutex_protocol
 *   CL_BACKEND_EVENT_FLAGS   1: it has the operations on event flags, flags_...:
 *   uint32_t cl_op_flags(unsigned op, uint32_t id, uint32_t word)         those that do not wait, but:
 *   uint32_t cl_op_flags_read(unsigned op, uint32_t id, uint32_t *word)   get, found; *word is set if the status is 0
 *   uint32_t cl_op_flags_wait(unsigned op, uint32_t id, uint32_t word)    those that wait
 * and call cl_timers_look, with the lock, when this CPU's first timer has expired. */
#define CL_PARAMETERS_V void
#define CL_PARAMETERS_I uint32_t id
#define CL_PARAMETERS_W uint32_t word
#define CL_PARAMETERS_IW uint32_t id, uint32_t word

#define CL_GIVE_WAY (CL_WORD_GIVE_WAY_MASK << CL_WORD_GIVE_WAY_LSB)
#define CL_RESUMED (CL_WORD_RESUMED_MASK << CL_WORD_RESUMED_LSB)
#define CL_STATUS(code) ((uint32_t)(code) << CL_WORD_STATUS_LSB)
#define CL_LATE CL_STATUS(ETIMEDOUT)      /* not the kernel's: a time limit has ended the wait */
#define CL_CANCELED CL_STATUS(ECANCELED) /* and a cancellation */

/* Error number and value in a word. */
static inline int cl_status(uint32_t word) { return (int)(word >> CL_WORD_STATUS_LSB & CL_WORD_STATUS_MASK); }
static inline uint32_t cl_value(uint32_t word) { return word & CL_WORD_VALUE_MASK; }

/* --- Threads, as the context switch knows them (runtime/arch/cl_switch.S) --- */

struct cl_join {
  void *value;
  int set;
};

struct cl_thread {
  uint32_t sp;          /* while it is suspended: its stack pointer */
  int error;            /* errno */
  void *value;          /* argument of pthread_exit */
  struct cl_join *join; /* where to store it for the joiner */
  unsigned char local[(1u << CL_THREAD_SHIFT) - 16]; /* its _Thread_local variables, placed by the linker */
} __attribute__((aligned(CL_THREAD_SHIFT > 6 ? 64 : CL_THREAD_SHIFT > 4 ? 1 << CL_THREAD_SHIFT : 4)));
_Static_assert(sizeof(struct cl_thread) == 1u << CL_THREAD_SHIFT, "cl_switch.S computes addresses with it");
_Static_assert(offsetof(struct cl_thread, sp) == CL_THREAD_SP, "cl_switch.S uses it");

/* After the threads: each CPU's idle context, with a policy (runtime/sw/cl_sw_policy.h). */
#ifdef CL_POLICY
#define CL_CONTEXTS (CL_THREADS + CL_CPUS)
#else
#define CL_CONTEXTS CL_THREADS
#endif
extern struct cl_thread cl_threads[CL_CONTEXTS];

/* The running thread: tp, from its first to its last instruction. */
static inline struct cl_thread *cl_self(void) {
  struct cl_thread *self;
  __asm__("mv %0, tp" : "=r"(self));
  return self;
}

/* Prepare a new thread to start with cl_thread_main(start, argument) on the given stack. */
void cl_thread_prepare(uint32_t tid, void *stack, size_t size, void *(*start)(void *), void *argument);
__attribute__((noreturn)) void cl_thread_main(void *(*start)(void *), void *argument);

/* CPU-time clocks (posix/cpu_time.c). CL_CPU_TIME is 1 for a program that reads one (src/coreloom/toolchain/firmware.py):
 * others pay nothing. cl_switch_to calls cl_cpu_time_next, which counts for the thread of the time until now, and begins
 * another's. */
#ifndef CL_CPU_TIME
#define CL_CPU_TIME 0
#endif
/* 1 for a program with signals (posix/signals.h). */
#ifndef CL_SIGNALS
#define CL_SIGNALS 0
#endif
void cl_cpu_time_stop_apart(void);
void cl_cpu_time_next(void);
void cl_cpu_time_reset(uint32_t thread); /* of a new thread */

/* Before this CPU waits: nothing runs. */
static inline void cl_cpu_time_stop(void) {
  if (CL_CPU_TIME) cl_cpu_time_stop_apart();
}

/* The caller runs (on). */
static inline void cl_cpu_time_go(void) {
  if (CL_CPU_TIME) cl_cpu_time_next();
}

uint32_t cl_switch(uint32_t word); /* returns RESUMED, interrupts on */
/* The same, on what `tail` finds out on the boot stack; called with interrupts disabled, as tail is. */
uint32_t cl_switch_by(void (*tail)(void));
void cl_switch_in_trap(uint32_t word);

/* A resuming thread's notice to the kernel and to the trace. With two banks of registers x0 reaches both (cl_frame). */
#if CL_REGISTER_BANKS > 1
#define CL_SAVED_TEXT "sw zero, %%lo(%4)(zero)\n"
#define CL_RUN_TEXT "sw t1, %%lo(%2)(zero)\n"
#else
#define CL_SAVED_TEXT "lui t0, %%hi(%4)\nsw zero, %%lo(%4)(t0)\n"
#define CL_RUN_TEXT "sw t1, %%lo(%2)(t2)\n"
#endif

/* The same inline: the compiler saves only live registers instead of all callee-saved ones. For code that is inlined
 * into a thread's loop; elsewhere the enclosing function would have to save everything on entry. `saved` says
 * SAVED, by an access to the kernel port at %3; `last` enables interrupts. */
#define CL_SWITCH_HERE(a0, saved, op, last)                                                                         \
  __asm__ volatile(                                                                                                 \
      "call t0, cl_switch_away\n" saved "srli t1, t1, %1\n" CL_RUN_TEXT last                                        \
      : "+r"(a0)                                                                                                    \
      : "i"(CL_THREAD_SHIFT), "i"(CL_RUN), "i"(CL_KERNEL_PORT + ((op) << CL_ADDRESS_OP_LSB)), "i"(CL_SAVED)         \
      : "ra", "t0", "t1", "t2", "t3", "t4", "t5", "t6", "a1", "a2", "a3", "a4", "a5", "a6", "a7", "s0", "s1", "s2", \
        "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "memory")

CL_INLINE void cl_switch_here(uint32_t word) {
  register uint32_t a0 __asm__("a0") = word;
#if defined(CL_KERNEL_HW) && CL_SIGNALS
  CL_SWITCH_HERE(a0, CL_SAVED_TEXT, CL_OP_SAVED, CL_IRQ_ON_TEXT);
#elif defined(CL_KERNEL_HW)
  CL_SWITCH_HERE(a0, CL_SAVED_TEXT, CL_OP_SAVED, "");
#else
  CL_SWITCH_HERE(a0, "", CL_OP_SAVED, CL_IRQ_ON_TEXT);
#endif
}

__attribute__((noreturn)) void cl_switch_to(uint32_t word);

/* Continue in `tail` on the boot stack of this CPU; interrupts must be disabled. */
__attribute__((noreturn)) void cl_on_boot_stack(void (*tail)(void));

/* Called by the trap entry with interrupts off, and must return so. PicoRV32, VexRiscv: the causes, a bit an interrupt. */
void cl_interrupt(uint32_t causes);

/* Called by the trap entry, too: the communication port's interrupt. NULL while no program has a handler for it. */
extern void (*cl_ipc_dispatch)(void);

/* For each CPU: the handlers that the standard core's trap entry calls directly. It relies on layout and size. */
struct cl_ipc_first {
  const volatile uint32_t *take;   /* answers the bells that rang, or an error */
  const volatile uint32_t *levels; /* of the wire, in the bit of the mask */
  void (*bell)(uint32_t bells);
  void (*wire)(unsigned cpu);
  uint32_t mask;
  unsigned cpu;
  void (*others)(void); /* NULL: there are no other handlers */
  uint32_t woke; /* a handler has woken a thread that may be better: the software kernel looks */
};
extern struct cl_ipc_first cl_ipc_first[];

/* Called by start.S on its boot stack (CPU 0: on the main thread's stack), interrupts off. */
__attribute__((noreturn)) void cl_boot_main(void);
__attribute__((noreturn)) void cl_boot_other(void);

struct cl_timer {
  struct cl_timer *next;
  uint64_t at; /* mtime */
  uint32_t leave;
  uint32_t object;
  uint32_t thread;
  uint32_t cpu;
  uint32_t patience; /* cycles until it checks again whether its thread waits */
  uint32_t runs;
  uint32_t ended;
};

extern struct cl_timer *cl_timers[CL_CPUS]; /* of each CPU the first */
extern uint32_t cl_timers_count;            /* of all CPUs */
void cl_timers_look(uint32_t cpu);
uint64_t cl_now(void); /* mtime */
/* The mtime when its lower word was `low`, some cycles ago: for limits that count from the call. */
static inline uint64_t cl_then(uint32_t low) {
  uint32_t high = cl_local_read(CL_MTIME_HI);
  if (CL_UNLIKELY(cl_local_read(CL_MTIME_LO) < low)) return cl_now(); /* it has wrapped */
  return (uint64_t)high << 32 | low;
}
void cl_backend_lock(void);
void cl_backend_unlock(void);
void cl_backend_unlock_quietly(void);
void cl_backend_timer(int added);
uint32_t cl_backend_leave(uint32_t op, uint32_t id, uint32_t thread);
uint32_t cl_backend_op(uint32_t op, uint32_t id, uint32_t word);

#include "cl_backend.h"

#endif
