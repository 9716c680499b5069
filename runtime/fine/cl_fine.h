/* SPDX-License-Identifier: Apache-2.0
 *
 * Included by cl_sw.c for the kernel `fine`, on several CPUs: mutexes and semaphores, each with a lock of its own, and
 * threads that wait where they are while their CPU has nothing else to do. README.md has the rules. */
#ifndef CL_FINE_H
#define CL_FINE_H

/* Polls of a mutex before its waiter is queued: as long as leaving the CPU and coming back takes (README.md). */
#ifndef CL_SPINS
#define CL_SPINS 45
#endif

#define NO_OBJECT ((k_thread *)4) /* owner of a mutex, or first waiter of a semaphore, that does not exist */

/* --- locks ------------------------------------------------------------------------------------- */

static inline void lock_object(const void *object) {
  cl_local_write(CL_LOCK_ADDRESS, (uint32_t)(uintptr_t)object);
  cl_local_read(CL_LOCK_ACQUIRE); /* waits */
  __asm__ volatile("" ::: "memory");
}

static inline void unlock_object(void) {
  __asm__ volatile("" ::: "memory");
  cl_local_write(CL_LOCK_RELEASE, 0);
}

static inline uint32_t answer_from_object(uint32_t answer) {
  unlock_object();
  cl_irq_on();
  return answer;
}

/* A CPU holds one address in the Lock Unit. One that has the kernel's and needs an object's stays in the kernel by
 * `inside`: whoever gets the kernel's lock meanwhile gives it back and waits. */
static inline void go_inside(const void *object) {
  inside = cl_local_read(CL_CPU_ID) + 1;
  unlock_object();
  lock_object(object);
}

static inline void come_out(void) {
  unlock_object();
  lock_object(&K_SHARED);
  inside = 0;
}

/* --- waiting ----------------------------------------------------------------------------------- */

static inline int is_parked(const k_thread *thread) { return *(const volatile uint32_t *)&thread->parked != 0; }
static inline uint32_t best_now(const k_cpu *cpu) {
  uint32_t own = *(const volatile uint32_t *)&cpu->queue.best;
  uint32_t dynamic = *(const volatile uint32_t *)&k_dynamic.best;
  return own < dynamic ? own : dynamic;
}

/* With the object's lock: `thread`, which is off the list of waiters, has what it waits for. 0: it must be woken by the
 * kernel, wake(). */
static inline int give_in_place(k_thread *thread) {
  uint32_t parked = thread->parked;
  if (!parked) return 0;
  *(volatile uint32_t *)&thread->parked = 0;
  cl_local_write(CL_IPI, parked - 1);
  return 1;
}

/* With the kernel's lock: a thread that is off its list, and was not parked, has what it waits for, or its wait ends.
 * One that still runs is about to take this lock. */
static inline int is_on_its_way(k_thread *thread) {
  if (thread->state != CL_STATE_RUNNING) return 0;
  thread->given = 1;
  return 1;
}

CL_APART uint32_t wake(k_thread *thread) {
  k_cpu *cpu = this_cpu();
  lock();
  if (CL_UNLIKELY(is_on_its_way(thread))) return go_on(0);
  return cl_sw_finish(cpu, (struct k_result){.woken = thread}, WAKE_ONE);
}

/* Give the object to a waiter, which is off the list; with the object's lock, which this releases. */
CL_INLINE uint32_t give(k_thread *thread) {
  int done = give_in_place(thread);
  unlock_object();
  if (CL_UNLIKELY(!done)) return wake(thread);
  cl_irq_on();
  return 0;
}

/* Another CPU changes the level of a thread that runs: its CPU does the rest, as only that writes its preempt_below. */
static void k_level_changed(k_thread *thread, uint32_t level) {
  k_cpu *cpu = thread->cpu;
  if (cpu == this_cpu()) cpu->preempt_below += level - thread->level;
  else k_interrupt(cpu);
}

/* With the kernel's lock, after the CPU's interrupt has been cleared. */
static void look_at_level(k_cpu *cpu) {
  cpu->called = 0;
  if (!k_runs(cpu)) return;
  uint32_t level = cpu->current->level;
  if (cpu->preempt_below != level && cpu->preempt_below != level + 1) cpu->preempt_below = level;
}

