/* SPDX-License-Identifier: Apache-2.0
 *
 * The memory lock: as on the SoC a thread holds one address at a time, and all that lock the same one exclude each
 * other. Addresses share locks by their hash, which nobody can notice: nothing is called while one is held. */
#include <errno.h>
#include <pthread.h>
#include <stdint.h>

#include "coreloom.h"

enum { LOCKS = 64 };

static pthread_mutex_t locks[LOCKS] = {[0 ... LOCKS - 1] = PTHREAD_MUTEX_INITIALIZER};
static __thread pthread_mutex_t *held;

int shared_memory_lock(const volatile void *address) {
  if (held) return EDEADLK;
  held = &locks[(uintptr_t)address / sizeof(uint64_t) % LOCKS];
  return pthread_mutex_lock(held);
}

int shared_memory_unlock(const volatile void *address) {
  (void)address;
  if (!held) return EPERM;
  pthread_mutex_t *const mine = held;
  held = NULL;
  return pthread_mutex_unlock(mine);
}
