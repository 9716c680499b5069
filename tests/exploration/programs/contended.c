/* SPDX-License-Identifier: Apache-2.0
 *
 * Four threads want one mutex all the time and hold it for a short while. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

enum { THREADS = 4, ROUNDS = 300 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static volatile uint32_t count;

static void *add(void *unused) {
  (void)unused;
  for (int round = 0; round < ROUNDS; round++) {
    pthread_mutex_lock(&mutex);
    for (int i = 0; i < 4; i++) count++;
    pthread_mutex_unlock(&mutex);
    for (volatile int i = 0; i < 8; i++) continue;
  }
  return NULL;
}

int main(void) {
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, add, NULL);
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  printf("count %u\n", (unsigned)count);
}
