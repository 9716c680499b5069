/* SPDX-License-Identifier: GPL-2.0-only */
#include "report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MS 1e6
static const char *const groups[LAG_GROUPS] = {"counted", "pinned", "realtime"};

static double most(const struct lag_thread *t) { return t->one.behind > t->one.ahead ? t->one.behind : t->one.ahead; }

/* Furthest from what they should have had first; those without a lag by CPU time. */
static int compare(const void *a, const void *b) {
  const struct lag_thread *x = *(struct lag_thread *const *)a, *y = *(struct lag_thread *const *)b;
  if (x->group != y->group) return x->group < y->group ? -1 : 1;
  if (most(x) > most(y) || most(x) < most(y)) return most(x) > most(y) ? -1 : 1;
  if (x->cpu_ns != y->cpu_ns) return x->cpu_ns > y->cpu_ns ? -1 : 1;
  return x->tid < y->tid ? -1 : x->tid > y->tid;
}

/* NULL: no memory. Only those that were ever runnable. */
static struct lag_thread **sorted(const struct lag_meter *m, uint32_t *count) {
  struct lag_thread **all = calloc(m->count + 1, sizeof(struct lag_thread *));
  *count = 0;
  for (uint32_t i = 0; all && i < m->count; i++)
    if (lag_cpu_ns(m, m->threads[i]) + lag_wait_ns(m, m->threads[i])) all[(*count)++] = m->threads[i];
  if (all) qsort(all, *count, sizeof *all, compare);
  return all;
}

static double since(const struct lag_meter *m, uint64_t ns) { return ns > m->begun_ns ? (double)(ns - m->begun_ns) / MS : 0; }

struct sums {
  double cpu_ms;
  uint32_t groups[LAG_GROUPS];
};

static struct sums sum(const struct lag_meter *m, struct lag_thread *const *all, uint32_t count) {
  struct sums s = {0};
  for (uint32_t i = 0; i < count; i++) {
    s.cpu_ms += (double)lag_cpu_ns(m, all[i]) / MS;
    s.groups[all[i]->group]++;
  }
  return s;
}

static void print_head(FILE *to, const struct lag_source *s, const struct sums *sums) {
  const struct lag_meter *m = s->meter;
  const struct lag *lag = m->lag;
  const struct lag_largest *l = &lag->largest;
  const struct lag_thread *ahead = l->ahead, *behind = l->behind;
  fprintf(to, "%.3f s on %u CPUs by %s: %u threads counted, %u pinned, %u real-time; %.3f s of CPU time\n",
          since(m, lag->now_ns) / 1e3, lag->cpus, s->sample_ms > 0 ? "sampling /proc" : "BPF", sums->groups[0], sums->groups[1],
          sums->groups[2], sums->cpu_ms / 1e3);
  if (ahead)
    fprintf(to, "largest gap %.3f ms: %d %s got more than %d %s from %.3f to %.3f s\n", l->gap / MS, ahead->tid, ahead->command,
            behind->tid, behind->command, since(m, l->from_ns) / 1e3, since(m, l->at_ns) / 1e3);
  else
    fputs("no gap: never were two threads runnable at a time\n", to);
  if (lag->gaps.weight)
    fprintf(to, "gap over time: 50 %% %.3f ms, 90 %% %.3f ms, 99 %% %.3f ms\n", (double)lag_percentile(&lag->gaps, 50) / 1e3,
            (double)lag_percentile(&lag->gaps, 90) / 1e3, (double)lag_percentile(&lag->gaps, 99) / 1e3);
  if (lag->unpaired)
    fprintf(to, "more than %d threads were runnable: the gap is the largest of %d of them, all others may be further apart\n",
            LAG_PAIRS, LAG_PAIRS);
  if (s->lost(s))
    fprintf(to, "%llu events were lost: no figure here is exact\n", (unsigned long long)s->lost(s));
}

