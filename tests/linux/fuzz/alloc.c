/* SPDX-License-Identifier: Apache-2.0
 *
 * The heap where no AddressSanitizer is at hand: what is asked for ends right before a page that cannot be touched, and
 * what was given back cannot be touched at all. */
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "place.h"

#define SLOTS ((size_t)1 << 18)
#define PAGE ((size_t)4096)

static struct block {
  uintptr_t at; /* 0: free; 1: was used */
  size_t size;
  void *base;
  size_t room;
} block[SLOTS];
static size_t allocated;

size_t fuzz_allocated(void) { return allocated; }

static size_t place(uintptr_t at) { return (size_t)((at >> 3) * UINT64_C(0x9e3779b97f4a7c15) >> 40) % SLOTS; }

static struct block *find(uintptr_t at) {
  size_t i = place(at);
  while (block[i].at != at) {
    if (block[i].at == 0) __builtin_trap(); /* free() of what was never given, or twice */
    i = (i + 1) % SLOTS;
  }
  return &block[i];
}

static size_t pages(size_t size) { return (size + PAGE - 1) / PAGE * PAGE; }

static void *get(size_t size, size_t align, int fill) {
  if (size == 0) size = 1;
  if (size > (size_t)1 << 30) return errno = ENOMEM, NULL;
  size_t room = pages(size + align) + PAGE;
  char *base = (char *)syscall(SYS_mmap, NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (base == MAP_FAILED) return errno = ENOMEM, NULL;
  syscall(SYS_mprotect, base + room - PAGE, PAGE, PROT_NONE);
  uintptr_t at = ((uintptr_t)base + room - PAGE - size) / align * align;
  if (fill >= 0) memset((void *)at, fill, size);
  size_t i = place(at);
  while (block[i].at > 1) i = (i + 1) % SLOTS;
  block[i] = (struct block){at, size, base, room};
  allocated += size;
  return (void *)at;
}

/* What has a size that is a multiple of it may have to be aligned so. */
static size_t alignment(size_t size) {
  return size % 16 == 0 ? 16 : size % 8 == 0 ? 8 : size % 4 == 0 ? 4 : size % 2 == 0 ? 2 : 1;
}

void *malloc(size_t size) { return get(size, alignment(size), fuzz_fill); }

void *calloc(size_t count, size_t size) {
  size_t all;
  if (__builtin_mul_overflow(count, size, &all)) return errno = ENOMEM, NULL;
  return get(all, alignment(size), 0);
}

void free(void *what) {
  if (what == NULL) return;
  uintptr_t at = (uintptr_t)what;
  struct block *b = find(at);
  allocated -= b->size;
  b->at = 1;
  int error = errno;
  syscall(SYS_munmap, b->base, b->room);
  errno = error;
}

void *realloc(void *what, size_t size) {
  void *more = malloc(size);
  if (what == NULL || more == NULL) return more;
  size_t old = find((uintptr_t)what)->size;
  memcpy(more, what, old < size ? old : size);
  free(what);
  return more;
}

void *aligned_alloc(size_t align, size_t size) { return get(size, align, fuzz_fill); }
void *memalign(size_t align, size_t size) { return get(size, align, fuzz_fill); }
int posix_memalign(void **what, size_t align, size_t size) {
  *what = get(size, align, fuzz_fill);
  return *what ? 0 : ENOMEM;
}
size_t malloc_usable_size(void *what) { return what ? find((uintptr_t)what)->size : 0; }
