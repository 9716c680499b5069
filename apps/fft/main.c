/* SPDX-License-Identifier: Apache-2.0
 *
 * FFT of PAIR_SIZE points, Q15, radix 2, decimation in frequency: half of the sum and of the difference in each stage,
 * so input with magnitudes below 1 never overflows. In place; the spectrum is in bit-reversed order.
 *
 * A number is a word, the real part in the low half. Between the stages the halves are kept with an offset of 32768,
 * without a sign: so a sum or a difference of both halves takes a few operations on the word. */
#include <pair.h>

#include "twiddles.h"

enum { HALF = PAIR_SIZE / 2 };
_Static_assert(PAIR_SIZE >= PAIR_SIZE_LEAST && PAIR_SIZE <= PAIR_SIZE_MOST && (PAIR_SIZE & (PAIR_SIZE - 1)) == 0,
               "PAIR_SIZE");

#define OFFSET 0x80008000u

/* The first stage is done in pieces of that many numbers, so that the other side can begin early. */
enum { PIECE = HALF / 4 };
/* Near multiplies the differences of the last piece, far those before: so both work for the same time. */
enum { NEAR_TURNS = HALF - PIECE };

static uint32_t points[PAIR_SIZE] PAIR_SHARED;
static uint32_t room[HALF]; /* far */

/* Half of the sum and half of the difference of *a and *b, both rounded down. With h, half of the bits that differ:
 * a + b = 2 (a & b) + (a ^ b), and a - b = a + ~b + 1, of which half is (a | ~b) - half of ~(a ^ b). */
static inline void sum_and_difference(uint32_t *a, uint32_t *b) {
  const uint32_t x = *a, y = *b;
  const uint32_t h = (x ^ y) >> 1 & 0x7FFF7FFFu;
  *a = (x & y) + h;
  *b = (x | ~y) + h - 0x7FFF7FFFu;
}

/* *x times cosine - i sine, rounded to the nearest. */
static inline void turn(uint32_t *x, int32_t cosine, int32_t sine) {
  const int32_t real = (int32_t)(*x & 0xFFFF) - 32768, imaginary = (int32_t)(*x >> 16) - 32768;
  const uint32_t half_and_offset = (1u << 14) + (32768u << 15);
  const uint32_t new_real = (uint32_t)(real * cosine + imaginary * sine) + half_and_offset;
  const uint32_t new_imaginary = (uint32_t)(imaginary * cosine - real * sine) + half_and_offset;
  *x = new_real >> 15 | new_imaginary >> 15 << 16;
}

static inline void butterfly(uint32_t *a, uint32_t *b, int32_t cosine, int32_t sine) {
  sum_and_difference(a, b);
  turn(b, cosine, sine);
}

/* Of the angle 2 pi k / (2 TWIDDLES). */
static inline int32_t cosine(size_t k) { return (int16_t)twiddles[k]; }
static inline int32_t sine(size_t k) { return (int32_t)twiddles[k] >> 16; }

/* First stage: `count` sums to x, differences to x + HALF; from here on with the offset. */
static __attribute__((noinline)) void split(uint32_t *x, size_t count) {
  for (uint32_t *const end = x + count; x != end; ++x) {
    x[0] ^= OFFSET;
    x[HALF] ^= OFFSET;
    sum_and_difference(x, x + HALF);
  }
}

/* First stage: the differences first .. first + count - 1, which are at x, times their factors. */
static __attribute__((noinline)) void turn_all(uint32_t *x, size_t first, size_t count) {
  enum { STEP = TWIDDLES / HALF };
  const uint32_t *const end = x + count;
  for (size_t k = first * STEP; x != end; ++x, k += STEP) turn(x, cosine(k), sine(k));
}

/* The other stages: an FFT of HALF points, from offset to none. */
static __attribute__((noinline)) void fft(uint32_t *x) {
  uint32_t *const end = x + HALF;
  for (size_t half = HALF / 2, step = TWIDDLES / half; half != 1; half /= 2, step *= 2) {
    /* Pairs without a factor; then those with one, along the longer way. */
    for (uint32_t *a = x; a != end; a += 2 * half) sum_and_difference(a, a + half);
    if (half > HALF / 2 / half) {
      for (uint32_t *block = x; block != end; block += 2 * half) {
        size_t k = step;
        for (uint32_t *a = block + 1; a != block + half; ++a, k += step) butterfly(a, a + half, cosine(k), sine(k));
      }
    } else {
      for (size_t i = 1; i != half; ++i) {
        const int32_t c = cosine(i * step), s = sine(i * step);
        for (uint32_t *a = x + i; a < end; a += 2 * half) butterfly(a, a + half, c, s);
      }
    }
  }
  for (uint32_t *a = x; a != end; a += 2) {
    sum_and_difference(a, a + 1);
    a[0] ^= OFFSET;
    a[1] ^= OFFSET;
  }
}

/* Both parts of each point: 15 random bits, sign included, so magnitudes are below 1. */
void pair_prepare(void) {
  uint32_t state = 1;
  for (size_t i = 0; i < PAIR_SIZE; ++i) {
    const uint32_t random = pair_random(&state);
    points[i] = ((uint32_t)((int32_t)(random << 16) >> 17) & 0xFFFF) | (uint32_t)((int32_t)random >> 17) << 16;
  }
}

uint32_t pair_alone(void) {
  split(points, HALF);
  turn_all(points + HALF, 0, HALF);
  fft(points);
  fft(points + HALF);
  pair_result(points, sizeof points);
  return 0;
}

void pair_near(void) {
  uint32_t *odd = points + HALF;
  for (size_t i = 0; i != HALF; i += PIECE) {
    split(points + i, PIECE);
    if (i >= NEAR_TURNS) turn_all(odd + i, i, PIECE);
    pair_to_far(odd + i, PIECE * sizeof *odd);
  }
  fft(points);
  odd = pair_from_far(odd, HALF * sizeof *odd);
  pair_result(points, HALF * sizeof *points);
  pair_result(odd, HALF * sizeof *odd);
}

void pair_far(void) {
  uint32_t *odd = room;
  for (size_t i = 0; i != HALF; i += PIECE) {
    uint32_t *const piece = pair_from_near(room + i, PIECE * sizeof *room);
    if (i == 0) odd = piece;
    if (i < NEAR_TURNS) turn_all(piece, i, PIECE);
  }
  fft(odd);
  pair_to_near(odd, HALF * sizeof *odd);
}
