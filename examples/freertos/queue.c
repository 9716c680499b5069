/* SPDX-License-Identifier: Apache-2.0
 *
 * Producers and a consumer, on FreeRTOS's API: two tasks send blocks through a queue of four; a mutex with priority
 * inheritance guards their common total. Prints what has come. */
#include <stdio.h>
#include <stdlib.h>

#include "FreeRTOS.h"
#include "queue.h"
#include "semphr.h"
#include "task.h"

enum { PRODUCERS = 2, BLOCKS = 200 };

struct block {
  uint32_t from, number, sum;
};

static QueueHandle_t blocks;
static SemaphoreHandle_t guard;
static uint32_t sent;

static void produce(void *given) {
  const uint32_t from = (uint32_t)(uintptr_t)given;
  for (uint32_t number = 0; number < BLOCKS; number++) {
    const struct block block = {from, number, from * 1000 + number};
    xSemaphoreTake(guard, portMAX_DELAY);
    sent++;
    xSemaphoreGive(guard);
    xQueueSend(blocks, &block, portMAX_DELAY);
  }
  vTaskDelete(NULL);
}

static void consume(void *unused) {
  uint32_t next[PRODUCERS] = {0}, wrong = 0;
  struct block block;
  (void)unused;
  for (int i = 0; i < PRODUCERS * BLOCKS; i++) {
    xQueueReceive(blocks, &block, portMAX_DELAY);
    wrong += block.number != next[block.from]++ || block.sum != block.from * 1000 + block.number;
  }
  printf("%lu blocks sent, %lu and %lu came, %lu wrong\n", (unsigned long)sent, (unsigned long)next[0],
         (unsigned long)next[1], (unsigned long)wrong);
  exit(0);
}

int main(void) {
  blocks = xQueueCreate(4, sizeof(struct block));
  guard = xSemaphoreCreateMutex();
  xTaskCreate(consume, "consume", 512, NULL, 2, NULL);
  for (uintptr_t from = 0; from < PRODUCERS; from++) {
    xTaskCreate(produce, "produce", configMINIMAL_STACK_SIZE, (void *)from, 1, NULL);
  }
  vTaskStartScheduler();
  return 1;
}
