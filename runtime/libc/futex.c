/* SPDX-License-Identifier: Apache-2.0
 *
 * Linux's futexes, for programs that make their locks of them, by the functions of <pthread.h>. */
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <time.h>

/* On its own stack; in the list until it is woken or its time is over. */
typedef struct waiter {
  struct waiter *next;
  const uint32_t *word;
  uint32_t bits;
  int priority, waits;
  pthread_cond_t woken;
} waiter_t;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static waiter_t *waiters; /* the highest priority first, then in order */

static void add(waiter_t *one) {
  waiter_t **at = &waiters;
  while (*at && (*at)->priority >= one->priority) at = &(*at)->next;
  one->next = *at;
  *at = one;
}

static void remove_at(waiter_t **at) {
  (*at)->waits = 0;
  *at = (*at)->next;
}

/* Wakes up to `most` that wait for the word with one of the bits, and lets up to `moved` wait for another word: how many
 * these are. */
static int wake(const uint32_t *word, uint32_t bits, int most, const uint32_t *other, int moved) {
  int woken = 0, left = moved;
  waiter_t *later = NULL, **last = &later;
  for (waiter_t **at = &waiters; *at;) {
    waiter_t *const one = *at;
    if (one->word != word || !(one->bits & bits) || (woken >= most && left == 0)) {
      at = &one->next;
    } else if (woken < most) {
      remove_at(at);
      pthread_cond_signal(&one->woken);
      woken++;
    } else {
      *at = one->next;
      one->next = NULL;
      *last = one;
      last = &one->next;
      left--;
    }
  }
  while (later) {
    waiter_t *const one = later;
    later = one->next;
    one->word = other;
    add(one);
  }
  return woken + moved - left;
}

/* The clock's time of a limit: FUTEX_WAIT has one from now on, FUTEX_WAIT_BITSET a time of the clock. */
static int limit_of(const struct timespec *given, int from_now, clockid_t clock, struct timespec *until) {
  if (given->tv_sec < 0 || given->tv_nsec < 0 || given->tv_nsec >= 1000000000) return EINVAL;
  *until = *given;
  if (!from_now) return 0;
  struct timespec now;
  clock_gettime(clock, &now);
  until->tv_sec += now.tv_sec;
  until->tv_nsec += now.tv_nsec;
  if (until->tv_nsec >= 1000000000) {
    until->tv_nsec -= 1000000000;
    until->tv_sec++;
  }
  return 0;
}

static int begin(waiter_t *one, clockid_t clock) {
  pthread_condattr_t attr;
  struct sched_param param;
  int policy;
  pthread_condattr_init(&attr);
  pthread_condattr_setclock(&attr, clock);
  pthread_getschedparam(pthread_self(), &policy, &param);
  one->priority = param.sched_priority;
  return pthread_cond_init(&one->woken, &attr);
}

static int wait(const uint32_t *word, uint32_t value, uint32_t bits, int operation, const struct timespec *given) {
  const clockid_t clock = operation & FUTEX_CLOCK_REALTIME ? CLOCK_REALTIME : CLOCK_MONOTONIC;
  struct timespec until;
  waiter_t one = {.word = word, .bits = bits, .waits = 1};
  int error = given ? limit_of(given, (operation & FUTEX_CMD_MASK) == FUTEX_WAIT, clock, &until) : 0, state;
  if (!error) error = bits ? begin(&one, clock) : EINVAL;
  if (error) return error;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state); /* a system call that is no cancellation point */
  pthread_mutex_lock(&lock);
  if (__atomic_load_n(word, __ATOMIC_SEQ_CST) == value) {
    add(&one);
    while (one.waits && !error)
      error = given ? pthread_cond_timedwait(&one.woken, &lock, &until) : pthread_cond_wait(&one.woken, &lock);
    if (!one.waits) error = 0; /* woken, if at the last moment */
    waiter_t **at = &waiters;
    while (*at && *at != &one) at = &(*at)->next;
    if (*at) remove_at(at);
  } else {
    error = EAGAIN;
  }
  pthread_mutex_unlock(&lock);
  pthread_setcancelstate(state, NULL);
  pthread_cond_destroy(&one.woken);
  return error;
}

int cl_futex(uint32_t *word, int operation, uint32_t value, uintptr_t fourth, uint32_t *other, uint32_t last) {
  const int what = operation & FUTEX_CMD_MASK, waits = what == FUTEX_WAIT || what == FUTEX_WAIT_BITSET;
  const int by_bits = what == FUTEX_WAIT_BITSET || what == FUTEX_WAKE_BITSET;
  const int requeues = what == FUTEX_REQUEUE || what == FUTEX_CMP_REQUEUE;
  int error = 0, found = 0;
  if ((uintptr_t)word & 3) {
    error = EINVAL;
  } else if (waits) {
    error = wait(word, value, by_bits ? last : FUTEX_BITSET_MATCH_ANY, operation, (const struct timespec *)fourth);
  } else if (requeues || what == FUTEX_WAKE || what == FUTEX_WAKE_BITSET) {
    pthread_mutex_lock(&lock);
    const uint32_t bits = by_bits ? last : FUTEX_BITSET_MATCH_ANY;
    if (!bits) error = EINVAL;
    else if (what == FUTEX_CMP_REQUEUE && __atomic_load_n(word, __ATOMIC_SEQ_CST) != last) error = EAGAIN;
    else found = wake(word, bits, (int)value, other, requeues ? (int)fourth : 0);
    pthread_mutex_unlock(&lock);
  } else {
    error = ENOSYS;
  }
  if (error) errno = error;
  return error ? -1 : found;
}
