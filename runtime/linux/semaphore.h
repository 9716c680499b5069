/* SPDX-License-Identifier: Apache-2.0
 *
 * The C library's <semaphore.h>, and Coreloom's functions beyond POSIX (runtime/include/semaphore.h). */
#ifndef CORELOOM_LINUX_SEMAPHORE_H
#define CORELOOM_LINUX_SEMAPHORE_H

#include_next <semaphore.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

int sem_timedwait_np(sem_t *sem, uint32_t cycles);
int sem_getnumber_np(const sem_t *sem, uint32_t *number); /* ENOTSUP */

#ifdef __cplusplus
}
#endif

#endif
