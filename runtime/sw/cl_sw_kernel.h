/* SPDX-License-Identifier: Apache-2.0
 *
 * The software kernel: the operations of docs/reference/kernel.md on plain data structures.
 *
 * Portable C11 without heap, included by exactly one front end: cl_sw.c on the SoC, and a dispatcher that the
 * tests load on the host. Words and order of effects (publish, then block, then choose) are those of the reference
 * model (src/coreloom/reference/kernel.py).
 *
 * The caller has the kernel to itself (one lock; interrupts disabled) and passes its CPU. An operation returns a word,
 * or K_PENDING: the CPU has no thread to run, and k_complete() will store the word to cpu->answer.
 * Operations on hot paths set *woke if a woken thread is better than a running one, so that the caller checks which
 * CPU must give way; after the other operations it always checks.
 * The front end defines:
 *   uint32_t k_now(void)          time in the unit of k_slice
 *   void k_completed(k_cpu *)     another CPU's pending operation has its answer
 *   void k_interrupt(k_cpu *)     another CPU must check whether its thread must give way
 *   K_TICK                        units of k_now in one tick
 *   K_REMOTE                      1 if operations can be pending while others run (more than one CPU)
 *   K_HELD                        1 if a CPU keeps the kernel locked from the answer that makes it leave a thread until
 *                                 its context is saved; then only a CPU that slept (k_complete) calls k_saved */
#ifndef CL_SW_KERNEL_H
#define CL_SW_KERNEL_H

#include "cl_sw_scheduler.h"

/* The wait of thread `tid` ends, with nothing for it. */
K_COLD uint32_t k_end_wait(k_thread **list, uint32_t tid, int *woke) {
  for (; *list; list = &(*list)->next) {
    k_thread *thread = *list;
    if (k_tid(thread) != tid) continue;
    *list = thread->next;
    k_wake_and_notify(thread, woke);
    return 0;
  }
  return K_ERROR(ENOENT);
}

K_INLINE void k_wake_if(k_thread *thread, int *woke) {
  if (thread) k_wake_and_notify(thread, woke);
}

/* What an operation has done. One that wakes at most one thread has not queued it, as it may take the CPU at once. */
struct k_result {
  uint32_t word;
  k_thread *woken; /* the one that is not queued, or NULL */
  int woke;        /* a thread that is queued is better than a running one */
};

K_INLINE struct k_result k_just(uint32_t word) { return (struct k_result){.word = word}; }

/* The thread is queued; the word. */
K_INLINE uint32_t k_queue_woken(struct k_result result, int *woke) {
  k_wake_if(result.woken, woke);
  return result.word;
}

/* --- publishing -------------------------------------------------------------------------- */

/* Returns the receiver if it is to be woken. */
K_INLINE k_thread *k_show(k_port *port) {
  k_freeze(port, port->tail);
  if (!port->receiver_waits) return NULL;
  port->receiver_waits = 0;
  return port->receiver;
}

K_INLINE void k_publish_port(k_port *port, int *woke) {
  if (port->tail != port->frozen) k_wake_if(k_show(port), woke); /* a closed port is empty */
}

/* Publish the thread's messages, its newest port first. */
K_INLINE void k_publish(k_thread *thread, int *woke) {
  k_port *port;
  while ((port = thread->sent)) {
    thread->sent = port->next_sent;
    port->writer = NULL;
    k_publish_port(port, woke);
  }
}

/* Publish one port of a thread that is about to block; returns its receiver if that is woken and must be queued. */
K_INLINE k_thread *k_publish_and_keep_one(k_port *port) {
  port->writer = NULL;
  if (port->tail == port->frozen) return NULL;
  k_thread *receiver = k_show(port);
  if (!receiver || (K_AWAY && k_wake_in_place(receiver))) return NULL;
  receiver->next = NULL;
  return receiver;
}

K_APART k_thread *k_publish_and_keep_all(k_port *port) {
  k_thread *woken = NULL;
  k_thread **end = &woken;
  do {
    k_port *next = port->next_sent;
    if (K_AWAY) { /* in order, as one may continue in place and another be handed to a waiting CPU */
      int woke = 0;
      port->writer = NULL;
      k_publish_port(port, &woke);
      port = next;
      continue;
    }
    k_thread *receiver = k_publish_and_keep_one(port);
    if (receiver) {
      *end = receiver;
      end = &receiver->next;
    }
    port = next;
  } while (port);
  return woken;
}

/* The same for a thread that is about to block: the threads it wakes are not queued but returned as a chain. */
K_INLINE k_thread *k_publish_and_keep(k_thread *thread) {
  k_port *port = thread->sent;
  if (!port) return NULL;
  thread->sent = NULL;
  return K_RARE(port->next_sent) ? k_publish_and_keep_all(port) : k_publish_and_keep_one(port);
}

/* --- threads ----------------------------------------------------------------------------- */

