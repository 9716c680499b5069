/* SPDX-License-Identifier: Apache-2.0
 *
 * Of the conformance programs: each test is one requirement of FreeRTOS's API reference, and all run one after the other
 * in a task of priority MIDDLE. All tasks are on CPU 0 unless a test is about several. Prints the tests that fail, and
 * how many hold. */
#ifndef JUDGE_H
#define JUDGE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "FreeRTOS.h"
#include "event_groups.h"
#include "message_buffer.h"
#include "queue.h"
#include "semphr.h"
#include "stream_buffer.h"
#include "task.h"
#include "timers.h"

enum { LOW = 2, MIDDLE = 3, HIGH = 4, STACK = 512 };

static const char *requirement;
static int holds, fails, is_wrong;
static TaskHandle_t judge;

/* What the tasks of a test have done, in order. */
static char log_text[64];
static volatile unsigned log_length;
static void say(char what) {
  taskENTER_CRITICAL();
  log_text[log_length++ % (sizeof log_text - 1)] = what;
  taskEXIT_CRITICAL();
}

static void require(int condition, const char *text, int line) {
  if (condition) return;
  if (!is_wrong++) printf("%s\n", requirement);
  printf("  line %d: %s; log \"%s\"\n", line, text, log_text);
}
#define REQUIRE(condition) require((condition) != 0, #condition, __LINE__)
#define REQUIRE_LOG(text) require(!strcmp(log_text, text), "log is " #text, __LINE__)

/* Begins a test: the end of the one before. */
static void test(const char *text) {
  if (requirement) is_wrong ? fails++ : holds++;
  requirement = text;
  is_wrong = 0;
  memset(log_text, 0, sizeof log_text);
  log_length = 0;
}

/* In an interrupt, or what is one here. */
static volatile unsigned ticks;
static SemaphoreHandle_t each_tick;
void vApplicationTickHook(void) {
  ticks++;
  if (each_tick) xSemaphoreGiveFromISR(each_tick, NULL);
}

static TaskHandle_t start_on(UBaseType_t cpus, TaskFunction_t code, void *argument, UBaseType_t priority) {
  TaskHandle_t task = NULL;
#if CL_CPUS > 1
  BaseType_t made = xTaskCreateAffinitySet(code, "helper", STACK, argument, priority, cpus, &task);
#else
  (void)cpus;
  BaseType_t made = xTaskCreate(code, "helper", STACK, argument, priority, &task);
#endif
  configASSERT(made == pdPASS);
  return task;
}
static TaskHandle_t start(TaskFunction_t code, void *argument, UBaseType_t priority) {
  return start_on(1, code, argument, priority);
}

static void tests(void);

static void judge_body(void *unused) {
  (void)unused;
  judge = xTaskGetCurrentTaskHandle();
  tests();
  test(NULL);
  printf("%d hold, %d fail\n", holds, fails);
  exit(fails != 0);
}

void broken(const char *file, int line) {
  printf("%s: assertion in line %d of %s\n", requirement ? requirement : "start", line, file);
  exit(1);
}

int main(void) {
  start(judge_body, NULL, MIDDLE);
  vTaskStartScheduler();
  return 1;
}

#endif
