/* SPDX-License-Identifier: Apache-2.0
 *
 * The system functions of picolibc: a console, errno per thread, locks around malloc and atexit. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/lock.h>

#include "posix.h"

int *cl_errno(void);
int *cl_errno(void) { return &cl_self()->error; }

static int put(char c, FILE *file) {
  (void)file;
  cl_uart_put(c);
  return (unsigned char)c;
}

static int get(FILE *file) {
  (void)file;
  return _FDEV_EOF;
}

static FILE console = FDEV_SETUP_STREAM(put, get, NULL, _FDEV_SETUP_RW);
FILE *const stdin = &console;
FILE *const stdout = &console;
FILE *const stderr = &console;

void __assert_func(const char *file, int line, const char *function, const char *expression);
void __assert_func(const char *file, int line, const char *function, const char *expression) {
  printf("%s:%d: %s: assertion \"%s\" failed\n", file, line, function ? function : "", expression);
  _Exit(1);
}

/* picolibc's raises a signal; there are none. */
void abort(void) {
  puts("aborted");
  _Exit(134); /* what a shell says of SIGABRT */
}

void _Exit(int status) {
  extern void _exit(int) __attribute__((noreturn));
  _exit(status);
}

/* picolibc has one recursive lock. */
struct __lock {
  pthread_mutex_t mutex;
  pthread_t owner; /* looked at by others, but equal to them only if they hold it */
  unsigned depth;
};

struct __lock __lock___libc_recursive_mutex = {PTHREAD_MUTEX_INITIALIZER, ~0u, 0};

void __retarget_lock_acquire_recursive(_LOCK_T lock) {
  if (lock->owner != pthread_self()) {
    pthread_mutex_lock(&lock->mutex);
    lock->owner = pthread_self();
  }
  lock->depth++;
}

void __retarget_lock_release_recursive(_LOCK_T lock) {
  if (--lock->depth) return;
  lock->owner = ~0u;
  pthread_mutex_unlock(&lock->mutex);
}
