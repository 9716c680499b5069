/* SPDX-License-Identifier: Apache-2.0
 *
 * The software kernel's scheduler with the rules of the hardware kernel: fixed priorities, equals take turns.
 * Included by cl_sw_scheduler.h. */
#ifndef CL_SW_PRIORITY_H
#define CL_SW_PRIORITY_H

static inline uint32_t k_now(void);
static inline void k_completed(k_cpu *cpu);

/* A CPU may be in the context of a thread that is not running: asleep, or between GIVE_WAY and SAVED. Otherwise
 * waking a thread is only queueing it, and the code guarded by this test is kept off the common path. */
#define K_AWAY (K_REMOTE && K_RARE(!K_HELD || k_asleep))

K_FAR static k_queue k_idle_queues[CL_CPUS]; /* checked only when no other thread is ready */

K_INLINE k_queue *k_idle_queue(const k_cpu *cpu) { return &k_idle_queues[cpu - k_cpus]; }

/* --- ready queues ------------------------------------------------------------------------ */

K_INLINE void k_push(k_queue *queue, k_thread *thread, int front) {
  uint32_t level = thread->level;
  k_thread *tail = queue->tail[level];
  if (!tail) {
    thread->next = thread;
    queue->tail[level] = thread;
    queue->bitmap[K_WORDS == 1 ? 0 : level >> 5] |= 1u << (level & 31);
    if (level < queue->best) queue->best = level;
  } else {
    thread->next = tail->next;
    tail->next = thread;
    if (!front) queue->tail[level] = thread;
  }
}

/* `level` has become empty. */
K_INLINE void k_emptied(k_queue *queue, uint32_t level) {
  queue->tail[level] = NULL;
  uint32_t bits = queue->bitmap[K_WORDS == 1 ? 0 : level >> 5] &= ~(1u << (level & 31));
  if (K_WORDS == 1) {
    queue->best = bits ? (uint32_t)__builtin_ctz(bits) : K_NONE;
    return;
  }
  queue->best = K_NONE;
  for (uint32_t word = 0; word < K_WORDS; word++) {
    if (queue->bitmap[word]) {
      queue->best = word * 32 + (uint32_t)__builtin_ctz(queue->bitmap[word]);
      return;
    }
  }
}

K_INLINE k_thread *k_pop(k_queue *queue) {
  k_thread *tail = queue->tail[queue->best];
  k_thread *head = tail->next;
  if (head == tail) k_emptied(queue, queue->best);
  else tail->next = head->next;
  return head;
}

K_COLD void k_remove(k_queue *queue, k_thread *thread) {
  k_thread *before = thread;
  while (before->next != thread) before = before->next;
  if (before == thread) {
    k_emptied(queue, thread->level);
  } else {
    before->next = thread->next;
    if (queue->tail[thread->level] == thread) queue->tail[thread->level] = before;
  }
}

/* --- scheduling -------------------------------------------------------------------------- */

K_INLINE void k_start_slice(k_cpu *cpu, const k_thread *thread, uint32_t now) {
  cpu->since = now;
  cpu->preempt_below = thread->level;
}

/* The current thread is preempted: it keeps its slice. */
K_INLINE void k_keep_slice(const k_cpu *cpu, k_thread *thread, uint32_t now) {
  if (!k_slice) return;
  thread->ran = now - cpu->since;
  thread->switch_word |= K_SLICED;
}

/* This thread, which the CPU has begun to run, goes on with its slice; its word for a switch. */
K_INLINE uint32_t k_resume_slice(k_cpu *cpu, k_thread *thread, uint32_t word) {
  cpu->since -= thread->ran;
  return thread->switch_word = word & ~K_SLICED;
}

K_INLINE int k_slice_used(const k_cpu *cpu) { return cpu->preempt_below > cpu->current->level; }

/* Level of the best thread that may run here, except the idle thread. */
K_INLINE uint32_t k_best(const k_cpu *cpu) {
  return cpu->queue.best < k_dynamic.best ? cpu->queue.best : k_dynamic.best;
}

/* From here on the context of the current thread is being saved. */
K_INLINE void k_leave(k_cpu *cpu) {
  cpu->leaving = cpu->current;
  cpu->leaving_ready = 0;
}

