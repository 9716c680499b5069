/* SPDX-License-Identifier: Apache-2.0
 *
 * Mappings of memory, as memory of the heap: zeros, or the contents of a file when it is mapped. */
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define WEAK __attribute__((weak))

typedef struct mapping {
  struct mapping *next;
  char *begin;
  size_t bytes, mapped; /* mapped: less what was given back */
} mapping_t;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static mapping_t *mappings;

/* Whole pages; 0 if there are too many. */
static size_t pages(size_t length) { return (length + PAGESIZE - 1) / PAGESIZE * PAGESIZE; }

static int filled(char *begin, size_t length, int file, off_t offset) {
  for (size_t done = 0; done < length;) {
    const ssize_t got = pread(file, begin + done, length - done, offset + (off_t)done);
    if (got < 0) return errno;
    if (got == 0) break; /* behind its end there are zeros */
    done += (size_t)got;
  }
  return 0;
}

static int wrong(size_t length, int protection, int flags, off_t offset) {
  const int kind = flags & (MAP_SHARED | MAP_PRIVATE), anonymous = flags & MAP_ANONYMOUS;
  if (!pages(length) || (!anonymous && offset % PAGESIZE)) return EINVAL;
  if (kind != MAP_SHARED && kind != MAP_PRIVATE) return EINVAL;
  if (flags & MAP_FIXED) return ENOMEM; /* where memory is decides the heap */
  return kind == MAP_SHARED && !anonymous && protection & PROT_WRITE ? ENODEV : 0; /* what is written stays here */
}

WEAK void *mmap(void *address, size_t length, int protection, int flags, int file, off_t offset) {
  (void)address; /* a hint */
  int error = wrong(length, protection, flags, offset);
  mapping_t *const one = error ? NULL : malloc(sizeof *one);
  void *begin = NULL;
  if (!error && (!one || posix_memalign(&begin, PAGESIZE, pages(length)))) error = ENOMEM;
  if (!error) {
    memset(begin, 0, pages(length));
    if (!(flags & MAP_ANONYMOUS)) error = filled(begin, length, file, offset);
  }
  if (error) {
    free(begin);
    free(one);
    errno = error;
    return MAP_FAILED;
  }
  *one = (mapping_t){.begin = begin, .bytes = pages(length), .mapped = pages(length)};
  pthread_mutex_lock(&lock);
  one->next = mappings;
  mappings = one;
  pthread_mutex_unlock(&lock);
  return begin;
}

/* A part that is given back goes with the last one. */
WEAK int munmap(void *address, size_t length) {
  const size_t at = (size_t)address, bytes = pages(length);
  if (at % PAGESIZE || !bytes) {
    errno = EINVAL;
    return -1;
  }
  mapping_t *over = NULL;
  pthread_mutex_lock(&lock);
  for (mapping_t **next = &mappings; *next; next = &(*next)->next) {
    mapping_t *const one = *next;
    if (at < (size_t)one->begin || at - (size_t)one->begin >= one->bytes) continue;
    one->mapped -= bytes < one->mapped ? bytes : one->mapped;
    if (one->mapped == 0) {
      over = one;
      *next = one->next;
    }
    break;
  }
  pthread_mutex_unlock(&lock);
  if (over) {
    free(over->begin);
    free(over);
  }
  return 0;
}
