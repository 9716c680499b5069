/* SPDX-License-Identifier: Apache-2.0
 *
 * Event groups: 24 bits (8 with ticks of 16 bits) that tasks wait for. */
#ifndef EVENT_GROUPS_H
#define EVENT_GROUPS_H

#ifndef INC_FREERTOS_H
#error "include FreeRTOS.h before event_groups.h"
#endif

#include "timers.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct EventGroupDef_t *EventGroupHandle_t;
typedef TickType_t EventBits_t;

EventGroupHandle_t xEventGroupCreate(void);
EventGroupHandle_t xEventGroupCreateStatic(StaticEventGroup_t *memory);
EventBits_t xEventGroupWaitBits(EventGroupHandle_t group, EventBits_t bits, BaseType_t clear, BaseType_t all,
                                TickType_t ticks);
EventBits_t xEventGroupClearBits(EventGroupHandle_t group, EventBits_t bits);
BaseType_t xEventGroupClearBitsFromISR(EventGroupHandle_t group, EventBits_t bits);
EventBits_t xEventGroupSetBits(EventGroupHandle_t group, EventBits_t bits);
BaseType_t xEventGroupSetBitsFromISR(EventGroupHandle_t group, EventBits_t bits, BaseType_t *woken);
EventBits_t xEventGroupSync(EventGroupHandle_t group, EventBits_t set, EventBits_t bits, TickType_t ticks);
#define xEventGroupGetBits(group) xEventGroupClearBits(group, 0)
EventBits_t xEventGroupGetBitsFromISR(EventGroupHandle_t group);
void vEventGroupDelete(EventGroupHandle_t group);
BaseType_t xEventGroupGetStaticBuffer(EventGroupHandle_t group, StaticEventGroup_t **memory);

#ifdef __cplusplus
}
#endif

#endif
