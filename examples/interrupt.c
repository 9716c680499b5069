/* SPDX-License-Identifier: Apache-2.0
 *
 * An interrupt handler is a thread: it binds a line, waits for it, and takes the CPU from a less urgent one. Look at
 * one CPU: each interrupt is two switches. (The program raises the line itself; `--line` does it from outside.) */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

#include "coreloom.h"

enum { LINE = 0, TIMES = 200 };

static volatile int served;

static void *service(void *unused) {
  interrupt_bind_thread_np(LINE);
  while (served < TIMES) {
    interrupt_wait_np(LINE);
    served++;
  }
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_attr_t attr;
  if (interrupt_raise_np(LINE) == ENODEV) return puts("there are no interrupt lines here"), 1;
  pthread_attr_init(&attr);
  pthread_attr_setschedparam(&attr, &(struct sched_param){.sched_priority = sched_get_priority_max(SCHED_FIFO)});
  pthread_create(&thread, &attr, service, NULL);
  for (int i = 0; i < TIMES; i++) {
    while (interrupt_raise_np(LINE) == ENOENT) sched_yield(); /* until the thread has bound it */
    while (served == i) sched_yield();
  }
  pthread_join(thread, NULL);
  printf("%d interrupts served\n", served);
}
