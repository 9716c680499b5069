/* SPDX-License-Identifier: Apache-2.0
 *
 * os.h on FreeRTOS's own API, all of it with static memory. It has no condition variables and no join: a task that ends
 * notifies who waits for it, and that one deletes it. */
#ifndef OS_FREERTOS_H
#define OS_FREERTOS_H

#include <stddef.h>

#include "FreeRTOS.h"
#include "cl_ipc_ops.h"
#include "cl_machine.h"
#include "queue.h"
#include "semphr.h"
#include "task.h"

#define OS_NOTIFICATIONS
#define OS_TICKS 100 /* of a wait with a time limit that is never reached */

/* --- Threads --- */

struct os_thread {
  TaskHandle_t handle, joiner;
  void *(*body)(void *);
  void *argument;
  UBaseType_t priority;
  unsigned number, cpu;
  StaticTask_t task;
};

static _Alignas(16) StackType_t os_stacks[OS_THREADS][OS_STACK_BYTES / sizeof(StackType_t)];

CL_INLINE void os_plan(struct os_thread *thread, unsigned number, int priority, unsigned cpu, void *(*body)(void *)) {
  thread->number = number;
  thread->priority = (UBaseType_t)priority;
  thread->cpu = cpu;
  thread->body = body;
}

static void os_task(void *given) {
  struct os_thread *thread = given;
  thread->body(thread->argument);
  xTaskNotifyGive(thread->joiner);
  vTaskSuspend(NULL);
}

CL_INLINE void os_start(struct os_thread *thread, uint32_t argument) {
  thread->argument = (void *)(uintptr_t)argument;
  thread->joiner = xTaskGetCurrentTaskHandle();
  StackType_t *stack = os_stacks[thread->number];
  uint32_t depth = sizeof os_stacks[0] / sizeof *stack;
#if OS_PLACED && CL_CPUS > 1
  thread->handle = xTaskCreateStaticAffinitySet(os_task, "", depth, thread, thread->priority, stack, &thread->task,
                                                1u << thread->cpu);
#else
  thread->handle = xTaskCreateStatic(os_task, "", depth, thread, thread->priority, stack, &thread->task);
#endif
}

/* elsewhere: it ends on another CPU. Deleted while it runs there, it would stay in a list of the idle task's, maybe until
 * after it is created anew. */
CL_INLINE void os_join(struct os_thread *thread, int elsewhere) {
  ulTaskNotifyTake(pdTRUE, portMAX_DELAY);
  while (elsewhere && xTaskGetCurrentTaskHandleForCore((BaseType_t)thread->cpu) == thread->handle) {}
  vTaskDelete(thread->handle);
}

/* If it is not the thread that started it. */
CL_INLINE void os_joined_by(struct os_thread *thread, struct os_thread *other) { thread->joiner = other->handle; }

CL_INLINE void os_yield(void) { taskYIELD(); }

struct os_gate {
  struct os_thread *thread;
};
CL_INLINE void os_gate_make(struct os_gate *gate, struct os_thread *thread) { gate->thread = thread; }
CL_INLINE void os_suspend(struct os_gate *gate) {
  (void)gate;
  vTaskSuspend(NULL);
}
CL_INLINE void os_resume(struct os_gate *gate) { vTaskResume(gate->thread->handle); }

CL_INLINE void os_notify(struct os_thread *thread) { xTaskNotifyGive(thread->handle); }
CL_INLINE void os_notified(void) { ulTaskNotifyTake(pdTRUE, portMAX_DELAY); }

/* --- Semaphores, mutexes --- */

typedef struct {
  SemaphoreHandle_t handle;
  StaticSemaphore_t memory;
} os_semaphore;

CL_INLINE void os_semaphore_make(os_semaphore *sem, unsigned value) {
  sem->handle = xSemaphoreCreateCountingStatic(SEM_VALUE_MAX, value, &sem->memory);
}
CL_INLINE void os_semaphore_take(os_semaphore *sem) { must(xSemaphoreTake(sem->handle, portMAX_DELAY) != pdTRUE); }
CL_INLINE void os_semaphore_timed(os_semaphore *sem) { must(xSemaphoreTake(sem->handle, OS_TICKS) != pdTRUE); }
CL_INLINE void os_semaphore_give(os_semaphore *sem) { must(xSemaphoreGive(sem->handle) != pdTRUE); }

/* With priority inheritance. */
typedef os_semaphore os_mutex;
CL_INLINE void os_mutex_make(os_mutex *mutex) { mutex->handle = xSemaphoreCreateMutexStatic(&mutex->memory); }
CL_INLINE void os_mutex_lock(os_mutex *mutex) { os_semaphore_take(mutex); }
CL_INLINE void os_mutex_timed(os_mutex *mutex) { os_semaphore_timed(mutex); }
CL_INLINE void os_mutex_unlock(os_mutex *mutex) { os_semaphore_give(mutex); }

/* --- Messages of one word, and of four: a queue copies either --- */

#define OS_QUEUE(queue, count)                                                                            \
  typedef struct {                                                                                        \
    QueueHandle_t handle;                                                                                 \
    StaticQueue_t memory;                                                                                 \
    uint32_t words[CL_PORT_DEPTH * (count)];                                                              \
  } queue;                                                                                                \
  CL_INLINE void queue##_make(queue *made, int number) {                                                  \
    (void)number;                                                                                         \
    made->handle = xQueueCreateStatic(CL_PORT_DEPTH, 4 * (count), (uint8_t *)made->words, &made->memory); \
  }                                                                                                       \
  CL_INLINE void queue##_open(queue *made) { (void)made; }                                                \
  CL_INLINE int queue##_put(queue *to, const uint32_t *words, TickType_t ticks) {                         \
    return xQueueSend(to->handle, words, ticks) != pdTRUE;                                                \
  }                                                                                                       \
  CL_INLINE void queue##_get(queue *from, uint32_t *words, TickType_t ticks) {                            \
    must(xQueueReceive(from->handle, words, ticks) != pdTRUE);                                            \
  }

