/* SPDX-License-Identifier: Apache-2.0
 *
 * BSD's messages on standard error: the program's name, a text and, but for ...x, what errno says. */
#ifndef CORELOOM_ERR_H
#define CORELOOM_ERR_H

#include <stdarg.h>

#ifdef __cplusplus
extern "C" {
#endif

void warn(const char *format, ...);
void warnx(const char *format, ...);
void vwarn(const char *format, va_list arguments);
void vwarnx(const char *format, va_list arguments);
__attribute__((noreturn)) void err(int status, const char *format, ...);
__attribute__((noreturn)) void errx(int status, const char *format, ...);
__attribute__((noreturn)) void verr(int status, const char *format, va_list arguments);
__attribute__((noreturn)) void verrx(int status, const char *format, va_list arguments);

#ifdef __cplusplus
}
#endif

#endif
