/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread serves twenty interrupts of line 0 while main computes. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

#include "coreloom.h"

enum { LINE = 0, TIMES = 20 };

static volatile int served;

static void *service(void *unused) {
  pthread_setname_np(pthread_self(), "service");
  interrupt_bind_thread_np(LINE);
  for (int i = 0; i < TIMES; i++) {
    interrupt_wait_np(LINE);
    for (volatile int step = 0; step < 20; step++) continue;
    served++;
  }
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_attr_t attr;
  pthread_attr_init(&attr);
  pthread_attr_setschedparam(&attr, &(struct sched_param){.sched_priority = sched_get_priority_max(SCHED_FIFO)});
  pthread_create(&thread, &attr, service, NULL);
  while (served < TIMES) continue;
  pthread_join(thread, NULL);
  printf("%d interrupts served\n", served);
}
