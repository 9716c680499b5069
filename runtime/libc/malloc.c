/* SPDX-License-Identifier: Apache-2.0
 *
 * picolibc's malloc, which clears each block; C does not ask for that, and for all but small blocks it takes longer than
 * the rest. So memset is left out of it, and calloc, which picolibc leaves to malloc, clears. */
#define _DEFAULT_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define memset(...) ((void)0)
#define DEFINE_MALLOC
#include "nano-mallocr.c"
#undef memset

void *calloc(size_t count, size_t size) {
  size_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes)) {
    errno = ENOMEM;
    return NULL;
  }
  void *block = malloc(bytes);
  return block ? memset(block, 0, bytes) : NULL;
}
