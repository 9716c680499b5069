/* SPDX-License-Identifier: GPL-2.0-only */
#include "report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

#define MS 1e6
#define SUM_ROWS 10 /* of the table; JSON has all */
static const char *const groups[LAG_GROUPS] = {"counted", "pinned", "realtime"};

static bool was_runnable(const struct lag_meter *m, const struct lag_thread *t) {
  return lag_cpu_ns(m, t) + lag_wait_ns(m, t);
}

/* NULL: no memory. Only those that were ever runnable, but for those in sums. */
static struct lag_thread **sorted(const struct lag_meter *m, uint32_t *count) {
  struct lag_thread **all = calloc(m->count + m->ended_count + 1, sizeof(struct lag_thread *));
  *count = 0;
  if (!all) return NULL;
  for (uint32_t i = 0; i < m->count; i++)
    if (was_runnable(m, m->threads[i])) all[(*count)++] = m->threads[i];
  for (uint32_t i = 0; i < m->ended_count; i++)
    if (was_runnable(m, m->ended[i])) all[(*count)++] = m->ended[i];
  qsort(all, *count, sizeof *all, lag_compare);
  return all;
}

/* Most CPU time first; those of several kinds last. */
static int compare_sums(const void *a, const void *b) {
  const struct lag_thread *x = *(struct lag_thread *const *)a, *y = *(struct lag_thread *const *)b;
  if (x->mixed != y->mixed) return x->mixed ? 1 : -1;
  if (x->cpu_ns != y->cpu_ns) return x->cpu_ns > y->cpu_ns ? -1 : 1;
  return strcmp(x->command, y->command);
}

static void sort_sums(const struct lag_meter *m, struct lag_thread **sums) {
  memcpy(sums, m->sums, m->sum_count * sizeof *sums);
  qsort(sums, m->sum_count, sizeof *sums, compare_sums);
}

static double since(const struct lag_meter *m, uint64_t ns) {
  return ns > m->begun_ns ? (double)(ns - m->begun_ns) / MS : 0;
}

struct sums {
  double cpu_ms;
  uint64_t migrations;
  uint32_t groups[LAG_GROUPS], folded; /* threads; of them in m->sums */
};

static void add(struct sums *s, const struct lag_meter *m, const struct lag_thread *t) {
  s->cpu_ms += (double)lag_cpu_ns(m, t) / MS;
  s->migrations += t->migrations;
  s->groups[t->group] += t->of ? t->of : 1;
  s->folded += t->of;
}

static struct sums sum(const struct lag_meter *m, struct lag_thread *const *all, uint32_t count) {
  struct sums s = {0};
  for (uint32_t i = 0; i < count; i++) add(&s, m, all[i]);
  for (uint32_t i = 0; i < m->sum_count; i++) add(&s, m, m->sums[i]);
  return s;
}

static void print_head(FILE *to, const struct lag_source *s, const struct sums *sums) {
  const struct lag_meter *m = s->meter;
  const struct lag *lag = m->lag;
  const struct lag_largest *l = &lag->largest;
  const struct lag_thread *ahead = l->ahead, *behind = l->behind;
  char shown[2][LAG_SHOWN];
  fprintf(to, "%.3f s on %u CPUs by %s: %u threads counted, %u pinned, %u real-time; %.3f s of CPU time\n",
          since(m, lag->now_ns) / 1e3, lag->cpus, s->sample_ms > 0 ? "sampling /proc" : "BPF", sums->groups[0],
          sums->groups[1], sums->groups[2], sums->cpu_ms / 1e3);
  if (ahead)
    fprintf(to, "largest gap %.3f ms: %d %s got more than %d %s from %.3f to %.3f s\n", l->gap / MS, ahead->tid,
            lag_shown(ahead->command, shown[0]), behind->tid, lag_shown(behind->command, shown[1]),
            since(m, l->from_ns) / 1e3, since(m, l->at_ns) / 1e3);
  else fputs("no gap: no two threads were ever runnable at the same time\n", to);
  if (lag->gaps.weight)
    fprintf(to, "gap over time: p50 %.3f ms, p90 %.3f ms, p99 %.3f ms\n", (double)lag_percentile(&lag->gaps, 50) / 1e3,
            (double)lag_percentile(&lag->gaps, 90) / 1e3, (double)lag_percentile(&lag->gaps, 99) / 1e3);
  if (lag->unpaired)
    fprintf(to, "more than %d threads were runnable: the gap covers only %d of them, others may be further apart\n",
            LAG_PAIRS, LAG_PAIRS);
  if (s->lost(s)) fprintf(to, "%llu events were lost: the figures are not exact\n", (unsigned long long)s->lost(s));
}

