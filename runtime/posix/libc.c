/* SPDX-License-Identifier: Apache-2.0
 *
 * The system functions of picolibc that need threads: errno per thread, locks around malloc, atexit and
 * streams. */
#include <errno.h>
#include <stdio.h>
#include <sys/lock.h>

#include "posix.h"
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
  uintptr_t mutex;         /* where a load tries to lock it; NONE: not chosen yet, or in memory */
  struct cl_thread *owner; /* looked at by others, but equal to them only if they hold it */
  unsigned depth;          /* and MEMORY if it is there */
  struct cl_queue waiters;
};
#define PORT(op, id) (CL_KERNEL_PORT + ((op) << CL_ADDRESS_OP_LSB) + ((id) << CL_ADDRESS_ID_LSB))
#define NONE PORT(CL_OP_MUTEX_TRYLOCK, CL_ADDRESS_ID_MASK) /* the kernel answers EINVAL */
#define MEMORY (KERNEL_MUTEX ? 1u << 31 : 0)

struct __lock __lock___libc_recursive_mutex = {.mutex = NONE,
                                               .depth = KERNEL_MUTEX ? 0 : MEMORY}; /* picolibc's only one */
static struct __lock streams = {.mutex = NONE, .depth = MEMORY}; /* of all streams, as they are one console */

/* The operation on its mutex. */
static inline uint32_t do_mutex(const struct __lock *lock, unsigned op) {
  __asm__ volatile("" ::: "memory");
  uint32_t word = *(volatile uint32_t *)(lock->mutex + PORT(op, 0) - PORT(CL_OP_MUTEX_TRYLOCK, 0));
  __asm__ volatile("" ::: "memory");
  return word;
}

static inline void hold(struct __lock *lock) { lock->owner = cl_self(); }

/* Whoever releases it hands it over. Called with cl_backend_lock held. */
CL_COLD static void wait_turn(struct __lock *lock) {
  struct cl_waiter me = {0};
  cl_queue_wait(&lock->waiters, &me, CL_NEVER);
}

/* Its first use, or it is in memory, or another thread has it. */
IF_NO_MUTEX void wait(struct __lock *lock) {
  cl_backend_lock();
  if (KERNEL_MUTEX && lock->mutex == NONE && !lock->depth) {
    uint32_t word = cl_backend_op(CL_OP_MUTEX_CREATE, 0, 0);
    if (cl_status(word)) lock->depth = MEMORY;
    else lock->mutex = PORT(CL_OP_MUTEX_TRYLOCK, cl_value(word));
  }
  if (KERNEL_MUTEX && lock->mutex != NONE) {
    cl_backend_unlock();
    cl_op_mutex_lock((lock->mutex - PORT(CL_OP_MUTEX_TRYLOCK, 0)) >> CL_ADDRESS_ID_LSB, CL_NEVER);
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
  else if (CL_UNLIKELY(do_mutex(lock, CL_OP_MUTEX_TRYLOCK))) wait(lock);
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
  if (CL_UNLIKELY(lock->depth & ~MEMORY)) {
    lock->depth--;
  } else if (!KERNEL_MUTEX || CL_UNLIKELY(lock->depth)) {
    pass_on(lock);
  } else {
    lock->owner = NULL;
    do_mutex(lock, CL_OP_MUTEX_UNLOCK);
  }
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
