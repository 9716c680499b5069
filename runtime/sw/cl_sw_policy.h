/* SPDX-License-Identifier: Apache-2.0
 *
 * The software kernel's scheduler for a policy of policies/: CL_POLICY is its name; CL_POLICY_BASE that of the policy
 * below, for `exclusive`. Included by cl_sw_scheduler.h.
 *
 * - A CPU without a thread runs in its own idle context (k_idle_word). So a thread that becomes ready is only queued,
 *   and each CPU picks its threads itself.
 * - cl_resched() marks a CPU. This CPU decides again when it leaves the operation, the others get an interrupt.
 * - `current` of k_cpu is the thread whose context the CPU is in, `current` of cl_cpu the one that the policy has given
 *   it. They differ if a policy gives away a thread that another CPU still runs (exclusive): the CPU sleeps until that
 *   CPU has left it.
 * - Time is charged when a CPU decides again, and before its thread blocks; that is due at `until`, by the timer.
 *
 * The front end also defines:
 *   cl_time k_clock(void)                      time, 64 bits
 *   uint32_t k_idle_word(const k_cpu *)        the switch word of the CPU's own context */
#ifndef CL_SW_POLICY_H
#define CL_SW_POLICY_H

#define K_AWAY 0
#define K_SLICES 0 /* each decision sets the time of the next one */
#define K_TIMER_SET static inline
#define K_TIMER_START static inline
#define K_WEIGHTS 1
#define K_RESERVES (K_POLICY.reserve != NULL)
#define K_LOOKED 1     /* a chosen thread need not give way before the timer fires */
#define K_TAKES_NEXT 0 /* a policy picks only for a CPU that runs the thread, so `dequeue` is not supported */

#define K_PASTE_(a, b) a##b
#define K_PASTE(a, b) K_PASTE_(a, b)
#define K_POLICY K_PASTE(cl_, CL_POLICY)
extern const struct cl_policy K_POLICY;

#ifdef CL_POLICY_BASE
extern const struct cl_policy K_PASTE(cl_, CL_POLICY_BASE);
#define K_BASE (&K_PASTE(cl_, CL_POLICY_BASE))
#define K_BASE_SIZE(of) K_PASTE(cl_, CL_POLICY_BASE).of
#else
#define K_BASE NULL
#define K_BASE_SIZE(of) 0
#endif

/* CL_POLICY_ROOM: bytes for the policy's state of each CPU, and as many for that of all. */
void cl_policy_has_no_room(void); /* never defined: the linker reports a policy whose state is too large */

#define K_NICE_0 (K_LEVELS - 1u - CL_PRIORITIES / 2) /* level of the default priority */

static struct cl_cpu k_policy_cpus[CL_CPUS];
static uint64_t k_policy_states[CL_CPUS][CL_POLICY_ROOM / 8];
static uint64_t k_policy_shared[CL_POLICY_ROOM / 8];
static uint32_t k_need_resched; /* CPUs that must decide again */
static uint32_t k_resched_sent; /* those of them that have been sent an interrupt */

static inline cl_time k_clock(void);
static inline uint32_t k_idle_word(const k_cpu *cpu);

void cl_resched(struct cl_machine *machine, uint32_t cpu) {
  (void)machine;
  k_need_resched |= 1u << cpu;
}

K_INLINE uint32_t k_number(const k_cpu *cpu) { return CL_CPUS == 1 ? 0 : (uint32_t)(cpu - k_cpus); }
K_INLINE uint32_t k_bit(const k_cpu *cpu) { return 1u << k_number(cpu); }
K_INLINE struct cl_entity *k_given(const k_cpu *cpu) { return k_policy_cpus[k_number(cpu)].current; }
K_INLINE void k_set_clock(void) { k_machine.now = k_clock(); }

K_INLINE k_thread *k_thread_with(struct cl_entity *entity) {
  return (k_thread *)(void *)((char *)entity - offsetof(k_thread, entity));
}

/* --- who runs -------------------------------------------------------------------------------- */

/* Charge this CPU's thread up to now; returns what the policy's tick returns. */
K_INLINE cl_time k_charge(k_cpu *cpu) {
  cl_time ran = k_machine.now - cpu->since;
  cpu->since = k_machine.now;
  return K_POLICY.tick(&k_machine, k_number(cpu), ran);
}

/* The CPU leaves its current context. Another CPU may wait for that. */
K_INLINE void k_leave(const k_cpu *cpu) {
  const k_thread *thread = cpu->current;
  if (K_REMOTE && thread && K_RARE(thread->entity.current)) k_need_resched |= 1u << thread->entity.cpu;
}

