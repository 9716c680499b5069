/* SPDX-License-Identifier: Apache-2.0
 *
 * The kernel in software: the operations of docs/reference/kernel.md over plain data structures.
 *
 * Portable C11 without heap, included by exactly one front end: cl_sw.c on the SoC, and a dispatcher that the
 * tests load on the host. The words are those of the reference model (src/coreloom/model/kernel.py), and so is
 * the order of effects: publish, then block, then choose.
 *
 * Who calls has the kernel to itself (one lock; interrupts off) and passes its CPU. An operation answers a word,
 * or K_PENDING: the CPU has no thread to run, k_complete() will leave the word in cpu->answer.
 * Operations on hot paths set *woke if a thread has become ready that is better than one that runs, so that the
 * caller looks who must give way; after the others it always looks.
 * The front end defines:
 *   uint32_t k_now(void)          time in the unit of k_slice
 *   void k_completed(k_cpu *)     another CPU's pending operation has its answer
 *   void k_interrupt(k_cpu *)     another CPU should look whether its thread must give way
 *   K_TICK                        units of k_now in one tick
 *   K_REMOTE                      1 if operations can be pending while others run (more than one CPU)
 *   K_HELD                        1 if a CPU keeps the kernel from the answer that makes it leave a thread until the
 *                                 thread's context is saved; then only a CPU that slept (k_complete) says k_saved */
#ifndef CL_SW_KERNEL_H
#define CL_SW_KERNEL_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "cl_kernel_ops.h"

/* Inside, priorities are levels: 0 is the most urgent, so that the best is the lowest bit set. */
#define K_LEVELS CL_PRIORITIES
#define K_WORDS ((K_LEVELS + 31) / 32)
#define K_IDLE ((uint32_t)K_LEVELS) /* level of an idle thread: behind all others, and in a queue of its own */
#define K_NONE 511u                 /* level of an empty queue: behind all */
/* Room in a port: the power of two that message numbers wrap in. */
#define K_RING (CL_PORT_DEPTH <= 1 ? 1 : CL_PORT_DEPTH <= 2 ? 2 : CL_PORT_DEPTH <= 4 ? 4 : CL_PORT_DEPTH <= 8 ? 8 : \
                CL_PORT_DEPTH <= 16 ? 16 : CL_PORT_DEPTH <= 32 ? 32 : 64)

#define K_GIVE_WAY (CL_WORD_GIVE_WAY_MASK << CL_WORD_GIVE_WAY_LSB)
#define K_RESUMED (CL_WORD_RESUMED_MASK << CL_WORD_RESUMED_LSB)
#define K_ERROR(name) ((uint32_t)CL_STATUS_##name << CL_WORD_STATUS_LSB)
#define K_PENDING UINT32_MAX

/* Some CPU may be in the context of a thread that does not run: asleep, or between GIVE_WAY and SAVED. Else waking a
 * thread is only queueing it, and what is behind these tests is kept off the usual path. */
#define K_AWAY (K_REMOTE && K_RARE(!K_HELD || k_asleep))

#define K_RARE(x) __builtin_expect(!!(x), 0)
#define K_INLINE static inline __attribute__((always_inline, unused))
#define K_COLD static __attribute__((noinline, cold, unused))
#define K_FAR __attribute__((section(".bss.far"))) /* so that the words of the usual path have one base */
#define K_APART static __attribute__((noinline, unused)) /* so that the usual path stays short in the cache */

_Static_assert(K_LEVELS <= 256 && CL_PORT_DEPTH <= 64 && CL_CPUS <= 16 && CL_THREADS <= 1024,
               "sizes the words have room for");

typedef struct k_thread k_thread;
typedef struct k_cpu k_cpu;
typedef struct k_port k_port;

/* Ready threads: a ring per level, known by its tail. */
typedef struct {
  uint32_t best;                       /* lowest level with a thread, or K_NONE */
  uint32_t bitmap[K_LEVELS / 32 + 1u]; /* levels with a thread; K_WORDS are searched: K_IDLE is alone in its queue */
  k_thread *tail[K_LEVELS + 1u];
} k_queue;

struct k_thread {
  _Alignas(64) k_thread *next; /* in a ready queue or a list of waiters; aligned: &k_threads[tid] without multiplying */
  uint32_t switch_word; /* GIVE_WAY | tid */
  k_queue *queue;  /* where it goes when it is ready */
  k_cpu *home;     /* the CPU it is placed on, or NULL */
  k_cpu *cpu;      /* where it runs or ran last */
  uint32_t level;
  uint32_t state;
  k_port *sent;    /* ports with messages of it that are not published, newest first */
  k_thread *joiner;
  uint8_t detached;
  uint8_t idle;       /* the idle thread of `home` */
  uint8_t lines;      /* interrupt lines bound to it */
  uint32_t own_level; /* of an idle thread: the level it had before */
};

