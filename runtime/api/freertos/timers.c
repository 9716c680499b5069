/* SPDX-License-Identifier: Apache-2.0
 *
 * Software timers. A task takes commands from a queue, and calls the timers' functions: as in FreeRTOS, its priority says
 * when a command takes effect, and a full queue refuses one. */
#include "layer.h"

#include "queue.h"
#include "timers.h"

#if configUSE_TIMERS
#ifndef configTIMER_SERVICE_TASK_NAME
#define configTIMER_SERVICE_TASK_NAME "Tmr Svc"
#endif
#ifndef configTIMER_SERVICE_TASK_CORE_AFFINITY
#define configTIMER_SERVICE_TASK_CORE_AFFINITY tskNO_AFFINITY
#endif

struct command {
  BaseType_t what;
  union {
    struct {
      TimerHandle_t timer;
      TickType_t value;
    } of;
    struct {
      PendedFunction_t function;
      void *argument;
      uint32_t number;
    } call;
  } u;
};

static StaticQueue_t commands;
static struct command stored[configTIMER_QUEUE_LENGTH];
static StaticTask_t service;
static TimerHandle_t timers; /* that run, by their time; that task alone */

static QueueHandle_t queue(void) {
  cl_frt_enter();
  if (!commands.cl_length)
    xQueueCreateStatic(configTIMER_QUEUE_LENGTH, sizeof(struct command), (uint8_t *)stored, &commands);
  cl_frt_leave();
  return &commands;
}

/* --- the service task --- */

static void take_off(const StaticTimer_t *timer) {
  TimerHandle_t *link = &timers;
  while (*link && *link != timer) link = &(*link)->cl_next;
  if (*link) *link = timer->cl_next;
}

static void run_at(TimerHandle_t timer, uint64_t due) {
  TimerHandle_t *link = &timers;
  take_off(timer);
  while (*link && (*link)->cl_due <= due) link = &(*link)->cl_next;
  timer->cl_due = due;
  timer->cl_next = *link;
  timer->cl_active = 1;
  *link = timer;
}

static void stop(TimerHandle_t timer) {
  take_off(timer);
  timer->cl_active = 0;
}

static uint64_t now(void) {
  cl_frt_enter();
  uint64_t ticks = cl_frt_now();
  cl_frt_leave();
  return ticks;
}

static void obey(const struct command *command) {
  TimerHandle_t timer = command->u.of.timer;
  uint64_t time = now();
  switch (command->what) {
    case tmrCOMMAND_EXECUTE_CALLBACK: command->u.call.function(command->u.call.argument, command->u.call.number); break;
    case tmrCOMMAND_START:
    case tmrCOMMAND_RESET: /* from the moment of the command on */
      run_at(timer, time - (TickType_t)((TickType_t)time - command->u.of.value) + timer->cl_period);
      break;
    case tmrCOMMAND_STOP: stop(timer); break;
    case tmrCOMMAND_CHANGE_PERIOD:
      timer->cl_period = command->u.of.value;
      run_at(timer, time + timer->cl_period);
      break;
    default:
      stop(timer);
      if (!timer->cl_static) vPortFree(timer);
  }
}

static void expire(TimerHandle_t timer) {
  if (timer->cl_reload) run_at(timer, timer->cl_due + timer->cl_period);
  else stop(timer);
  timer->cl_callback(timer);
}

/* The longest limit of a wait is one less than none. */
static TickType_t patience(uint64_t ticks) { return ticks < portMAX_DELAY ? (TickType_t)ticks : portMAX_DELAY - 1; }

static void serve(void *unused) {
  (void)unused;
#if configUSE_DAEMON_TASK_STARTUP_HOOK
  vApplicationDaemonTaskStartupHook();
#endif
  for (;;) {
    uint64_t time = now();
    struct command command;
    if (timers && timers->cl_due <= time) {
      expire(timers);
    } else if (xQueueReceive(queue(), &command, timers ? patience(timers->cl_due - time) : portMAX_DELAY)) {
      do obey(&command);
      while (xQueueReceive(queue(), &command, 0));
    }
  }
}

BaseType_t xTimerCreateTimerTask(void) {
  enum { WORDS = (configTIMER_TASK_STACK_DEPTH) < 512 ? 512 : (configTIMER_TASK_STACK_DEPTH) };
  static StackType_t stack[WORDS] __attribute__((aligned(16)));
  queue();
  return xTaskCreateStaticAffinitySet(serve, configTIMER_SERVICE_TASK_NAME, WORDS, NULL, configTIMER_TASK_PRIORITY,
                                      stack, &service, configTIMER_SERVICE_TASK_CORE_AFFINITY) != NULL;
}

