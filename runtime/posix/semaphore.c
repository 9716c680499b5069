/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <semaphore.h>

#include "cancel.h"
#include "coreloom.h"

CL_COLD static int fail(int error) {
  errno = error;
  return -1;
}

static inline int result(uint32_t word) {
  if (CL_LIKELY(word <= CL_WORD_VALUE_MASK)) return 0;
  int status = cl_status(word);
  return CL_UNLIKELY(status) ? fail(status) : 0;
}

/* Object of a semaphore; one that was never initialised gives a number that no object has. */
static inline uint32_t object(const sem_t *sem) { return cl_object(sem->handle); }

int sem_init(sem_t *sem, int shared, unsigned value) {
  if (shared) return fail(ENOSYS);
  uint32_t word = cl_op_semaphore_create(value);
  if (cl_status(word)) return fail(cl_status(word) == EAGAIN ? ENOSPC : cl_status(word));
  sem->handle = cl_handle(cl_value(word));
  return 0;
}

int sem_destroy(sem_t *sem) {
  uint32_t word = cl_op_semaphore_destroy(object(sem));
  if (!cl_status(word)) sem->handle = 0;
  return result(word);
}

__attribute__((always_inline)) int sem_wait(sem_t *sem) {
  cl_trace_call();
  if (cl_cancel_enter(CL_OP_SEMAPHORE_LEAVE, object(sem))) cl_cancel_act();
  uint32_t word = cl_op_semaphore_wait(object(sem));
  if (cl_cancel_left()) cl_cancel_act();
  return result(word);
}

int sem_trywait(sem_t *sem) { return result(cl_op_semaphore_trywait(object(sem))); }

int sem_timedwait_np(sem_t *sem, uint32_t cycles) {
  cl_cancel_test();
  uint32_t word = cl_op_semaphore_trywait(object(sem));
  if (cl_status(word) != EAGAIN) return result(word);
  cl_trace_call();
  struct cl_timer timer;
  cl_timer_start(&timer, CL_OP_SEMAPHORE_LEAVE, object(sem), cl_now() + cycles);
  int cancelled = cl_cancel_enter(CL_OP_SEMAPHORE_LEAVE, object(sem));
  if (!cancelled) {
    word = cl_op_semaphore_wait(object(sem));
    cancelled = cl_cancel_left();
  }
  int late = cl_timer_stop(&timer);
  if (cancelled) cl_cancel_act();
  return late ? fail(ETIMEDOUT) : result(word);
}

int sem_post(sem_t *sem) {
  uint32_t word = cl_op_semaphore_post(object(sem));
  if (CL_LIKELY(word <= CL_WORD_VALUE_MASK)) return 0;
  return cl_status(word) == ERANGE ? fail(EOVERFLOW) : result(word);
}

int sem_post_handler_np(sem_t *sem) {
  int status = cl_status(cl_op_semaphore_post_in_trap(object(sem)));
  return status == ERANGE ? EOVERFLOW : status;
}

int sem_getnumber_np(const sem_t *sem, uint32_t *number) {
  if (!sem->handle) return fail(EINVAL);
  *number = object(sem);
  return 0;
}

int sem_getvalue(sem_t *sem, int *value) {
  uint32_t word = cl_op_semaphore_value(object(sem));
  if (!cl_status(word)) *value = (int)cl_value(word);
  return result(word);
}
