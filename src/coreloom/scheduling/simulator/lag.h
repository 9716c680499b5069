/* SPDX-License-Identifier: Apache-2.0
 *
 * The instrument of fairness: the largest gap of service for each unit of weight between two threads that are
 * runnable all the time. It knows nothing of any policy: it is told which thread runs where, and when.
 *
 * Value of a thread: its service in ns x 1024 / weight, so B ns of service at nice 0 are B. Weights are first made
 * feasible (Chandra, Adler, Goyal, Shenoy: Surplus Fair Scheduling, 2000): a thread that asks for more than a whole
 * CPU counts with the weight that asks for just one. That is computed once, over the threads that are counted.
 *
 * Between two events values grow evenly, so the highest of them is a convex function of time and the lowest a concave
 * one: their gap is largest at an event, and looking at events alone is exact.
 * The highest value needs no search, for values never fall. The lowest is that of a running thread (a loop over the
 * CPUs) or of a waiting one: a tournament tree, O(log threads) when a thread starts or stops.
 * With more than LAG_EXACT_CPUS that loop would cost more than the policy: then all are looked at every so often,
 * and what is found is a lower bound of the largest gap; lag_exact() says which it is.
 *
 * Values are held in 2^-52 ns in 128 bits: room for 2^63 ns, and for weight 2^20 as for weight 1 an error below
 * 2^-52 of the service: less than 1/256 ns in four hours. */
#ifndef LAG_H
#define LAG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LAG_EXACT_CPUS 64u
#define LAG_SCALE 52
#define LAG_UNIT_WEIGHT 1024u

__extension__ typedef unsigned __int128 lag_value;
#define LAG_NEVER (~(lag_value)0) /* the place of a thread that does not wait, or is not counted */

struct lag_cpu {
  uint32_t thread;
  bool busy; /* with a counted thread */
  uint64_t since;
};

struct lag {
  uint32_t threads, cpus, leaves;
  uint64_t *rate;     /* by thread: 2^52 x 1024 / feasible weight; 0: not counted */
  lag_value *value;   /* by thread: as of when it last stopped */
  lag_value *lowest;  /* a tree with its root at 1 and thread t at leaves + t: the lowest value that waits below */
  struct lag_cpu *cpu;
  uint64_t interval;  /* 0: exact; else look that often */
  uint64_t looked;    /* when it was last looked */
  lag_value highest;
  lag_value largest;  /* gap */
  lag_value *series;  /* the largest gap in each of `periods` periods, or NULL */
  uint32_t periods;
  uint64_t period;
};

static inline uint32_t lag_leaves_(uint32_t threads) {
  uint32_t leaves = 1;
  while (leaves < threads) leaves *= 2;
  return leaves;
}

/* Bytes of memory for so many threads and CPUs; aligned to 16. */
static inline size_t lag_size(uint32_t threads, uint32_t cpus) {
  return sizeof(lag_value) * (2u * (size_t)lag_leaves_(threads) + threads) + sizeof(uint64_t) * threads +
         sizeof(struct lag_cpu) * cpus;
}

/* Each thread's gain for a ns of service, with feasible weights. Weight 0: not counted. */
static inline void lag_rates_(struct lag *lag, const uint32_t *weight, uint32_t left) {
  uint64_t sum = 0;
  uint32_t counted = 0;
  for (uint32_t t = 0; t < lag->threads; t++) {
    sum += weight[t];
    counted += weight[t] > 0;
    lag->rate[t] = 0;
  }
  if (counted <= left) { /* each may have a CPU of its own: all ask for the same */
    for (uint32_t t = 0; t < lag->threads; t++) lag->rate[t] = weight[t] ? 1ull << LAG_SCALE : 0;
    return;
  }
  /* The heaviest first: is it infeasible on the CPUs that are left, next to the threads that are left? */
  for (;;) {
    uint32_t heaviest = 0;
    bool found = false;
    for (uint32_t t = 0; t < lag->threads; t++)
      if (weight[t] && !lag->rate[t] && (!found || weight[t] > weight[heaviest])) {
        heaviest = t;
        found = true;
      }
    if ((uint64_t)weight[heaviest] * left <= sum) break;
    lag->rate[heaviest] = 1;
    sum -= weight[heaviest];
    left--;
  }
  lag_value one = (lag_value)LAG_UNIT_WEIGHT << LAG_SCALE;
  for (uint32_t t = 0; t < lag->threads; t++)
    if (weight[t]) lag->rate[t] = (uint64_t)(lag->rate[t] ? one * left / sum : one / weight[t]);
}

static inline void lag_place_(struct lag *lag, uint32_t thread, lag_value value) {
  uint32_t at = lag->leaves + thread;
  lag->lowest[at] = value;
  while (at > 1) {
    lag_value other = lag->lowest[at ^ 1u];
    lag_value low = lag->lowest[at] < other ? lag->lowest[at] : other;
    at /= 2;
    if (lag->lowest[at] == low) return;
    lag->lowest[at] = low;
  }
}

