/* SPDX-License-Identifier: Apache-2.0
 *
 * The machine around the program. */
#include <errno.h>

#include "cl_arch.h"
#include "coreloom.h"

/* A program with one of these leaves both rooms free: the linker script looks whether this is linked. */
__attribute__((section(".bss.rooms"), used)) char cl_rooms;
#define USES_ROOMS() __asm__(".reloc ., R_RISCV_NONE, cl_rooms")

const void *cl_input(size_t *length) {
  USES_ROOMS();
  const uint32_t *input = (const uint32_t *)CL_INPUT;
  if (length) *length = input[0] > CL_INPUT_MAX ? CL_INPUT_MAX : input[0];
  return input + 1;
}

void *cl_output(size_t *capacity) {
  USES_ROOMS();
  if (capacity) *capacity = CL_OUTPUT_MAX;
  return (uint32_t *)(CL_OUTPUT + CL_DATA_OFFSET) + 1;
}

void cl_output_set_length(size_t length) {
  USES_ROOMS();
  *(volatile uint32_t *)(CL_OUTPUT + CL_DATA_OFFSET) = length > CL_OUTPUT_MAX ? CL_OUTPUT_MAX : length;
}

unsigned cl_cpu_count(void) { return CL_CPUS; }
unsigned cl_cpu_id(void) { return cl_local_read(CL_CPU_ID); }
uint32_t cl_cycle(void) { return cl_local_read(CL_CYCLE); }
void cl_ready(void) { cl_trace(CL_TRACE_READY, 0); }
void cl_done(uint32_t units) { cl_trace(CL_TRACE_DONE, units); }
void cl_mark(uint32_t value) { cl_trace(CL_TRACE_MARK, value); }

/* The lock unit holds one address per CPU, so the holder must stay on its CPU: interrupts are off meanwhile. */
int shared_memory_lock(const volatile void *address) {
  cl_irq_off();
  if (cl_local_read(CL_LOCK_GRANT)) {
    /* Held by this CPU, so by this thread. */
    return EDEADLK;
  }
  cl_local_write(CL_LOCK_ADDRESS, (uint32_t)(uintptr_t)address);
  cl_local_read(CL_LOCK_ACQUIRE);
  __asm__ volatile("" ::: "memory");
  return 0;
}

int shared_memory_unlock(const volatile void *address) {
  (void)address;
  __asm__ volatile("" ::: "memory");
  if (!cl_local_read(CL_LOCK_GRANT)) return EPERM;
  cl_local_write(CL_LOCK_RELEASE, 0);
  cl_irq_on();
  return 0;
}
