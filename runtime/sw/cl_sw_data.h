/* SPDX-License-Identifier: Apache-2.0
 *
 * The data of the kernel in software (cl_sw_kernel.h), and what its operations and its scheduler (cl_sw_scheduler.h) both use. */
#ifndef CL_SW_DATA_H
#define CL_SW_DATA_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "cl_kernel_ops.h"
#include "cl_words.h"
#ifdef CL_POLICY
#include "cl_policy.h"
#endif

#ifndef K_FINE
#define K_FINE 0 /* 1: mutexes and semaphores have locks of their own (runtime/fine) */
#endif

/* Inside, priorities are levels: 0 is the most urgent, so that the best is the lowest bit set. */
#define K_LEVELS CL_PRIORITIES
#define K_WORDS ((K_LEVELS + 31) / 32)
#define K_IDLE ((uint32_t)K_LEVELS) /* level of an idle thread: behind all others, and in a queue of its own */
#define K_NONE 511u                 /* level of an empty queue: behind all */
/* Room in a port: the power of two that message numbers wrap in. */
#define K_RING                \
  (CL_PORT_DEPTH <= 1    ? 1  \
   : CL_PORT_DEPTH <= 2  ? 2  \
   : CL_PORT_DEPTH <= 4  ? 4  \
   : CL_PORT_DEPTH <= 8  ? 8  \
   : CL_PORT_DEPTH <= 16 ? 16 \
   : CL_PORT_DEPTH <= 32 ? 32 \
                         : 64)

#define K_GIVE_WAY (CL_WORD_GIVE_WAY_MASK << CL_WORD_GIVE_WAY_LSB)
#define K_SLICED (1u << 29)
#define K_RESUMED (CL_WORD_RESUMED_MASK << CL_WORD_RESUMED_LSB)
#define K_ERROR(name) ((uint32_t)CL_STATUS_##name << CL_WORD_STATUS_LSB)
#define K_PENDING UINT32_MAX

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

#ifndef CL_POLICY
/* Ready threads: a ring per level, known by its tail. */
typedef struct {
  uint32_t best;                       /* lowest level with a thread, or K_NONE */
  uint32_t bitmap[K_LEVELS / 32 + 1u]; /* levels with a thread; K_WORDS are searched: K_IDLE is alone in its queue */
  k_thread *tail[K_LEVELS + 1u];
} k_queue;
#endif

struct k_thread {
  _Alignas(64) k_thread *next; /* in a ready queue or a list of waiters; aligned: &k_threads[tid] without multiplying */
  uint32_t switch_word; /* GIVE_WAY | tid, and K_SLICED: a switch has loaded it anyway */
#ifndef CL_POLICY
  k_queue *queue; /* where it goes when it is ready */
#endif
  k_cpu *home; /* the CPU it is placed on, or NULL */
  k_cpu *cpu; /* where it runs or ran last */
  uint32_t level;
  uint32_t state;
  k_port *sent; /* ports with messages of it that are not published, newest first */
  k_thread *joiner;
  uint8_t detached;
  uint8_t idle; /* the idle thread of `home` */
  uint8_t lines; /* interrupt lines bound to it */
  uint32_t own_level; /* of an idle thread: the level it had before */
#ifndef CL_POLICY
  uint32_t ran; /* with K_SLICED: so much of its slice had passed when it was preempted */
#endif
#if K_FINE
  uint32_t parked; /* it waits where it is, on the CPU of this number - 1 */
  uint32_t given; /* it has been woken before it left its CPU */
#endif
#ifdef CL_POLICY
  uint8_t fresh; /* it has never been ready */
  uint32_t weight; /* what entity.weight is to be */
  struct cl_entity entity;
#endif
};

struct k_cpu {
  k_thread *current;
#ifndef CL_POLICY
  uint32_t preempt_below; /* a ready thread below this level should take the CPU: the level of the current one,
                             1 more when its slice is used up; 0: nothing runs */
  uint32_t since; /* when its slice began, or would have if the thread had run on since */
  uint32_t turn_dynamic; /* which queue wins the next tie */
#else
  cl_time since;   /* until when its thread is charged */
  cl_time until;   /* when to look whether it should give way */
  cl_time balanced;  /* when its policy last balanced the queues */
#endif
  k_thread *leaving; /* its context is not saved yet */
  uint32_t leaving_ready;
  uint32_t leaving_front;
  volatile uint32_t waiting; /* its operation is pending */
  uint32_t interrupt; /* end a wait with eintr (host only) */
  uint32_t answer; /* of the pending operation */
  k_thread *idle_thread;
#if K_FINE
  uint32_t called; /* the kernel has interrupted it since it last looked */
#endif
#ifndef CL_POLICY
  k_queue queue; /* threads placed on this CPU */
#endif
};

