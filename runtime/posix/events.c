/* SPDX-License-Identifier: Apache-2.0
 *
 * Event flags, on every ground. The thread that sets flags releases the waiters, so none misses flags that are soon
 * cleared: each waiter is in a list, with what it waits for.
 * A hardware kernel may do that itself, for one of its condition variables (event_flags). */
#include <coreloom_events.h>
#include <errno.h>
#include <stddef.h>

#include "cl_end.h"

#ifndef __linux__
#include "clock.h"
#include "timed.h"
#endif

/* Code only for objects beyond the kernel's room is kept out of the way of the others. */
#if defined(CL_BACKEND_EVENT_FLAGS) && CL_BACKEND_EVENT_FLAGS
#define IN_MEMORY CL_COLD
#else
#define IN_MEMORY
#endif

/* --- Of a mutex and a condition variable --- */

#if defined(CL_KERNEL_LINUX)
#define MOST UINT32_MAX
#else
#define MOST CL_THREADS
#endif

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

/* The waiter that `link` leads to, NULL: none. They are on stacks; there are not more than threads. */
static struct event_flags_waiter *checked(const event_flags_t *events, struct event_flags_waiter *const *link,
                                          unsigned *left) {
  if (*link && ((*link)->events != events || !(*left)--)) cl_broken("the list of waiters", events);
  return *link;
}

static void enter(struct event_flags_waiter *me) {
  struct event_flags_waiter **link = &me->events->waiters, *each;
  for (unsigned left = MOST; (each = checked(me->events, link, &left));) link = &each->next;
  *link = me;
}

static void leave(struct event_flags_waiter *me) {
  struct event_flags_waiter **link = &me->events->waiters;
  if (me->released) return;
  for (unsigned left = MOST; *link != me; link = &(*link)->next) {
    if (!checked(me->events, link, &left)) cl_broken("the list of waiters", me->events);
  }
  *link = me->next;
}

/* The waiting thread is cancelled. */
static void give_up(void *waiter) {
  struct event_flags_waiter *me = waiter;
  leave(me);
  pthread_mutex_unlock(&me->events->mutex);
}

IN_MEMORY static int init_in_memory(event_flags_t *events, uint32_t flags) {
  *events = (event_flags_t){.flags = flags};
  int status = pthread_mutex_init(&events->mutex, NULL);
  return status ? status : pthread_cond_init(&events->released, NULL);
}

IN_MEMORY static int destroy_in_memory(event_flags_t *events) {
  int status = pthread_mutex_lock(&events->mutex);
  if (status) return status;
  int is_busy = events->waiters != NULL;
  pthread_mutex_unlock(&events->mutex);
  if (is_busy) return EBUSY;
  /* First what can be refused: a thread that was released may have the mutex now. */
  status = pthread_mutex_destroy(&events->mutex);
  return status ? status : pthread_cond_destroy(&events->released);
}