/* All counted threads wait, with no service, at time 0.
 * weight: by thread; 0 is a thread that is not counted, as it sleeps, or is bound to one CPU.
 * open: how many of the CPUs are for them (not reserved), at least 1. memory: lag_size() bytes.
 * interval: how often to look with more than LAG_EXACT_CPUS, in ns, at least 1. */
static inline void lag_init(struct lag *lag, void *memory, uint32_t threads, uint32_t cpus, const uint32_t *weight,
                            uint32_t open, uint64_t interval) {
  *lag = (struct lag){.threads = threads, .cpus = cpus, .leaves = lag_leaves_(threads)};
  lag->lowest = memory;
  lag->value = lag->lowest + 2u * (size_t)lag->leaves;
  lag->rate = (uint64_t *)(void *)(lag->value + threads);
  lag->cpu = (struct lag_cpu *)(void *)(lag->rate + threads);
  lag->interval = cpus > LAG_EXACT_CPUS ? interval : 0;
  for (uint32_t c = 0; c < cpus; c++) lag->cpu[c] = (struct lag_cpu){0};
  for (uint32_t t = 0; t < threads; t++) lag->value[t] = 0;
  for (uint32_t at = 0; at < 2 * lag->leaves; at++) lag->lowest[at] = LAG_NEVER;
  lag_rates_(lag, weight, open);
  for (uint32_t t = 0; t < threads; t++)
    if (lag->rate[t]) lag_place_(lag, t, 0);
}

/* Also keep the largest gap of each period of that many ns; what is after the last period counts to it. */
static inline void lag_keep_series(struct lag *lag, lag_value *series, uint32_t periods, uint64_t period) {
  lag->series = series;
  lag->periods = periods;
  lag->period = period;
  for (uint32_t p = 0; p < periods; p++) series[p] = 0;
}

static inline bool lag_exact(const struct lag *lag) { return lag->interval == 0; }

/* A scaled value in whole ns, rounded to the nearest. */
static inline uint64_t lag_ns(lag_value value) {
  return (uint64_t)((value + ((lag_value)1 << (LAG_SCALE - 1))) >> LAG_SCALE);
}

static inline lag_value lag_value_(const struct lag *lag, const struct lag_cpu *on, uint64_t now) {
  uint64_t served = now > on->since ? now - on->since : 0;
  return lag->value[on->thread] + (lag_value)lag->rate[on->thread] * served;
}

/* The gap now; also notes it. */
static inline lag_value lag_look(struct lag *lag, uint64_t now) {
  lag_value low = LAG_NEVER;
  if (lag_exact(lag)) {
    low = lag->lowest[1];
  } else {
    for (uint32_t t = 0; t < lag->threads; t++)
      if (lag->lowest[lag->leaves + t] < low) low = lag->lowest[lag->leaves + t];
  }
  for (uint32_t c = 0; c < lag->cpus; c++) {
    const struct lag_cpu *on = &lag->cpu[c];
    if (!on->busy) continue;
    lag_value value = lag_value_(lag, on, now);
    if (value > lag->highest) lag->highest = value;
    if (value < low) low = value;
  }
  lag->looked = now;
  if (low == LAG_NEVER) return 0; /* nobody is counted */
  lag_value gap = lag->highest - low;
  if (gap > lag->largest) lag->largest = gap;
  if (lag->series) {
    uint64_t p = now / lag->period;
    lag_value *kept = &lag->series[p < lag->periods ? p : lag->periods - 1];
    if (gap > *kept) *kept = gap;
  }
  return gap;
}

static inline void lag_event_(struct lag *lag, uint64_t now) {
  if (lag_exact(lag) ? now != lag->looked : now - lag->looked >= lag->interval) lag_look(lag, now);
}

/* A CPU takes a thread now, and serves it from `from` on, after what the switch costs. */
static inline void lag_start(struct lag *lag, uint32_t cpu, uint32_t thread, uint64_t now, uint64_t from) {
  if (!lag->rate[thread]) return;
  lag_event_(lag, now);
  lag->cpu[cpu] = (struct lag_cpu){.thread = thread, .busy = true, .since = from};
  if (lag_exact(lag)) lag_place_(lag, thread, LAG_NEVER);
  else lag->lowest[lag->leaves + thread] = LAG_NEVER;
}

/* The thread on that CPU gets no service from now on. */
static inline void lag_stop(struct lag *lag, uint32_t cpu, uint64_t now) {
  struct lag_cpu *on = &lag->cpu[cpu];
  if (!on->busy) return;
  lag_event_(lag, now);
  lag_value value = lag->value[on->thread] = lag_value_(lag, on, now);
  if (value > lag->highest) lag->highest = value;
  if (lag_exact(lag)) lag_place_(lag, on->thread, value);
  else lag->lowest[lag->leaves + on->thread] = value;
  on->busy = false;
}

/* The largest gap so far, in ns for each weight of 1024. Look first (lag_look) at the end of the window. */
static inline uint64_t lag_largest(const struct lag *lag) { return lag_ns(lag->largest); }

#endif
