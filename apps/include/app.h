/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by image and packets: creates the threads, and stops if a service returns an error. */
#ifndef APP_H
#define APP_H

#include <coreloom.h>
#include <pthread.h>

/* 0: any thread runs on any CPU. 1: each thread stays on the CPU given in its application's table. */
#ifndef CL_PLACEMENT
#define CL_PLACEMENT 0
#endif

/* Over how many CPUs static placement spreads them. */
#ifndef APP_CPUS
#define APP_CPUS cl_cpu_count()
#endif

/* Exit statuses; 0 is success. */
enum { APP_EXIT_INPUT = 1, APP_EXIT_ROOM = 2, APP_EXIT_SERVICE = 3 };

struct app_thread {
  const char *name;
  void *(*start)(void *);
  unsigned argument; /* argument of `start`, as a pointer */
  unsigned cpu;      /* with static placement it runs on CPU `cpu % APP_CPUS` */
};

/* An error here means a broken kernel or platform: no recovery is possible. */
static inline void app_must(int error) {
  if (error != 0) {
    cl_exit(APP_EXIT_SERVICE);
  }
}

static inline void app_send(int port, uint32_t word) { app_must(port_send(port, word)); }

static inline uint32_t app_receive(int port) {
  uint32_t word = 0;
  app_must(port_receive(port, &word));
  return word;
}

/* Returns when every thread has reported to `ready_port`, which main has opened, that its own ports are open. */
static inline void app_start(const struct app_thread *threads, pthread_t *ids, unsigned count, int ready_port) {
  for (unsigned i = 0; i < count; ++i) {
    pthread_attr_t attr;
    app_must(pthread_attr_init(&attr));
    app_must(pthread_attr_setname_np(&attr, threads[i].name));
    if (CL_PLACEMENT == 1) {
      app_must(pthread_attr_setplacement_np(&attr, PTHREAD_PLACEMENT_STATIC_NP, threads[i].cpu % APP_CPUS));
    }
    app_must(pthread_create(&ids[i], &attr, threads[i].start, (void *)(uintptr_t)threads[i].argument));
    app_must(pthread_attr_destroy(&attr));
  }
  for (unsigned i = 0; i < count; ++i) {
    (void)app_receive(ready_port);
  }
}

static inline void app_join(const pthread_t *ids, unsigned count) {
  for (unsigned i = 0; i < count; ++i) {
    app_must(pthread_join(ids[i], NULL));
  }
}

#endif
