/* SPDX-License-Identifier: Apache-2.0
 *
 * The heap: blocks one behind the other, each with its size before it; those that are free are in a list, by address, and
 * never touch. Small blocks that are given back are kept for the next call that asks for their size, until there is no
 * other memory. Lists and sizes lie between the program's data, so all that is read there is checked: a block that
 * is no block, or a list that does not go on upwards, ends the program (cl_broken). */
#include <errno.h>
#include <malloc.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/lock.h>
#include <unistd.h>

#include "cl_end.h"

#define UNIT 8u /* sizes and the addresses given out are multiples of it */
enum { MARKS = UNIT - 1, USED = 5, FREE = 2, KEPT = 3 };
enum { MOST_KEPT = 256 }; /* bytes of a block that is kept */

struct block {
  size_t head;        /* its size with this word, and USED, FREE or KEPT in the low bits */
  struct block *next; /* if it is free or kept; else here are the bytes */
};

static struct {
  char *lowest, *top; /* of all blocks */
  struct block *free;
  struct block *kept[MOST_KEPT / UNIT + 1]; /* by size */
} heap;

static size_t size_of(const struct block *block) { return block->head & ~(size_t)MARKS; }
static char *end_of(const struct block *block) { return (char *)block + size_of(block); }
static struct block *block_of(void *bytes) { return (struct block *)((char *)bytes - sizeof(size_t)); }
static void *bytes_of(struct block *block) { return (char *)block + sizeof(size_t); }

static inline bool is_inside(const struct block *block) {
  return (const char *)block >= heap.lowest && (const char *)block < heap.top;
}

static inline bool is_block(const struct block *block, size_t mark) {
  if ((uintptr_t)block % UNIT != UNIT - sizeof(size_t) || !is_inside(block)) return false;
  if ((block->head & MARKS) != mark) return false;
  return size_of(block) - UNIT <= (size_t)(heap.top - (const char *)block) - UNIT; /* nor is it 0 */
}

/* The free block that `link` leads to, NULL: none. `before`: the one before it. */
static struct block *next_free(struct block **link, const struct block *before) {
  struct block *const block = *link;
  if (block && (block <= before || !is_block(block, FREE))) cl_broken("the heap's list of free blocks", link);
  return block;
}

/* A block that the program gives back. */
static struct block *given(void *bytes) {
  struct block *const block = block_of(bytes);
  if (!is_block(block, USED)) cl_broken("the block given to free or realloc", bytes);
  return block;
}

/* The size of a block for a number of bytes; 0: no block is that large. */
static size_t size_for(size_t bytes) {
  return bytes > PTRDIFF_MAX - 2 * UNIT ? 0 : (bytes + sizeof(size_t) + UNIT - 1) & ~(size_t)MARKS;
}

static void *refused(void) {
  errno = ENOMEM;
  return NULL;
}

/* More memory, which continues what there is unless the program calls sbrk, too. NULL: there is none. */
static struct block *more(size_t size) {
  char *at = sbrk((ptrdiff_t)size);
  if (at == (char *)-1) return NULL;
  const size_t aligned = ((uintptr_t)at + sizeof(size_t) + UNIT - 1) / UNIT * UNIT - sizeof(size_t);
  if (aligned != (uintptr_t)at) {
    if (sbrk((ptrdiff_t)(aligned - (uintptr_t)at)) == (char *)-1) return NULL;
    at = (char *)aligned;
  }
  if (!heap.lowest) heap.lowest = at;
  heap.top = at + size;
  return (struct block *)at;
}

/* The part of a block beyond `size` becomes its own block, if that is worth it. */
static struct block *cut(struct block *block, size_t size, size_t mark) {
  const size_t rest = size_of(block) - size;
  if (rest < 2 * UNIT) {
    block->head = size_of(block) | USED;
    return NULL;
  }
  struct block *const behind = (struct block *)((char *)block + size);
  behind->head = rest | mark;
  block->head = size | USED;
  return behind;
}

static struct block *take_free(size_t size) {
  struct block **link = &heap.free, *before = NULL, *block;
  for (; (block = next_free(link, before)); link = &block->next) {
    before = block;
    if (size_of(block) >= size) break;
    if (!block->next && end_of(block) == heap.top) { /* what is at the end grows */
      char *const end = heap.top;
      struct block *const added = more(size - size_of(block));
      if (!added) return NULL;
      if ((char *)added == end) {
        block->head = size | FREE;
        break;
      }
      added->head = (size_t)(heap.top - (char *)added) | USED; /* not with it: lost */
    }
  }
  if (!block) {
    block = more(size);
    if (block) block->head = size | USED;
    return block;
  }
  struct block *const next = block->next, *const behind = cut(block, size, FREE);
  *link = behind ? behind : next;
  if (behind) behind->next = next;
  return block;
}

static void give_back(struct block *block) {
  struct block **link = &heap.free, *before = NULL, *next;
  for (; (next = next_free(link, before)) && next < block; link = &next->next) before = next;
  block->head = size_of(block) | FREE;
  block->next = next;
  *link = block;
  if (next && end_of(block) == (char *)next) {
    block->head += size_of(next);
    block->next = next->next;
  }
  if (before && end_of(before) == (char *)block) {
    before->head += size_of(block);
    before->next = block->next;
  }
}

static struct block **kept(size_t size) { return &heap.kept[size / UNIT]; }

