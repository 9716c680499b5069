/* SPDX-License-Identifier: Apache-2.0
 *
 * The end of a program: handlers in the opposite order, the status, and what is not run. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static void first(void) { puts("first"); }
static void third(void) { puts("third, from a handler"); }
static void second(void) {
  puts("second");
  atexit(third);
}
__attribute__((constructor)) static void begin(void) { puts("constructor"); }
__attribute__((destructor)) static void end(void) { puts("destructor"); }

static void *leave(void *status) {
  exit((int)(long)status);
  return NULL;
}

int main(void) {
  atexit(first);
  atexit(second);
  pthread_t thread;
  pthread_create(&thread, NULL, leave, (void *)513L);
  pthread_join(thread, NULL);
  puts("not reached");
}
