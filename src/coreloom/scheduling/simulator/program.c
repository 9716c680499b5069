/* SPDX-License-Identifier: Apache-2.0
 *
 * The actions of threads: their steps, one after the other, with the locks and ports that they meet at. */
#include "random.h"
#include "sim.h"

static void append(struct sim *s, struct queue *queue, struct thread *t) {
  t->next = NONE;
  if (queue->first == NONE) queue->first = t->e.id;
  else s->thread[queue->last].next = t->e.id;
  queue->last = t->e.id;
  s->stuck++;
}

static struct thread *take(struct sim *s, struct queue *queue) {
  struct thread *t = &s->thread[queue->first];
  queue->first = t->next;
  s->stuck--;
  return t;
}

static uint64_t drawn(struct thread *t, const struct step *step) {
  if (step->low == step->high) return step->low;
  uint64_t time = random_uniform(&t->random, step->low, step->high);
  return time ? time : 1;
}

static const struct step *step_of(const struct sim *s, const struct thread *t) {
  return &s->step[s->kind[t->kind].first + t->step];
}

/* It stands at a new step: how long if that is computing. */
void program_start(struct sim *s, struct thread *t) {
  const struct step *step = step_of(s, t);
  t->left = step->kind == STEP_COMPUTE ? drawn(t, step) : 0;
}

/* To the next step. Whether the thread goes on. */
static bool advance(struct sim *s, struct thread *t) {
  const struct kind *kind = &s->kind[t->kind];
  if (++t->step == kind->steps) {
    t->step = 0;
    t->done++;
    if (t->done == kind->times) return false;
  }
  program_start(s, t);
  return true;
}

/* It has what it waited for. */
void program_resume(struct sim *s, struct thread *t) {
  if (advance(s, t)) sim_wake(s, t);
  else sim_ended(s, t); /* that was its last step, and it need not run to end */
}

static enum went do_sleep(struct sim *s, struct thread *t, const struct step *step) {
  uint64_t time = step->object ? random_exponential(&t->random, step->low) : drawn(t, step);
  if (!time) return WENT_ON;
  events_set(&s->events, s->m.cpus + t->e.id, s->m.now + time);
  return WENT_BLOCKED;
}

static enum went do_lock(struct sim *s, struct thread *t, struct lock *lock) {
  if (lock->owner == NONE) {
    lock->owner = t->e.id;
    return WENT_ON;
  }
  append(s, &lock->waiting, t);
  return WENT_BLOCKED;
}

static void do_unlock(struct sim *s, struct lock *lock) {
  if (lock->waiting.first == NONE) {
    lock->owner = NONE;
    return;
  }
  struct thread *heir = take(s, &lock->waiting);
  lock->owner = heir->e.id;
  program_resume(s, heir);
}

static void do_send(struct sim *s, struct port *port, uint64_t count) {
  for (; count && port->waiting.first != NONE; count--) program_resume(s, take(s, &port->waiting));
  port->messages += count;
}

static enum went do_receive(struct sim *s, struct thread *t, struct port *port) {
  if (port->messages) {
    port->messages--;
    return WENT_ON;
  }
  append(s, &port->waiting, t);
  return WENT_BLOCKED;
}

static enum went do_step(struct sim *s, struct thread *t, const struct step *step) {
  switch ((enum step_kind)step->kind) {
    case STEP_COMPUTE: break; /* it has computed */
    case STEP_SLEEP: return do_sleep(s, t, step);
    case STEP_LOCK: return do_lock(s, t, &s->lock[step->object]);
    case STEP_UNLOCK: do_unlock(s, &s->lock[step->object]); break;
    case STEP_SEND: do_send(s, &s->port[step->object], step->low); break;
    case STEP_RECEIVE: return do_receive(s, t, &s->port[step->object]);
    case STEP_YIELD: return WENT_YIELDED;
    case STEP_EXIT: return WENT_ENDED;
  }
  return WENT_ON;
}

/* A thread that runs and has computed what it had to: up to where it computes again, or does not go on. */
enum went program_go_on(struct sim *s, struct thread *t) {
  for (;;) {
    const struct step *step = step_of(s, t);
    enum went went = do_step(s, t, step);
    if (went == WENT_BLOCKED) return went; /* program_resume() goes on behind this step */
    if (went == WENT_ENDED) t->done++;
    if (went == WENT_ENDED || !advance(s, t)) return WENT_ENDED;
    if (went == WENT_YIELDED || t->left) return went;
  }
}
