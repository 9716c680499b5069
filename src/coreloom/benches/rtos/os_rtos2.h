/* SPDX-License-Identifier: Apache-2.0
 *
 * os.h on CMSIS-RTOS2, as far as metric.c needs it. */
#ifndef OS_RTOS2_H
#define OS_RTOS2_H

#include <cmsis_os2.h>
#include <irq_ctrl.h>

#include "os_handler.h"

/* --- Threads --- */

struct os_thread {
  osThreadAttr_t attr;
  void *(*body)(void *);
  osThreadId_t id;
};

static _Alignas(16) unsigned char os_stacks[OS_THREADS][OS_STACK_BYTES];

CL_INLINE void os_plan(struct os_thread *thread, unsigned number, int priority, unsigned cpu, void *(*body)(void *)) {
  thread->attr = (osThreadAttr_t){.stack_mem = os_stacks[number],
                                  .stack_size = OS_STACK_BYTES,
                                  .priority = (osPriority_t)(priority * osPriorityLow), /* each a group of its own */
                                  .affinity_mask = osThreadProcessor(cpu)};
  thread->body = body;
}

CL_INLINE void os_start(struct os_thread *thread, uint32_t argument) {
  thread->id = osThreadNew((osThreadFunc_t)(void *)thread->body, (void *)(uintptr_t)argument, &thread->attr);
  must(!thread->id);
}

CL_INLINE void os_yield(void) { must(osThreadYield()); }

struct os_gate {
  struct os_thread *thread;
};
CL_INLINE void os_gate_make(struct os_gate *gate, struct os_thread *thread) { gate->thread = thread; }
CL_INLINE void os_suspend(struct os_gate *gate) { must(osThreadSuspend(gate->thread->id)); }
CL_INLINE void os_resume(struct os_gate *gate) { must(osThreadResume(gate->thread->id)); }

/* --- Semaphores, messages, memory --- */

typedef osSemaphoreId_t os_semaphore;
CL_INLINE void os_semaphore_make(os_semaphore *sem, unsigned value) { *sem = osSemaphoreNew(65535, value, NULL); }
CL_INLINE void os_semaphore_take(os_semaphore *sem) { must(osSemaphoreAcquire(*sem, osWaitForever)); }
CL_INLINE void os_semaphore_give(os_semaphore *sem) { must(osSemaphoreRelease(*sem)); }

typedef osMessageQueueId_t os_block;
CL_INLINE void os_block_make(os_block *queue, int number) {
  (void)number;
  *queue = osMessageQueueNew(CL_PORT_DEPTH, 16, NULL);
}
CL_INLINE void os_block_open(os_block *queue) { (void)queue; }
CL_INLINE void os_block_send(os_block *queue, const uint32_t words[4]) {
  must(osMessageQueuePut(*queue, words, 0, osWaitForever));
}
CL_INLINE void os_block_receive(os_block *queue, uint32_t words[4]) {
  must(osMessageQueueGet(*queue, words, NULL, osWaitForever));
}

/* The API's memory is pools of blocks of one size. */
static osMemoryPoolId_t os_pool;
CL_INLINE void *os_allocate(size_t bytes) {
  (void)bytes;
  return osMemoryPoolAlloc(os_pool, 0);
}
CL_INLINE void os_release(void *block) { must(osMemoryPoolFree(os_pool, block)); }

/* --- Interrupts --- */

static void OS_HANDLER(void);
CL_INLINE void os_handler_install(void) {
  must(IRQ_SetHandler(OS_HANDLER_LINE, OS_HANDLER));
  must(IRQ_Enable(OS_HANDLER_LINE));
}
CL_INLINE void os_give_from_handler(os_semaphore *sem) { os_semaphore_give(sem); }

/* --- The program --- */

int main(void) {
  must(osKernelInitialize());
  os_pool = osMemoryPoolNew(8, 128, NULL);
  os_setup();
  return (int)osKernelStart();
}

#endif
