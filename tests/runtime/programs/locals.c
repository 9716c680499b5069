/* SPDX-License-Identifier: Apache-2.0
 *
 * _Thread_local variables: every thread has its own, with their initial values, also when its number is used again. */
#include <string.h>

#include "check.h"

#define THREADS 6

static _Thread_local int seven = 7;
static _Thread_local int zero;
static _Thread_local char text[9] = "initial";
static _Thread_local _Alignas(64) unsigned char line[64];
static _Thread_local int *address = &(int){5}; /* not a constant 0 either */

/* Initial values, then others, which no other thread changes. */
static void look(int number) {
  EQUAL(seven, 7);
  EQUAL(zero, 0);
  EQUAL(strcmp(text, "initial"), 0);
  EQUAL(*address, 5);
  EQUAL((uintptr_t)line % 64, 0);
  for (unsigned i = 0; i < sizeof line; i++) EQUAL(line[i], 0);
  seven = zero = number;
  memset(text, 'a' + number, sizeof text);
  memset(line, number, sizeof line);
  address = &zero;
}

static void look_again(int number) {
  EQUAL(seven, number);
  EQUAL(*address, number);
  for (unsigned i = 0; i < sizeof text; i++) EQUAL(text[i], 'a' + number);
  for (unsigned i = 0; i < sizeof line; i++) EQUAL(line[i], number);
}

static void *body(void *argument) {
  int number = (int)(intptr_t)argument;
  look(number);
  for (int i = 0; i < 20; i++) {
    sched_yield();
    errno = number;
    waste(300);
    look_again(number);
    EQUAL(errno, number);
  }
  return &seven;
}

int main(void) {
  pthread_t threads[THREADS];
  void *places[THREADS];
  for (int round = 0; round < 3; round++) {
    for (int i = 0; i < THREADS; i++)
      EQUAL(pthread_create(&threads[i], NULL, body, (void *)(intptr_t)(round * THREADS + i)), 0);
    for (int i = 0; i < THREADS; i++) EQUAL(pthread_join(threads[i], &places[i]), 0);
    for (int i = 0; i < THREADS; i++) {
      CHECK(places[i] != &seven);
      for (int j = 0; j < i; j++) CHECK(places[i] != places[j]);
    }
  }
  look(100);
  look_again(100);
  return finish();
}
