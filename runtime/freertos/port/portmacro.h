/* SPDX-License-Identifier: Apache-2.0
 *
 * FreeRTOS's port to Coreloom's standard core, for one or several CPUs (README.md): what its kernel asks of a port.
 *
 * Two registers that compilers never use belong to the CPU, not to a task:
 *   gp  critical nesting; 0 whenever a task is switched to or interrupted
 *   tp  several CPUs: how often this one holds the two locks, ISR lock in bits 7:0, task lock in bits 31:8
 *       one CPU: 1 if a handler wants a switch */
#ifndef PORTMACRO_H
#define PORTMACRO_H

#include <stdint.h>

#include "cl_ipc_ops.h"
#include "cl_machine.h"

typedef uint32_t StackType_t;
typedef int32_t BaseType_t;
typedef uint32_t UBaseType_t;
typedef uint32_t TickType_t;

#define portSTACK_TYPE StackType_t
#define portBASE_TYPE BaseType_t
#define portUBASE_TYPE UBaseType_t
#define portPOINTER_SIZE_TYPE uint32_t
#define portMAX_DELAY 0xffffffffu
#define portTICK_TYPE_IS_ATOMIC 1
#define portSTACK_GROWTH (-1)
#define portTICK_PERIOD_MS ((TickType_t)1000 / configTICK_RATE_HZ)
#define portBYTE_ALIGNMENT 16
#define portTASK_FUNCTION_PROTO(function, parameters) void function(void *parameters)
#define portTASK_FUNCTION(function, parameters) void function(void *parameters)
#define portNOP() __asm__ volatile("nop")
#define portINLINE inline
#define portFORCE_INLINE inline __attribute__((always_inline))
#define portMEMORY_BARRIER() __asm__ volatile("" ::: "memory")

/* --- interrupts of this CPU; they do not nest ---------------------------------------------------------------------- */

#define portDISABLE_INTERRUPTS() __asm__ volatile("csrci mstatus, 8" ::: "memory")
#define portENABLE_INTERRUPTS() __asm__ volatile("csrsi mstatus, 8" ::: "memory")

static portFORCE_INLINE UBaseType_t cl_port_mask(void) {
  UBaseType_t status;
  __asm__ volatile("csrrci %0, mstatus, 8" : "=r"(status)::"memory");
  return status & 8;
}
static portFORCE_INLINE void cl_port_unmask(UBaseType_t status) {
  __asm__ volatile("csrs mstatus, %0" ::"r"(status) : "memory");
}
#define portSET_INTERRUPT_MASK() cl_port_mask()
#define portCLEAR_INTERRUPT_MASK(status) cl_port_unmask(status)
#define portSET_INTERRUPT_MASK_FROM_ISR() cl_port_mask()
#define portCLEAR_INTERRUPT_MASK_FROM_ISR(status) cl_port_unmask(status)

/* --- giving way ---------------------------------------------------------------------------------------------------- */

/* A function call: the registers that it may change need not be saved. */
void vPortYield(void);
#define portYIELD() vPortYield()

/* The switch follows when the handler has returned. */
#if CL_CPUS == 1
#define portEND_SWITCHING_ISR(wanted)                      \
  do {                                                     \
    if (wanted) __asm__ volatile("li tp, 1" ::: "memory"); \
  } while (0)
#else
extern volatile BaseType_t cl_port_wanted[];
#define portEND_SWITCHING_ISR(wanted)                  \
  do {                                                 \
    if (wanted) cl_port_wanted[portGET_CORE_ID()] = 1; \
  } while (0)
#endif
#define portYIELD_FROM_ISR(wanted) portEND_SWITCHING_ISR(wanted)

/* --- critical sections --------------------------------------------------------------------------------------------- */

#define portCRITICAL_NESTING_IN_TCB 0

#if CL_CPUS == 1
#define portGET_CORE_ID() 0
#define portENTER_CRITICAL()                         \
  do {                                               \
    portDISABLE_INTERRUPTS();                        \
    __asm__ volatile("addi gp, gp, 1" ::: "memory"); \
  } while (0)
#define portEXIT_CRITICAL() __asm__ volatile("addi gp, gp, -1\n\tbnez gp, 1f\n\tcsrsi mstatus, 8\n1:" ::: "memory")
#else

static portFORCE_INLINE BaseType_t cl_port_core(void) {
  BaseType_t core;
  __asm__ volatile("csrr %0, mhartid" : "=r"(core));
  return core;
}
#define portGET_CORE_ID() cl_port_core()
#define portYIELD_CORE(core) cl_local_write(CL_IPI, (uint32_t)(core))

