/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A histogram of whole numbers: exact up to 15, above with eight steps for each power of two. */
#ifndef LAG_HISTOGRAM_H
#define LAG_HISTOGRAM_H

#include <stdint.h>

#define LAG_STEPS 8
#define LAG_BUCKETS (LAG_STEPS * 38) /* values up to 2^40; larger ones count as that */

struct lag_histogram {
  uint64_t weight, most; /* of all; the largest value */
  uint64_t bucket[LAG_BUCKETS];
};

static inline uint32_t lag_bucket(uint64_t value) {
  uint32_t power = 0;
  while (power < 37 && value >> power >= 2 * LAG_STEPS) power++;
  uint64_t at = power * LAG_STEPS + (value >> power);
  return at < LAG_BUCKETS ? (uint32_t)at : LAG_BUCKETS - 1;
}

static inline void lag_count(struct lag_histogram *h, uint64_t value, uint64_t weight) {
  h->bucket[lag_bucket(value)] += weight;
  h->weight += weight;
  if (value > h->most) h->most = value;
}

static inline void lag_merge(struct lag_histogram *into, const struct lag_histogram *from) {
  for (uint32_t i = 0; i < LAG_BUCKETS; i++) into->bucket[i] += from->bucket[i];
  into->weight += from->weight;
  if (from->most > into->most) into->most = from->most;
}

/* The value that `percent` of the weight does not exceed: the largest of its step, so at most an eighth too large. */
static inline uint64_t lag_percentile(const struct lag_histogram *h, uint32_t percent) {
  uint64_t below = 0;
  for (uint32_t i = 0; i < LAG_BUCKETS; i++) {
    below += h->bucket[i];
    if (!below || (double)below * 100 < (double)h->weight * percent) continue;
    uint32_t power = i < 2 * LAG_STEPS ? 0 : i / LAG_STEPS - 1;
    uint64_t last = (((uint64_t)(i - power * LAG_STEPS) + 1) << power) - 1;
    return last < h->most ? last : h->most;
  }
  return h->most;
}

#endif
