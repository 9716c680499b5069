/* SPDX-License-Identifier: Apache-2.0
 *
 * Software timers, which a task of the layer serves in the order of its commands. */
#ifndef TIMERS_H
#define TIMERS_H

#ifndef INC_FREERTOS_H
#error "include FreeRTOS.h before timers.h"
#endif

#include "task.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tmrTimerControl *TimerHandle_t;
typedef void (*TimerCallbackFunction_t)(TimerHandle_t timer);
typedef void (*PendedFunction_t)(void *argument, uint32_t number);

#define tmrCOMMAND_EXECUTE_CALLBACK ((BaseType_t) - 1)
#define tmrCOMMAND_START ((BaseType_t)1)
#define tmrCOMMAND_RESET ((BaseType_t)2)
#define tmrCOMMAND_STOP ((BaseType_t)3)
#define tmrCOMMAND_CHANGE_PERIOD ((BaseType_t)4)
#define tmrCOMMAND_DELETE ((BaseType_t)5)

TimerHandle_t xTimerCreate(const char *name, TickType_t period, BaseType_t reload, void *id,
                           TimerCallbackFunction_t callback);
TimerHandle_t xTimerCreateStatic(const char *name, TickType_t period, BaseType_t reload, void *id,
                                 TimerCallbackFunction_t callback, StaticTimer_t *memory);
BaseType_t xTimerGenericCommandFromTask(TimerHandle_t timer, BaseType_t command, TickType_t value, BaseType_t *woken,
                                        TickType_t ticks);
BaseType_t xTimerGenericCommandFromISR(TimerHandle_t timer, BaseType_t command, TickType_t value, BaseType_t *woken,
                                       TickType_t ticks);

#define xTimerStart(timer, ticks) \
  xTimerGenericCommandFromTask(timer, tmrCOMMAND_START, xTaskGetTickCount(), NULL, ticks)
#define xTimerReset(timer, ticks) \
  xTimerGenericCommandFromTask(timer, tmrCOMMAND_RESET, xTaskGetTickCount(), NULL, ticks)
#define xTimerStop(timer, ticks) xTimerGenericCommandFromTask(timer, tmrCOMMAND_STOP, 0, NULL, ticks)
#define xTimerDelete(timer, ticks) xTimerGenericCommandFromTask(timer, tmrCOMMAND_DELETE, 0, NULL, ticks)
#define xTimerChangePeriod(timer, period, ticks) \
  xTimerGenericCommandFromTask(timer, tmrCOMMAND_CHANGE_PERIOD, period, NULL, ticks)
#define xTimerStartFromISR(timer, woken) \
  xTimerGenericCommandFromISR(timer, tmrCOMMAND_START, xTaskGetTickCountFromISR(), woken, 0)
#define xTimerResetFromISR(timer, woken) \
  xTimerGenericCommandFromISR(timer, tmrCOMMAND_RESET, xTaskGetTickCountFromISR(), woken, 0)
#define xTimerStopFromISR(timer, woken) xTimerGenericCommandFromISR(timer, tmrCOMMAND_STOP, 0, woken, 0)
#define xTimerChangePeriodFromISR(timer, period, woken) \
  xTimerGenericCommandFromISR(timer, tmrCOMMAND_CHANGE_PERIOD, period, woken, 0)

BaseType_t xTimerPendFunctionCall(PendedFunction_t function, void *argument, uint32_t number, TickType_t ticks);
BaseType_t xTimerPendFunctionCallFromISR(PendedFunction_t function, void *argument, uint32_t number, BaseType_t *woken);
BaseType_t xTimerIsTimerActive(TimerHandle_t timer);
void *pvTimerGetTimerID(TimerHandle_t timer);
void vTimerSetTimerID(TimerHandle_t timer, void *id);
const char *pcTimerGetName(TimerHandle_t timer);
TickType_t xTimerGetPeriod(TimerHandle_t timer);
TickType_t xTimerGetExpiryTime(TimerHandle_t timer);
void vTimerSetReloadMode(TimerHandle_t timer, BaseType_t reload);
BaseType_t xTimerGetReloadMode(TimerHandle_t timer);
UBaseType_t uxTimerGetReloadMode(TimerHandle_t timer);
BaseType_t xTimerGetStaticBuffer(TimerHandle_t timer, StaticTimer_t **memory);
UBaseType_t uxTimerGetTimerNumber(TimerHandle_t timer);
void vTimerSetTimerNumber(TimerHandle_t timer, UBaseType_t number);
TaskHandle_t xTimerGetTimerDaemonTaskHandle(void);
BaseType_t xTimerCreateTimerTask(void); /* by the scheduler's start */

#ifdef __cplusplus
}
#endif

#endif