K_INLINE uint32_t k_switch_at(k_cpu *cpu, k_thread *next, uint32_t now) {
  if (K_REMOTE && !K_HELD) k_leave(cpu);
  if (K_REMOTE) next->cpu = cpu;
  cpu->current = next;
  next->state = CL_STATE_RUNNING;
  k_start_slice(cpu, next, now);
  uint32_t word = next->switch_word;
  if (K_RARE(word & K_SLICED)) word = k_resume_slice(cpu, next, word);
  if ((word & ~CL_WORD_VALUE_MASK) != K_GIVE_WAY) __builtin_unreachable(); /* callers need not ask */
  return word;
}

K_INLINE uint32_t k_switch_to(k_cpu *cpu, k_thread *next) { return k_switch_at(cpu, next, k_now()); }

/* Take the best ready thread; there is one. */
K_INLINE k_thread *k_pick(k_cpu *cpu) {
  uint32_t own = cpu->queue.best;
  uint32_t dynamic = k_dynamic.best;
  k_queue *from = dynamic < own ? &k_dynamic : &cpu->queue;
  if (K_RARE(own == dynamic)) {
    from = cpu->turn_dynamic ? &k_dynamic : &cpu->queue;
    cpu->turn_dynamic ^= 1;
  }
  return k_pop(from);
}

/* Run the best ready thread; there is one. */
K_INLINE uint32_t k_switch(k_cpu *cpu) { return k_switch_to(cpu, k_pick(cpu)); }

/* The CPU has no running thread. */
K_INLINE uint32_t k_wait(k_cpu *cpu) {
  if (k_best(cpu) < K_NONE) return k_switch(cpu);
  if (K_RARE(k_idle_queue(cpu)->best == K_IDLE)) return k_switch_to(cpu, k_pop(k_idle_queue(cpu)));
  cpu->preempt_below = 0;
  if (!K_HELD && cpu->interrupt) return K_ERROR(EINTR);
  cpu->waiting = 1;
  k_waiting++;
  k_asleep++;
  return K_PENDING;
}

K_INLINE void k_complete(k_cpu *cpu, uint32_t word) {
  cpu->answer = word;
  cpu->waiting = 0;
  k_waiting--;
  k_completed(cpu);
}

/* K_HELD: this CPU has left the context in which it slept. */
K_INLINE void k_back(void) { k_asleep--; }

/* The lowest-numbered waiting CPU that may run the thread gets it at once. */
K_APART void k_offer(const k_thread *thread) {
  k_cpu *cpu = thread->home;
  if (!cpu) {
    if (!k_waiting) return;
    for (cpu = k_cpus; !cpu->waiting; cpu++) continue;
  } else if (!cpu->waiting) {
    return;
  }
  if (K_HELD) k_leave(cpu);
  /* It is the only thread that this CPU may run. */
  k_complete(cpu, k_switch_to(cpu, k_pop(thread->queue)));
}

/* Make a thread eligible. */
K_INLINE void k_enqueue(k_thread *thread, int front) {
  thread->state = CL_STATE_READY;
  k_push(thread->queue, thread, front);
  if (K_AWAY) k_offer(thread);
}

/* The CPU waits; the interrupt handler that has ended its sleep may have made a thread ready. If operations are never
 * pending while others run (not K_REMOTE), waking does not search for waiting CPUs, so this function does. */
K_COLD void k_wait_again(k_cpu *cpu) {
  cpu->waiting = 0;
  k_waiting--;
  k_asleep--;
  uint32_t word = k_wait(cpu);
  if (word == K_PENDING) return;
  cpu->answer = word;
  k_asleep++; /* k_back() */
}

/* The same as k_enqueue for a chain of threads, in order. */
K_APART void k_enqueue_all(k_thread *thread) {
  while (thread) {
    k_thread *next = thread->next;
    k_enqueue(thread, 0);
    thread = next;
  }
}

/* Wake a blocked thread: in place if its CPU waits in its context, or when that is saved. 0: neither. */
K_INLINE int k_wake_in_place(k_thread *thread) {
  k_cpu *cpu = thread->cpu;
  if (cpu->current == thread) { /* its CPU waits in its context */
    thread->state = CL_STATE_RUNNING;
    k_start_slice(cpu, thread, k_now());
    if (cpu->waiting) k_complete(cpu, K_RESUMED);
    return 1;
  }
  if (cpu->leaving == thread) {
    thread->state = CL_STATE_READY;
    cpu->leaving_ready = 1;
    return 1;
  }
  return 0;
}

/* A thread of this level has become ready: is it better than any running one, even on a CPU where it may not run?
 * The caller then checks exactly. */
