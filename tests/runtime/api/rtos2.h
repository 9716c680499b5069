/* SPDX-License-Identifier: Apache-2.0
 *
 * The tests of CMSIS-RTOS2: they run in a thread of normal priority on CPU 0, as all threads do that `start` makes. */
#ifndef RTOS2_H
#define RTOS2_H

#include <cmsis_os2.h>
#include <irq_ctrl.h>

#include "judge.h"

#define UNUSED __attribute__((unused))

static osThreadId_t driver;

/* A joinable thread on CPU 0. */
UNUSED static osThreadId_t start(osThreadFunc_t function, void *argument, osPriority_t priority) {
  const osThreadAttr_t attr = {
      .name = "helper", .attr_bits = osThreadJoinable, .priority = priority, .affinity_mask = osThreadProcessor(0)};
  osThreadId_t thread = osThreadNew(function, argument, &attr);
  if (!thread) abort();
  return thread;
}

UNUSED static osThreadId_t start_above(osThreadFunc_t function, void *argument) {
  return start(function, argument, osPriorityAboveNormal);
}

UNUSED static osThreadId_t start_below(osThreadFunc_t function, void *argument) {
  return start(function, argument, osPriorityBelowNormal);
}

/* All others on CPU 0 run until they wait: one tick may be over at once. */
UNUSED static void settle(void) { osDelay(2); }

/* What a handler of an interrupt finds: `ask` is called by one. */
#define LINE 3
UNUSED static void (*ask)(void);
UNUSED static void handler(void) { ask(); }

UNUSED static void in_handler(void (*what)(void)) {
  static int done;
  if (!done) {
    IRQ_SetHandler(LINE, handler);
    IRQ_Enable(LINE);
    done = 1;
  }
  ask = what;
  IRQ_SetPending(LINE);
  settle();
}

static volatile long found[12]; /* by the handler, or by another thread */
UNUSED static void forget(void) {
  for (unsigned i = 0; i < sizeof found / sizeof *found; i++) found[i] = 0;
}

/* A note of who was there, in order. */
static volatile char order[16];
static volatile unsigned noted;
UNUSED static void note(char who) { order[noted++] = who; }
UNUSED static void begin(void) { noted = 0; }
UNUSED static int ordered(const char *wanted) {
  unsigned i = 0;
  for (; i < noted; i++)
    if (order[i] != wanted[i]) return 0;
  return wanted[i] == '\0';
}

static void drive(void *argument) {
  (void)argument;
  judge();
}

static void before_start(void);

int main(void) {
  before_start();
  const osThreadAttr_t attr = {.name = "driver", .affinity_mask = osThreadProcessor(0)};
  driver = osThreadNew(drive, NULL, &attr);
  osKernelStart();
}

#endif
