// SPDX-License-Identifier: Apache-2.0
// Threads, mutex, printf; the clock from the board's register. Ends with status 3.
#include <pthread.h>
#include <stdio.h>
#include "../../../rtl/board/boot/cl_board.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int next;

static void *count(void *unused) {
  pthread_mutex_lock(&mutex);
  printf(next ? " %d" : "%d", next);
  next++;
  pthread_mutex_unlock(&mutex);
  return unused;
}

int main(void) {
  pthread_t threads[4];
  for (int i = 0; i < 4; i++) pthread_create(&threads[i], 0, count, 0);
  for (int i = 0; i < 4; i++) pthread_join(threads[i], 0);
  printf("\nclock %u MHz\n", (unsigned)(*(volatile uint32_t *)CL_BOARD_CLOCK / 1000000));
  return 3;
}
