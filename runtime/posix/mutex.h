/* SPDX-License-Identifier: Apache-2.0
 *
 * Between pthread_mutex_... and mutexes in memory: recursive ones, those with a protocol or robust, and those that the kernel
 * has no room for. */
#ifndef CL_MUTEX_H
#define CL_MUTEX_H

#include "posix.h"

int cl_mutex_wait_for_ever(uint64_t at); /* or until then */

/* Its protocol and ceiling, as the kernel has them. */
static inline uint32_t cl_mutex_rule(const pthread_mutex_t *mutex) {
  return (uint32_t)mutex->protocol << CL_MUTEX_ATTRIBUTES_PROTOCOL_LSB | (uint32_t)mutex->ceiling
                                                                             << CL_MUTEX_ATTRIBUTES_CEILING_LSB;
}

int cl_mutex_is_held(const pthread_mutex_t *mutex); /* of those with a protocol and robust ones */

#endif
