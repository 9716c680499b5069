/* SPDX-License-Identifier: Apache-2.0
 *
 * For the C library's headers: sets of 64 signals. */
#ifndef CORELOOM_SYS_SIGSET_H
#define CORELOOM_SYS_SIGSET_H

#include <stdint.h>

typedef uint64_t __sigset_t;

#endif