TaskHandle_t xTimerGetTimerDaemonTaskHandle(void) { return &service; }

/* --- commands --- */

BaseType_t xTimerGenericCommandFromTask(TimerHandle_t timer, BaseType_t what, TickType_t value, BaseType_t *woken,
                                        TickType_t ticks) {
  struct command command = {.what = what, .u.of = {timer, value}};
  configASSERT(timer);
  (void)woken;
  if (xTaskGetSchedulerState() != taskSCHEDULER_RUNNING) ticks = 0;
  return xQueueSendToBack(queue(), &command, ticks);
}

BaseType_t xTimerGenericCommandFromISR(TimerHandle_t timer, BaseType_t what, TickType_t value, BaseType_t *woken,
                                       TickType_t ticks) {
  struct command command = {.what = what, .u.of = {timer, value}};
  configASSERT(timer);
  (void)ticks;
  return xQueueSendToBackFromISR(queue(), &command, woken);
}

BaseType_t xTimerPendFunctionCall(PendedFunction_t function, void *argument, uint32_t number, TickType_t ticks) {
  struct command command = {.what = tmrCOMMAND_EXECUTE_CALLBACK, .u.call = {function, argument, number}};
  return xQueueSendToBack(queue(), &command, ticks);
}

BaseType_t xTimerPendFunctionCallFromISR(PendedFunction_t function, void *argument, uint32_t number,
                                         BaseType_t *woken) {
  struct command command = {.what = tmrCOMMAND_EXECUTE_CALLBACK, .u.call = {function, argument, number}};
  return xQueueSendToBackFromISR(queue(), &command, woken);
}

/* --- timers --- */

static TimerHandle_t prepare(StaticTimer_t *timer, const char *name, TickType_t period, BaseType_t reload, void *id,
                             TimerCallbackFunction_t callback, int is_static) {
  configASSERT(period && callback);
  *timer = (StaticTimer_t){.cl_name = name, .cl_period = period, .cl_id = id, .cl_callback = callback};
  timer->cl_reload = reload != pdFALSE;
  timer->cl_static = (uint8_t)is_static;
  return timer;
}

TimerHandle_t xTimerCreate(const char *name, TickType_t period, BaseType_t reload, void *id,
                           TimerCallbackFunction_t callback) {
  StaticTimer_t *timer = pvPortMalloc(sizeof *timer);
  return timer ? prepare(timer, name, period, reload, id, callback, 0) : NULL;
}

TimerHandle_t xTimerCreateStatic(const char *name, TickType_t period, BaseType_t reload, void *id,
                                 TimerCallbackFunction_t callback, StaticTimer_t *memory) {
  configASSERT(memory);
  return memory ? prepare(memory, name, period, reload, id, callback, 1) : NULL;
}

BaseType_t xTimerGetStaticBuffer(TimerHandle_t timer, StaticTimer_t **memory) {
  if (!timer->cl_static) return pdFALSE;
  *memory = timer;
  return pdTRUE;
}

BaseType_t xTimerIsTimerActive(TimerHandle_t timer) { return *(volatile uint8_t *)&timer->cl_active; }
void *pvTimerGetTimerID(TimerHandle_t timer) { return timer->cl_id; }
void vTimerSetTimerID(TimerHandle_t timer, void *id) { timer->cl_id = id; }
const char *pcTimerGetName(TimerHandle_t timer) { return timer->cl_name; }
TickType_t xTimerGetPeriod(TimerHandle_t timer) { return timer->cl_period; }
TickType_t xTimerGetExpiryTime(TimerHandle_t timer) { return (TickType_t)timer->cl_due; }
void vTimerSetReloadMode(TimerHandle_t timer, BaseType_t reload) { timer->cl_reload = reload != pdFALSE; }
BaseType_t xTimerGetReloadMode(TimerHandle_t timer) { return timer->cl_reload; }
UBaseType_t uxTimerGetReloadMode(TimerHandle_t timer) { return timer->cl_reload; }
UBaseType_t uxTimerGetTimerNumber(TimerHandle_t timer) { return timer->cl_number; }
void vTimerSetTimerNumber(TimerHandle_t timer, UBaseType_t number) { timer->cl_number = number; }
#endif
