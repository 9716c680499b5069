/* SPDX-License-Identifier: Apache-2.0
 *
 * Lists that are linked both ways, and tables without an order. */
#include <search.h>
#include <string.h>

#define WEAK __attribute__((weak))

struct element {
  struct element *next, *before;
};

WEAK void insque(void *element, void *before) {
  struct element *const self = element;
  self->before = before;
  self->next = before ? self->before->next : NULL;
  if (before) self->before->next = self;
  if (self->next) self->next->before = self;
}

WEAK void remque(void *element) {
  struct element *const self = element;
  if (self->before) self->before->next = self->next;
  if (self->next) self->next->before = self->before;
}

WEAK void *lfind(const void *key, const void *table, size_t *count, size_t size,
                 int (*compare)(const void *, const void *)) {
  const char *at = table;
  for (size_t i = 0; i < *count; i++, at += size) {
    if (!compare(key, at)) return (void *)at;
  }
  return NULL;
}

WEAK void *lsearch(const void *key, void *table, size_t *count, size_t size,
                   int (*compare)(const void *, const void *)) {
  void *const found = lfind(key, table, count, size, compare);
  return found ? found : memcpy((char *)table + (*count)++ * size, key, size);
}
