/* SPDX-License-Identifier: Apache-2.0
 *
 * What single operations between CPUs take: signals, round trips, moves, streams, locks, barriers.
 *
 * Input: how many tests, how many rounds, then the name of each test in 32 bytes.
 * A test NAME has its moments NAME_begin and NAME_end, once in every round; locks besides NAME_got and NAME_free for
 * every turn; streams out_begin, out_end, in_begin, in_end. src/coreloom/benches/ipc/latency.py knows what they mean.
 *
 * Raw: the plain load or store, in assembly. A receiver that waits uses its answer in the next instruction, the end
 * is behind that one. Else the service of coreloom.h. */
#include <semaphore.h>
#include <string.h>

#include "ipc.h"

#define WORDS 1024 /* of a stream; a multiple of 64 */
#ifdef CL_CORE_ECONOMY
#define PAUSE 100 /* cycles a word, so that all have done what comes before a stream */
#else
#define PAUSE 20
#endif
#define TURNS 8    /* of each CPU, of a lock that is handed over */
#define PORT 0
#define HANDOVER 1 /* the mutex that all want; nobody else wants number 0 */

static volatile uint32_t round_number;
static CL_LOCAL_DATA uint32_t block[CL_CPUS][WORDS];

/* begin, then the store; the load that waits, a use of it, then end. */
#define STORE(name, op, index, word) \
  __asm__ volatile("nop\n" LABEL(name) "sw %1, 0(%0)\n" ::"r"(RAW(op, index, 0)), "r"(word) : "memory")
#define LOAD(name, op, index, result) \
  __asm__ volatile("lw %0, 0(%1)\nmv %0, %0\n" LABEL(name) : "=&r"(result) : "r"(RAW(op, index, FOR_EVER)) : "memory")
#define LOAD_AND_STORE(op, index, to, to_index) /* sends back what came, an instruction later */ \
  do {                                                                                           \
    uint32_t word_;                                                                              \
    __asm__ volatile("lw %0, 0(%1)\nsw %0, 0(%2)\n"                                              \
                     : "=&r"(word_)                                                              \
                     : "r"(RAW(op, index, FOR_EVER)), "r"(RAW(to, to_index, 0))                  \
                     : "memory");                                                                \
  } while (0)
#define STORE_AND_LOAD(name, op, index, from, from_index) /* a whole round trip */                             \
  do {                                                                                                         \
    uint32_t word_ = 1;                                                                                        \
    __asm__ volatile("nop\n" LABEL(name "_begin") "sw %0, 0(%1)\nlw %0, 0(%2)\nmv %0, %0\n" LABEL(name "_end") \
                     : "+&r"(word_)                                                                            \
                     : "r"(RAW(op, index, 0)), "r"(RAW(from, from_index, FOR_EVER))                            \
                     : "memory");                                                                              \
  } while (0)

#define REQ_OF(cpu) ((cpu) | 0u << CL_IPC_WIRE_INDEX_WIRE_LSB | 1u << CL_IPC_WIRE_INDEX_LEVEL_LSB)
#define ACK_OF(cpu) ((cpu) | 1u << CL_IPC_WIRE_INDEX_WIRE_LSB | 1u << CL_IPC_WIRE_INDEX_LEVEL_LSB)
#define CPU0 1u /* sets of processors */
#define CPU1 2u

/* --- Signals and scalars from CPU 0 to CPU 1; round trips of CPU 0 -------------------------------------------- */

static volatile uint32_t variable[2][8];
static sem_t semaphore;

CL_APART void doorbell_raw(unsigned me) {
  uint32_t word;
  if (me == 0) STORE("doorbell_raw_begin", CL_IPC_OP_DOORBELL_RING, CPU1, 1);
  else LOAD("doorbell_raw_end", CL_IPC_OP_DOORBELL_TAKE, 1, word);
}

