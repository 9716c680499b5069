/* SPDX-License-Identifier: Apache-2.0
 *
 * The CPUs and which threads they serve: the policy's user as cl_policy.h wants it. */
#include <stdarg.h>
#include <stdlib.h>

#include "histogram.h"
#include "sim.h"

#define MOST_REFUSED 1000000u

void sim_fail(const struct sim *s, const char *format, ...) {
  va_list values;
  va_start(values, format);
  fprintf(stderr, "error: at %llu ns: ", (unsigned long long)s->m.now);
  vfprintf(stderr, format, values);
  fputc('\n', stderr);
  va_end(values);
  exit(1);
}

void cl_resched(struct cl_machine *m, uint32_t c) {
  struct sim *s = (struct sim *)(void *)m;
  struct cpu *cpu = &s->cpu[c];
  cpu->need_resched = true;
  if (cpu->listed) return;
  cpu->listed = true;
  uint32_t at = s->first_resched + s->resched_count++;
  s->rescheds[at < m->cpus ? at : at - m->cpus] = c;
}

/* --- what is counted --------------------------------------------------------------------------- */

static void note_latency(struct sim *s, struct thread *t, uint64_t time) {
  uint32_t **histogram = &s->latency[s->latency_by_kind ? t->kind : t->e.id];
  if (!*histogram) *histogram = calloc(HISTOGRAM_BUCKETS, sizeof **histogram);
  if (!*histogram) sim_fail(s, "no memory");
  histogram_add(*histogram, time);
  histogram_add(s->latency_all, time);
  t->latencies++;
  t->latency_sum += time;
  if (time > t->latency_max) t->latency_max = time;
  if (time > s->latency_max) s->latency_max = time;
}

static void note_timeline(struct sim *s, uint32_t c, uint32_t thread) {
  if (!s->timeline || !s->timeline_left) return;
  s->timeline_left--;
  uint64_t record[2] = {s->m.now, (uint64_t)c << 32 | thread};
  fwrite(record, sizeof record, 1, s->timeline);
}

/* --- a CPU ------------------------------------------------------------------------------------- */

/* Service up to now. */
cl_time cpu_served(struct sim *s, uint32_t c) {
  struct cpu *cpu = &s->cpu[c];
  struct thread *t = &s->thread[cpu->thread];
  if (s->m.now <= cpu->since) return 0; /* the switch still takes time */
  cl_time ran = s->m.now - cpu->since;
  cpu->since = s->m.now;
  t->service += ran;
  if (t->left != CL_FOREVER) t->left -= ran;
  return ran;
}

cl_time cpu_charge(struct sim *s, uint32_t c) { return s->m.policy->tick(&s->m, c, cpu_served(s, c)); }

/* The end of a slice that has so much left: at that CPU's next tick, which are spread over the time of a tick. */
static uint64_t slice_end(const struct sim *s, uint32_t c, cl_time time) {
  uint64_t from = s->cpu[c].since;
  if (time >= CL_FOREVER - from - s->tick) return CL_FOREVER;
  uint64_t end = from + time;
  if (!s->tick) return end;
  uint64_t own = s->tick * c / s->m.cpus;
  return end <= own ? own : (end - own + s->tick - 1) / s->tick * s->tick + own;
}

/* Its thread goes on, at most for so long. */
void cpu_go_on(struct sim *s, uint32_t c, cl_time time) {
  struct cpu *cpu = &s->cpu[c];
  uint64_t left = s->thread[cpu->thread].left;
  cpu->slice_end = slice_end(s, c, time);
  uint64_t done = left == CL_FOREVER ? CL_FOREVER : cpu->since + left;
  uint64_t next = done < cpu->slice_end ? done : cpu->slice_end;
  if (next == CL_FOREVER) events_remove(&s->events, c);
  else events_set(&s->events, c, next);
}

/* It serves nobody from now on. */
static void stop(struct sim *s, uint32_t c) {
  struct cpu *cpu = &s->cpu[c];
  if (cpu->thread == NONE) return;
  lag_stop(&s->lag, c, s->m.now);
  cpu->thread = NONE;
  cpu->idle_since = s->m.now;
}