K_INLINE int k_presses(uint32_t level) {
  for (const k_cpu *cpu = k_cpus; cpu < k_cpus + CL_CPUS; cpu++)
    if (level < cpu->preempt_below) return 1;
  return 0;
}

K_INLINE void k_wake_and_notify(k_thread *thread, int *woke) {
  if (K_AWAY && k_wake_in_place(thread)) {
    *woke = 1; /* it runs now, and one woken before it may be better */
    return;
  }
  k_enqueue(thread, 0);
  *woke |= k_presses(thread->level);
}

/* The context of the thread this CPU has left is saved. */
K_APART void k_saved(k_cpu *cpu) {
  k_thread *thread = cpu->leaving;
  cpu->leaving = NULL;
  if (thread && cpu->leaving_ready) {
    int front = cpu->leaving_front;
    cpu->leaving_front = 0;
    k_enqueue(thread, front);
  }
}

/* The CPU has no running thread. `woken` is a chain of threads that it has just woken and that are not queued yet.
 * A single one that is better than all ready threads bypasses the queue. */
K_INLINE uint32_t k_wait_woken(k_cpu *cpu, k_thread *woken) {
  if (woken) {
    int here = !K_REMOTE || woken->home == cpu || (!woken->home && !k_waiting);
    if (here && !woken->next && woken->level < k_best(cpu)) return k_switch_to(cpu, woken);
    k_enqueue_all(woken);
  }
  uint32_t word = k_wait(cpu);
  if (K_REMOTE && woken && K_RARE(word == K_PENDING)) k_notify(cpu); /* nobody else does, before this CPU sleeps */
  return word;
}

/* The current thread waits; the rest as above. */
K_INLINE uint32_t k_block(k_cpu *cpu, k_thread *woken) {
  cpu->current->state = CL_STATE_BLOCKED;
  return k_wait_woken(cpu, woken);
}

/* The current thread stays ready; it is queued when its context is saved. */
K_INLINE uint32_t k_give_way(k_cpu *cpu, int front) {
  k_thread *thread = cpu->current;
  uint32_t now = k_now();
  if (front) k_keep_slice(cpu, thread, now);
  uint32_t word = k_switch_at(cpu, k_pick(cpu), now);
  if (K_REMOTE && !K_HELD) {
    cpu->leaving_ready = 1;
    cpu->leaving_front = (uint8_t)front;
    thread->state = CL_STATE_READY;
  } else {
    k_enqueue(thread, front);
  }
  return word;
}

/* Does this CPU run the least urgent thread (the lowest number of equals)? */
K_INLINE int k_is_worst(const k_cpu *cpu) {
  for (const k_cpu *other = k_cpus; other < k_cpus + CL_CPUS; other++) {
    if (other == cpu || !k_runs(other)) continue;
    if (other->current->level > cpu->current->level) return 0;
    if (other->current->level == cpu->current->level && other < cpu) return 0;
  }
  return 1;
}

/* Should the thread on this CPU give way, now that a ready one is better? */
K_APART int k_irq_closer(const k_cpu *cpu) {
  if (!k_runs(cpu) || cpu->leaving) return 0;
  if (k_slice_used(cpu)) return 1;
  return cpu->queue.best < cpu->preempt_below || CL_CPUS == 1 || k_is_worst(cpu);
}

/* Is a ready thread better than that of this CPU? */
K_INLINE int k_must_give_way(const k_cpu *cpu) { return k_best(cpu) < cpu->preempt_below; }

/* Should the thread on this CPU give way? */
K_INLINE int k_irq(const k_cpu *cpu) {
  if (k_best(cpu) >= cpu->preempt_below) return 0;
  return !K_REMOTE || k_irq_closer(cpu);
}

/* Is a ready thread better than that of another CPU? */
K_INLINE int k_others_must_give_way(const k_cpu *cpu) {
  for (const k_cpu *other = k_cpus; other < k_cpus + CL_CPUS; other++)
    if (other != cpu && k_best(other) < other->preempt_below) return 1;
  return 0;
}

K_INLINE void k_notify_all(void) {} /* the operations have notified already */

