/* SPDX-License-Identifier: Apache-2.0
 *
 * Event flags, on every ground. Who sets flags decides who is released, so that none misses flags that are soon cleared:
 * each waiter is in a list, with what it waits for. */
#include <coreloom_events.h>
#include <errno.h>
#include <stddef.h>

struct event_flags_waiter {
  struct event_flags_waiter *next;
  event_flags_t *events;
  uint32_t wanted;
  int how;
  int released;
  uint32_t got; /* if it is */
};

static int suffice(uint32_t flags, uint32_t wanted, int how) {
  return how & EVENT_FLAGS_ALL ? (flags & wanted) == wanted : (flags & wanted) != 0;
}

static void enter(struct event_flags_waiter *me) {
  struct event_flags_waiter **link = &me->events->waiters;
  while (*link) link = &(*link)->next;
  *link = me;
}

static void leave(struct event_flags_waiter *me) {
  struct event_flags_waiter **link = &me->events->waiters;
  if (me->released) return;
  while (*link != me) link = &(*link)->next;
  *link = me->next;
}

/* The waiting thread is cancelled. */
static void give_up(void *waiter) {
  struct event_flags_waiter *me = waiter;
  leave(me);
  pthread_mutex_unlock(&me->events->mutex);
}

int event_flags_init(event_flags_t *events, uint32_t flags) {
  *events = (event_flags_t){.flags = flags};
  int status = pthread_mutex_init(&events->mutex, NULL);
  return status ? status : pthread_cond_init(&events->released, NULL);
}

int event_flags_destroy(event_flags_t *events) {
  int status = pthread_mutex_lock(&events->mutex);
  if (status) return status;
  int is_busy = events->waiters != NULL;
  pthread_mutex_unlock(&events->mutex);
  if (is_busy) return EBUSY;
  status = pthread_cond_destroy(&events->released);
  return status ? status : pthread_mutex_destroy(&events->mutex);
}

int event_flags_set(event_flags_t *events, uint32_t flags) {
  uint32_t cleared = 0;
  int is_anybody = 0;
  int status = pthread_mutex_lock(&events->mutex);
  if (status) return status;
  events->flags |= flags;
  for (struct event_flags_waiter **link = &events->waiters, *waiter; (waiter = *link);) {
    if (!suffice(events->flags, waiter->wanted, waiter->how)) {
      link = &waiter->next;
      continue;
    }
    *link = waiter->next;
    waiter->got = events->flags;
    waiter->released = is_anybody = 1;
    if (waiter->how & EVENT_FLAGS_CLEAR) cleared |= waiter->wanted;
  }
  events->flags &= ~cleared;
  if (is_anybody) pthread_cond_broadcast(&events->released);
  return pthread_mutex_unlock(&events->mutex);
}

int event_flags_clear(event_flags_t *events, uint32_t flags) {
  int status = pthread_mutex_lock(&events->mutex);
  if (status) return status;
  events->flags &= ~flags;
  return pthread_mutex_unlock(&events->mutex);
}

int event_flags_get(event_flags_t *events, uint32_t *flags) {
  int status = pthread_mutex_lock(&events->mutex);
  if (status) return status;
  *flags = events->flags;
  return pthread_mutex_unlock(&events->mutex);
}

/* With the mutex. until NULL: no limit. */
static int sleep_until(struct event_flags_waiter *me, const struct timespec *until) {
  event_flags_t *events = me->events;
  int status = 0;
  enter(me);
  pthread_cleanup_push(give_up, me);
  while (!me->released && !status) {
    status = until ? pthread_cond_timedwait(&events->released, &events->mutex, until)
                   : pthread_cond_wait(&events->released, &events->mutex);
  }
  pthread_cleanup_pop(0);
  leave(me);
  return me->released ? 0 : status;
}

static int wait_for(event_flags_t *events, uint32_t wanted, int how, uint32_t *got, int is_patient,
                    const struct timespec *until) {
  if (!wanted || (how & ~(EVENT_FLAGS_ALL | EVENT_FLAGS_CLEAR))) return EINVAL;
  int status = pthread_mutex_lock(&events->mutex);
  if (status) return status;
  uint32_t there = events->flags;
  if (suffice(there, wanted, how)) {
    if (how & EVENT_FLAGS_CLEAR) events->flags &= ~wanted;
  } else if (!is_patient) {
    status = EAGAIN;
  } else {
    struct event_flags_waiter me = {.events = events, .wanted = wanted, .how = how};
    status = sleep_until(&me, until);
    there = me.got;
  }
  pthread_mutex_unlock(&events->mutex);
  if (!status && got) *got = there;
  return status;
}

int event_flags_wait(event_flags_t *events, uint32_t flags, int how, uint32_t *got) {
  return wait_for(events, flags, how, got, 1, NULL);
}

int event_flags_trywait(event_flags_t *events, uint32_t flags, int how, uint32_t *got) {
  return wait_for(events, flags, how, got, 0, NULL);
}

int event_flags_timedwait(event_flags_t *events, uint32_t flags, int how, uint32_t *got, const struct timespec *until) {
  return wait_for(events, flags, how, got, 1, until);
}