/* Continue with the thread that the policy has given this CPU, else its idle thread, else none. 0: no change. */
K_INLINE uint32_t k_go_on(k_cpu *cpu) {
  k_thread *next = k_given(cpu) ? k_thread_with(k_given(cpu)) : cpu->idle_thread;
  if (next && K_RARE(next->state != CL_STATE_READY)) next = NULL; /* an idle thread that waits */
  if (next && next == cpu->current) {
    next->state = CL_STATE_RUNNING;
    return 0;
  }
  k_leave(cpu);
  if (K_REMOTE && next && K_RARE(next->cpu != cpu && next->cpu->current == next)) next = NULL; /* not left yet */
  cpu->current = next;
  if (!next) return k_idle_word(cpu);
  next->state = CL_STATE_RUNNING;
  next->cpu = cpu;
  return next->switch_word;
}

K_INLINE cl_time k_balance_period(void) { return 4 * k_machine.tuning.slice; }

/* The policy has no current thread on this CPU: let it pick. */
K_APART uint32_t k_choose(k_cpu *cpu) {
  uint32_t number = k_number(cpu);
  struct cl_entity *entity = K_POLICY.pick(&k_machine, number);
  k_need_resched &= ~(1u << number);
  k_resched_sent &= ~(1u << number);
  cpu->since = k_machine.now;
  cpu->until = CL_FOREVER;
  if (entity) {
    cl_time left = K_POLICY.tick(&k_machine, number, 0);
    if (K_POLICY.balance && K_REMOTE && left > k_balance_period()) left = k_balance_period();
    if (left < K_TICK) left = K_TICK; /* deciding takes time: ensures that the thread makes progress */
    if (left != CL_FOREVER) cpu->until = k_clock() + left;
  }
  return k_go_on(cpu);
}

/* Check whether the current thread keeps this CPU. 0: it does. */
K_APART uint32_t k_look(k_cpu *cpu, enum cl_why why) {
  uint32_t number = k_number(cpu);
  k_set_clock();
  struct cl_entity *entity = k_given(cpu);
  if (entity) {
    cl_time left = k_charge(cpu);
    if (k_given(cpu) == entity) {
      uint32_t weight = k_thread_with(entity)->weight;
      if (K_RARE(weight != entity->weight)) {
        K_POLICY.dequeue(&k_machine, entity);
        entity->weight = weight;
        why = CL_MOVED;
      } else if (left == 0 && why == CL_PREEMPTED) {
        why = CL_USED;
      }
      K_POLICY.enqueue(&k_machine, number, entity, why);
    }
  }
  if (cpu->current) cpu->current->state = CL_STATE_READY;
  if (K_POLICY.balance && K_REMOTE && k_machine.now - cpu->balanced >= k_balance_period()) {
    cpu->balanced = k_machine.now;
    K_POLICY.balance(&k_machine, number);
  }
  return k_choose(cpu);
}

/* From here on the thread is in no queue and on no CPU. Called by its own CPU, or while it is not running. */
K_INLINE void k_quit(k_cpu *cpu, k_thread *thread) {
  struct cl_entity *entity = &thread->entity;
  if (K_RARE(thread->idle)) return;
  if (cpu && k_given(cpu) == entity) k_charge(cpu);
  else if (entity->current) k_need_resched |= 1u << entity->cpu; /* that CPU waits for it */
  if (K_RARE(!entity->queued && !entity->current)) return;
  K_POLICY.dequeue(&k_machine, entity);
}

/* The CPU has no running thread: it was idle, or its thread has ended. */
K_INLINE uint32_t k_wait(k_cpu *cpu) {
  if (k_given(cpu) && !(k_need_resched & k_bit(cpu))) return k_go_on(cpu);
  return k_look(cpu, CL_PREEMPTED);
}

/* Make a thread eligible. */
K_APART void k_enqueue(k_thread *thread, int front) {
  (void)front;
  struct cl_entity *entity = &thread->entity;
  thread->state = CL_STATE_READY;
  if (K_RARE(thread->idle)) {
    if (!k_given(thread->home)) k_need_resched |= k_bit(thread->home);
    return;
  }
  k_set_clock();
  entity->weight = thread->weight;
  K_POLICY.enqueue(&k_machine, K_POLICY.place(&k_machine, entity), entity, thread->fresh ? CL_NEW : CL_WOKEN);
  thread->fresh = 0;
}

K_INLINE void k_enqueue_all(k_thread *thread) {
  while (thread) {
    k_thread *next = thread->next;
    k_enqueue(thread, 0);
    thread = next;
  }
}

K_INLINE int k_wake_in_place(k_thread *thread) {
  (void)thread;
  return 0;
}

K_INLINE void k_wake_and_notify(k_thread *thread, int *woke) {
  k_enqueue(thread, 0);
  *woke |= (k_need_resched & ~k_resched_sent) != 0;
}

/* The long way decides. */
K_INLINE int k_presses(uint32_t level) {
  (void)level;
  return 1;
}

