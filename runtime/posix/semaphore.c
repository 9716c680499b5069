/* SPDX-License-Identifier: Apache-2.0
 *
 * Semaphores, of the kernel or in memory (memory.h). */
#include <errno.h>
#include <semaphore.h>

#include "clock.h"
#include "coreloom.h"
#include "timed.h"

/* Object of a semaphore; one that was never initialised gives a number that no object has. */
static inline uint32_t object(const sem_t *sem) { return cl_object(sem->handle); }

static inline int result(int status) { return CL_LIKELY(!status) ? 0 : cl_fail(status); }

int sem_init(sem_t *sem, int shared, unsigned value) {
  (void)shared;
  if (value > SEM_VALUE_MAX) return cl_fail(EINVAL);
  uint32_t word = cl_op_semaphore_create(value);
  *sem = (sem_t){.handle = cl_handle_of(word), .value = value};
  return 0;
}

static int wait_again(sem_t *sem, uint64_t until);

/* The kernel's answer to `op` was an error; `until` is that of a wait. The answer comes first: there it is from the start,
 * so that no call of the common path moves it. */
CL_COLD static int closer(uint32_t word, unsigned op, sem_t *sem, uint64_t until) {
  if (word == CL_STATUS(EINVAL)) word = cl_memory_semaphore(op, sem, until);
  if (CL_CANCEL && word == CL_CANCELED) {
    if (cl_cancel_act() & CL_INTERRUPTED) return cl_fail(EINTR);
    return wait_again(sem, until);
  }
  int status = cl_status(word);
  return result(status == ERANGE ? EOVERFLOW : status);
}

int sem_destroy(sem_t *sem) {
  uint32_t word = cl_op_semaphore_destroy(object(sem));
  return result(cl_memory_destroy(&sem->handle, word, sem->waiters.first != NULL));
}

CL_INLINE int wait(sem_t *sem, uint64_t until) {
  cl_trace_call();
  uint32_t word = cl_wait_until(CL_OP_SEMAPHORE_WAIT, object(sem), 0, until);
  if (!CL_IS(until, CL_NEVER) && CL_LIKELY(word == CL_LATE)) return errno = ETIMEDOUT, -1;
  if (CL_LIKELY(word <= CL_WORD_VALUE_MASK) || !cl_status(word)) return 0;
  /* With a limit the semaphore is the kernel's, so without cancellation the limit is not needed any more. */
  return closer(word, CL_OP_SEMAPHORE_WAIT, sem, CL_CANCEL ? until : CL_NEVER);
}

__attribute__((always_inline)) int sem_wait(sem_t *sem) { return wait(sem, CL_NEVER); }

/* The count was 0, or the semaphore lives in memory. */
CL_APART int timed(sem_t *sem, uint64_t at) {
  if (sem->handle == CL_IN_MEMORY) return closer(CL_STATUS(EINVAL), CL_OP_SEMAPHORE_WAIT, sem, at);
  return wait(sem, at);
}

CL_COLD static int wait_again(sem_t *sem, uint64_t until) {
  return until == CL_NEVER ? wait(sem, CL_NEVER) : timed(sem, until);
}

static inline uint32_t try(sem_t *sem) {
  uint32_t word = cl_op_semaphore_wait(object(sem), CL_NOW);
  return CL_UNLIKELY(word == CL_STATUS(EINVAL)) ? cl_memory_semaphore(CL_OP_SEMAPHORE_WAIT, sem, CL_NOW) : word;
}

int sem_trywait(sem_t *sem) { return result(cl_status(try(sem))); }

int sem_timedwait(sem_t *sem, const struct timespec *until) {
  uint64_t at;
  cl_cancel_test();
  int status = cl_status(try(sem));
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

int sem_post(sem_t *sem) {
  uint32_t word = cl_op_semaphore_post(object(sem));
  return CL_LIKELY(word <= CL_WORD_VALUE_MASK) ? 0 : closer(word, CL_OP_SEMAPHORE_POST, sem, CL_NOW);
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
  if (word == CL_STATUS(EINVAL)) word = cl_memory_semaphore(CL_OP_SEMAPHORE_VALUE, sem, CL_NOW);
  if (cl_status(word)) return cl_fail(cl_status(word));
  *value = (int)cl_value(word);
  return 0;
}