K_COLD void k_init(void) {
  memset(&K_SHARED, 0, sizeof K_SHARED);
  memset(k_cpus, 0, sizeof k_cpus);
  memset(k_ports, 0, sizeof k_ports);
  memset(k_threads, 0, sizeof k_threads);
  memset(k_mutexes, 0, sizeof k_mutexes);
  memset(k_semaphores, 0, sizeof k_semaphores);
  memset(k_conditions, 0, sizeof k_conditions);
  memset(k_lines, 0, sizeof k_lines);
  k_init_scheduler();
  for (uint32_t id = 0; id < CL_PORTS; id++) k_ports[id].kind = K_CLOSED;
  for (uint32_t tid = 0; tid < CL_THREADS; tid++) k_threads[tid].switch_word = K_GIVE_WAY | tid;
  k_free_count = 0;
  for (uint32_t tid = CL_THREADS - 1; tid > 0; tid--) k_free[k_free_count++] = (uint16_t)tid;
  k_slice = 0;
  k_waiting = k_asleep = 0;
  k_thread *first = &k_threads[0];
  first->state = CL_STATE_RUNNING;
  first->level = K_LEVELS - 1 - CL_PRIORITIES / 2;
  k_enter(first, 0);
  first->cpu = &k_cpus[0];
  k_cpus[0].current = first;
  k_begin(&k_cpus[0], first);
}

K_INLINE k_thread *k_thread_of(uint32_t id) {
  return id < CL_THREADS && k_threads[id].state != CL_STATE_FREE ? &k_threads[id] : NULL;
}

K_INLINE void k_free_thread(k_thread *thread) {
  thread->state = CL_STATE_FREE;
  k_free[k_free_count++] = (uint16_t)k_tid(thread);
}

K_INLINE uint32_t k_op_next(k_cpu *cpu) { return k_runs(cpu) ? K_RESUMED : k_wait(cpu); }

K_INLINE uint32_t k_op_yield(k_cpu *cpu, int *woke) {
  k_publish(cpu->current, woke);
  return k_yield(cpu);
}

K_INLINE uint32_t k_op_preempt(k_cpu *cpu) {
  int woke = 0;
  k_publish(cpu->current, &woke);
  return k_preempt(cpu);
}

K_COLD uint32_t k_op_thread_create(uint32_t word) {
  uint32_t priority = word >> CL_ATTRIBUTES_PRIORITY_LSB & CL_ATTRIBUTES_PRIORITY_MASK;
  uint32_t on_cpu = word >> CL_ATTRIBUTES_CPU_LSB & CL_ATTRIBUTES_CPU_MASK;
  uint32_t fixed = word >> CL_ATTRIBUTES_STATIC_LSB & CL_ATTRIBUTES_STATIC_MASK;
  if (CL_PRIORITIES <= CL_HARDWARE_PARAM && priority >= CL_HARDWARE_PARAM) return K_ERROR(ENODEV);
  if (priority >= CL_PRIORITIES || (fixed && on_cpu >= CL_CPUS)) return K_ERROR(EINVAL);
  if (!k_free_count) return K_ERROR(EAGAIN);
  uint32_t tid = k_free[--k_free_count];
  k_thread *thread = &k_threads[tid];
  thread->state = CL_STATE_CREATED;
  thread->level = K_LEVELS - 1 - priority;
  thread->cpu = &k_cpus[fixed ? on_cpu : 0];
  thread->home = fixed ? thread->cpu : NULL;
  k_enter(thread, fixed);
  thread->detached = word >> CL_ATTRIBUTES_DETACHED_LSB & CL_ATTRIBUTES_DETACHED_MASK;
  thread->joiner = NULL;
  thread->sent = NULL;
  thread->idle = thread->lines = 0;
  return tid;
}

/* 0 for a thread that can become ready, else why not. */
K_COLD uint32_t k_not_startable(const k_thread *thread) {
  switch (thread->state) {
    case CL_STATE_CREATED:
    case CL_STATE_SUSPENDED: return 0;
    case CL_STATE_READY: return K_ERROR(EALREADY);
    case CL_STATE_EXITED: return K_ERROR(ESHUTDOWN);
    default: return K_ERROR(EINPROGRESS);
  }
}

K_INLINE uint32_t k_op_thread_start(uint32_t id) {
  k_thread *thread = k_thread_of(id);
  if (K_RARE(!thread)) return K_ERROR(ESRCH);
  if (K_RARE(thread->state != CL_STATE_CREATED)) {
    uint32_t wrong = k_not_startable(thread);
    if (wrong) return wrong;
  }
  k_enqueue(thread, 0);
  return 0;
}

K_COLD void k_unbind_all(const k_thread *thread) {
  for (k_line *line = k_lines; line < k_lines + CL_LINES; line++)
    if (line->bound == K_BOUND_THREAD && line->thread == thread) *line = (k_line){.bound = K_UNBOUND};
}

K_INLINE uint32_t k_op_thread_exit(k_cpu *cpu) {
  int woke = 0;
  k_thread *thread = cpu->current;
  k_publish(thread, &woke);
  k_end(cpu, thread);
  thread->state = CL_STATE_EXITED;
  cpu->current = NULL;
  if (thread->idle) cpu->idle_thread = NULL;
  if (thread->lines) k_unbind_all(thread);
  k_thread *joiner = thread->joiner;
  if (joiner || thread->detached) k_free_thread(thread);
  if (joiner) {
    joiner->next = NULL;
    if (K_AWAY && k_wake_in_place(joiner)) joiner = NULL;
  }
  if (K_REMOTE && K_RARE(woke)) k_notify(cpu);
  return k_wait_woken(cpu, joiner);
}

