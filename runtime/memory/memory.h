/* SPDX-License-Identifier: Apache-2.0
 *
 * The back end of objects that live in memory: those that the kernel does not have, or has no room for. Each has a handle
 * that no object of the kernel has, so the kernel is asked first, and only after its EINVAL it matters what an object is. */
#ifndef CL_MEMORY_H
#define CL_MEMORY_H

#include <semaphore.h>

#include "cl_kernel.h"

/* Handles that no object has: of one in memory, and of one that is destroyed. The kernel answers EINVAL. */
#define CL_IN_MEMORY (1u << CL_ADDRESS_ID_LSB)
#define CL_DESTROYED (2u << CL_ADDRESS_ID_LSB)

/* The operations of a kind, by their codes, with the kernel's answers; CL_LATE, CL_CANCELED. EINVAL: it is not in memory
 * either. `until` is that of a wait. */
uint32_t cl_memory_semaphore(unsigned op, sem_t *sem, uint64_t until);

#endif
