/* SPDX-License-Identifier: Apache-2.0
 *
 * Event flags (coreloom_events.h), which POSIX does not have. */
#include <coreloom_events.h>

#include "conformance.h"

static event_flags_t events;
static volatile int passed;

struct waiter {
  uint32_t wanted;
  int how;
  volatile int status;
  volatile uint32_t got;
};

static void *wait_once(void *argument) {
  struct waiter *me = argument;
  uint32_t got = 0;
  me->status = event_flags_wait(&events, me->wanted, me->how, &got);
  me->got = got;
  passed = passed + 1;
  return NULL;
}

/* The flags that are set now; ~0 if they cannot be read. */
static uint32_t flags_now(void) {
  uint32_t flags;
  return event_flags_get(&events, &flags) ? ~0u : flags;
}

TEST(event_flags_init, flags, "the flags given are set, and no others") {
  OK(event_flags_init(&events, 0x80000005));
  IS(0x80000005, flags_now());
  OK(event_flags_destroy(&events));
}

TEST(event_flags_init, static_initialiser, "EVENT_FLAGS_INITIALIZER: none is set") {
  static event_flags_t fixed = EVENT_FLAGS_INITIALIZER;
  uint32_t flags = 1;
  OK(event_flags_get(&fixed, &flags));
  IS(0, flags);
  OK(event_flags_set(&fixed, 2));
  OK(event_flags_trywait(&fixed, 2, EVENT_FLAGS_ANY, NULL));
  OK(event_flags_destroy(&fixed));
}

TEST(event_flags_destroy, waited_for_ebusy, "a thread waits: EBUSY, and it goes on waiting") {
  struct waiter waiter = {1, EVENT_FLAGS_ANY, -1, 0};
  OK(event_flags_init(&events, 0));
  const pthread_t thread = started(wait_once, &waiter);
  nap();
  IS(EBUSY, event_flags_destroy(&events));
  OK(event_flags_set(&events, 1));
  IS(0, joined(thread));
  OK(waiter.status);
  OK(event_flags_destroy(&events));
}

TEST(event_flags_destroy, then_use_einval, "destroyed: EINVAL") {
  OK(event_flags_init(&events, 1));
  OK(event_flags_destroy(&events));
  KERNELS_ONLY();
  uint32_t flags;
  IS(EINVAL, event_flags_set(&events, 1));
  IS(EINVAL, event_flags_clear(&events, 1));
  IS(EINVAL, event_flags_get(&events, &flags));
  IS(EINVAL, event_flags_wait(&events, 1, EVENT_FLAGS_ANY, NULL));
  IS(EINVAL, event_flags_destroy(&events));
}

TEST(event_flags_set, adds, "the flags are set, others stay as they are") {
  OK(event_flags_init(&events, 1));
  OK(event_flags_set(&events, 6));
  OK(event_flags_set(&events, 4));
  IS(7, flags_now());
  OK(event_flags_destroy(&events));
}

TEST(event_flags_set, releases_all, "every thread for which the flags suffice is released, the others wait") {
  struct waiter waiters[] = {{1, EVENT_FLAGS_ANY, -1, 0},
                             {3, EVENT_FLAGS_ANY, -1, 0},
                             {3, EVENT_FLAGS_ALL, -1, 0},
                             {4, EVENT_FLAGS_ANY, -1, 0}};
  pthread_t threads[4];
  passed = 0;
  OK(event_flags_init(&events, 0));
  for (int i = 0; i < 4; i++) threads[i] = started(wait_once, &waiters[i]);
  nap();
  OK(event_flags_set(&events, 1));
  IS(0, joined(threads[0]));
  IS(0, joined(threads[1]));
  nap();
  IS(2, passed);
  OK(event_flags_set(&events, 6));
  IS(0, joined(threads[2]));
  IS(0, joined(threads[3]));
  for (int i = 0; i < 4; i++) {
    OK(waiters[i].status);
    IS(i < 2 ? 1 : 7, waiters[i].got);
  }
  IS(7, flags_now());
  OK(event_flags_destroy(&events));
}

/* A test with flags, none of which is set. */
#define FRESH(function, requirement, text) \
  TEST_BETWEEN(function, requirement, text, event_flags_init(&events, 0), event_flags_destroy(&events))

FRESH(event_flags_set, pulse, "a thread that waited is released even if the flag is cleared at once") {
  struct waiter waiter = {8, EVENT_FLAGS_ANY, -1, 0};
  const pthread_t thread = started(wait_once, &waiter);
  nap();
  OK(event_flags_set(&events, 8));
  OK(event_flags_clear(&events, 8));
  IS(0, joined(thread));
  OK(waiter.status);
  IS(8, waiter.got);
  IS(0, flags_now());
}

