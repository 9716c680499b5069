/* SPDX-License-Identifier: Apache-2.0
 *
 * simulate POLICY INPUT [TIMELINE]: reads a workload, runs it, writes what was found as JSON to stdout; the part that
 * is done goes to stderr now and then. simulate (alone): lists the policies.
 * POLICY is a name, or exclusive:BASE. INPUT: 64-bit words of this machine, as simulate.py writes them.
 * TIMELINE gets records of two words: time; CPU << 32 | thread (NONE: idle). */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "histogram.h"
#include "random.h"
#include "sim.h"

#define MAX_OWN_HISTOGRAMS 10000u /* more threads share their kind's, as each takes 5 KB */
#define MAX_TIMELINE 1000000u     /* records */
#define LOOKS 1000u               /* of the gap, where it is sampled */

#define POLICY(name) extern const struct cl_policy name;
POLICIES
#undef POLICY
#define POLICY(name) &name,
static const struct cl_policy *const policies[] = {POLICIES};
#define POLICY_COUNT (sizeof policies / sizeof *policies)

struct header {
  uint64_t cpus, end, seed, tick, balance, slice, latency, granularity, warm, realtime_cpus, latency_threads;
  uint64_t switch_cost, migrate_cost, warm_cost;
  uint64_t kinds, steps, locks, ports, reserves, periods;
};

static _Noreturn void fail(const char *text) {
  fprintf(stderr, "error: %s\n", text);
  exit(1);
}

/* Zeroed memory on a cache line of its own. */
static void *room(size_t count, size_t size) {
  size_t bytes = (count * size + 63) / 64 * 64;
  void *memory = aligned_alloc(64, bytes ? bytes : 64);
  if (!memory) fail("no memory");
  return memset(memory, 0, bytes ? bytes : 64);
}

static const struct cl_policy *policy_of(const char *name, size_t length) {
  for (size_t i = 0; i < POLICY_COUNT; i++)
    if (strlen(policies[i]->name) == length && !memcmp(policies[i]->name, name, length)) return policies[i];
  fail("unknown policy");
}

static uint64_t *read_words(const char *path) {
  FILE *file = fopen(path, "rb");
  if (!file || fseek(file, 0, SEEK_END)) fail("the input cannot be read");
  long bytes = ftell(file);
  if (bytes < (long)sizeof(struct header)) fail("the input is too short");
  rewind(file);
  uint64_t *words = room((size_t)bytes, 1);
  if (fread(words, 1, (size_t)bytes, file) != (size_t)bytes) fail("the input cannot be read");
  fclose(file);
  return words;
}

/* --- making ------------------------------------------------------------------------------------ */

static void make_machine(struct sim *s, const struct header *h, const char *name) {
  const char *colon = strchr(name, ':');
  const struct cl_policy *policy = policy_of(name, colon ? (size_t)(colon - name) : strlen(name));
  const struct cl_policy *base = colon ? policy_of(colon + 1, strlen(colon + 1)) : NULL;
  uint32_t cpus = (uint32_t)h->cpus;
  s->m = (struct cl_machine){
      .cpus = cpus,
      .policy = policy,
      .base = base,
      .tuning = {h->slice, h->latency, h->granularity, h->warm, (uint32_t)h->realtime_cpus,
                 (uint32_t)h->latency_threads},
      .cpu = room(cpus, sizeof(struct cl_cpu)),
      .shared = room(1, policy->shared_size + (base ? base->shared_size : 0)),
      .open = cpus,
  };
  size_t size = (policy->cpu_size + (base ? base->cpu_size : 0) + 63u) / 64 * 64; /* a CPU's state on its own lines */
  char *state = room(cpus, size);
  s->cpu = room(cpus, sizeof *s->cpu);
  s->rescheds = room(cpus, sizeof *s->rescheds);
  for (uint32_t c = 0; c < cpus; c++) {
    s->m.cpu[c].state = state + c * size;
    s->cpu[c] = (struct cpu){.thread = NONE, .last = NONE};
  }
  policy->init(&s->m);
}

/* One after the other, each kind's with a gap between them. */
static void make_threads(struct sim *s, const struct header *h) {
  s->thread = room(s->threads, sizeof *s->thread);
  uint32_t ids = 2 * s->m.cpus + s->threads;
  s->events = (struct events){.heap = room(ids, sizeof(struct event)), .place = room(ids, sizeof(uint32_t))};
  uint32_t id = 0;
  for (uint32_t k = 0; k < s->kinds; k++) {
    const struct kind *kind = &s->kind[k];
    uint64_t comes = kind->start, random = random_mix(h->seed ^ random_mix(~(uint64_t)k));
    for (uint64_t i = 0; i < kind->count; i++, id++) {
      struct thread *t = &s->thread[id];
      t->kind = k;
      t->ran_on = NONE;
      t->random = random_mix(h->seed + random_mix(id + 1));
      t->e.id = id;
      t->e.weight = (uint32_t)kind->weight;
      t->e.priority = (uint16_t)kind->priority;
      t->e.home = (int16_t)(int64_t)kind->home;
      t->e.realtime = kind->realtime;
      if (kind->gap) comes += random_exponential(&random, kind->gap);
      if (comes) events_set(&s->events, s->m.cpus + id, comes);
    }
  }
}

static void make_objects(struct sim *s, const struct header *h) {
  s->lock = room(h->locks, sizeof *s->lock);
  s->port = room(h->ports, sizeof *s->port);
  for (uint64_t i = 0; i < h->locks; i++) s->lock[i] = (struct lock){NONE, {NONE, NONE}};
  for (uint64_t i = 0; i < h->ports; i++) s->port[i].waiting.first = NONE;
  s->latency_by_kind = s->threads > MAX_OWN_HISTOGRAMS;
  s->latency = room(s->latency_by_kind ? s->kinds : s->threads, sizeof *s->latency);
  s->latency_all = room(HISTOGRAM_BUCKETS, sizeof *s->latency_all);
}