CL_APART void doorbell_api(unsigned me) {
  uint32_t which;
  if (me == 0) {
    MOMENT(doorbell_api_begin);
    must(doorbell_ring(CPU1, 1));
  } else {
    must(doorbell_take(1, &which));
    MOMENT_AT_ONCE(doorbell_api_end);
  }
}

CL_APART void doorbell_trip_raw(unsigned me) {
  if (me == 0) STORE_AND_LOAD("doorbell_trip_raw", CL_IPC_OP_DOORBELL_RING, CPU1, CL_IPC_OP_DOORBELL_TAKE, 1);
  else LOAD_AND_STORE(CL_IPC_OP_DOORBELL_TAKE, 1, CL_IPC_OP_DOORBELL_RING, CPU0);
}

CL_APART void doorbell_trip_api(unsigned me) {
  uint32_t which;
  if (me == 0) {
    MOMENT(doorbell_trip_api_begin);
    must(doorbell_ring(CPU1, 1));
    must(doorbell_take(1, &which));
    MOMENT_AT_ONCE(doorbell_trip_api_end);
  } else {
    must(doorbell_take(1, &which));
    must(doorbell_ring(CPU0, which));
  }
}

CL_APART void mailbox_raw(unsigned me) {
  uint32_t word;
  if (me == 0) STORE("mailbox_raw_begin", CL_IPC_OP_MAILBOX_PUT, CPU1, 1);
  else LOAD("mailbox_raw_end", CL_IPC_OP_MAILBOX_GET, 0, word);
}

CL_APART void mailbox_api(unsigned me) {
  uint32_t word;
  if (me == 0) {
    MOMENT(mailbox_api_begin);
    must(mailbox_send(1, 1));
  } else {
    must(mailbox_receive(0, &word));
    MOMENT_AT_ONCE(mailbox_api_end);
  }
}

CL_APART void mailbox_trip_raw(unsigned me) {
  if (me == 0) STORE_AND_LOAD("mailbox_trip_raw", CL_IPC_OP_MAILBOX_PUT, CPU1, CL_IPC_OP_MAILBOX_GET, 1);
  else LOAD_AND_STORE(CL_IPC_OP_MAILBOX_GET, 0, CL_IPC_OP_MAILBOX_PUT, CPU0);
}

CL_APART void mailbox_trip_api(unsigned me) {
  uint32_t word;
  if (me == 0) {
    MOMENT(mailbox_trip_api_begin);
    must(mailbox_send(1, 1));
    must(mailbox_receive(1, &word));
    MOMENT_AT_ONCE(mailbox_trip_api_end);
  } else {
    must(mailbox_receive(0, &word));
    must(mailbox_send(0, word));
  }
}

/* The wire is 0 again when the round ends. */
CL_INLINE void wires_down(unsigned me) {
  wait_until(cl_cycle() + 200);
  *RAW(CL_IPC_OP_CHANNEL_REQ, me ^ 1, 0) = 0;
  *RAW(CL_IPC_OP_CHANNEL_ACK, me ^ 1, 0) = 0;
}

CL_APART void wire_raw(unsigned me) {
  uint32_t word;
  if (me == 0) STORE("wire_raw_begin", CL_IPC_OP_CHANNEL_REQ, 1, 1);
  else LOAD("wire_raw_end", CL_IPC_OP_CHANNEL_WAIT, REQ_OF(0), word);
  wires_down(me);
}

CL_APART void wire_api(unsigned me) {
  if (me == 0) {
    MOMENT(wire_api_begin);
    must(channel_request(1, 1));
  } else {
    must(channel_wait(0, CHANNEL_REQ, 1));
    MOMENT_AT_ONCE(wire_api_end);
  }
  wires_down(me);
}

CL_APART void wire_trip_raw(unsigned me) {
  if (me == 0) STORE_AND_LOAD("wire_trip_raw", CL_IPC_OP_CHANNEL_REQ, 1, CL_IPC_OP_CHANNEL_WAIT, ACK_OF(1));
  else LOAD_AND_STORE(CL_IPC_OP_CHANNEL_WAIT, REQ_OF(0), CL_IPC_OP_CHANNEL_ACK, 0);
  wires_down(me);
}

