/* SPDX-License-Identifier: Apache-2.0
 *
 * The heap of `coreloom run --check`, instead of the library's: the same, with a record before each block given out
 * and a pattern behind it. A freed block is filled with another pattern and stays in a queue for a while. Misuse
 * is found when a block is freed, when it leaves the queue to be given out again, and at the end of the program.
 *
 *   block | its record | ... | record | bytes | BEHIND to the end of the block */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>

#include "coreloom.h"
#include "posix.h"

#define malloc heap_malloc
#define free heap_free
#define calloc heap_calloc
#define realloc heap_realloc
#define memalign heap_memalign
#define aligned_alloc heap_aligned_alloc
#define posix_memalign heap_posix_memalign
#define malloc_usable_size heap_malloc_usable_size
#include "../libc/malloc.c"
#undef malloc
#undef free
#undef calloc
#undef realloc
#undef memalign
#undef aligned_alloc
#undef posix_memalign
#undef malloc_usable_size

enum { BEHIND = 0xfd, FREED = 0xdd, QUEUE_BYTES = 65536 };
#define LIVE_MARK 0xa110c8edu
#define FREED_MARK 0xdeadf8eeu

struct record {
  struct block *block;
  size_t bytes;
  char *allocated, *freed; /* by which calls */
  struct record *next;     /* in the queue */
  uint32_t mark;           /* last: before the bytes */
};

static struct record *queue, **queue_end = &queue;
static size_t queued;

/* The call of a function that is not inlined. */
#define ENTRY __attribute__((noinline))
#define CALLER ((char *)__builtin_return_address(0) - 4)

/* Prints one line, which the simulator's front end completes with names and lines, and ends the program. */
__attribute__((noreturn)) static void misused(const char *what, const char *where, const struct record *of) {
  char text[200], freed[32] = "";
  const unsigned thread = (unsigned)(cl_self() - cl_threads);
  const char *const name = cl_posix_name ? cl_posix_name(thread) : NULL;
  int length = snprintf(text, sizeof text, "heap: thread %u%s%s%s: %s", thread, name && *name ? " (" : "",
                        name && *name ? name : "", name && *name ? ")" : "", what);
  if (where) length += snprintf(text + length, sizeof text - (size_t)length, " in pc 0x%08lx", (long)where);
  else length += snprintf(text + length, sizeof text - (size_t)length, " at the end of the program");
  if (of) {
    if (of->mark == FREED_MARK) snprintf(freed, sizeof freed, ", freed in pc 0x%08lx", (long)of->freed);
    snprintf(text + length, sizeof text - (size_t)length, ": %zu bytes, allocated in pc 0x%08lx%s", of->bytes,
             (long)of->allocated, freed);
  }
  for (const char *at = text; *at; at++) cl_uart_put(*at);
  cl_uart_put('\n');
  cl_exit(CL_ABORTED);
}

static char *bytes_behind(struct record *record) { return (char *)(record + 1); }

/* The record of a block in use; NULL: it is not one of ours, but what more() has lost. */
static struct record *record_in(struct block *block) {
  struct record *const record = *(struct record **)bytes_of(block);
  if ((uintptr_t)record % UNIT || (char *)record < (char *)block || (char *)(record + 1) > end_of(block)) return NULL;
  return record->block == block ? record : NULL;
}

static bool is_filled(const char *from, const char *to, unsigned char with) {
  for (; from < to; from++)
    if (*(const unsigned char *)from != with) return false;
  return true;
}

static void check(struct record *record, const char *where) {
  char *const bytes = bytes_behind(record), *const end = bytes + record->bytes;
  if (record->mark == FREED_MARK) {
    if (!is_filled(bytes, end, FREED)) misused("written after free, found", where, record);
  } else if (record->mark != LIVE_MARK) {
    misused("written before its beginning, found", where, record);
  }
  if (!is_filled(end, end_of(record->block), BEHIND)) misused("written behind its end, found", where, record);
}

/* The record of bytes that the program gives back. */
static struct record *record_of(void *bytes, const char *where) {
  for (struct block *block = (struct block *)heap.lowest; (char *)block < heap.top;
       block = (struct block *)end_of(block)) {
    if (!is_block(block, block->head & FREE ? FREE : USED)) misused("written over, found", where, NULL);
    struct record *const record = (block->head & MARKS) == USED ? record_in(block) : NULL;
    if (!record || bytes_behind(record) != bytes) continue;
    if (record->mark == FREED_MARK) misused("freed twice,", where, record);
    check(record, where);
    return record;
  }
  misused("freed what malloc has not given,", where, NULL);
}