K_COLD void k_notify_closer(const k_cpu *cpu) {
#if K_FINE
  int told = 0;
  for (k_cpu *other = k_cpus; other < k_cpus + CL_CPUS; other++) {
    if (other == cpu || !k_irq(other)) continue;
    if (other->preempt_below == K_NONE && other->queue.best == K_NONE) { /* parked: one of these is enough */
      if (told) continue;
      told = 1;
    }
    k_interrupt(other);
  }
#else
  for (k_cpu *other = k_cpus; other < k_cpus + CL_CPUS; other++)
    if (other != cpu && k_irq(other)) k_interrupt(other);
#endif
}

/* Time has passed: has the thread on this CPU used up its slice? */
K_INLINE void k_look_at_slice(k_cpu *cpu) {
  if (cpu->waiting || !cpu->current || !k_slice || k_now() - cpu->since < k_slice) return;
  if (k_runs(cpu)) cpu->preempt_below = cpu->current->level + 1;
}

/* The time of the next decision, if no slice ends before: none. */
K_INLINE uint64_t k_decides_at(const k_cpu *cpu) {
  (void)cpu;
  return UINT64_MAX;
}

/* Fast path of waiting for a message: the thread has sent to at most one port, and there is a thread for this CPU.
 * Returns GIVE_WAY; or does nothing and returns 0, and the next function handles the general case. */
K_INLINE uint32_t k_wait_fast(k_cpu *cpu, k_thread *thread, k_port *port) {
  k_port *sent = thread->sent;
  k_thread *woken = NULL;
  uint32_t best = k_best(cpu);
  int here = 0; /* woken may run on this CPU */
  if (sent) {
    if (K_RARE(sent->next_sent || sent == port)) return 0;
    if (sent->receiver_waits) {
      woken = sent->receiver;
      k_cpu *home = woken->home;
      here = !K_REMOTE || !home || home == cpu;
      if (K_AWAY) {
        if (home ? home->waiting : k_waiting) return 0;
        if (woken->cpu->current == woken || woken->cpu->leaving == woken) return 0;
      }
    }
  }
  if (!here && best == K_NONE) return 0;
  if (sent) {
    thread->sent = NULL;
    sent->writer = NULL;
    k_freeze(sent, sent->tail);
    sent->receiver_waits = 0;
  }
  port->receiver_waits = 1;
  thread->state = CL_STATE_BLOCKED;
  if (K_REMOTE ? woken != NULL : here) {
    if (here && woken->level < best) return k_switch_to(cpu, woken);
    woken->state = CL_STATE_READY;
    k_push(woken->queue, woken, 0);
  }
  return k_switch(cpu);
}

/* Fast path of an interrupt: `thread`, which waits for it, is better than all ready threads and than the one that runs
 * here, which has nothing to publish. Returns GIVE_WAY; or does nothing and returns 0. K_HELD only. */
K_INLINE uint32_t k_take_over(k_cpu *cpu, k_thread *thread) {
  uint32_t level = thread->level;
  if (level >= cpu->preempt_below || level >= k_best(cpu)) return 0;
  k_thread *current = cpu->current;
  if (current->sent) return 0;
  if (K_REMOTE) {
    if (thread->home != cpu && (thread->home || !(k_slice_used(cpu) || k_is_worst(cpu)))) return 0;
    if (k_asleep && (thread->home != cpu || current->home != cpu)) return 0; /* another CPU might take them */
  }
  int front = !k_slice_used(cpu);
  uint32_t now = k_now();
  if (front) k_keep_slice(cpu, current, now);
  current->state = CL_STATE_READY;
  k_push(current->queue, current, front);
  return k_switch_at(cpu, thread, now);
}

/* --- functions for the operations -------------------------------------------------------------- */

K_INLINE void k_init_scheduler(void) {
  memset(k_idle_queues, 0, sizeof k_idle_queues);
  k_dynamic.best = K_NONE;
  for (k_cpu *cpu = k_cpus; cpu < k_cpus + CL_CPUS; cpu++) cpu->queue.best = k_idle_queue(cpu)->best = K_NONE;
}

/* A thread has been made; fixed: it is placed on its CPU. */
K_INLINE void k_enter(k_thread *thread, uint32_t fixed) { thread->queue = fixed ? &thread->cpu->queue : &k_dynamic; }

/* The running thread is placed on `home`, or on any CPU if NULL; 0, or the error word. */
K_INLINE uint32_t k_place(k_cpu *cpu, k_thread *thread, k_cpu *home) {
  (void)cpu;
  thread->queue = home ? &home->queue : &k_dynamic;
  return 0;
}

