/* SPDX-License-Identifier: Apache-2.0
 *
 * The internal interface between the POSIX layer and either kernel.
 *
 * Each kernel's back end implements it: runtime/hw/cl_backend.h (one load on the kernel port each) or
 * runtime/sw/cl_backend.h (one call each). docs/reference/kernel.md defines the operations, and says of each which
 * function does it: cl_op_NAME. Those that need no code of their own are in cl_kernel_calls.h.
 *
 * An operation returns the kernel's word. An operation that waits returns when the calling thread runs again, with
 * RESUMED set if it was switched out or slept; GIVE_WAY is never returned. How long it waits is an argument, `until`.
 * Apart from the operations there are
 *   uint32_t cl_wait(op, id, word, until)   those that wait for an object but a port, by their codes (cl_waits.h)
 *   uint32_t cl_op_semaphore_post_in_trap(uint32_t id)           from a handler of the communication port
 *   uint32_t cl_op_mutex_lock_apart(uint32_t id)   mutex_lock, for rare callers: the other stays inlined
 *   void cl_backend_start(void)              once, on CPU 0, before any other operation; interrupts are disabled
 *   void cl_backend_lock(void), cl_backend_unlock(void)   a short critical section: all CPUs, interrupts disabled
 *   void cl_backend_unlock_quietly(void)   the same if no operation was done in it; in it may be:
 *   uint32_t cl_backend_op(uint32_t op, uint32_t id, uint32_t word)   by a thread: an operation that does not wait (those
 *     that memory/ uses)
 *   uint32_t cl_backend_leave(uint32_t op, uint32_t id, uint32_t thread)   ..._leave; also in an interrupt
 *     A better thread that these make ready runs after cl_backend_unlock, or after the interrupt.
 *   void cl_backend_timer(int added)   cl_timers and cl_timers_count have changed; one is added, or removed
 *   CL_BACKEND_TIMEOUTS     1: the kernel can end waits at a time itself (cl_waits.h)
 *   CL_BACKEND_INHERITANCE  1: its mutexes can have a protocol: cl_backend_op has mutex_protocol
 *   CL_BACKEND_MONITORS     1: it has cl_op_mutex_wait(uint32_t id, uint32_t condition), for which nobody uses ..._leave
 *   CL_BACKEND_EVENT_FLAGS  1: it has event flags: cl_wait has flags_wait_... and flags_take_..., and
 *   uint32_t cl_op_flags(unsigned op, uint32_t id, uint32_t *word)   their other operations; *word goes in, or, of get and
 *     found, comes out if the status is 0
 * cl_op_thread_exit does not return: the caller's stack may be reused as soon as it is called. cl_op_move never returns
 * RESUMED. A back end calls cl_timers_look, with the lock, when this CPU's first timer has expired. */
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

#define CL_GIVE_WAY (CL_WORD_GIVE_WAY_MASK << CL_WORD_GIVE_WAY_LSB)
#define CL_RESUMED (CL_WORD_RESUMED_MASK << CL_WORD_RESUMED_LSB)
#define CL_STATUS(code) ((uint32_t)(code) << CL_WORD_STATUS_LSB)
#define CL_LATE CL_STATUS(ETIMEDOUT)      /* not the kernel's: a time limit has ended the wait */
#define CL_CANCELED CL_STATUS(ECANCELED) /* and a cancellation */

/* Error number and value in a word. */
static inline int cl_status(uint32_t word) { return (int)(word >> CL_WORD_STATUS_LSB & CL_WORD_STATUS_MASK); }
static inline uint32_t cl_value(uint32_t word) { return word & CL_WORD_VALUE_MASK; }

/* The priority in a word of thread_read. */
static inline uint32_t cl_priority_in(uint32_t word) {
  return word >> CL_THREAD_WORD_PRIORITY_LSB & CL_THREAD_WORD_PRIORITY_MASK;
}

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
static inline uint32_t cl_self_number(void) { return (uint32_t)(cl_self() - cl_threads); }

/* Prepare a new thread to start with cl_thread_main(start, argument) on the given stack. */
void cl_thread_prepare(uint32_t tid, void *stack, size_t size, void *(*start)(void *), void *argument);
__attribute__((noreturn)) void cl_thread_main(void *(*start)(void *), void *argument);

/* CPU-time clocks (posix/cpu_time.c). CL_CPU_TIME is 1 for a program that reads one (src/coreloom/toolchain/firmware.py):
 * others pay nothing. cl_switch_to calls cl_cpu_time_next, which counts for the thread of the time until now, and begins
 * that of the thread of the word. */
#ifndef CL_CPU_TIME
#define CL_CPU_TIME 0
#endif
/* 1 for a program with signals (posix/signals.h), or with pthread_cancel (posix/cancel.h). */
#ifndef CL_SIGNALS
#define CL_SIGNALS 0
#endif
#ifndef CL_CANCEL
#define CL_CANCEL CL_SIGNALS
#endif
void cl_cpu_time_stop_apart(void);
void cl_cpu_time_go_apart(void);
void cl_cpu_time_next(uint32_t word);
void cl_cpu_time_reset(uint32_t thread); /* of a new thread */

/* Before this CPU waits: nothing runs. */
static inline void cl_cpu_time_stop(void) {
  if (CL_CPU_TIME) cl_cpu_time_stop_apart();
}

/* The caller runs (on). */
static inline void cl_cpu_time_go(void) {
  if (CL_CPU_TIME) cl_cpu_time_go_apart();
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

/* What the layer above asks of timers; they call it with the lock. NULL until it does: a program without it folds that. */
extern void (*cl_timer_ended)(uint32_t thread); /* a time limit has ended a wait of the thread */
/* In a program with signals the timer of a thread that shall look for them, whatever it does: `leave` is
 * CL_LEAVE_BY_CALL. Called until it answers 0, the wait is ended, or ESRCH: there is nothing left to do. */
#define CL_LEAVE_BY_CALL UINT32_MAX
extern int (*const cl_timer_call)(uint32_t thread);
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
uint32_t cl_backend_op(uint32_t op, uint32_t id, uint32_t word);

/* `until`, how long an operation waits: one of these, which are constants, so that the compiler removes the rest; or a
 * time, mtime, which no constant in the program is. A wait that the time has ended answers CL_LATE. */
#define CL_NOW UINT64_C(0)
#define CL_NEVER UINT64_MAX
#define CL_ONCE (UINT64_MAX - 1) /* of a port: without a limit, but after one wait the answer is RESUMED */
#define CL_IS(until, constant) (__builtin_constant_p(until) && (until) == (constant))
/* Whether a message has more words than one: in functions that are inlined. */
#define CL_IS_BLOCK(words) (!(__builtin_constant_p((words) == NULL) && (words) == NULL))

#include "cl_backend.h"
#include "cl_waits.h"

#endif
