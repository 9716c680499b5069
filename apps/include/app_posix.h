/* SPDX-License-Identifier: Apache-2.0 */
/* app.h on Coreloom's kernels: threads and ports. */
#ifndef APP_POSIX_H
#define APP_POSIX_H

#include "app.h"

#include <errno.h>
#include <pthread.h>

typedef pthread_t app_id;

static inline int app_run(int (*application)(void)) { return application(); }

static inline void app_open(int port, int flags) { app_must(port_open(port, flags)); }

static inline void app_send(int port, uint32_t word) { app_must(port_send(port, word)); }

static inline bool app_trysend(int port, uint32_t word) {
  const int error = port_trysend(port, word);
  if (error == EAGAIN) {
    return false;
  }
  app_must(error);
  return true;
}

static inline uint32_t app_receive(int port) {
  uint32_t word = 0;
  app_must(port_receive(port, &word));
  return word;
}

static inline void app_start(const struct app_thread *threads, app_id *ids, unsigned count, int ready_port) {
  for (unsigned i = 0; i < count * APP_STREAMS; ++i) {
    const struct app_thread *const thread = &threads[i % count];
    const unsigned stream = i / count;
    pthread_attr_t attr;
    app_must(pthread_attr_init(&attr));
    app_must(pthread_attr_setname_np(&attr, thread->name));
    if (CL_PLACEMENT == 1) {
      app_must(pthread_attr_setplacement_np(&attr, PTHREAD_PLACEMENT_STATIC_NP, (thread->cpu + stream) % APP_CPUS));
    }
    app_must(
        pthread_create(&ids[i], &attr, thread->start, (void *)(uintptr_t)(thread->argument + APP_ARGUMENTS * stream)));
    app_must(pthread_attr_destroy(&attr));
  }
  for (unsigned i = 0; i < count * APP_STREAMS; ++i) {
    (void)app_receive(ready_port);
  }
}

static inline void app_join(const app_id *ids, unsigned count) {
  for (unsigned i = 0; i < count * APP_STREAMS; ++i) {
    app_must(pthread_join(ids[i], NULL));
  }
}

#endif