/* The caller, whose context is saved, becomes ready where it is placed now. */
K_COLD uint32_t k_op_move(k_cpu *cpu, uint32_t word) {
  int woke = 0;
  uint32_t on_cpu = word >> CL_ATTRIBUTES_CPU_LSB & CL_ATTRIBUTES_CPU_MASK;
  uint32_t fixed = word >> CL_ATTRIBUTES_STATIC_LSB & CL_ATTRIBUTES_STATIC_MASK;
  k_thread *thread = cpu->current;
  if (thread->idle) return K_ERROR(ENOTSUP);
  if ((word >> CL_ATTRIBUTES_PRIORITY_LSB & CL_ATTRIBUTES_PRIORITY_MASK) >= CL_PRIORITIES) return K_ERROR(EINVAL);
  if (fixed && on_cpu >= CL_CPUS) return K_ERROR(EINVAL);
  uint32_t wrong = k_place(cpu, thread, fixed ? &k_cpus[on_cpu] : NULL);
  if (wrong) return wrong;
  k_publish(thread, &woke);
  cpu->current = NULL;
  thread->state = CL_STATE_BLOCKED;
  thread->home = fixed ? &k_cpus[on_cpu] : NULL;
  if (fixed) thread->cpu = thread->home;
  thread->next = NULL;
  if (K_REMOTE && woke) k_notify(cpu);
  return k_wait_woken(cpu, thread);
}

K_INLINE uint32_t k_op_thread_join(k_cpu *cpu, uint32_t id) {
  k_thread *thread = k_thread_of(id);
  if (K_RARE(!thread)) return K_ERROR(ESRCH);
  if (K_RARE(thread == cpu->current)) return K_ERROR(EDEADLK);
  if (K_RARE(thread->detached)) return K_ERROR(EINVAL);
  if (K_RARE(thread->joiner)) return K_ERROR(EBUSY);
  if (thread->state == CL_STATE_EXITED) {
    k_free_thread(thread);
    return 0;
  }
  thread->joiner = cpu->current;
  return k_block(cpu, k_publish_and_keep(cpu->current));
}

K_COLD uint32_t k_op_thread_detach(uint32_t id) {
  k_thread *thread = k_thread_of(id);
  if (!thread) return K_ERROR(ESRCH);
  if (thread->detached) return K_ERROR(EINVAL);
  if (thread->joiner) return K_ERROR(EBUSY);
  thread->detached = 1;
  if (thread->state == CL_STATE_EXITED) k_free_thread(thread);
  return 0;
}

/* In a ready queue; a thread that is just giving way is not there yet. */
K_INLINE int k_is_in_queue(const k_thread *thread) {
  return thread->state == CL_STATE_READY && thread->cpu->leaving != thread;
}

K_INLINE uint32_t k_priority(const k_thread *thread) {
  return K_LEVELS - 1u - (thread->idle ? thread->own_level : thread->level);
}

K_COLD uint32_t k_op_check_sched_param(uint32_t id, uint32_t priority) {
  k_thread *thread = k_thread_of(id);
  if (!thread) return K_ERROR(ESRCH);
  if (thread->state == CL_STATE_EXITED) return K_ERROR(ESHUTDOWN);
  if (thread->idle) return K_ERROR(ENOTSUP);
  return priority < CL_PRIORITIES ? 0 : K_ERROR(EINVAL);
}

K_COLD uint32_t k_op_set_sched_param(uint32_t id, uint32_t priority) {
  uint32_t wrong = k_op_check_sched_param(id, priority);
  if (wrong) return wrong;
  k_thread *thread = &k_threads[id];
  uint32_t old = k_priority(thread);
  k_change(thread, K_LEVELS - 1 - priority, k_is_in_queue(thread));
  return old;
}

K_COLD uint32_t k_op_get_sched_param(uint32_t id) {
  k_thread *thread = k_thread_of(id);
  return thread ? k_priority(thread) : K_ERROR(ESRCH);
}

K_COLD uint32_t k_op_thread_read(uint32_t id) {
  k_thread *thread = k_thread_of(id);
  if (!thread) return K_ERROR(ESRCH);
#if K_FINE
  if (thread->parked)
    return CL_STATE_BLOCKED << CL_THREAD_WORD_STATE_LSB | k_priority(thread) << CL_THREAD_WORD_PRIORITY_LSB |
           (uint32_t)(thread->cpu - k_cpus) << CL_THREAD_WORD_CPU_LSB;
#endif
  return thread->state << CL_THREAD_WORD_STATE_LSB | k_priority(thread) << CL_THREAD_WORD_PRIORITY_LSB |
         (uint32_t)(thread->cpu - k_cpus) << CL_THREAD_WORD_CPU_LSB;
}

K_COLD uint32_t k_op_slice(uint32_t ticks) {
  k_slice = (ticks & 0xffff) * K_TICK;
  k_begin_slices();
  return 0;
}

