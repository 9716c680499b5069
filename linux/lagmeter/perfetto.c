/* SPDX-License-Identifier: GPL-2.0-only */
#include "perfetto.h"

#include <stdarg.h>

#include "text.h"

enum { CPUS = 1, THREADS = 2, LAGS = 3 };

static void put(struct lag_perfetto *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(struct lag_perfetto *p, const char *format, ...) {
  va_list values;
  va_start(values, format);
  int size = vfprintf(p->to, format, values);
  va_end(values);
  if (size > 0) p->written += (uint64_t)size;
}

static double us(const struct lag_perfetto *p, uint64_t ns) {
  return ns > p->meter->begun_ns ? (double)(ns - p->meter->begun_ns) / 1e3 : 0;
}

static bool is_full(struct lag_perfetto *p) {
  if (p->written >= p->most && !p->full_ns) p->full_ns = p->meter->lag->now_ns;
  return p->full_ns;
}

/* Its number behind its name, so that those of one name differ. */
static void name(struct lag_perfetto *p, const struct lag_thread *t) {
  put(p, "\"");
  p->written += lag_json_text(p->to, t->command);
  put(p, " %d\"", t->tid);
}

static void ran(void *to, struct lag_thread *t, uint64_t from_ns, uint64_t to_ns) {
  struct lag_perfetto *p = to;
  double from = us(p, from_ns), took = us(p, to_ns) - from;
  if (is_full(p)) return;
  put(p, ",\n{\"ph\": \"X\", \"pid\": %d, \"tid\": %u, \"name\": ", CPUS, t->cpu);
  name(p, t);
  put(p, ", \"args\": {\"thread\": %d}, \"ts\": %.3f, \"dur\": %.3f}", t->tid, from, took);
  put(p,
      ",\n{\"ph\": \"X\", \"pid\": %d, \"tid\": %d, \"name\": \"CPU %u\", \"args\": {\"cpu\": %u}, \"ts\": %.3f, \"dur\": %.3f}",
      THREADS, t->tid, t->cpu, t->cpu, from, took);
  t->drawn = true;
}

static void turned(void *to, const struct lag_thread *t, uint64_t now_ns, double lag_ns) {
  struct lag_perfetto *p = to;
  if (is_full(p)) return;
  put(p, ",\n{\"ph\": \"C\", \"pid\": %d, \"name\": ", LAGS);
  name(p, t);
  put(p, ", \"ts\": %.3f, \"args\": {\"lag ms\": %.6f}}", us(p, now_ns), lag_ns / 1e6);
}

static void title(struct lag_perfetto *p, const char *kind, int pid, long tid, const char *text) {
  put(p, "%s{\"ph\": \"M\", \"pid\": %d, \"name\": \"%s\", \"args\": {\"name\": \"%s\"}",
      pid == CPUS && tid < 0 ? "" : ",\n", pid, kind, text);
  if (tid >= 0) put(p, ", \"tid\": %ld", tid);
  put(p, "}");
}

/* Also when the file is full: those that are drawn in it have names. */
static void gone(void *to, const struct lag_thread *t) {
  struct lag_perfetto *p = to;
  if (!t->drawn) return;
  put(p, ",\n{\"ph\": \"M\", \"pid\": %d, \"tid\": %d, \"name\": \"thread_name\", \"args\": {\"name\": ", THREADS,
      t->tid);
  name(p, t);
  put(p, "}}");
}

void lag_perfetto_begin(struct lag_perfetto *p, FILE *to, struct lag_meter *m, uint64_t most) {
  *p = (struct lag_perfetto){.to = to, .meter = m, .most = most};
  m->ran = ran;
  m->turned = turned;
  m->gone = gone;
  m->to = p;
  put(p, "{\"displayTimeUnit\": \"ns\", \"traceEvents\": [\n");
  title(p, "process_name", CPUS, -1, "CPUs");
  title(p, "process_name", THREADS, -1, "Threads");
  title(p, "process_name", LAGS, -1, "Lag behind the ideal server");
}

void lag_perfetto_end(struct lag_perfetto *p) {
  const struct lag_meter *m = p->meter;
  char text[32];
  for (uint32_t i = 0; i < m->count; i++) {
    struct lag_thread *t = m->threads[i];
    if (t->state == LAG_RUNS && t->cpu != LAG_NO_CPU) ran(p, t, t->since_ns, m->lag->now_ns);
    if (t->one.runnable) turned(p, t, m->lag->now_ns, lag_of(m->lag, &t->one));
    gone(p, t);
  }
  for (uint32_t cpu = 0; cpu < m->lag->cpus; cpu++) {
    snprintf(text, sizeof text, "CPU %u", cpu);
    title(p, "thread_name", CPUS, cpu, text);
  }
  put(p, "]}\n");
}
