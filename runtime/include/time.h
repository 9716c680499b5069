/* SPDX-License-Identifier: Apache-2.0
 *
 * The C library's <time.h>, and the parts of C11 that it lacks. */
#ifndef CORELOOM_TIME_H
#define CORELOOM_TIME_H

#include_next <time.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TIME_UTC 1
#define TIME_MONOTONIC 2

int timespec_get(struct timespec *time, int base); /* the base, or 0: no such base */
int timespec_getres(struct timespec *resolution, int base);

#ifdef __cplusplus
}
#endif

#endif