struct k_cpu {
  k_thread *current;
  uint32_t preempt_below; /* a ready thread below this level should take the CPU: the level of the current one,
                             1 more when its slice is used up; 0: nothing runs */
  uint32_t slice_start;
  uint32_t turn_dynamic; /* which queue wins the next tie */
  k_thread *leaving;     /* its context is not saved yet */
  uint32_t leaving_ready;
  uint32_t leaving_front;
  volatile uint32_t waiting; /* its operation is pending */
  uint32_t interrupt;    /* end a wait with eintr (host only) */
  uint32_t answer;       /* of the pending operation */
  k_thread *idle_thread;
  k_queue queue;          /* threads placed on this CPU */
};

struct k_port {
  k_thread *receiver; /* NULL: closed */
  k_port *next_sent;
  k_thread *writer;   /* whose `sent` list it is on; outlives closing */
  k_thread *senders;  /* waiting for room */
  uint8_t immediate;
  uint8_t receiver_waits;
  /* Messages are numbered as they come: [head, frozen) can be received, [frozen, tail) are not published. */
  uint32_t head;
  uint32_t frozen;
  uint32_t tail;
  uint32_t ring[K_RING];
};

typedef struct {
  k_thread *owner;
  k_thread *waiters;
  uint8_t exists;
} k_mutex;

typedef struct {
  uint32_t count;
  k_thread *waiters;
  uint32_t exists;
} k_semaphore;

typedef struct {
  k_thread *waiters;
  uint16_t signals;
  uint8_t exists;
} k_condition;

/* An interrupt line. */
typedef struct {
  uint8_t bound; /* 0: to nothing, else 1 + kind of the binding */
  uint8_t fired; /* an interrupt that the thread has not taken */
  uint8_t waits; /* the thread waits */
  uint16_t object;
  k_thread *thread;
} k_line;
enum { K_UNBOUND, K_BOUND_THREAD, K_BOUND_SEMAPHORE, K_BOUND_PORT };

static k_queue k_dynamic; /* threads that run anywhere */
static k_cpu k_cpus[CL_CPUS];
static k_port k_ports[CL_PORTS];
static k_thread k_threads[CL_THREADS];
static k_mutex k_mutexes[CL_MUTEXES];
static k_semaphore k_semaphores[CL_SEMAPHORES];
K_FAR static k_condition k_conditions[CL_CONDITIONS];
K_FAR static k_line k_lines[CL_LINES];
K_FAR static k_queue k_idle_queues[CL_CPUS]; /* looked at when no other thread is ready: they cost those nothing */
static uint16_t k_free[CL_THREADS]; /* stack of free thread numbers */
static uint32_t k_free_count;
/* In units of k_now; 0: no slices. "used": or the compiler makes a flag of it when only one length occurs. */
__attribute__((used)) static uint32_t k_slice;
static uint32_t k_waiting; /* how many CPUs wait */
static uint32_t k_asleep;  /* K_HELD: and how many wait, or have their answer but are not back: k_back() */

static inline uint32_t k_now(void);
static inline void k_completed(k_cpu *cpu);
static inline void k_interrupt(k_cpu *cpu);

K_INLINE uint32_t k_tid(const k_thread *thread) { return thread->switch_word & CL_WORD_VALUE_MASK; }

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
  if (head == tail)
    k_emptied(queue, queue->best);
  else
    tail->next = head->next;
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

/* Waiters: by priority, then in order of arrival. */
K_INLINE void k_queue_waiter(k_thread **list, k_thread *thread) {
  while (*list && (*list)->level <= thread->level) list = &(*list)->next;
  thread->next = *list;
  *list = thread;
}

K_INLINE k_thread *k_first_waiter(k_thread **list) {
  k_thread *first = *list;
  *list = first->next;
  return first;
}

/* --- scheduling -------------------------------------------------------------------------- */

K_INLINE int k_runs(const k_cpu *cpu) {
  return !cpu->waiting && cpu->current && cpu->current->state == CL_STATE_RUNNING;
}

K_INLINE void k_start_slice(k_cpu *cpu, const k_thread *thread) {
  cpu->slice_start = k_now();
  cpu->preempt_below = thread->level;
}