int lag_print(FILE *to, const struct lag_source *s, uint32_t rows) {
  const struct lag_meter *m = s->meter;
  uint32_t count;
  struct lag_thread **all = sorted(m, &count);
  if (!all) return ENOMEM;
  struct sums sums = sum(m, all, count);
  print_head(to, s, &sums);
  fprintf(to, "%8s %-15s %5s %10s %10s %9s %9s %9s %8s %8s %8s %7s %6s %7s %7s\n", "tid", "command", "nice", "CPU ms", "ideal ms",
          "lag ms", "behind", "ahead", "slowdown", "wake p50", "p99 us", "runs", "moves", "vol", "invol");
  for (uint32_t i = 0; i < count && i < rows; i++) {
    const struct lag_thread *t = all[i];
    double cpu = (double)lag_cpu_ns(m, t), wait = (double)lag_wait_ns(m, t);
    char nice[8], p50[16] = "-", p99[16] = "-";
    snprintf(nice, sizeof nice, t->policy == 5 ? "idle" : "%d", t->nice);
    if (t->latency) {
      snprintf(p50, sizeof p50, "%llu", (unsigned long long)lag_percentile(t->latency, 50));
      snprintf(p99, sizeof p99, "%llu", (unsigned long long)lag_percentile(t->latency, 99));
    }
    fprintf(to, "%8d %-15s %5s %10.3f ", t->tid, t->command, nice, cpu / MS);
    if (t->group == LAG_COUNTED)
      fprintf(to, "%10.3f %9.3f %9.3f %9.3f", lag_ideal(m->lag, &t->one) / MS, lag_of(m->lag, &t->one) / MS, t->one.behind / MS,
              t->one.ahead / MS);
    else
      fprintf(to, "%10s %9s %9s %9s", groups[t->group], "-", "-", "-");
    if (cpu > 0)
      fprintf(to, " %8.2f", (cpu + wait) / cpu);
    else
      fprintf(to, " %8s", "-");
    fprintf(to, " %8s %8s %7llu %6llu %7llu %7llu\n", p50, p99, (unsigned long long)t->runs, (unsigned long long)t->migrations,
            (unsigned long long)t->voluntary, (unsigned long long)t->involuntary);
  }
  if (count > rows) fprintf(to, "... and %u more\n", count - rows);
  free(all);
  return 0;
}

static void text(FILE *to, const char *s) {
  fputc('"', to);
  for (; *s; s++) {
    unsigned char c = (unsigned char)*s;
    if (c == '"' || c == '\\')
      fprintf(to, "\\%c", c);
    else if (c < ' ' || c > '~')
      fprintf(to, "\\u%04x", c);
    else
      fputc(c, to);
  }
  fputc('"', to);
}

static void latency(FILE *to, const struct lag_histogram *h) {
  static const struct lag_histogram none;
  if (!h) h = &none;
  fprintf(to, "{\"count\": %llu", (unsigned long long)h->weight);
  if (h->weight)
    fprintf(to, ", \"p50_us\": %llu, \"p90_us\": %llu, \"p99_us\": %llu, \"max_us\": %llu", (unsigned long long)lag_percentile(h, 50),
            (unsigned long long)lag_percentile(h, 90), (unsigned long long)lag_percentile(h, 99), (unsigned long long)h->most);
  fputc('}', to);
}

