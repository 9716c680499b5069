/* SPDX-License-Identifier: Apache-2.0
 *
 * The software kernel's fast paths on the host: from random states each does what the long way does, or nothing.
 * Built as a shared library and called by test_sw_fast_paths.py. */
#define K_TICK 1
#define K_REMOTE (CL_CPUS > 1)
#define K_HELD 1
#include "cl_sw_kernel.h"

static uint32_t now;
static uint32_t random_state;
static int asleep[CL_CPUS]; /* in an operation that was pending */

static inline uint32_t k_now(void) { return now; }
static inline void k_completed(k_cpu *cpu) { (void)cpu; }
static inline void k_interrupt(k_cpu *cpu) { (void)cpu; }

static uint32_t draw(uint32_t below) {
  random_state = random_state * 1664525u + 1013904223u;
  return (random_state >> 8) % below;
}

/* All data that the paths below change. */
typedef struct {
  k_queue dynamic, idle[CL_CPUS];
  k_cpu cpus[CL_CPUS];
  k_thread threads[CL_THREADS];
  k_semaphore semaphores[CL_SEMAPHORES];
  k_line lines[CL_LINES];
  uint32_t waiting, asleep;
} state;

static void save(state *into) {
  memset(into, 0, sizeof *into);
  into->dynamic = k_dynamic;
  memcpy(into->idle, k_idle_queues, sizeof k_idle_queues);
  memcpy(into->cpus, k_cpus, sizeof k_cpus);
  memcpy(into->threads, k_threads, sizeof k_threads);
  memcpy(into->semaphores, k_semaphores, sizeof k_semaphores);
  memcpy(into->lines, k_lines, sizeof k_lines);
  into->waiting = k_waiting;
  into->asleep = k_asleep;
}

static void restore(const state *from) {
  k_dynamic = from->dynamic;
  memcpy(k_idle_queues, from->idle, sizeof k_idle_queues);
  memcpy(k_cpus, from->cpus, sizeof k_cpus);
  memcpy(k_threads, from->threads, sizeof k_threads);
  memcpy(k_semaphores, from->semaphores, sizeof k_semaphores);
  memcpy(k_lines, from->lines, sizeof k_lines);
  k_waiting = from->waiting;
  k_asleep = from->asleep;
}

/* `next` of a running thread means nothing. */
static int same(state *a, state *b) {
  for (uint32_t tid = 0; tid < CL_THREADS; tid++)
    if (a->threads[tid].state == CL_STATE_RUNNING) a->threads[tid].next = b->threads[tid].next = NULL;
  return !memcmp(a, b, sizeof *a);
}

enum { YIELD, LINE, START, POST, SLICE, PATHS };

static uint32_t long_way(int path, k_cpu *cpu, uint32_t id) {
  int woke = 0;
  if (path == YIELD) return k_op_yield(cpu, &woke);
  if (path == SLICE) return k_irq(cpu) ? k_op_preempt(cpu) : 0;
  if (path == LINE) k_op_interrupt_raise(id, &woke);
  else if (path == START) k_op_thread_start(id);
  else k_queue_woken(k_op_semaphore_post(id), &woke);
  return k_irq(cpu) ? k_op_preempt(cpu) : 0;
}

/* The same as in cl_sw.c. */
static uint32_t fast_path(int path, k_cpu *cpu, uint32_t id) {
  if (path == YIELD) return cpu->current->sent ? 0 : k_rotate(cpu);
  if (path == SLICE) return k_end_slice(cpu);
  if (path == START) return k_threads[id].state == CL_STATE_CREATED ? k_take_over(cpu, &k_threads[id]) : 0;
  if (path == POST) {
    k_semaphore *semaphore = &k_semaphores[id], unchanged = *semaphore;
    k_thread *woken = k_op_semaphore_post(id).woken;
    uint32_t word = woken ? k_take_over(cpu, woken) : 0;
    if (!word) *semaphore = unchanged;
    return word;
  }
  k_line *line = k_awaited_line(1u << id);
  uint32_t word = line ? k_take_over(cpu, line->thread) : 0;
  if (word) line->waits = 0;
  return word;
}

