/* SPDX-License-Identifier: Apache-2.0
 *
 * Counting semaphores: POSIX <semaphore.h>.
 * Every function returns 0, or -1 with errno set; EINVAL: not a semaphore. */
#ifndef CORELOOM_SEMAPHORE_H
#define CORELOOM_SEMAPHORE_H

#include <stdint.h>
#include <time.h>

#include "cl_objects.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SEM_VALUE_MAX 32767

typedef struct cl_semaphore sem_t;

#define SEM_FAILED ((sem_t *)0)

/* EINVAL: value above SEM_VALUE_MAX. `shared` makes no difference: a program is one process. */
int sem_init(sem_t *sem, int shared, unsigned value);
int sem_destroy(sem_t *sem); /* EBUSY: somebody waits */
int sem_wait(sem_t *sem);    /* a waiter of higher priority goes first */
/* ETIMEDOUT: not before a time of CLOCK_REALTIME. EINVAL: it would wait, and the time is not valid. */
int sem_timedwait(sem_t *sem, const struct timespec *until);
int sem_timedwait_np(sem_t *sem, uint32_t cycles); /* from the call */
int sem_trywait(sem_t *sem);                       /* EAGAIN: it is 0 */
int sem_post(sem_t *sem);                          /* EOVERFLOW: it is SEM_VALUE_MAX */
int sem_getvalue(sem_t *sem, int *value);
/* The kernel's number of the semaphore, for use by a hardware thread. EINVAL: it lives in memory. */
int sem_getnumber_np(const sem_t *sem, uint32_t *number);

/* A name has up to NAME_MAX characters, the first a slash and the only one. With O_CREAT, mode (which makes no
 * difference) and value follow. Opening a name again gives the same semaphore. SEM_FAILED: EINVAL: no name, or value
 * above SEM_VALUE_MAX. ENAMETOOLONG. ENOENT: there is none, and no O_CREAT. EEXIST: there is one, and O_CREAT and
 * O_EXCL. ENOSPC: no memory. */
sem_t *sem_open(const char *name, int flags, ...);
int sem_close(sem_t *sem);        /* EINVAL: not open */
int sem_unlink(const char *name); /* ENOENT: there is none. It lives until all have closed it */

#ifdef __cplusplus
}
#endif

#endif
