/* SPDX-License-Identifier: Apache-2.0
 *
 * The functions that a Debian library compiled with -D_FORTIFY_SOURCE needs from glibc, for linking it with another C
 * library: the same calls without the check. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

int __printf_chk(int flag, const char *format, ...);
int __fprintf_chk(FILE *file, int flag, const char *format, ...);
int __sprintf_chk(char *text, int flag, size_t room, const char *format, ...);
int __vsprintf_chk(char *text, int flag, size_t room, const char *format, va_list list);
int __isoc99_sscanf(const char *text, const char *format, ...);
_Noreturn void __longjmp_chk(jmp_buf where, int value);

#define CALL(result, call) \
  va_list list;            \
  va_start(list, format);  \
  int result = call;       \
  va_end(list);            \
  return result

int __printf_chk(int flag, const char *format, ...) {
  (void)flag;
  CALL(done, vprintf(format, list));
}

int __fprintf_chk(FILE *file, int flag, const char *format, ...) {
  (void)flag;
  CALL(done, vfprintf(file, format, list));
}

int __sprintf_chk(char *text, int flag, size_t room, const char *format, ...) {
  (void)flag;
  CALL(done, vsnprintf(text, room, format, list));
}

int __vsprintf_chk(char *text, int flag, size_t room, const char *format, va_list list) {
  (void)flag;
  return vsnprintf(text, room, format, list);
}

int __isoc99_sscanf(const char *text, const char *format, ...) { CALL(done, vsscanf(text, format, list)); }

_Noreturn void __longjmp_chk(jmp_buf where, int value) { longjmp(where, value); }
