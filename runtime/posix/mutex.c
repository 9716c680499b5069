/* SPDX-License-Identifier: Apache-2.0
 *
 * A mutex is an object of the kernel, if that has its type and room for it: then locking it takes one operation. Any
 * other lives in memory (memory/mutex.c) and has a handle that no object of the kernel has; so what
 * kind of mutex it is matters only after the kernel has answered EINVAL. */
#include <errno.h>
#include <pthread.h>

#include "clock.h"
#include "coreloom.h"
#include "timed.h"
#include "wait.h"

_Static_assert(PTHREAD_MUTEX_RECURSIVE == CL_MUTEX_RECURSIVE && PTHREAD_MUTEX_ROBUST == CL_MUTEX_ROBUST &&
                   PTHREAD_PRIO_INHERIT == CL_MUTEX_INHERIT && PTHREAD_PRIO_PROTECT == CL_MUTEX_PROTECT,
               "memory.h has the same numbers");

static uint32_t new_handle(const pthread_mutex_t *mutex) {
  int kernel_has_type = mutex->type != PTHREAD_MUTEX_RECURSIVE && !mutex->robust;
  if (!kernel_has_type || (mutex->protocol && !CL_BACKEND_INHERITANCE)) return CL_IN_MEMORY;
  uint32_t word = cl_op_mutex_create();
  if (CL_BACKEND_INHERITANCE && mutex->protocol && !cl_status(word)) {
    cl_backend_lock();
    cl_backend_op(CL_OP_MUTEX_PROTOCOL, cl_value(word), cl_mutex_rule(mutex));
    cl_backend_unlock();
  }
  return cl_handle_of(word);
}

int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attr) {
  if (cl_mutex_protocols && cl_mutex_is_held(mutex)) return EBUSY;
  *mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
  if (attr) {
    if (!CL_IS_ATTR(attr)) return EINVAL;
    mutex->type = attr->type;
    mutex->protocol = attr->protocol;
    mutex->robust = attr->robust;
    mutex->ceiling = attr->ceiling;
  }
  mutex->handle = new_handle(mutex);
  return 0;
}

CL_COLD static void make(pthread_mutex_t *mutex) {
  uint32_t mine = new_handle(mutex);
  if (cl_memory_is_second(&mutex->handle, mine)) cl_op_mutex_destroy(cl_object(mine));
}

int pthread_mutex_destroy(pthread_mutex_t *mutex) {
  /* POSIX leaves it open for one that is locked; on Linux a robust one can be destroyed by its owner. Not while others
   * wait: a call that is refused unlocks nothing. */
  if (mutex->robust && mutex->owner_plus_1 == pthread_self() + 1) {
    cl_backend_lock();
    if (!mutex->waiters.first) {
      mutex->depth = 1;
      cl_mutex_release(mutex);
    }
    cl_backend_unlock();
  }
  uint32_t word = mutex->handle ? cl_op_mutex_destroy(cl_object(mutex->handle)) : 0;
  return cl_memory_destroy(&mutex->handle, word, mutex->owner_plus_1 != 0);
}

/* A normal mutex that the caller has: no unlock ends the wait. */
CL_COLD static int wait_for_ever(uint64_t at) {
  struct cl_queue nobody = {0};
  int status;
  do {
    struct cl_waiter me = {.ends = CL_AGAIN_BY(&cl_wait_again)};
    cl_backend_lock();
    status = cl_queue_wait(&nobody, &me, at);
  } while (CL_AGAIN(status));
  return status;
}

CL_COLD int cl_mutex_closer(pthread_mutex_t *mutex, int status, uint64_t at) {
  if (status == EINVAL) {
    if (!*(volatile uint32_t *)&mutex->handle) make(mutex);
    status = cl_memory_mutex_lock(mutex, at);
    /* Made a moment ago, by this thread or by one that came at the same time; any other is refused again. */
    uint32_t object = cl_object(mutex->handle);
    if (status == EINVAL) status = cl_status(at ? cl_op_mutex_lock_apart(object) : cl_op_mutex_lock(object, CL_NOW));
  }
  return status == EDEADLK && mutex->type == PTHREAD_MUTEX_NORMAL ? wait_for_ever(at) : status;
}