/* value: the old weight. */
K_COLD uint32_t k_op_set_weight(uint32_t id, uint32_t weight) {
  if (!K_WEIGHTS) return K_ERROR(ENOTSUP);
  k_thread *thread = k_thread_of(id);
  if (!thread) return K_ERROR(ESRCH);
  if (thread->idle) return K_ERROR(ENOTSUP);
  if (weight < 1 || weight > CL_WEIGHT_MAX) return K_ERROR(EINVAL);
  return k_weigh(thread, weight);
}

/* --- the ready queue ([HT]: the scheduler's operations) -------------------------------------- */

K_COLD uint32_t k_op_dequeue(k_cpu *cpu) {
  if (!K_TAKES_NEXT) return K_ERROR(ENOTSUP);
  k_thread *thread = k_take_next(cpu);
  if (!thread) return K_ERROR(EAGAIN);
  thread->state = CL_STATE_SUSPENDED;
  return k_tid(thread);
}

K_COLD uint32_t k_op_remove(uint32_t id) {
  k_thread *thread = k_thread_of(id);
  if (!thread) return K_ERROR(ESRCH);
  if (!k_is_in_queue(thread)) return K_ERROR(ENOENT);
  k_unqueue(thread);
  thread->state = CL_STATE_SUSPENDED;
  return 0;
}

K_COLD uint32_t k_op_get_entry(uint32_t id) {
  k_thread *thread = k_thread_of(id);
  if (!thread) return K_ERROR(ESRCH);
  return k_priority(thread) << CL_ENTRY_WORD_SCHED_PARAM_LSB |
         (uint32_t)k_is_in_queue(thread) << CL_ENTRY_WORD_QUEUED_LSB |
         (uint32_t)(thread->home != NULL) << CL_ENTRY_WORD_STATIC_LSB |
         (uint32_t)thread->idle << CL_ENTRY_WORD_IDLE_LSB;
}

K_COLD uint32_t k_op_is_queued(uint32_t id) {
  k_thread *thread = k_thread_of(id);
  return thread ? (uint32_t)k_is_in_queue(thread) : K_ERROR(ESRCH);
}

K_COLD uint32_t k_op_is_empty(const k_cpu *cpu) { return (uint32_t)k_none_ready(cpu); }

K_COLD uint32_t k_op_reserve(uint32_t id, uint32_t tid) {
  if (!K_RESERVES) return K_ERROR(ENOTSUP);
  if (id >= CL_CPUS) return K_ERROR(EINVAL);
  k_thread *thread = k_thread_of(tid);
  if (!thread) return K_ERROR(ESRCH);
  if (thread->state == CL_STATE_EXITED) return K_ERROR(ESHUTDOWN);
  if (thread->idle) return K_ERROR(ENOTSUP);
  return k_cpus[id].idle_thread ? K_ERROR(EBUSY) : k_reserve(id, thread);
}

K_COLD uint32_t k_op_release(uint32_t id) {
  if (!K_RESERVES) return K_ERROR(ENOTSUP);
  return id < CL_CPUS ? k_release(id) : K_ERROR(EINVAL);
}

K_COLD uint32_t k_op_set_idle_thread(k_cpu *cpu, uint32_t id) {
  k_thread *thread = k_thread_of(id);
  if (!thread) return K_ERROR(ESRCH);
  uint32_t wrong = k_not_startable(thread);
  if (wrong) return wrong;
  if (cpu->idle_thread || thread->idle) return K_ERROR(EBUSY);
  cpu->idle_thread = thread;
  thread->own_level = thread->level;
  thread->idle = 1;
  thread->level = K_IDLE;
  thread->home = thread->cpu = cpu;
  k_enter_idle(cpu, thread);
  return 0;
}

/* --- mutexes ------------------------------------------------------------------------------ */

K_COLD uint32_t k_op_mutex_create(void) {
  for (uint32_t id = 0; id < CL_MUTEXES; id++) {
    if (!k_mutexes[id].exists) {
      k_mutexes[id] = (k_mutex){.exists = 1};
      return id;
    }
  }
  return K_ERROR(EAGAIN);
}

K_COLD uint32_t k_op_mutex_destroy(uint32_t id) {
  if (id >= CL_MUTEXES || !k_mutexes[id].exists) return K_ERROR(EINVAL);
  if (k_mutexes[id].owner) return K_ERROR(EBUSY);
  k_mutexes[id].exists = 0;
  return 0;
}

K_INLINE uint32_t k_op_mutex_lock(k_cpu *cpu, uint32_t id) {
  k_mutex *mutex = &k_mutexes[id];
  k_thread *thread = cpu->current;
  if (K_RARE(id >= CL_MUTEXES || !mutex->exists)) return K_ERROR(EINVAL);
  if (!K_RARE(mutex->owner)) {
    mutex->owner = thread;
    return 0;
  }
  if (K_RARE(mutex->owner == thread)) return K_ERROR(EDEADLK);
  k_thread *woken = k_publish_and_keep(thread);
  k_queue_waiter(&mutex->waiters, thread);
  return k_block(cpu, woken);
}

K_INLINE uint32_t k_op_mutex_trylock(k_cpu *cpu, uint32_t id) {
  k_mutex *mutex = &k_mutexes[id];
  if (K_RARE(id >= CL_MUTEXES || !mutex->exists)) return K_ERROR(EINVAL);
  if (mutex->owner) return K_ERROR(EBUSY);
  mutex->owner = cpu->current;
  return 0;
}

