/* SPDX-License-Identifier: Apache-2.0
 *
 * The cold half of the hardware kernel's ground: interrupts, the end of a thread, the start of a CPU. */
#include "cl_kernel.h"

#if !defined(CL_ARCH_PREEMPTS)
/* The kernel's interrupt: a better thread, or the slice is used up. */
void cl_interrupt(void) {
  cl_trace(CL_TRACE_TRAP, 0);
  uint32_t word = cl_port_load(CL_OP_PREEMPT, 0);
  if ((int32_t)word < 0) {
    /* The next thread expects interrupts on. The kernel raises none before SAVED. */
    cl_irq_on();
    cl_switch_in_trap(word);
  }
}
#endif

/* Another interrupt has ended the wait; it has been taken by now. Wait on. */
CL_COLD static uint32_t wait_next(void) {
  uint32_t word;
  do word = cl_port_load(CL_OP_NEXT, 0);
  while (word == CL_STATUS(CL_STATUS_EINTR));
  return word;
}

CL_COLD uint32_t cl_hw_interrupted(void) {
  uint32_t word = wait_next();
  return word & CL_GIVE_WAY ? cl_switch(word) : word;
}

static void exit_tail(void) {
  uint32_t word = cl_port_load(CL_OP_THREAD_EXIT, 0);
  cl_irq_on(); /* before it, this CPU's boot stack could have been preempted and gone on elsewhere */
  if (!(word & CL_GIVE_WAY)) word = wait_next();
  cl_switch_to(word);
}

void cl_op_thread_exit(void) {
  cl_irq_off();
  cl_on_boot_stack(exit_tail);
}

void cl_boot_other(void) {
  cl_irq_on();
  cl_switch_to(wait_next());
}
