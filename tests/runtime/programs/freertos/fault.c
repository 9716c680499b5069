/* SPDX-License-Identifier: Apache-2.0
 *
 * A task whose instruction is none. */
#include <FreeRTOS.h>
#include <task.h>

static void fault(void *unused) {
  (void)unused;
  __asm__ volatile(".globl here\nhere: unimp");
}

int main(void) {
  xTaskCreate(fault, "broken", 512, NULL, 1, NULL);
  vTaskStartScheduler();
  return 1;
}
