/* SPDX-License-Identifier: Apache-2.0
 *
 * Thread-specific data. A thread's values are in the heap, as many as it has used keys; each with the number of times
 * its key has been created, so that one of a key that was deleted counts no more. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "coreloom.h"
#include "../posix/posix.h"

static struct {
  void (*destructor)(void *);
  uint32_t created; /* even: it is free */
} keys[PTHREAD_KEYS_MAX];

struct value {
  void *value;
  uint32_t created; /* its key, when it was set */
};
static struct {
  struct value *values;
  uint32_t count;
} threads[CL_THREADS];

int pthread_key_create(pthread_key_t *key, void (*destructor)(void *)) {
  for (pthread_key_t i = 0; i < PTHREAD_KEYS_MAX; i++) {
    shared_memory_lock(keys);
    int mine = !(keys[i].created & 1);
    if (mine) {
      keys[i].created++;
      keys[i].destructor = destructor;
    }
    shared_memory_unlock(keys);
    if (mine) {
      *key = i;
      return 0;
    }
  }
  return EAGAIN;
}

static inline int bad(pthread_key_t key) { return key >= PTHREAD_KEYS_MAX || !(keys[key].created & 1); }

int pthread_key_delete(pthread_key_t key) {
  if (key >= PTHREAD_KEYS_MAX) return EINVAL;
  shared_memory_lock(keys);
  int free = !(keys[key].created & 1);
  if (!free) keys[key].created++;
  shared_memory_unlock(keys);
  return free ? EINVAL : 0;
}

void *pthread_getspecific(pthread_key_t key) {
  uint32_t self = pthread_self();
  if (key >= threads[self].count) return NULL;
  const struct value *value = &threads[self].values[key];
  return value->created == keys[key].created ? value->value : NULL;
}

/* 1: a destructor was called, which may have set values. */
static int destroy(uint32_t self) {
  int called = 0;
  for (pthread_key_t key = 0; key < threads[self].count; key++) {
    void *value = pthread_getspecific(key);
    void (*destructor)(void *) = keys[key].destructor;
    if (!value || !destructor) continue;
    threads[self].values[key].value = NULL;
    destructor(value);
    called = 1;
  }
  return called;
}

CL_COLD static void end(void) {
  uint32_t self = pthread_self();
  for (int i = 0; i < PTHREAD_DESTRUCTOR_ITERATIONS && destroy(self); i++) continue;
  free(threads[self].values);
  threads[self].values = NULL;
  threads[self].count = 0;
}

int pthread_setspecific(pthread_key_t key, const void *value) {
  if (bad(key)) return EINVAL;
  uint32_t self = pthread_self(), count = threads[self].count;
  if (key >= count) {
    if (!value) return 0;
    struct value *more = realloc(threads[self].values, (key + 1) * sizeof *more);
    if (!more) return ENOMEM;
    memset(more + count, 0, (key + 1 - count) * sizeof *more);
    threads[self].values = more;
    threads[self].count = key + 1;
    cl_specific_end = end;
  }
  threads[self].values[key] = (struct value){(void *)(uintptr_t)value, keys[key].created};
  return 0;
}