/* The paper's way: the wire is read until it is 1. */
CL_APART void wire_polled(unsigned me) {
  volatile uint32_t *wires = RAW(CL_IPC_OP_CHANNEL_READ, 0, 0);
  if (me == 0) {
    STORE("wire_polled_begin", CL_IPC_OP_CHANNEL_REQ, 1, 1);
  } else {
    while (!(*wires & 1)) {}
    MOMENT(wire_polled_end);
  }
  wires_down(me);
}

CL_APART void variable_polled(unsigned me) {
  if (me == 0) {
    MOMENT(variable_polled_begin);
    variable[0][0] = 1;
  } else {
    while (!variable[0][0]) {}
    MOMENT(variable_polled_end);
    variable[0][0] = 0;
  }
}

CL_APART void variable_trip(unsigned me) {
  if (me == 0) {
    MOMENT(variable_trip_begin);
    variable[0][0] = 1;
    while (!variable[1][0]) {}
    MOMENT(variable_trip_end);
    variable[1][0] = 0;
  } else {
    while (!variable[0][0]) {}
    variable[1][0] = 1;
    variable[0][0] = 0;
  }
}

/* Interrupts: to the first instruction of the handler. */
static CL_LOCAL_DATA volatile uint32_t served[CL_CPUS];

static void on_wire(unsigned cpu) {
  MOMENT(interrupt_wire_end);
  while (*RAW(CL_IPC_OP_CHANNEL_READ, cpu, 0) & 1) {}
  served[1] = 1;
}

CL_APART void interrupt_wire(unsigned me) {
  if (me == 0) {
    STORE("interrupt_wire_begin", CL_IPC_OP_CHANNEL_REQ, 1, 1);
    wait_until(cl_cycle() + 1000); /* the handler has begun */
    wires_down(me);
  } else {
    while (!served[1]) {}
  }
}

static void on_bell(uint32_t bells) {
  MOMENT(interrupt_doorbell_end);
  served[1] = bells;
}

CL_APART void interrupt_doorbell(unsigned me) {
  if (me == 0) STORE("interrupt_doorbell_begin", CL_IPC_OP_DOORBELL_RING, CPU1, 2);
  else
    while (!served[1]) {}
}

static void handlers(unsigned me) {
  served[me] = 0;
  if (me == 1) {
    must(channel_handler_np(0, CHANNEL_REQ, on_wire));
    must(doorbell_handler_np(2, on_bell));
  }
}

static void handlers_off(unsigned me) {
  if (me == 1) {
    must(channel_handler_np(0, CHANNEL_REQ, NULL));
    must(doorbell_handler_np(2, NULL));
  }
}

/* Services of the kernel, from the call to the return in the thread that waited. */
CL_APART void semaphore_signal(unsigned me) {
  if (me == 0) {
    MOMENT(semaphore_signal_begin);
    must(sem_post(&semaphore));
  } else {
    must(sem_wait(&semaphore));
    MOMENT(semaphore_signal_end);
  }
}

static void move_to(unsigned cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  must(pthread_setaffinity_np(pthread_self(), sizeof set, &set));
}

/* CPU 1 waits in the kernel: its thread waits for the semaphore. */
CL_APART void thread_move(unsigned me) {
  if (me == 0) {
    MOMENT(thread_move_begin);
    move_to(1);
    MOMENT(thread_move_end);
    move_to(0);
    must(sem_post(&semaphore));
  } else {
    must(sem_wait(&semaphore));
  }
}

CL_APART void port_signal(unsigned me) {
  uint32_t word;
  if (me == 0) {
    MOMENT(port_signal_begin);
    must(port_send(PORT, 1));
  } else {
    must(port_receive(PORT, &word));
    MOMENT(port_signal_end);
  }
}

static void port_prepare(unsigned me) {
  if (me == 1) must(port_open(PORT, PORT_DIRECT));
}

