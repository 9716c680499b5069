/* SPDX-License-Identifier: Apache-2.0
 *
 * The back end of objects that live in memory: those that the kernel does not have, or has no room for. Each has a handle
 * that no object of the kernel has, so the kernel is asked first, and only after its EINVAL it matters what an object is. */
#ifndef CL_MEMORY_H
#define CL_MEMORY_H

#include "cl_kernel.h"
#include "cl_objects.h"

/* The handle of a kernel object: its number inverted, so that 0 is none, and shifted as in an address of the kernel
 * port: one instruction makes the address of it. */
static inline uint32_t cl_handle(uint32_t object) { return (object ^ CL_ADDRESS_ID_MASK) << CL_ADDRESS_ID_LSB; }
/* The object of a handle. None, or one that is no handle, gives a number of ten bits; the kernel knows which exist. */
static inline uint32_t cl_object(uint32_t handle) {
  return (handle >> CL_ADDRESS_ID_LSB & CL_ADDRESS_ID_MASK) ^ CL_ADDRESS_ID_MASK;
}
/* Handles that no object has: of one in memory, and of one that is destroyed. The kernel answers EINVAL. */
#define CL_IN_MEMORY (1u << CL_ADDRESS_ID_LSB)
#define CL_DESTROYED (2u << CL_ADDRESS_ID_LSB)

/* The handle of an object that the kernel has created, or had no room for, by its answer. */
static inline uint32_t cl_handle_of(uint32_t word) {
  return cl_status(word) ? CL_IN_MEMORY : cl_handle(cl_value(word));
}
/* That of a new condition variable. */
uint32_t cl_condition_handle(void);

/* Destroys the object of the handle; `word` is what the kernel has answered to that, and `is_busy` of one in memory. */
static inline int cl_memory_destroy(uint32_t *handle, uint32_t word, int is_busy) {
  int status = *handle != CL_IN_MEMORY ? cl_status(word) : is_busy ? EBUSY : 0;
  if (!status) *handle = CL_DESTROYED;
  return status;
}

/* First use of a static object. Two threads may come at once: the kernel cannot be called under the lock, so both create
 * one. 1: the caller is second, and destroys its own, `mine`. */
int cl_memory_is_second(uint32_t *handle, uint32_t mine);

/* The operations of a kind, by their codes, with the kernel's answers; CL_LATE, CL_CANCELED. EINVAL: it is not in memory
 * either. `until` is that of a wait. */
uint32_t cl_memory_semaphore(unsigned op, struct cl_semaphore *sem, uint64_t until);
/* 1 in the last thread to come, ECANCELED in one whose handlers were called. may_end: a cancellation may end the wait. */
uint32_t cl_memory_barrier_wait(struct cl_barrier *barrier, int may_end);
int cl_memory_barrier_has_waiters(const struct cl_barrier *barrier); /* in a program with signals */
/* Functions of their own, as these are faster; error numbers. The wait begins by unlocking the mutex, if it can. */
int cl_memory_cond_wait(struct cl_condition *cond, struct cl_mutex *mutex, uint64_t until);
int cl_memory_cond_wake(struct cl_condition *cond, int all);
int cl_memory_mutex_lock(struct cl_mutex *mutex, uint64_t until);
/* With cl_backend_lock held: a mutex of the kernel or in memory. EPERM: also one that is not made yet. */
int cl_mutex_release(struct cl_mutex *mutex);

/* --- mutexes in memory with a protocol, and robust ones --- */

enum { CL_MUTEX_RECURSIVE = 3 };                       /* types: PTHREAD_MUTEX_..., */
enum { CL_MUTEX_INHERIT = 1, CL_MUTEX_PROTECT };       /* protocols: PTHREAD_PRIO_..., and the kernel's, */
enum { CL_MUTEX_ROBUST = 1, CL_MUTEX_INCONSISTENT, CL_MUTEX_NOT_RECOVERABLE };

/* Its protocol and ceiling, as the kernel has them. */
static inline uint32_t cl_mutex_rule(const struct cl_mutex *mutex) {
  return (uint32_t)mutex->protocol << CL_MUTEX_ATTRIBUTES_PROTOCOL_LSB | (uint32_t)mutex->ceiling
                                                                             << CL_MUTEX_ATTRIBUTES_CEILING_LSB;
}

/* Set by the layer above before it gives a mutex a protocol or makes one robust: a program without them folds it to 0,
 * and with it what it guards. Then these must be called: when a thread ends, gives a wait up, sets its priority, or reads
 * it. */
extern int cl_mutex_protocols;
void cl_mutex_end(void);
void cl_mutex_gave_up(
    uint32_t thread); /* its wait in a queue ends without what it was for; with cl_backend_lock held */
int cl_mutex_set_priority(uint32_t thread, uint32_t priority); /* the kernel's error number */
uint32_t cl_mutex_own_priority(uint32_t thread, uint32_t now);

int cl_mutex_is_held(const struct cl_mutex *mutex); /* by any thread */
int cl_mutex_consistent(struct cl_mutex *mutex);
/* Of a mutex of the kernel or in memory. */
int cl_mutex_set_ceiling(struct cl_mutex *mutex, uint32_t ceiling, int *old);

#endif
