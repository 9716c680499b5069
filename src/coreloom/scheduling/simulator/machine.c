/* SPDX-License-Identifier: Apache-2.0
 *
 * Time, which goes from event to event: a CPU has one (its slice or its thread's computing ends), a thread has one
 * while it sleeps or has not come yet. */
#include <time.h>

#include "sim.h"

/* A slice has ended, or the computing of a step. */
static void at_event(struct sim *s, uint32_t c) {
  struct cl_entity *e = s->m.cpu[c].current;
  struct thread *t = thread_of(e);
  cl_time time = cpu_charge(s, c);
  enum went went = WENT_ON;
  if (!t->left) {
    s->busy = c;
    went = program_go_on(s, t);
    s->busy = NONE;
  }
  if (went == WENT_ON && time && s->m.cpu[c].current == e) {
    if (s->m.now >= s->cpu[c].slice_end) s->decisions++;
    cpu_go_on(s, c, time);
    if (s->cpu[c].need_resched) cl_resched(&s->m, c);
    return;
  }
  s->decisions++;
  if (went == WENT_BLOCKED || went == WENT_ENDED) {
    t->runnable = false;
    s->m.policy->dequeue(&s->m, e);
    if (went == WENT_ENDED) sim_ended(s, t);
  } else if (s->m.cpu[c].current == e) {
    cpu_enqueue(s, c, t, went == WENT_YIELDED ? CL_YIELDED : CL_USED);
  }
  cpu_look(s, c);
}

static void come(struct sim *s, struct thread *t) {
  program_start(s, t);
  sim_wake(s, t);
}

/* All that come at time 0, then the reservations, then the CPUs look. */
static void begin(struct sim *s) {
  for (uint32_t i = 0; i < s->threads; i++)
    if (!s->events.place[s->m.cpus + i]) come(s, &s->thread[i]);
  for (uint32_t r = 0; r < s->reserves; r++) {
    uint32_t c = (uint32_t)s->reserve[r][0];
    int error = s->m.policy->reserve(&s->m, c, &s->thread[s->reserve[r][1]].e);
    if (error) sim_fail(s, "CPU %u cannot be reserved: error %d", c, error);
  }
  cpu_serve_rescheds(s);
  if (!s->m.policy->balance) return;
  for (uint32_t c = 0; c < s->m.cpus; c++)
    events_set(&s->events, s->m.cpus + s->threads + c, s->balance + s->balance * c / s->m.cpus);
}

static void happen(struct sim *s, struct event event) {
  uint32_t cpus = s->m.cpus;
  s->m.now = event.time;
  if (event.id < cpus) {
    at_event(s, event.id);
  } else if (event.id < cpus + s->threads) {
    struct thread *t = &s->thread[event.id - cpus];
    events_remove(&s->events, event.id);
    if (t->born) program_resume(s, t);
    else come(s, t);
  } else {
    s->m.policy->balance(&s->m, event.id - cpus - s->threads);
    events_set(&s->events, event.id, event.time + s->balance);
  }
  cpu_serve_rescheds(s);
}

static double seconds(void) {
  struct timespec time;
  timespec_get(&time, TIME_UTC);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* A thread that still runs or waits at the end is counted up to then. */
static void finish(struct sim *s) {
  for (uint32_t c = 0; c < s->m.cpus; c++) {
    if (s->cpu[c].thread != NONE) cpu_served(s, c);
    else s->cpu[c].idle += s->m.now - s->cpu[c].idle_since;
    s->idle += s->cpu[c].idle;
  }
  for (uint32_t i = 0; i < s->threads; i++) {
    struct thread *t = &s->thread[i];
    if (t->runnable && t->e.queued) t->waiting += s->m.now - t->since;
    s->service += t->service;
  }
  lag_look(&s->lag, s->m.now);
}

/* Up to the end, or to when no thread is left, or none can ever go on. */
void sim_run(struct sim *s) {
  double told = seconds();
  begin(s);
  for (uint32_t turns = 1; s->alive && s->stuck < s->alive && s->events.count; turns++) {
    struct event event = s->events.heap[0];
    if (event.time > s->end) break;
    happen(s, event);
    if (turns % 65536 || seconds() - told < 0.1) continue;
    told = seconds();
    fprintf(stderr, "progress %.4f\n", (double)s->m.now / (double)s->end);
  }
  if (s->alive && s->stuck < s->alive) s->m.now = s->end;
  finish(s);
}
