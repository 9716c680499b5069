/* SPDX-License-Identifier: Apache-2.0
 *
 * Ends that are told with their place: HOW says which. Each function calls the next one with its own frame. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SPINS 0
#define CALLS_NULL 1
#define COPIES 2
#define ASSERTS 3
#define ABORTS 4
#define ILLEGAL 5

static volatile int go_on;
static void (*volatile nothing)(void);
static char *volatile nowhere = (char *)0x90000000;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

__attribute__((noinline)) static int end(int how) {
  char text[] = "text";
  switch (how) {
    case SPINS:
      while (!go_on) continue;
      break;
    case CALLS_NULL: nothing(); break;
    case COPIES: memcpy(nowhere, text, sizeof text); break;
    case ASSERTS: assert(go_on); break;
    case ABORTS: abort();
    case ILLEGAL: __asm__ volatile(".word 0"); break;
  }
  return text[go_on];
}

static void *locks(void *unused) {
  pthread_mutex_lock(&mutex);
  return unused;
}

static void *naps(void *unused) {
  for (;;) sleep(1000);
  return unused;
}

static void *ends(void *how) {
  int status = end(*(volatile int *)how);
  return (char *)how + status;
}

int main(void) {
  static int how = HOW;
  pthread_t threads[3];
  pthread_mutex_lock(&mutex);
  pthread_create(&threads[0], NULL, naps, NULL);
  pthread_create(&threads[1], NULL, locks, NULL);
  pthread_setname_np(threads[1], "locker");
  usleep(2000);
  pthread_create(&threads[2], NULL, ends, &how);
  pthread_setname_np(threads[2], "ender");
  pthread_join(threads[2], NULL);
  return 0;
}
