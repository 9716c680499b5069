/* SPDX-License-Identifier: Apache-2.0
 *
 * Cycles of a turn, each a MARK: a yield in a ring of five tasks, a word through a queue in one task, a notification
 * there and back between equals. */
#include <FreeRTOS.h>
#include <coreloom.h>
#include <queue.h>
#include <stdlib.h>
#include <task.h>

enum { TASKS = 5, WARM = 8, TURNS = 64 };

static uint32_t begin;
static unsigned running = TASKS;
static TaskHandle_t ping_task, pong_task;

static void started(unsigned turn) {
  if (turn == WARM) begin = cl_cycle();
}

static void pong(void *unused) {
  (void)unused;
  for (;;) {
    ulTaskNotifyTake(pdTRUE, portMAX_DELAY);
    xTaskNotifyGive(ping_task);
  }
}

static void ping(void *unused) {
  (void)unused;
  const QueueHandle_t queue = xQueueCreate(2, sizeof(uint32_t));
  uint32_t word = 0;
  for (unsigned turn = 0; turn < WARM + TURNS; turn++) {
    started(turn);
    xQueueSend(queue, &word, portMAX_DELAY);
    xQueueReceive(queue, &word, portMAX_DELAY);
  }
  cl_mark((cl_cycle() - begin) / TURNS);
  xTaskCreate(pong, "pong", 512, NULL, 1, &pong_task);
  for (unsigned turn = 0; turn < WARM + TURNS; turn++) {
    started(turn);
    xTaskNotifyGive(pong_task);
    ulTaskNotifyTake(pdTRUE, portMAX_DELAY);
  }
  cl_mark((cl_cycle() - begin) / TURNS);
  exit(0);
}

static void yield(void *unused) {
  (void)unused;
  for (unsigned turn = 0; turn < WARM + TURNS; turn++) {
    started(turn); /* of all five the last one counts */
    taskYIELD();
  }
  if (--running == 0) {
    cl_mark((cl_cycle() - begin) / (TASKS * TURNS));
    xTaskCreate(ping, "ping", 512, NULL, 1, &ping_task);
  }
  vTaskDelete(NULL);
}

int main(void) {
  for (unsigned n = 0; n < TASKS; n++) xTaskCreate(yield, "yield", 512, NULL, 1, NULL);
  vTaskStartScheduler();
  return 1;
}