static void print_row(FILE *to, const struct lag_meter *m, const struct lag_thread *t) {
  double cpu = (double)lag_cpu_ns(m, t), wait = (double)lag_wait_ns(m, t);
  char who[16], nice[8], shown[LAG_SHOWN], p50[24] = "-", p99[24] = "-";
  snprintf(who, sizeof who, t->of ? "x%u" : "%u", t->of ? t->of : (uint32_t)t->tid);
  snprintf(nice, sizeof nice, t->mixed ? "-" : t->policy == 5 ? "idle" : "%d", t->nice);
  if (t->latency) {
    snprintf(p50, sizeof p50, "%llu", (unsigned long long)lag_percentile(t->latency, 50));
    snprintf(p99, sizeof p99, "%llu", (unsigned long long)lag_percentile(t->latency, 99));
  }
  fprintf(to, "%8s %-15s %5s %10.3f ", who, t->mixed ? "(others)" : lag_shown(t->command, shown), nice, cpu / MS);
  if (t->group == LAG_COUNTED)
    fprintf(to, "%10.3f %9.3f %9.3f %9.3f", lag_ideal(m->lag, &t->one) / MS, lag_of(m->lag, &t->one) / MS,
            t->one.behind / MS, t->one.ahead / MS);
  else fprintf(to, "%10s %9s %9s %9s", groups[t->group], "-", "-", "-");
  if (cpu > 0) fprintf(to, " %8.2f", (cpu + wait) / cpu);
  else fprintf(to, " %8s", "-");
  fprintf(to, " %8s %8s %7llu %6llu %7llu %7llu\n", p50, p99, (unsigned long long)t->runs,
          (unsigned long long)t->migrations, (unsigned long long)t->voluntary, (unsigned long long)t->involuntary);
}

int lag_print(FILE *to, const struct lag_source *s, uint32_t rows) {
  const struct lag_meter *m = s->meter;
  struct lag_thread *of_ended[LAG_SUMS + LAG_GROUPS];
  uint32_t count;
  struct lag_thread **all = sorted(m, &count);
  if (!all) return ENOMEM;
  struct sums sums = sum(m, all, count);
  print_head(to, s, &sums);
  fprintf(to, "%8s %-15s %5s %10s %10s %9s %9s %9s %8s %8s %8s %7s %6s %7s %7s\n", "tid", "command", "nice", "CPU ms",
          "ideal ms", "lag ms", "behind ms", "ahead ms", "slowdown", "wake p50", "p99 us", "runs", "moves", "vol",
          "invol");
  for (uint32_t i = 0; i < count && i < rows; i++) print_row(to, m, all[i]);
  if (count > rows) fprintf(to, "... and %u more\n", count - rows + sums.folded);
  if (sums.folded) fprintf(to, "%u of them have ended, summed (xN: sum of N threads):\n", sums.folded);
  sort_sums(m, of_ended);
  for (uint32_t i = 0; i < m->sum_count && i < SUM_ROWS; i++) print_row(to, m, of_ended[i]);
  if (m->sum_count > SUM_ROWS) fprintf(to, "... and %u more sums\n", m->sum_count - SUM_ROWS);
  free(all);
  return 0;
}

static void text(FILE *to, const char *s) {
  fputc('"', to);
  lag_json_text(to, s);
  fputc('"', to);
}

