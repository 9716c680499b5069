/* SPDX-License-Identifier: Apache-2.0 */
#include "memory.h"
#include "wait.h"

/* The barrier at which each thread waits, and whether it is in a signal's handler instead: it has arrived all the same,
 * and the last to arrive releases it. */
static struct {
  const struct cl_barrier *at;
  unsigned away;
} arrivals[CL_THREADS];

CL_COLD int cl_memory_barrier_has_waiters(const struct cl_barrier *barrier) {
  cl_backend_lock();
  uint32_t thread = 0;
  while (thread < CL_THREADS && !(cl_waiters[thread] && cl_waiters[thread]->queue == &barrier->queue)) thread++;
  cl_backend_unlock();
  return thread < CL_THREADS;
}

/* With the lock, which it releases. A thread that a cancellation may end, or whose handler has interrupted such a wait,
 * arrives again. */
CL_COLD static int wait_with_signals(struct cl_barrier *barrier, int may_end) {
  uint32_t thread = cl_self_number();
  int again = may_end || arrivals[thread].away, status;
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
CL_COLD uint32_t cl_memory_barrier_wait(struct cl_barrier *barrier, int may_end) {
  uint32_t word = CL_STATUS(EINVAL);
  cl_backend_lock();
  if (barrier->handle == CL_IN_MEMORY) {
    if (--barrier->missing) {
      return CL_STATUS(CL_SIGNALS ? wait_with_signals(barrier, may_end)
                                  : cl_queue_wait(&barrier->queue, &(struct cl_waiter){0}, CL_NEVER));
    }
    barrier->missing = barrier->count;
    while (cl_queue_wake(&barrier->queue)) continue;
    for (uint32_t thread = 0; CL_SIGNALS && thread < CL_THREADS; thread++)
      if (arrivals[thread].at == barrier) arrivals[thread].away = 0;
    word = 1;
  }
  cl_backend_unlock();
  return word;
}
