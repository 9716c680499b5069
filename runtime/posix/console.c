/* SPDX-License-Identifier: Apache-2.0
 *
 * The system functions of picolibc that need no threads: the console's output, and the ways to end a program. */
#include <stdio.h>
#include <stdlib.h>

#include "cl_end.h"
#include "cl_machine.h"
#if CL_SIGNALS
#include "signals.h"
#endif

static int put(char c, FILE *file) {
  (void)file;
  cl_uart_put(c);
  return (unsigned char)c;
}

static FILE output = FDEV_SETUP_STREAM(put, NULL, NULL, _FDEV_SETUP_WRITE);
static FILE errors = FDEV_SETUP_STREAM(put, NULL, NULL, _FDEV_SETUP_WRITE);
FILE *const stdout = &output;
FILE *const stderr = &errors;

void __assert_func(const char *file, int line, const char *function, const char *expression);
void __assert_func(const char *file, int line, const char *function, const char *expression) {
  printf("%s:%d: %s: assertion \"%s\" failed\n", file, line, function ? function : "", expression);
#if CL_SIGNALS
  cl_signals_abort();
#endif
  _Exit(CL_ABORTED);
}

void abort(void) {
#if CL_SIGNALS
  cl_signals_abort();
#endif
  puts("aborted");
  _Exit(CL_ABORTED);
}

void _Exit(int status) {
  extern void _exit(int) __attribute__((noreturn));
  _exit(status);
}