enum { K_DIRECT, K_BUFFERED, K_CLOSED }; /* the common one is 0: one instruction less in each send */

struct k_port {
  k_thread *receiver; /* NULL: closed */
  k_port *next_sent;
  k_thread *writer; /* whose `sent` list it is on; outlives closing */
  k_thread *senders; /* waiting for room */
  union {
    struct {
      uint8_t kind; /* K_CLOSED ... */
      uint8_t receiver_waits;
    };
    uint16_t at_once; /* K_DIRECT: open, direct, and nobody waits */
  };
  /* Messages are numbered as they come, in steps of K_STEP: [head, frozen) can be received, [frozen, tail) are not published. */
  uint32_t head;
  uint32_t frozen;
  uint32_t tail;
  uint32_t ring[K_RING];
};

/* A word: so a number is an offset into the ring as it is. */
#define K_STEP ((uint32_t)sizeof(uint32_t))
#define K_FULL (CL_PORT_DEPTH * K_STEP)

/* Where the message of that number is. */
K_INLINE uint32_t *k_slot(k_port *port, uint32_t number) {
  return (uint32_t *)(void *)((char *)port->ring + number % (K_RING * K_STEP));
}

K_INLINE void k_freeze(k_port *port, uint32_t number) { *(volatile uint32_t *)&port->frozen = number; }

typedef struct {
  _Alignas(16) k_thread *owner; /* aligned: found without multiplying */
  k_thread *waiters;
#if K_FINE
  k_thread *last; /* waiter */
#endif
  uint8_t exists;
} k_mutex;

typedef struct {
  _Alignas(16) uint32_t count;
  k_thread *waiters;
#if K_FINE
  k_thread *last; /* waiter */
#endif
  uint32_t exists;
} k_semaphore;

typedef struct {
#if K_FINE
  _Alignas(16) k_thread *last; /* waiter */
#endif
  k_thread *waiters;
  uint16_t signals; /* of a barrier: how many have come */
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

#ifndef CL_POLICY
static k_queue k_dynamic; /* threads that run anywhere */
#define K_SHARED k_dynamic /* the scheduler's, of all CPUs; its address is the lock's */
#else
static struct cl_machine k_machine;
#define K_SHARED k_machine
#endif
static k_cpu k_cpus[CL_CPUS];
static k_port k_ports[CL_PORTS];
static k_thread k_threads[CL_THREADS];
static k_mutex k_mutexes[CL_MUTEXES ? CL_MUTEXES : 1];
static k_semaphore k_semaphores[CL_SEMAPHORES ? CL_SEMAPHORES : 1];
/* The further words of the messages: apart, so that a message of one word costs the same with and without. A power of
 * two of them, as for K_RING. */
#define K_FURTHER (CL_PORT_WORDS <= 1 ? 1 : CL_PORT_WORDS <= 2 ? 2 : CL_PORT_WORDS <= 4 ? 4 : 8)
K_FAR static uint32_t k_further[CL_PORTS][K_RING * K_FURTHER];
K_FAR static k_condition k_conditions[CL_CONDITIONS];
K_FAR static k_line k_lines[CL_LINES];
static uint16_t k_free[CL_THREADS]; /* stack of free thread numbers */
static uint32_t k_free_count;
/* In units of k_now; 0: no slices. "used": or the compiler makes a flag of it when only one length occurs. */
__attribute__((used)) static uint32_t k_slice;
/* A buffered port has been opened: a program without any folds it to 0, and what it guards. */
static uint32_t k_buffers;
static uint32_t k_waiting; /* how many CPUs wait */
static uint32_t k_asleep; /* K_HELD: and how many wait, or have their answer but are not back: k_back() */

static inline void k_interrupt(k_cpu *cpu);
#if K_FINE
static void k_level_changed(k_thread *thread, uint32_t level); /* before it does, of one that runs */
static uint32_t post_inside(uint32_t semaphore, int *woke);
static uint32_t send_line_inside(k_port *port, uint32_t line, int *woke);
#endif

/* Where the further words of the message of that number are. */
K_INLINE uint32_t *k_further_of(const k_port *port, uint32_t number) {
  return &k_further[port - k_ports][number % (K_RING * K_STEP) / K_STEP * K_FURTHER];
}

K_INLINE uint32_t k_tid(const k_thread *thread) { return thread->switch_word & CL_WORD_VALUE_MASK; }

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

K_INLINE int k_runs(const k_cpu *cpu) {
  return !cpu->waiting && cpu->current && cpu->current->state == CL_STATE_RUNNING;
}

#endif