static void port_undo(unsigned me) {
  if (me == 1) must(port_close(PORT));
}

/* A message made before, so that only its way counts. */
static struct message *letter;

static void message_prepare(unsigned me) {
  if (me == 0) must(message_alloc(&letter, 8));
  port_prepare(me);
}

CL_APART void message_signal(unsigned me) {
  struct message *message;
  if (me == 0) {
    MOMENT(message_signal_begin);
    must(message_send(PORT, letter));
  } else {
    must(message_receive(PORT, &message));
    MOMENT(message_signal_end);
    must(message_free(message));
  }
}

/* --- Streams: all pairs at once; before, each end alone, at an operation that never waits ------------------- */

#define FOUR(text) text text text text
#define OUT_8 \
  "sw t0, 0(%0)\nsw t1, 0(%0)\nsw t2, 0(%0)\nsw t3, 0(%0)\nsw t4, 0(%0)\nsw t5, 0(%0)\nsw a6, 0(%0)\nsw a7, 0(%0)\n"
#define IN_8 \
  "lw t0, 0(%0)\nlw t1, 0(%0)\nlw t2, 0(%0)\nlw t3, 0(%0)\nlw t4, 0(%0)\nlw t5, 0(%0)\nlw a6, 0(%0)\nlw a7, 0(%0)\n"
#define FROM_8 \
  "lw t0, 0(%1)\nlw t1, 4(%1)\nlw t2, 8(%1)\nlw t3, 12(%1)\nlw t4, 16(%1)\nlw t5, 20(%1)\nlw a6, 24(%1)\nlw a7, 28(%1)\n"
#define TO_8 \
  "sw t0, 0(%1)\nsw t1, 4(%1)\nsw t2, 8(%1)\nsw t3, 12(%1)\nsw t4, 16(%1)\nsw t5, 20(%1)\nsw a6, 24(%1)\nsw a7, 28(%1)\n"