/* It serves this thread from now on; first comes what the switch costs. */
static void start(struct sim *s, uint32_t c, struct thread *t) {
  struct cpu *cpu = &s->cpu[c];
  stop(s, c);
  cpu->idle += s->m.now - cpu->idle_since;
  uint64_t cost = 0;
  if (cpu->last != t->e.id) {
    s->switches++;
    t->switches++;
    cost += s->switch_cost;
  }
  if (t->ran_on != c && t->ran_on != NONE) {
    s->migrations++;
    t->migrations++;
    cost += s->migrate_cost + s->warm_cost;
  }
  cpu->thread = cpu->last = t->e.id;
  cpu->since = s->m.now + cost;
  t->ran_on = c;
  t->waiting += s->m.now - t->since;
  if (t->waking) note_latency(s, t, cpu->since - t->since);
  t->waking = false;
  lag_start(&s->lag, c, t->e.id, s->m.now, cpu->since);
  note_timeline(s, c, t->e.id);
}

void cpu_enqueue(struct sim *s, uint32_t c, struct thread *t, enum cl_why why) {
  t->since = s->m.now;
  s->m.policy->enqueue(&s->m, c, &t->e, why);
}

/* A CPU without current thread picks. */
void cpu_look(struct sim *s, uint32_t c) {
  struct cpu *cpu = &s->cpu[c];
  /* One that has run over by many slices, as by a tick at a low weight, is picked and refused for each. */
  for (uint64_t tries = 0; tries <= MOST_REFUSED + s->threads; tries++) {
    cpu->need_resched = false;
    struct cl_entity *e = s->m.policy->pick(&s->m, c);
    if (!e) {
      if (cpu->thread != NONE) note_timeline(s, c, NONE);
      stop(s, c);
      events_remove(&s->events, c);
      return;
    }
    struct thread *t = thread_of(e);
    if (s->m.cpu[c].current != e || !t->runnable) sim_fail(s, "CPU %u picks thread %u wrongly", c, e->id);
    if (!cl_allowed(&s->m, c, e)) sim_fail(s, "CPU %u picks thread %u, which may not run there", c, e->id);
    cl_time time = s->m.policy->tick(&s->m, c, 0);
    if (time) {
      if (cpu->thread != e->id) start(s, c, t);
      cpu_go_on(s, c, time);
      return;
    }
    cpu_enqueue(s, c, t, CL_USED);
  }
  sim_fail(s, "CPU %u picks for ever", c);
}

static void at_resched(struct sim *s, uint32_t c) {
  s->decisions++;
  struct cl_entity *e = s->m.cpu[c].current;
  if (e) {
    cpu_charge(s, c);
    if (s->m.cpu[c].current == e) cpu_enqueue(s, c, thread_of(e), CL_PREEMPTED);
  }
  cpu_look(s, c);
}

/* At once, so that the next woken thread finds the CPU taken; only the CPU whose thread does a step looks after it. */
void cpu_serve_rescheds(struct sim *s) {
  for (uint64_t served = 0; s->resched_count; served++) {
    if (served > 1000 + 10 * (uint64_t)(s->m.cpus + s->threads)) sim_fail(s, "the policy calls cl_resched for ever");
    uint32_t c = s->rescheds[s->first_resched++];
    if (s->first_resched == s->m.cpus) s->first_resched = 0;
    s->resched_count--;
    s->cpu[c].listed = false;
    if (s->cpu[c].need_resched && c != s->busy) at_resched(s, c);
  }
}

/* --- threads ----------------------------------------------------------------------------------- */

void sim_wake(struct sim *s, struct thread *t) {
  s->decisions++;
  t->runnable = true;
  t->waking = t->born || s->m.now; /* at time 0 all come at once */
  t->wakeups += t->born;
  cpu_enqueue(s, s->m.policy->place(&s->m, &t->e), t, t->born ? CL_WOKEN : CL_NEW);
  t->born = true;
  cpu_serve_rescheds(s);
}

void sim_ended(struct sim *s, struct thread *t) {
  s->alive--;
  for (uint32_t r = 0; r < s->reserves; r++)
    if (s->reserve[r][1] == t->e.id) s->m.policy->reserve(&s->m, (uint32_t)s->reserve[r][0], NULL);
}
