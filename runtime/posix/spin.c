/* SPDX-License-Identifier: Apache-2.0
 *
 * Spin locks: a word that is changed with the memory lock held. The owner may be a less urgent thread of this CPU, so
 * a thread that does not get the lock soon gives it time. */
#include <errno.h>
#include <pthread.h>

#include "coreloom.h"
#include "posix.h"
#include "wait.h"

#define FREE 0x57140000u         /* the owner's number + 1 is added */
#define TRIES (CL_CPUS > 1 ? 64 : 0) /* before a nap */
#define FIRST_NAP 1024                /* cycles; longer each time, or a switch there and back might take all of it */
#define LAST_NAP (1u << 20)

static uint32_t mine(void) { return FREE + 1 + pthread_self(); }

static void enter(pthread_spinlock_t *lock) {
  if (CL_CPUS > 1) shared_memory_lock(lock);
  else cl_irq_off();
}

static void leave(pthread_spinlock_t *lock) {
  if (CL_CPUS > 1) shared_memory_unlock(lock);
  else cl_irq_on();
}

/* The word changes if it is `from`. 0, or why it is not. */
static int change(pthread_spinlock_t *lock, uint32_t from, uint32_t to) {
  enter(lock);
  uint32_t found = lock->owner;
  if (found == from) lock->owner = to;
  leave(lock);
  if (found == from) return 0;
  return found - FREE <= CL_THREADS ? EBUSY : EINVAL;
}

int pthread_spin_init(pthread_spinlock_t *lock, int shared) {
  if (!cl_is_sharing(shared)) return EINVAL;
  lock->owner = FREE;
  return 0;
}

int pthread_spin_destroy(pthread_spinlock_t *lock) { return change(lock, FREE, 0); }

int pthread_spin_trylock(pthread_spinlock_t *lock) { return change(lock, FREE, mine()); }

int pthread_spin_lock(pthread_spinlock_t *lock) {
  static struct cl_queue napping; /* nobody wakes them */
  volatile uint32_t *owner = &lock->owner;
  for (uint32_t nap = FIRST_NAP;; nap = nap < LAST_NAP ? nap * 2 : nap) {
    int status = change(lock, FREE, mine());
    if (status != EBUSY) return status;
    if (*owner == mine()) return EDEADLK;
    for (int i = 0; i < TRIES && *owner != FREE; i++) continue;
    if (*owner == FREE) continue;
    cl_trace_call();
    cl_backend_lock();
    cl_queue_wait(&napping, &(struct cl_waiter){.ends = CL_AGAIN_BY(&cl_wait_again)}, cl_now() + nap);
  }
}

int pthread_spin_unlock(pthread_spinlock_t *lock) {
  int status = change(lock, mine(), FREE);
  return status == EBUSY ? EPERM : status;
}
