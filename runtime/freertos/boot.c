/* SPDX-License-Identifier: Apache-2.0
 *
 * From reset to main(), what FreeRTOS calls, and what the C library calls. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/lock.h>

#include "FreeRTOS.h"
#include "cl_arch.h"
#include "cl_end.h"
#include "coreloom.h"
#include "task.h"

#define NOT_CLEARED __attribute__((section(".bss.stacks"), aligned(16)))

NOT_CLEARED unsigned char cl_boot_stacks[CL_CPUS << CL_BOOT_STACK_SHIFT];
NOT_CLEARED uint8_t ucHeap[configTOTAL_HEAP_SIZE];

extern int main(void);
void __libc_init_array(void);

void cl_boot_main(void) {
  __libc_init_array();
  exit(main());
}

#if CL_CPUS == 1
/* No other CPU starts. */
void cl_boot_other(void) {
  for (;;) cl_wait_for_interrupt();
}
#endif

/* --- called by FreeRTOS -------------------------------------------------------------- */

/* Interrupts are off while it sleeps, so that the end of its sleep is logged before another task runs. */
static __attribute__((unused)) void sleep(void) {
  cl_irq_off();
  cl_trace(CL_TRACE_IDLE, 1);
  cl_wait_for_interrupt();
  cl_trace(CL_TRACE_IDLE, 0);
  cl_irq_on();
}

/* A program's own configuration may have hooks of its own. */
#if !defined(CL_FREERTOS_OWN_IDLE_HOOK)
void vApplicationIdleHook(void) { sleep(); }
#endif
#if CL_CPUS > 1 && !defined(CL_FREERTOS_OWN_PASSIVE_IDLE_HOOK)
void vApplicationPassiveIdleHook(void) { sleep(); }
#endif

/* By the trap entry, on the stack for interrupts, for all but an environment call. */
void freertos_risc_v_application_exception_handler(uint32_t cause);
void freertos_risc_v_application_exception_handler(uint32_t cause) {
  uint32_t pc, address;
  __asm__ volatile("csrr %0, mepc\ncsrr %1, mtval" : "=r"(pc), "=r"(address));
  const TaskHandle_t task = xTaskGetCurrentTaskHandle();
  cl_fault_in("task", task ? pcTaskGetName(task) : "none", CL_UNNUMBERED, cause, pc, address);
}

void cl_broken(const char *which, const void *where) {
  const TaskHandle_t task = xTaskGetCurrentTaskHandle();
  cl_broken_in("task", task ? pcTaskGetName(task) : "none", CL_UNNUMBERED, which, where);
}

#if defined(CL_FREERTOS_ASSERT)
void cl_freertos_failed(const char *file, int line) {
  printf("%s:%d: FreeRTOS: assertion failed\n", file, line);
  _Exit(CL_ABORTED);
}
#endif

/* --- called by the C library --------------------------------------------------------- */

int *cl_errno(void);
int *cl_errno(void) {
  static int number; /* one for all tasks: FreeRTOS's own services set none */
  return &number;
}

/* picolibc's only lock, recursive: no other task runs meanwhile. */
struct __lock {
  char unused;
};
struct __lock __lock___libc_recursive_mutex;

void __retarget_lock_acquire_recursive(_LOCK_T lock) {
  (void)lock;
  vTaskSuspendAll();
}

void __retarget_lock_release_recursive(_LOCK_T lock) {
  (void)lock;
  (void)xTaskResumeAll();
}
