/* SPDX-License-Identifier: Apache-2.0
 *
 * Future events by time: a heap of four branches with at most one entry for each id, so a CPU's entry is moved in
 * place when its next event changes. Of the same time the lower id comes first. O(log n). */
#ifndef EVENTS_H
#define EVENTS_H

#include <stdbool.h>
#include <stdint.h>

struct event {
  uint64_t time;
  uint32_t id;
};

struct events {
  struct event *heap; /* memory for each id */
  uint32_t *place;    /* by id: index in heap + 1; 0: none */
  uint32_t count;
};

static inline bool events_earlier_(struct event a, struct event b) {
  return a.time < b.time || (a.time == b.time && a.id < b.id);
}

static inline void events_put_(struct events *events, uint32_t at, struct event event) {
  events->heap[at] = event;
  events->place[event.id] = at + 1;
}

/* Place an event whose place `at` is free: up or down to where it belongs. */
static inline void events_settle_(struct events *events, uint32_t at, struct event event) {
  const struct event *heap = events->heap;
  while (at && events_earlier_(event, heap[(at - 1) / 4])) {
    events_put_(events, at, heap[(at - 1) / 4]);
    at = (at - 1) / 4;
  }
  for (;;) {
    uint32_t first = 4 * at + 1, end = first + 4 < events->count ? first + 4 : events->count;
    if (first >= end) break;
    uint32_t best = first;
    for (uint32_t child = first + 1; child < end; child++)
      if (events_earlier_(heap[child], heap[best])) best = child;
    if (!events_earlier_(heap[best], event)) break;
    events_put_(events, at, heap[best]);
    at = best;
  }
  events_put_(events, at, event);
}

static inline void events_set(struct events *events, uint32_t id, uint64_t time) {
  uint32_t at = events->place[id] ? events->place[id] - 1 : events->count++;
  events_settle_(events, at, (struct event){time, id});
}

static inline void events_remove(struct events *events, uint32_t id) {
  if (!events->place[id]) return;
  uint32_t at = events->place[id] - 1;
  events->place[id] = 0;
  struct event last = events->heap[--events->count];
  if (last.id != id) events_settle_(events, at, last);
}

#endif