/* The kernel has interrupted this CPU while it waited, which has cleared the interrupt. With the lock. */
CL_COLD static void look(k_cpu *cpu) {
  look_at_level(cpu);
  look_at_slice(cpu);
}

/* The same, and the wait is over. */
CL_APART uint32_t look_around(k_cpu *cpu) {
  look(cpu);
  return check_cpus(cpu, CL_RESUMED);
}

CL_APART uint32_t look_with_lock(k_cpu *cpu) {
  lock();
  return look_around(cpu);
}

/* The waiters of an object: by priority, then in order of arrival. `last` counts while there are any. */
CL_INLINE void queue_waiter(k_thread **list, k_thread **last, k_thread *thread) {
  if (CL_UNLIKELY(*list != NULL)) {
    k_thread *before = *last;
    if (CL_UNLIKELY(before->level > thread->level)) {
      k_queue_waiter(list, thread);
      return;
    }
    list = &before->next;
  }
  thread->next = NULL;
  *list = thread;
  *last = thread;
}

/* The thread leaves its CPU, unless it has been given what it waits for meanwhile. Two copies, as a semaphore's caller
 * switches in place. */
CL_INLINE uint32_t leave_cpu(k_cpu *cpu, k_thread *thread, unsigned may) {
  lock();
  if (CL_UNLIKELY(thread->given)) {
    thread->given = 0;
    return look_around(cpu);
  }
  if (CL_UNLIKELY(cpu->called)) look(cpu);
  return cl_sw_finish(cpu, k_just(k_block(cpu, NULL)), may);
}
CL_APART uint32_t leave_by_switch(k_cpu *cpu, k_thread *thread) { return leave_cpu(cpu, thread, WAIT); }
CL_APART uint32_t leave_in_place(k_cpu *cpu, k_thread *thread) { return leave_cpu(cpu, thread, WAIT_IN_PLACE); }
CL_INLINE uint32_t leave_by(k_cpu *cpu, k_thread *thread, unsigned may) {
  return may == WAIT ? leave_by_switch(cpu, thread) : leave_in_place(cpu, thread);
}

/* It has been given what it waited for. */
CL_INLINE uint32_t go_on_here(k_cpu *cpu) {
  if (CL_UNLIKELY(*(volatile uint32_t *)&cpu->called)) return look_with_lock(cpu);
  cl_irq_on();
  return CL_RESUMED;
}

/* It has not, and its CPU has something else to do. */
CL_INLINE uint32_t unpark(const void *object, k_thread *thread, unsigned may) {
  k_cpu *cpu = this_cpu();
  lock_object(object);
  int parked = is_parked(thread);
  thread->parked = 0;
  unlock_object();
  if (parked) return leave_by(cpu, thread, may);
  cl_local_write(CL_IPI_CLEAR, 0);
  return go_on_here(cpu);
}
CL_APART uint32_t unpark_and_switch(const void *object, k_thread *thread) { return unpark(object, thread, WAIT); }
CL_APART uint32_t unpark_in_place(const void *object, k_thread *thread) {
  return unpark(object, thread, WAIT_IN_PLACE);
}
CL_INLINE uint32_t unpark_by(const void *object, k_thread *thread, unsigned may) {
  return may == WAIT ? unpark_and_switch(object, thread) : unpark_in_place(object, thread);
}

/* The thread is in the list of waiters of an object, whose lock this releases. As long as no other thread can run here
 * it stays, if it is placed there: only an interrupt ends the sleep, and whoever gives it the object sends one. Tail calls: no frame. */
CL_INLINE uint32_t wait_at(const void *object, k_thread *thread, unsigned may) {
  k_cpu *cpu = this_cpu();
  volatile uint32_t *below = &cpu->preempt_below;
  if (!thread->home) { /* another thread may take its CPU, from the one that makes it ready: see README.md */
    unlock_object();
    return leave_by(cpu, thread, may);
  }
  uint32_t kept = *below;
  *below = K_NONE; /* any thread that becomes ready is better; then, whether one is already */
  if (best_now(cpu) != K_NONE || (idle_threads && cpu->idle_thread)) {
    *below = kept;
    unlock_object();
    return leave_by(cpu, thread, may);
  }
  thread->parked = (uint32_t)(cpu - k_cpus) + 1;
  unlock_object();
  cl_trace(CL_TRACE_IDLE, 1);
  cl_cpu_time_stop();
  cl_wait_for_interrupt();
  cl_local_write(CL_IPI_CLEAR, 0);
  cl_cpu_time_go();
  cl_trace(CL_TRACE_IDLE, 0);
  *below = kept;
  if (CL_UNLIKELY(is_parked(thread))) return unpark_by(object, thread, may);
  return go_on_here(cpu);
}