static void latency(FILE *to, const struct lag_histogram *h) {
  static const struct lag_histogram none;
  if (!h) h = &none;
  fprintf(to, "{\"count\": %llu", (unsigned long long)h->weight);
  if (h->weight)
    fprintf(to, ", \"p50_us\": %llu, \"p90_us\": %llu, \"p99_us\": %llu, \"max_us\": %llu",
            (unsigned long long)lag_percentile(h, 50), (unsigned long long)lag_percentile(h, 90),
            (unsigned long long)lag_percentile(h, 99), (unsigned long long)h->most);
  fputc('}', to);
}

static void one(FILE *to, const struct lag_meter *m, const struct lag_thread *t) {
  double cpu = (double)lag_cpu_ns(m, t), wait = (double)lag_wait_ns(m, t);
  if (t->of) fprintf(to, "{\"threads\": %u, \"command\": ", t->of);
  else fprintf(to, "{\"tid\": %d, \"pid\": %d, \"command\": ", t->tid, t->pid);
  if (t->mixed) fputs("null", to);
  else text(to, t->command);
  fprintf(to, ", \"group\": \"%s\"", groups[t->group]);
  if (!t->mixed) fprintf(to, ", \"nice\": %d, \"weight\": %u", t->nice, lag_weight(t));
  fprintf(to, ", \"cpu_ms\": %.6f, \"wait_ms\": %.6f", cpu / MS, wait / MS);
  if (t->group == LAG_COUNTED)
    fprintf(to, ", \"ideal_ms\": %.6f, \"lag_ms\": %.6f, \"behind_max_ms\": %.6f, \"ahead_max_ms\": %.6f",
            lag_ideal(m->lag, &t->one) / MS, lag_of(m->lag, &t->one) / MS, t->one.behind / MS, t->one.ahead / MS);
  if (cpu > 0) fprintf(to, ", \"slowdown_ratio\": %.6f", (cpu + wait) / cpu);
  fprintf(
      to,
      ", \"runs\": %llu, \"migrations\": %llu, \"voluntary_switches\": %llu, \"involuntary_switches\": %llu, \"wakeup\": ",
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
  struct lag_thread *of_ended[LAG_SUMS + LAG_GROUPS];
  uint32_t count;
  struct lag_thread **all = sorted(m, &count);
  if (!all) return ENOMEM;
  struct sums sums = sum(m, all, count);
  fprintf(
      to,
      "{\"lagmeter\": 1, \"source\": \"%s\", \"sample_ms\": %g, \"longest_sample_ms\": %.3f, \"cpus\": %u, \"wall_ms\": %.6f, \"cpu_ms\": %.6f,\n",
      s->name, s->sample_ms, s->longest_sample_ms, lag->cpus, since(m, lag->now_ns), sums.cpu_ms);
  fprintf(to, " \"events\": %llu, \"lost_events\": %llu, \"own_cpu_ms\": %.3f,\n", (unsigned long long)m->events,
          (unsigned long long)s->lost(s), lag_own_ms() - s->own_before_ms);
  fprintf(to, " \"threads_counted\": %u, \"threads_pinned\": %u, \"threads_realtime\": %u, \"threads_unlisted\": %u,\n",
          sums.groups[0], sums.groups[1], sums.groups[2],
          sums.folded + (count > LAG_JSON_THREADS ? count - LAG_JSON_THREADS : 0));
  fprintf(
      to,
      " \"gap\": {\"max_ms\": %.6f, \"all_pairs\": %s, \"now_ms\": %.6f, \"p50_ms\": %.3f, \"p90_ms\": %.3f, \"p99_ms\": %.3f",
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
  fprintf(to, "},\n \"migrations\": %llu, \"wakeup\": ", (unsigned long long)sums.migrations);
  latency(to, &m->latency);
  fputs(",\n \"threads\": [", to);
  for (uint32_t i = 0; i < count && i < LAG_JSON_THREADS; i++) {
    fputs(i ? ",\n  " : "\n  ", to);
    one(to, m, all[i]);
  }
  fputs("],\n \"ended\": [", to);
  sort_sums(m, of_ended);
  for (uint32_t i = 0; i < m->sum_count; i++) {
    fputs(i ? ",\n  " : "\n  ", to);
    one(to, m, of_ended[i]);
  }
  fputs("]}\n", to);
  free(all);
  return 0;
}
