/* SPDX-License-Identifier: Apache-2.0
 *
 * From reset to main(), and the first steps of a thread. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cl_kernel.h"
#include "cl_end.h"
#include "posix.h"

struct cl_thread cl_threads[CL_CONTEXTS];
/* The boot stacks, not cleared at the start, because CPUs use them then. */
__attribute__((section(".bss.stacks"), aligned(16))) unsigned char cl_boot_stacks[CL_CPUS << CL_BOOT_STACK_SHIFT];

/* A program that wants no arguments ignores them. */
extern int main(int count, char **arguments);
void __libc_init_array(void);

/* A context's _Thread_local variables, all 0 so far, get their initial values. */
static inline void give_locals(uint32_t context) {
#if CL_THREAD_SHIFT > 4
  extern const char __tdata_start[], __tdata_end[];
  memcpy(cl_threads[context].local, __tdata_start, (size_t)(__tdata_end - __tdata_start));
#else
  (void)context;
#endif
}

#ifdef CL_ARGUMENTS
/* The command line, for a main that takes one. The loader of the program's image writes it there: a count, that many
 * pointers and NULL, and the words (src/coreloom/simulation/simulate.py). */
__attribute__((used)) struct {
  int count;
  char *words[CL_ARGUMENTS / sizeof(char *) - 1];
} cl_command_line = {1, {"program"}};
#endif

void cl_boot_main(void) {
  give_locals(0);
  for (uint32_t context = CL_THREADS; context < CL_CONTEXTS; context++) give_locals(context);
  cl_backend_start();
  cl_cpu_time_go();
  cl_irq_on();
  cl_op_slice(CL_SLICE_TICKS);
  __libc_init_array();
#ifdef CL_ARGUMENTS
  exit(main(cl_command_line.count, cl_command_line.words));
#else
  static char *arguments[] = {"program", NULL};
  exit(main(1, arguments));
#endif
}

void cl_thread_main(void *(*start)(void *), void *argument) {
  __asm__(".cfi_undefined ra"); /* for debuggers: nobody has called it */
  cl_posix_thread_begin();
  pthread_exit(start(argument));
}

void cl_thread_prepare(uint32_t tid, void *stack, size_t size, void *(*start)(void *), void *argument) {
  extern char cl_thread_entry[];
  /* The frame of cl_switch_away, and above it what cl_thread_entry takes. */
  uint32_t *frame = (uint32_t *)(((uintptr_t)stack + size) & ~(uintptr_t)15) - 8;
  frame[0] = (uint32_t)(uintptr_t)cl_thread_entry;
  frame[4] = (uint32_t)(uintptr_t)start;
  frame[5] = (uint32_t)(uintptr_t)argument;
  cl_threads[tid] = (struct cl_thread){.sp = (uint32_t)(uintptr_t)frame};
  give_locals(tid);
  if (CL_CPU_TIME) cl_cpu_time_reset(tid);
}

/* Called by the trap entry on the boot stack. */
__attribute__((noreturn)) void cl_fault(unsigned cause, uint32_t pc, uint32_t address);
void cl_fault(unsigned cause, uint32_t pc, uint32_t address) {
  uint32_t thread = cl_self_number();
  cl_fault_in("thread", cl_posix_name ? cl_posix_name(thread) : NULL, thread, cause, pc, address);
}

CL_COLD void cl_broken(const char *which, const void *where) {
  uint32_t thread = cl_self_number();
  cl_broken_in("thread", cl_posix_name ? cl_posix_name(thread) : NULL, thread, which, where);
}

#if CL_FAULT_ENDS_THREAD
/* Where a thread goes on after a fault with interrupts enabled: it ends as if it had been cancelled. But if the fault is
 * in a switch, or in malloc, the program ends. */
__attribute__((noreturn)) void cl_fault_of_thread(unsigned cause, uint32_t pc, uint32_t address);
void cl_fault_of_thread(unsigned cause, uint32_t pc, uint32_t address) {
  extern char cl_switch_away[], cl_switch_end[];
  uint32_t thread = cl_self_number();
  if ((pc >= (uintptr_t)cl_switch_away && pc < (uintptr_t)cl_switch_end) || cl_libc_holds_heap()) {
    cl_fault(cause, pc, address);
  }
  cl_irq_on();
  flockfile(stdout);
  cl_fault_line("thread", cl_posix_name ? cl_posix_name(thread) : NULL, thread, cause, pc, address);
  cl_libc_leave_streams();
  pthread_exit(PTHREAD_CANCELED);
}
#endif