/* A thread that is about to wait publishes its messages. Rare: it has buffered ports, too. */
CL_COLD static void publish_first(void) { cl_op_port_publish(); }

/* The wait of thread `tid` in the list ends, with nothing for it; with the kernel's lock. */
CL_COLD static uint32_t end_wait(const void *object, k_thread **list, k_thread **last, uint32_t tid, int *woke) {
  k_thread *found = NULL, *before = NULL;
  go_inside(object);
  for (; *list && *list != NO_OBJECT; before = *list, list = &(*list)->next) {
    if (k_tid(*list) != tid) continue;
    found = *list;
    *list = found->next;
    if (*last == found) *last = before;
    break;
  }
  int done = found && give_in_place(found);
  come_out();
  if (!found) return K_ERROR(ENOENT);
  if (!done && !is_on_its_way(found)) k_wake_and_notify(found, woke);
  return 0;
}

CL_COLD static uint32_t mutex_leave(uint32_t id, uint32_t tid, int *woke) {
  if (id >= CL_MUTEXES || !k_mutexes[id].exists) return K_ERROR(EINVAL);
  return end_wait(&k_mutexes[id], &k_mutexes[id].waiters, &k_mutexes[id].last, tid, woke);
}

CL_COLD static uint32_t semaphore_leave(uint32_t id, uint32_t tid, int *woke) {
  if (id >= CL_SEMAPHORES || !k_semaphores[id].exists) return K_ERROR(EINVAL);
  k_semaphore *semaphore = &k_semaphores[id];
  return end_wait(semaphore, &semaphore->waiters, &semaphore->last, tid, woke);
}

/* --- mutexes ----------------------------------------------------------------------------------- */

/* The lock of a mutex guards its list of waiters, and the owner while there is none. The owner unlocks without it when
 * nobody waits; then it looks again. Whoever queues looks again for the owner. So one of them sees the other; and a
 * thread that finds a mutex with waiters and no owner hands it to the first of them. */

static inline int is_free(const k_mutex *mutex) { return !*(k_thread *const volatile *)&mutex->owner; }
static inline int has_waiters(const k_mutex *mutex) { return *(k_thread *const volatile *)&mutex->waiters != NULL; }

/* With its lock. The first waiter, which has it now. */
static inline k_thread *pass_on(k_mutex *mutex) {
  k_thread *first = k_first_waiter(&mutex->waiters);
  mutex->owner = first;
  return first;
}

/* With its lock, and the mutex has been unlocked while its waiter queued, or just before. */
CL_COLD static uint32_t mutex_pass_on_and_wait(k_mutex *mutex, k_thread *thread) {
  k_thread *first = pass_on(mutex);
  if (first == thread) return answer_from_object(CL_RESUMED);
  int done = give_in_place(first), woke = 0;
  unlock_object();
  lock();
  k_cpu *cpu = this_cpu();
  if (!done && !is_on_its_way(first)) k_wake_and_notify(first, &woke);
  if (woke) k_notify(cpu);
  if (thread->given) {
    thread->given = 0;
    return look_around(cpu);
  }
  return cl_sw_finish(cpu, k_just(k_block(cpu, NULL)), WAIT);
}

CL_COLD static uint32_t mutex_publish(k_mutex *mutex) {
  answer_from_object(0);
  publish_first();
  return cl_sw_mutex_lock((uint32_t)(mutex - k_mutexes));
}

