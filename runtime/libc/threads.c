/* SPDX-License-Identifier: Apache-2.0
 *
 * What Linux has for threads, by its numbers for them, and for processors. */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "coreloom.h"

int cl_futex(uint32_t *word, int operation, uint32_t value, uintptr_t fourth, uint32_t *other, uint32_t last);

#define WEAK __attribute__((weak))

static pid_t number(void) { return (pid_t)pthread_self() + 1; }
WEAK pid_t gettid(void) { return number(); }
/* Of the words that a call has; the others are not looked at. */
WEAK long syscall(long call, ...) {
  va_list words;
  if (call == SYS_gettid) return number();
  if (call != SYS_futex) {
    errno = ENOSYS;
    return -1;
  }
  va_start(words, call);
  uint32_t *const word = va_arg(words, uint32_t *);
  const int operation = va_arg(words, int);
  const uint32_t value = va_arg(words, uint32_t);
  const uintptr_t fourth = va_arg(words, uintptr_t);
  uint32_t *const other = va_arg(words, uint32_t *);
  const uint32_t last = va_arg(words, uint32_t);
  va_end(words);
  return cl_futex(word, operation, value, fourth, other, last);
}

WEAK int get_nprocs(void) { return (int)cl_cpu_count(); }
WEAK int get_nprocs_conf(void) { return get_nprocs(); }
WEAK int sched_getcpu(void) { return (int)cl_cpu_id(); }

static int failed(int error) {
  if (error) errno = error;
  return error ? -1 : 0;
}

static pthread_t of(pid_t thread) { return thread ? (pthread_t)thread - 1 : pthread_self(); }
WEAK int sched_setaffinity(pid_t thread, size_t size, const cpu_set_t *set) {
  return failed(pthread_setaffinity_np(of(thread), size, set));
}
WEAK int sched_getaffinity(pid_t thread, size_t size, cpu_set_t *set) {
  return failed(pthread_getaffinity_np(of(thread), size, set));
}

/* The old way to give a stack: where it begins when it grows down. */
WEAK int pthread_attr_setstackaddr(pthread_attr_t *attr, void *top) {
  size_t bytes;
  const int error = pthread_attr_getstacksize(attr, &bytes);
  return error ? error : pthread_attr_setstack(attr, (char *)top - bytes, bytes);
}
WEAK int pthread_attr_getstackaddr(const pthread_attr_t *attr, void **top) {
  size_t bytes;
  const int error = pthread_attr_getstack(attr, top, &bytes);
  if (!error && *top) *top = (char *)*top + bytes;
  return error;
}

/* Nothing is ever forked, so what should be called then is not. */
WEAK int pthread_atfork(void (*before)(void), void (*parent)(void), void (*child)(void)) {
  return (void)before, (void)parent, (void)child, 0;
}