IN_MEMORY static int set_in_memory(event_flags_t *events, uint32_t flags) {
  uint32_t cleared = 0;
  int is_anybody = 0;
  int status = pthread_mutex_lock(&events->mutex);
  if (status) return status;
  events->flags |= flags;
  unsigned left = MOST;
  for (struct event_flags_waiter **link = &events->waiters, *waiter; (waiter = checked(events, link, &left));) {
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

IN_MEMORY static int clear_in_memory(event_flags_t *events, uint32_t flags) {
  int status = pthread_mutex_lock(&events->mutex);
  if (status) return status;
  events->flags &= ~flags;
  return pthread_mutex_unlock(&events->mutex);
}

IN_MEMORY static int get_in_memory(event_flags_t *events, uint32_t *flags) {
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

IN_MEMORY static int wait_in_memory(event_flags_t *events, uint32_t wanted, int how, uint32_t *got, int is_patient,
                                    const struct timespec *until) {
  if (!wanted) return EINVAL;
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

/* --- In the kernel --- */

#ifdef __linux__
#define IN_KERNEL(events, call)
#else
#define IN_KERNEL(events, call) \
  if (CL_BACKEND_EVENT_FLAGS && CL_LIKELY((events)->number_plus_1)) return call

static inline uint32_t object(const event_flags_t *events) { return events->number_plus_1 - 1; }
/* ANY or ALL and CLEAR are bits of the operation. */
_Static_assert(CL_OP_FLAGS_WAIT_ALL == CL_OP_FLAGS_WAIT_ANY + EVENT_FLAGS_ALL &&
                   CL_OP_FLAGS_TAKE_ANY == CL_OP_FLAGS_WAIT_ANY + EVENT_FLAGS_CLEAR &&
                   CL_OP_FLAGS_TRYTAKE_ALL == CL_OP_FLAGS_TRYWAIT_ANY + EVENT_FLAGS_CLEAR + EVENT_FLAGS_ALL,
               "EVENT_FLAGS_... are numbered as the operations are");
static inline unsigned waiting(int how) { return CL_OP_FLAGS_WAIT_ANY + (unsigned)how; }

CL_COLD static int make_in_kernel(event_flags_t *events, uint32_t flags) {
  uint32_t handle = cl_condition_handle();
  if (handle == CL_IN_MEMORY) return 0;
  *events = (event_flags_t){.number_plus_1 = cl_object(handle) + 1};
  return !cl_status(cl_op_flags(CL_OP_FLAGS_SET, object(events), &flags));
}

CL_COLD static int destroy_in_kernel(event_flags_t *events) {
  int status = cl_status(cl_op_cond_destroy(object(events)));
  if (status) return status;
  events->number_plus_1 = 0;
  return pthread_mutex_destroy(&events->mutex); /* so that it is none in memory, either */
}

static inline int do_in_kernel(unsigned op, const event_flags_t *events, uint32_t flags) {
  return cl_status(cl_op_flags(op, object(events), &flags));
}

static inline int read_in_kernel(unsigned op, const event_flags_t *events, uint32_t *flags) {
  return cl_status(cl_op_flags(op, object(events), flags));
}

/* A wait that has ended so */
static inline int found(const event_flags_t *events, int status, uint32_t *got) {
  return status || !got ? status : read_in_kernel(CL_OP_FLAGS_FOUND, events, got);
}

static inline int wait_in_kernel(const event_flags_t *events, uint32_t wanted, int how, uint32_t *got) {
  cl_trace_call();
  uint32_t word;
  do {
    while (cl_cancel_enter(CL_OP_COND_LEAVE, object(events))) cl_cancel_act();
    word = cl_wait(waiting(how), object(events), wanted, CL_NEVER);
    if (!cl_cancel_left()) break;
    cl_cancel_act();
  } while (1);
  return found(events, cl_status(word), got);
}

static inline int try_in_kernel(const event_flags_t *events, uint32_t wanted, int how, uint32_t *got) {
  return found(events, cl_status(cl_wait(waiting(how), object(events), wanted, CL_NOW)), got);
}

static int wait_in_kernel_until(const event_flags_t *events, uint32_t wanted, int how, uint32_t *got,
                                const struct timespec *until) {
  uint64_t at;
  int status = try_in_kernel(events, wanted, how, got);
  if (status != EAGAIN) return status;
  status = cl_deadline(CLOCK_REALTIME, until, &at);
  if (status) return status;
  if (cl_now() >= at) return ETIMEDOUT;
  cl_trace_call();
  uint32_t word = cl_wait_until(waiting(how), object(events), wanted, at);
  while (CL_CANCEL && word == CL_CANCELED) {
    cl_cancel_act();
    word = cl_wait_until(waiting(how), object(events), wanted, at);
  }
  return found(events, cl_status(word), got);
}

#endif

/* --- */

static inline int is_way(int how) { return !(how & ~(EVENT_FLAGS_ALL | EVENT_FLAGS_CLEAR)); }

int event_flags_init(event_flags_t *events, uint32_t flags) {
#ifndef __linux__
  if (CL_BACKEND_EVENT_FLAGS && make_in_kernel(events, flags)) return 0;
#endif
  return init_in_memory(events, flags);
}

int event_flags_destroy(event_flags_t *events) {
  IN_KERNEL(events, destroy_in_kernel(events));
  return destroy_in_memory(events);
}

int event_flags_set(event_flags_t *events, uint32_t flags) {
  IN_KERNEL(events, do_in_kernel(CL_OP_FLAGS_SET, events, flags));
  return set_in_memory(events, flags);
}

int event_flags_clear(event_flags_t *events, uint32_t flags) {
  IN_KERNEL(events, do_in_kernel(CL_OP_FLAGS_CLEAR, events, flags));
  return clear_in_memory(events, flags);
}

int event_flags_get(event_flags_t *events, uint32_t *flags) {
  IN_KERNEL(events, read_in_kernel(CL_OP_FLAGS_GET, events, flags));
  return get_in_memory(events, flags);
}

int event_flags_wait(event_flags_t *events, uint32_t flags, int how, uint32_t *got) {
  if (!is_way(how)) return EINVAL;
  IN_KERNEL(events, wait_in_kernel(events, flags, how, got));
  return wait_in_memory(events, flags, how, got, 1, NULL);
}

int event_flags_trywait(event_flags_t *events, uint32_t flags, int how, uint32_t *got) {
  if (!is_way(how)) return EINVAL;
  IN_KERNEL(events, try_in_kernel(events, flags, how, got));
  return wait_in_memory(events, flags, how, got, 0, NULL);
}

int event_flags_timedwait(event_flags_t *events, uint32_t flags, int how, uint32_t *got, const struct timespec *until) {
  if (!is_way(how)) return EINVAL;
  IN_KERNEL(events, wait_in_kernel_until(events, flags, how, got, until));
  return wait_in_memory(events, flags, how, got, 1, until);
}
