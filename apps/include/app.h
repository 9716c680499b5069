/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by image and packets: what they ask of a kernel. Each operation stops the program if the kernel fails.
 *
 *   int app_run(int (*application)(void))            its first thread; returns or ends with its result
 *   void app_open(int port, int flags)               the caller becomes the receiver of a port
 *   void app_send(int port, uint32_t word)           waits while the port is full
 *   bool app_trysend(int port, uint32_t word)        false: full
 *   uint32_t app_receive(int port)                   waits while it is empty
 *   void app_start(threads, app_id *, count, port)   starts them for each stream, and returns when every thread has
 *                                                    reported to `port` that its own ports are open; the caller has
 *                                                    opened it
 *   void app_join(const app_id *, count)             returns when all have ended */
#ifndef APP_H
#define APP_H

#include <coreloom.h>
#include <stdbool.h>

/* 0: any thread runs on any CPU. 1: each thread stays on the CPU given in its application's table. */
#ifndef CL_PLACEMENT
#define CL_PLACEMENT 0
#endif

/* Over how many CPUs static placement spreads them. */
#ifndef APP_CPUS
#define APP_CPUS cl_cpu_count()
#endif

/* Streams: independent copies of the application side by side, each with threads, ports and data of its own, and all
 * with the same input: work for more CPUs. [SMP] has one. The output is that of the first. */
#ifndef APP_STREAMS
#define APP_STREAMS 1
#endif

/* Exit statuses; 0 is success. */
enum { APP_EXIT_INPUT = 1, APP_EXIT_ROOM = 2, APP_EXIT_SERVICE = 3, APP_EXIT_STREAMS = 4 };

struct app_thread {
  const char *name;
  void *(*start)(void *);
  unsigned argument; /* below APP_ARGUMENTS; `start` gets it with the stream, as a pointer */
  unsigned cpu;      /* with static placement it runs on CPU `(cpu + stream) % APP_CPUS` */
};

#define APP_ARGUMENTS 16u
static inline unsigned app_argument(const void *given) { return (uintptr_t)given % APP_ARGUMENTS; }
static inline unsigned app_stream(const void *given) { return (uintptr_t)given / APP_ARGUMENTS % APP_STREAMS; }

/* An error here means a broken kernel or platform: no recovery is possible. */
static inline void app_must(int error) {
  if (error != 0) {
    cl_exit(APP_EXIT_SERVICE);
  }
}

#if defined(CL_KERNEL_FREERTOS)
#include "app_freertos.h"
#else
#include "app_posix.h"
#endif

/* Makes visible what the caller has sent to buffered ports, as [SMP] does it: by a receive that finds nothing. `own` is
 * a buffered port that only the caller sends to; it receives what it has just sent. */
static inline void app_hand_over(int own) {
  app_send(own, 0);
  (void)app_receive(own);
}

#endif
