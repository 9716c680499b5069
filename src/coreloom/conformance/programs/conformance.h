/* SPDX-License-Identifier: Apache-2.0
 *
 * A program of conformance tests: TEST(function, requirement, text) { ... } as often as need be; main is here. A test
 * is over where a macro below finds something wrong; it leaves nothing behind that another one could meet. Its input
 * is the names of the tests to run, one a line; it prints each name, and then pass, fail or untested with the reason.
 *
 * The same source runs on every ground, so it asks for what POSIX requires and for nothing that depends on speed: what
 * must not happen is given a moment (nap) to happen, what must happen is waited for. */
#ifndef CONFORMANCE_H
#define CONFORMANCE_H

#include <coreloom.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct test {
  struct test *next;
  const char *name;
  void (*run)(void);
};

static struct test *conformance_first, **conformance_end = &conformance_first;
static char conformance_text[200]; /* what is wrong, or nothing */

#define TEST(function, requirement, text)                                                    \
  static void function##__##requirement(void);                                               \
  __attribute__((constructor)) static void function##__##requirement##_(void) {              \
    static struct test test = {NULL, #function "_" #requirement, function##__##requirement}; \
    *conformance_end = &test;                                                                \
    conformance_end = &test.next;                                                            \
  }                                                                                          \
  static void function##__##requirement(void)

#define SAY_AND_RETURN(...)                                           \
  do {                                                                \
    snprintf(conformance_text, sizeof conformance_text, __VA_ARGS__); \
    return;                                                           \
  } while (0)
/* `call` must be `wanted`; both are converted to long. */
#define IS(wanted, call)                                                                                     \
  do {                                                                                                       \
    const long got_ = (long)(call), wanted_ = (long)(wanted);                                                \
    if (got_ != wanted_) SAY_AND_RETURN("fail line %d: %s is %ld, not %ld", __LINE__, #call, got_, wanted_); \
  } while (0)
#define OK(call) IS(0, call)
/* Must fail with errno. */
#define FAILS(error, call) \
  do {                     \
    errno = 0;             \
    IS(-1, call);          \
    IS(error, errno);      \
  } while (0)
#define TRUE(condition)                                                                 \
  do {                                                                                  \
    if (!(condition)) SAY_AND_RETURN("fail line %d: not so: %s", __LINE__, #condition); \
  } while (0)
#define UNTESTED(why) SAY_AND_RETURN("untested " why)
/* A test that begins with a call, and ends with another one; both must succeed. */
#define TEST_BETWEEN(function, requirement, text, before, after) \
  static void function##__##requirement##_between(void);         \
  TEST(function, requirement, text) {                            \
    OK(before);                                                  \
    function##__##requirement##_between();                       \
    if (!*conformance_text) OK(after);                           \
  }                                                              \
  static void function##__##requirement##_between(void)
/* What POSIX leaves undefined and Coreloom's kernels define; the C library of Linux may do anything. */
#if defined(CL_KERNEL_LINUX)
#define KERNELS_ONLY() UNTESTED("undefined by POSIX, and not checked by this C library")
#define NOT_ON_LINUX(why) UNTESTED(why)
#else
#define KERNELS_ONLY() (void)0
#define NOT_ON_LINUX(why) (void)0
#endif

#define UNUSED __attribute__((unused))

/* A pointer to nothing, which compilers do not know. */
UNUSED static void *volatile nothing;

/* A moment, in which other threads run: 1 ms; on Linux, which may have other work, 20 ms. */
#ifdef __linux__
#define MOMENT (CL_CLOCK_HZ / 50)
#else
#define MOMENT 10000
#endif

UNUSED static void nap(void) {
  sem_t never;
  sem_init(&never, 0, 0);
  sem_timedwait_np(&never, MOMENT);
  sem_destroy(&never);
}

/* Wait until another thread has changed a variable. */
#define AWAIT(condition) \
  while (!(condition)) { \
    sched_yield();       \
  }

/* The same for one that may have a lower priority, and for main only: it is a cancellation point. */
#define AWAIT_ANY(condition) \
  while (!(condition)) nap();

UNUSED static pthread_t started(void *(*start)(void *), void *argument) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, start, argument)) abort();
  return thread;
}

UNUSED static long joined(pthread_t thread) {
  void *value = NULL;
  const int error = pthread_join(thread, &value);
  return error ? -error : (long)value;
}

/* A thread with SCHED_FIFO at `above` levels above the lowest; 0 or an error number (EPERM: no right to). */
UNUSED static int started_at(pthread_t *thread, int above, void *(*start)(void *), void *argument) {
  pthread_attr_t attr;
  struct sched_param param = {.sched_priority = sched_get_priority_min(SCHED_FIFO) + above};
  pthread_attr_init(&attr);
  pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED);
  pthread_attr_setschedpolicy(&attr, SCHED_FIFO);
  pthread_attr_setschedparam(&attr, &param);
  const int error = pthread_create(thread, &attr, start, argument);
  pthread_attr_destroy(&attr);
  return error;
}

/* `ms` from now, or before. */
UNUSED static struct timespec in_ms(clockid_t clock, long ms) {
  struct timespec at;
  clock_gettime(clock, &at);
  at.tv_sec += ms / 1000;
  at.tv_nsec += ms % 1000 * 1000000;
  for (; at.tv_nsec >= 1000000000; at.tv_nsec -= 1000000000) at.tv_sec++;
  for (; at.tv_nsec < 0; at.tv_nsec += 1000000000) at.tv_sec--;
  return at;
}

UNUSED static int is_before(struct timespec a, struct timespec b) {
  return a.tv_sec != b.tv_sec ? a.tv_sec < b.tv_sec : a.tv_nsec < b.tv_nsec;
}

UNUSED static int has_come(clockid_t clock, struct timespec at) { return !is_before(in_ms(clock, 0), at); }

/* Whether a line of the list is the name. */
static int conformance_wanted(const char *list, size_t length, const char *name) {
  const size_t size = strlen(name);
  for (size_t at = 0; at < length;) {
    size_t end = at;
    while (end < length && list[end] != '\n') end++;
    if (end - at == size && memcmp(list + at, name, size) == 0) return 1;
    at = end + 1;
  }
  return 0;
}

int main(void) {
  size_t length;
  const char *const list = cl_input(&length);
#if defined(CL_KERNEL_LINUX)
  setvbuf(stdout, NULL, _IOLBF, 0);
#endif
  for (struct test *test = conformance_first; test; test = test->next) {
    if (!conformance_wanted(list, length, test->name)) continue;
    printf("test %s\n", test->name);
    *conformance_text = 0;
    test->run();
    puts(*conformance_text ? conformance_text : "pass");
  }
  return 0;
}

#endif