void vTaskEnterCritical(void);
void vTaskExitCritical(void);
UBaseType_t vTaskEnterCriticalFromISR(void);
void vTaskExitCriticalFromISR(UBaseType_t status);
#define portENTER_CRITICAL() vTaskEnterCritical()
#define portEXIT_CRITICAL() vTaskExitCritical()
#define portENTER_CRITICAL_FROM_ISR() vTaskEnterCriticalFromISR()
#define portEXIT_CRITICAL_FROM_ISR(status) vTaskExitCriticalFromISR(status)

static portFORCE_INLINE UBaseType_t cl_port_nesting(void) {
  UBaseType_t nesting;
  __asm__ volatile("mv %0, gp" : "=r"(nesting));
  return nesting;
}
#define portGET_CRITICAL_NESTING_COUNT(core) ((void)(core), cl_port_nesting())
#define portSET_CRITICAL_NESTING_COUNT(core, nesting) \
  __asm__ volatile("mv gp, %0" ::"r"((UBaseType_t)(nesting)), "r"(core))
#define portINCREMENT_CRITICAL_NESTING_COUNT(core) __asm__ volatile("addi gp, gp, 1" ::"r"(core))
#define portDECREMENT_CRITICAL_NESTING_COUNT(core) __asm__ volatile("addi gp, gp, -1" ::"r"(core))

/* The kernel's two locks are the last two mutexes of the communication port: a load waits for one, until an interrupt
 * is pending, and a store frees it. */
#define CL_PORT_MUTEX(op, n)                                                                                \
  ((volatile uint32_t *)(CL_IPC_PORT | 31u << CL_IPC_ADDRESS_PATIENCE_LSB | (op) << CL_IPC_ADDRESS_OP_LSB | \
                         (CL_CPU_MUTEXES - 1u - (n)) << CL_IPC_ADDRESS_INDEX_LSB))

static portFORCE_INLINE void cl_port_lock(unsigned n) {
  while (*CL_PORT_MUTEX(CL_IPC_OP_MUTEX_LOCK, n) >> CL_IPC_WORD_ERROR_LSB) continue;
  portMEMORY_BARRIER();
}
static portFORCE_INLINE void cl_port_unlock(unsigned n) {
  portMEMORY_BARRIER();
  *CL_PORT_MUTEX(CL_IPC_OP_MUTEX_WORD, n) = 0;
}
static portFORCE_INLINE void cl_port_get_isr_lock(void) {
  uint32_t held;
  __asm__ volatile("andi %0, tp, 255\n\taddi tp, tp, 1" : "=r"(held)::"memory");
  if (!held) cl_port_lock(0);
}
static portFORCE_INLINE void cl_port_release_isr_lock(void) {
  uint32_t held;
  __asm__ volatile("addi tp, tp, -1\n\tandi %0, tp, 255" : "=r"(held)::"memory");
  if (!held) cl_port_unlock(0);
}
static portFORCE_INLINE void cl_port_get_task_lock(void) {
  uint32_t held;
  __asm__ volatile("srli %0, tp, 8\n\taddi tp, tp, 256" : "=r"(held)::"memory");
  if (!held) cl_port_lock(1);
}
static portFORCE_INLINE void cl_port_release_task_lock(void) {
  uint32_t held;
  __asm__ volatile("addi tp, tp, -256\n\tsrli %0, tp, 8" : "=r"(held)::"memory");
  if (!held) cl_port_unlock(1);
}
#define portGET_ISR_LOCK(core) ((void)(core), cl_port_get_isr_lock())
#define portRELEASE_ISR_LOCK(core) ((void)(core), cl_port_release_isr_lock())
#define portGET_TASK_LOCK(core) ((void)(core), cl_port_get_task_lock())
#define portRELEASE_TASK_LOCK(core) ((void)(core), cl_port_release_task_lock())
#endif

/* --- task selection ------------------------------------------------------------------------------------------------ */

#if CL_CPUS == 1 && configUSE_PORT_OPTIMISED_TASK_SELECTION == 1
#define portRECORD_READY_PRIORITY(priority, ready) (ready) |= 1u << (priority)
#define portRESET_READY_PRIORITY(priority, ready) (ready) &= ~(1u << (priority))
#define portGET_HIGHEST_PRIORITY(top, ready) (top) = 31u - (UBaseType_t)__builtin_clz(ready)
#endif

#endif
