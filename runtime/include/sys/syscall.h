/* SPDX-License-Identifier: Apache-2.0
 *
 * Of Linux's system calls the number of the thread, which is all that portable programs ask for. */
#ifndef CORELOOM_SYS_SYSCALL_H
#define CORELOOM_SYS_SYSCALL_H

#include <unistd.h>

#define SYS_gettid 178
#define __NR_gettid SYS_gettid

#endif
