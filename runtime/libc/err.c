/* SPDX-License-Identifier: Apache-2.0
 *
 * Messages with the program's name, which is written as the command line is (runtime/posix/cl_boot.c). */
#include <err.h>
#include <errno.h>
#include <error.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WEAK __attribute__((weak))

__attribute__((section(".data.program"))) struct {
  int count;
  char *words[70];
} cl_program = {1, {"program"}};
__asm__(
    ".globl program_invocation_name, program_invocation_short_name\n"
    ".set program_invocation_name, cl_program + 4\n"
    ".set program_invocation_short_name, cl_program + 4");

/* number: of an error, -1: none. */
static void tell(int number, const char *format, va_list arguments) {
  flockfile(stderr);
  fprintf(stderr, "%s: ", cl_program.words[0]);
  if (format) vfprintf(stderr, format, arguments);
  if (number >= 0) fprintf(stderr, "%s%s", format ? ": " : "", strerror(number));
  fputc('\n', stderr);
  funlockfile(stderr);
}

#define TELL(number)               \
  va_list arguments;               \
  va_start(arguments, format);     \
  tell(number, format, arguments); \
  va_end(arguments)

WEAK void vwarn(const char *format, va_list arguments) { tell(errno, format, arguments); }
WEAK void vwarnx(const char *format, va_list arguments) { tell(-1, format, arguments); }

WEAK void verr(int status, const char *format, va_list arguments) {
  tell(errno, format, arguments);
  exit(status);
}

WEAK void verrx(int status, const char *format, va_list arguments) {
  tell(-1, format, arguments);
  exit(status);
}

WEAK void warn(const char *format, ...) { TELL(errno); }
WEAK void warnx(const char *format, ...) { TELL(-1); }

WEAK void err(int status, const char *format, ...) {
  TELL(errno);
  exit(status);
}

WEAK void errx(int status, const char *format, ...) {
  TELL(-1);
  exit(status);
}

WEAK void error(int status, int number, const char *format, ...) {
  TELL(number ? number : -1);
  if (status) exit(status);
}
