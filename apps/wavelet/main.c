/* SPDX-License-Identifier: Apache-2.0
 *
 * Three levels of the 5/3 wavelet transform (JPEG 2000, reversible) of a picture of PAIR_SIZE x PAIR_SIZE bytes, rows
 * before columns. In place: at level l the samples are 1 << l apart in both directions; even ones become low-pass, odd
 * ones high-pass coefficients, and the next level continues with those that are even in both. */
#include <pair.h>
#include <stdbool.h>

enum { SIZE = PAIR_SIZE, HALF = SIZE / 2, LEVELS = 3 };
_Static_assert(SIZE >= 8 << (LEVELS - 1) && SIZE % (4 << (LEVELS - 1)) == 0,
               "each half has two pairs of rows or more at each level, and no half pair");

/* Data that cross the border between the halves at a level, side by side. */
struct border {
  int16_t sent[SIZE], room[SIZE];
};

static uint8_t picture[SIZE * SIZE] PAIR_SHARED;
static int16_t coefficients[SIZE * SIZE];
static struct border near_border[LEVELS] PAIR_SHARED;

/* far: the lower half */
static uint8_t far_picture[HALF * SIZE];
static int16_t far_coefficients[HALF * SIZE];
static struct border far_border[LEVELS];

static inline int difference(int left, int middle, int right) { return middle - ((left + right) >> 1); }
static inline int sum(int left, int middle, int right) { return middle + ((left + right + 2) >> 2); }

/* A line of samples `step` apart, bytes or 16 bits, to x, which may be the same. before: the difference before its
 * first sample; behind: the sample behind its last. */
static inline __attribute__((always_inline)) void lift(const void *samples, bool bytes, int16_t *x, size_t step,
                                                       size_t pairs, int before, int behind) {
#define SAMPLE(i) (bytes ? ((const uint8_t *)samples)[i] : ((const int16_t *)samples)[i])
  int16_t *odd_x = x + step;
  int even = SAMPLE(0);
#pragma GCC unroll 2
  while (--pairs != 0) {
    const int odd = SAMPLE(step), next = SAMPLE(2 * step);
    const int d = difference(even, odd, next);
    *x = (int16_t)sum(before, even, d);
    *odd_x = (int16_t)d;
    before = d;
    even = next;
    x += 2 * step;
    odd_x += 2 * step;
    samples = (const uint8_t *)samples + 2 * step * (bytes ? sizeof(uint8_t) : sizeof(int16_t));
  }
  const int d = difference(even, SAMPLE(step), behind);
  *x = (int16_t)sum(before, even, d);
  *odd_x = (int16_t)d;
#undef SAMPLE
}

/* Rows, at level 0 of the picture; mirrored at both ends. */
static __attribute__((noinline)) void rows_of_picture(const uint8_t *p, int16_t *x, size_t count) {
  for (; count != 0; --count, p += SIZE, x += SIZE)
    lift(p, true, x, 1, SIZE / 2, difference(p[0], p[1], p[2]), p[SIZE - 2]);
}

static __attribute__((noinline)) void rows_of_level(int16_t *x, unsigned level, size_t count) {
  const size_t step = (size_t)1 << level;
  for (; count != 0; --count, x += SIZE * step)
    lift(x, false, x, step, SIZE / 2 >> level, difference(x[0], x[step], x[2 * step]), x[SIZE - 2 * step]);
}

static void rows(const uint8_t *p, int16_t *x, unsigned level, size_t count) {
  if (level == 0) rows_of_picture(p, x, count);
  else rows_of_level(x, level, count);
}

/* Columns of `count` rows. above: the row of differences before the first, below: the row behind the last; NULL: they
 * go on mirrored there. */
static __attribute__((noinline)) void columns(int16_t *x, unsigned level, size_t count, const int16_t *above,
                                              const int16_t *below) {
  const size_t step = (size_t)SIZE << level;
  const int16_t *const end = x + SIZE;
  for (; x != end; x += (size_t)1 << level) {
    const int before = above ? *above++ : difference(x[0], x[step], x[2 * step]);
    const int behind = below ? *below++ : x[(count - 2) * step];
    lift(x, false, x, step, count / 2, before, behind);
  }
}

/* Slopes, edges and some noise, as in photographs. */
void pair_prepare(void) {
  uint32_t state = 1;
  for (size_t y = 0; y < SIZE; ++y)
    for (size_t x = 0; x < SIZE; ++x)
      picture[y * SIZE + x] = (uint8_t)(x + 2 * y + ((x ^ y) & 32) + (pair_random(&state) & 15));
}

uint32_t pair_alone(void) {
  for (unsigned level = 0; level < LEVELS; ++level) {
    rows(picture, coefficients, level, SIZE >> level);
    columns(coefficients, level, SIZE >> level, NULL, NULL);
  }
  pair_result(coefficients, sizeof coefficients);
  return 0;
}

/* At each level the last row of differences here needs the row below it, and the first row there that row. */
void pair_near(void) {
  pair_to_far(picture + HALF * SIZE, HALF * SIZE);
  for (unsigned level = 0; level < LEVELS; ++level) {
    const size_t count = HALF >> level, width = SIZE >> level;
    rows(picture, coefficients, level, count);
    const int16_t *const below = pair_from_far(near_border[level].room, width * sizeof *below);
    const int16_t *const last = coefficients + ((count - 1) * SIZE << level), *const even = last - (SIZE << level);
    for (size_t i = 0; i < width; ++i)
      near_border[level].sent[i] = (int16_t)difference(even[i << level], last[i << level], below[i]);
    pair_to_far(near_border[level].sent, width * sizeof *below);
    columns(coefficients, level, count, NULL, below);
  }
  enum { LOWER = HALF * SIZE };
  const int16_t *const lower = pair_from_far(coefficients + LOWER, LOWER * sizeof *lower);
  pair_result(coefficients, LOWER * sizeof *coefficients);
  pair_result(lower, LOWER * sizeof *lower);
}

void pair_far(void) {
  const uint8_t *const p = pair_from_near(far_picture, sizeof far_picture);
  int16_t *const x = far_coefficients;
  for (unsigned level = 0; level < LEVELS; ++level) {
    const size_t count = HALF >> level, width = SIZE >> level, row = SIZE << level;
    rows(p, x, level, 1); /* the one that near needs, first */
    for (size_t i = 0; i < width; ++i) far_border[level].sent[i] = x[i << level];
    pair_to_near(far_border[level].sent, width * sizeof *x);
    rows(p + SIZE, x + row, level, count - 1);
    const int16_t *const above = pair_from_near(far_border[level].room, width * sizeof *above);
    columns(x, level, count, above, NULL);
  }
  pair_to_near(x, sizeof far_coefficients);
}
