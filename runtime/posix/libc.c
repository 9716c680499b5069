/* SPDX-License-Identifier: Apache-2.0
 *
 * The system functions of picolibc that need threads: errno per thread, locks around malloc and atexit. */
#include <pthread.h>
#include <sys/lock.h>

#include "posix.h"

int *cl_errno(void);
int *cl_errno(void) { return &cl_self()->error; }

/* picolibc has one recursive lock. */
struct __lock {
  pthread_mutex_t mutex;
  pthread_t owner; /* looked at by others, but equal to them only if they hold it */
  unsigned depth;
};

struct __lock __lock___libc_recursive_mutex = {PTHREAD_MUTEX_INITIALIZER, ~0u, 0};

void __retarget_lock_acquire_recursive(_LOCK_T lock) {
  if (lock->owner != pthread_self()) {
    pthread_mutex_lock(&lock->mutex);
    lock->owner = pthread_self();
  }
  lock->depth++;
}

void __retarget_lock_release_recursive(_LOCK_T lock) {
  if (--lock->depth) return;
  lock->owner = ~0u;
  pthread_mutex_unlock(&lock->mutex);
}
