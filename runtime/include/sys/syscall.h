/* SPDX-License-Identifier: Apache-2.0
 *
 * Of Linux's system calls those that the C library has no function for. */
#ifndef CORELOOM_SYS_SYSCALL_H
#define CORELOOM_SYS_SYSCALL_H

#include <unistd.h>

#define SYS_gettid 178
#define __NR_gettid SYS_gettid
#define SYS_futex 98
#define __NR_futex SYS_futex

#endif
