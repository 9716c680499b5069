/* SPDX-License-Identifier: Apache-2.0
 *
 * Full-context switches of FreeRTOS on one CPU, as in stages.c: two tasks compute for some of its ticks, each of which
 * ends the time slice of one. */
#include "coreloom.h"

#include <FreeRTOS.h>
#include <task.h>

enum { TICKS = 20, TASKS = 2, STACK_WORDS = 512 };

static uint32_t end;

static void compute(void *argument) {
  static volatile unsigned ended;
  (void)argument;
  while ((int32_t)(end - cl_cycle()) > 0) continue;
  if (++ended == TASKS) cl_exit(0);
  vTaskSuspend(NULL);
}

int main(void) {
  static StaticTask_t tasks[TASKS];
  static StackType_t stacks[TASKS][STACK_WORDS] __attribute__((aligned(16)));
  end = cl_cycle() + TICKS * (configCPU_CLOCK_HZ / configTICK_RATE_HZ);
  for (unsigned n = 0; n < TASKS; n++) {
    if (!xTaskCreateStatic(compute, "", STACK_WORDS, NULL, 1, stacks[n], &tasks[n])) cl_exit(2);
  }
  vTaskStartScheduler();
  return 2;
}
