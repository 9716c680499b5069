/* SPDX-License-Identifier: GPL-2.0-only */
#include "perfetto.h"

enum { CPUS = 1, THREADS = 2, LAGS = 3 };

static double us(const struct lag_perfetto *p, uint64_t ns) {
  return ns > p->meter->begun_ns ? (double)(ns - p->meter->begun_ns) / 1e3 : 0;
}

/* Its number behind its name, so that those of one name differ; what JSON would need to escape is left out. */
static void name(FILE *to, const struct lag_thread *t) {
  fputc('"', to);
  for (const char *c = t->command; *c; c++)
    if (*c >= ' ' && *c <= '~' && *c != '"' && *c != '\\') fputc(*c, to);
  fprintf(to, " %d\"", t->tid);
}

static void ran(void *to, const struct lag_thread *t, uint64_t from_ns, uint64_t to_ns) {
  struct lag_perfetto *p = to;
  double from = us(p, from_ns), took = us(p, to_ns) - from;
  fprintf(p->to, ",\n{\"ph\": \"X\", \"pid\": %d, \"tid\": %u, \"name\": ", CPUS, t->cpu);
  name(p->to, t);
  fprintf(p->to, ", \"args\": {\"thread\": %d}, \"ts\": %.3f, \"dur\": %.3f}", t->tid, from, took);
  fprintf(p->to, ",\n{\"ph\": \"X\", \"pid\": %d, \"tid\": %d, \"name\": \"CPU %u\", \"args\": {\"cpu\": %u}, \"ts\": %.3f, \"dur\": %.3f}",
          THREADS, t->tid, t->cpu, t->cpu, from, took);
}

static void turned(void *to, const struct lag_thread *t, uint64_t now_ns, double lag_ns) {
  struct lag_perfetto *p = to;
  fprintf(p->to, ",\n{\"ph\": \"C\", \"pid\": %d, \"name\": ", LAGS);
  name(p->to, t);
  fprintf(p->to, ", \"ts\": %.3f, \"args\": {\"lag ms\": %.6f}}", us(p, now_ns), lag_ns / 1e6);
}

static void title(FILE *to, const char *kind, int pid, long tid, const char *text) {
  fprintf(to, "%s{\"ph\": \"M\", \"pid\": %d, \"name\": \"%s\", \"args\": {\"name\": \"%s\"}", pid == CPUS && tid < 0 ? "" : ",\n", pid,
          kind, text);
  if (tid >= 0) fprintf(to, ", \"tid\": %ld", tid);
  fputc('}', to);
}

void lag_perfetto_begin(struct lag_perfetto *p, FILE *to, struct lag_meter *m) {
  *p = (struct lag_perfetto){.to = to, .meter = m};
  m->ran = ran;
  m->turned = turned;
  m->to = p;
  fputs("{\"displayTimeUnit\": \"ns\", \"traceEvents\": [\n", to);
  title(to, "process_name", CPUS, -1, "CPUs");
  title(to, "process_name", THREADS, -1, "Threads");
  title(to, "process_name", LAGS, -1, "Lag behind the ideal server");
}

void lag_perfetto_end(struct lag_perfetto *p) {
  const struct lag_meter *m = p->meter;
  char text[32];
  for (uint32_t i = 0; i < m->count; i++) {
    const struct lag_thread *t = m->threads[i];
    if (t->state == LAG_RUNS && t->cpu != LAG_NO_CPU) ran(p, t, t->since_ns, m->lag->now_ns);
    if (t->one.runnable) turned(p, t, m->lag->now_ns, lag_of(m->lag, &t->one));
    fprintf(p->to, ",\n{\"ph\": \"M\", \"pid\": %d, \"tid\": %d, \"name\": \"thread_name\", \"args\": {\"name\": ", THREADS, t->tid);
    name(p->to, t);
    fputs("}}", p->to);
  }
  for (uint32_t cpu = 0; cpu < m->lag->cpus; cpu++) {
    snprintf(text, sizeof text, "CPU %u", cpu);
    title(p->to, "thread_name", CPUS, cpu, text);
  }
  fputs("]}\n", p->to);
}
