/* SPDX-License-Identifier: GPL-2.0-only */
#include "meter.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { FIFO = 1, ROUND_ROBIN = 2, IDLE = 5, DEADLINE = 6 }; /* SCHED_... */

struct lag_meter *lag_meter_new(uint32_t cpus) {
  struct lag_meter *m = calloc(1, sizeof *m);
  if (m) m->lag = lag_new(cpus);
  if (m && m->lag) {
    m->cpus = cpus;
    return m;
  }
  free(m);
  return NULL;
}

void lag_meter_begin(struct lag_meter *m, uint64_t now_ns) { m->begun_ns = m->lag->now_ns = m->lag->noted_ns = now_ns; }

static void free_thread(struct lag_thread *t) {
  free(t->latency);
  free(t);
}

void lag_meter_free(struct lag_meter *m) {
  if (!m) return;
  for (uint32_t i = 0; i < m->count; i++) free_thread(m->threads[i]);
  for (uint32_t i = 0; i < m->ended_count; i++) free_thread(m->ended[i]);
  for (uint32_t i = 0; i < m->sum_count; i++) free_thread(m->sums[i]);
  free(m->threads);
  lag_free(m->lag);
  free(m);
}

static double most(const struct lag_thread *t) { return t->one.behind > t->one.ahead ? t->one.behind : t->one.ahead; }

int lag_compare(const void *a, const void *b) {
  const struct lag_thread *x = *(struct lag_thread *const *)a, *y = *(struct lag_thread *const *)b;
  if (x->group != y->group) return x->group < y->group ? -1 : 1;
  if (most(x) > most(y) || most(x) < most(y)) return most(x) > most(y) ? -1 : 1;
  if (x->cpu_ns != y->cpu_ns) return x->cpu_ns > y->cpu_ns ? -1 : 1;
  return x->tid < y->tid ? -1 : x->tid > y->tid;
}

static bool is_kind(const struct lag_thread *sum, const struct lag_thread *t) {
  return !sum->mixed && sum->group == t->group && lag_weight(sum) == lag_weight(t) &&
         strcmp(sum->command, t->command) == 0;
}

/* The sum that a thread belongs to; NULL: no memory. */
static struct lag_thread *sum_of(struct lag_meter *m, const struct lag_thread *t) {
  struct lag_thread *rest = NULL;
  uint32_t kinds = 0;
  for (uint32_t i = 0; i < m->sum_count; i++) {
    if (is_kind(m->sums[i], t)) return m->sums[i];
    if (m->sums[i]->mixed && m->sums[i]->group == t->group) rest = m->sums[i];
    kinds += !m->sums[i]->mixed;
  }
  if (rest && kinds == LAG_SUMS) return rest;
  struct lag_thread *sum = calloc(1, sizeof *sum);
  if (!sum) return NULL;
  sum->group = t->group;
  sum->mixed = kinds == LAG_SUMS;
  if (!sum->mixed) {
    memcpy(sum->command, t->command, LAG_COMMAND);
    sum->nice = t->nice;
    sum->policy = t->policy;
  }
  return m->sums[m->sum_count++] = sum;
}

static int fold_one(struct lag_meter *m, struct lag_thread *t) {
  struct lag_thread *sum = sum_of(m, t);
  if (!sum) return ENOMEM;
  if (t->latency && !sum->latency) { /* it takes over what is there */
    sum->latency = t->latency;
    t->latency = NULL;
  } else if (t->latency) {
    lag_merge(sum->latency, t->latency);
  }
  sum->of++;
  sum->cpu_ns += t->cpu_ns;
  sum->wait_ns += t->wait_ns;
  sum->runs += t->runs;
  sum->migrations += t->migrations;
  sum->voluntary += t->voluntary;
  sum->involuntary += t->involuntary;
  sum->one.ideal += t->one.ideal;
  if (t->one.behind > sum->one.behind) sum->one.behind = t->one.behind;
  if (t->one.ahead > sum->one.ahead) sum->one.ahead = t->one.ahead;
  free_thread(t);
  return 0;
}

