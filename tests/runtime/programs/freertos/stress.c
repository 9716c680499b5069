/* SPDX-License-Identifier: Apache-2.0
 *
 * Tasks of two priorities on all CPUs, with a tick so short that they are preempted everywhere: messages around a ring,
 * counters under a mutex, in critical sections and with the scheduler suspended, notifications, delays, allocation, and
 * words from an interrupt. Each counts with all registers in use, so a context that is not whole shows. */
#include <FreeRTOS.h>
#include <coreloom.h>
#include <queue.h>
#include <semphr.h>
#include <stdio.h>
#include <stdlib.h>
#include <task.h>

enum { TASKS = 6, ROUNDS = 100, WORDS = 24, INTERRUPTS = 300 };

static QueueHandle_t ring[TASKS];
static SemaphoreHandle_t mutex;
static TaskHandle_t judge, watcher;
static QueueHandle_t from_line;
static volatile unsigned under_mutex, in_critical, suspended, watched, torn, masked, sent, heard;
static volatile unsigned ran_on[CL_CPUS];

static unsigned mixed(unsigned seed) {
  unsigned word[WORDS];
  for (unsigned i = 0; i < WORDS; i++) word[i] = seed + i;
  for (unsigned turn = 0; turn < 4; turn++) {
    for (unsigned i = 0; i < WORDS; i++) word[i] = word[i] * 1664525u + word[(i + 7) % WORDS];
  }
  unsigned sum = 0;
  for (unsigned i = 0; i < WORDS; i++) sum ^= word[i];
  return sum;
}

/* Not atomic: two at a time lose counts. */
static void count(volatile unsigned *counter) {
  const unsigned before = *counter;
  for (volatile unsigned i = 0; i < 3; i++) continue;
  *counter = before + 1;
}

static void around(void *argument) {
  const unsigned self = (unsigned)(uintptr_t)argument;
  for (unsigned round = 0; round < ROUNDS; round++) {
    unsigned token;
    xQueueReceive(ring[self], &token, portMAX_DELAY);
    const unsigned expected = mixed(token);
    xSemaphoreTake(mutex, portMAX_DELAY);
    count(&under_mutex);
    xSemaphoreGive(mutex);
    taskENTER_CRITICAL();
    count(&in_critical);
    taskEXIT_CRITICAL();
    vTaskSuspendAll();
    count(&suspended);
    (void)xTaskResumeAll();
    if (round % 8 == self) vTaskDelay(1);
    if (round % 4 == 0) taskYIELD();
    unsigned *const block = malloc(32);
    *block = mixed(token);
    if (*block != expected) torn++;
    free(block);
    ran_on[cl_cpu_id()] = 1;
    uint32_t status;
    __asm__ volatile("csrr %0, mstatus" : "=r"(status));
    if (!(status & 8)) masked++;
    token++;
    xQueueSend(ring[(self + 1) % TASKS], &token, portMAX_DELAY);
    xTaskNotifyGive(watcher);
  }
  xTaskNotifyGive(judge);
  vTaskDelete(NULL);
}

/* More urgent than the others: preempts them. */
static void watch(void *unused) {
  (void)unused;
  while (watched < TASKS * ROUNDS) watched += ulTaskNotifyTake(pdTRUE, portMAX_DELAY);
  xTaskNotifyGive(judge);
  vTaskDelete(NULL);
}

void freertos_risc_v_application_interrupt_handler(uint32_t cause);
void freertos_risc_v_application_interrupt_handler(uint32_t cause) {
  BaseType_t woken = pdFALSE;
  cl_local_write(CL_LINE_CLEAR, 1);
  if (xQueueSendFromISR(from_line, &cause, &woken) == pdPASS) sent++;
  portYIELD_FROM_ISR(woken);
}

/* Begins on CPU 0, whose the lines are. */
static void listen(void *unused) {
  (void)unused;
  cl_local_write(CL_LINE_ENABLE, 1);
  __asm__ volatile("csrs mie, %0" ::"r"(1 << 16));
#if configNUMBER_OF_CORES > 1
  vTaskCoreAffinitySet(NULL, tskNO_AFFINITY);
#endif
  uint32_t cause;
  for (;; heard++) xQueueReceive(from_line, &cause, portMAX_DELAY);
}

static void decide(void *unused) {
  (void)unused;
  for (unsigned n = 0; n < TASKS; n++) xQueueSend(ring[n], &n, portMAX_DELAY);
  for (unsigned n = 0; n < TASKS + 1; n++) ulTaskNotifyTake(pdFALSE, portMAX_DELAY);
  while (heard != sent) vTaskDelay(1); /* no word is lost */
  unsigned cpus = 0;
  for (unsigned cpu = 0; cpu < CL_CPUS; cpu++) cpus += ran_on[cpu];
  printf("%u %u %u %u, torn %u, masked %u, CPUs %u\n", under_mutex, in_critical, suspended, watched, torn, masked,
         cpus);
  exit(0);
}

int main(void) {
  mutex = xSemaphoreCreateMutex();
  for (unsigned n = 0; n < TASKS; n++) ring[n] = xQueueCreate(TASKS, sizeof(unsigned));
  from_line = xQueueCreate(INTERRUPTS, sizeof(uint32_t));
  TaskHandle_t listener;
  xTaskCreate(listen, "listener", 512, NULL, 1, &listener);
#if configNUMBER_OF_CORES > 1
  vTaskCoreAffinitySet(listener, 1);
#endif
  xTaskCreate(decide, "judge", 1024, NULL, 1, &judge);
  xTaskCreate(watch, "watcher", 512, NULL, 2, &watcher);
  for (unsigned n = 0; n < TASKS; n++) xTaskCreate(around, "around", 512, (void *)(uintptr_t)n, 1, NULL);
  vTaskStartScheduler();
  return 1;
}
