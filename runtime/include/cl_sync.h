/* SPDX-License-Identifier: Apache-2.0
 *
 * Part of pthread.h: barriers, spin locks, read-write locks. There is no limit to their number: barriers are condition
 * variables of the kernel as long as it has some, and live in memory beyond that, as the others do.
 *
 * PTHREAD_PROCESS_SHARED is accepted: a program is one process, and all of it can use every object. */
#ifndef CL_SYNC_H
#define CL_SYNC_H

#include <stdint.h>
#include <time.h>

#include "cl_objects.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- Barriers --- */

typedef struct cl_barrier pthread_barrier_t;

typedef struct {
  int shared;
} pthread_barrierattr_t;

#define PTHREAD_BARRIER_SERIAL_THREAD (-1)

int pthread_barrierattr_init(pthread_barrierattr_t *attr);
int pthread_barrierattr_destroy(pthread_barrierattr_t *attr);
int pthread_barrierattr_setpshared(pthread_barrierattr_t *attr, int shared);
int pthread_barrierattr_getpshared(const pthread_barrierattr_t *attr, int *shared);

int pthread_barrier_init(pthread_barrier_t *barrier, const pthread_barrierattr_t *attr, unsigned count);
int pthread_barrier_destroy(pthread_barrier_t *barrier); /* EBUSY: threads wait */
/* PTHREAD_BARRIER_SERIAL_THREAD in the last thread to come, 0 in the others. */
int pthread_barrier_wait(pthread_barrier_t *barrier);

/* --- Spin locks --- */

typedef struct {
  uint32_t owner; /* its number + CL_SPIN_FREE + 1; CL_SPIN_FREE: none; anything else: not a lock */
} pthread_spinlock_t;

int pthread_spin_init(pthread_spinlock_t *lock, int shared);
int pthread_spin_destroy(pthread_spinlock_t *lock); /* EBUSY: it is held */
int pthread_spin_lock(pthread_spinlock_t *lock);    /* EDEADLK: the caller has it */
int pthread_spin_trylock(pthread_spinlock_t *lock);
int pthread_spin_unlock(pthread_spinlock_t *lock); /* EPERM: the caller does not have it */

/* --- Read-write locks --- */

typedef struct {
  uint32_t state; /* whether it is one */
  unsigned readers;  /* that have it */
  uint32_t writer;   /* the number of the thread that has it, + 1; 0: none */
  struct cl_queue waiting_readers, waiting_writers;
} pthread_rwlock_t;

typedef struct {
  int shared;
  int kind;
} pthread_rwlockattr_t;

#define CL_RWLOCK 0x57160000u
#define PTHREAD_RWLOCK_INITIALIZER {.state = CL_RWLOCK}

int pthread_rwlockattr_init(pthread_rwlockattr_t *attr);
int pthread_rwlockattr_destroy(pthread_rwlockattr_t *attr);
int pthread_rwlockattr_setpshared(pthread_rwlockattr_t *attr, int shared);
int pthread_rwlockattr_getpshared(const pthread_rwlockattr_t *attr, int *shared);

/* As on Linux: readers or writers first. The kind is stored and makes no difference. */
enum { PTHREAD_RWLOCK_PREFER_READER_NP, PTHREAD_RWLOCK_PREFER_WRITER_NP, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP };
#define PTHREAD_RWLOCK_DEFAULT_NP PTHREAD_RWLOCK_PREFER_READER_NP
int pthread_rwlockattr_setkind_np(pthread_rwlockattr_t *attr, int kind);
int pthread_rwlockattr_getkind_np(const pthread_rwlockattr_t *attr, int *kind);

int pthread_rwlock_init(pthread_rwlock_t *lock, const pthread_rwlockattr_t *attr);
int pthread_rwlock_destroy(pthread_rwlock_t *lock); /* EBUSY: it is held */
/* A reader waits for the thread that writes, and, unless it reads already, for waiting writers of its priority or
 * above. EDEADLK: the caller writes. The timed ones: until a time of CLOCK_REALTIME. */
int pthread_rwlock_rdlock(pthread_rwlock_t *lock);
int pthread_rwlock_tryrdlock(pthread_rwlock_t *lock);
int pthread_rwlock_timedrdlock(pthread_rwlock_t *lock, const struct timespec *until);
int pthread_rwlock_wrlock(pthread_rwlock_t *lock);
int pthread_rwlock_trywrlock(pthread_rwlock_t *lock);
int pthread_rwlock_timedwrlock(pthread_rwlock_t *lock, const struct timespec *until);
int pthread_rwlock_unlock(pthread_rwlock_t *lock); /* EPERM: nobody has it, or another thread writes */

#ifdef __cplusplus
}
#endif

#endif
