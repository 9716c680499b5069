/* SPDX-License-Identifier: Apache-2.0
 *
 * picolibc's <search.h>, and the rest of POSIX's: lists, and tables without an order. */
#include_next <search.h>

#ifndef CORELOOM_SEARCH_H
#define CORELOOM_SEARCH_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

void insque(void *element, void *before);
void remque(void *element);
void *lfind(const void *key, const void *table, size_t *count, size_t size, int (*compare)(const void *, const void *));
void *lsearch(const void *key, void *table, size_t *count, size_t size, int (*compare)(const void *, const void *));

#ifdef __cplusplus
}
#endif

#endif
