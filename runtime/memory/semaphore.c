/* SPDX-License-Identifier: Apache-2.0 */
#include "memory.h"
#include "wait.h"

CL_COLD uint32_t cl_memory_semaphore(unsigned op, struct cl_semaphore *sem, uint64_t until) {
  uint32_t word = 0;
  cl_backend_lock();
  if (sem->handle != CL_IN_MEMORY) {
    word = CL_STATUS(EINVAL);
  } else if (op == CL_OP_SEMAPHORE_VALUE) {
    word = sem->value;
  } else if (op == CL_OP_SEMAPHORE_POST) {
    if (!sem->waiters.first && sem->value == CL_SEMAPHORE_MAX) word = CL_STATUS(ERANGE);
    else if (!cl_queue_wake(&sem->waiters)) sem->value++;
  } else if (sem->value) {
    sem->value--;
  } else if (until == CL_NOW) {
    word = CL_STATUS(EAGAIN);
  } else {
    return CL_STATUS(cl_queue_wait(&sem->waiters, &(struct cl_waiter){.ends = CL_POINT}, until));
  }
  cl_backend_unlock();
  return word;
}
