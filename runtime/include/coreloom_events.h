/* SPDX-License-Identifier: Apache-2.0
 *
 * Event flags: 32 bits that threads set and clear, and wait for, any or all of several at once. POSIX does not have them.
 * With the service events (kernel.services) the hardware kernel has those that event_flags_init makes, as long as it has
 * condition variables. All others are made of a mutex and a condition variable, on both kernels and on Linux.
 *
 * A call that sets flags releases every thread for which they suffice, in any number: a flag that is cleared right after
 * has been seen by all that waited for it. The flags that those threads clear go when all have been looked at.
 * All functions return 0 or an error number. EINVAL: destroyed (on Linux undefined, as for a mutex). */
#ifndef CORELOOM_EVENTS_H
#define CORELOOM_EVENTS_H

#include <pthread.h>
#include <stdint.h>
#include <time.h>

#ifdef __cplusplus
extern "C" {
#endif

struct event_flags_waiter;

typedef struct {
  pthread_mutex_t mutex;
  pthread_cond_t released;
  struct event_flags_waiter *waiters;
  uint32_t flags;
  uint32_t number_plus_1; /* of the kernel's object; 0: none, and all of the above counts */
} event_flags_t;

#define EVENT_FLAGS_INITIALIZER {.mutex = PTHREAD_MUTEX_INITIALIZER, .released = PTHREAD_COND_INITIALIZER}

/* How to wait: for any of the flags, or for all; and whether those waited for are cleared at the end of the wait. */
#define EVENT_FLAGS_ANY 0
#define EVENT_FLAGS_ALL 1
#define EVENT_FLAGS_CLEAR 2

int event_flags_init(event_flags_t *events, uint32_t flags);
int event_flags_destroy(event_flags_t *events); /* EBUSY: a thread waits */
int event_flags_set(event_flags_t *events, uint32_t flags);   /* these, too */
int event_flags_clear(event_flags_t *events, uint32_t flags); /* these alone */
int event_flags_get(event_flags_t *events, uint32_t *flags);

/* got: all flags that were set at the end of the wait, before any was cleared; it may be NULL. EINVAL: no flags to wait
 * for, or no such way. wait and timedwait are cancellation points; a thread cancelled once released has its flags. */
int event_flags_wait(event_flags_t *events, uint32_t flags, int how, uint32_t *got);
int event_flags_trywait(event_flags_t *events, uint32_t flags, int how, uint32_t *got); /* EAGAIN: they are not there */
/* ETIMEDOUT: not before a time of CLOCK_REALTIME. EINVAL: it would wait, and `until` is not a time. */
int event_flags_timedwait(event_flags_t *events, uint32_t flags, int how, uint32_t *got, const struct timespec *until);

#ifdef __cplusplus
}
#endif

#endif
