/* SPDX-License-Identifier: Apache-2.0
 *
 * Threads that yield until a variable changes. END: 0 nothing changes it, 1 the time does, read from the device, 2 the
 * time, from the core's counter, 3 a time limit, 4 nothing, but main prints. */
#include <sched.h>

#include "check.h"

struct box {
  int unused;
  volatile int full;
};

static volatile int go;
static struct box box;

static void *await_go(void *unused) {
  while (!go) {
    sched_yield();
  }
  return unused;
}

static int is_full(const struct box *of) { return of->full; }

static int is_late(void) {
  uint32_t now = 0;
  if (END == 1) now = cl_cycle();
  if (END == 2) __asm__ volatile("csrr %0, mcycle" : "=r"(now));
  return now > 2500000;
}

static void *nap(void *unused) {
  sem_t never;
  sem_init(&never, 0, 0);
  sem_timedwait_np(&never, 2500000);
  go = box.full = 1;
  return unused;
}

int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, i == 1 && END == 3 ? nap : await_go, NULL);
  while (!is_full(&box)) {
    if (is_late()) go = box.full = 1;
    if (END == 4) puts("on");
    sched_yield();
  }
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  return finish();
}
