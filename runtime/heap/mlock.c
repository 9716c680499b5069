/* SPDX-License-Identifier: Apache-2.0
 *
 * All memory is always there: a lock changes nothing. */
#include <errno.h>
#include <stdint.h>
#include <sys/mman.h>

#include "../posix/posix.h"

int mlock(const void *address, size_t length) {
  uintptr_t from = (uintptr_t)address - CL_RAM;
  return from > CL_RAM_BYTES || length > CL_RAM_BYTES - from ? cl_fail(ENOMEM) : 0;
}

int munlock(const void *address, size_t length) { return mlock(address, length); }

int mlockall(int flags) { return !flags || flags & ~(MCL_CURRENT | MCL_FUTURE) ? cl_fail(EINVAL) : 0; }

int munlockall(void) { return 0; }