/* 64 words a turn of the loop from or to registers, 8 from or to memory. */
#define STREAM(name, text, step)                                                                     \
  CL_APART void name(volatile uint32_t *port, uint32_t at, uint32_t end) {                           \
    __asm__ volatile("nop\n" LABEL(#name "_begin") "nop\n.balign 16\n1:\n" text "addi %1, %1, " step \
                                                   "\nbne %1, %2, 1b\nnop\n" LABEL(#name "_end")     \
                     : "+r"(port), "+r"(at)                                                          \
                     : "r"(end)                                                                      \
                     : "t0", "t1", "t2", "t3", "t4", "t5", "a6", "a7", "memory");                    \
  }
STREAM(out_registers, FOUR(OUT_8) FOUR(OUT_8), "64")
STREAM(in_registers, FOUR(IN_8) FOUR(IN_8), "64")
STREAM(out_memory, FROM_8 OUT_8, "32")
STREAM(in_memory, IN_8 TO_8, "32")

#define NEVER_WAITS_OUT(other) RAW(CL_IPC_OP_MAILBOX_CLEAR_SENT, other, 0)
#define NEVER_WAITS_IN(other) RAW(CL_IPC_OP_MAILBOX_RECEIVED, other, 0)
#define OUT(other) RAW(CL_IPC_OP_MAILBOX_PUT, 1u << (other), FOR_EVER)
#define IN(other) RAW(CL_IPC_OP_MAILBOX_GET, other, FOR_EVER)

CL_APART void stream_registers(unsigned me, uint32_t at) {
  unsigned other = me ^ 1;
  if (me % 2) {
    in_registers(NEVER_WAITS_IN(other), 0, WORDS);
    wait_until(at + PAUSE * WORDS);
    in_registers(IN(other), 0, WORDS);
  } else {
    out_registers(NEVER_WAITS_OUT(other), 0, WORDS);
    wait_until(at + PAUSE * WORDS + 300);
    out_registers(OUT(other), 0, WORDS);
  }
}

CL_INLINE void stream_memory_words(unsigned me, uint32_t at, uint32_t words) {
  unsigned other = me ^ 1;
  uint32_t first = (uint32_t)(uintptr_t)block[me], end = first + 4 * words;
  if (me % 2) {
    in_memory(NEVER_WAITS_IN(other), first, end);
    for (uint32_t i = 0; i < words; i++) block[me][i] = 0;
    wait_until(at + PAUSE * words + 1000);
    in_memory(IN(other), first, end);
    for (uint32_t i = 0; i < words; i++)
      if (block[me][i] != i * 2654435761u + other) exit(4);
  } else {
    for (uint32_t i = 0; i < words; i++) block[me][i] = i * 2654435761u + me;
    out_memory(NEVER_WAITS_OUT(other), first, end);
    wait_until(at + PAUSE * words + 1300);
    out_memory(OUT(other), first, end);
  }
}
CL_APART void stream_memory(unsigned me, uint32_t at) { stream_memory_words(me, at, WORDS); }
CL_APART void stream_message(unsigned me, uint32_t at) { stream_memory_words(me, at, 128); }

/* --- Locks ---------------------------------------------------------------------------------------------------- */

static pthread_mutex_t kernel_mutex[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static volatile uint32_t lock_word[2][8];
static volatile uint32_t inside; /* CPUs that hold the lock */

/* Alone: nobody else wants it. */
CL_APART void lock_unit(unsigned me) {
  (void)me;
  uint32_t word;
  __asm__ volatile("nop\n" LABEL("lock_unit_begin") "sw %1, %3(%2)\nlw %0, %4(%2)\n" LABEL(
                       "lock_unit_got") "sw zero, %5(%2)\n" LABEL("lock_unit_end") "nop\n"
                   : "=&r"(word)
                   : "r"(lock_word[0]), "r"(CL_LOCAL), "i"(CL_LOCK_ADDRESS), "i"(CL_LOCK_ACQUIRE), "i"(CL_LOCK_RELEASE)
                   : "memory");
}

CL_APART void cpu_mutex_raw(unsigned me) {
  (void)me;
  uint32_t locked, freed;
  __asm__ volatile("nop\n" LABEL("cpu_mutex_raw_begin") "lw %0, 0(%2)\n" LABEL(
                       "cpu_mutex_raw_got") "lw %1, 0(%3)\n" LABEL("cpu_mutex_raw_end") "nop\n"
                   : "=&r"(locked), "=&r"(freed)
                   : "r"(RAW(CL_IPC_OP_MUTEX_LOCK, 0, FOR_EVER)), "r"(RAW(CL_IPC_OP_MUTEX_UNLOCK, 0, 0))
                   : "memory");
  if ((locked | freed) >> CL_IPC_WORD_ERROR_LSB) exit(4);
}

CL_APART void memory_lock(unsigned me) {
  (void)me;
  MOMENT(memory_lock_begin);
  must(shared_memory_lock(lock_word[0]));
  MOMENT_AT_ONCE(memory_lock_got);
  must(shared_memory_unlock(lock_word[0]));
  MOMENT_AT_ONCE(memory_lock_end);
}

CL_APART void cpu_mutex_api(unsigned me) {
  (void)me;
  MOMENT(cpu_mutex_api_begin);
  must(cpu_mutex_lock(0));
  MOMENT_AT_ONCE(cpu_mutex_api_got);
  must(cpu_mutex_unlock(0));
  MOMENT_AT_ONCE(cpu_mutex_api_end);
}

CL_APART void pthread_mutex(unsigned me) {
  (void)me;
  MOMENT(pthread_mutex_begin);
  must(pthread_mutex_lock(&kernel_mutex[0]));
  MOMENT(pthread_mutex_got);
  must(pthread_mutex_unlock(&kernel_mutex[0]));
  MOMENT(pthread_mutex_end);
}

/* Handed over: all CPUs queue for it, each has it TURNS times. */
CL_INLINE void hold(uint32_t turn) {
  if (inside++) exit(4);
  wait_until(cl_cycle() + 200 + turn);
  inside--;
}

CL_APART void handover_lock_unit(unsigned me, uint32_t at) {
  (void)me, (void)at;
  for (uint32_t turn = 0; turn < TURNS; turn++) {
    uint32_t word;
    __asm__ volatile("sw %1, %3(%2)\nlw %0, %4(%2)\nmv %0, %0\n" LABEL("handover_lock_unit_got") "nop\n"
                     : "=&r"(word)
                     : "r"(lock_word[1]), "r"(CL_LOCAL), "i"(CL_LOCK_ADDRESS), "i"(CL_LOCK_ACQUIRE)
                     : "memory");
    hold(turn);
    __asm__ volatile("nop\n" LABEL("handover_lock_unit_free") "sw zero, %1(%0)\n" ::"r"(CL_LOCAL), "i"(CL_LOCK_RELEASE)
                     : "memory");
  }
}

CL_APART void handover_cpu_mutex_raw(unsigned me, uint32_t at) {
  (void)me, (void)at;
  for (uint32_t turn = 0; turn < TURNS; turn++) {
    uint32_t word;
    __asm__ volatile("lw %0, 0(%1)\nmv %0, %0\n" LABEL("handover_cpu_mutex_raw_got") "nop\n"
                     : "=&r"(word)
                     : "r"(RAW(CL_IPC_OP_MUTEX_LOCK, HANDOVER, FOR_EVER))
                     : "memory");
    if (word >> CL_IPC_WORD_ERROR_LSB) exit(4);
    hold(turn);
    __asm__ volatile("nop\n" LABEL("handover_cpu_mutex_raw_free") "lw %0, 0(%1)\n"
                     : "=&r"(word)
                     : "r"(RAW(CL_IPC_OP_MUTEX_UNLOCK, HANDOVER, 0))
                     : "memory");
    if (word >> CL_IPC_WORD_ERROR_LSB) exit(4);
  }
}

CL_APART void handover_cpu_mutex_api(unsigned me, uint32_t at) {
  (void)me, (void)at;
  for (uint32_t turn = 0; turn < TURNS; turn++) {
    must(cpu_mutex_lock(HANDOVER));
    MOMENT_AT_ONCE(handover_cpu_mutex_api_got);
    hold(turn);
    MOMENT(handover_cpu_mutex_api_free);
    must(cpu_mutex_unlock(HANDOVER));
  }
}

CL_APART void handover_pthread_mutex(unsigned me, uint32_t at) {
  (void)me, (void)at;
  for (uint32_t turn = 0; turn < TURNS; turn++) {
    must(pthread_mutex_lock(&kernel_mutex[1]));
    MOMENT(handover_pthread_mutex_got);
    hold(turn);
    MOMENT(handover_pthread_mutex_free);
    must(pthread_mutex_unlock(&kernel_mutex[1]));
  }
}

/* --- Barriers: CPUs arrive one after another, a different one last in each round ------------------------------ */

static void barrier_prepare(unsigned me) {
  if (me == 0) must(cpu_barrier_init(0, (1u << CL_CPUS) - 1));
}

CL_INLINE void come(unsigned me, uint32_t at) { wait_until(at + 400 + 40 * ((me + round_number) % CL_CPUS)); }

CL_APART void barrier_raw(unsigned me, uint32_t at) {
  uint32_t word;
  come(me, at);
  __asm__ volatile("nop\n" LABEL("barrier_raw_begin") "lw %0, 0(%1)\nmv %0, %0\n" LABEL("barrier_raw_end") "nop\n"
                   : "=&r"(word)
                   : "r"(RAW(CL_IPC_OP_BARRIER_ARRIVE, 0, FOR_EVER))
                   : "memory");
  if (word >> CL_IPC_WORD_ERROR_LSB) exit(4);
}

CL_APART void barrier_api(unsigned me, uint32_t at) {
  come(me, at);
  MOMENT(barrier_api_begin);
  must(cpu_barrier_wait(0));
  MOMENT_AT_ONCE(barrier_api_end);
}

/* --- The rounds ----------------------------------------------------------------------------------------------- */

enum who { FIRST, PAIR, ALL }; /* CPU 0 alone; CPU 0 to 1; every CPU */

static const struct test {
  const char *name;
  enum who who;
  void (*body)(unsigned me);
  void (*together)(unsigned me, uint32_t at); /* of every CPU */
  void (*prepare)(unsigned me), (*undo)(unsigned me);
} tests[] = {
#define SIGNAL(name) {#name, PAIR, name, NULL, NULL, NULL}
#define WITH(name, prepare, undo) {#name, PAIR, name, NULL, prepare, undo}
#define ALONE(name) {#name, FIRST, name, NULL, NULL, NULL}
#define TOGETHER(name, prepare) {#name, ALL, NULL, name, prepare, NULL}
    SIGNAL(doorbell_raw),
    SIGNAL(doorbell_api),
    SIGNAL(doorbell_trip_raw),
    SIGNAL(doorbell_trip_api),
    SIGNAL(mailbox_raw),
    SIGNAL(mailbox_api),
    SIGNAL(mailbox_trip_raw),
    SIGNAL(mailbox_trip_api),
    SIGNAL(wire_raw),
    SIGNAL(wire_api),
    SIGNAL(wire_trip_raw),
    SIGNAL(wire_polled),
    SIGNAL(variable_polled),
    SIGNAL(variable_trip),
    SIGNAL(semaphore_signal),
    SIGNAL(thread_move),
    WITH(interrupt_wire, handlers, handlers_off),
    WITH(interrupt_doorbell, handlers, handlers_off),
    WITH(port_signal, port_prepare, port_undo),
    WITH(message_signal, message_prepare, port_undo),
    TOGETHER(stream_registers, NULL),
    TOGETHER(stream_memory, NULL),
    TOGETHER(stream_message, NULL),
    ALONE(lock_unit),
    ALONE(memory_lock),
    ALONE(cpu_mutex_raw),
    ALONE(cpu_mutex_api),
    ALONE(pthread_mutex),
    TOGETHER(handover_lock_unit, NULL),
    TOGETHER(handover_cpu_mutex_raw, NULL),
    TOGETHER(handover_cpu_mutex_api, NULL),
    TOGETHER(handover_pthread_mutex, NULL),
    TOGETHER(barrier_raw, barrier_prepare),
    TOGETHER(barrier_api, barrier_prepare),
};

struct input {
  uint32_t tests, rounds;
  char names[][32];
};

static const struct test *find(const char *name) {
  for (unsigned i = 0; i < sizeof tests / sizeof *tests; i++)
    if (!strcmp(tests[i].name, name)) return &tests[i];
  exit(5);
}

static void *body(void *argument) {
  unsigned me = (unsigned)(uintptr_t)argument;
  const struct input *input = cl_input(NULL);
  uint32_t meeting = 0;
  for (uint32_t number = 0; number < input->tests; number++) {
    const struct test *test = find(input->names[number]);
    for (uint32_t n = 0; n < input->rounds; n++) {
      uint32_t at = meet(me, ++meeting);
      if (me == 0) round_number = n;
      if (test->prepare) test->prepare(me);
      at = meet(me, ++meeting);
      if (test->who == ALL) {
        wait_until(at);
        test->together(me, at);
      } else if (me <= (unsigned)test->who) {
        wait_until(me ? at : at + 300 + n);
        test->body(me);
      }
      wait_until(at + 2000); /* so that those who have nothing to do do not disturb */
      meet(me, ++meeting);
      if (test->undo) test->undo(me);
    }
  }
  return NULL;
}

int main(void) {
  must(sem_init(&semaphore, 0, 0));
  on_every_cpu(body);
  return 0;
}
