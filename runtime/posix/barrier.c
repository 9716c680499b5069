/* SPDX-License-Identifier: Apache-2.0
 *
 * A barrier is a condition variable of the kernel, if that has one left; then passing it takes one operation. Any other
 * lives in memory: as with mutexes (mutex.c) that matters after EINVAL only. */
#include <errno.h>
#include <pthread.h>

#include "cancel.h"
#include "wait.h"

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

/* The barrier at which each thread waits, and whether it is in a signal's handler instead: it has arrived all the same,
 * and the last to arrive releases it. */
static struct {
  const pthread_barrier_t *at;
  unsigned away;
} arrivals[CL_THREADS];

static int has_waiters(const pthread_barrier_t *barrier) {
  cl_backend_lock();
  uint32_t thread = 0;
  while (thread < CL_THREADS && !(cl_waiters[thread] && cl_waiters[thread]->queue == &barrier->queue)) thread++;
  cl_backend_unlock();
  return thread < CL_THREADS;
}

int pthread_barrier_init(pthread_barrier_t *barrier, const pthread_barrierattr_t *attr, unsigned count) {
  if (!count || (attr && !CL_IS_ATTR(attr))) return EINVAL;
  if (CL_SIGNALS && has_waiters(barrier)) return EBUSY;
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

/* With the lock, which it releases. A thread that a cancellation may end, or whose handler has interrupted such a wait,
 * arrives again. */
CL_COLD static int wait_with_signals(pthread_barrier_t *barrier) {
  uint32_t thread = pthread_self();
  int again = cl_cancel_asynchronous() || arrivals[thread].away, status;
  if (!again) arrivals[thread].at = barrier;
  for (;;) {
    struct cl_waiter me = {.ends = CL_AGAIN_BY(again ? &barrier->missing : &arrivals[thread].away)};
    status = cl_queue_wait(&barrier->queue, &me, CL_NEVER);
    if (!CL_AGAIN(status) || again) return status;
    cl_backend_lock();
    if (!arrivals[thread].away) break;
    arrivals[thread].away = 0;
  }
  cl_backend_unlock();
  return 0;
}

/* A woken thread no longer touches the barrier: it can be used again, or destroyed, at once. */
CL_COLD static int wait_in_memory(pthread_barrier_t *barrier) {
  int status = EINVAL;
  cl_backend_lock();
  if (barrier->handle == CL_IN_MEMORY) {
    if (--barrier->missing)
      return CL_SIGNALS ? wait_with_signals(barrier) : cl_queue_wait(&barrier->queue, &(struct cl_waiter){0}, CL_NEVER);
    barrier->missing = barrier->count;
    while (cl_queue_wake(&barrier->queue)) continue;
    for (uint32_t thread = 0; CL_SIGNALS && thread < CL_THREADS; thread++)
      if (arrivals[thread].at == barrier) arrivals[thread].away = 0;
    status = PTHREAD_BARRIER_SERIAL_THREAD;
  }
  cl_backend_unlock();
  return status;
}

int pthread_barrier_wait(pthread_barrier_t *barrier) {
  cl_trace_call();
  uint32_t word = cl_op_barrier_wait(cl_object(barrier->handle), barrier->count - 1);
  if (CL_UNLIKELY(cl_status(word))) {
    int status;
    do status = wait_in_memory(barrier);
    while (CL_AGAIN(status));
    return status;
  }
  return cl_value(word) ? PTHREAD_BARRIER_SERIAL_THREAD : 0;
}