/* The first LAG_ENDED of all in the order of the report are kept, so the report is the same as if all were kept. */
static int fold(struct lag_meter *m) {
  const struct lag_largest *l = &m->lag->largest;
  uint32_t kept = LAG_ENDED, count = m->ended_count;
  int error = 0;
  qsort(m->ended, count, sizeof *m->ended, lag_compare);
  for (uint32_t i = LAG_ENDED; i < count; i++) {
    struct lag_thread *t = m->ended[i];
    if (error || t == l->ahead || t == l->behind || (error = fold_one(m, t))) m->ended[kept++] = t;
  }
  m->ended_count = kept;
  return error;
}

static struct lag_thread **place(struct lag_meter *m, int32_t tid) { return &m->by_tid[(uint32_t)tid % 4096]; }

/* No event of it comes any more; it is not runnable. */
static int end(struct lag_meter *m, struct lag_thread *t) {
  const struct lag_largest *l = &m->lag->largest;
  struct lag_thread **at = place(m, t->tid), *last = m->threads[m->count - 1];
  while (*at != t) at = &(*at)->next;
  *at = t->next;
  m->threads[t->at] = last;
  last->at = t->at;
  m->count--;
  if (m->gone) m->gone(m->to, t);
  if (!t->cpu_ns && !t->wait_ns && t != l->ahead && t != l->behind) { /* never runnable: in no list or count */
    free_thread(t);
    return 0;
  }
  m->ended[m->ended_count++] = t;
  return m->ended_count == sizeof m->ended / sizeof *m->ended ? fold(m) : 0;
}

static struct lag_thread *known(struct lag_meter *m, int32_t tid) {
  struct lag_thread *t = *place(m, tid);
  while (t && t->tid != tid) t = t->next;
  return t;
}

static void settle(struct lag_meter *m, struct lag_thread *t, uint64_t counted_ns);
static void stops(struct lag_meter *m, struct lag_thread *t, bool waits);

/* Its end was not told. */
static int end_untold(struct lag_meter *m, struct lag_thread *t) {
  if (t->state != LAG_ASLEEP) {
    settle(m, t, LAG_UNKNOWN);
    stops(m, t, false);
  }
  return end(m, t);
}

static int find(struct lag_meter *m, const struct lag_event *e, struct lag_thread **found) {
  struct lag_thread **at = place(m, e->tid), *t = *found = known(m, e->tid);
  /* Numbers are given anew: what has run and is born now is another. */
  if (t && (e->kind != LAG_NEW || (!t->runs && t->state == LAG_ASLEEP))) return 0;
  int error = t ? end_untold(m, t) : 0;
  if (error) return error;
  if (m->count == m->room) {
    uint32_t room = m->room ? 2 * m->room : 256;
    struct lag_thread **more = realloc(m->threads, room * sizeof(struct lag_thread *));
    if (!more) return ENOMEM;
    m->threads = more;
    m->room = room;
  }
  t = calloc(1, sizeof *t);
  if (!t) return ENOMEM;
  t->one.tag = t;
  t->tid = e->tid;
  t->cpu = LAG_NO_CPU;
  t->at = m->count;
  t->next = *at;
  *at = *found = m->threads[m->count++] = t;
  return 0;
}

uint32_t lag_weight(const struct lag_thread *t) { return lag_weights[lag_class(t->nice, t->policy == IDLE)]; }

static enum lag_group group_of(const struct lag_meter *m, const struct lag_event *e) {
  if (e->policy == FIFO || e->policy == ROUND_ROBIN || e->policy == DEADLINE) return LAG_REALTIME;
  return e->allowed < m->cpus ? LAG_PINNED : LAG_COUNTED;
}

static void leave(struct lag_meter *m, struct lag_thread *t) {
  if (t->one.runnable) lag_leave(m->lag, &t->one);
}

static int join(struct lag_meter *m, struct lag_thread *t) {
  if (t->group != LAG_COUNTED) return 0;
  lag_join(m->lag, &t->one, lag_class(t->nice, t->policy == IDLE));
  return t->state == LAG_RUNS ? lag_run(m->lag, &t->one) : 0;
}

