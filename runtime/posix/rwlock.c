/* SPDX-License-Identifier: Apache-2.0
 *
 * Read-write locks. Unlocking hands the lock over: a thread that wakes already owns it. */
#include <errno.h>
#include <pthread.h>

#include "cancel.h"
#include "clock.h"
#include "posix.h"

#define AT_ONCE 0 /* a limit: do not wait */

/* Which locks a thread reads is not known: a reader of any lock is taken for one of every lock, so that reading a lock
 * again does not wait for a writer that waits for it. */
uint16_t cl_reading[CL_THREADS];

static int is_lock(const pthread_rwlock_t *lock) { return lock->state == CL_RWLOCK; }

int pthread_rwlockattr_init(pthread_rwlockattr_t *attr) {
  *attr = (pthread_rwlockattr_t){.shared = PTHREAD_PROCESS_PRIVATE};
  return 0;
}

int pthread_rwlockattr_destroy(pthread_rwlockattr_t *attr) {
  if (!CL_IS_ATTR(attr)) return EINVAL;
  attr->shared = -1;
  return 0;
}

int pthread_rwlockattr_setpshared(pthread_rwlockattr_t *attr, int shared) {
  if (!CL_IS_ATTR(attr) || !cl_is_sharing(shared)) return EINVAL;
  attr->shared = shared;
  return 0;
}

int pthread_rwlockattr_getpshared(const pthread_rwlockattr_t *attr, int *shared) {
  if (!CL_IS_ATTR(attr)) return EINVAL;
  *shared = attr->shared;
  return 0;
}

int pthread_rwlockattr_setkind_np(pthread_rwlockattr_t *attr, int kind) {
  if (!CL_IS_ATTR(attr) || kind < 0 || kind > PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP) return EINVAL;
  attr->kind = kind;
  return 0;
}

int pthread_rwlockattr_getkind_np(const pthread_rwlockattr_t *attr, int *kind) {
  if (!CL_IS_ATTR(attr)) return EINVAL;
  *kind = attr->kind;
  return 0;
}

int pthread_rwlock_init(pthread_rwlock_t *lock, const pthread_rwlockattr_t *attr) {
  if (attr && !CL_IS_ATTR(attr)) return EINVAL;
  *lock = (pthread_rwlock_t)PTHREAD_RWLOCK_INITIALIZER;
  return 0;
}

int pthread_rwlock_destroy(pthread_rwlock_t *lock) {
  cl_backend_lock();
  int status = !is_lock(lock) ? EINVAL : lock->readers || lock->writer ? EBUSY : 0;
  if (!status) lock->state = 0;
  cl_backend_unlock();
  return status;
}

/* Whether a waiting writer goes before a reader. */
static int goes_first(const struct cl_waiter *writer, uint32_t priority) {
  return writer && writer->priority >= priority;
}

static void begin_reading(pthread_rwlock_t *lock, uint32_t thread) {
  lock->readers++;
  cl_reading[thread]++;
}

/* The lock, or a writer's claim to it, has been given up. With the back end's lock. */
static void hand_over(pthread_rwlock_t *lock) {
  const struct cl_waiter *writer = lock->waiting_writers.first, *reader;
  if (lock->writer) return;
  while ((reader = lock->waiting_readers.first) && !goes_first(writer, reader->priority)) {
    begin_reading(lock, reader->thread);
    cl_queue_wake(&lock->waiting_readers);
  }
  if (writer && !lock->readers) {
    lock->writer = writer->thread + 1;
    cl_queue_wake(&lock->waiting_writers);
  }
}

static int may_read(const pthread_rwlock_t *lock, pthread_t self) {
  if (lock->writer) return 0;
  if (!lock->waiting_writers.first || cl_reading[self]) return 1;
  return !goes_first(lock->waiting_writers.first, cl_priority_now(self));
}

