/* SPDX-License-Identifier: Apache-2.0
 *
 * abort from a thread, with handlers that are not run. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static void never(void) { puts("atexit"); }

static void *give_up(void *unused) {
  (void)unused;
  fflush(stdout);
  abort();
}

int main(void) {
  atexit(never);
  puts("before");
  pthread_t thread;
  pthread_create(&thread, NULL, give_up, NULL);
  pthread_join(thread, NULL);
}
