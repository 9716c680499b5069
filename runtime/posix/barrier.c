/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <pthread.h>

#include "wait.h"

#define BARRIER 0xBA441E40u

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
  *barrier = (pthread_barrier_t){.state = BARRIER, .count = count, .missing = count};
  return 0;
}

int pthread_barrier_destroy(pthread_barrier_t *barrier) {
  cl_backend_lock();
  int status = barrier->state != BARRIER ? EINVAL : barrier->queue.first ? EBUSY : 0;
  if (!status) barrier->state = 0;
  cl_backend_unlock();
  return status;
}

/* Who has been woken does not touch the barrier any more: it can be used again, or destroyed, at once. */
int pthread_barrier_wait(pthread_barrier_t *barrier) {
  cl_trace_call();
  int status = EINVAL;
  cl_backend_lock();
  if (barrier->state == BARRIER) {
    if (--barrier->missing) return cl_queue_wait(&barrier->queue, &(struct cl_waiter){0}, CL_NEVER);
    barrier->missing = barrier->count;
    while (cl_queue_wake(&barrier->queue)) continue;
    status = PTHREAD_BARRIER_SERIAL_THREAD;
  }
  cl_backend_unlock();
  return status;
}
