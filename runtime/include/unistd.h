/* SPDX-License-Identifier: Apache-2.0
 *
 * picolibc's <unistd.h>, and what Linux has there for the number of a thread. */
#include_next <unistd.h>

#ifndef CORELOOM_UNISTD_H
#define CORELOOM_UNISTD_H

#ifdef __cplusplus
extern "C" {
#endif

#ifdef _GNU_SOURCE
pid_t gettid(void); /* pthread_self() + 1: getpid() for main */
#endif
long syscall(long number, ...); /* SYS_gettid, SYS_futex; -1 with ENOSYS for any other */

#ifdef __cplusplus
}
#endif

#endif
