/* SPDX-License-Identifier: Apache-2.0
 *
 * Two tasks and a software timer, on FreeRTOS's API: coreloom compare --on hw,sw,freertos blinky.c
 *
 * A task sends a number every 20 ms; the other one receives it and toggles its "LED". A timer sends another number if
 * nothing else has come for 50 ms. */
#include <stdio.h>
#include <stdlib.h>

#include "FreeRTOS.h"
#include "queue.h"
#include "task.h"
#include "timers.h"

enum { FROM_TASK = 100, FROM_TIMER = 200, ROUNDS = 5 };

static QueueHandle_t queue;

static void send(void *unused) {
  TickType_t wake = xTaskGetTickCount();
  const uint32_t value = FROM_TASK;
  (void)unused;
  for (int i = 0; i < ROUNDS; i++) {
    vTaskDelayUntil(&wake, pdMS_TO_TICKS(20));
    xQueueSend(queue, &value, 0);
  }
  vTaskDelete(NULL);
}

static void timer_sends(TimerHandle_t timer) {
  const uint32_t value = FROM_TIMER;
  (void)timer;
  xQueueSend(queue, &value, 0);
}

static void receive(void *given) {
  TimerHandle_t timer = given;
  uint32_t value;
  int led = 0;
  for (;;) {
    xQueueReceive(queue, &value, portMAX_DELAY);
    led = !led;
    printf("%3lu ms: %lu, LED %s\n", (unsigned long)(xTaskGetTickCount() * portTICK_PERIOD_MS), (unsigned long)value,
           led ? "on" : "off");
    if (value == FROM_TIMER) exit(0);
    xTimerReset(timer, 0);
  }
}

int main(void) {
  queue = xQueueCreate(4, sizeof(uint32_t));
  TimerHandle_t timer = xTimerCreate("timer", pdMS_TO_TICKS(50), pdFALSE, NULL, timer_sends);
  xTimerStart(timer, 0);
  xTaskCreate(receive, "receive", 512, timer, 2, NULL);
  xTaskCreate(send, "send", configMINIMAL_STACK_SIZE, NULL, 1, NULL);
  vTaskStartScheduler();
  return 1;
}
