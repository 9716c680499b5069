/* SPDX-License-Identifier: Apache-2.0
 *
 * The system functions of picolibc that need threads: errno per thread, locks around malloc and atexit. */
#include <errno.h>
#include <pthread.h>
#include <sys/lock.h>

#include "posix.h"

int *cl_errno(void);
int *cl_errno(void) { return &cl_self()->error; }

CL_COLD int cl_fail(int error) {
  errno = error;
  return -1;
}

/* picolibc has one recursive lock. */
struct __lock {
  pthread_mutex_t mutex;
  struct cl_thread *owner; /* looked at by others, but equal to them only if they hold it */
  unsigned depth;
};

struct __lock __lock___libc_recursive_mutex = {PTHREAD_MUTEX_INITIALIZER, NULL, 0};

static inline void hold(_LOCK_T lock) {
  lock->owner = cl_self();
  lock->depth = 1;
}

/* The first call ever, or another thread has it. */
CL_COLD static void wait(_LOCK_T lock) {
  pthread_mutex_lock(&lock->mutex);
  hold(lock);
}

void __retarget_lock_acquire_recursive(_LOCK_T lock) {
  if (CL_UNLIKELY(lock->owner == cl_self())) lock->depth++;
  else if (CL_UNLIKELY(cl_op_mutex_trylock(cl_object(lock->mutex.handle)))) wait(lock);
  else hold(lock);
}

void __retarget_lock_release_recursive(_LOCK_T lock) {
  if (CL_UNLIKELY(lock->depth > 1)) {
    lock->depth--;
    return;
  }
  lock->owner = NULL;
  pthread_mutex_unlock(&lock->mutex);
}