static void one(FILE *to, const struct lag_meter *m, const struct lag_thread *t) {
  double cpu = (double)lag_cpu_ns(m, t), wait = (double)lag_wait_ns(m, t);
  fprintf(to, "{\"tid\": %d, \"pid\": %d, \"command\": ", t->tid, t->pid);
  text(to, t->command);
  fprintf(to, ", \"group\": \"%s\", \"nice\": %d, \"weight\": %u, \"cpu_ms\": %.6f, \"wait_ms\": %.6f", groups[t->group], t->nice,
          lag_weight(t), cpu / MS, wait / MS);
  if (t->group == LAG_COUNTED)
    fprintf(to, ", \"ideal_ms\": %.6f, \"lag_ms\": %.6f, \"behind_max_ms\": %.6f, \"ahead_max_ms\": %.6f",
            lag_ideal(m->lag, &t->one) / MS, lag_of(m->lag, &t->one) / MS, t->one.behind / MS, t->one.ahead / MS);
  if (cpu > 0) fprintf(to, ", \"slowdown_ratio\": %.6f", (cpu + wait) / cpu);
  fprintf(to, ", \"runs\": %llu, \"migrations\": %llu, \"voluntary_switches\": %llu, \"involuntary_switches\": %llu, \"wakeup\": ",
          (unsigned long long)t->runs, (unsigned long long)t->migrations, (unsigned long long)t->voluntary,
          (unsigned long long)t->involuntary);
  latency(to, t->latency);
  fputc('}', to);
}

int lag_write_json(FILE *to, const struct lag_source *s) {
  const struct lag_meter *m = s->meter;
  const struct lag *lag = m->lag;
  const struct lag_largest *l = &lag->largest;
  const struct lag_thread *pair[2] = {l->ahead, l->behind};
  uint32_t count;
  struct lag_thread **all = sorted(m, &count);
  if (!all) return ENOMEM;
  struct sums sums = sum(m, all, count);
  uint64_t migrations = 0;
  for (uint32_t i = 0; i < count; i++) migrations += all[i]->migrations;
  fprintf(to, "{\"lagmeter\": 1, \"source\": \"%s\", \"sample_ms\": %g, \"longest_sample_ms\": %.3f, \"cpus\": %u, \"wall_ms\": %.6f, \"cpu_ms\": %.6f,\n", s->name,
          s->sample_ms, s->longest_sample_ms, lag->cpus, since(m, lag->now_ns), sums.cpu_ms);
  fprintf(to, " \"events\": %llu, \"lost_events\": %llu, \"own_cpu_ms\": %.3f,\n", (unsigned long long)m->events,
          (unsigned long long)s->lost(s), lag_own_ms() - s->own_before_ms);
  fprintf(to, " \"threads_counted\": %u, \"threads_pinned\": %u, \"threads_realtime\": %u, \"threads_unlisted\": %u,\n", sums.groups[0],
          sums.groups[1], sums.groups[2], count > LAG_JSON_THREADS ? count - LAG_JSON_THREADS : 0);
  fprintf(to, " \"gap\": {\"max_ms\": %.6f, \"all_pairs\": %s, \"now_ms\": %.6f, \"p50_ms\": %.3f, \"p90_ms\": %.3f, \"p99_ms\": %.3f",
          l->gap / MS, lag->unpaired ? "false" : "true", lag_gap(lag) / MS, (double)lag_percentile(&lag->gaps, 50) / 1e3,
          (double)lag_percentile(&lag->gaps, 90) / 1e3, (double)lag_percentile(&lag->gaps, 99) / 1e3);
  if (pair[0]) {
    fprintf(to, ",\n  \"from_ms\": %.6f, \"at_ms\": %.6f", since(m, l->from_ns), since(m, l->at_ns));
    for (int i = 0; i < 2; i++) {
      fprintf(to, ", \"%s\": {\"tid\": %d, \"command\": ", i ? "behind" : "ahead", pair[i]->tid);
      text(to, pair[i]->command);
      fputc('}', to);
    }
  }
  fprintf(to, "},\n \"migrations\": %llu, \"wakeup\": ", (unsigned long long)migrations);
  latency(to, &m->latency);
  fputs(",\n \"threads\": [", to);
  for (uint32_t i = 0; i < count && i < LAG_JSON_THREADS; i++) {
    fputs(i ? ",\n  " : "\n  ", to);
    one(to, m, all[i]);
  }
  fputs("]}\n", to);
  free(all);
  return 0;
}
