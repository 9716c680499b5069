/* SPDX-License-Identifier: Apache-2.0
 *
 * The software kernel with a policy (CL_POLICY) on the host: random operations on all CPUs, interrupts late, and after
 * each step the books of kernel and policy are compared. In the end everybody is let go: nobody may be lost.
 * Built as a shared library and called by test_sw_policies.py. */
#define K_TICK 100
#define K_REMOTE (CL_CPUS > 1)
#define K_HELD 1
#include "cl_sw_kernel.h"

static cl_time now;
static uint32_t interrupts;
static uint64_t state;

static inline cl_time k_clock(void) { return now; }
static inline uint32_t k_idle_word(const k_cpu *cpu) { return K_GIVE_WAY | (CL_THREADS + k_number(cpu)); }
static inline void k_interrupt(k_cpu *cpu) { interrupts |= k_bit(cpu); }

static uint32_t below(uint32_t limit) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(state >> 33) % limit;
}

#define MUST(what)                \
  do {                            \
    if (!(what)) return __LINE__; \
  } while (0)

/* 0, or the line of what is wrong. */
static int check(void) {
  uint32_t queued = 0, counted = 0;
  for (uint32_t tid = 0; tid < CL_THREADS; tid++) {
    const k_thread *thread = &k_threads[tid];
    const struct cl_entity *entity = &thread->entity;
    int runnable = thread->state == CL_STATE_READY || thread->state == CL_STATE_RUNNING;
    MUST(!(entity->queued && entity->current));
    MUST((entity->queued || entity->current) == runnable);
    if (entity->current) MUST(k_policy_cpus[entity->cpu].current == entity);
    if (entity->queued) queued++;
    if (thread->state == CL_STATE_RUNNING) MUST(thread->cpu->current == thread);
  }
  for (k_cpu *cpu = k_cpus; cpu < k_cpus + CL_CPUS; cpu++) {
    uint32_t number = k_number(cpu);
    const struct cl_entity *given = k_given(cpu);
    if (cpu->current) MUST(cpu->current->state == CL_STATE_RUNNING && cpu->current->cpu == cpu);
    if (given) MUST(given->current && given->cpu == (int16_t)number);
    /* A thread that has a CPU runs there, unless another CPU is still in its context, or this one is about to look. */
    if (given && (!cpu->current || &cpu->current->entity != given))
      MUST(((k_need_resched | interrupts) & k_bit(cpu)) || k_threads[given->id].cpu->current == &k_threads[given->id]);
    counted += k_policy_cpus[number].queued;
  }
  MUST(counted == queued || counted == 0); /* 0: one queue for all */
  if (CL_CPUS > 1) MUST(!(k_need_resched & ~k_resched_sent));
  return 0;
}

/* Operations that were accepted, and what followed: test_sw_policies.py says how many there must be. */
enum {
  WAIT,
  POST,
  START,
  CREATE,
  RESUME,
  REMOVE,
  PRIORITY,
  WEIGHT,
  RESERVE,
  RELEASE,
  EXIT,
  YIELD,
  OPERATIONS,
  BLOCKED = OPERATIONS, /* a thread waits for a semaphore */
  WOKEN,                /* a thread that waited goes on */
  PREEMPTED,            /* a thread leaves its CPU by an interrupt */
  IDLED,                /* a CPU finds no thread */
  OWNER_ENDED,          /* a thread ends that has a CPU reserved */
  REACHED
};
static uint32_t *reached;

/* What a front end does with the answer of an operation. */
static int settled(k_cpu *cpu, uint32_t word) {
  uint32_t expected = cpu->current ? cpu->current->switch_word : k_idle_word(cpu);
  if ((int32_t)word < 0) {
    MUST(word == expected);
  } else if (k_must_give_way(cpu)) {
    word = k_op_preempt(cpu);
    expected = cpu->current ? cpu->current->switch_word : k_idle_word(cpu);
    MUST(!word || word == expected);
  }
  k_notify_all();
  return 0;
}

static int interrupted(k_cpu *cpu) {
  interrupts &= ~k_bit(cpu);
  k_thread *before = cpu->current;
  uint32_t word = !cpu->current ? k_wait(cpu) : k_irq(cpu) ? k_op_preempt(cpu) : 0;
  reached[PREEMPTED] += before && before != cpu->current;
  return settled(cpu, word);
}

static uint32_t attributes(void) {
  uint32_t word = below(CL_PRIORITIES) << CL_ATTRIBUTES_PRIORITY_LSB | 1u << CL_ATTRIBUTES_DETACHED_LSB;
  if (!below(4)) word |= 1u << CL_ATTRIBUTES_STATIC_LSB | below(CL_CPUS) << CL_ATTRIBUTES_CPU_LSB;
  return word;
}

static uint32_t runnable(void) {
  uint32_t count = 0;
  for (uint32_t tid = 0; tid < CL_THREADS; tid++)
    count += k_threads[tid].state == CL_STATE_READY || k_threads[tid].state == CL_STATE_RUNNING;
  return count;
}

static uint32_t few = 1; /* as many threads as can run are left so, mostly */

static uint32_t kind(void) {
  static const uint32_t kinds[] = {WAIT,   WAIT,     WAIT,   WAIT,    POST,    POST, POST,  START, CREATE,
                                   RESUME, PRIORITY, WEIGHT, RESERVE, RELEASE, EXIT, YIELD, YIELD, REMOVE};
  uint32_t drawn = kinds[below(sizeof kinds / sizeof *kinds)];
  int loses = drawn == WAIT || drawn == REMOVE || drawn == EXIT;
  if (!loses || runnable() > few || !below(50)) return drawn;
  static const uint32_t gains[] = {POST, START, RESUME};
  return gains[below(3)];
}

