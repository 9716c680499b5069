/* SPDX-License-Identifier: Apache-2.0 */
#include "coreloom.h"
#include "posix.h"
#include "wait.h"

CL_COLD int cl_memory_is_second(uint32_t *handle, uint32_t mine) {
  shared_memory_lock(handle);
  int is_second = *handle != 0;
  if (!is_second) *handle = mine;
  shared_memory_unlock(handle);
  return is_second && mine != CL_IN_MEMORY;
}

int cl_memory_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex, uint64_t until) {
  struct cl_waiter me = {.ends = CL_POINT};
  cl_backend_lock();
  int status = cond->handle == CL_IN_MEMORY ? cl_mutex_release(mutex) : EINVAL;
  if (!status) return cl_queue_wait(&cond->waiters, &me, until);
  cl_backend_unlock();
  return status;
}

void cl_memory_cond_wake(pthread_cond_t *cond, int all) {
  cl_backend_lock();
  while (cl_queue_wake(&cond->waiters) && all) continue;
  cl_backend_unlock();
}
