/* SPDX-License-Identifier: Apache-2.0
 *
 * The system functions of picolibc that need threads: errno per thread, locks around malloc, atexit and
 * streams. */
#include <errno.h>
#include <stdio.h>
#include <sys/lock.h>

#include "wait.h"

int *cl_errno(void);
int *cl_errno(void) { return &cl_self()->error; }

CL_COLD int cl_fail(int error) {
  errno = error;
  return -1;
}

/* The library's own locks, recursive. The one of malloc is a mutex of the hardware kernel's, if there is one left at its
 * first use; else, and with the software kernel, where that is faster, it lives in memory. So it never fails. */
#if defined(CL_KERNEL_HW)
#define KERNEL_MUTEX 1
#define IF_NO_MUTEX CL_COLD static
#else
#define KERNEL_MUTEX 0
#define IF_NO_MUTEX static inline
#endif

struct __lock {
  uint32_t mutex;          /* a handle, 0: not chosen yet */
  struct cl_thread *owner; /* looked at by others, but equal to them only if they hold it */
  unsigned depth;
  struct cl_queue waiters;
};

struct __lock __lock___libc_recursive_mutex = {.mutex = KERNEL_MUTEX ? 0 : CL_IN_MEMORY}; /* picolibc has this one */
static struct __lock streams = {.mutex = CL_IN_MEMORY}; /* of all streams, as they are one console */

static inline void hold(struct __lock *lock) { lock->owner = cl_self(); }

/* Whoever releases it hands it over. Called with cl_backend_lock held. */
CL_COLD static void wait_turn(struct __lock *lock) {
  struct cl_waiter me = {.cancel = NULL};
  cl_queue_wait(&lock->waiters, &me, CL_NEVER);
}

/* Its first use, or it is in memory, or another thread has it. */
IF_NO_MUTEX void wait(struct __lock *lock) {
  cl_backend_lock();
  if (KERNEL_MUTEX && !lock->mutex) {
    uint32_t word = cl_backend_op(CL_OP_MUTEX_CREATE, 0, 0);
    lock->mutex = cl_status(word) ? CL_IN_MEMORY : cl_handle(cl_value(word));
  }
  if (KERNEL_MUTEX && lock->mutex != CL_IN_MEMORY) {
    cl_backend_unlock();
    cl_op_mutex_lock(cl_object(lock->mutex));
    hold(lock);
  } else if (CL_LIKELY(!lock->owner)) {
    hold(lock);
    cl_backend_unlock_quietly();
  } else if (!KERNEL_MUTEX && lock->owner == cl_self()) {
    lock->depth++;
    cl_backend_unlock_quietly();
  } else {
    wait_turn(lock);
  }
}

static inline void acquire(struct __lock *lock) {
  if (!KERNEL_MUTEX) wait(lock); /* which looks for the owner anyway */
  else if (CL_UNLIKELY(lock->owner == cl_self())) lock->depth++;
  else if (CL_UNLIKELY(cl_op_mutex_trylock(cl_object(lock->mutex)))) wait(lock);
  else hold(lock);
}

/* With cl_backend_lock held. */
CL_COLD static void hand_over(struct __lock *lock) {
  lock->owner = &cl_threads[cl_queue_wake(&lock->waiters)->thread];
  cl_backend_unlock();
}

IF_NO_MUTEX void pass_on(struct __lock *lock) {
  cl_backend_lock();
  if (CL_UNLIKELY(lock->waiters.first)) {
    hand_over(lock);
  } else {
    lock->owner = NULL;
    cl_backend_unlock_quietly();
  }
}

static inline void release(struct __lock *lock) {
  if (CL_UNLIKELY(lock->depth)) {
    lock->depth--;
    return;
  }
  if (!KERNEL_MUTEX || CL_UNLIKELY(lock->mutex == CL_IN_MEMORY)) {
    pass_on(lock);
    return;
  }
  lock->owner = NULL;
  cl_op_mutex_unlock(cl_object(lock->mutex));
}

void __retarget_lock_acquire_recursive(_LOCK_T lock) { acquire(lock); }
void __retarget_lock_release_recursive(_LOCK_T lock) { release(lock); }

void flockfile(FILE *stream) {
  (void)stream;
  acquire(&streams);
}

int ftrylockfile(FILE *stream) {
  (void)stream;
  if (streams.owner == cl_self()) {
    streams.depth++;
    return 0;
  }
  cl_backend_lock();
  int busy = streams.owner != NULL;
  if (!busy) streams.owner = cl_self();
  cl_backend_unlock();
  return busy;
}

void funlockfile(FILE *stream) {
  (void)stream;
  release(&streams);
}

int cl_libc_holds_heap(void) { return __lock___libc_recursive_mutex.owner == cl_self(); }

void cl_libc_leave_streams(void) {
  while (streams.owner == cl_self()) release(&streams);
}
