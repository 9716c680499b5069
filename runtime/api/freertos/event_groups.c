/* SPDX-License-Identifier: Apache-2.0
 *
 * Event groups. Setting bits ends the waits that they suffice for, and then clears what these clear. */
#include "layer.h"

#include "event_groups.h"

#if configTICK_TYPE_WIDTH_IN_BITS == TICK_TYPE_WIDTH_16_BITS
#define USABLE 0xffu
#else
#define USABLE 0xffffffu
#endif

/* Of a waiting task. */
struct wish {
  uint32_t bits, found;
  BaseType_t all, clear, done;
};

static inline int met(uint32_t bits, uint32_t wanted, BaseType_t all) {
  return all ? (bits & wanted) == wanted : (bits & wanted) != 0;
}

EventGroupHandle_t xEventGroupCreate(void) {
  StaticEventGroup_t *group = pvPortMalloc(sizeof *group);
  if (group) *group = (StaticEventGroup_t){0};
  return group;
}

EventGroupHandle_t xEventGroupCreateStatic(StaticEventGroup_t *memory) {
  configASSERT(memory);
  if (memory) *memory = (StaticEventGroup_t){.cl_static = 1};
  return memory;
}

BaseType_t xEventGroupGetStaticBuffer(EventGroupHandle_t group, StaticEventGroup_t **memory) {
  if (!group->cl_static) return pdFALSE;
  *memory = group;
  return pdTRUE;
}

/* With the lock. Every wish is granted if `always`. pdTRUE: a better task than the caller is ready now. */
static BaseType_t grant(EventGroupHandle_t group, int always) {
  BaseType_t better = pdFALSE;
  uint32_t clear = 0;
  struct cl_waiter *next, *each = cl_queue_checked(&group->cl_waiters, group->cl_waiters.first);
  for (; each; each = next) {
    struct wish *wish = each->data;
    next = cl_queue_checked(&group->cl_waiters, each->next);
    if (!always && !met(group->cl_bits, wish->bits, wish->all)) continue;
    wish->found = group->cl_bits;
    wish->done = 1;
    if (wish->clear) clear |= wish->bits;
    better |= cl_frt_is_better(each->priority);
    cl_queue_take_out(each);
    cl_frt_wake_up(each);
  }
  group->cl_bits &= ~clear;
  return better;
}

/* With the lock. */
static uint32_t wait_for(EventGroupHandle_t group, uint32_t bits, BaseType_t clear, BaseType_t all, TickType_t ticks) {
  struct wish wish = {.bits = bits, .all = all, .clear = clear};
  int at_once = met(group->cl_bits, bits, all);
  if (!at_once && ticks) cl_frt_wait(&group->cl_waiters, &wish, cl_frt_until(ticks));
  if (wish.done) return wish.found;
  uint32_t found = group->cl_bits;
  if (clear && met(found, bits, all)) group->cl_bits &= ~bits;
  return found;
}

EventBits_t xEventGroupWaitBits(EventGroupHandle_t group, EventBits_t bits, BaseType_t clear, BaseType_t all,
                                TickType_t ticks) {
  configASSERT(group && bits && !(bits & ~(EventBits_t)USABLE));
  cl_trace_call();
  cl_frt_enter();
  uint32_t found = wait_for(group, (uint32_t)bits, clear, all, ticks);
  cl_frt_leave();
  return found;
}

EventBits_t xEventGroupClearBits(EventGroupHandle_t group, EventBits_t bits) {
  configASSERT(group);
  cl_frt_enter();
  uint32_t found = group->cl_bits;
  group->cl_bits &= ~(uint32_t)bits;
  cl_frt_leave();
  return found;
}

BaseType_t xEventGroupClearBitsFromISR(EventGroupHandle_t group, EventBits_t bits) {
  xEventGroupClearBits(group, bits);
  return pdPASS;
}

EventBits_t xEventGroupGetBitsFromISR(EventGroupHandle_t group) { return xEventGroupClearBits(group, 0); }

BaseType_t xEventGroupSetBitsFromISR(EventGroupHandle_t group, EventBits_t bits, BaseType_t *woken) {
  configASSERT(group && !(bits & ~(EventBits_t)USABLE));
  cl_frt_enter();
  group->cl_bits |= (uint32_t)bits & USABLE;
  if (grant(group, 0) && woken) *woken = pdTRUE;
  cl_frt_leave();
  return pdPASS;
}

EventBits_t xEventGroupSetBits(EventGroupHandle_t group, EventBits_t bits) {
  cl_trace_call();
  xEventGroupSetBitsFromISR(group, bits, NULL);
  return *(volatile uint32_t *)&group->cl_bits;
}

EventBits_t xEventGroupSync(EventGroupHandle_t group, EventBits_t set, EventBits_t bits, TickType_t ticks) {
  configASSERT(group && bits && !(bits & ~(EventBits_t)USABLE));
  cl_trace_call();
  cl_frt_enter();
  uint32_t found = group->cl_bits |= (uint32_t)set & USABLE;
  grant(group, 0);
  if (met(found, (uint32_t)bits, pdTRUE)) group->cl_bits &= ~(uint32_t)bits; /* the caller was the last to come */
  else found = wait_for(group, (uint32_t)bits, pdTRUE, pdTRUE, ticks);
  cl_frt_leave();
  return found;
}

void vEventGroupDelete(EventGroupHandle_t group) {
  configASSERT(group);
  cl_frt_enter();
  group->cl_bits = 0;
  grant(group, 1);
  cl_frt_leave();
  if (!group->cl_static) vPortFree(group);
}