K_INLINE struct k_result k_op_mutex_unlock(k_cpu *cpu, uint32_t id) {
  k_mutex *mutex = &k_mutexes[id];
  k_thread *next = NULL;
  if (K_RARE(id >= CL_MUTEXES || !mutex->exists)) return k_just(K_ERROR(EINVAL));
  if (K_RARE(mutex->owner != cpu->current)) return k_just(K_ERROR(EPERM));
  if (mutex->waiters) next = k_first_waiter(&mutex->waiters);
  mutex->owner = next;
  return (struct k_result){.woken = next};
}

K_COLD uint32_t k_op_mutex_leave(uint32_t id, uint32_t tid, int *woke) {
  if (id >= CL_MUTEXES || !k_mutexes[id].exists) return K_ERROR(EINVAL);
  return k_end_wait(&k_mutexes[id].waiters, tid, woke);
}

/* --- semaphores --------------------------------------------------------------------------- */

K_COLD uint32_t k_op_semaphore_create(uint32_t count) {
  if (count > CL_SEMAPHORE_MAX) return K_ERROR(EINVAL);
  for (uint32_t id = 0; id < CL_SEMAPHORES; id++) {
    if (!k_semaphores[id].exists) {
      k_semaphores[id] = (k_semaphore){.count = count, .exists = 1};
      return id;
    }
  }
  return K_ERROR(EAGAIN);
}

K_COLD uint32_t k_op_semaphore_destroy(uint32_t id) {
  if (id >= CL_SEMAPHORES || !k_semaphores[id].exists) return K_ERROR(EINVAL);
  if (k_semaphores[id].waiters) return K_ERROR(EBUSY);
  k_semaphores[id].exists = 0;
  return 0;
}

K_INLINE uint32_t k_op_semaphore_wait(k_cpu *cpu, uint32_t id) {
  k_semaphore *semaphore = &k_semaphores[id];
  if (K_RARE(id >= CL_SEMAPHORES || !semaphore->exists)) return K_ERROR(EINVAL);
  if (!K_RARE(!semaphore->count)) {
    semaphore->count--;
    return 0;
  }
  k_thread *woken = k_publish_and_keep(cpu->current);
  k_queue_waiter(&semaphore->waiters, cpu->current);
  return k_block(cpu, woken);
}

K_INLINE uint32_t k_op_semaphore_trywait(uint32_t id) {
  k_semaphore *semaphore = &k_semaphores[id];
  if (K_RARE(id >= CL_SEMAPHORES || !semaphore->exists)) return K_ERROR(EINVAL);
  if (!semaphore->count) return K_ERROR(EAGAIN);
  semaphore->count--;
  return 0;
}

K_INLINE struct k_result k_op_semaphore_post(uint32_t id) {
  k_semaphore *semaphore = &k_semaphores[id];
  if (K_RARE(id >= CL_SEMAPHORES || !semaphore->exists)) return k_just(K_ERROR(EINVAL));
  k_thread *woken = NULL;
  if (semaphore->waiters) {
    woken = k_first_waiter(&semaphore->waiters);
  } else {
    if (K_RARE(semaphore->count == CL_SEMAPHORE_MAX)) return k_just(K_ERROR(ERANGE));
    semaphore->count++;
  }
  return (struct k_result){.woken = woken};
}

K_INLINE uint32_t k_op_semaphore_value(uint32_t id) {
  if (id >= CL_SEMAPHORES || !k_semaphores[id].exists) return K_ERROR(EINVAL);
  return k_semaphores[id].count;
}

K_COLD uint32_t k_op_semaphore_leave(uint32_t id, uint32_t tid, int *woke) {
  if (id >= CL_SEMAPHORES || !k_semaphores[id].exists) return K_ERROR(EINVAL);
  return k_end_wait(&k_semaphores[id].waiters, tid, woke);
}

/* --- condition variables ------------------------------------------------------------------- */

K_COLD uint32_t k_op_cond_create(void) {
  for (uint32_t id = 0; id < CL_CONDITIONS; id++) {
    if (!k_conditions[id].exists) {
      k_conditions[id] = (k_condition){.exists = 1};
      return id;
    }
  }
  return K_ERROR(EAGAIN);
}

K_COLD uint32_t k_op_cond_destroy(uint32_t id) {
  if (id >= CL_CONDITIONS || !k_conditions[id].exists) return K_ERROR(EINVAL);
  if (k_conditions[id].waiters) return K_ERROR(EBUSY);
  k_conditions[id].exists = 0;
  return 0;
}

K_INLINE uint32_t k_op_cond_ticket(uint32_t id) {
  if (K_RARE(id >= CL_CONDITIONS || !k_conditions[id].exists)) return K_ERROR(EINVAL);
  return k_conditions[id].signals;
}

K_INLINE uint32_t k_op_cond_wait(k_cpu *cpu, uint32_t id, uint32_t ticket) {
  k_condition *condition = &k_conditions[id];
  if (K_RARE(id >= CL_CONDITIONS || !condition->exists)) return K_ERROR(EINVAL);
  if (condition->signals != (uint16_t)ticket) return 0;
  k_thread *woken = k_publish_and_keep(cpu->current);
  k_queue_waiter(&condition->waiters, cpu->current);
  return k_block(cpu, woken);
}