OS_QUEUE(os_queue, 1)
CL_INLINE void os_queue_send(os_queue *queue, uint32_t word) { must(os_queue_put(queue, &word, portMAX_DELAY)); }
CL_INLINE int os_queue_try(os_queue *queue, uint32_t word) { return os_queue_put(queue, &word, 0); }
CL_INLINE void os_queue_send_timed(os_queue *queue, uint32_t word) { must(os_queue_put(queue, &word, OS_TICKS)); }
CL_INLINE uint32_t os_queue_receive(os_queue *queue) {
  uint32_t word;
  os_queue_get(queue, &word, portMAX_DELAY);
  return word;
}
CL_INLINE uint32_t os_queue_receive_timed(os_queue *queue) {
  uint32_t word;
  os_queue_get(queue, &word, OS_TICKS);
  return word;
}

OS_QUEUE(os_block, 4)
CL_INLINE void os_block_send(os_block *queue, const uint32_t words[4]) {
  must(os_block_put(queue, words, portMAX_DELAY));
}
CL_INLINE int os_block_try(os_block *queue, const uint32_t words[4]) { return os_block_put(queue, words, 0); }
CL_INLINE void os_block_receive(os_block *queue, uint32_t words[4]) { os_block_get(queue, words, portMAX_DELAY); }

#define os_queue4 os_block
#define os_queue4_make os_block_make
#define os_queue4_open os_block_open
#define os_queue4_send os_block_send
#define os_queue4_receive os_block_receive

/* --- Memory --- */

CL_INLINE void *os_allocate(size_t bytes) { return pvPortMalloc(bytes); }
CL_INLINE void os_release(void *block) { vPortFree(block); }

#if defined(API_FREERTOS)
/* --- Interrupts: threads above all tasks, which is what they are on these kernels --- */

#if defined(OS_HANDLER)
#include "os_handler.h"

static void OS_HANDLER(void);
static volatile int os_bound;

static void *os_interrupted(void *unused) {
  must(interrupt_bind_thread_np(OS_HANDLER_LINE));
  os_bound = 1;
  for (;;) {
    must(interrupt_wait_np(OS_HANDLER_LINE));
    OS_HANDLER();
  }
  return unused;
}

CL_INLINE void os_handler_install(void) {
  pthread_attr_t attr;
  pthread_t thread;
  must(pthread_attr_init(&attr));
  must(pthread_attr_setschedparam(&attr, &(struct sched_param){(int)CL_PRIORITIES - 1}));
  must(pthread_create(&thread, &attr, os_interrupted, NULL));
  while (!os_bound) {} /* by another CPU */
}
CL_INLINE void os_give_from_handler(os_semaphore *sem) { must(xSemaphoreGiveFromISR(sem->handle, NULL) != pdTRUE); }
#endif
#else
/* --- Interrupts: number 16 is that of the lines, on CPU 0; 17 that of the communication port --- */

CL_INLINE void os_interrupt_enable(unsigned number) { __asm__ volatile("csrs mie, %0" ::"r"(1u << number)); }

void freertos_risc_v_application_interrupt_handler(uint32_t cause);

#if defined(OS_LINES)
static TaskHandle_t os_line_task;

void freertos_risc_v_application_interrupt_handler(uint32_t cause) {
  (void)cause;
  BaseType_t woken = pdFALSE;
  cl_local_write(CL_LINE_CLEAR, ~0u);
  vTaskNotifyGiveFromISR(os_line_task, &woken);
  portYIELD_FROM_ISR(woken);
}

CL_INLINE void os_line_bind(unsigned line) {
  os_line_task = xTaskGetCurrentTaskHandle();
  cl_local_write(CL_LINE_ENABLE, 1u << line);
  os_interrupt_enable(16);
}
CL_INLINE void os_line_wait(unsigned line) {
  (void)line;
  ulTaskNotifyTake(pdTRUE, portMAX_DELAY);
}
#endif

#if defined(OS_HANDLER)
static void OS_HANDLER(void);
static BaseType_t os_woken;

CL_INLINE volatile uint32_t *os_bell(unsigned operation, unsigned index) {
  return (volatile uint32_t *)(CL_IPC_PORT + (operation << CL_IPC_ADDRESS_OP_LSB | index << CL_IPC_ADDRESS_INDEX_LSB));
}

void freertos_risc_v_application_interrupt_handler(uint32_t cause) {
  (void)cause;
  os_woken = pdFALSE;
  (void)*os_bell(CL_IPC_OP_DOORBELL_TAKE, 1);
  OS_HANDLER();
  portYIELD_FROM_ISR(os_woken);
}

CL_INLINE void os_handler_install(void) {
  *os_bell(CL_IPC_OP_DOORBELL_ENABLE, 0) = 1;
  os_interrupt_enable(17);
}
CL_INLINE void os_interrupt_self(void) { must(doorbell_ring(CL_CPUS > 1 ? 1u << cl_cpu_id() : 1, 1)); }
CL_INLINE void os_give_from_handler(os_semaphore *sem) {
  must(xSemaphoreGiveFromISR(sem->handle, &os_woken) != pdTRUE);
}
#endif
#endif

/* --- The program --- */

int main(void) {
  os_setup();
  vTaskStartScheduler();
  return 1;
}

#endif