static int read_once(pthread_rwlock_t *lock, uint64_t at) {
  pthread_t self = pthread_self();
  int status = 0;
  cl_backend_lock();
  if (!is_lock(lock)) status = EINVAL;
  else if (may_read(lock, self)) begin_reading(lock, self);
  else if (at == AT_ONCE) status = EBUSY;
  else if (lock->writer == self + 1) status = EDEADLK;
  else return cl_queue_wait(&lock->waiting_readers, &(struct cl_waiter){.ends = CL_AGAIN_BY(&cl_wait_again)}, at);
  cl_backend_unlock();
  return status;
}

static int read_until(pthread_rwlock_t *lock, uint64_t at) {
  int status;
  do status = read_once(lock, at);
  while (CL_AGAIN(status));
  return status;
}

static int write_once(pthread_rwlock_t *lock, uint64_t at) {
  pthread_t self = pthread_self();
  int status = 0;
  cl_backend_lock();
  if (!is_lock(lock)) {
    status = EINVAL;
  } else if (!lock->writer && !lock->readers) {
    lock->writer = self + 1;
  } else if (at == AT_ONCE) {
    status = EBUSY;
  } else if (lock->writer == self + 1) {
    status = EDEADLK;
  } else {
    /* Then no trap ends the thread (held), but itself after it has handed the lock over. */
    const int asynchronous = cl_cancel_asynchronous();
    struct cl_waiter me = {.ends = asynchronous ? CL_POINT : CL_AGAIN_BY(&cl_wait_again)};
    status = cl_queue_wait(&lock->waiting_writers, &me, at);
    if (!status) return 0;
    cl_backend_lock();
    hand_over(lock); /* to readers that waited for this writer */
    cl_backend_unlock();
    if (asynchronous && CL_AGAIN(status)) cl_cancel_act();
    return status;
  }
  cl_backend_unlock();
  return status;
}

static int write_until(pthread_rwlock_t *lock, uint64_t at) {
  int status;
  do status = write_once(lock, at);
  while (CL_AGAIN(status));
  return status;
}

/* The limit is looked at only if the caller has to wait. */
static int timed(int (*take)(pthread_rwlock_t *, uint64_t), pthread_rwlock_t *lock, const struct timespec *until) {
  cl_trace_call();
  uint64_t at;
  int status = take(lock, AT_ONCE);
  if (status != EBUSY) return status;
  status = cl_deadline(CLOCK_REALTIME, until, &at);
  return status ? status : take(lock, at == AT_ONCE ? AT_ONCE + 1 : at);
}

int pthread_rwlock_rdlock(pthread_rwlock_t *lock) {
  cl_trace_call();
  return read_until(lock, CL_NEVER);
}

int pthread_rwlock_tryrdlock(pthread_rwlock_t *lock) { return read_until(lock, AT_ONCE); }

int pthread_rwlock_timedrdlock(pthread_rwlock_t *lock, const struct timespec *until) {
  return timed(read_until, lock, until);
}

int pthread_rwlock_wrlock(pthread_rwlock_t *lock) {
  cl_trace_call();
  return write_until(lock, CL_NEVER);
}

int pthread_rwlock_trywrlock(pthread_rwlock_t *lock) { return write_until(lock, AT_ONCE); }

int pthread_rwlock_timedwrlock(pthread_rwlock_t *lock, const struct timespec *until) {
  return timed(write_until, lock, until);
}

int pthread_rwlock_unlock(pthread_rwlock_t *lock) {
  pthread_t self = pthread_self();
  int status = 0;
  cl_backend_lock();
  if (!is_lock(lock)) {
    status = EINVAL;
  } else if (lock->writer == self + 1) {
    lock->writer = 0;
  } else if (lock->writer || !lock->readers) {
    status = EPERM;
  } else {
    lock->readers--;
    if (cl_reading[self]) cl_reading[self]--;
  }
  if (!status) hand_over(lock);
  cl_backend_unlock();
  return status;
}
