/* SPDX-License-Identifier: Apache-2.0
 *
 * Included before the first line of each file of FreeRTOS: a queue's copy of one word is one load and one store, where
 * the C library's memcpy is 20 instructions. */
#ifndef CL_FREERTOS_COPY_H
#define CL_FREERTOS_COPY_H

#if !defined(__ASSEMBLER__)
#include <stdint.h>
#include <string.h>

typedef uint32_t __attribute__((may_alias)) cl_copy_word;

static inline void *cl_freertos_copy(void *to, const void *from, size_t bytes) {
  if (bytes != sizeof(cl_copy_word) || ((uintptr_t)to | (uintptr_t)from) % sizeof(cl_copy_word)) {
    return memcpy(to, from, bytes);
  }
  *(cl_copy_word *)to = *(const cl_copy_word *)from;
  return to;
}

#define memcpy cl_freertos_copy
#endif

#endif