TEST(event_flags_set, clear_after_all, "flags that released threads clear are seen by all of them") {
  struct waiter waiters[] = {{3, EVENT_FLAGS_ALL | EVENT_FLAGS_CLEAR, -1, 0}, {2, EVENT_FLAGS_CLEAR, -1, 0}};
  pthread_t threads[2];
  OK(event_flags_init(&events, 0x10));
  for (int i = 0; i < 2; i++) threads[i] = started(wait_once, &waiters[i]);
  nap();
  OK(event_flags_set(&events, 7));
  for (int i = 0; i < 2; i++) {
    IS(0, joined(threads[i]));
    OK(waiters[i].status);
    IS(0x17, waiters[i].got);
  }
  IS(0x14, flags_now());
  OK(event_flags_destroy(&events));
}

TEST(event_flags_clear, clears, "the flags are cleared, others stay as they are") {
  OK(event_flags_init(&events, 7));
  OK(event_flags_clear(&events, 10));
  IS(5, flags_now());
  OK(event_flags_destroy(&events));
}

TEST(event_flags_get, changes_nothing, "the flags are as before") {
  OK(event_flags_init(&events, 9));
  IS(9, flags_now());
  IS(9, flags_now());
  OK(event_flags_destroy(&events));
}

TEST(event_flags_wait, at_once, "flags that are set end the wait at once, and are cleared if that is asked for") {
  uint32_t got = 0;
  OK(event_flags_init(&events, 0x16));
  OK(event_flags_wait(&events, 3, EVENT_FLAGS_ANY, &got));
  IS(0x16, got);
  IS(0x16, flags_now());
  OK(event_flags_wait(&events, 6, EVENT_FLAGS_ALL | EVENT_FLAGS_CLEAR, NULL));
  IS(0x10, flags_now());
  OK(event_flags_destroy(&events));
}

FRESH(event_flags_wait, all, "all of the flags are waited for, whenever they come") {
  struct waiter waiter = {7, EVENT_FLAGS_ALL, -1, 0};
  passed = 0;
  const pthread_t thread = started(wait_once, &waiter);
  for (uint32_t flag = 1; flag < 4; flag <<= 1) {
    nap();
    OK(event_flags_set(&events, flag));
  }
  nap();
  IS(0, passed);
  OK(event_flags_set(&events, 4));
  IS(0, joined(thread));
  OK(waiter.status);
  IS(7, waiter.got);
}

TEST(event_flags_wait, nothing_einval, "no flags to wait for, or no such way: EINVAL") {
  OK(event_flags_init(&events, 1));
  IS(EINVAL, event_flags_wait(&events, 0, EVENT_FLAGS_ANY, NULL));
  IS(EINVAL, event_flags_wait(&events, 1, 4, NULL));
  IS(EINVAL, event_flags_wait(&events, 1, -1, NULL));
  IS(1, flags_now());
  OK(event_flags_destroy(&events));
}

FRESH(event_flags_wait, is_cancellation_point, "a cancellation ends the wait, and the flags go on working") {
  struct waiter waiter = {1, EVENT_FLAGS_ANY, -1, 0};
  const pthread_t thread = started(wait_once, &waiter);
  nap();
  OK(pthread_cancel(thread));
  IS((long)PTHREAD_CANCELED, joined(thread));
  OK(event_flags_set(&events, 1));
  IS(1, flags_now());
}

TEST(event_flags_trywait, eagain, "the flags are not there: EAGAIN, and nothing is cleared") {
  OK(event_flags_init(&events, 1));
  IS(EAGAIN, event_flags_trywait(&events, 3, EVENT_FLAGS_ALL | EVENT_FLAGS_CLEAR, NULL));
  IS(EAGAIN, event_flags_trywait(&events, 4, EVENT_FLAGS_ANY, NULL));
  IS(1, flags_now());
  OK(event_flags_trywait(&events, 3, EVENT_FLAGS_CLEAR, NULL));
  IS(0, flags_now());
  OK(event_flags_destroy(&events));
}

TEST(event_flags_timedwait, etimedout, "the flags do not come: ETIMEDOUT, not before the time") {
  OK(event_flags_init(&events, 1));
  const struct timespec at = in_ms(CLOCK_REALTIME, 2);
  IS(ETIMEDOUT, event_flags_timedwait(&events, 3, EVENT_FLAGS_ALL, NULL, &at));
  TRUE(has_come(CLOCK_REALTIME, at));
  OK(event_flags_set(&events, 2));
  IS(3, flags_now());
  OK(event_flags_destroy(&events));
}

TEST(event_flags_timedwait, in_time, "flags that come before the time end the wait") {
  uint32_t got = 0;
  OK(event_flags_init(&events, 0));
  const struct timespec past = in_ms(CLOCK_REALTIME, -1000), future = in_ms(CLOCK_REALTIME, 100000);
  OK(event_flags_set(&events, 2));
  OK(event_flags_timedwait(&events, 3, EVENT_FLAGS_ANY, &got, &past));
  IS(2, got);
  OK(event_flags_timedwait(&events, 2, EVENT_FLAGS_ALL, NULL, &future));
  OK(event_flags_destroy(&events));
}
