/* SPDX-License-Identifier: Apache-2.0
 *
 * [HT]'s scheduling delay: from an interrupt until the thread that it is bound to is about to be loaded, while many
 * threads are ready. THREADS of mixed priorities are; the first of the two best ones computes. The interrupt
 * thread, the best of all, waits for line 0 in a loop; after INTERRUPTS of them the program ends with status 0.
 *
 * The host makes the interrupts (the first not before READY) and watches, without a store in what is measured, for
 *   cl_trap_entry   the first instruction of the interrupt's handler: raw delay
 *   cl_switch_to    the old context is saved, the new one about to be loaded: the paper's end-to-end delay
 *   served          the interrupt thread goes on
 * FOOTPRINT: so many bytes of straight code in the running thread's loop; from 4096 on they drive everything else out
 * of the instruction cache. */
#include <coreloom.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#ifndef THREADS
#define THREADS (CL_THREADS - 6)
#endif
#ifndef INTERRUPTS
#define INTERRUPTS 10000
#endif
#ifndef FOOTPRINT
#define FOOTPRINT 0
#endif

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

static volatile uint32_t data[64];

static void must(int error) {
  if (error) exit(3);
}

/* What a thread does that computes: loads, stores, multiplications, branches. */
static void *compute(void *argument) {
  uint32_t value = (uint32_t)(uintptr_t)argument;
  for (;;) {
    for (uint32_t i = 0; i < 64; i++) {
      value = value * 1664525u + 1013904223u;
      if (value >> 31) data[i] += value;
      else data[i] ^= value >> 3;
    }
#if FOOTPRINT
    __asm__ volatile(".rept " TEXT(FOOTPRINT) " / 4\n addi %0, %0, 1\n .endr" : "+r"(value));
#endif
  }
  return NULL;
}

__attribute__((noinline)) void served(void);
void served(void) { __asm__ volatile("" ::: "memory"); }

static void *serve(void *unused) {
  (void)unused;
  must(interrupt_bind_thread_np(0));
  cl_ready();
  for (uint32_t i = 0; i < INTERRUPTS; i++) {
    must(interrupt_wait_np(0));
    served();
  }
  return NULL;
}

static pthread_t create(int priority, void *(*start)(void *), unsigned argument) {
  pthread_attr_t attr;
  pthread_t thread;
  struct sched_param param = {priority};
  must(pthread_attr_init(&attr));
  must(pthread_attr_setschedparam(&attr, &param));
  must(pthread_create(&thread, &attr, start, (void *)(uintptr_t)argument));
  return thread;
}

int main(void) {
  int top = sched_get_priority_max(SCHED_RR);
  must(pthread_setschedprio(pthread_self(), top));
  for (unsigned i = 0; i < THREADS; i++) create(i < 2 ? top - 1 : (int)(i * 37 % (unsigned)(top - 1)), compute, i);
  must(pthread_join(create(top, serve, 0), NULL));
  return 0;
}