K_INLINE uint32_t k_op_barrier_wait(k_cpu *cpu, uint32_t id, uint32_t others, int *woke) {
  k_condition *condition = &k_conditions[id];
  if (K_RARE(id >= CL_CONDITIONS || !condition->exists)) return K_ERROR(EINVAL);
  if (condition->signals == (uint16_t)others) {
    condition->signals = 0;
    while (condition->waiters) k_wake_and_notify(k_first_waiter(&condition->waiters), woke);
    return 1;
  }
  condition->signals++;
  k_thread *woken = k_publish_and_keep(cpu->current);
  k_queue_waiter(&condition->waiters, cpu->current);
  return k_block(cpu, woken);
}

K_INLINE struct k_result k_op_cond_signal(uint32_t id) {
  k_condition *condition = &k_conditions[id];
  if (K_RARE(id >= CL_CONDITIONS || !condition->exists)) return k_just(K_ERROR(EINVAL));
  condition->signals++;
  return (struct k_result){.woken = condition->waiters ? k_first_waiter(&condition->waiters) : NULL};
}

K_INLINE uint32_t k_op_cond_broadcast(uint32_t id, int *woke) {
  k_condition *condition = &k_conditions[id];
  if (K_RARE(id >= CL_CONDITIONS || !condition->exists)) return K_ERROR(EINVAL);
  condition->signals++;
  while (condition->waiters) k_wake_and_notify(k_first_waiter(&condition->waiters), woke);
  return 0;
}

K_COLD uint32_t k_op_cond_leave(uint32_t id, uint32_t tid, int *woke) {
  if (id >= CL_CONDITIONS || !k_conditions[id].exists) return K_ERROR(EINVAL);
  return k_end_wait(&k_conditions[id].waiters, tid, woke);
}

/* --- ports -------------------------------------------------------------------------------- */

/* A receiver takes a message without the lock as soon as `frozen` says so: the compiler must not store that first. */
K_INLINE void k_write(k_port *port, uint32_t number, uint32_t word, const uint32_t *words, uint32_t count) {
  *(volatile uint32_t *)k_slot(port, number) = word;
  cl_words_put(k_further_of(port, number), words, count);
}

K_COLD uint32_t k_op_port_open(k_cpu *cpu, uint32_t id, uint32_t flags) {
  if (id >= CL_PORTS) return K_ERROR(EINVAL);
  k_port *port = &k_ports[id];
  if (port->receiver) return K_ERROR(EBUSY);
  port->receiver = cpu->current;
  int direct = flags >> CL_PORT_FLAGS_IMMEDIATE_LSB & CL_PORT_FLAGS_IMMEDIATE_MASK;
  port->kind = direct ? K_DIRECT : K_BUFFERED;
  if (!direct) k_buffers = 1;
  return 0;
}

K_COLD uint32_t k_op_port_close(k_cpu *cpu, uint32_t id) {
  if (id >= CL_PORTS) return K_ERROR(EINVAL);
  k_port *port = &k_ports[id];
  if (!port->receiver) return K_ERROR(EBADF);
  if (port->receiver != cpu->current) return K_ERROR(EPERM);
  if (port->senders) return K_ERROR(EBUSY);
  uint32_t lost = (port->tail - port->head) / K_STEP;
  port->receiver = NULL;
  port->kind = K_CLOSED;
  port->head = port->frozen = port->tail;
  return lost;
}

/* The parts of send and receive: a front end may put the waiting parts out of line. */

/* The open port that this thread may send to, or NULL and the error. */
K_INLINE k_port *k_port_to_send(uint32_t id, uint32_t *error) {
  *error = K_ERROR(EINVAL);
  if (K_RARE(id >= CL_PORTS)) return NULL;
  *error = K_ERROR(EBADF);
  return K_RARE(k_ports[id].kind == K_CLOSED) ? NULL : &k_ports[id];
}

K_INLINE k_port *k_port_to_receive(const k_cpu *cpu, uint32_t id, uint32_t *error) {
  *error = K_ERROR(EINVAL);
  if (K_RARE(id >= CL_PORTS)) return NULL;
  k_port *port = &k_ports[id];
  *error = port->receiver ? K_ERROR(EPERM) : K_ERROR(EBADF);
  return K_RARE(port->receiver != cpu->current) ? NULL : port;
}

K_INLINE int k_full(const k_port *port) { return port->tail - port->head == K_FULL; }
K_INLINE int k_has_message(const k_port *port) { return port->frozen != port->head; }

/* A message is `word` and `count` further words, or with count 0 undefined ones. */

/* A message to a direct port that has room and whose receiver does not wait; or nothing, and 0. */
K_INLINE int k_put_at_once(k_port *port, uint32_t word, const uint32_t *words, uint32_t count) {
  uint32_t at_once = port->at_once;
  uint32_t tail = port->tail;
  uint32_t head = port->head;
  __asm__ volatile("" : : "r"(at_once), "r"(tail), "r"(head)); /* all loads first: a core waits for one */
  if (K_RARE(at_once != K_DIRECT) || K_RARE(tail - head == K_FULL)) return 0;
  k_write(port, tail, word, words, count);
  port->tail = tail + K_STEP;
  k_freeze(port, tail + K_STEP);
  return 1;
}