/* With its lock: it has an owner, or waiters. */
CL_APART uint32_t mutex_wait(k_mutex *mutex, k_thread *thread) {
  k_thread *owner = mutex->owner;
  if (CL_UNLIKELY(owner == NO_OBJECT)) return answer_from_object(K_ERROR(EINVAL));
  if (CL_UNLIKELY(owner == thread)) return answer_from_object(K_ERROR(EDEADLK));
  if (CL_LIKELY(!mutex->waiters) && (!owner || owner->state == CL_STATE_RUNNING)) {
#pragma clang loop unroll_count(3)
    for (unsigned left = CL_SPINS; left; left--) {
      if (CL_LIKELY(!is_free(mutex))) continue;
      mutex->owner = thread;
      return answer_from_object(CL_RESUMED);
    }
  }
  if (k_buffers && CL_UNLIKELY(thread->sent)) return mutex_publish(mutex);
  queue_waiter(&mutex->waiters, &mutex->last, thread);
  __asm__ volatile("" ::: "memory");
  if (CL_UNLIKELY(is_free(mutex))) return mutex_pass_on_and_wait(mutex, thread);
  return wait_at(mutex, thread, WAIT);
}

uint32_t cl_sw_mutex_lock(uint32_t id) {
  if (CL_UNLIKELY(id >= CL_MUTEXES)) return K_ERROR(EINVAL);
  k_mutex *mutex = &k_mutexes[id];
  k_thread *thread = this_thread();
  cl_irq_off();
  lock_object(mutex);
  k_thread *owner = mutex->owner, *waiters = mutex->waiters;
  if (CL_UNLIKELY(owner) || CL_UNLIKELY(waiters)) return mutex_wait(mutex, thread);
  mutex->owner = thread;
  return answer_from_object(0);
}

CL_COLD uint32_t cl_op_mutex_lock_apart(uint32_t id);
uint32_t cl_op_mutex_lock_apart(uint32_t id) { return cl_sw_mutex_lock(id); }

uint32_t cl_sw_mutex_trylock(uint32_t id) {
  if (CL_UNLIKELY(id >= CL_MUTEXES)) return K_ERROR(EINVAL);
  k_mutex *mutex = &k_mutexes[id];
  k_thread *thread = this_thread();
  uint32_t answer = 0;
  if (is_free(mutex)) { /* else no lock, as a thread that polls the mutex holds it */
    cl_irq_off();
    lock_object(mutex);
    if (CL_LIKELY(!mutex->owner) && CL_LIKELY(!mutex->waiters)) mutex->owner = thread;
    else answer = K_ERROR(EBUSY);
    if (CL_LIKELY(!answer)) return answer_from_object(0);
    answer_from_object(0);
  }
  return *(k_thread *const volatile *)&mutex->owner == NO_OBJECT ? K_ERROR(EINVAL) : K_ERROR(EBUSY);
}

/* Somebody waits, or waited a moment ago; the caller had the mutex. */
CL_APART uint32_t unlock_with_waiters(k_mutex *mutex, const k_thread *thread) {
  lock_object(mutex);
  if (mutex->owner && mutex->owner != thread) return answer_from_object(0); /* handed over by one that came */
  if (CL_LIKELY(mutex->waiters != NULL)) return give(pass_on(mutex));
  mutex->owner = NULL;
  return answer_from_object(0);
}

uint32_t cl_op_mutex_unlock(uint32_t id) {
  if (CL_UNLIKELY(id >= CL_MUTEXES)) return K_ERROR(EINVAL);
  k_mutex *mutex = &k_mutexes[id];
  const k_thread *thread = this_thread();
  k_thread *owner = *(k_thread *volatile *)&mutex->owner;
  if (CL_UNLIKELY(owner != thread)) return owner == NO_OBJECT ? K_ERROR(EINVAL) : K_ERROR(EPERM);
  cl_irq_off();
  if (CL_LIKELY(!has_waiters(mutex))) {
    *(k_thread *volatile *)&mutex->owner = NULL;
    if (CL_LIKELY(!has_waiters(mutex))) {
      cl_irq_on();
      return 0;
    }
  }
  return unlock_with_waiters(mutex, thread);
}