static int owns_a_cpu(const k_thread *thread) {
  for (uint32_t number = 0; number < CL_CPUS; number++)
    if (k_policy_cpus[number].owner == &thread->entity) return 1;
  return 0;
}

static int step(k_cpu *cpu) {
  int woke = 0, owner = owns_a_cpu(cpu->current);
  uint32_t word = 0, object = below(CL_SEMAPHORES), tid = below(CL_THREADS), drawn = kind();
  k_thread *caller = cpu->current, *waiter = k_semaphores[object].waiters;
  switch (drawn) {
    case WAIT: word = k_op_semaphore_wait(cpu, object); break;
    case POST: word = k_queue_woken(k_op_semaphore_post(object), &woke); break;
    case START:
      word = k_op_thread_create(attributes());
      if (word < CL_THREADS) word = k_op_thread_start(word);
      break;
    case CREATE: word = k_op_thread_create(attributes()); break;
    case RESUME: word = k_op_thread_start(tid); break;
    case REMOVE: word = k_op_remove(tid); break;
    case PRIORITY: word = k_op_set_sched_param(tid, below(CL_PRIORITIES)); break;
    case WEIGHT: word = k_op_set_weight(tid, below(6)); break;
    case RESERVE: word = k_op_reserve(below(CL_CPUS), tid); break;
    case RELEASE: word = k_op_release(below(CL_CPUS)); break;
    case EXIT: word = caller == k_threads ? K_ERROR(EPERM) : k_op_thread_exit(cpu); break;
    default: word = k_op_yield(cpu, &woke);
  }
  int refused = (word >> CL_WORD_STATUS_LSB & CL_WORD_STATUS_MASK) != 0;
  reached[drawn] += !refused;
  reached[BLOCKED] += caller->state == CL_STATE_BLOCKED;
  reached[WOKEN] += drawn == POST && waiter && !refused;
  reached[OWNER_ENDED] += drawn == EXIT && !refused && owner;
  reached[IDLED] += !cpu->current;
  if (drawn == POST && !woke) return 0; /* nobody has to look: check says whether that is so */
  return settled(cpu, word);
}

/* Everybody who runs wakes whom it can and ends. */
static int last_step(k_cpu *cpu) {
  int woke = 0;
  for (uint32_t object = 0; object < CL_SEMAPHORES; object++)
    while (k_semaphores[object].waiters) k_queue_woken(k_op_semaphore_post(object), &woke);
  for (uint32_t tid = 0; tid < CL_THREADS; tid++) k_op_thread_start(tid);
  for (uint32_t own = 0; own < CL_CPUS; own++) k_op_release(own);
  return settled(cpu, k_op_thread_exit(cpu));
}

/* A CPU that has something to do; if there is none, an interrupt wakes whom it can. */
static k_cpu *busy(void) {
  k_cpu *able[CL_CPUS];
  uint32_t count = 0;
  for (k_cpu *cpu = k_cpus; cpu < k_cpus + CL_CPUS; cpu++)
    if (cpu->current || interrupts & k_bit(cpu)) able[count++] = cpu;
  if (count) return able[below(count)];
  int woke = 0;
  for (uint32_t object = 0; object < CL_SEMAPHORES; object++) k_queue_woken(k_op_semaphore_post(object), &woke);
  for (uint32_t tid = 0; tid < CL_THREADS; tid++) k_op_thread_start(tid);
  k_notify_all();
  if (CL_CPUS == 1) interrupts |= 1;
  return NULL;
}

static int move(int (*act)(k_cpu *)) {
  now += below(200);
  k_cpu *cpu = busy();
  if (!cpu) return 0;
  if (interrupts & k_bit(cpu) || (now >= cpu->until && below(2))) return interrupted(cpu);
  return act(cpu);
}

/* 0; or the line of this file that found something wrong, with the number of the step. */
int sw_policy_run(uint64_t seed, uint32_t steps, uint32_t *at, uint32_t what[REACHED]);
int sw_policy_run(uint64_t seed, uint32_t steps, uint32_t *at, uint32_t what[REACHED]) {
  state = seed;
  now = 1000;
  interrupts = 0;
  reached = what;
  k_init();
  k_op_slice(10);
  for (uint32_t object = 0; object < CL_SEMAPHORES; object++) k_op_semaphore_create(0);
  for (k_cpu *cpu = k_cpus; cpu < k_cpus + CL_CPUS; cpu++) interrupts |= k_bit(cpu);
  for (*at = 0; *at < steps; ++*at) {
    if (*at % 500 == 0) few = below(3) ? CL_CPUS + below(4) : 1;
    int wrong = move(step);
    if (!wrong) wrong = check();
    if (wrong) return wrong;
  }
  int woke = 0;
  for (uint32_t object = 0; object < CL_SEMAPHORES; object++)
    while (k_semaphores[object].waiters) k_queue_woken(k_op_semaphore_post(object), &woke);
  for (uint32_t tid = 0; tid < CL_THREADS; tid++) k_op_thread_start(tid);
  for (uint32_t own = 0; own < CL_CPUS; own++) k_op_release(own);
  k_notify_all();
  if (CL_CPUS == 1) interrupts |= 1;
  for (uint32_t more = 0; more < 400 * CL_THREADS; more++, ++*at) {
    int wrong = move(last_step);
    if (!wrong) wrong = check();
    if (wrong) return wrong;
  }
  for (uint32_t tid = 0; tid < CL_THREADS; tid++)
    MUST(k_threads[tid].state == CL_STATE_FREE || k_threads[tid].state == CL_STATE_EXITED);
  return 0;
}
