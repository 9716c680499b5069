/* SPDX-License-Identifier: Apache-2.0
 *
 * Mistakes that break a list of the library's in the program's memory, one a CASE: a line that says which list, and status
 * 134. */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "coreloom.h"

static pthread_mutex_t robust(void) {
  pthread_mutexattr_t attr;
  pthread_mutex_t made;
  pthread_mutexattr_init(&attr);
  pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&made, &attr);
  return made;
}

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

/* A wait that ends when main has overwritten the lock. */
__attribute__((unused)) static void *wait_for_lock(void *unused) {
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_nsec += 2000000;
  pthread_rwlock_timedwrlock(&lock, &until);
  return unused;
}

static void nothing(void *unused) { (void)unused; }

__attribute__((noinline, unused)) static void push_and_return(void) {
  pthread_cleanup_push(nothing, NULL);
  return;
  pthread_cleanup_pop(0);
}

int main(void) {
  static pthread_mutex_t first, second;
  char *blocks[3];
  first = robust();
  second = robust();
  for (int i = 0; i < 3; i++) blocks[i] = malloc(24);
#if CASE == 0 /* locked, copied over, locked again */
  pthread_mutex_lock(&first);
  first = robust();
  pthread_mutex_lock(&first);
#elif CASE == 1 /* the list leads back to itself */
  pthread_mutex_lock(&first);
  pthread_mutex_lock(&second);
  first = second;
  pthread_exit(NULL);
#elif CASE == 2 /* others wait for what is overwritten */
  pthread_t thread;
  pthread_rwlock_wrlock(&lock);
  pthread_create(&thread, NULL, wait_for_lock, NULL);
  usleep(500);
  lock = (pthread_rwlock_t)PTHREAD_RWLOCK_INITIALIZER;
  pthread_join(thread, NULL);
#elif CASE == 3
  push_and_return();
  pthread_exit(NULL);
#elif CASE == 4
  free(blocks[1]);
  free(blocks[1]);
#elif CASE == 5 /* written past the end */
  char *volatile end = blocks[0];
  free(blocks[1]);
  memset(end, 'x', 40);
  blocks[1] = malloc(24);
#elif CASE == 6 /* written after free */
  free(blocks[0]);
  memset(blocks[0], 'x', 8);
  blocks[0] = malloc(100);
#elif CASE == 7
  free(&first);
#endif
  printf("unnoticed %p\n", (void *)blocks[0]);
  return 0;
}