/* The oldest block in the queue is given back to the heap. */
static void leave_queue(const char *where) {
  struct record *const record = queue;
  check(record, where);
  queue = record->next;
  if (!queue) queue_end = &queue;
  queued -= size_of(record->block);
  give_back(record->block);
}

static void *allocate(size_t bytes, size_t alignment, char *where) {
  const size_t more_bytes = sizeof(struct record *) + sizeof(struct record) + alignment + UNIT;
  const size_t size = bytes > PTRDIFF_MAX - more_bytes ? 0 : size_for(bytes + more_bytes);
  if (!size) return refused();
  __LIBC_LOCK();
  struct block *block;
  while (!(block = take(size)) && queue) leave_queue(where);
  void *made = NULL;
  if (block) {
    const uintptr_t first = (uintptr_t)bytes_of(block) + sizeof(struct record *) + sizeof(struct record);
    made = (void *)((first + alignment - 1) & ~(alignment - 1));
    struct record *const record = (struct record *)made - 1;
    *record = (struct record){.block = block, .bytes = bytes, .allocated = where, .mark = LIVE_MARK};
    *(struct record **)bytes_of(block) = record;
    memset((char *)made + bytes, BEHIND, (size_t)(end_of(block) - ((char *)made + bytes)));
  }
  __LIBC_UNLOCK();
  return made ? made : refused();
}

static void release(void *bytes, char *where) {
  if (!bytes) return;
  __LIBC_LOCK();
  struct record *const record = record_of(bytes, where);
  memset(bytes, FREED, record->bytes);
  record->mark = FREED_MARK;
  record->freed = where;
  record->next = NULL;
  *queue_end = record;
  queue_end = &record->next;
  queued += size_of(record->block);
  while (queued > QUEUE_BYTES) leave_queue(where);
  __LIBC_UNLOCK();
}

ENTRY void *malloc(size_t bytes) { return allocate(bytes, UNIT, CALLER); }

ENTRY void free(void *bytes) { release(bytes, CALLER); }

ENTRY void *calloc(size_t count, size_t each) {
  size_t bytes;
  if (__builtin_mul_overflow(count, each, &bytes)) return refused();
  void *const made = allocate(bytes, UNIT, CALLER);
  return made ? memset(made, 0, bytes) : NULL;
}

ENTRY void *realloc(void *bytes, size_t wanted) {
  char *const where = CALLER;
  if (bytes && !wanted) {
    release(bytes, where);
    return NULL;
  }
  void *const made = allocate(wanted, UNIT, where);
  if (!bytes || !made) return made;
  __LIBC_LOCK();
  const size_t had = record_of(bytes, where)->bytes;
  __LIBC_UNLOCK();
  memcpy(made, bytes, had < wanted ? had : wanted);
  release(bytes, where);
  return made;
}

static void *aligned(size_t alignment, size_t bytes, char *where) {
  if (!alignment || alignment & (alignment - 1) || alignment > PTRDIFF_MAX / 2) {
    errno = EINVAL;
    return NULL;
  }
  return allocate(bytes, alignment > UNIT ? alignment : UNIT, where);
}

ENTRY void *memalign(size_t alignment, size_t bytes) { return aligned(alignment, bytes, CALLER); }

ENTRY void *aligned_alloc(size_t alignment, size_t bytes) { return aligned(alignment, bytes, CALLER); }

ENTRY int posix_memalign(void **to, size_t alignment, size_t bytes) {
  if (alignment % sizeof(void *) || !alignment || alignment & (alignment - 1)) return EINVAL;
  const int saved = errno;
  void *const made = aligned(alignment, bytes, CALLER);
  errno = saved;
  if (!made) return ENOMEM;
  *to = made;
  return 0;
}

size_t malloc_usable_size(void *bytes) { return bytes ? ((struct record *)bytes - 1)->bytes : 0; }

/* The end of the program. */
__attribute__((destructor(101))) static void check_all(void) {
  for (struct block *block = (struct block *)heap.lowest; (char *)block < heap.top;
       block = (struct block *)end_of(block)) {
    if (!is_block(block, block->head & FREE ? FREE : USED)) misused("written over, found", NULL, NULL);
    struct record *const record = (block->head & MARKS) == USED ? record_in(block) : NULL;
    if (record) check(record, NULL);
  }
}
