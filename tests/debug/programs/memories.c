// SPDX-License-Identifier: Apache-2.0
// Two threads, each on its CPU, read what is in a cache or in a local memory until a debugger changes it.
#include <coreloom.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

static const volatile int limit = 1;
static volatile int ready, go;
static CL_LOCAL_DATA volatile int own;

static void *other(void *argument) {
  (void)argument;
  own = 20;
  ready = 1;
  while (!go || limit == 1) continue;
  own++;
  return (void *)(intptr_t)own;
}

static void here(void) {}

int main(void) {
  pthread_t thread;
  void *last;
  own = 10;
  pthread_create(&thread, NULL, other, NULL);
  while (!ready) continue;
  here();
  while (!go || limit == 1) continue;
  pthread_join(thread, &last);
  printf("%d, limit %d\n", (int)(intptr_t)last, limit);
  return 0;
}
