/* SPDX-License-Identifier: Apache-2.0
 *
 * pthread_exit of main leaves the others running; the last one ends the program with status 0. */
#include <stdlib.h>

#include "check.h"

static pthread_t main_thread;

static void at_exit(void) { finish(); }

static void *last(void *unused) {
  (void)unused;
  void *value = NULL;
  EQUAL(pthread_join(main_thread, &value), 0);
  EQUAL((intptr_t)value, 42);
  puts("main has ended");
  return NULL;
}

int main(void) {
  pthread_attr_t attr;
  pthread_t thread;
  atexit(at_exit);
  main_thread = pthread_self();
  EQUAL(pthread_create(&thread, attributes(&attr, 16, -1), last, NULL), 0);
  pthread_exit((void *)42);
}