/* A message to a buffered port that has room and no other writer; or nothing, and 0. */
K_INLINE int k_put_buffered(k_port *port, k_thread *thread, uint32_t word, const uint32_t *words, uint32_t count) {
  k_thread *writer = port->writer;
  uint32_t tail = port->tail;
  if (port->kind != K_BUFFERED || tail - port->head == K_FULL) return 0;
  if (!writer) {
    port->writer = thread;
    port->next_sent = thread->sent;
    thread->sent = port;
  } else if (writer != thread) {
    return 0;
  }
  k_write(port, tail, word, words, count);
  port->tail = tail + K_STEP;
  return 1;
}

/* Called when there is room; wakes the receiver if it waits. */
K_INLINE struct k_result k_put(k_port *port, k_thread *thread, uint32_t word, const uint32_t *words, uint32_t count) {
  uint32_t tail = port->tail;
  k_write(port, tail, word, words, count);
  port->tail = tail + K_STEP;
  if (port->kind == K_DIRECT || (port->writer && port->writer != thread)) {
    /* Two writers meet: publish now, or the second's message would wait for the first. */
    return (struct k_result){.woken = k_show(port)};
  }
  if (!port->writer) {
    port->writer = thread;
    port->next_sent = thread->sent;
    thread->sent = port;
  }
  return k_just(0);
}

/* Full: wait for room. A receiver that takes a message without the lock moves head, then reads senders; so here head is
 * read again once the sender is visible, and RESUMED returned if there is room by now. */
K_INLINE uint32_t k_wait_for_room(k_cpu *cpu, k_port *port) {
  k_thread *thread = cpu->current;
  k_thread *woken = k_publish_and_keep(thread);
  k_queue_waiter(&port->senders, thread);
  __asm__ volatile("" ::: "memory");
  if (K_REMOTE && K_RARE(port->tail - *(volatile uint32_t *)&port->head != K_FULL)) {
    k_thread **link = &port->senders;
    while (*link != thread) link = &(*link)->next;
    *link = thread->next;
    k_enqueue_all(woken);
    return K_RESUMED;
  }
  return k_block(cpu, woken);
}

/* Called when there is a message; `room`: for how many of its further words. Returns how many messages are left. */
K_INLINE uint32_t k_take(k_port *port, uint32_t *word, uint32_t *words, uint32_t room, int *woke) {
  uint32_t head = port->head;
  *word = *k_slot(port, head);
  cl_words_get(words, k_further_of(port, head), *word, room);
  port->head = head += K_STEP;
  if (K_RARE(port->senders)) k_wake_and_notify(k_first_waiter(&port->senders), woke);
  return (port->frozen - head) / K_STEP;
}

/* Called without a published message: publishes, and waits for one; returns 0 if publishing has produced one. */
K_INLINE uint32_t k_wait_for_message(k_cpu *cpu, k_port *port) {
  k_thread *woken = k_publish_and_keep(cpu->current);
  if (K_RARE(k_has_message(port))) {
    k_enqueue_all(woken);
    return 0;
  }
  port->receiver_waits = 1;
  return k_block(cpu, woken);
}

K_INLINE uint32_t k_op_port_send(k_cpu *cpu, uint32_t id, uint32_t word, const uint32_t *words, uint32_t count,
                                 int *woke) {
  uint32_t error;
  k_port *port = k_port_to_send(id, &error);
  if (!port) return error;
  if (k_put_at_once(port, word, words, count)) return 0;
  if (k_put_buffered(port, cpu->current, word, words, count)) return 0;
  if (k_full(port)) return k_wait_for_room(cpu, port);
  return k_queue_woken(k_put(port, cpu->current, word, words, count), woke);
}

K_INLINE uint32_t k_op_port_trysend(k_cpu *cpu, uint32_t id, uint32_t word, const uint32_t *words, uint32_t count,
                                    int *woke) {
  uint32_t error;
  k_port *port = k_port_to_send(id, &error);
  if (!port) return error;
  if (k_full(port)) {
    k_publish(cpu->current, woke);
    return K_ERROR(EAGAIN);
  }
  return k_queue_woken(k_put(port, cpu->current, word, words, count), woke);
}

K_INLINE uint32_t k_op_port_receive(k_cpu *cpu, uint32_t id, uint32_t *word, uint32_t *words, uint32_t room,
                                    int *woke) {
  uint32_t error;
  k_port *port = k_port_to_receive(cpu, id, &error);
  if (!port) return error;
  if (!k_has_message(port)) {
    uint32_t answer = k_wait_fast(cpu, cpu->current, port);
    if (!answer) answer = k_wait_for_message(cpu, port);
    if (answer) return answer;
    *woke = 1;
  }
  return k_take(port, word, words, room, woke);
}

K_INLINE uint32_t k_op_port_tryreceive(k_cpu *cpu, uint32_t id, uint32_t *word, uint32_t *words, uint32_t room,
                                       int *woke) {
  uint32_t error;
  k_port *port = k_port_to_receive(cpu, id, &error);
  if (!port) return error;
  if (!k_has_message(port)) k_publish(cpu->current, woke); /* may fill this very port */
  return k_has_message(port) ? k_take(port, word, words, room, woke) : K_ERROR(EAGAIN);
}

