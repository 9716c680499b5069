/* SPDX-License-Identifier: GPL-2.0-only
 *
 * What lagmeter makes of events or samples that a test has made up, one a line; prints its JSON, or its table. */
#include <stdlib.h>
#include <string.h>

#include "perfetto.h"
#include "report.h"

static uint64_t no_loss(const struct lag_source *s) {
  (void)s;
  return 0;
}

int main(int count, char **words) {
  unsigned long long at, cpu_ns, wait_ns, runs, end = 0;
  struct lag_source s = {.name = "bpf", .lost = no_loss};
  struct lag_perfetto perfetto;
  FILE *timeline = count > 3 ? fopen(words[3], "w") : NULL;
  char line[256];
  int tid, kind, cpu, nice, policy, allowed, runnable, error = 0;
  s.meter = count > 2 ? lag_meter_new((uint32_t)atoi(words[1])) : NULL;
  if (!s.meter) return 2;
  lag_meter_begin(s.meter, 0);
  if (timeline) lag_perfetto_begin(&perfetto, timeline, s.meter);
  while (!error && fgets(line, sizeof line, stdin)) {
    struct lag_event e = {.pid = 1};
    cpu_ns = LAG_UNKNOWN;
    if (sscanf(line, "event %llu %d %d %d %d %d %d %llu", &at, &tid, &kind, &cpu, &nice, &policy, &allowed, &cpu_ns) >= 7) {
      e.at_ns = at, e.tid = tid, e.kind = (uint16_t)kind, e.cpu = (uint16_t)cpu;
      e.cpu_ns = cpu_ns, e.nice = (int8_t)nice, e.policy = (uint8_t)policy, e.allowed = (uint16_t)allowed;
      snprintf(e.command, sizeof e.command, "t%d", tid);
      error = lag_event(s.meter, &e);
    } else if (sscanf(line, "sample %llu", &at) == 1) {
      lag_sample_begin(s.meter, at);
      s.sample_ms = 10;
    } else if (sscanf(line, "is %d %d %d %llu %llu %llu", &tid, &nice, &runnable, &cpu_ns, &wait_ns, &runs) == 6) {
      struct lag_sample got = {.who = {.kind = LAG_IN, .pid = 1, .tid = tid, .nice = (int8_t)nice, .allowed = UINT16_MAX},
                               .runnable = runnable, .cpu_ns = cpu_ns, .wait_ns = wait_ns, .runs = runs};
      snprintf(got.who.command, sizeof got.who.command, "t%d", tid);
      error = lag_sampled(s.meter, &got);
    } else if (strcmp(line, "done\n") == 0) {
      lag_sample_end(s.meter);
    } else if (sscanf(line, "end %llu", &end) != 1) {
      return 2;
    }
  }
  lag_until(s.meter, end);
  s.own_before_ms = lag_own_ms();
  if (!error) error = strcmp(words[2], "json") == 0 ? lag_write_json(stdout, &s) : lag_print(stdout, &s, 3);
  if (timeline) lag_perfetto_end(&perfetto), fclose(timeline);
  lag_meter_free(s.meter);
  return error;
}