/* The same within the kernel's lock. */
CL_COLD static uint32_t unlock_inside(uint32_t id, int *woke) {
  if (id >= CL_MUTEXES) return K_ERROR(EINVAL);
  k_mutex *mutex = &k_mutexes[id];
  uint32_t answer = 0;
  k_thread *first = NULL;
  go_inside(mutex);
  if (mutex->owner != this_thread()) {
    answer = mutex->owner == NO_OBJECT ? K_ERROR(EINVAL) : K_ERROR(EPERM);
  } else if (mutex->waiters) {
    first = pass_on(mutex);
    if (give_in_place(first)) first = NULL;
  } else {
    mutex->owner = NULL;
  }
  come_out();
  if (first && !is_on_its_way(first)) k_wake_and_notify(first, woke);
  return answer;
}

/* An object that is made or destroyed is so with both locks. */
uint32_t cl_op_mutex_create(void) {
  uint32_t id = 0;
  enter();
  while (id < CL_MUTEXES && k_mutexes[id].exists) id++;
  if (id == CL_MUTEXES) return answer_with(K_ERROR(EAGAIN));
  go_inside(&k_mutexes[id]);
  k_mutexes[id] = (k_mutex){.exists = 1};
  come_out();
  return answer_with(id);
}

uint32_t cl_op_mutex_destroy(uint32_t id) {
  if (id >= CL_MUTEXES) return K_ERROR(EINVAL);
  k_mutex *mutex = &k_mutexes[id];
  uint32_t answer = 0;
  enter();
  go_inside(mutex);
  if (mutex->owner == NO_OBJECT) answer = K_ERROR(EINVAL);
  else if (mutex->owner || mutex->waiters) answer = K_ERROR(EBUSY);
  else mutex->owner = NO_OBJECT;
  come_out();
  if (!answer) mutex->exists = 0;
  return answer_with(answer);
}

/* --- semaphores -------------------------------------------------------------------------------- */

CL_COLD static uint32_t semaphore_publish(k_semaphore *semaphore) {
  answer_from_object(0);
  publish_first();
  return cl_sw_semaphore_wait((uint32_t)(semaphore - k_semaphores));
}

/* With its lock: the count is 0. */
CL_APART uint32_t semaphore_wait_closer(k_semaphore *semaphore, k_thread *thread) {
  if (CL_UNLIKELY(semaphore->waiters == NO_OBJECT)) return answer_from_object(K_ERROR(EINVAL));
  if (k_buffers && CL_UNLIKELY(thread->sent)) return semaphore_publish(semaphore);
  queue_waiter(&semaphore->waiters, &semaphore->last, thread);
  return wait_at(semaphore, thread, WAIT_IN_PLACE);
}

uint32_t cl_sw_semaphore_wait(uint32_t id) {
  if (CL_UNLIKELY(id >= CL_SEMAPHORES)) return K_ERROR(EINVAL);
  k_semaphore *semaphore = &k_semaphores[id];
  cl_irq_off();
  lock_object(semaphore);
  uint32_t count = semaphore->count;
  if (CL_UNLIKELY(!count)) return semaphore_wait_closer(semaphore, this_thread());
  semaphore->count = count - 1;
  return answer_from_object(0);
}

uint32_t cl_sw_semaphore_trywait(uint32_t id) {
  if (CL_UNLIKELY(id >= CL_SEMAPHORES)) return K_ERROR(EINVAL);
  k_semaphore *semaphore = &k_semaphores[id];
  cl_irq_off();
  lock_object(semaphore);
  uint32_t count = semaphore->count;
  if (CL_UNLIKELY(!count))
    return answer_from_object(semaphore->waiters == NO_OBJECT ? K_ERROR(EINVAL) : K_ERROR(EAGAIN));
  semaphore->count = count - 1;
  return answer_from_object(0);
}

/* With its lock: there are waiters, or no room. */
CL_APART uint32_t semaphore_post_closer(k_semaphore *semaphore, k_thread *first) {
  if (CL_UNLIKELY(first == NO_OBJECT)) return answer_from_object(K_ERROR(EINVAL));
  if (CL_UNLIKELY(!first)) return answer_from_object(K_ERROR(ERANGE));
  semaphore->waiters = first->next;
  return give(first);
}

