/* SPDX-License-Identifier: Apache-2.0
 *
 * A barrier is a condition variable of the kernel, if that has one left; then passing it takes one operation. Any other
 * lives in memory: as with mutexes (mutex.c) that matters after EINVAL only. */
#include <errno.h>
#include <pthread.h>

#include "cancel.h"

int pthread_barrierattr_init(pthread_barrierattr_t *attr) {
  attr->shared = PTHREAD_PROCESS_PRIVATE;
  return 0;
}

int pthread_barrierattr_destroy(pthread_barrierattr_t *attr) {
  if (!CL_IS_ATTR(attr)) return EINVAL;
  attr->shared = -1;
  return 0;
}

int pthread_barrierattr_setpshared(pthread_barrierattr_t *attr, int shared) {
  if (!CL_IS_ATTR(attr) || !cl_is_sharing(shared)) return EINVAL;
  attr->shared = shared;
  return 0;
}

int pthread_barrierattr_getpshared(const pthread_barrierattr_t *attr, int *shared) {
  if (!CL_IS_ATTR(attr)) return EINVAL;
  *shared = attr->shared;
  return 0;
}

int pthread_barrier_init(pthread_barrier_t *barrier, const pthread_barrierattr_t *attr, unsigned count) {
  if (!count || (attr && !CL_IS_ATTR(attr))) return EINVAL;
  if (CL_SIGNALS && cl_memory_barrier_has_waiters(barrier)) return EBUSY;
  /* The kernel does not forget the arrival of a thread whose wait a signal has ended. */
  int fits = !CL_SIGNALS && count - 1 <= CL_WORD_VALUE_MASK;
  *barrier = (pthread_barrier_t){
      .handle = fits ? cl_condition_handle() : CL_IN_MEMORY, .count = count, .missing = count};
  return 0;
}

int pthread_barrier_destroy(pthread_barrier_t *barrier) {
  uint32_t word = cl_op_cond_destroy(cl_object(barrier->handle));
  return cl_memory_destroy(&barrier->handle, word, barrier->queue.first != NULL);
}

int pthread_barrier_wait(pthread_barrier_t *barrier) {
  cl_trace_call();
  uint32_t word = cl_op_barrier_wait(cl_object(barrier->handle), barrier->count - 1);
  if (CL_UNLIKELY(cl_status(word))) {
    do word = cl_memory_barrier_wait(barrier, cl_cancel_asynchronous());
    while (CL_SIGNALS && word == CL_CANCELED);
    if (cl_status(word)) return cl_status(word);
  }
  return cl_value(word) ? PTHREAD_BARRIER_SERIAL_THREAD : 0;
}