K_INLINE uint32_t k_op_port_publish(k_cpu *cpu, int *woke) {
  k_publish(cpu->current, woke);
  return 0;
}

K_COLD uint32_t k_op_port_leave(uint32_t id, uint32_t tid, int *woke) {
  uint32_t error;
  k_port *port = k_port_to_send(id, &error);
  if (!port) return error;
  if (!port->receiver_waits || k_tid(port->receiver) != tid) return k_end_wait(&port->senders, tid, woke);
  port->receiver_waits = 0;
  k_wake_and_notify(port->receiver, woke);
  return 0;
}

/* --- interrupts ([HT]: interrupts are threads) ---------------------------------------------- */

K_COLD uint32_t k_op_interrupt_bind(k_cpu *cpu, uint32_t id, uint32_t word) {
  uint32_t object = word >> CL_BINDING_OBJECT_LSB & CL_BINDING_OBJECT_MASK;
  uint32_t bound = (word >> CL_BINDING_KIND_LSB & CL_BINDING_KIND_MASK) + 1;
  if (id >= CL_LINES || bound > K_BOUND_PORT) return K_ERROR(EINVAL);
  if (bound == K_BOUND_SEMAPHORE && (object >= CL_SEMAPHORES || !k_semaphores[object].exists)) return K_ERROR(EINVAL);
  if (bound == K_BOUND_PORT) {
    if (object >= CL_PORTS) return K_ERROR(EINVAL);
    if (!k_ports[object].receiver) return K_ERROR(EBADF);
  }
  if (k_lines[id].bound) return K_ERROR(EBUSY);
  k_lines[id] = (k_line){.bound = (uint8_t)bound, .object = (uint16_t)object, .thread = cpu->current};
  if (bound == K_BOUND_THREAD) cpu->current->lines++;
  return 0;
}

/* No policy has deadlines. */
K_COLD uint32_t k_op_set_deadline(uint32_t id, uint32_t word) {
  (void)word;
  return k_thread_of(id) ? K_ERROR(ENOTSUP) : K_ERROR(ESRCH);
}

K_COLD uint32_t k_op_interrupt_unbind(uint32_t id) {
  if (id >= CL_LINES) return K_ERROR(EINVAL);
  k_line *line = &k_lines[id];
  if (!line->bound) return K_ERROR(ENOENT);
  if (line->waits) return K_ERROR(EBUSY);
  if (line->bound == K_BOUND_THREAD) line->thread->lines--;
  line->bound = K_UNBOUND;
  return 0;
}

K_INLINE uint32_t k_op_interrupt_wait(k_cpu *cpu, uint32_t id) {
  k_line *line = &k_lines[id];
  if (K_RARE(id >= CL_LINES)) return K_ERROR(EINVAL);
  if (K_RARE(!line->bound)) return K_ERROR(ENOENT);
  if (K_RARE(line->bound != K_BOUND_THREAD || line->thread != cpu->current)) return K_ERROR(EPERM);
  if (line->fired) {
    line->fired = 0;
    return 0;
  }
  k_thread *woken = k_publish_and_keep(cpu->current);
  line->waits = 1;
  return k_block(cpu, woken);
}

/* A message of no thread: published at once. */
K_COLD uint32_t k_send_line(k_port *port, uint32_t id, int *woke) {
#if K_FINE
  if (port->kind != K_BUFFERED) return send_line_inside(port, id, woke);
#endif
  if (!port->receiver) return K_ERROR(EBADF);
  if (k_full(port)) return K_ERROR(EAGAIN);
  static const uint32_t zeros[CL_PORT_WORDS];
  k_write(port, port->tail, id, zeros, CL_PORT_WORDS);
  port->tail += K_STEP;
  k_wake_if(k_show(port), woke);
  return 0;
}

/* The line of `lines`, a bit each, if it is only one and a thread waits for it, or NULL. */
K_INLINE k_line *k_awaited_line(uint32_t lines) {
  k_line *line = k_lines;
  if (K_RARE(lines & (lines - 1))) return NULL;
  for (; !(lines & 1); lines >>= 1) line++;
  return line->waits ? line : NULL; /* then it is bound to a thread */
}

/* Also what a rising edge of the line does. */
K_INLINE uint32_t k_op_interrupt_raise(uint32_t id, int *woke) {
  k_line *line = &k_lines[id];
  if (K_RARE(id >= CL_LINES)) return K_ERROR(EINVAL);
  if (line->bound == K_BOUND_THREAD) {
    if (line->waits) {
      line->waits = 0;
      k_wake_and_notify(line->thread, woke);
    } else {
      line->fired = 1;
    }
    return 0;
  }
#if K_FINE
  if (line->bound == K_BOUND_SEMAPHORE) return post_inside(line->object, woke);
#endif
  if (line->bound == K_BOUND_SEMAPHORE) return k_queue_woken(k_op_semaphore_post(line->object), woke);
  if (line->bound == K_BOUND_PORT) return k_send_line(&k_ports[line->object], id, woke);
  return K_ERROR(ENOENT);
}

#endif
