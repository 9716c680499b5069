/* SPDX-License-Identifier: Apache-2.0
 *
 * Condition variables. A kernel with monitors unlocks, waits and locks again in one operation. Otherwise a ticket, the
 * kernel's count of signals, is taken before the mutex is unlocked: a signal between that and the wait ends the wait at
 * once, and no pair of operations needs to be atomic.
 *
 * One that the kernel has no room for lives in memory: as with mutexes (mutex.c) that matters after EINVAL only. */
#include <errno.h>
#include <pthread.h>

#include "clock.h"
#include "coreloom.h"
#include "timed.h"

static inline uint32_t object(const pthread_cond_t *cond) { return cl_object(cond->handle); }

int pthread_cond_init(pthread_cond_t *cond, const pthread_condattr_t *attr) {
  if (attr && !CL_IS_ATTR(attr)) return EINVAL;
  *cond = (pthread_cond_t){.handle = cl_condition_handle(), .monotonic = attr && attr->clock == CLOCK_MONOTONIC};
  return 0;
}

/* At the first wait. */
CL_COLD static void make(pthread_cond_t *cond) {
  uint32_t mine = cl_condition_handle();
  if (cl_memory_is_second(&cond->handle, mine)) cl_op_cond_destroy(cl_object(mine));
}

int pthread_cond_destroy(pthread_cond_t *cond) {
  uint32_t word = cond->handle ? cl_op_cond_destroy(object(cond)) : 0;
  return cl_memory_destroy(&cond->handle, word, cond->waiters.first != NULL);
}

static int wait_in_memory(pthread_cond_t *cond, pthread_mutex_t *mutex, uint64_t at) {
  int status = cl_memory_cond_wait(cond, mutex, at);
  if (status && status != ETIMEDOUT && status != ECANCELED) return status; /* it has not waited */
  cl_signals_test();
  int locked = cl_status(cl_op_mutex_lock_apart(cl_object(mutex->handle)));
  if (locked) locked = cl_mutex_closer(mutex, locked, CL_NEVER);
  if (status == ECANCELED) {
    cl_cancel_act();
    status = 0;
  }
  return locked ? locked : status;
}

static inline int is_ticket(uint32_t word) { return CL_LIKELY(word <= CL_WORD_VALUE_MASK); }

static inline uint32_t first_ticket(pthread_cond_t *cond) {
  cl_trace_call();
  cl_cancel_test();
  return cl_op_cond_ticket(object(cond));
}

/* The kernel refused the first: a static one at its first wait, made here or by a thread that came at the same time. */
CL_COLD static uint32_t second_ticket(pthread_cond_t *cond) {
  if (!*(volatile uint32_t *)&cond->handle) make(cond);
  return cl_op_cond_ticket(object(cond));
}

CL_APART int timed(pthread_cond_t *cond, pthread_mutex_t *mutex, uint64_t at) {
  uint32_t ticket = first_ticket(cond);
  if (!is_ticket(ticket) && !is_ticket(ticket = second_ticket(cond))) return wait_in_memory(cond, mutex, at);
  uint32_t lock = cl_object(mutex->handle);
  int status = pthread_mutex_unlock(mutex);
  if (CL_UNLIKELY(status)) return status;
  uint32_t word = cl_now() < at ? cl_wait_until(CL_OP_COND_WAIT, object(cond), ticket, at) : CL_LATE;
  status = word == CL_LATE ? ETIMEDOUT : cl_status(word);
  cl_signals_test(); /* before the mutex is locked: its owner may wait for the handler */
  int locked = cl_mutex_lock_object(mutex, lock);
  if (CL_CANCEL && word == CL_CANCELED) {
    cl_cancel_act();
    status = 0;
  }
  return CL_UNLIKELY(locked) ? locked : status;
}

int pthread_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *mutex, const struct timespec *until) {
  uint64_t at;
  int status = cl_deadline(cond->monotonic ? CLOCK_MONOTONIC : CLOCK_REALTIME, until, &at);
  return status ? status : timed(cond, mutex, at);
}

int pthread_cond_timedwait_np(pthread_cond_t *cond, pthread_mutex_t *mutex, uint32_t cycles) {
  return timed(cond, mutex, cl_now() + cycles);
}

/* The wait itself has failed. */
CL_COLD static int lock_again(pthread_mutex_t *mutex, int status) {
  int locked = cl_mutex_lock(mutex);
  return locked ? locked : status;
}

