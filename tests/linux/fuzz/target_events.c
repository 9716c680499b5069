/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Records of lagmeter's ring buffer, and what is written of them: table, JSON, timeline. */
#define _GNU_SOURCE
#include "source_bpf.c"

#include "fuzz.h"
#include "perfetto.h"
#include "report.h"

static bool odd(const struct lag_thread *t) { return t->tid % 2; }

static uint64_t none(const struct lag_source *s) {
  (void)s;
  return 3;
}

/* Each in memory of its own, as the ring buffer has it; the last may be a part of one. Small numbers of threads and CPUs,
 * else none would come twice; times go on, as the kernel's do. */
static void put(struct lag_source *s, const char *data, size_t size, uint64_t *now) {
  char *record = malloc(size ? size : 1);
  if (!record) return;
  memcpy(record, data, size);
  if (size >= sizeof(struct lag_event)) {
    struct lag_event e;
    memcpy(&e, data, sizeof e);
    *now += e.at_ns % 1000000007;
    e.at_ns = *now;
    if (e.tid & 1) e.tid &= 31;
    if (e.cpu & 1) e.cpu &= 7;
    if (e.nice < -20 || e.nice > 19) e.nice = (int8_t)(e.nice % 20);
    memcpy(record, &e, sizeof e);
  }
  int error = on_event(s, record, size);
  fuzz_check(error == 0 || error == -EPROTO, "error %d", error);
  free(record);
}

static void run(const char *data, size_t size) {
  static char timeline[1 << 20];
  struct lag_source s = {.name = "bpf", .lost = none};
  struct lag_perfetto perfetto;
  uint64_t now = 1;
  s.meter = lag_meter_new(size % 3 + 1);
  FILE *file = fmemopen(timeline, sizeof timeline, "w");
  if (!s.meter || !file) abort();
  lag_meter_begin(s.meter, now);
  lag_perfetto_begin(&perfetto, file, s.meter, size % 2 ? 2000 : sizeof timeline / 2);
  for (size_t at = 0; at < size; at += sizeof(struct lag_event)) {
    size_t left = size - at;
    put(&s, data + at, left < sizeof(struct lag_event) ? left : sizeof(struct lag_event), &now);
    if (at / sizeof(struct lag_event) % 64 == 63) lag_sweep(s.meter, odd);
  }
  lag_until(s.meter, now + 5);
  s.own_before_ms = lag_own_ms();
  lag_write_json(stdout, &s);
  fuzz_check(fuzz_json(fuzz_printed(false)), "the report is not JSON: %s", fuzz_printed(false));
  lag_print(stderr, &s, 20);
  fuzz_printed(true);
  fuzz_note_number(s.meter->count), fuzz_note_number(s.meter->ended_count), fuzz_note_number(s.meter->events);
  lag_perfetto_end(&perfetto);
  fclose(file);
  fuzz_check(fuzz_json(timeline), "the timeline is not JSON: %.4000s", timeline);
  lag_meter_free(s.meter);
}

FUZZ_TARGET(events, .run = run, .most = 16384)
