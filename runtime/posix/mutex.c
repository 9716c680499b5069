/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <pthread.h>

#include "coreloom.h"
#include "posix.h"

int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attr) {
  (void)attr;
  uint32_t word = cl_op_mutex_create();
  if (cl_status(word)) return cl_status(word);
  mutex->handle = cl_handle(cl_value(word));
  return 0;
}

/* First use of a static mutex. Two threads may come at once: the kernel cannot be called under the memory lock,
 * so both make one and the later gives its own back. */
CL_COLD static int make(pthread_mutex_t *mutex) {
  pthread_mutex_t mine;
  int status = pthread_mutex_init(&mine, NULL);
  if (status) return mutex->handle ? 0 : status;
  shared_memory_lock(mutex);
  int late = mutex->handle != 0;
  if (!late) *mutex = mine;
  shared_memory_unlock(mutex);
  if (late) cl_op_mutex_destroy(cl_object(mine.handle));
  return 0;
}

static inline int ready(pthread_mutex_t *mutex) {
  if (CL_UNLIKELY(!*(volatile uint32_t *)&mutex->handle)) return make(mutex);
  return 0;
}

int pthread_mutex_destroy(pthread_mutex_t *mutex) {
  if (!mutex->handle) return 0; /* static, never used */
  int status = cl_status(cl_op_mutex_destroy(cl_object(mutex->handle)));
  if (!status) mutex->handle = ~0u; /* EINVAL from now on */
  return status;
}

int pthread_mutex_lock(pthread_mutex_t *mutex) {
  cl_trace_call();
  int status = ready(mutex);
  if (CL_UNLIKELY(status)) return status;
  return cl_status(cl_op_mutex_lock(cl_object(mutex->handle)));
}

int pthread_mutex_trylock(pthread_mutex_t *mutex) {
  int status = ready(mutex);
  if (CL_UNLIKELY(status)) return status;
  return cl_status(cl_op_mutex_trylock(cl_object(mutex->handle)));
}

int pthread_mutex_timedlock_np(pthread_mutex_t *mutex, uint32_t cycles) {
  int status = pthread_mutex_trylock(mutex);
  if (status != EBUSY) return status;
  cl_trace_call();
  uint32_t object = cl_object(mutex->handle);
  struct cl_timer timer;
  cl_timer_start(&timer, CL_OP_MUTEX_LEAVE, object, cycles);
  status = cl_status(cl_op_mutex_lock(object));
  return cl_timer_stop(&timer) ? ETIMEDOUT : status;
}

int pthread_mutex_getnumber_np(pthread_mutex_t *mutex, uint32_t *number) {
  int status = ready(mutex);
  if (status) return status;
  *number = (mutex->handle >> CL_ADDRESS_ID_LSB) - 1;
  return *number < CL_MUTEXES ? 0 : EINVAL;
}

int pthread_mutex_unlock(pthread_mutex_t *mutex) {
  /* Never used: id - 1 is no object. */
  return mutex->handle ? cl_status(cl_op_mutex_unlock(cl_object(mutex->handle))) : EPERM;
}
