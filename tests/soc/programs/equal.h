/* SPDX-License-Identifier: Apache-2.0
 *
 * Self-checking programs that compare words: EQUAL counts and prints what is wrong. */
#ifndef EQUAL_H
#define EQUAL_H

#include <stdint.h>
#include <stdio.h>

static int failures;

#define EQUAL(a, b)                                                                           \
  do {                                                                                        \
    uint32_t a_ = (uint32_t)(a), b_ = (uint32_t)(b);                                          \
    if (a_ != b_) {                                                                           \
      failures++;                                                                             \
      printf("%d: %s is %lx, not %lx\n", __LINE__, #a, (unsigned long)a_, (unsigned long)b_); \
    }                                                                                         \
  } while (0)

#endif