/* A signal, or a cancellation at any time, may end the wait for a while. */
CL_INLINE int lock_until(pthread_mutex_t *mutex, uint64_t until) {
  if (CL_SIGNALS && !*(volatile uint32_t *)&mutex->handle) make(mutex);
  uint32_t word;
  for (;;) {
    word = cl_wait_until(CL_OP_MUTEX_LOCK, cl_object(mutex->handle), 0, until);
    if (!CL_SIGNALS || word != CL_CANCELED) break;
    if (cl_cancel_asynchronous()) cl_cancel_act();
    else cl_signals_run();
  }
  if (word == CL_LATE) return ETIMEDOUT;
  int status = cl_status(word);
  return CL_LIKELY(!status) ? 0 : cl_mutex_closer(mutex, status, until);
}

CL_COLD static int lock_with_signals(pthread_mutex_t *mutex) { return lock_until(mutex, CL_NEVER); }

int pthread_mutex_lock(pthread_mutex_t *mutex) {
  cl_trace_call();
  return CL_SIGNALS ? lock_with_signals(mutex) : cl_mutex_lock(mutex);
}

int pthread_mutex_trylock(pthread_mutex_t *mutex) {
  int status = cl_status(cl_op_mutex_lock(cl_object(mutex->handle), CL_NOW));
  return CL_LIKELY(!status) ? 0 : cl_mutex_closer(mutex, status, 0);
}

/* Called after trylock has returned EBUSY. */
CL_APART int timed(pthread_mutex_t *mutex, uint64_t at) {
  cl_trace_call();
  return lock_until(mutex, at);
}

/* As pthread_mutex_trylock, but EBUSY at once. */
static inline int try(pthread_mutex_t *mutex) {
  uint32_t word = cl_op_mutex_lock(cl_object(mutex->handle), CL_NOW);
  if (CL_LIKELY(word == CL_STATUS(CL_STATUS_EBUSY))) return EBUSY;
  return word <= CL_WORD_VALUE_MASK ? 0 : cl_mutex_closer(mutex, cl_status(word), 0);
}

int pthread_mutex_timedlock_np(pthread_mutex_t *mutex, uint32_t cycles) {
  uint32_t called = cl_local_read(CL_MTIME_LO);
  int status = try(mutex);
  if (status != EBUSY) return status;
  return cycles ? timed(mutex, cl_then(called) + cycles) : ETIMEDOUT;
}

int pthread_mutex_timedlock(pthread_mutex_t *mutex, const struct timespec *until) {
  uint64_t at;
  int status = try(mutex);
  if (status != EBUSY) return status;
  status = cl_deadline(CLOCK_REALTIME, until, &at);
  if (status) return status;
  return cl_now() < at ? timed(mutex, at) : ETIMEDOUT;
}

CL_COLD static int unlock_closer(pthread_mutex_t *mutex, int status) {
  if (status != EINVAL) return status;
  cl_backend_lock();
  status = cl_mutex_release(mutex);
  cl_backend_unlock();
  return status;
}

int pthread_mutex_unlock(pthread_mutex_t *mutex) {
  uint32_t word = cl_op_mutex_unlock(cl_object(mutex->handle));
  return CL_LIKELY(word <= CL_WORD_VALUE_MASK) ? 0 : unlock_closer(mutex, cl_status(word));
}

int pthread_mutex_getnumber_np(pthread_mutex_t *mutex, uint32_t *number) {
  if (!*(volatile uint32_t *)&mutex->handle) make(mutex);
  *number = cl_object(mutex->handle);
  return *number < CL_MUTEXES ? 0 : EINVAL;
}

int pthread_mutex_consistent(pthread_mutex_t *mutex) { return cl_mutex_consistent(mutex); }

static int has_ceiling(const pthread_mutex_t *mutex) {
  return mutex->handle != CL_DESTROYED && mutex->protocol == PTHREAD_PRIO_PROTECT;
}

int pthread_mutex_getprioceiling(const pthread_mutex_t *mutex, int *ceiling) {
  if (!has_ceiling(mutex)) return EINVAL;
  *ceiling = mutex->ceiling;
  return 0;
}

int pthread_mutex_setprioceiling(pthread_mutex_t *mutex, int ceiling, int *old) {
  if (!has_ceiling(mutex) || ceiling < 0 || ceiling >= CL_PRIORITIES) return EINVAL;
  return cl_mutex_set_ceiling(mutex, (uint32_t)ceiling, old);
}
