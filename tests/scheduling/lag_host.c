/* SPDX-License-Identifier: Apache-2.0
 *
 * The instrument of fairness as a library for test_lag.py: plays a list of starts and stops. */
#include <stdlib.h>

#include "lag.h"

struct event {
  uint64_t now;
  uint32_t cpu;
  int32_t thread; /* -1: stop */
};

static void put(uint64_t out[2], lag_value value) {
  out[0] = (uint64_t)value;
  out[1] = (uint64_t)(value >> 64);
}

/* largest: in units of 2^-52 ns, low word first; series likewise. Answers lag_exact(). */
int lag_play(uint32_t threads, uint32_t cpus, uint32_t open, const uint32_t *weight, uint64_t interval,
             const struct event *event, uint32_t events, uint64_t end, uint64_t (*series)[2], uint32_t periods,
             uint64_t largest[2], uint64_t *rate) {
  struct lag lag;
  void *memory = aligned_alloc(16, (lag_size(threads, cpus) + 15) / 16 * 16);
  lag_value *kept = aligned_alloc(16, sizeof *kept * periods);
  if (!memory || !kept) abort();
  lag_init(&lag, memory, threads, cpus, weight, open, interval);
  lag_keep_series(&lag, kept, periods, end / periods);
  for (uint32_t i = 0; i < events; i++)
    if (event[i].thread < 0) lag_stop(&lag, event[i].cpu, event[i].now);
    else lag_start(&lag, event[i].cpu, (uint32_t)event[i].thread, event[i].now, event[i].now);
  lag_look(&lag, end);
  put(largest, lag.largest);
  for (uint32_t p = 0; p < periods; p++) put(series[p], kept[p]);
  for (uint32_t t = 0; t < threads; t++) rate[t] = lag.rate[t];
  free(kept);
  free(memory);
  return lag_exact(&lag);
}
