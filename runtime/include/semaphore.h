/* SPDX-License-Identifier: Apache-2.0
 *
 * Counting semaphores: POSIX <semaphore.h> without named semaphores; time limits are in cycles.
 * Every function returns 0, or -1 with errno set. */
#ifndef CORELOOM_SEMAPHORE_H
#define CORELOOM_SEMAPHORE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SEM_VALUE_MAX 32767

typedef struct {
  uint32_t handle; /* of the kernel object; 0: not initialised */
} sem_t;

/* ENOSPC: no semaphore left. EINVAL: value above SEM_VALUE_MAX. ENOSYS: shared is not 0. */
int sem_init(sem_t *sem, int shared, unsigned value);
int sem_destroy(sem_t *sem); /* EBUSY: somebody waits */
int sem_wait(sem_t *sem);    /* a waiter of higher priority goes first */
int sem_timedwait_np(sem_t *sem, uint32_t cycles); /* ETIMEDOUT: not within that many cycles of the call */
int sem_trywait(sem_t *sem); /* EAGAIN: it is 0 */
int sem_post(sem_t *sem);    /* EOVERFLOW: it is SEM_VALUE_MAX */
int sem_getvalue(sem_t *sem, int *value);
/* The kernel's number of the semaphore, for use by a hardware thread. */
int sem_getnumber_np(const sem_t *sem, uint32_t *number);

#ifdef __cplusplus
}
#endif

#endif
