/* SPDX-License-Identifier: Apache-2.0
 *
 * Sorts PAIR_SIZE numbers: each half by selection, then both are merged. */
#include <pair.h>

/* 1: alone, the whole is sorted by selection, which is another algorithm: twice the cycles. */
#ifndef SORT_WHOLE
#define SORT_WHOLE 0
#endif

enum { LOWER = PAIR_SIZE / 2, UPPER = PAIR_SIZE - LOWER };

_Static_assert(LOWER > 0, "PAIR_SIZE");

static uint32_t numbers[PAIR_SIZE] PAIR_SHARED, sorted[PAIR_SIZE];
static uint32_t room[UPPER]; /* far */

/* The first of p .. end-1 that is less than value, or end. A load and a branch in turn, each load two ahead of its
 * branch: none is waited for, and two processors can share a bus cycle by cycle. The branches are hardly ever taken. */
static inline uint32_t *next_less(uint32_t *p, const uint32_t *end, uint32_t value) {
#define LOAD(v, i) \
  v = p[i];        \
  __asm__ volatile("" : "+r"(v)) /* not later */
#define LOOK(v, i) \
  if (v < value) return p + (i)
  for (; end - p >= 8; p += 8) {
    uint32_t even, odd;
    LOAD(even, 0);
    LOAD(odd, 1);
    LOOK(even, 0);
    LOAD(even, 2);
    LOOK(odd, 1);
    LOAD(odd, 3);
    LOOK(even, 2);
    LOAD(even, 4);
    LOOK(odd, 3);
    LOAD(odd, 5);
    LOOK(even, 4);
    LOAD(even, 6);
    LOOK(odd, 5);
    LOAD(odd, 7);
    LOOK(even, 6);
    LOOK(odd, 7);
  }
#undef LOAD
#undef LOOK
  while (p != end && *p >= value) ++p;
  return p;
}

/* Sorts x[0 .. count-1] in place. */
static __attribute__((noinline)) void selection_sort(uint32_t *x, size_t count) {
  for (uint32_t *const end = x + count; x != end; ++x) {
    uint32_t *least = x;
    for (uint32_t *p = x + 1; (p = next_less(p, end, *least)) != end; ++p) least = p;
    const uint32_t value = *least;
    *least = *x;
    *x = value;
  }
}

/* to: a and b, which are sorted and not empty, in one order. */
static __attribute__((noinline)) void merge(uint32_t *to, const uint32_t *a, size_t a_count, const uint32_t *b,
                                            size_t b_count) {
  const uint32_t *const a_end = a + a_count, *const b_end = b + b_count;
  uint32_t least_a = *a, least_b = *b;
  for (;;) {
    if (least_a <= least_b) {
      *to++ = least_a;
      if (++a == a_end) break;
      least_a = *a;
    } else {
      *to++ = least_b;
      if (++b == b_end) break;
      least_b = *b;
    }
  }
  while (a != a_end) *to++ = *a++;
  while (b != b_end) *to++ = *b++;
}

void pair_prepare(void) {
  uint32_t state = 1;
  for (size_t i = 0; i < PAIR_SIZE; ++i) numbers[i] = pair_random(&state);
}

uint32_t pair_alone(void) {
  if (SORT_WHOLE) {
    selection_sort(numbers, PAIR_SIZE);
    pair_result(numbers, sizeof numbers);
    return 0;
  }
  selection_sort(numbers, LOWER);
  selection_sort(numbers + LOWER, UPPER);
  const uint32_t begin = pair_cycle();
  merge(sorted, numbers, LOWER, numbers + LOWER, UPPER);
  pair_result(sorted, sizeof sorted);
  return pair_cycle() - begin;
}

void pair_near(void) {
  uint32_t *upper = numbers + LOWER;
  pair_to_far(upper, sizeof room);
  selection_sort(numbers, LOWER);
  upper = pair_from_far(upper, sizeof room);
  merge(sorted, numbers, LOWER, upper, UPPER);
  pair_result(sorted, sizeof sorted);
}

void pair_far(void) {
  uint32_t *const upper = pair_from_near(room, sizeof room);
  selection_sort(upper, UPPER);
  pair_to_near(upper, sizeof room);
}
