/* SPDX-License-Identifier: Apache-2.0
 *
 * On each CPU a task that never gives way, and one more of their priority: all get on by time slices. A more urgent task
 * wakes at each tick, prints which tick, and at the end which tasks have run since. */
#include <FreeRTOS.h>
#include <stdio.h>
#include <stdlib.h>
#include <task.h>

enum { TICKS = 10 };

static volatile uint32_t turns[CL_CPUS + 1];

static void compute(void *argument) {
  for (;;) turns[(uintptr_t)argument]++;
}

static void watch(void *unused) {
  (void)unused;
  TickType_t last = xTaskGetTickCount();
  for (unsigned n = 0; n < TICKS; n++) {
    vTaskDelay(1);
    printf("%u", (unsigned)(xTaskGetTickCount() - last));
    last = xTaskGetTickCount();
  }
  for (unsigned n = 0; n <= CL_CPUS; n++) putchar(turns[n] ? '+' : '-');
  puts("");
  exit(0);
}

int main(void) {
  xTaskCreate(watch, "watch", 1024, NULL, 2, NULL);
  for (uintptr_t n = 0; n <= CL_CPUS; n++) xTaskCreate(compute, "compute", 256, (void *)n, 1, NULL);
  vTaskStartScheduler();
  return 1;
}
