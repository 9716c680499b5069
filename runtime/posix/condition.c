/* SPDX-License-Identifier: Apache-2.0
 *
 * Condition variables. A ticket is the kernel's count of signals; it is taken before the mutex is unlocked, so a signal
 * between that and the wait ends the wait at once, and no pair of operations needs to be atomic. */
#include <errno.h>
#include <pthread.h>

#include "cancel.h"
#include "coreloom.h"
#include "wait.h"

int pthread_cond_init(pthread_cond_t *cond, const pthread_condattr_t *attr) {
  (void)attr;
  uint32_t word = cl_op_cond_create();
  if (cl_status(word)) return cl_status(word);
  cond->handle = cl_handle(cl_value(word));
  return 0;
}

/* First wait at a static condition variable: see make() in mutex.c. */
CL_COLD static int make(pthread_cond_t *cond) {
  pthread_cond_t mine;
  int status = pthread_cond_init(&mine, NULL);
  if (status) return cond->handle ? 0 : status;
  shared_memory_lock(cond);
  int late = cond->handle != 0;
  if (!late) *cond = mine;
  shared_memory_unlock(cond);
  if (late) cl_op_cond_destroy(cl_object(mine.handle));
  return 0;
}

static inline int ready(pthread_cond_t *cond) {
  if (CL_UNLIKELY(!*(volatile uint32_t *)&cond->handle)) return make(cond);
  return 0;
}

static inline uint32_t object(const pthread_cond_t *cond) { return cl_object(cond->handle); }

int pthread_cond_destroy(pthread_cond_t *cond) {
  if (!cond->handle) return 0; /* static, never used */
  int status = cl_status(cl_op_cond_destroy(object(cond)));
  if (!status) cond->handle = ~0u; /* EINVAL from now on */
  return status;
}

/* The wait itself. 1: a cancellation ended it. */
static inline int wait(pthread_cond_t *cond, uint32_t ticket, int *status) {
  if (cl_cancel_enter(CL_OP_COND_LEAVE, object(cond))) return 1;
  *status = cl_status(cl_op_cond_wait(object(cond), ticket));
  return cl_cancel_left();
}

/* Unlock the mutex; from now on a signal ends the wait. */
static inline int begin(pthread_cond_t *cond, pthread_mutex_t *mutex, uint32_t *ticket) {
  cl_trace_call();
  int status = ready(cond);
  if (CL_UNLIKELY(status)) return status;
  *ticket = cl_op_cond_ticket(object(cond));
  if (CL_UNLIKELY(cl_status(*ticket))) return cl_status(*ticket);
  cl_cancel_test();
  return pthread_mutex_unlock(mutex);
}

static inline int lock_again(pthread_mutex_t *mutex) {
  int status = cl_status(cl_op_mutex_lock(cl_object(mutex->handle)));
  return CL_LIKELY(!status) ? 0 : cl_mutex_closer(mutex, status, CL_NEVER);
}

int pthread_cond_timedwait_np(pthread_cond_t *cond, pthread_mutex_t *mutex, uint32_t cycles) {
  uint32_t ticket;
  struct cl_timer timer;
  int status = begin(cond, mutex, &ticket);
  if (CL_UNLIKELY(status)) return status;
  cl_timer_start(&timer, CL_OP_COND_LEAVE, object(cond), cl_now() + cycles);
  int cancelled = wait(cond, ticket, &status);
  if (cl_timer_stop(&timer)) status = ETIMEDOUT;
  int locked = lock_again(mutex);
  if (cancelled) cl_cancel_act();
  return CL_UNLIKELY(locked) ? locked : status;
}

int pthread_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex) {
  uint32_t ticket;
  int status = begin(cond, mutex, &ticket);
  if (CL_UNLIKELY(status)) return status;
  int cancelled = wait(cond, ticket, &status);
  int locked = lock_again(mutex);
  if (cancelled) cl_cancel_act();
  return CL_UNLIKELY(locked) ? locked : status;
}

/* Never waited at: nobody to wake. */
int pthread_cond_signal(pthread_cond_t *cond) { return cond->handle ? cl_status(cl_op_cond_signal(object(cond))) : 0; }

int pthread_cond_broadcast(pthread_cond_t *cond) {
  return cond->handle ? cl_status(cl_op_cond_broadcast(object(cond))) : 0;
}

int pthread_cond_getnumber_np(pthread_cond_t *cond, uint32_t *number) {
  int status = ready(cond);
  if (status) return status;
  *number = (cond->handle >> CL_ADDRESS_ID_LSB) - 1;
  return *number < CL_CONDITIONS ? 0 : EINVAL;
}

int pthread_condattr_init(pthread_condattr_t *attr) {
  *attr = (pthread_condattr_t){0};
  return 0;
}

int pthread_condattr_destroy(pthread_condattr_t *attr) {
  (void)attr;
  return 0;
}

int pthread_condattr_setpshared(pthread_condattr_t *attr, int shared) {
  (void)attr;
  if (shared == PTHREAD_PROCESS_SHARED) return ENOTSUP;
  return shared == PTHREAD_PROCESS_PRIVATE ? 0 : EINVAL;
}

int pthread_condattr_getpshared(const pthread_condattr_t *attr, int *shared) {
  (void)attr;
  *shared = PTHREAD_PROCESS_PRIVATE;
  return 0;
}
