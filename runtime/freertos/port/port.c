/* SPDX-License-Identifier: Apache-2.0
 *
 * FreeRTOS's port to Coreloom's standard core: the part in C. */
#include "FreeRTOS.h"
#include "cl_arch.h"
#include "task.h"

/* Stacks of the CPUs for interrupts, and for the choice of the next task where another CPU may run the last one. */
__attribute__((section(".bss.stacks"),
               aligned(16))) StackType_t cl_port_stacks[configNUMBER_OF_CORES][configISR_STACK_SIZE_WORDS];

#if CL_CPUS > 1
volatile BaseType_t cl_port_wanted[CL_CPUS]; /* by the handler that runs */
#endif

void cl_port_begin(void *stack_end) __attribute__((noreturn)); /* portASM.S */

/* --- a task's first frame ------------------------------------------------------------ */

StackType_t *pxPortInitialiseStack(StackType_t *top, TaskFunction_t code, void *parameter) {
  extern char cl_port_new_task[];
  top -= 16; /* keeps the alignment */
  top[0] = (StackType_t)(uintptr_t)cl_port_new_task;
  top[1] = (StackType_t)(uintptr_t)code;
  top[2] = (StackType_t)(uintptr_t)parameter;
  return top;
}

/* --- the timer, of CPU 0 -------------------------------------------------------------- */

#define TICK_CYCLES (configCPU_CLOCK_HZ / configTICK_RATE_HZ)

static uint64_t next_tick;

/* In this order it never is in the past for a moment. */
static void set_timer(void) {
  cl_local_write(CL_MTIMECMP_LO, ~0u);
  cl_local_write(CL_MTIMECMP_HI, (uint32_t)(next_tick >> 32));
  cl_local_write(CL_MTIMECMP_LO, (uint32_t)next_tick);
}

static void start_timer(void) {
  uint32_t high, low;
  do {
    high = cl_local_read(CL_MTIME_HI);
    low = cl_local_read(CL_MTIME_LO);
  } while (high != cl_local_read(CL_MTIME_HI));
  next_tick = ((uint64_t)high << 32 | low) + TICK_CYCLES;
  set_timer();
}

/* --- interrupts: called by portASM.S on the CPU's stack --------------------------------- */

/* Whether to switch. */
BaseType_t cl_port_tick(void);
BaseType_t cl_port_tick(void) {
  next_tick += TICK_CYCLES;
  set_timer();
#if CL_CPUS > 1
  const UBaseType_t status = taskENTER_CRITICAL_FROM_ISR();
  const BaseType_t wanted = xTaskIncrementTick();
  taskEXIT_CRITICAL_FROM_ISR(status);
  return wanted;
#else
  return xTaskIncrementTick();
#endif
}

/* Any interrupt but the timer's and another CPU's: the program's handler, under the name that the kernel's own RISC-V
 * port has for it. */
void freertos_risc_v_application_interrupt_handler(uint32_t cause);
__attribute__((weak)) void freertos_risc_v_application_interrupt_handler(uint32_t cause) {
  (void)cause;
  for (;;) continue;
}

/* --- start ---------------------------------------------------------------------------- */

#define IRQ_IPI (1u << 3)
#define IRQ_TIMER (1u << 7)

static void enable(uint32_t interrupts) { __asm__ volatile("csrs mie, %0" ::"r"(interrupts)); }

BaseType_t xPortStartScheduler(void) {
  start_timer();
  enable(IRQ_TIMER);
#if CL_CPUS > 1
  enable(IRQ_IPI);
  for (unsigned cpu = 1; cpu < CL_CPUS; cpu++) cl_local_write(CL_IPI, cpu);
#endif
  cl_port_begin(cl_port_stacks + 1);
}

#if CL_CPUS > 1
/* The other CPUs: until CPU 0 has started the scheduler, interrupts are off. */
void cl_boot_other(unsigned cpu);
void cl_boot_other(unsigned cpu) {
  uint32_t pending;
  enable(IRQ_IPI);
  do {
    cl_wait_for_interrupt();
    __asm__ volatile("csrr %0, mip" : "=r"(pending));
  } while (!(pending & IRQ_IPI));
  cl_local_write(CL_IPI_CLEAR, 0);
  cl_port_begin(cl_port_stacks + cpu + 1);
}
#endif

void vPortEndScheduler(void) {}