/* The first of the blocks kept of a size, NULL: none. */
static struct block *take_kept(size_t size) {
  struct block **const first = kept(size), *const block = *first;
  if (!block) return NULL;
  if (!is_inside(block) || block->head != (size | KEPT)) cl_broken("the heap's list of kept blocks", first);
  *first = block->next;
  block->head = size | USED;
  return block;
}

/* A block of this size, from the free ones or of more memory; if there is none, what is kept becomes free. */
static struct block *take(size_t size) {
  struct block *block = take_free(size);
  bool any = false;
  if (block) return block;
  for (size_t each = UNIT; each <= MOST_KEPT; each += UNIT)
    for (; (block = take_kept(each)); any = true) give_back(block);
  return any ? take_free(size) : NULL;
}

/* What is rare, apart, so that the rest saves few registers. */
__attribute__((noinline, cold)) static void *allocate_apart(size_t bytes) {
  const size_t size = size_for(bytes);
  if (!size) return refused();
  __LIBC_LOCK();
  struct block *const block = take(size);
  __LIBC_UNLOCK();
  return block ? bytes_of(block) : refused();
}

void *malloc(size_t bytes) {
  if (bytes > MOST_KEPT - sizeof(size_t)) return allocate_apart(bytes);
  __LIBC_LOCK();
  struct block *const block = take_kept(size_for(bytes));
  __LIBC_UNLOCK();
  return block ? bytes_of(block) : allocate_apart(bytes);
}

void free(void *bytes) {
  if (!bytes) return;
  __LIBC_LOCK();
  struct block *const block = block_of(bytes);
  /* A multiple of UNIT, up to the most: MOST_KEPT is a power of two. */
  if ((uintptr_t)bytes % UNIT == 0 && is_inside(block) && !((block->head - USED - UNIT) & ~(MOST_KEPT - UNIT))) {
    const size_t size = block->head - USED;
    block->head = size | KEPT;
    block->next = *kept(size);
    *kept(size) = block;
  } else {
    give_back(given(bytes));
  }
  __LIBC_UNLOCK();
}

void *calloc(size_t count, size_t each) {
  size_t bytes;
  if (__builtin_mul_overflow(count, each, &bytes)) return refused();
  void *const made = malloc(bytes);
  return made ? memset(made, 0, bytes) : NULL;
}

/* In its place: a free block behind it, or the end of all, is taken in. */
static bool grow(struct block *block, size_t size) {
  char *const end = end_of(block);
  if (end == heap.top) {
    struct block *const added = more(size - size_of(block));
    if (!added) return false;
    if ((char *)added == end) {
      block->head = size | USED;
      return true;
    }
    added->head = (size_t)(heap.top - (char *)added) | USED;
    return false;
  }
  struct block **link = &heap.free, *before = NULL, *next;
  for (; (next = next_free(link, before)) && (char *)next < end; link = &next->next) before = next;
  if ((char *)next != end || size_of(block) + size_of(next) < size) return false;
  *link = next->next;
  block->head += size_of(next);
  return true;
}

void *realloc(void *bytes, size_t wanted) {
  if (!bytes) return malloc(wanted);
  if (!wanted) {
    free(bytes);
    return NULL;
  }
  const size_t size = size_for(wanted);
  if (!size) return refused();
  __LIBC_LOCK();
  struct block *const block = given(bytes);
  const size_t had = size_of(block) - sizeof(size_t);
  const bool here = size <= size_of(block) || grow(block, size);
  struct block *const behind = here ? cut(block, size, USED) : NULL;
  if (behind) give_back(behind);
  __LIBC_UNLOCK();
  if (here) return bytes;
  void *const made = malloc(wanted);
  if (!made) return NULL;
  memcpy(made, bytes, had);
  free(bytes);
  return made;
}

void *memalign(size_t alignment, size_t bytes) {
  if (!alignment || alignment & (alignment - 1)) {
    errno = EINVAL;
    return NULL;
  }
  const size_t size = size_for(bytes);
  if (alignment <= UNIT) return malloc(bytes);
  if (!size || alignment > PTRDIFF_MAX - size) return refused();
  __LIBC_LOCK();
  struct block *block = take(size + alignment);
  if (block) {
    /* The room before it becomes a block, too. */
    const uintptr_t first = (uintptr_t)bytes_of(block), at = (first + alignment - 1) & ~(alignment - 1);
    struct block *const before = block, *behind;
    if (at != first) {
      block = block_of((void *)at);
      block->head = (size_t)(end_of(before) - (char *)block) | USED;
      before->head = (size_t)(at - first) | USED;
    }
    behind = cut(block, size, USED);
    if (behind) give_back(behind);
    if (before != block) give_back(before);
  }
  __LIBC_UNLOCK();
  return block ? bytes_of(block) : refused();
}

void *aligned_alloc(size_t alignment, size_t bytes) { return memalign(alignment, bytes); }

int posix_memalign(void **to, size_t alignment, size_t bytes) {
  if (alignment % sizeof(void *) || !alignment || alignment & (alignment - 1)) return EINVAL;
  const int saved = errno;
  void *const made = memalign(alignment, bytes);
  errno = saved;
  if (!made) return ENOMEM;
  *to = made;
  return 0;
}

size_t malloc_usable_size(void *bytes) { return bytes ? size_of(block_of(bytes)) - sizeof(size_t) : 0; }
