/* SPDX-License-Identifier: Apache-2.0
 *
 * The seam between the operations (cl_sw_kernel.h, cl_sw.c) and a scheduler: fixed priorities, as in the hardware kernel
 * (cl_sw_priority.h), or with CL_POLICY any file of policies/ (cl_sw_policy.h).
 *
 * Each scheduler defines these functions, and
 *   K_AWAY         a CPU may be in the context of a thread that is not running: waking one in place is possible
 *   K_SLICES       a CPU decides again when a slice ends, which began at `since`; 0: at the time k_decides_at()
 *   K_WEIGHTS, K_RESERVES, K_TAKES_NEXT   it has weights, reservations, the operation `dequeue`
 *   K_LOOKED       a thread that it has chosen need not give way at once
 *   K_TIMER_SET, K_TIMER_START   attributes of the functions that set the timer: how often that is */
#ifndef CL_SW_SCHEDULER_H
#define CL_SW_SCHEDULER_H

#include "cl_sw_data.h"

/* A thread becomes ready: to be queued (a chain of them), or woken; *woke: it is better than a running one. */
static void k_enqueue(k_thread *thread, int front);
static void k_enqueue_all(k_thread *thread);
static int k_wake_in_place(k_thread *thread); /* 0: it must be queued */
static void k_wake_and_notify(k_thread *thread, int *woke);

/* Choose the next thread: a switch word; or 0, the caller goes on; or K_PENDING, no thread is ready. `woken`: a chain of
 * threads just woken and not queued yet. */
static uint32_t k_wait(k_cpu *cpu);                         /* it runs none */
static uint32_t k_wait_woken(k_cpu *cpu, k_thread *woken);  /* the same: its thread has ended or moved */
static uint32_t k_block(k_cpu *cpu, k_thread *woken);       /* its thread waits */
static uint32_t k_yield(k_cpu *cpu);
static uint32_t k_preempt(k_cpu *cpu); /* its thread gives way if it should */

/* Shorter ways, or 0: the long one. k_block for the common receive; k_yield among equals; the end of a slice; a thread
 * better than all takes the CPU at once. */
static uint32_t k_wait_fast(k_cpu *cpu, k_thread *thread, k_port *port);
static uint32_t k_rotate(k_cpu *cpu);
static uint32_t k_end_slice(k_cpu *cpu);
static uint32_t k_take_over(k_cpu *cpu, k_thread *thread);

/* Which CPU must decide again. */
static int k_presses(uint32_t level); /* a thread of this level is better than a running one, perhaps */
static int k_must_give_way(const k_cpu *cpu);
static int k_irq(const k_cpu *cpu); /* the same, exactly */
static int k_others_must_give_way(const k_cpu *cpu);
static void k_notify_closer(const k_cpu *cpu); /* interrupts the others that must */
static void k_notify_all(void);                /* before the lock is released: the same, if that is not done yet */
static uint64_t k_decides_at(const k_cpu *cpu);
static void k_look_at_slice(k_cpu *cpu); /* time has passed */

/* Threads are created, placed, ended or changed. */
static void k_init_scheduler(void);
static void k_begin_slices(void); /* k_slice has changed */
static void k_enter(k_thread *thread, uint32_t fixed);
static void k_begin(k_cpu *cpu, k_thread *thread); /* the first thread runs already */
static uint32_t k_place(k_cpu *cpu, k_thread *thread, k_cpu *home); /* NULL: on any CPU. 0, or the error word */
static void k_end(k_cpu *cpu, k_thread *thread);
static void k_unqueue(k_thread *thread);
static void k_change(k_thread *thread, uint32_t level, int is_queued); /* its level */
static uint32_t k_weigh(k_thread *thread, uint32_t weight); /* the old one */
static uint32_t k_reserve(uint32_t cpu, k_thread *thread);
static uint32_t k_release(uint32_t cpu);
static k_thread *k_take_next(k_cpu *cpu);
static int k_none_ready(const k_cpu *cpu);
static void k_enter_idle(k_cpu *cpu, k_thread *thread);

/* Notify the other CPUs whose thread must give way after an operation of this one. */
K_INLINE void k_notify(const k_cpu *cpu) {
  if (K_RARE(k_others_must_give_way(cpu))) k_notify_closer(cpu);
}

#ifdef CL_POLICY
#include "cl_sw_policy.h"
#else
#include "cl_sw_priority.h"
#endif

#endif
