/* SPDX-License-Identifier: Apache-2.0
 *
 * The system functions of picolibc: printf writes to the log; errno; no heap, no files. */
#include <stdio.h>
#include <stdlib.h>

#include "coreloom_far.h"

int *cl_errno(void);
int *cl_errno(void) {
  static int error;
  return &error;
}

static int put(char c, FILE *file) {
  (void)file;
  far_log((const char[]){c, 0});
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

/* The end of a program by a fault. */
void abort(void) { __builtin_trap(); }

void __assert_func(const char *file, int line, const char *function, const char *expression);
void __assert_func(const char *file, int line, const char *function, const char *expression) {
  printf("%s:%d: %s: assertion \"%s\" failed\n", file, line, function ? function : "", expression);
  abort();
}
