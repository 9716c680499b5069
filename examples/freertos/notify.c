/* SPDX-License-Identifier: Apache-2.0
 *
 * The lightest signals FreeRTOS has, and its bytes: a task answers notifications a thousand times, then sends a text
 * through a stream buffer to the task that asked. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "FreeRTOS.h"
#include "stream_buffer.h"
#include "task.h"

enum { ROUNDS = 1000 };

static TaskHandle_t asker, answerer;
static StreamBufferHandle_t stream;

static void answer(void *unused) {
  static const char text[] = "a thousand rounds, and sixteen bytes at a time";
  (void)unused;
  for (int i = 0; i < ROUNDS; i++) {
    ulTaskNotifyTake(pdTRUE, portMAX_DELAY);
    xTaskNotifyGive(asker);
  }
  xStreamBufferSend(stream, text, sizeof text, portMAX_DELAY);
  vTaskDelete(NULL);
}

static void ask(void *unused) {
  char text[64];
  size_t have = 0;
  (void)unused;
  for (int i = 0; i < ROUNDS; i++) {
    xTaskNotifyGive(answerer);
    ulTaskNotifyTake(pdTRUE, portMAX_DELAY);
  }
  do have += xStreamBufferReceive(stream, text + have, 16, portMAX_DELAY);
  while (text[have - 1]);
  printf("%s\n", text);
  exit(0);
}

int main(void) {
  stream = xStreamBufferCreate(128, 1);
  xTaskCreate(answer, "answer", configMINIMAL_STACK_SIZE, NULL, 2, &answerer);
  xTaskCreate(ask, "ask", 512, NULL, 2, &asker);
  vTaskStartScheduler();
  return 1;
}
