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

void lag_meter_begin(struct lag_meter *m, uint64_t now_ns) {
  m->begun_ns = m->lag->now_ns = m->lag->noted_ns = now_ns;
}

void lag_meter_free(struct lag_meter *m) {
  for (uint32_t i = 0; m && i < m->count; i++) {
    free(m->threads[i]->latency);
    free(m->threads[i]);
  }
  if (m) {
    free(m->threads);
    lag_free(m->lag);
  }
  free(m);
}

static struct lag_thread **place(struct lag_meter *m, int32_t tid) { return &m->by_tid[(uint32_t)tid % 4096]; }

static int find(struct lag_meter *m, const struct lag_event *e, struct lag_thread **found) {
  struct lag_thread **at = place(m, e->tid), *t = *at;
  while (t && t->tid != e->tid) t = t->next;
  *found = t;
  /* Numbers are given anew: what has run and is born now is another. */
  if (t && (e->kind != LAG_NEW || (!t->runs && t->state == LAG_ASLEEP))) return 0;
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

/* While it ran, time was taken for service; what the kernel counted is now known. They differ by what it takes to choose
 * a thread and to switch to it, which is some ms in ten seconds, and not the same for all. */
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
  int error = find(m, e, &t);
  if (error) return error;
  m->events++;
  lag_clock(m->lag, e->at_ns);
  if (e->kind == LAG_PREEMPTED || e->kind == LAG_SLEEPS) settle(m, t, e->cpu_ns);
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
  default: stops(m, t, false); return 0;
  }
}

void lag_sample_begin(struct lag_meter *m, uint64_t now_ns) {
  lag_clock(m->lag, now_ns);
  m->samples++;
}

/* What it got counts for the time since the last sample, if it was runnable then. */
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
void lag_sample_end(struct lag_meter *m) {
  lag_look(m->lag);
  for (uint32_t i = 0; i < m->count; i++) {
    struct lag_thread *t = m->threads[i];
    bool is = t->sample == m->samples && t->runnable;
    if (t->one.runnable) lag_note(m->lag, &t->one);
    if (t->state != LAG_ASLEEP) turned(m, t);
    if (is == (t->state != LAG_ASLEEP)) continue;
    t->state = is ? LAG_WAITS : LAG_ASLEEP;
    if (is)
      join(m, t);
    else
      leave(m, t);
  }
}

uint64_t lag_cpu_ns(const struct lag_meter *m, const struct lag_thread *t) {
  return t->cpu_ns + (t->state == LAG_RUNS ? m->lag->now_ns - t->since_ns : 0);
}

uint64_t lag_wait_ns(const struct lag_meter *m, const struct lag_thread *t) {
  return t->wait_ns + (t->state == LAG_WAITS && !m->samples ? m->lag->now_ns - t->since_ns : 0);
}

bool lag_anything(const struct lag_meter *m) {
  for (uint32_t i = 0; i < m->count; i++)
    if (m->threads[i]->state != LAG_ASLEEP || m->threads[i]->cpu_ns || m->threads[i]->wait_ns) return true;
  return false;
}
