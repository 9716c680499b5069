/* SPDX-License-Identifier: Apache-2.0
 *
 * Joins that do not wait for ever: no operation of the kernels ends the wait of a joiner, so it looks again and again. */
#include <errno.h>
#include <pthread.h>

#include "../posix/cancel.h"
#include "../posix/clock.h"

#define NAP 1024 /* cycles */

int pthread_tryjoin_np(pthread_t thread, void **value) {
  if (thread >= CL_THREADS) return ESRCH;
  uint32_t word = cl_op_thread_read(thread);
  uint32_t state = word >> CL_THREAD_WORD_STATE_LSB & CL_THREAD_WORD_STATE_MASK;
  if (!cl_status(word) && state != CL_STATE_EXITED && thread != pthread_self()) return EBUSY;
  return pthread_join(thread, value);
}

int pthread_clockjoin_np(pthread_t thread, void **value, clockid_t clock, const struct timespec *until) {
  static struct cl_queue napping; /* nobody wakes them */
  uint64_t at;
  int status = pthread_tryjoin_np(thread, value);
  if (status == EBUSY && cl_deadline(clock, until, &at)) return EINVAL;
  for (; status == EBUSY && cl_now() < at; status = pthread_tryjoin_np(thread, value)) {
    struct cl_waiter me = {.ends = CL_POINT};
    cl_backend_lock();
    if (cl_queue_wait(&napping, &me, cl_now() + NAP) == ECANCELED) cl_cancel_act();
  }
  return status == EBUSY ? ETIMEDOUT : status;
}

int pthread_timedjoin_np(pthread_t thread, void **value, const struct timespec *until) {
  return pthread_clockjoin_np(thread, value, CLOCK_REALTIME, until);
}
