/* SPDX-License-Identifier: Apache-2.0
 *
 * The library's locks when the program has taken all of the kernel's mutexes: malloc, and lines of threads that print at
 * once and stay whole, also of several calls under flockfile. */
#include "check.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define THREADS 3
#define LINES 6

static pthread_mutex_t all[CL_MUTEXES];

static void *print(void *argument) {
  int number = (int)(intptr_t)argument;
  for (int i = 0; i < LINES; i++) {
    char *name = malloc(16);
    CHECK(name != NULL);
    strcpy(name, "a thread");
    if (i % 2) {
      flockfile(stdout);
      printf("%s", name);
      sched_yield();
      printf(" %d", number);
      putchar_unlocked(' ');
      printf("%d\n", i);
      funlockfile(stdout);
    } else {
      printf("%s %d %d\n", name, number, i);
    }
    free(name);
  }
  return NULL;
}

static void *try_it(void *unused) {
  (void)unused;
  CHECK(ftrylockfile(stdout) != 0);
  return NULL;
}

static void *use_first(void *unused) {
  EQUAL(pthread_mutex_trylock(&all[0]), 0);
  EQUAL(pthread_mutex_unlock(&all[0]), 0);
  return unused;
}

int main(void) {
  pthread_t threads[THREADS];
  /* The lock of the streams is not a program's first mutex. */
  EQUAL(pthread_mutex_init(&all[0], NULL), 0);
  flockfile(stdout);
  funlockfile(stdout);
  EQUAL(pthread_create(&threads[0], NULL, use_first, NULL), 0);
  EQUAL(pthread_join(threads[0], NULL), 0);
  EQUAL(pthread_mutex_destroy(&all[0]), 0);

  for (int i = 0; i < CL_MUTEXES; i++) EQUAL(pthread_mutex_init(&all[i], NULL), 0);
  for (int i = 0; i < CL_MUTEXES; i++) EQUAL(pthread_mutex_lock(&all[i]), 0);
  for (int i = 0; i < THREADS; i++) EQUAL(pthread_create(&threads[i], NULL, print, (void *)(intptr_t)i), 0);
  for (int i = 0; i < THREADS; i++) EQUAL(pthread_join(threads[i], NULL), 0);

  EQUAL(ftrylockfile(stdout), 0);
  flockfile(stderr); /* the same lock, once more */
  EQUAL(pthread_create(&threads[0], NULL, try_it, NULL), 0);
  EQUAL(pthread_join(threads[0], NULL), 0);
  funlockfile(stderr);
  funlockfile(stdout);

  EQUAL(write(STDOUT_FILENO, "written\n", 8), 8);
  EQUAL(dprintf(STDERR_FILENO, "%s\n", "formatted"), 10);
  errno = 0;
  EQUAL(write(7, "x", 1), -1);
  EQUAL(errno, EBADF);
  errno = 0;
  EQUAL(dprintf(STDIN_FILENO, "x"), -1);
  EQUAL(errno, EBADF);
  EQUAL(setvbuf(stdout, NULL, _IONBF, 0), 0);
  EQUAL(fflush(NULL), 0);
  EQUAL(getchar(), EOF);
  return finish();
}