K_INLINE int k_slice_used(const k_cpu *cpu) { return cpu->preempt_below > cpu->current->level; }

/* Level of the best thread that may run here, but for the idle thread. */
K_INLINE uint32_t k_best(const k_cpu *cpu) {
  return cpu->queue.best < k_dynamic.best ? cpu->queue.best : k_dynamic.best;
}

/* From here on the context of the current thread is being saved. */
K_INLINE void k_leave(k_cpu *cpu) {
  cpu->leaving = cpu->current;
  cpu->leaving_ready = 0;
}

K_INLINE uint32_t k_switch_to(k_cpu *cpu, k_thread *next) {
  if (K_REMOTE && !K_HELD) k_leave(cpu);
  if (K_REMOTE) next->cpu = cpu;
  cpu->current = next;
  next->state = CL_STATE_RUNNING;
  k_start_slice(cpu, next);
  return next->switch_word;
}

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
  if (cpu->interrupt) return K_ERROR(EINTR);
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

/* K_HELD: this CPU is out of the context in which it slept. */
K_INLINE void k_back(void) { k_asleep--; }

/* Of the CPUs that wait, the lowest that may run the thread gets it at once. */
K_APART void k_offer(const k_thread *thread) {
  k_cpu *cpu = thread->home;
  if (!cpu) {
    if (!k_waiting) return;
    for (cpu = k_cpus; !cpu->waiting; cpu++) continue;
  } else if (!cpu->waiting) {
    return;
  }
  if (K_HELD) k_leave(cpu);
  /* It is the only one that this CPU may run. */
  k_complete(cpu, k_switch_to(cpu, k_pop(thread->queue)));
}

/* Make a thread eligible. */
K_INLINE void k_enqueue(k_thread *thread, int front) {
  thread->state = CL_STATE_READY;
  k_push(thread->queue, thread, front);
  if (K_AWAY) k_offer(thread);
}

/* The CPU waits; the interrupt handler that has ended its sleep may have made somebody ready. Where operations are
 * never pending while others run (not K_REMOTE) waking does not look for CPUs that wait, so this does. */
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