uint32_t cl_op_semaphore_post(uint32_t id) {
  if (CL_UNLIKELY(id >= CL_SEMAPHORES)) return K_ERROR(EINVAL);
  k_semaphore *semaphore = &k_semaphores[id];
  cl_irq_off();
  lock_object(semaphore);
  uint32_t count = semaphore->count;
  k_thread *waiters = semaphore->waiters;
  if (CL_UNLIKELY(waiters) || CL_UNLIKELY(count == CL_SEMAPHORE_MAX)) return semaphore_post_closer(semaphore, waiters);
  semaphore->count = count + 1;
  return answer_from_object(0);
}

/* With its lock, in a trap: the thread that the kernel is to wake, or NULL. */
CL_COLD static k_thread *post_in_trap(k_semaphore *semaphore, uint32_t *answer) {
  *answer = 0;
  if (semaphore->waiters == NO_OBJECT) {
    *answer = K_ERROR(EINVAL);
  } else if (semaphore->waiters) {
    k_thread *first = k_first_waiter(&semaphore->waiters);
    return give_in_place(first) ? NULL : first;
  } else if (semaphore->count == CL_SEMAPHORE_MAX) {
    *answer = K_ERROR(ERANGE);
  } else {
    semaphore->count++;
  }
  return NULL;
}

/* The same within the kernel's lock: a line that is bound to a semaphore has risen. */
CL_COLD static uint32_t post_inside(uint32_t id, int *woke) {
  k_semaphore *semaphore = &k_semaphores[id];
  uint32_t answer;
  go_inside(semaphore);
  k_thread *first = post_in_trap(semaphore, &answer);
  come_out();
  if (first && !is_on_its_way(first)) k_wake_and_notify(first, woke);
  return answer;
}

uint32_t cl_op_semaphore_post_in_trap(uint32_t id) {
  if (id >= CL_SEMAPHORES) return K_ERROR(EINVAL);
  k_semaphore *semaphore = &k_semaphores[id];
  k_cpu *cpu = this_cpu();
  uint32_t answer;
  int woke = 0;
  lock_object(semaphore);
  k_thread *first = post_in_trap(semaphore, &answer);
  unlock_object();
  if (first) {
    lock();
    if (!is_on_its_way(first)) k_wake_and_notify(first, &woke);
    if (woke) {
      k_notify(cpu);
      cl_ipc_first[CL_AMP ? 0 : cpu - k_cpus].woke = 1;
    }
    unlock();
  }
  return answer;
}

uint32_t cl_op_semaphore_value(uint32_t id) {
  if (id >= CL_SEMAPHORES) return K_ERROR(EINVAL);
  k_semaphore *semaphore = &k_semaphores[id];
  cl_irq_off();
  lock_object(semaphore);
  uint32_t answer = semaphore->waiters == NO_OBJECT ? K_ERROR(EINVAL) : semaphore->count;
  return answer_from_object(answer);
}

uint32_t cl_op_semaphore_create(uint32_t word) {
  uint32_t id = 0;
  if (word > CL_SEMAPHORE_MAX) return K_ERROR(EINVAL);
  enter();
  while (id < CL_SEMAPHORES && k_semaphores[id].exists) id++;
  if (id == CL_SEMAPHORES) return answer_with(K_ERROR(EAGAIN));
  go_inside(&k_semaphores[id]);
  k_semaphores[id] = (k_semaphore){.count = word, .exists = 1};
  come_out();
  return answer_with(id);
}

uint32_t cl_op_semaphore_destroy(uint32_t id) {
  if (id >= CL_SEMAPHORES) return K_ERROR(EINVAL);
  k_semaphore *semaphore = &k_semaphores[id];
  uint32_t answer = 0;
  enter();
  go_inside(semaphore);
  if (semaphore->waiters == NO_OBJECT) {
    answer = K_ERROR(EINVAL);
  } else if (semaphore->waiters) {
    answer = K_ERROR(EBUSY);
  } else {
    semaphore->count = 0;
    semaphore->waiters = NO_OBJECT;
  }
  come_out();
  if (!answer) semaphore->exists = 0;
  return answer_with(answer);
}

/* At the start: no object exists. */
CL_COLD static void init_objects(void) {
  for (uint32_t id = 0; id < CL_MUTEXES; id++) k_mutexes[id].owner = NO_OBJECT;
  for (uint32_t id = 0; id < CL_SEMAPHORES; id++) k_semaphores[id].waiters = NO_OBJECT;
}

#endif