/* The current thread waits. `woken` is a chain of threads that it has just woken and that are not queued yet. */
K_APART uint32_t k_block(k_cpu *cpu, k_thread *woken) {
  cpu->current->state = CL_STATE_BLOCKED;
  k_set_clock();
  k_quit(cpu, cpu->current);
  k_enqueue_all(woken);
  return k_choose(cpu);
}

/* The CPU has no running thread and has woken one, or none. */
K_INLINE uint32_t k_wait_woken(k_cpu *cpu, k_thread *woken) {
  if (woken) k_enqueue(woken, 0);
  return k_wait(cpu);
}

K_INLINE uint32_t k_wait_fast(k_cpu *cpu, k_thread *thread, k_port *port) {
  (void)cpu;
  (void)thread;
  (void)port;
  return 0; /* there is no shorter way than k_block */
}

K_INLINE uint32_t k_rotate(k_cpu *cpu) {
  (void)cpu;
  return 0; /* the policy decides */
}

K_INLINE uint32_t k_end_slice(k_cpu *cpu) { return k_rotate(cpu); }

K_INLINE uint32_t k_take_over(k_cpu *cpu, k_thread *thread) {
  (void)cpu;
  (void)thread;
  return 0; /* the policy decides */
}

K_INLINE cl_time k_decides_at(const k_cpu *cpu) { return cpu->until; }

K_INLINE void k_look_at_slice(k_cpu *cpu) { (void)cpu; }

/* --- which CPUs must decide again -------------------------------------------------------------- */

K_INLINE int k_must_give_way(const k_cpu *cpu) { return (k_need_resched & k_bit(cpu)) != 0; }

/* Should the thread on this CPU give way? */
K_INLINE int k_irq(const k_cpu *cpu) { return k_must_give_way(cpu) || k_clock() >= cpu->until; }

K_INLINE uint32_t k_resched_unsent(const k_cpu *cpu) { return k_need_resched & ~k_resched_sent & ~k_bit(cpu); }

/* No CPU leaves the kernel while another must decide again and has not been sent an interrupt. */
K_INLINE void k_notify_all(void) {
  if (CL_CPUS == 1) return; /* the only CPU checks by itself */
  for (k_cpu *cpu = k_cpus; K_RARE(k_need_resched & ~k_resched_sent); cpu++) {
    if (!(k_need_resched & ~k_resched_sent & k_bit(cpu))) continue;
    k_resched_sent |= k_bit(cpu);
    k_interrupt(cpu);
  }
}

K_INLINE int k_others_must_give_way(const k_cpu *cpu) { return K_REMOTE && k_resched_unsent(cpu) != 0; }

K_COLD void k_notify_closer(const k_cpu *cpu) {
  uint32_t tell = k_resched_unsent(cpu);
  k_resched_sent |= tell;
  for (k_cpu *other = k_cpus; tell; other++, tell >>= 1)
    if (tell & 1) k_interrupt(other);
}

/* --- functions for the operations -------------------------------------------------------------- */

/* 0 is the most urgent; 120 is the default, and 40 levels are not real-time. */
K_INLINE uint16_t k_policy_priority(uint32_t level) {
  int32_t steps = (int32_t)level - (int32_t)K_NICE_0;
  if (K_LEVELS > 40) steps = steps * 20 / (int32_t)(K_LEVELS / 2);
  return (uint16_t)(120 + (steps < -20 ? -20 : steps > 19 ? 19 : steps));
}

K_COLD void k_begin_slices(void) {
  cl_time slice = k_slice ? k_slice : (cl_time)65536 * K_TICK;
  k_machine.tuning.slice = k_machine.tuning.granularity = k_machine.tuning.warm = slice;
  k_machine.tuning.latency = 8 * slice; /* as Linux's 6 ms are to 0.75 ms */
  k_machine.tuning.realtime_cpus = CL_CPUS > 1 ? CL_CPUS / 2 : 1;
  for (uint32_t cpu = 0; cpu < CL_CPUS; cpu++)
    if (k_policy_cpus[cpu].current) k_need_resched |= 1u << cpu;
}

K_INLINE void k_init_scheduler(void) {
  if (K_POLICY.cpu_size + K_BASE_SIZE(cpu_size) > CL_POLICY_ROOM ||
      K_POLICY.shared_size + K_BASE_SIZE(shared_size) > CL_POLICY_ROOM)
    cl_policy_has_no_room();
  memset(k_policy_cpus, 0, sizeof k_policy_cpus);
  memset(k_policy_states, 0, sizeof k_policy_states);
  memset(k_policy_shared, 0, sizeof k_policy_shared);
  k_need_resched = k_resched_sent = 0;
  k_machine.cpus = k_machine.open = CL_CPUS;
  k_machine.policy = &K_POLICY;
  k_machine.base = K_BASE;
  k_machine.cpu = k_policy_cpus;
  k_machine.shared = k_policy_shared;
  for (uint32_t cpu = 0; cpu < CL_CPUS; cpu++) k_policy_cpus[cpu].state = k_policy_states[cpu];
  k_begin_slices();
  k_set_clock();
  K_POLICY.init(&k_machine);
}