/* The instrument looks at the threads that are runnable all the time. */
static void make_lag(struct sim *s, const struct header *h, lag_value *series) {
  uint32_t *weight = room(s->threads, sizeof *weight);
  for (uint32_t i = 0; i < s->threads; i++)
    if (s->kind[s->thread[i].kind].counted) weight[i] = s->thread[i].e.weight;
  void *memory = room(1, lag_size(s->threads, s->m.cpus));
  uint64_t interval = h->end / LOOKS + 1;
  lag_init(&s->lag, memory, s->threads, s->m.cpus, weight, s->m.cpus - s->reserves, interval);
  if (h->periods) lag_keep_series(&s->lag, series, (uint32_t)h->periods, h->end / h->periods + 1);
  free(weight);
}

static void make(struct sim *s, const uint64_t *words, const char *policy) {
  const struct header *h = (const void *)words;
  words += sizeof *h / sizeof *words;
  s->tick = h->tick;
  s->balance = h->balance;
  s->switch_cost = h->switch_cost;
  s->migrate_cost = h->migrate_cost;
  s->warm_cost = h->warm_cost;
  s->end = h->end;
  s->kinds = (uint32_t)h->kinds;
  s->kind = (const void *)words;
  words += h->kinds * sizeof *s->kind / sizeof *words;
  s->step = (const void *)words;
  words += h->steps * sizeof *s->step / sizeof *words;
  s->reserves = (uint32_t)h->reserves;
  s->reserve = (const void *)words;
  for (uint32_t k = 0; k < s->kinds; k++) s->threads += (uint32_t)s->kind[k].count;
  s->alive = s->threads;
  s->busy = NONE;
  make_machine(s, h, policy);
  make_threads(s, h);
  make_objects(s, h);
}

/* --- telling ----------------------------------------------------------------------------------- */

typedef unsigned long long wide; /* for printf */

static void tell_quantiles(const uint32_t *histogram, uint64_t most) {
  const uint32_t percents[] = {50, 95, 99};
  for (int i = 0; i < 3; i++) printf(",%llu", histogram ? (wide)histogram_quantile(histogram, percents[i], most) : 0);
}

static void tell_threads(const struct sim *s) {
  printf("\"threads\":[");
  for (uint32_t i = 0; i < s->threads; i++) {
    const struct thread *t = &s->thread[i];
    const uint32_t *histogram = s->latency[s->latency_by_kind ? t->kind : i];
    printf("%s[%llu,%llu,%llu,%llu,%llu,%llu,%llu", i ? "," : "", (wide)t->service, (wide)t->waiting, (wide)t->switches,
           (wide)t->migrations, (wide)t->wakeups, (wide)t->latencies, (wide)t->latency_sum);
    tell_quantiles(t->latencies ? histogram : NULL, s->latency_by_kind ? s->latency_max : t->latency_max);
    printf(",%llu,%llu]", (wide)t->latency_max, (wide)t->done);
  }
  printf("],\n");
}

static void tell(const struct sim *s, double seconds, const lag_value *series, uint64_t periods) {
  printf("{");
  tell_threads(s);
  printf("\"latency\":[0");
  tell_quantiles(s->latency_all, s->latency_max);
  printf(",%llu],\n\"gaps\":[", (wide)s->latency_max);
  for (uint64_t p = 0; p < periods; p++) printf("%s%llu", p ? "," : "", (wide)lag_ns(series[p]));
  printf("],\n\"idle_of_cpus\":[");
  for (uint32_t c = 0; c < s->m.cpus; c++) printf("%s%llu", c ? "," : "", (wide)s->cpu[c].idle);
  printf("],\n\"now\":%llu,\"decisions\":%llu,\"switches\":%llu,\"migrations\":%llu,\"moved\":%llu,\"held\":%llu,",
         (wide)s->m.now, (wide)s->decisions, (wide)s->switches, (wide)s->migrations, (wide)s->m.moved, (wide)s->m.held);
  printf("\"idle\":%llu,\"service\":%llu,\"gap\":%llu,\"gap_exact\":%d,\"alive\":%u,\"stuck\":%d,", (wide)s->idle,
         (wide)s->service, (wide)lag_largest(&s->lag), lag_exact(&s->lag), s->alive, s->alive && s->stuck == s->alive);
  printf("\"timeline_full\":%d,\"seconds\":%.6f}\n", s->timeline && !s->timeline_left, seconds);
}

static int list(void) {
  for (size_t i = 0; i < POLICY_COUNT; i++) printf("%s\t%s\n", policies[i]->name, policies[i]->text);
  return 0;
}

int main(int argc, char **argv) {
  if (argc == 1) return list();
  if (argc < 3 || argc > 4) fail("usage: simulate [POLICY INPUT [TIMELINE]]");
  static struct sim s;
  uint64_t *words = read_words(argv[2]);
  const struct header *h = (const void *)words;
  lag_value *series = room(h->periods, sizeof *series);
  make(&s, words, argv[1]);
  make_lag(&s, h, series);
  if (argc > 3) {
    s.timeline = fopen(argv[3], "wb");
    if (!s.timeline) fail("the timeline cannot be written");
    s.timeline_left = MAX_TIMELINE;
  }
  clock_t from = clock();
  sim_run(&s);
  tell(&s, (double)(clock() - from) / CLOCKS_PER_SEC, series, h->periods);
  if (s.timeline && fclose(s.timeline)) fail("the timeline cannot be written");
  return 0;
}
