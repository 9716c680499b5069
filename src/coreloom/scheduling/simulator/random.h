/* SPDX-License-Identifier: Apache-2.0
 *
 * Random times in integers only, so that a seed gives the same run on every machine: splitmix64 (Steele, Lea, Flood
 * 2014), a stream for each thread, so that a thread draws the same whatever the policy. */
#ifndef RANDOM_H
#define RANDOM_H

#include <stdint.h>

__extension__ typedef unsigned __int128 random_wide;

static inline uint64_t random_mix(uint64_t x) {
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

static inline uint64_t random_next(uint64_t *state) { return random_mix(*state += 0x9e3779b97f4a7c15u); }

/* From low to high, all alike. */
static inline uint64_t random_uniform(uint64_t *state, uint64_t low, uint64_t high) {
  return low + (uint64_t)((random_wide)random_next(state) * (high - low + 1) >> 64);
}

/* Exponential with this mean, below 45 means: -ln(u) = ln(2) (zeros + 1 - log2(mantissa)), the logarithm to 32 binary
 * places by squaring. */
static inline uint64_t random_exponential(uint64_t *state, uint64_t mean) {
  uint64_t u = random_next(state) | 1u;
  uint32_t zeros = (uint32_t)__builtin_clzll(u);
  uint64_t x = u << zeros; /* 1 to below 2, with 63 places */
  uint64_t places = 0;
  for (int i = 0; i < 32; i++) {
    random_wide square = (random_wide)x * x; /* 126 places, below 4 */
    uint64_t above = (uint64_t)(square >> 127);
    places = places << 1 | above;
    x = (uint64_t)(square >> (63 + above));
  }
  uint64_t log2 = ((uint64_t)(zeros + 1) << 32) - places;          /* 32 places */
  random_wide nats = (random_wide)log2 * 2977044472u;              /* ln(2), 32 places: 64 together */
  return (uint64_t)((nats >> 32) * mean >> 32);
}

#endif
