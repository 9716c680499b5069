/* SPDX-License-Identifier: Apache-2.0
 *
 * Programs on several processors: a thread on each, which meet where they agree to. */
#ifndef SIDES_H
#define SIDES_H

#include "check.h"

#define MEETING 3 /* the barrier */

/* Waits for the other sides. */
__attribute__((unused)) static void meet(void) { EQUAL(cpu_barrier_wait(MEETING), 0); }

/* Side n on CPU n, to their end. */
__attribute__((unused)) static void run_sides(void *(*const sides[])(void *), unsigned count) {
  pthread_t threads[8];
  pthread_attr_t attr;
  EQUAL(cpu_barrier_init(MEETING, (1u << count) - 1), 0);
  for (unsigned cpu = 0; cpu < count; cpu++)
    EQUAL(pthread_create(&threads[cpu], attributes(&attr, 16, (int)cpu), sides[cpu], NULL), 0);
  for (unsigned cpu = 0; cpu < count; cpu++) EQUAL(pthread_join(threads[cpu], NULL), 0);
}

/* The call times out: never early, and late by no more than one look at the clock and back, without an interrupt. */
#if defined(CL_CORE_ECONOMY)
#define LATE 300
#elif defined(CL_CORE_FAST)
#define LATE 200
#else
#define LATE 100
#endif
#define TIMES_OUT(call, cycles)                          \
  do {                                                   \
    uint32_t best_ = ~0u;                                \
    for (int times_ = 0; times_ < 3; times_++) {         \
      uint32_t start_ = cl_cycle();                      \
      EQUAL(call, ETIMEDOUT);                            \
      uint32_t took_ = cl_cycle() - start_;              \
      CHECK(took_ >= (cycles));                          \
      if (took_ < best_) best_ = took_;                  \
    }                                                    \
    if (best_ > (cycles) + LATE) EQUAL(best_, (cycles)); \
  } while (0)

#endif