/* A thread has been made; fixed: it is placed on its CPU. */
K_INLINE void k_enter(k_thread *thread, uint32_t fixed) {
  thread->fresh = 1;
  thread->weight = CL_WEIGHT_NICE_0;
  thread->entity = (struct cl_entity){
      .id = k_tid(thread),
      .weight = CL_WEIGHT_NICE_0,
      .priority = k_policy_priority(thread->level),
      .home = fixed ? (int16_t)k_number(thread->cpu) : CL_ANY_CPU,
      .realtime = thread->level < K_NICE_0,
  };
}

/* A policy knows of a placement when a thread is made only. */
K_INLINE uint32_t k_place(k_cpu *cpu, k_thread *thread, k_cpu *home) {
  (void)cpu;
  (void)thread;
  (void)home;
  return K_ERROR(ENOTSUP);
}

/* The first thread runs already. */
K_INLINE void k_begin(k_cpu *cpu, k_thread *thread) {
  thread->state = CL_STATE_READY;
  thread->fresh = 0;
  K_POLICY.enqueue(&k_machine, k_number(cpu), &thread->entity, CL_NEW);
  k_choose(cpu);
}

/* The current thread ends. */
K_INLINE void k_end(k_cpu *cpu, k_thread *thread) {
  k_set_clock();
  k_quit(cpu, thread);
  if (!K_POLICY.reserve) return;
  for (uint32_t own = 0; own < CL_CPUS; own++)
    if (k_policy_cpus[own].owner == &thread->entity) K_POLICY.reserve(&k_machine, own, NULL);
}

/* The current thread gives way of its own will: the next one, or 0. */
K_INLINE uint32_t k_yield(k_cpu *cpu) { return k_look(cpu, CL_YIELDED); }

/* The current thread gives way if it should. */
K_INLINE uint32_t k_preempt(k_cpu *cpu) { return k_irq(cpu) ? k_look(cpu, CL_PREEMPTED) : 0; }

/* A thread that waits for a CPU leaves its queue, and comes back. */
K_INLINE void k_unqueue(k_thread *thread) {
  k_set_clock();
  k_quit(NULL, thread);
}

K_INLINE void k_change(k_thread *thread, uint32_t level, int is_queued) {
  if (is_queued) k_unqueue(thread);
  thread->level = level;
  thread->entity.priority = k_policy_priority(level);
  thread->entity.realtime = level < K_NICE_0;
  if (thread->entity.current) k_need_resched |= 1u << thread->entity.cpu;
  if (is_queued) K_POLICY.enqueue(&k_machine, (uint32_t)thread->entity.cpu, &thread->entity, CL_MOVED);
}

/* Weight 1 is that of nice 0. A running thread gets its new weight when its CPU next decides, which is soon. */
K_INLINE uint32_t k_weigh(k_thread *thread, uint32_t weight) {
  struct cl_entity *entity = &thread->entity;
  uint32_t old = thread->weight / CL_WEIGHT_NICE_0;
  thread->weight = weight * CL_WEIGHT_NICE_0;
  if (entity->current) {
    k_need_resched |= 1u << entity->cpu;
  } else if (entity->queued) {
    k_unqueue(thread);
    entity->weight = thread->weight;
    K_POLICY.enqueue(&k_machine, (uint32_t)entity->cpu, entity, CL_MOVED);
  }
  return old;
}

K_INLINE uint32_t k_give_cpu(uint32_t cpu, struct cl_entity *owner) {
  k_set_clock();
  return (uint32_t)K_POLICY.reserve(&k_machine, cpu, owner) << CL_WORD_STATUS_LSB;
}

K_INLINE uint32_t k_reserve(uint32_t cpu, k_thread *thread) { return k_give_cpu(cpu, &thread->entity); }
K_INLINE uint32_t k_release(uint32_t cpu) { return k_policy_cpus[cpu].owner ? k_give_cpu(cpu, NULL) : K_ERROR(ENOENT); }

K_INLINE k_thread *k_take_next(k_cpu *cpu) {
  (void)cpu;
  return NULL;
}

K_INLINE int k_none_ready(const k_cpu *cpu) {
  for (const k_thread *thread = k_threads; thread < k_threads + CL_THREADS; thread++)
    if (thread->state == CL_STATE_READY && (!thread->home || thread->home == cpu)) return 0;
  return 1;
}

/* A thread becomes the CPU's idle thread, and ready. */
K_INLINE void k_enter_idle(k_cpu *cpu, k_thread *thread) {
  (void)cpu;
  k_enqueue(thread, 0);
}

#endif
