/* SPDX-License-Identifier: Apache-2.0
 *
 * More threads that never wait than CPUs. */
#include <pthread.h>

static volatile int stop;

__attribute__((noinline)) static void spin(void) {
  while (!stop) continue;
}

static void *go(void *argument) {
  int volatile local = 1;
  spin();
  return local ? argument : NULL;
}

int main(void) {
  pthread_t thread = 0;
  for (int i = 0; i < 4; i++) {
    if (pthread_create(&thread, NULL, go, NULL)) return 1;
  }
  pthread_join(thread, NULL);
  return 0;
}