/* As the event says it is; whose weight or group is another begins anew. */
static int describe(struct lag_meter *m, struct lag_thread *t, const struct lag_event *e) {
  enum lag_group group = group_of(m, e);
  bool other = t->group != group || t->nice != e->nice || t->policy != e->policy;
  t->pid = e->pid;
  memcpy(t->command, e->command, LAG_COMMAND);
  t->command[LAG_COMMAND - 1] = '\0';
  if (other && t->state != LAG_ASLEEP) leave(m, t);
  t->group = group;
  t->nice = e->nice;
  t->policy = e->policy;
  return other && t->state != LAG_ASLEEP ? join(m, t) : 0;
}

static void turned(const struct lag_meter *m, const struct lag_thread *t) {
  if (m->turned && t->group == LAG_COUNTED) m->turned(m->to, t, m->lag->now_ns, lag_of(m->lag, &t->one));
}

static int runnable(struct lag_meter *m, struct lag_thread *t, uint32_t kind) {
  if (t->state != LAG_ASLEEP) return 0;
  t->state = LAG_WAITS;
  t->since_ns = m->lag->now_ns;
  t->woken = kind == LAG_WAKE || kind == LAG_NEW;
  int error = join(m, t);
  turned(m, t);
  return error;
}

/* While it ran, elapsed time stood in for service; now the kernel's count is known. They differ by the time to
 * choose a thread and switch to it, some ms in ten seconds, and not the same for all. */
static void settle(struct lag_meter *m, struct lag_thread *t, uint64_t counted_ns) {
  if (t->state != LAG_RUNS) return;
  uint64_t passed = m->lag->now_ns - t->since_ns;
  bool known = t->counted_ns != LAG_UNKNOWN && counted_ns != LAG_UNKNOWN && counted_ns >= t->counted_ns;
  uint64_t served = known ? counted_ns - t->counted_ns : passed;
  t->cpu_ns += served;
  if (t->one.runnable) lag_serve(m->lag, &t->one, (double)served - (double)passed);
}

static void stops(struct lag_meter *m, struct lag_thread *t, bool waits) {
  uint64_t now = m->lag->now_ns, passed = now - t->since_ns;
  if (t->state == LAG_RUNS) {
    if (m->ran && t->cpu != LAG_NO_CPU) m->ran(m->to, t, t->since_ns, now);
    *(waits ? &t->involuntary : &t->voluntary) += 1;
    if (t->cpu != LAG_NO_CPU && m->on[t->cpu] == t) m->on[t->cpu] = NULL;
  } else if (t->state == LAG_WAITS) {
    t->wait_ns += passed;
  }
  if (t->one.runnable) lag_stop(m->lag, &t->one);
  turned(m, t);
  t->since_ns = now;
  t->woken = false;
  t->state = waits ? LAG_WAITS : LAG_ASLEEP;
  if (!waits) leave(m, t);
}

static int late(struct lag_meter *m, struct lag_thread *t, uint64_t ns) {
  if (!t->latency) t->latency = calloc(1, sizeof *t->latency);
  if (!t->latency) return ENOMEM;
  lag_count(t->latency, ns / 1000, 1);
  lag_count(&m->latency, ns / 1000, 1);
  return 0;
}

static int runs(struct lag_meter *m, struct lag_thread *t, uint16_t cpu, uint64_t counted_ns) {
  uint64_t now = m->lag->now_ns;
  struct lag_thread *before = m->on[cpu];
  if (before && before != t) { /* the event of its end was lost */
    settle(m, before, LAG_UNKNOWN);
    stops(m, before, false);
  }
  if (t->state == LAG_RUNS) return 0;
  int error = runnable(m, t, LAG_IN);
  t->wait_ns += now - t->since_ns;
  if (t->woken && !error) error = late(m, t, now - t->since_ns);
  t->woken = false;
  t->runs++;
  t->migrations += t->cpu != LAG_NO_CPU && t->cpu != cpu;
  t->cpu = cpu;
  m->on[cpu] = t;
  t->since_ns = now;
  t->counted_ns = counted_ns;
  t->state = LAG_RUNS;
  turned(m, t);
  return error ? error : t->one.runnable ? lag_run(m->lag, &t->one) : 0;
}

void lag_until(struct lag_meter *m, uint64_t now_ns) {
  lag_clock(m->lag, now_ns);
  lag_look(m->lag);
  for (uint32_t i = 0; i < m->count; i++) lag_note(m->lag, &m->threads[i]->one);
}

