/* SPDX-License-Identifier: Apache-2.0 */
#include "memory.h"
#include "wait.h"

CL_COLD int cl_memory_is_second(uint32_t *handle, uint32_t mine) {
  cl_backend_lock();
  int is_second = *handle != 0;
  if (!is_second) *handle = mine;
  cl_backend_unlock_quietly();
  return is_second && mine != CL_IN_MEMORY;
}

uint32_t cl_condition_handle(void) {
  uint32_t word = cl_op_cond_create();
  return cl_value(word) == CL_CONDITIONS - 1 && !cl_status(word) && cl_queue_needs(cl_value(word)) ? CL_IN_MEMORY
                                                                                                   : cl_handle_of(word);
}

int cl_memory_cond_wait(struct cl_condition *cond, struct cl_mutex *mutex, uint64_t until) {
  struct cl_waiter me = {.ends = CL_POINT};
  cl_backend_lock();
  int status = cond->handle == CL_IN_MEMORY ? cl_mutex_release(mutex) : EINVAL;
  if (!status) return cl_queue_wait(&cond->waiters, &me, until);
  cl_backend_unlock();
  return status;
}

int cl_memory_cond_wake(struct cl_condition *cond, int all) {
  if (cond->handle != CL_IN_MEMORY) return EINVAL;
  cl_backend_lock();
  while (cl_queue_wake(&cond->waiters) && all) continue;
  cl_backend_unlock();
  return 0;
}
