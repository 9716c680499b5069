/* SPDX-License-Identifier: GPL-2.0-only
 *
 * What lagmeter makes of events or samples that a test has made up, one a line; prints its JSON, its table, or what it
 * keeps. Threads are called as the last line "name HEX" says, else by their numbers. */
#include <stdlib.h>
#include <string.h>

#include "perfetto.h"
#include "report.h"

static char called[LAG_COMMAND + 16];

static void name(char *command, int tid) {
  if (*called) memcpy(command, called, LAG_COMMAND);
  else snprintf(command, LAG_COMMAND, "t%d", tid);
}

static void read_name(const char *hex) {
  unsigned byte;
  memset(called, 0, sizeof called);
  for (size_t i = 0; i < sizeof called && sscanf(hex + 2 * i, "%2x", &byte) == 1; i++) called[i] = (char)byte;
}

/* Records, and the most memory that there was, in KiB. */
static void print_memory(const struct lag_meter *m) {
  FILE *file = fopen("/proc/self/status", "r");
  char line[256];
  long most = 0;
  while (file && fgets(line, sizeof line, file)) sscanf(line, "VmHWM: %ld", &most);
  if (file) fclose(file);
  printf("{\"living\": %u, \"ended\": %u, \"sums\": %u, \"kib\": %ld}\n", m->count, m->ended_count, m->sum_count, most);
}

static bool odd(const struct lag_thread *t) { return t->tid % 2; }

static uint64_t no_loss(const struct lag_source *s) {
  (void)s;
  return 0;
}

int main(int count, char **words) {
  unsigned long long at, cpu_ns, wait_ns, runs, end = 0;
  struct lag_source s = {.name = "bpf", .lost = no_loss};
  struct lag_perfetto perfetto;
  FILE *timeline = count > 3 ? fopen(words[3], "w") : NULL;
  static char line[256];
  int tid, kind, cpu, nice, policy, allowed, runnable, error = 0;
  s.meter = count > 2 ? lag_meter_new((uint32_t)atoi(words[1])) : NULL;
  if (!s.meter) return 2;
  lag_meter_begin(s.meter, 0);
  if (timeline)
    lag_perfetto_begin(&perfetto, timeline, s.meter, count > 4 ? (uint64_t)atoll(words[4]) : LAG_TIMELINE_MOST);
  while (!error && fgets(line, sizeof line, stdin)) {
    struct lag_event e = {.pid = 1};
    cpu_ns = LAG_UNKNOWN;
    if (sscanf(line, "event %llu %d %d %d %d %d %d %llu", &at, &tid, &kind, &cpu, &nice, &policy, &allowed, &cpu_ns) >=
        7) {
      e.at_ns = at, e.tid = tid, e.kind = (uint16_t)kind, e.cpu = (uint16_t)cpu;
      e.cpu_ns = cpu_ns, e.nice = (int8_t)nice, e.policy = (uint8_t)policy, e.allowed = (uint16_t)allowed;
      name(e.command, tid);
      error = lag_event(s.meter, &e);
    } else if (sscanf(line, "sample %llu", &at) == 1) {
      lag_sample_begin(s.meter, at);
      s.sample_ms = 10;
    } else if (sscanf(line, "is %d %d %d %llu %llu %llu", &tid, &nice, &runnable, &cpu_ns, &wait_ns, &runs) == 6) {
      struct lag_sample got = {
          .who = {.kind = LAG_IN, .pid = 1, .tid = tid, .nice = (int8_t)nice, .allowed = UINT16_MAX},
          .runnable = runnable,
          .cpu_ns = cpu_ns,
          .wait_ns = wait_ns,
          .runs = runs};
      name(got.who.command, tid);
      error = lag_sampled(s.meter, &got);
    } else if (strcmp(line, "done\n") == 0) {
      error = lag_sample_end(s.meter);
    } else if (strncmp(line, "name ", 5) == 0) {
      read_name(line + 5);
    } else if (strcmp(line, "only odd ones live\n") == 0) {
      error = lag_sweep(s.meter, odd);
    } else if (sscanf(line, "end %llu", &end) != 1) {
      return 2;
    }
  }
  lag_until(s.meter, end);
  s.own_before_ms = lag_own_ms();
  if (strcmp(words[2], "memory") == 0) print_memory(s.meter);
  else if (!error) error = strcmp(words[2], "json") == 0 ? lag_write_json(stdout, &s) : lag_print(stdout, &s, 3);
  if (timeline) lag_perfetto_end(&perfetto), fclose(timeline);
  lag_meter_free(s.meter);
  return error;
}
