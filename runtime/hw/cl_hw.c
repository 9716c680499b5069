/* SPDX-License-Identifier: Apache-2.0
 *
 * The cold part of the hardware kernel's back end: interrupts, the end of a thread, the start of a CPU. */
#include "cl_kernel.h"

/* --- time limits of waits --- */

static inline void lock(void) {
  if (CL_CPUS > 1) {
    cl_local_write(CL_LOCK_ADDRESS, (uint32_t)(uintptr_t)cl_timers);
    cl_local_read(CL_LOCK_ACQUIRE); /* waits */
  }
  __asm__ volatile("" ::: "memory");
}

static inline void unlock(void) {
  __asm__ volatile("" ::: "memory");
  if (CL_CPUS > 1) cl_local_write(CL_LOCK_RELEASE, 0);
}

CL_COLD void cl_backend_lock(void) {
  cl_irq_off();
  lock();
}

CL_COLD void cl_backend_unlock(void) {
  unlock();
  cl_irq_on();
}

void cl_backend_unlock_quietly(void) { cl_backend_unlock(); }

CL_COLD void cl_backend_timer(int added) {
  (void)added;
  const struct cl_timer *first = cl_timers[CL_CPUS > 1 ? cl_local_read(CL_CPU_ID) : 0];
  cl_local_write(CL_MTIMECMP_HI, UINT32_MAX);
  if (!first) return;
  cl_local_write(CL_MTIMECMP_LO, (uint32_t)first->at);
  cl_local_write(CL_MTIMECMP_HI, (uint32_t)(first->at >> 32));
}

/* The thread interrupted may be between GIVE_WAY and SAVED; these operations do not imply SAVED. */
CL_COLD uint32_t cl_backend_op(uint32_t op, uint32_t id, uint32_t word) {
  *cl_port(CL_OP_WORD0, 0) = word; /* the trap entry has saved it */
  return cl_port_load(op, id);
}

CL_COLD static void timer_interrupt(void) {
  lock();
  cl_timers_look(CL_CPUS > 1 ? cl_local_read(CL_CPU_ID) : 0);
  cl_backend_timer(0);
  unlock();
}

#if defined(CL_ARCH_PREEMPTS)
/* All interrupts except the kernel's. */
void cl_interrupt(uint32_t causes) {
  (void)causes;
  cl_trace(CL_TRACE_TRAP, 0);
  timer_interrupt();
}
#else
void cl_interrupt(uint32_t causes) {
  cl_trace(CL_TRACE_TRAP, 0);
  if (causes & 1 << CL_IRQ_TIMER) {
    timer_interrupt();
    if (!(causes & 1 << CL_IRQ_KERNEL)) return;
  }
  /* A better thread, or the slice is used up. Also asked if the level has fallen since the trap, as for threads that are
   * ready for moments only: only after this answer does the kernel not interrupt again at once. */
#if defined(CL_PREEMPTED_LAST)
  uint32_t word = cl_port_load(CL_OP_YIELD, 0);
  if ((int32_t)word >= 0) word = cl_port_load(CL_OP_PREEMPT, 0);
#else
  uint32_t word = cl_port_load(CL_OP_PREEMPT, 0);
#endif
  if ((int32_t)word < 0) {
    /* The next thread expects interrupts on. The kernel raises none before SAVED. */
    if (!CL_SIGNALS) cl_irq_on();
    cl_switch_in_trap(word);
  }
}
#endif

/* Another interrupt has ended the wait and has been taken. Continue to wait. */
CL_COLD static uint32_t wait_next(void) {
  uint32_t word;
  cl_cpu_time_stop();
  do {
    if (CL_SIGNALS) cl_irq_off();
    word = cl_port_load(CL_OP_NEXT, 0);
    if (CL_SIGNALS) cl_hw_irq_on(word);
  } while (word == CL_STATUS(CL_STATUS_EINTR));
  return word;
}

CL_COLD uint32_t cl_hw_interrupted(void) {
  uint32_t word = wait_next();
  cl_cpu_time_go();
  return word & CL_GIVE_WAY ? cl_switch(word) : word;
}

static void exit_tail(void) {
  cl_cpu_time_stop();
  uint32_t word = cl_port_load(CL_OP_THREAD_EXIT, 0);
  cl_hw_irq_on(word); /* not earlier: a preemption could have moved this CPU's boot stack to another CPU */
  if (!(word & CL_GIVE_WAY)) word = wait_next();
  cl_switch_to(word);
}

void cl_op_thread_exit(void) {
  cl_irq_off();
  cl_on_boot_stack(exit_tail);
}

/* An error goes to the thread by the field that it does not need before its end, and the thread goes on. */
static void move_tail(void) {
  struct cl_thread *self = cl_self();
  cl_cpu_time_stop();
  uint32_t word = cl_port_load(CL_OP_MOVE, 0);
  if (!(word & CL_GIVE_WAY) && word != CL_STATUS(CL_STATUS_EINTR)) {
    self->value = (void *)(uintptr_t)word;
    word = CL_GIVE_WAY | (uint32_t)(self - cl_threads);
  }
  cl_hw_irq_on(word); /* as in exit_tail */
  if (!(word & CL_GIVE_WAY)) word = wait_next();
  cl_switch_to(word);
}

uint32_t cl_op_move(uint32_t word) {
  cl_irq_off();
  cl_self()->value = NULL;
  *cl_port(CL_OP_WORD0, 0) = word;
  cl_switch_by(move_tail);
  return (uint32_t)(uintptr_t)cl_self()->value;
}

void cl_boot_other(void) {
  cl_irq_on();
  cl_switch_to(wait_next());
}