/* The first thread runs already. */
K_INLINE void k_begin(k_cpu *cpu, k_thread *thread) { k_start_slice(cpu, thread, k_now()); }

/* The current thread ends. */
K_INLINE void k_end(k_cpu *cpu, k_thread *thread) {
  (void)cpu;
  (void)thread;
}

/* Fast path of yield: the first of the thread's ring runs, the thread is its last; bitmap and best level stay. Does
 * nothing and returns 0 if there is none, or a better one, or an equal in the CPU's other queue. K_HELD only. */
K_INLINE uint32_t k_rotate(k_cpu *cpu) {
  k_thread *thread = cpu->current;
  uint32_t level = thread->level;
  k_queue *queue = thread->queue;
  if (queue->best != level || cpu->queue.best + k_dynamic.best <= 2 * level) return 0;
  k_thread *tail = queue->tail[level];
  k_thread *next = tail->next;
  queue->tail[level] = thread;
  thread->state = CL_STATE_READY;
  if (next == tail) {
    thread->next = thread;
  } else {
    thread->next = next->next;
    tail->next = thread;
  }
  return k_switch_to(cpu, next);
}

/* Fast path of an interrupt: the same if the slice is used up and there is nothing to publish. */
K_INLINE uint32_t k_end_slice(k_cpu *cpu) { return k_slice_used(cpu) && !cpu->current->sent ? k_rotate(cpu) : 0; }

/* The current thread gives way of its own will: the next one, or 0. */
K_INLINE uint32_t k_yield(k_cpu *cpu) { return k_best(cpu) > cpu->current->level ? 0 : k_give_way(cpu, 0); }

/* The current thread gives way if it should. */
K_INLINE uint32_t k_preempt(k_cpu *cpu) {
#if defined(CL_PREEMPTED_LAST)
  if (k_best(cpu) < cpu->preempt_below) return k_give_way(cpu, 0);
#endif
  return k_best(cpu) >= cpu->preempt_below ? 0 : k_give_way(cpu, !k_slice_used(cpu));
}

K_INLINE void k_change(k_thread *thread, uint32_t level, int is_queued) {
  if (is_queued) k_remove(thread->queue, thread);
#if K_FINE
  else if (thread->state == CL_STATE_RUNNING) k_level_changed(thread, level);
#else
  else if (thread->state == CL_STATE_RUNNING) thread->cpu->preempt_below += level - thread->level;
#endif
  thread->level = level;
  if (is_queued) k_push(thread->queue, thread, 0);
}

/* All slices begin now. */
K_INLINE void k_begin_slices(void) {
  for (k_cpu *cpu = k_cpus; cpu < k_cpus + CL_CPUS; cpu++) {
    cpu->since = k_now();
    cpu->preempt_below = k_runs(cpu) ? cpu->current->level : 0;
  }
}

K_INLINE uint32_t k_weigh(k_thread *thread, uint32_t weight) {
  (void)thread;
  return weight;
}

K_INLINE uint32_t k_reserve(uint32_t cpu, k_thread *thread) {
  (void)thread;
  return cpu;
}

K_INLINE uint32_t k_release(uint32_t cpu) { return cpu; }

K_INLINE void k_unqueue(k_thread *thread) { k_remove(thread->queue, thread); }

#define K_SLICES 1     /* a decision ends with a slice, a constant time later */
#define K_TIMER_SET static __attribute__((noinline, cold)) /* so rare is it to set the timer to anything else */
#define K_TIMER_START K_APART
#define K_TAKES_NEXT 1 /* there is an operation `dequeue` */
#define K_WEIGHTS 0
#define K_RESERVES 0
#define K_LOOKED 0     /* a thread that was given a sleeping CPU may no longer be the best */

/* Take the thread off its queue that would be next, or NULL. */
K_INLINE k_thread *k_take_next(k_cpu *cpu) {
  if (k_best(cpu) < K_NONE) return k_pick(cpu);
  return k_idle_queue(cpu)->best == K_IDLE ? k_pop(k_idle_queue(cpu)) : NULL;
}

K_INLINE int k_none_ready(const k_cpu *cpu) { return k_best(cpu) == K_NONE && k_idle_queue(cpu)->best == K_NONE; }

/* A thread becomes the CPU's idle thread, and ready. */
K_INLINE void k_enter_idle(k_cpu *cpu, k_thread *thread) {
  thread->queue = k_idle_queue(cpu);
  k_enqueue(thread, 0);
}

#endif