int lag_event(struct lag_meter *m, const struct lag_event *e) {
  struct lag_thread *t;
  m->events++;
  lag_clock(m->lag, e->at_ns);
  if (e->kind == LAG_ENDS && !known(m, e->tid)) return 0;
  int error = find(m, e, &t);
  if (error) return error;
  t->missing = false;
  if (e->kind == LAG_PREEMPTED || e->kind == LAG_SLEEPS || e->kind == LAG_ENDS) settle(m, t, e->cpu_ns);
  if (lag_due(m->lag)) lag_look(m->lag);
  error = describe(m, t, e);
  if (error) return error;
  switch (e->kind) {
    case LAG_NEW:
    case LAG_WAKE:
    case LAG_THERE: return runnable(m, t, e->kind);
    case LAG_IN: return runs(m, t, e->cpu < LAG_NO_CPU ? e->cpu : 0, e->cpu_ns);
    case LAG_PREEMPTED:
      if (t->state == LAG_ASLEEP) error = runnable(m, t, LAG_IN);
      stops(m, t, true);
      return error;
    case LAG_ENDS: stops(m, t, false); return end(m, t);
    default: stops(m, t, false); return 0;
  }
}

int lag_sweep(struct lag_meter *m, bool (*lives)(const struct lag_thread *t)) {
  int error = 0;
  for (uint32_t i = m->count; i-- && !error;) { /* backwards: the last takes the place of one that goes */
    struct lag_thread *t = m->threads[i];
    bool was = t->missing;
    t->missing = !lives(t);
    if (was && t->missing) error = end_untold(m, t);
  }
  return error;
}

void lag_sample_begin(struct lag_meter *m, uint64_t now_ns) {
  lag_clock(m->lag, now_ns);
  m->samples++;
}

/* A thread's service counts for the time since the last sample, if it was runnable then. */
int lag_sampled(struct lag_meter *m, const struct lag_sample *got) {
  struct lag_thread *t;
  int error = find(m, &got->who, &t);
  if (error) return error;
  bool first = !t->sample || got->cpu_ns < t->sampled_cpu_ns; /* else its number was given anew */
  if (!first) {
    uint64_t served = got->cpu_ns - t->sampled_cpu_ns;
    t->cpu_ns += served;
    t->wait_ns += got->wait_ns - t->sampled_wait_ns;
    t->runs += got->runs - t->sampled_runs;
    if (t->one.runnable) lag_serve(m->lag, &t->one, (double)served);
  }
  m->events++;
  t->sample = m->samples;
  t->sampled_cpu_ns = got->cpu_ns;
  t->sampled_wait_ns = got->wait_ns;
  t->sampled_runs = got->runs;
  t->runnable = got->runnable;
  return describe(m, t, &got->who);
}

/* Threads come and go when all were served, so that the pairs of a sample are whole. */
int lag_sample_end(struct lag_meter *m) {
  int error = 0;
  lag_look(m->lag);
  for (uint32_t i = m->count; i-- && !error;) {
    struct lag_thread *t = m->threads[i];
    bool there = t->sample == m->samples, is = there && t->runnable;
    if (t->one.runnable) lag_note(m->lag, &t->one);
    if (t->state != LAG_ASLEEP) turned(m, t);
    if (is != (t->state != LAG_ASLEEP)) {
      t->state = is ? LAG_WAITS : LAG_ASLEEP;
      if (is) join(m, t);
      else leave(m, t);
    }
    if (!there) error = end(m, t);
  }
  return error;
}

uint64_t lag_cpu_ns(const struct lag_meter *m, const struct lag_thread *t) {
  return t->cpu_ns + (t->state == LAG_RUNS ? m->lag->now_ns - t->since_ns : 0);
}

uint64_t lag_wait_ns(const struct lag_meter *m, const struct lag_thread *t) {
  return t->wait_ns + (t->state == LAG_WAITS && !m->samples ? m->lag->now_ns - t->since_ns : 0);
}

bool lag_anything(const struct lag_meter *m) {
  if (m->ended_count || m->sum_count) return true;
  for (uint32_t i = 0; i < m->count; i++)
    if (m->threads[i]->state != LAG_ASLEEP || m->threads[i]->cpu_ns || m->threads[i]->wait_ns) return true;
  return false;
}
