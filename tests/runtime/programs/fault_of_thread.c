/* SPDX-License-Identifier: Apache-2.0
 *
 * With fault = "thread" a fault ends its thread, as if it had been cancelled; also inside of printf. */
#include "check.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void unlock(void *unused) {
  (void)unused;
  pthread_mutex_unlock(&mutex);
}

static void *illegal(void *unused) {
  pthread_mutex_lock(&mutex);
  pthread_cleanup_push(unlock, NULL);
  __asm__ volatile(".word 0xffffffff");
  pthread_cleanup_pop(1);
  return unused;
}

static void *print_nothing(void *unused) {
  printf("%s\n", (char *)0x10);
  return unused;
}

int main(void) {
  void *(*const functions[])(void *) = {illegal, print_nothing};
  for (int i = 0; i < THREADS; i++) {
    pthread_t thread;
    void *value;
    EQUAL(pthread_create(&thread, NULL, functions[i], NULL), 0);
    EQUAL(pthread_join(thread, &value), 0);
    CHECK(value == PTHREAD_CANCELED);
    EQUAL(pthread_mutex_trylock(&mutex), 0);
    EQUAL(pthread_mutex_unlock(&mutex), 0);
  }
  return finish();
}