/* With the mutex unlocked. */
static inline int wait(pthread_cond_t *cond, pthread_mutex_t *mutex, uint32_t ticket) {
  int cancelled = cl_cancel_enter(CL_OP_COND_LEAVE, object(cond));
  if (!cancelled) {
    int status = cl_status(cl_op_cond_wait(object(cond), ticket, CL_NEVER));
    cancelled = cl_cancel_left();
    if (CL_UNLIKELY(status && !cancelled)) return lock_again(mutex, status);
  }
  cl_signals_test();
  int locked = cl_mutex_lock(mutex);
  if (cancelled) cl_cancel_act();
  return locked;
}

/* The kernel has given no ticket, or has not unlocked the mutex. */
CL_COLD static int wait_closer(pthread_cond_t *cond, pthread_mutex_t *mutex, uint32_t ticket) {
  if (!is_ticket(ticket) && !is_ticket(ticket = second_ticket(cond))) return wait_in_memory(cond, mutex, CL_NEVER);
  int status = pthread_mutex_unlock(mutex);
  return status ? status : wait(cond, mutex, ticket);
}

/* All that is rare is left by tail calls: with the hardware kernel the function needs no frame. */
#if CL_BACKEND_MONITORS && !CL_CANCEL
CL_COLD static int wait_by_steps(pthread_cond_t *cond, pthread_mutex_t *mutex) {
#else
int pthread_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex) {
#endif
  uint32_t ticket = first_ticket(cond);
  if (!is_ticket(ticket)) return wait_closer(cond, mutex, ticket);
  uint32_t unlocked = cl_op_mutex_unlock(cl_object(mutex->handle));
  if (CL_UNLIKELY(unlocked > CL_WORD_VALUE_MASK)) return wait_closer(cond, mutex, ticket);
  return wait(cond, mutex, ticket);
}

#if CL_BACKEND_MONITORS && !CL_CANCEL
/* Nothing but a signal ends the wait. The kernel may lack one of the two, or not yet have it. */
int pthread_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex) {
  cl_trace_call();
  uint32_t word = cl_op_mutex_wait(cl_object(mutex->handle), object(cond));
  if (CL_LIKELY(word == CL_RESUMED)) return 0;
  if (CL_UNLIKELY(word)) return wait_by_steps(cond, mutex);
  word = cl_op_mutex_lock(cl_object(mutex->handle), CL_NEVER);
  if (CL_LIKELY(word <= CL_WORD_VALUE_MASK)) return 0;
  int status = cl_status(word);
  return CL_LIKELY(!status) || status == EDEADLK ? 0 : cl_mutex_closer(mutex, status, CL_NEVER);
}
#endif

/* The kernel does not have it, or got it a moment ago. */
CL_COLD static int wake_closer(pthread_cond_t *cond, int all) {
  if (!cond->handle) return 0; /* never waited at: nobody to wake */
  int status = cl_memory_cond_wake(cond, all);
  if (status != EINVAL) return status;
  return cl_status(all ? cl_op_cond_broadcast(object(cond)) : cl_op_cond_signal(object(cond)));
}

int pthread_cond_signal(pthread_cond_t *cond) {
  return CL_LIKELY(!cl_status(cl_op_cond_signal(object(cond)))) ? 0 : wake_closer(cond, 0);
}

int pthread_cond_broadcast(pthread_cond_t *cond) {
  return CL_LIKELY(!cl_status(cl_op_cond_broadcast(object(cond)))) ? 0 : wake_closer(cond, 1);
}

int pthread_cond_getnumber_np(pthread_cond_t *cond, uint32_t *number) {
  if (!*(volatile uint32_t *)&cond->handle) make(cond);
  *number = cl_object(cond->handle);
  return *number < CL_CONDITIONS ? 0 : EINVAL;
}

/* --- attributes --- */

int pthread_condattr_init(pthread_condattr_t *attr) {
  *attr = (pthread_condattr_t){.clock = CLOCK_REALTIME};
  return 0;
}

int pthread_condattr_destroy(pthread_condattr_t *attr) {
  if (!CL_IS_ATTR(attr)) return EINVAL;
  attr->shared = -1;
  return 0;
}

int pthread_condattr_setclock(pthread_condattr_t *attr, clockid_t clock) {
  if (!CL_IS_ATTR(attr) || (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC)) return EINVAL;
  attr->clock = clock;
  return 0;
}

int pthread_condattr_getclock(const pthread_condattr_t *attr, clockid_t *clock) {
  if (!CL_IS_ATTR(attr)) return EINVAL;
  *clock = attr->clock;
  return 0;
}

int pthread_condattr_setpshared(pthread_condattr_t *attr, int shared) {
  if (!CL_IS_ATTR(attr) || !cl_is_sharing(shared)) return EINVAL;
  attr->shared = shared;
  return 0;
}

int pthread_condattr_getpshared(const pthread_condattr_t *attr, int *shared) {
  if (!CL_IS_ATTR(attr)) return EINVAL;
  *shared = attr->shared;
  return 0;
}
