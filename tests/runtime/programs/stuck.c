/* SPDX-License-Identifier: Apache-2.0
 *
 * Programs that cannot go on, by CASE: a deadlock, a stack that overflows, of the pool or from the heap, a bus error. */
#include "check.h"

#include <string.h>

enum { DEADLOCK, OVERFLOW_OF_POOL, OVERFLOW_OF_LARGE, OVERFLOW_OF_MAIN, BUS_ERROR };

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t barrier;
static sem_t semaphore;

static void *cross(void *other_way) {
  pthread_mutex_lock(other_way ? &second : &first);
  sched_yield();
  pthread_mutex_lock(other_way ? &first : &second);
  return NULL;
}

static void *wait_at_barrier(void *unused) {
  pthread_barrier_wait(&barrier);
  return unused;
}

static void *wait_for_semaphore(void *unused) {
  sem_wait(&semaphore);
  return unused;
}

/* 100 bytes of stack and more a call. */
__attribute__((noinline)) static int deep(int calls) {
  volatile char room[100];
  memset((void *)room, calls, sizeof room);
  return calls ? deep(calls - 1) + room[calls % 100] : 0;
}

static void *go_deep(void *calls) {
  printf("%d\n", deep((int)(intptr_t)calls));
  return NULL;
}

static void *read_nowhere(void *unused) {
  (void)unused;
  return (void *)(uintptr_t)*(volatile uint32_t *)0x10;
}

static void create(void *(*function)(void *), void *argument, const char *name, size_t stack) {
  pthread_attr_t attr;
  pthread_t thread;
  pthread_attr_init(&attr);
  pthread_attr_setname_np(&attr, name);
  if (stack) pthread_attr_setstacksize(&attr, stack);
  EQUAL(pthread_create(&thread, &attr, function, argument), 0);
}

int main(void) {
  switch (CASE) {
    case DEADLOCK:
      pthread_barrier_init(&barrier, NULL, 2);
      sem_init(&semaphore, 0, 0);
      create(wait_at_barrier, NULL, "at barrier", 0);
      create(wait_for_semaphore, NULL, "semaphore", 0);
      create(cross, NULL, "", 0);
      create(cross, &first, "other way", 0);
      break;
    case OVERFLOW_OF_POOL: create(go_deep, (void *)(intptr_t)200, "diver", 0); break;
    case OVERFLOW_OF_LARGE: create(go_deep, (void *)(intptr_t)400, "diver", 16384); break;
    case OVERFLOW_OF_MAIN: go_deep((void *)(intptr_t)1000); break;
    case BUS_ERROR: create(read_nowhere, NULL, "reader", 0); break;
  }
  pthread_exit(NULL);
}
