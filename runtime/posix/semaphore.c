/* SPDX-License-Identifier: Apache-2.0
 *
 * Semaphores. One that the kernel has no room for lives in memory: as with mutexes (mutex.c) that matters after EINVAL
 * only. */
#include <errno.h>
#include <semaphore.h>

#include "clock.h"
#include "coreloom.h"
#include "timed.h"

/* Object of a semaphore; one that was never initialised gives a number that no object has. */
static inline uint32_t object(const sem_t *sem) { return cl_object(sem->handle); }

/* --- in memory: these return an error number --- */

/* With the lock held: 0, or without it EINVAL. */
static int enter(const sem_t *sem) {
  cl_backend_lock();
  if (sem->handle == CL_IN_MEMORY) return 0;
  cl_backend_unlock();
  return EINVAL;
}

/* at 0: EAGAIN instead of waiting. */
CL_COLD static int wait_in_memory(sem_t *sem, uint64_t at) {
  struct cl_waiter me = {.ends = CL_POINT};
  if (enter(sem)) return EINVAL;
  if (!sem->value && at) {
    int status = cl_queue_wait(&sem->waiters, &me, at);
    if (status == ECANCELED && cl_cancel_act() & CL_INTERRUPTED) return EINTR;
    return CL_AGAIN(status) ? wait_in_memory(sem, at) : status;
  }
  int status = sem->value ? 0 : EAGAIN;
  if (!status) sem->value--;
  cl_backend_unlock();
  return status;
}

CL_COLD static int post_in_memory(sem_t *sem) {
  if (enter(sem)) return EINVAL;
  int status = !sem->waiters.first && sem->value == SEM_VALUE_MAX ? EOVERFLOW : 0;
  if (!status && !cl_queue_wake(&sem->waiters)) sem->value++;
  cl_backend_unlock();
  return status;
}

/* --- */

static inline int result(int status) { return CL_LIKELY(!status) ? 0 : cl_fail(status); }

int sem_init(sem_t *sem, int shared, unsigned value) {
  (void)shared;
  if (value > SEM_VALUE_MAX) return cl_fail(EINVAL);
  uint32_t word = cl_op_semaphore_create(value);
  *sem = (sem_t){.handle = cl_status(word) ? CL_IN_MEMORY : cl_handle(cl_value(word)), .value = value};
  return 0;
}

int sem_destroy(sem_t *sem) {
  int status;
  if (sem->handle != CL_IN_MEMORY) {
    status = cl_status(cl_op_semaphore_destroy(object(sem)));
    if (!status) sem->handle = 0;
  } else if (!(status = enter(sem))) {
    if (sem->waiters.first) status = EBUSY;
    else sem->handle = 0;
    cl_backend_unlock();
  }
  return result(status);
}

/* The kernel's answer was an error. */
CL_COLD static int wait_closer(sem_t *sem, int status, uint64_t at) {
  if (status == EINVAL) status = wait_in_memory(sem, at);
  return result(status);
}

CL_INLINE int wait(sem_t *sem, uint64_t until) {
  cl_trace_call();
  for (;;) {
    uint32_t word = cl_wait_until(CL_OP_SEMAPHORE_WAIT, object(sem), 0, until);
    if (CL_CANCEL && word == CL_CANCELED) {
      if (cl_cancel_act() & CL_INTERRUPTED) return cl_fail(EINTR);
      continue;
    }
    if (!CL_IS(until, CL_NEVER) && CL_LIKELY(word == CL_LATE))
      return errno = ETIMEDOUT, -1; /* on the way from a limit */
    if (CL_LIKELY(word <= CL_WORD_VALUE_MASK)) return 0;
    int status = cl_status(word);
    return CL_UNLIKELY(status) ? wait_closer(sem, status, CL_NEVER) : 0; /* with a limit it is the kernel's */
  }
}

__attribute__((always_inline)) int sem_wait(sem_t *sem) { return wait(sem, CL_NEVER); }

/* The count was 0, or the semaphore lives in memory. */
CL_APART int timed(sem_t *sem, uint64_t at) {
  return sem->handle == CL_IN_MEMORY ? wait_closer(sem, EINVAL, at) : wait(sem, at);
}

static inline int try(sem_t *sem) {
  uint32_t word = cl_op_semaphore_wait(object(sem), CL_NOW);
  if (word <= CL_WORD_VALUE_MASK) return 0;
  if (CL_LIKELY(word == CL_STATUS(CL_STATUS_EAGAIN))) return EAGAIN;
  int status = cl_status(word);
  return status == EINVAL ? wait_in_memory(sem, 0) : status;
}

int sem_trywait(sem_t *sem) { return result(try(sem)); }

int sem_timedwait(sem_t *sem, const struct timespec *until) {
  uint64_t at;
  cl_cancel_test();
  int status = try(sem);
  if (status != EAGAIN) return result(status);
  status = cl_deadline(CLOCK_REALTIME, until, &at);
  if (!status && cl_now() >= at) status = ETIMEDOUT;
  return status ? cl_fail(status) : timed(sem, at);
}

int sem_timedwait_np(sem_t *sem, uint32_t cycles) {
  uint32_t called = cl_local_read(CL_MTIME_LO);
  cl_cancel_test();
  uint32_t word = cl_op_semaphore_wait(object(sem), CL_NOW);
  if (word <= CL_WORD_VALUE_MASK) return 0;
  if (!cycles && word == CL_STATUS(CL_STATUS_EAGAIN)) return cl_fail(ETIMEDOUT);
  return timed(sem, cl_then(called) + cycles); /* also if it is in memory */
}

CL_COLD static int post_closer(sem_t *sem, int status) {
  if (status == EINVAL) status = post_in_memory(sem);
  return result(status == ERANGE ? EOVERFLOW : status);
}

int sem_post(sem_t *sem) {
  uint32_t word = cl_op_semaphore_post(object(sem));
  if (CL_LIKELY(word <= CL_WORD_VALUE_MASK)) return 0;
  return post_closer(sem, cl_status(word));
}

int sem_post_handler_np(sem_t *sem) {
  int status = cl_status(cl_op_semaphore_post_in_trap(object(sem)));
  return status == ERANGE ? EOVERFLOW : status;
}

int sem_getnumber_np(const sem_t *sem, uint32_t *number) {
  *number = object(sem);
  return *number < CL_SEMAPHORES ? 0 : cl_fail(EINVAL);
}

int sem_getvalue(sem_t *sem, int *value) {
  uint32_t word = cl_op_semaphore_value(object(sem));
  int status = cl_status(word);
  if (!status) {
    *value = (int)cl_value(word);
  } else if (status == EINVAL && !(status = enter(sem))) {
    *value = (int)sem->value;
    cl_backend_unlock();
  }
  return result(status);
}
