/* SPDX-License-Identifier: Apache-2.0
 *
 * The same switches on FreeRTOS as in stages.c: on each CPU two tasks exchange words through two queues, then compute for
 * some of its ticks, each of which ends the time slice of one. */
#include "coreloom.h"

#include <FreeRTOS.h>
#include <queue.h>
#include <task.h>

enum { EXCHANGES = 100, TICKS = 20, TASKS = 2 * CL_CPUS, STACK_WORDS = 512 };

static QueueHandle_t queues[TASKS];
static volatile uint32_t ended;

static void must(BaseType_t done) {
  if (done != pdPASS) cl_exit(2);
}

/* The tasks of a CPU differ by the last bit of their number, which is that of the queue each receives from. */
static void work(void *argument) {
  const uint32_t me = (uint32_t)(uintptr_t)argument;
  for (uint32_t n = 0; n < EXCHANGES; n++) {
    uint32_t word = n;
    if (me % 2) must(xQueueSend(queues[me ^ 1], &word, portMAX_DELAY));
    must(xQueueReceive(queues[me], &word, portMAX_DELAY));
    if (!(me % 2)) must(xQueueSend(queues[me ^ 1], &word, portMAX_DELAY));
    must(word == n);
  }
  const uint32_t end = cl_cycle() + TICKS * (configCPU_CLOCK_HZ / configTICK_RATE_HZ);
  while ((int32_t)(end - cl_cycle()) > 0) continue;
  taskENTER_CRITICAL();
  if (++ended == TASKS) cl_exit(0);
  taskEXIT_CRITICAL();
  vTaskSuspend(NULL);
}

int main(void) {
  static StaticTask_t tasks[TASKS];
  static StackType_t stacks[TASKS][STACK_WORDS] __attribute__((aligned(16)));
  static StaticQueue_t made[TASKS];
  static uint32_t words[TASKS];
  for (uint32_t n = 0; n < TASKS; n++) {
    queues[n] = xQueueCreateStatic(1, sizeof words[n], (uint8_t *)&words[n], &made[n]);
  }
  for (uint32_t n = 0; n < TASKS; n++) {
    void *const number = (void *)(uintptr_t)n;
    const TaskHandle_t task = xTaskCreateStatic(work, "", STACK_WORDS, number, 1, stacks[n], &tasks[n]);
    if (!task) cl_exit(2);
#if CL_CPUS > 1
    vTaskCoreAffinitySet(task, 1u << n / 2);
#endif
  }
  vTaskStartScheduler();
  return 2;
}
