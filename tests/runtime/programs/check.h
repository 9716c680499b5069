/* SPDX-License-Identifier: Apache-2.0
 *
 * Self-checking programs: CHECK counts and prints what is wrong; return finish() from main. */
#ifndef CHECK_H
#define CHECK_H

#include <coreloom.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

static volatile int failures;

#define CHECK(condition)                                                  \
  do {                                                                    \
    if (!(condition)) {                                                   \
      failures++;                                                         \
      printf("%s:%d: not so: %s\n", __FILE_NAME__, __LINE__, #condition); \
    }                                                                     \
  } while (0)

#define EQUAL(a, b)                                                               \
  do {                                                                            \
    long a_ = (long)(a), b_ = (long)(b);                                          \
    if (a_ != b_) {                                                               \
      failures++;                                                                 \
      printf("%s:%d: %s is %ld, not %ld\n", __FILE_NAME__, __LINE__, #a, a_, b_); \
    }                                                                             \
  } while (0)

__attribute__((unused)) static int finish(void) {
  puts(failures ? "FAILED" : "ok");
  return failures != 0;
}

/* Attributes in one call. cpu < 0: dynamic placement. */
__attribute__((unused)) static pthread_attr_t *attributes(pthread_attr_t *attr, int priority, int cpu) {
  pthread_attr_init(attr);
  struct sched_param param = {priority};
  pthread_attr_setschedparam(attr, &param);
  if (cpu >= 0) pthread_attr_setplacement_np(attr, PTHREAD_PLACEMENT_STATIC_NP, (unsigned)cpu);
  return attr;
}

/* A thread on CPU 0 with a priority. */
__attribute__((unused)) static pthread_t spawn(int priority, void *(*start)(void *), void *argument) {
  pthread_attr_t attr;
  pthread_t thread = ~0u;
  EQUAL(pthread_create(&thread, attributes(&attr, priority, 0), start, argument), 0);
  return thread;
}

__attribute__((unused)) static void waste(uint32_t cycles) {
  uint32_t start = cl_cycle();
  while (cl_cycle() - start < cycles) continue;
}

/* The call ends by its time limit of so many cycles: never early. */
#define TOO_LATE(call, cycles)                     \
  do {                                             \
    uint32_t start_ = cl_cycle();                  \
    EQUAL(call, ETIMEDOUT);                        \
    CHECK(cl_cycle() - start_ >= (cycles));        \
    CHECK(cl_cycle() - start_ < (cycles) + 20000); \
  } while (0)

#endif
