/* First come, first served: one queue for all CPUs, and a thread keeps its CPU until it waits, yields or ends.
 *
 * policies/cl_policy.h of Coreloom says what each function may do. */
#include "cl_policy.h"

struct fifo {
  struct cl_list threads; /* that are ready, the oldest first */
};

static void fifo_init(struct cl_machine *m) { (void)m; } /* the state is zeroed */

static uint32_t fifo_place(const struct cl_machine *m, const struct cl_entity *e) {
  return e->home != CL_ANY_CPU ? (uint32_t)e->home : (uint32_t)e->cpu % m->cpus;
}

static void fifo_enqueue(struct cl_machine *m, uint32_t cpu, struct cl_entity *e, enum cl_why why) {
  struct fifo *fifo = m->shared;
  (void)why;
  if (e->queued) {
    cl_list_remove(&fifo->threads, &e->node);
    cl_note_unqueued(m, e);
  }
  cl_note_queued(m, cpu, e);
  cl_list_append(&fifo->threads, &e->node);
  for (uint32_t idle = 0; idle < m->cpus; idle++)
    if (!m->cpu[idle].current && cl_allowed(m, idle, e)) {
      cl_resched(m, idle);
      break;
    }
}

static void fifo_dequeue(struct cl_machine *m, struct cl_entity *e) {
  struct fifo *fifo = m->shared;
  if (e->queued) cl_list_remove(&fifo->threads, &e->node);
  cl_note_gone(m, e);
}

static struct cl_entity *fifo_pick(struct cl_machine *m, uint32_t cpu) {
  struct fifo *fifo = m->shared;
  for (struct cl_node *node = fifo->threads.first; node; node = node->left) {
    struct cl_entity *e = cl_entity_of(node);
    if (!cl_allowed(m, cpu, e)) continue;
    cl_list_remove(&fifo->threads, node);
    cl_note_unqueued(m, e);
    cl_note_current(m, cpu, e);
    return e;
  }
  return NULL;
}

static cl_time fifo_tick(struct cl_machine *m, uint32_t cpu, cl_time ran) {
  (void)m, (void)cpu, (void)ran;
  return CL_FOREVER; /* no slices */
}

const struct cl_policy cl_fifo = {
    .name = "fifo",
    .text = "first come, first served, without slices",
    .cpu_size = 0,
    .shared_size = sizeof(struct fifo),
    .init = fifo_init,
    .place = fifo_place,
    .enqueue = fifo_enqueue,
    .dequeue = fifo_dequeue,
    .pick = fifo_pick,
    .tick = fifo_tick,
};
