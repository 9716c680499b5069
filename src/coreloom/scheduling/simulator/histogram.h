/* SPDX-License-Identifier: Apache-2.0
 *
 * Times by size: 32 buckets for each power of two, so a bucket is at most 1/32 of its times wide; below 64 ns exact.
 * A quantile is the upper end of its bucket. */
#ifndef HISTOGRAM_H
#define HISTOGRAM_H

#include <stdint.h>

#define HISTOGRAM_BITS 5
#define HISTOGRAM_OCTAVES 42u /* up to 2^47 ns, 39 hours; what is above counts there */
#define HISTOGRAM_BUCKETS (HISTOGRAM_OCTAVES << HISTOGRAM_BITS)

static inline uint32_t histogram_bucket_(uint64_t time) {
  uint64_t most = (UINT64_C(1) << (HISTOGRAM_OCTAVES + HISTOGRAM_BITS - 1)) - 1;
  if (time > most) time = most;
  if (time < 1u << HISTOGRAM_BITS) return (uint32_t)time;
  uint32_t octave = 63u - (uint32_t)__builtin_clzll(time) - HISTOGRAM_BITS; /* 0: from 32 on */
  return (octave << HISTOGRAM_BITS) + (uint32_t)(time >> octave);
}

static inline uint64_t histogram_end_(uint32_t bucket) {
  if (bucket < 1u << HISTOGRAM_BITS) return bucket;
  uint32_t octave = (bucket >> HISTOGRAM_BITS) - 1;
  uint64_t first = (bucket & ((1u << HISTOGRAM_BITS) - 1)) | 1u << HISTOGRAM_BITS;
  return ((first + 1) << octave) - 1;
}

static inline void histogram_add(uint32_t *histogram, uint64_t time) { histogram[histogram_bucket_(time)]++; }

/* The least time that at least `percent` of the times do not exceed; `most` is the largest of them. */
static inline uint64_t histogram_quantile(const uint32_t *histogram, uint32_t percent, uint64_t most) {
  uint64_t count = 0;
  for (uint32_t b = 0; b < HISTOGRAM_BUCKETS; b++) count += histogram[b];
  uint64_t wanted = (count * percent + 99) / 100, sum = 0;
  for (uint32_t b = 0; b < HISTOGRAM_BUCKETS; b++) {
    sum += histogram[b];
    if (sum >= wanted && sum) return histogram_end_(b) < most ? histogram_end_(b) : most;
  }
  return 0;
}

#endif
