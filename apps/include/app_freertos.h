/* SPDX-License-Identifier: Apache-2.0 */
/* app.h on FreeRTOS: tasks of one priority, and queues of as many words as Coreloom's ports hold. */
#ifndef APP_FREERTOS_H
#define APP_FREERTOS_H

#include "app.h"

#include <FreeRTOS.h>
#include <queue.h>
#include <stdlib.h>
#include <task.h>

#define APP_PRIORITY (tskIDLE_PRIORITY + 1)
#define APP_STACK_WORDS 2048
#define APP_TASKS 16 /* with main's */

_Static_assert(APP_STREAMS == 1, "APP_STREAMS: streams are for Coreloom's kernels");

typedef TaskHandle_t app_id;

static QueueHandle_t app_queues[CL_PORTS];
static TaskHandle_t app_main;

static inline void app_open(int port, int flags) {
  static StaticQueue_t queues[CL_PORTS];
  static uint32_t words[CL_PORTS][CL_PORT_DEPTH];
  app_must(flags != PORT_DIRECT); /* a word in a queue is there at once */
  app_queues[port] = xQueueCreateStatic(CL_PORT_DEPTH, sizeof(uint32_t), (uint8_t *)words[port], &queues[port]);
}

static inline void app_send(int port, uint32_t word) {
  app_must(xQueueSend(app_queues[port], &word, portMAX_DELAY) != pdPASS);
}

static inline bool app_trysend(int port, uint32_t word) { return xQueueSend(app_queues[port], &word, 0) == pdPASS; }

static inline uint32_t app_receive(int port) {
  uint32_t word;
  app_must(xQueueReceive(app_queues[port], &word, portMAX_DELAY) != pdPASS);
  return word;
}

static inline TaskHandle_t app_create(TaskFunction_t start, const char *name, void *argument) {
  static StaticTask_t tasks[APP_TASKS];
  static StackType_t stacks[APP_TASKS][APP_STACK_WORDS] __attribute__((section(".bss.stacks"), aligned(16)));
  static unsigned made;
  app_must(made == APP_TASKS);
  const unsigned n = made++;
  return xTaskCreateStatic(start, name, APP_STACK_WORDS, argument, APP_PRIORITY, stacks[n], &tasks[n]);
}

static inline void app_task(void *given) {
  const struct app_thread *const thread = given;
  (void)thread->start((void *)(uintptr_t)thread->argument);
  (void)xTaskNotifyGive(app_main);
  vTaskDelete(NULL);
}

static inline void app_start(const struct app_thread *threads, app_id *ids, unsigned count, int ready_port) {
  app_main = xTaskGetCurrentTaskHandle();
  for (unsigned i = 0; i < count; ++i) {
    ids[i] = app_create(app_task, threads[i].name, (void *)(uintptr_t)&threads[i]);
#if configNUMBER_OF_CORES > 1
    if (CL_PLACEMENT == 1) {
      vTaskCoreAffinitySet(ids[i], 1u << threads[i].cpu % APP_CPUS);
    }
#endif
  }
  for (unsigned i = 0; i < count; ++i) {
    (void)app_receive(ready_port);
  }
}

/* FreeRTOS has no join: each task notifies the one that started it. */
static inline void app_join(const app_id *ids, unsigned count) {
  (void)ids;
  for (unsigned i = 0; i < count; ++i) {
    (void)ulTaskNotifyTake(pdFALSE, portMAX_DELAY);
  }
}

static inline void app_first(void *application) {
  int (*const function)(void) = (int (*)(void))application;
  exit(function());
}

static inline int app_run(int (*application)(void)) {
  (void)app_create(app_first, "main", (void *)application);
  vTaskStartScheduler();
  return APP_EXIT_SERVICE;
}

#endif