static state before, after, other;

/* Goes both ways from here, and stays where the long one leads. 0: they differ. */
static int both(int path, k_cpu *cpu, uint32_t id, uint32_t *taken) {
  save(&before);
  uint32_t slow = long_way(path, cpu, id);
  save(&after);
  restore(&before);
  uint32_t fast = fast_path(path, cpu, id);
  save(&other);
  restore(&after);
  if (!fast) return same(&before, &other);
  *taken += 1;
  return fast == slow && same(&after, &other);
}

/* Another step of random threads on random CPUs. 0: a fast path differs. */
static int step(uint32_t taken[PATHS]) {
  int woke = 0;
  k_cpu *cpu = &k_cpus[draw(CL_CPUS)];
  int *sleeps = &asleep[cpu - k_cpus];
  if (*sleeps) {
    if (!K_REMOTE && cpu->waiting) k_wait_again(cpu);
    if (cpu->waiting) {
      if (draw(4)) return 1;
      if (draw(2)) k_queue_woken(k_op_semaphore_post(draw(CL_SEMAPHORES)), &woke); /* somebody must wake it */
      else k_op_interrupt_raise(draw(CL_LINES), &woke);
      return 1;
    }
    *sleeps = 0;
    k_back();
    if (K_REMOTE && cpu->leaving) k_saved(cpu);
    return 1;
  }
  if (k_irq(cpu) && draw(2)) return k_op_preempt(cpu), 1;
  uint32_t tid = draw(CL_THREADS), semaphore = draw(CL_SEMAPHORES), line = draw(CL_LINES), answer = 0;
  switch (draw(11)) {
    case 0:
    case 1: return both(YIELD, cpu, 0, &taken[YIELD]);
    case 2:
    case 3: return cpu != k_cpus || both(LINE, cpu, line, &taken[LINE]);
    case 4: return both(START, cpu, tid, &taken[START]);
    case 5:
      k_op_thread_create(1u << CL_ATTRIBUTES_DETACHED_LSB | draw(CL_PRIORITIES) << CL_ATTRIBUTES_PRIORITY_LSB |
                         draw(2) << CL_ATTRIBUTES_STATIC_LSB | draw(CL_CPUS) << CL_ATTRIBUTES_CPU_LSB);
      return 1;
    case 6: return k_op_semaphore_value(semaphore) || both(POST, cpu, semaphore, &taken[POST]);
    case 10:
      if (k_tid(cpu->current)) answer = k_op_thread_exit(cpu);
      break;
    case 7: answer = k_op_semaphore_wait(cpu, semaphore); break;
    case 8:
      k_op_interrupt_bind(cpu, line, 0);
      answer = k_op_interrupt_wait(cpu, line);
      break;
    default:
      now++;
      for (k_cpu *each = k_cpus; each < k_cpus + CL_CPUS; each++) k_look_at_slice(each);
      if (!draw(8)) k_op_port_trysend(cpu, 0, now, NULL, 0, &woke);
      return both(SLICE, cpu, 0, &taken[SLICE]);
  }
  if (answer == K_PENDING) *sleeps = 1;
  return 1;
}

/* Steps until a fast path differs, or `steps`; taken: how often each was taken. */
uint32_t sw_fast(uint32_t seed, uint32_t steps, uint32_t taken[PATHS]);
uint32_t sw_fast(uint32_t seed, uint32_t steps, uint32_t taken[PATHS]) {
  k_init();
  memset(asleep, 0, sizeof asleep);
  random_state = seed;
  now = 0;
  k_op_slice(3);
  for (uint32_t i = 0; i < CL_SEMAPHORES; i++) k_op_semaphore_create(0);
  k_op_port_open(&k_cpus[0], 0, 0);
  for (k_cpu *cpu = k_cpus + 1; cpu < k_cpus + CL_CPUS; cpu++) asleep[cpu - k_cpus] = k_op_next(cpu) == K_PENDING;
  for (uint32_t i = 0; i < steps; i++)
    if (!step(taken)) return i;
  return steps;
}
