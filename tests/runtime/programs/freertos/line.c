/* SPDX-License-Identifier: Apache-2.0
 *
 * An interrupt line wakes the most urgent task: MARK at its first instruction, while another one computes. */
#include <FreeRTOS.h>
#include <coreloom.h>
#include <stdio.h>
#include <stdlib.h>
#include <task.h>

#define LINES (1u << 31 | 16)

static TaskHandle_t urgent;

void freertos_risc_v_application_interrupt_handler(uint32_t cause);
void freertos_risc_v_application_interrupt_handler(uint32_t cause) {
  BaseType_t woken = pdFALSE;
  cl_local_write(CL_LINE_CLEAR, 1);
  if (cause == LINES) vTaskNotifyGiveFromISR(urgent, &woken);
  portYIELD_FROM_ISR(woken);
}

static void wait(void *unused) {
  (void)unused;
  cl_local_write(CL_LINE_ENABLE, 1);
  __asm__ volatile("csrs mie, %0" ::"r"(1 << 16));
  for (int i = 0; i < 10; i++) {
    ulTaskNotifyTake(pdTRUE, portMAX_DELAY);
    cl_mark(1);
  }
  puts("ok");
  exit(0);
}

static void compute(void *unused) {
  (void)unused;
  for (;;) continue;
}

int main(void) {
  xTaskCreate(wait, "urgent", 1024, NULL, 2, &urgent);
#if configNUMBER_OF_CORES > 1
  vTaskCoreAffinitySet(urgent, 1); /* lines are CPU 0's */
#endif
  xTaskCreate(compute, "compute", 512, NULL, 1, NULL);
  vTaskStartScheduler();
  return 1;
}