/* A blocked thread may go on: in place if its CPU waits in its context, or when that is saved. 0: neither. */
K_INLINE int k_wake_in_place(k_thread *thread) {
  k_cpu *cpu = thread->cpu;
  if (cpu->current == thread) { /* its CPU waits in its context */
    thread->state = CL_STATE_RUNNING;
    k_start_slice(cpu, thread);
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

K_INLINE void k_wake(k_thread *thread) {
  if (!(K_AWAY && k_wake_in_place(thread))) k_enqueue(thread, 0);
}

/* A thread of this level has become ready: is it better than one that runs, be it where it
 * may not run itself? Who is told so looks closer. */
K_INLINE int k_presses(uint32_t level) {
  for (const k_cpu *cpu = k_cpus; cpu < k_cpus + CL_CPUS; cpu++)
    if (level < cpu->preempt_below) return 1;
  return 0;
}

K_INLINE void k_wake_and_tell(k_thread *thread, int *woke) {
  if (K_AWAY && k_wake_in_place(thread)) {
    *woke = 1; /* it runs now, and one woken before it may be better */
    return;
  }
  k_enqueue(thread, 0);
  *woke |= k_presses(thread->level);
}

/* The wait of thread `tid` ends, with nothing for it. */
K_COLD uint32_t k_end_wait(k_thread **list, uint32_t tid, int *woke) {
  for (; *list; list = &(*list)->next) {
    k_thread *thread = *list;
    if (k_tid(thread) != tid) continue;
    *list = thread->next;
    k_wake_and_tell(thread, woke);
    return 0;
  }
  return K_ERROR(ENOENT);
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

/* The current thread waits. `woken` is a chain of threads that it has just woken and that are not queued yet.
 * A single one that is better than all that are ready need not go through the queue. */
K_INLINE uint32_t k_block(k_cpu *cpu, k_thread *woken) {
  cpu->current->state = CL_STATE_BLOCKED;
  if (woken) {
    int here = !K_REMOTE || woken->home == cpu || (!woken->home && !k_waiting);
    if (here && !woken->next && woken->level < k_best(cpu)) return k_switch_to(cpu, woken);
    k_enqueue_all(woken);
  }
  return k_wait(cpu);
}

/* The current thread stays ready; it is queued when its context is saved. */
K_INLINE uint32_t k_give_way(k_cpu *cpu, int front) {
  k_thread *thread = cpu->current;
  uint32_t word = k_switch(cpu);
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

/* Should the thread on this CPU give way? */
K_INLINE int k_irq(const k_cpu *cpu) {
  if (k_best(cpu) >= cpu->preempt_below) return 0;
  return !K_REMOTE || k_irq_closer(cpu);
}

/* Is a ready thread better than that of another CPU? */
K_INLINE int k_others_pressed(const k_cpu *cpu) {
  for (const k_cpu *other = k_cpus; other < k_cpus + CL_CPUS; other++)
    if (other != cpu && k_best(other) < other->preempt_below) return 1;
  return 0;
}

K_COLD void k_notify_closer(const k_cpu *cpu) {
  for (k_cpu *other = k_cpus; other < k_cpus + CL_CPUS; other++)
    if (other != cpu && k_irq(other)) k_interrupt(other);
}

/* Tell the other CPUs whose thread should give way after an operation of this one. */
K_INLINE void k_notify(const k_cpu *cpu) {
  if (K_RARE(k_others_pressed(cpu))) k_notify_closer(cpu);
}

/* Time has passed: has the thread on this CPU used up its slice? */
K_INLINE void k_look_at_slice(k_cpu *cpu) {
  if (cpu->waiting || !cpu->current || !k_slice || k_now() - cpu->slice_start < k_slice) return;
  if (k_runs(cpu)) cpu->preempt_below = cpu->current->level + 1;
}

/* --- publishing -------------------------------------------------------------------------- */

K_INLINE void k_show(k_port *port, int *woke) {
  port->frozen = port->tail;
  if (port->receiver_waits) {
    port->receiver_waits = 0;
    k_wake_and_tell(port->receiver, woke);
  }
}

K_INLINE void k_publish_port(k_port *port, int *woke) {
  if (port->tail != port->frozen) k_show(port, woke); /* a closed port is empty */
}

/* What the thread sent becomes visible: its newest port first. */
K_INLINE void k_publish(k_thread *thread, int *woke) {
  k_port *port;
  while ((port = thread->sent)) {
    thread->sent = port->next_sent;
    port->writer = NULL;
    k_publish_port(port, woke);
  }
}

/* One port of a thread that is about to block: its receiver, if that is woken and must be queued. */
K_INLINE k_thread *k_publish_and_keep_one(k_port *port) {
  port->writer = NULL;
  if (port->tail == port->frozen) return NULL;
  port->frozen = port->tail;
  if (!port->receiver_waits) return NULL;
  port->receiver_waits = 0;
  k_thread *receiver = port->receiver;
  if (K_AWAY && k_wake_in_place(receiver)) return NULL;
  receiver->next = NULL;
  return receiver;
}

K_APART k_thread *k_publish_and_keep_all(k_port *port) {
  k_thread *woken = NULL;
  k_thread **end = &woken;
  do {
    k_port *next = port->next_sent;
    if (K_AWAY) { /* in order, as one may go on in place and another be given to a CPU that waits */
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

/* The same for a thread that is about to block: those that it wakes are not queued but returned as a chain. */
K_INLINE k_thread *k_publish_and_keep(k_thread *thread) {
  k_port *port = thread->sent;
  if (!port) return NULL;
  thread->sent = NULL;
  return K_RARE(port->next_sent) ? k_publish_and_keep_all(port) : k_publish_and_keep_one(port);
}

/* --- threads ----------------------------------------------------------------------------- */

K_COLD void k_init(void) {
  memset(&k_dynamic, 0, sizeof k_dynamic);
  memset(k_cpus, 0, sizeof k_cpus);
  memset(k_ports, 0, sizeof k_ports);
  memset(k_threads, 0, sizeof k_threads);
  memset(k_mutexes, 0, sizeof k_mutexes);
  memset(k_semaphores, 0, sizeof k_semaphores);
  memset(k_conditions, 0, sizeof k_conditions);
  memset(k_lines, 0, sizeof k_lines);
  memset(k_idle_queues, 0, sizeof k_idle_queues);
  k_dynamic.best = K_NONE;
  for (k_cpu *cpu = k_cpus; cpu < k_cpus + CL_CPUS; cpu++) cpu->queue.best = k_idle_queue(cpu)->best = K_NONE;
  for (uint32_t tid = 0; tid < CL_THREADS; tid++) k_threads[tid].switch_word = K_GIVE_WAY | tid;
  k_free_count = 0;
  for (uint32_t tid = CL_THREADS - 1; tid > 0; tid--) k_free[k_free_count++] = (uint16_t)tid;
  k_slice = 0;
  k_waiting = k_asleep = 0;
  k_thread *first = &k_threads[0];
  first->state = CL_STATE_RUNNING;
  first->level = K_LEVELS - 1 - CL_PRIORITIES / 2;
  first->queue = &k_dynamic;
  first->cpu = &k_cpus[0];
  k_cpus[0].current = first;
  k_start_slice(&k_cpus[0], first);
}

K_INLINE k_thread *k_thread_of(uint32_t id) {
  return id < CL_THREADS && k_threads[id].state != CL_STATE_FREE ? &k_threads[id] : NULL;
}

K_COLD void k_free_thread(k_thread *thread) {
  thread->state = CL_STATE_FREE;
  k_free[k_free_count++] = (uint16_t)k_tid(thread);
}

K_INLINE uint32_t k_op_next(k_cpu *cpu) { return k_runs(cpu) ? K_RESUMED : k_wait(cpu); }

K_INLINE uint32_t k_op_yield(k_cpu *cpu, int *woke) {
  k_publish(cpu->current, woke);
  if (k_best(cpu) > cpu->current->level) return 0;
  return k_give_way(cpu, 0);
}

K_INLINE uint32_t k_op_preempt(k_cpu *cpu) {
  int woke = 0;
  k_publish(cpu->current, &woke);
  if (k_best(cpu) >= cpu->preempt_below) return 0;
  return k_give_way(cpu, !k_slice_used(cpu));
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
  thread->queue = fixed ? &thread->cpu->queue : &k_dynamic;
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

K_COLD uint32_t k_op_thread_start(uint32_t id) {
  k_thread *thread = k_thread_of(id);
  if (!thread) return K_ERROR(ESRCH);
  uint32_t wrong = k_not_startable(thread);
  if (wrong) return wrong;
  k_enqueue(thread, 0);
  return 0;
}

K_COLD void k_unbind_all(const k_thread *thread) {
  for (k_line *line = k_lines; line < k_lines + CL_LINES; line++)
    if (line->bound == K_BOUND_THREAD && line->thread == thread) *line = (k_line){ .bound = K_UNBOUND };
}

K_COLD uint32_t k_op_thread_exit(k_cpu *cpu) {
  int woke = 0;
  k_thread *thread = cpu->current;
  k_publish(thread, &woke);
  thread->state = CL_STATE_EXITED;
  cpu->current = NULL;
  if (thread->idle) cpu->idle_thread = NULL;
  if (thread->lines) k_unbind_all(thread);
  if (thread->joiner || thread->detached) k_free_thread(thread);
  if (thread->joiner) k_wake(thread->joiner);
  return k_wait(cpu);
}

K_COLD uint32_t k_op_thread_join(k_cpu *cpu, uint32_t id) {
  k_thread *thread = k_thread_of(id);
  if (!thread) return K_ERROR(ESRCH);
  if (thread == cpu->current) return K_ERROR(EDEADLK);
  if (thread->detached) return K_ERROR(EINVAL);
  if (thread->joiner) return K_ERROR(EBUSY);
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

/* In a ready queue; one that this moment gives way is not there yet. */
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
  uint32_t level = K_LEVELS - 1 - priority;
  if (k_is_in_queue(thread)) {
    k_remove(thread->queue, thread);
    thread->level = level;
    k_push(thread->queue, thread, 0);
  } else {
    if (thread->state == CL_STATE_RUNNING) thread->cpu->preempt_below += level - thread->level;
    thread->level = level;
  }
  return old;
}

K_COLD uint32_t k_op_get_sched_param(uint32_t id) {
  k_thread *thread = k_thread_of(id);
  return thread ? k_priority(thread) : K_ERROR(ESRCH);
}

K_COLD uint32_t k_op_thread_read(uint32_t id) {
  k_thread *thread = k_thread_of(id);
  if (!thread) return K_ERROR(ESRCH);
  return thread->state << CL_THREAD_WORD_STATE_LSB | k_priority(thread) << CL_THREAD_WORD_PRIORITY_LSB |
         (uint32_t)(thread->cpu - k_cpus) << CL_THREAD_WORD_CPU_LSB;
}

K_COLD uint32_t k_op_slice(uint32_t ticks) {
  k_slice = (ticks & 0xffff) * K_TICK;
  for (k_cpu *cpu = k_cpus; cpu < k_cpus + CL_CPUS; cpu++) {
    cpu->slice_start = k_now();
    cpu->preempt_below = k_runs(cpu) ? cpu->current->level : 0;
  }
  return 0;
}

/* --- the ready queue ([HT]: the scheduler's operations) -------------------------------------- */

K_COLD uint32_t k_op_dequeue(k_cpu *cpu) {
  k_thread *thread;
  if (k_best(cpu) < K_NONE)
    thread = k_pick(cpu);
  else if (k_idle_queue(cpu)->best == K_IDLE)
    thread = k_pop(k_idle_queue(cpu));
  else
    return K_ERROR(EAGAIN);
  thread->state = CL_STATE_SUSPENDED;
  return k_tid(thread);
}

K_COLD uint32_t k_op_remove(uint32_t id) {
  k_thread *thread = k_thread_of(id);
  if (!thread) return K_ERROR(ESRCH);
  if (!k_is_in_queue(thread)) return K_ERROR(ENOENT);
  k_remove(thread->queue, thread);
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

K_COLD uint32_t k_op_is_empty(const k_cpu *cpu) {
  return k_best(cpu) == K_NONE && k_idle_queue(cpu)->best == K_NONE;
}

/* Reservations are the hardware kernel's. */
K_INLINE uint32_t k_op_reserve(void) { return K_ERROR(ENOTSUP); }
K_INLINE uint32_t k_op_release(void) { return K_ERROR(ENOTSUP); }

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
  thread->queue = k_idle_queue(cpu);
  k_enqueue(thread, 0);
  return 0;
}

/* --- mutexes ------------------------------------------------------------------------------ */

K_COLD uint32_t k_op_mutex_create(void) {
  for (uint32_t id = 0; id < CL_MUTEXES; id++) {
    if (!k_mutexes[id].exists) {
      k_mutexes[id] = (k_mutex){ .exists = 1 };
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
  if (!mutex->owner) {
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

K_INLINE uint32_t k_op_mutex_unlock(k_cpu *cpu, uint32_t id, int *woke) {
  k_mutex *mutex = &k_mutexes[id];
  if (K_RARE(id >= CL_MUTEXES || !mutex->exists)) return K_ERROR(EINVAL);
  if (K_RARE(mutex->owner != cpu->current)) return K_ERROR(EPERM);
  if (!mutex->waiters) {
    mutex->owner = NULL;
  } else {
    mutex->owner = k_first_waiter(&mutex->waiters);
    k_wake_and_tell(mutex->owner, woke);
  }
  return 0;
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
      k_semaphores[id] = (k_semaphore){ .count = count, .exists = 1 };
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
  if (semaphore->count) {
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

K_INLINE uint32_t k_op_semaphore_post(uint32_t id, int *woke) {
  k_semaphore *semaphore = &k_semaphores[id];
  if (K_RARE(id >= CL_SEMAPHORES || !semaphore->exists)) return K_ERROR(EINVAL);
  if (semaphore->waiters) {
    k_wake_and_tell(k_first_waiter(&semaphore->waiters), woke);
  } else {
    if (K_RARE(semaphore->count == CL_SEMAPHORE_MAX)) return K_ERROR(ERANGE);
    semaphore->count++;
  }
  return 0;
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
      k_conditions[id] = (k_condition){ .exists = 1 };
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

K_INLINE uint32_t k_op_cond_signal(uint32_t id, int *woke) {
  k_condition *condition = &k_conditions[id];
  if (K_RARE(id >= CL_CONDITIONS || !condition->exists)) return K_ERROR(EINVAL);
  condition->signals++;
  if (condition->waiters) k_wake_and_tell(k_first_waiter(&condition->waiters), woke);
  return 0;
}

K_INLINE uint32_t k_op_cond_broadcast(uint32_t id, int *woke) {
  k_condition *condition = &k_conditions[id];
  if (K_RARE(id >= CL_CONDITIONS || !condition->exists)) return K_ERROR(EINVAL);
  condition->signals++;
  while (condition->waiters) k_wake_and_tell(k_first_waiter(&condition->waiters), woke);
  return 0;
}

K_COLD uint32_t k_op_cond_leave(uint32_t id, uint32_t tid, int *woke) {
  if (id >= CL_CONDITIONS || !k_conditions[id].exists) return K_ERROR(EINVAL);
  return k_end_wait(&k_conditions[id].waiters, tid, woke);
}

/* --- ports -------------------------------------------------------------------------------- */

K_COLD uint32_t k_op_port_open(k_cpu *cpu, uint32_t id, uint32_t flags) {
  if (id >= CL_PORTS) return K_ERROR(EINVAL);
  k_port *port = &k_ports[id];
  if (port->receiver) return K_ERROR(EBUSY);
  port->receiver = cpu->current;
  port->immediate = flags >> CL_PORT_FLAGS_IMMEDIATE_LSB & CL_PORT_FLAGS_IMMEDIATE_MASK;
  return 0;
}

K_COLD uint32_t k_op_port_close(k_cpu *cpu, uint32_t id) {
  if (id >= CL_PORTS) return K_ERROR(EINVAL);
  k_port *port = &k_ports[id];
  if (!port->receiver) return K_ERROR(EBADF);
  if (port->receiver != cpu->current) return K_ERROR(EPERM);
  if (port->senders) return K_ERROR(EBUSY);
  uint32_t lost = port->tail - port->head;
  port->receiver = NULL;
  port->head = port->frozen = port->tail;
  return lost;
}

/* The parts of send and receive: a front end may put the waiting parts out of line. */

/* The open port that this thread may send to, or NULL and the error. */
K_INLINE k_port *k_port_to_send(uint32_t id, uint32_t *error) {
  *error = K_ERROR(EINVAL);
  if (K_RARE(id >= CL_PORTS)) return NULL;
  *error = K_ERROR(EBADF);
  return K_RARE(!k_ports[id].receiver) ? NULL : &k_ports[id];
}

K_INLINE k_port *k_port_to_receive(const k_cpu *cpu, uint32_t id, uint32_t *error) {
  *error = K_ERROR(EINVAL);
  if (K_RARE(id >= CL_PORTS)) return NULL;
  k_port *port = &k_ports[id];
  *error = port->receiver ? K_ERROR(EPERM) : K_ERROR(EBADF);
  return K_RARE(port->receiver != cpu->current) ? NULL : port;
}

K_INLINE int k_full(const k_port *port) { return port->tail - port->head == CL_PORT_DEPTH; }
K_INLINE int k_has_message(const k_port *port) { return port->frozen != port->head; }

/* There is room. */
K_INLINE void k_put(k_port *port, k_thread *thread, uint32_t word, int *woke) {
  uint32_t tail = port->tail;
  port->ring[tail % K_RING] = word;
  port->tail = tail + 1;
  if (port->immediate || (port->writer && port->writer != thread)) {
    /* Two writers meet: publish now, or the second's message would wait for the first. */
    k_show(port, woke);
  } else if (!port->writer) {
    port->writer = thread;
    port->next_sent = thread->sent;
    thread->sent = port;
  }
}

/* Full: wait for room. A receiver that takes a message without the lock moves head, then looks for senders; so here
 * head is looked at again when the sender can be seen, and RESUMED answered if there is room by now. */
K_INLINE uint32_t k_wait_for_room(k_cpu *cpu, k_port *port) {
  k_thread *thread = cpu->current;
  k_thread *woken = k_publish_and_keep(thread);
  k_queue_waiter(&port->senders, thread);
  __asm__ volatile("" ::: "memory");
  if (K_REMOTE && K_RARE(port->tail - *(volatile uint32_t *)&port->head != CL_PORT_DEPTH)) {
    k_thread **link = &port->senders;
    while (*link != thread) link = &(*link)->next;
    *link = thread->next;
    k_enqueue_all(woken);
    return K_RESUMED;
  }
  return k_block(cpu, woken);
}

/* There is a message. Returns how many are left. */
K_INLINE uint32_t k_take(k_port *port, uint32_t *word, int *woke) {
  uint32_t head = port->head;
  *word = port->ring[head % K_RING];
  port->head = ++head;
  if (K_RARE(port->senders)) k_wake_and_tell(k_first_waiter(&port->senders), woke);
  return port->frozen - head;
}

/* The usual way to wait for a message, short because it leaves out what is rare: the thread has sent to one port or
 * none, and there is a thread for this CPU. Answers GIVE_WAY; or does nothing and answers 0, then the next one does
 * it. */
K_INLINE uint32_t k_wait_as_usual(k_cpu *cpu, k_thread *thread, k_port *port) {
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
    sent->frozen = sent->tail;
    sent->receiver_waits = 0;
  }
  port->receiver_waits = 1;
  thread->state = CL_STATE_BLOCKED;
  if (woken) {
    if (here && woken->level < best) return k_switch_to(cpu, woken);
    woken->state = CL_STATE_READY;
    k_push(woken->queue, woken, 0);
  }
  return k_switch(cpu);
}

/* Nothing published: publish, and wait for a message, unless that has brought one; then 0. */
K_INLINE uint32_t k_wait_for_message(k_cpu *cpu, k_port *port) {
  k_thread *woken = k_publish_and_keep(cpu->current);
  if (K_RARE(k_has_message(port))) {
    k_enqueue_all(woken);
    return 0;
  }
  port->receiver_waits = 1;
  return k_block(cpu, woken);
}

K_INLINE uint32_t k_op_port_send(k_cpu *cpu, uint32_t id, uint32_t word, int *woke) {
  uint32_t error;
  k_port *port = k_port_to_send(id, &error);
  if (!port) return error;
  if (k_full(port)) return k_wait_for_room(cpu, port);
  k_put(port, cpu->current, word, woke);
  return 0;
}

K_INLINE uint32_t k_op_port_trysend(k_cpu *cpu, uint32_t id, uint32_t word, int *woke) {
  uint32_t error;
  k_port *port = k_port_to_send(id, &error);
  if (!port) return error;
  if (k_full(port)) {
    k_publish(cpu->current, woke);
    return K_ERROR(EAGAIN);
  }
  k_put(port, cpu->current, word, woke);
  return 0;
}

K_INLINE uint32_t k_op_port_receive(k_cpu *cpu, uint32_t id, uint32_t *word, int *woke) {
  uint32_t error;
  k_port *port = k_port_to_receive(cpu, id, &error);
  if (!port) return error;
  if (!k_has_message(port)) {
    uint32_t answer = k_wait_as_usual(cpu, cpu->current, port);
    if (!answer) answer = k_wait_for_message(cpu, port);
    if (answer) return answer;
    *woke = 1;
  }
  return k_take(port, word, woke);
}

K_INLINE uint32_t k_op_port_tryreceive(k_cpu *cpu, uint32_t id, uint32_t *word, int *woke) {
  uint32_t error;
  k_port *port = k_port_to_receive(cpu, id, &error);
  if (!port) return error;
  if (!k_has_message(port)) k_publish(cpu->current, woke); /* may fill this very port */
  return k_has_message(port) ? k_take(port, word, woke) : K_ERROR(EAGAIN);
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
  k_wake_and_tell(port->receiver, woke);
  return 0;
}

/* --- interrupts ([HT]: interrupts are threads) ---------------------------------------------- */

K_COLD uint32_t k_op_interrupt_bind(k_cpu *cpu, uint32_t id, uint32_t word) {
  uint32_t object = word >> CL_BINDING_OBJECT_LSB & CL_BINDING_OBJECT_MASK;
  uint32_t bound = (word >> CL_BINDING_KIND_LSB & CL_BINDING_KIND_MASK) + 1;
  if (id >= CL_LINES || bound > K_BOUND_PORT) return K_ERROR(EINVAL);
  if (bound == K_BOUND_SEMAPHORE && (object >= CL_SEMAPHORES || !k_semaphores[object].exists))
    return K_ERROR(EINVAL);
  if (bound == K_BOUND_PORT) {
    if (object >= CL_PORTS) return K_ERROR(EINVAL);
    if (!k_ports[object].receiver) return K_ERROR(EBADF);
  }
  if (k_lines[id].bound) return K_ERROR(EBUSY);
  k_lines[id] = (k_line){ .bound = (uint8_t)bound, .object = (uint16_t)object, .thread = cpu->current };
  if (bound == K_BOUND_THREAD) cpu->current->lines++;
  return 0;
}

/* There are priorities only. */
K_COLD uint32_t k_op_set_weight(uint32_t id, uint32_t word) {
  (void)id;
  (void)word;
  return K_ERROR(ENOTSUP);
}

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
  if (!port->receiver) return K_ERROR(EBADF);
  if (k_full(port)) return K_ERROR(EAGAIN);
  port->ring[port->tail % K_RING] = id;
  port->tail++;
  k_show(port, woke);
  return 0;
}

/* Also what a rising edge of the line does. */
K_INLINE uint32_t k_op_interrupt_raise(uint32_t id, int *woke) {
  k_line *line = &k_lines[id];
  if (K_RARE(id >= CL_LINES)) return K_ERROR(EINVAL);
  if (line->bound == K_BOUND_THREAD) {
    if (line->waits) {
      line->waits = 0;
      k_wake_and_tell(line->thread, woke);
    } else {
      line->fired = 1;
    }
    return 0;
  }
  if (line->bound == K_BOUND_SEMAPHORE) return k_op_semaphore_post(line->object, woke);
  if (line->bound == K_BOUND_PORT) return k_send_line(&k_ports[line->object], id, woke);
  return K_ERROR(ENOENT);
}

#endif
