/* SPDX-License-Identifier: Apache-2.0
 *
 * CMSIS-RTOS2: a timer wakes a thread that measures, and a message queue takes what it has measured to another. */
#include <cmsis_os2.h>
#include <stdio.h>
#include <stdlib.h>

static osMessageQueueId_t readings;
static osThreadId_t sensor;

static void due(void *unused) {
  (void)unused;
  osThreadFlagsSet(sensor, 1);
}

static void measure(void *unused) {
  (void)unused;
  for (uint32_t reading = 10; reading <= 30; reading += 10) {
    osThreadFlagsWait(1, osFlagsWaitAny, osWaitForever);
    osMessageQueuePut(readings, &reading, 0, osWaitForever);
  }
}

static void report(void *unused) {
  uint32_t reading, number = 0;
  (void)unused;
  while (osMessageQueueGet(readings, &reading, NULL, 20) == osOK)
    printf("reading %u: %u\n", (unsigned)++number, (unsigned)reading);
  puts("no reading in 20 ms");
  exit(0);
}

int main(void) {
  osKernelInitialize();
  readings = osMessageQueueNew(4, sizeof(uint32_t), NULL);
  sensor = osThreadNew(measure, NULL, &(osThreadAttr_t){.name = "sensor", .priority = osPriorityHigh});
  osThreadNew(report, NULL, &(osThreadAttr_t){.name = "report"});
  osTimerStart(osTimerNew(due, osTimerPeriodic, NULL, NULL), 10);
  osKernelStart();
}
