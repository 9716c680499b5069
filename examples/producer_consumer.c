/* SPDX-License-Identifier: Apache-2.0
 *
 * A buffer of four places between two threads: a mutex guards it, and two condition variables say "not full" and
 * "not empty". Look at the share of cycles in the kernel: the work is tiny, the agreement about it is not. */
#include <pthread.h>
#include <stdio.h>

enum { ITEMS = 500, PLACES = 4 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER, not_empty = PTHREAD_COND_INITIALIZER;
static int buffer[PLACES], filled;

static void *consume(void *sum) {
  for (int i = 0; i < ITEMS; i++) {
    pthread_mutex_lock(&lock);
    while (filled == 0) pthread_cond_wait(&not_empty, &lock);
    *(int *)sum += buffer[--filled];
    pthread_cond_signal(&not_full);
    pthread_mutex_unlock(&lock);
  }
  return NULL;
}

int main(void) {
  pthread_t consumer;
  int sum = 0;
  pthread_create(&consumer, NULL, consume, &sum);
  for (int item = 1; item <= ITEMS; item++) {
    pthread_mutex_lock(&lock);
    while (filled == PLACES) pthread_cond_wait(&not_full, &lock);
    buffer[filled++] = item;
    pthread_cond_signal(&not_empty);
    pthread_mutex_unlock(&lock);
  }
  pthread_join(consumer, NULL);
  printf("sum of %d items: %d\n", ITEMS, sum);
}
