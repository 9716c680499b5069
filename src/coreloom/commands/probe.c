/* SPDX-License-Identifier: Apache-2.0
 *
 * Probes, on every processor, whether the platform can host a multicore RTOS: (a) to (f) of [IPC].
 * Output: one struct common, then a struct found for each CPU, 0 where a check was not reached; examine.py judges.
 * Every wait ends: a platform that fails a check fails it, and does not hang. */
#include "../benches/ipc/ipc.h"

#define INCREMENTS 200
#define PATIENCE 20000 /* cycles */
#define WORDS 64

struct common {
  uint32_t increments, counted, counted_without; /* of all CPUs; under the memory lock, and without */
  uint32_t mutexes;                              /* of the communication port, held by CPU 0 at the same time */
};

struct found {
  uint32_t id, count;                   /* CPU_ID and CPU_COUNT */
  uint32_t program, program_sum, called; /* address and words of a function, and what it computes */
  uint32_t constants, constants_sum;
  uint32_t local; /* 1: what it has put into its local data is still there after the others have */
  uint32_t global, seen; /* address; bit n: read there what CPU n has written */
  uint32_t interrupts, interrupts_many; /* bit n: one came from CPU n; bit n: more than one */
  uint32_t held; /* how many CPUs held a lock of their own while this one held its own */
};

static const uint32_t constants[WORDS] = {0x636f7265, 0x6c6f6f6d, 1, 2, 3, 5, 8, 13, 21, 34, [WORDS - 1] = 0x5a5a5a5a};
static volatile uint32_t written[CL_CPUS], counter, plain_counter, holding[CL_CPUS];
static CL_LOCAL_DATA volatile uint32_t own[CL_AMP ? 1 : CL_CPUS], rung[CL_CPUS];

/* Some program to read and to call. */
CL_APART uint32_t collatz(uint32_t number) {
  uint32_t steps = 0;
  for (; number != 1; steps++) number = number % 2 ? 3 * number + 1 : number / 2;
  return steps;
}

static uint32_t sum_of(const volatile uint32_t *at, unsigned words) {
  uint32_t sum = 0;
  for (unsigned i = 0; i < words; i++) sum = (sum << 1 | sum >> 31) ^ at[i];
  return sum;
}

/* Interrupts: by a doorbell to a handler; without a communication port by the bit that the store to IPI sets. */
#if CL_IPC
static void on_bell(uint32_t bells) {
  (void)bells;
  rung[cl_cpu_id()]++;
}
static void listen(void) { must(doorbell_handler_np(1, on_bell)); }
static void interrupt(unsigned cpu) { must(doorbell_ring(1u << cpu, 1)); }
static uint32_t interrupted(unsigned me) { return rung[me]; }
static void silence(void) { must(doorbell_handler_np(1, NULL)); }
#elif !defined(CL_CORE_ECONOMY)
static void listen(void) { __asm__ volatile("csrci mstatus, 8"); }
static void interrupt(unsigned cpu) { cl_local_write(CL_IPI, cpu); }
static uint32_t interrupted(unsigned me) {
  uint32_t pending;
  __asm__ volatile("csrr %0, mip" : "=r"(pending));
  if (pending >> 3 & 1) {
    cl_local_write(CL_IPI_CLEAR, 0);
    rung[me]++;
  }
  return rung[me];
}
static void silence(void) { __asm__ volatile("csrsi mstatus, 8"); }
#else /* PicoRV32 says only in an interrupt which there are, and a program has no handler */
static void listen(void) {}
static void interrupt(unsigned cpu) { (void)cpu; }
static uint32_t interrupted(unsigned me) { return rung[me]; }
static void silence(void) {}
#endif

static void *body(void *argument) {
  unsigned me = (unsigned)(uintptr_t)argument;
  struct common *common = cl_output(NULL);
  struct found *found = (struct found *)(common + 1) + me;
  uint32_t meeting = 0;

  found->id = cl_cpu_id();
  found->count = cl_local_read(CL_CPU_COUNT);

  found->program = (uint32_t)(uintptr_t)collatz;
  found->program_sum = sum_of((const volatile uint32_t *)(uintptr_t)collatz, WORDS);
  found->called = collatz(27);
  found->constants = (uint32_t)(uintptr_t)constants;
  found->constants_sum = sum_of(constants, WORDS);
  own[CL_AMP ? 0 : me] = 1000 + me;

  found->global = (uint32_t)(uintptr_t)written;
  written[me] = 0xC0DE0000 + me;
  meet(me, ++meeting);
  found->local = own[CL_AMP ? 0 : me] == 1000 + me;
  for (unsigned cpu = 0; cpu < CL_CPUS; cpu++) found->seen |= (uint32_t)(written[cpu] == 0xC0DE0000 + cpu) << cpu;

  listen();
  for (unsigned from = 0; from < CL_CPUS; from++) {
    rung[me] = 0;
    uint32_t at = meet(me, ++meeting);
    wait_until(at);
    for (unsigned to = 0; from == me && to < CL_CPUS; to++) interrupt(to);
    while (!interrupted(me) && (int32_t)(cl_cycle() - at) < PATIENCE) {}
    for (uint32_t later = cl_cycle() + 500; (int32_t)(cl_cycle() - later) < 0;) interrupted(me);
    found->interrupts |= (uint32_t)(rung[me] != 0) << from;
    found->interrupts_many |= (uint32_t)(rung[me] > 1) << from;
  }
  silence();

  wait_until(meet(me, ++meeting));
  for (unsigned i = 0; i < INCREMENTS; i++) {
    must(shared_memory_lock(&counter));
    counter++;
    must(shared_memory_unlock(&counter));
  }
  wait_until(meet(me, ++meeting));
  for (unsigned i = 0; i < INCREMENTS; i++) plain_counter++;

  wait_until(meet(me, ++meeting));
  must(shared_memory_lock(&holding[me]));
  uint32_t start = cl_cycle();
  holding[me] = 1;
  do {
    found->held = 0;
    for (unsigned cpu = 0; cpu < CL_CPUS; cpu++) found->held += holding[cpu];
  } while (found->held != CL_CPUS && cl_cycle() - start < PATIENCE);
  wait_until(start + PATIENCE / 4); /* nobody lets go before all have seen all */
  if (found->held != CL_CPUS) holding[me] = 0;
  must(shared_memory_unlock(&holding[me]));
  meet(me, ++meeting);

  if (me == 0) {
    common->increments = CL_CPUS * INCREMENTS;
    common->counted = counter;
    common->counted_without = plain_counter;
#if CL_IPC
    while (common->mutexes < CL_CPU_MUTEXES && !cpu_mutex_lock(common->mutexes)) common->mutexes++;
    for (unsigned mutex = 0; mutex < common->mutexes; mutex++) must(cpu_mutex_unlock(mutex));
#endif
  }
  return NULL;
}

int main(void) {
  cl_output_set_length(sizeof(struct common) + CL_CPUS * sizeof(struct found));
  on_every_cpu(body);
  return 0;
}
