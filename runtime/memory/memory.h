/* SPDX-License-Identifier: Apache-2.0
 *
 * The back end of objects that live in memory: those that the kernel does not have, or has no room for. Each has a handle
 * that no object of the kernel has, so the kernel is asked first, and only after its EINVAL it matters what an object is. */
#ifndef CL_MEMORY_H
#define CL_MEMORY_H

#include <pthread.h>
#include <semaphore.h>

#include "cl_kernel.h"

/* Handles that no object has: of one in memory, and of one that is destroyed. The kernel answers EINVAL. */
#define CL_IN_MEMORY (1u << CL_ADDRESS_ID_LSB)
#define CL_DESTROYED (2u << CL_ADDRESS_ID_LSB)

/* Destroys the object of the handle; `word` is what the kernel has answered to that, and `is_busy` of one in memory. */
static inline int cl_memory_destroy(uint32_t *handle, uint32_t word, int is_busy) {
  int status = *handle != CL_IN_MEMORY ? cl_status(word) : is_busy ? EBUSY : 0;
  if (!status) *handle = CL_DESTROYED;
  return status;
}

/* First use of a static object. Two threads may come at once: the kernel cannot be called under the memory lock, so both
 * create one. 1: the caller is second, and destroys its own, `mine`. */
int cl_memory_is_second(uint32_t *handle, uint32_t mine);

/* The operations of a kind, by their codes, with the kernel's answers; CL_LATE, CL_CANCELED. EINVAL: it is not in memory
 * either. `until` is that of a wait. */
uint32_t cl_memory_semaphore(unsigned op, sem_t *sem, uint64_t until);
/* Functions of their own, as these are faster; error numbers. The wait begins by unlocking the mutex, if it can. */
int cl_memory_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex, uint64_t until);
void cl_memory_cond_wake(pthread_cond_t *cond, int all);
int cl_memory_mutex_lock(pthread_mutex_t *mutex, uint64_t until);
int cl_memory_mutex_unlock(pthread_mutex_t *mutex); /* with cl_backend_lock held */

#endif
