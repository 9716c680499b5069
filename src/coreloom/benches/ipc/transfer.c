/* SPDX-License-Identifier: Apache-2.0
 *
 * Blocks of words from the local memory of one CPU to that of another, by every mechanism.
 *
 * Input: the mechanism's name in 32 bytes, how many sizes, and for each: words, rounds.
 * Output: words that arrived wrong; then for each round and pair BUS_COUNT before and after.
 * Each mechanism has two moments NAME_begin and NAME_end, each once in every round of a pair.
 *
 * CPU 2k sends to CPU 2k + 1, all pairs at once; many to one: all others to CPU 0; one to many: CPU 0 to all others.
 * The receiver waits already when the sender begins, a cycle later in each round. With IPC_BUSY it shares its CPU with
 * another thread of the same priority, which always computes, and the sender begins IPC_BUSY cycles later in each. */
#include <semaphore.h>
#include <string.h>

#include "ipc.h"
#ifdef IPC_ITRON
#include <itron.h>
#endif

#ifndef IPC_BUSY
#define IPC_BUSY 0
#endif

#define MOST 1024
#define PAIRS (CL_CPUS / 2)

enum shape { PAIRWISE, MANY_TO_ONE, ONE_TO_MANY };

struct mechanism {
  const char *name;
  enum shape shape;
  void (*prepare)(unsigned me, unsigned other); /* before each round, not counted; may be NULL */
  void (*send)(unsigned me, unsigned other, uint32_t words);
  void (*receive)(unsigned me, unsigned other, uint32_t words);
};

/* On amp each CPU has its own of all of these; it uses the one with its number, as it must on smp-bus. */
static CL_LOCAL_DATA uint32_t block[CL_CPUS][MOST];
static CL_LOCAL_DATA uint32_t inbox[CL_CPUS][MOST]; /* of CPU 0, to which many send: by sender */
static uint32_t window[PAIRS][MOST]; /* in global memory, one a pair */

/* Each load is two instructions ahead of its store, so none waits; and as every other instruction is for the bus, two
 * processors share it. 32 words a turn of the loop, then the rest. */
CL_INLINE void copy_8(volatile uint32_t *to, const volatile uint32_t *from) {
  uint32_t a = from[0], b = from[1];
  to[0] = a, a = from[2], to[1] = b, b = from[3], to[2] = a, a = from[4], to[3] = b, b = from[5];
  to[4] = a, a = from[6], to[5] = b, b = from[7], to[6] = a, to[7] = b;
}

CL_INLINE void copy(uint32_t *to, const uint32_t *from, uint32_t words) {
  for (; words >= 32; words -= 32, to += 32, from += 32) {
    copy_8(to, from);
    copy_8(to + 8, from + 8);
    copy_8(to + 16, from + 16);
    copy_8(to + 24, from + 24);
  }
  for (; words; words -= 8, to += 8, from += 8) copy_8(to, from);
}

CL_INLINE void copy_word(uint32_t *to, const uint32_t *from) {
  *(volatile uint32_t *)to = *(const volatile uint32_t *)from;
}

/* --- [IPC] (a) polling: req and ack as wires, and as variables ---------------------------------------------- */

#define REQ_IN (1u << CL_IPC_WIRES_WORD_REQ_IN_LSB)
#define ACK_IN (1u << CL_IPC_WIRES_WORD_ACK_IN_LSB)

CL_INLINE void wait_wire(unsigned other, uint32_t wire, int level) {
  volatile uint32_t *wires = RAW(CL_IPC_OP_CHANNEL_READ, other, 0);
  while (((*wires & wire) != 0) != level) {}
}

CL_INLINE void set_req(unsigned other, uint32_t level) { *RAW(CL_IPC_OP_CHANNEL_REQ, other, 0) = level; }
CL_INLINE void set_ack(unsigned other, uint32_t level) { *RAW(CL_IPC_OP_CHANNEL_ACK, other, 0) = level; }

CL_APART void polling_wires_send(unsigned me, unsigned other, uint32_t words) {
  MOMENT(polling_wires_begin);
  wait_wire(other, ACK_IN, 0);
  copy(window[me / 2], block[me], words);
  set_req(other, 1);
  wait_wire(other, ACK_IN, 1);
  set_req(other, 0);
}

CL_APART void polling_wires_receive(unsigned me, unsigned other, uint32_t words) {
  wait_wire(other, REQ_IN, 1);
  copy(block[me], window[me / 2], words);
  set_ack(other, 1);
  wait_wire(other, REQ_IN, 0);
  set_ack(other, 0);
  MOMENT_AT_ONCE(polling_wires_end);
}

/* A line of memory to each: no two are in one word of anything. */
static volatile uint32_t req[PAIRS][8], ack[PAIRS][8];

/* The exclusion that the paper asks for: by the memory lock on the variable. */
CL_INLINE uint32_t read_variable(volatile uint32_t *variable) {
  must(shared_memory_lock(variable));
  uint32_t value = *variable;
  must(shared_memory_unlock(variable));
  return value;
}

CL_INLINE void set_variable(volatile uint32_t *variable, uint32_t value) {
  must(shared_memory_lock(variable));
  *variable = value;
  must(shared_memory_unlock(variable));
}

CL_INLINE void wait_variable(volatile uint32_t *variable, uint32_t value) {
  while (read_variable(variable) != value) {}
}

CL_APART void polling_variables_send(unsigned me, unsigned other, uint32_t words) {
  (void)other;
  unsigned pair = me / 2;
  MOMENT(polling_variables_begin);
  wait_variable(ack[pair], 0);
  copy(window[pair], block[me], words);
  set_variable(req[pair], 1);
  wait_variable(ack[pair], 1);
  set_variable(req[pair], 0);
}

CL_APART void polling_variables_receive(unsigned me, unsigned other, uint32_t words) {
  (void)other;
  unsigned pair = me / 2;
  wait_variable(req[pair], 1);
  copy(block[me], window[pair], words);
  set_variable(ack[pair], 1);
  wait_variable(req[pair], 0);
  set_variable(ack[pair], 0);
  MOMENT_AT_ONCE(polling_variables_end);
}

/* --- [IPC] (a') polling 2: a handshake for each word; while one is taken the next is given ------------------ */

CL_APART void polling2_wires_send(unsigned me, unsigned other, uint32_t words) {
  const uint32_t *from = block[me], *end = from + words;
  uint32_t *to = window[me / 2];
  MOMENT(polling2_wires_begin);
  wait_wire(other, ACK_IN, 0);
  copy_word(to, from);
  for (;;) {
    from++, to++;
    set_req(other, 1);
    if (from != end) copy_word(to, from);
    wait_wire(other, ACK_IN, 1);
    set_req(other, 0);
    if (from == end) break;
    wait_wire(other, ACK_IN, 0);
  }
}

CL_APART void polling2_wires_receive(unsigned me, unsigned other, uint32_t words) {
  uint32_t *to = block[me], *end = to + words;
  const uint32_t *from = window[me / 2];
  for (;;) {
    wait_wire(other, REQ_IN, 1);
    copy_word(to++, from++);
    set_ack(other, 1);
    wait_wire(other, REQ_IN, 0);
    if (to == end) break;
    set_ack(other, 0);
  }
  set_ack(other, 0);
  MOMENT_AT_ONCE(polling2_wires_end);
}

CL_APART void polling2_variables_send(unsigned me, unsigned other, uint32_t words) {
  (void)other;
  unsigned pair = me / 2;
  const uint32_t *from = block[me], *end = from + words;
  uint32_t *to = window[pair];
  MOMENT(polling2_variables_begin);
  wait_variable(ack[pair], 0);
  copy_word(to, from);
  for (;;) {
    from++, to++;
    set_variable(req[pair], 1);
    if (from != end) copy_word(to, from);
    wait_variable(ack[pair], 1);
    set_variable(req[pair], 0);
    if (from == end) break;
    wait_variable(ack[pair], 0);
  }
}

CL_APART void polling2_variables_receive(unsigned me, unsigned other, uint32_t words) {
  (void)other;
  unsigned pair = me / 2;
  uint32_t *to = block[me], *end = to + words;
  const uint32_t *from = window[pair];
  for (;;) {
    wait_variable(req[pair], 1);
    copy_word(to++, from++);
    set_variable(ack[pair], 1);
    wait_variable(req[pair], 0);
    if (to == end) break;
    set_variable(ack[pair], 0);
  }
  set_variable(ack[pair], 0);
  MOMENT_AT_ONCE(polling2_variables_end);
}

/* --- [IPC] (b) interrupt ------------------------------------------------------------------------------------ */

static CL_LOCAL_DATA volatile uint32_t acked[CL_CPUS], served[CL_CPUS];
static CL_LOCAL_DATA uint32_t to_serve[CL_CPUS]; /* words */

/* ack stays 1 until the sender has dropped req, so its interrupt is masked here. */
static void isr_ack(unsigned other) {
  must(channel_handler_np(other, CHANNEL_ACK, NULL));
  acked[other ^ 1] = 1;
}

static void isr_req(unsigned other) {
  unsigned me = other ^ 1;
  copy(block[me], window[me / 2], to_serve[me]);
  set_ack(other, 1);
  wait_wire(other, REQ_IN, 0);
  set_ack(other, 0);
  MOMENT_AT_ONCE(interrupt_end);
  served[me] = 1;
}

static void interrupt_prepare(unsigned me, unsigned other) {
  acked[me] = served[me] = 0;
  if (me % 2) must(channel_handler_np(other, CHANNEL_REQ, isr_req));
  else must(channel_handler_np(other, CHANNEL_ACK, isr_ack));
}

CL_APART void interrupt_send(unsigned me, unsigned other, uint32_t words) {
  MOMENT(interrupt_begin);
  wait_wire(other, ACK_IN, 0);
  copy(window[me / 2], block[me], words);
  set_req(other, 1);
  while (!acked[me]) {}
  set_req(other, 0);
}

CL_APART void interrupt_receive(unsigned me, unsigned other, uint32_t words) {
  (void)other, (void)words;
  while (!served[me]) {}
}

/* --- [IPC] (c) semaphore ------------------------------------------------------------------------------------ */

/* With IPC_ITRON by uITRON's semaphores, as in the paper: then all that follows runs in tasks of that kernel. */
#ifdef IPC_ITRON
CL_INLINE int take(unsigned pair) { return wai_sem((ID)pair + 1); }
CL_INLINE int give(unsigned pair) { return sig_sem((ID)pair + 1); }
#else
static sem_t semaphore[PAIRS];
CL_INLINE int take(unsigned pair) { return sem_wait(&semaphore[pair]); }
CL_INLINE int give(unsigned pair) { return sem_post(&semaphore[pair]); }
#endif
static volatile uint32_t send_done[PAIRS][8];

CL_APART void semaphore_send(unsigned me, unsigned other, uint32_t words) {
  (void)other;
  unsigned pair = me / 2;
  MOMENT(semaphore_begin);
  must(take(pair));
  copy(window[pair], block[me], words);
  send_done[pair][0] = 1;
  must(give(pair));
}

CL_APART void semaphore_receive(unsigned me, unsigned other, uint32_t words) {
  (void)other;
  unsigned pair = me / 2;
  for (;;) {
    must(take(pair));
    if (send_done[pair][0]) break;
    must(give(pair));
  }
  copy(block[me], window[pair], words);
  send_done[pair][0] = 0;
  must(give(pair));
  MOMENT(semaphore_end);
}

/* --- Beyond the paper --------------------------------------------------------------------------------------- */

/* Polling, but the core waits in one load until the wire has the level. */
CL_APART void channel_wait_send(unsigned me, unsigned other, uint32_t words) {
  MOMENT(channel_wait_begin);
  must(channel_wait(other, CHANNEL_ACK, 0));
  copy(window[me / 2], block[me], words);
  must(channel_request(other, 1));
  must(channel_wait(other, CHANNEL_ACK, 1));
  must(channel_request(other, 0));
}

CL_APART void channel_wait_receive(unsigned me, unsigned other, uint32_t words) {
  must(channel_wait(other, CHANNEL_REQ, 1));
  copy(block[me], window[me / 2], words);
  must(channel_acknowledge(other, 1));
  must(channel_wait(other, CHANNEL_REQ, 0));
  must(channel_acknowledge(other, 0));
  MOMENT_AT_ONCE(channel_wait_end);
}

CL_APART void mailbox_give(unsigned me, unsigned other, uint32_t words) {
  MOMENT(mailbox_begin);
  must(mailbox_write(other, block[me], words));
}

CL_APART void mailbox_take(unsigned me, unsigned other, uint32_t words) {
  must(mailbox_read(other, block[me], words));
  MOMENT(mailbox_end);
}

/* One bell says that the window is full, another that it is free. */
#define FULL 1u
#define FREE 2u
CL_INLINE void await_bell(uint32_t bell) {
  uint32_t which;
  must(doorbell_take(bell, &which));
}

static void doorbell_prepare(unsigned me, unsigned other) {
  if (me % 2) must(doorbell_ring(1u << other, FREE));
}

CL_APART void doorbell_send(unsigned me, unsigned other, uint32_t words) {
  MOMENT(doorbell_begin);
  await_bell(FREE);
  copy(window[me / 2], block[me], words);
  must(doorbell_ring(1u << other, FULL));
}

CL_APART void doorbell_receive(unsigned me, unsigned other, uint32_t words) {
  (void)other;
  await_bell(FULL);
  copy(block[me], window[me / 2], words);
  MOMENT(doorbell_end);
}

/* As the semaphore protocol, with a mutex of the communication port. */
CL_APART void mutex_send(unsigned me, unsigned other, uint32_t words) {
  (void)other;
  unsigned pair = me / 2;
  MOMENT(mutex_begin);
  must(cpu_mutex_lock(pair));
  copy(window[pair], block[me], words);
  send_done[pair][0] = 1;
  must(cpu_mutex_unlock(pair));
}

CL_APART void mutex_receive(unsigned me, unsigned other, uint32_t words) {
  (void)other;
  unsigned pair = me / 2;
  for (;;) {
    must(cpu_mutex_lock(pair));
    if (send_done[pair][0]) break;
    must(cpu_mutex_unlock(pair));
  }
  copy(block[me], window[pair], words);
  send_done[pair][0] = 0;
  must(cpu_mutex_unlock(pair));
  MOMENT_AT_ONCE(mutex_end);
}

/* Ports of the kernel: one a pair, opened by its receiver before the first round. */
CL_APART void port_words_send(unsigned me, unsigned other, uint32_t words) {
  (void)other;
  MOMENT(port_words_begin);
  for (uint32_t i = 0; i < words; i++) must(port_send((int)me / 2, block[me][i]));
}

CL_APART void port_words_receive(unsigned me, unsigned other, uint32_t words) {
  (void)other;
  for (uint32_t i = 0; i < words; i++) must(port_receive((int)me / 2, &block[me][i]));
  MOMENT(port_words_end);
}

CL_APART void port_block_send(unsigned me, unsigned other, uint32_t words) {
  (void)other;
  MOMENT(port_block_begin);
  must(port_send_block((int)me / 2, block[me], words));
}

CL_APART void port_block_receive(unsigned me, unsigned other, uint32_t words) {
  (void)other;
  size_t count;
  must(port_receive_block((int)me / 2, block[me], words, &count));
  MOMENT(port_block_end);
  if (count != words) exit(4);
}

/* A message filled and read in place: only its address goes through the port. */
CL_APART void message_give(unsigned me, unsigned other, uint32_t words) {
  (void)other;
  struct message *message;
  MOMENT(message_begin);
  must(message_alloc(&message, words));
  copy(message->words, block[me], words);
  must(message_send((int)me / 2, message));
}

CL_APART void message_take(unsigned me, unsigned other, uint32_t words) {
  (void)other;
  struct message *message;
  must(message_receive((int)me / 2, &message));
  copy(block[me], message->words, words);
  must(message_free(message));
  MOMENT(message_end);
}

/* Every sender has a block of `words`; the receiver goes to one that has a word and takes up to 32 of it. */
CL_APART void many_to_one_send(unsigned me, unsigned other, uint32_t words) {
  MOMENT(many_to_one_begin);
  must(mailbox_write(other, block[me], words));
}

CL_APART void many_to_one_receive(unsigned me, unsigned other, uint32_t words) {
  (void)me, (void)other;
  uint32_t taken[CL_CPUS] = {0};
  uint32_t piece = words < 32 ? words : 32;
  for (uint32_t left = (CL_CPUS - 1) * words; left; left -= piece) {
    unsigned from;
    must(mailbox_wait_any(&from));
    must(mailbox_read(from, &inbox[from][taken[from]], piece));
    taken[from] += piece;
  }
  MOMENT(many_to_one_end);
}

CL_APART void one_to_many_send(unsigned me, unsigned other, uint32_t words) {
  (void)other;
  uint32_t all = ((1u << CL_CPUS) - 1) & ~(1u << me);
  MOMENT(one_to_many_begin);
  for (uint32_t i = 0; i < words; i++) must(mailbox_send_all(all, block[me][i]));
}

CL_APART void one_to_many_receive(unsigned me, unsigned other, uint32_t words) {
  must(mailbox_read(other, block[me], words));
  MOMENT(one_to_many_end);
}

/* --- The rounds --------------------------------------------------------------------------------------------- */

#define PAIR(name, prepare) {#name, PAIRWISE, prepare, name##_send, name##_receive}
static const struct mechanism mechanisms[] = {
    PAIR(polling_wires, NULL),
    PAIR(polling_variables, NULL),
    PAIR(polling2_wires, NULL),
    PAIR(polling2_variables, NULL),
    PAIR(interrupt, interrupt_prepare),
    PAIR(semaphore, NULL),
    PAIR(channel_wait, NULL),
    PAIR(doorbell, doorbell_prepare),
    PAIR(mutex, NULL),
    PAIR(port_words, NULL),
    PAIR(port_block, NULL),
    {"mailbox", PAIRWISE, NULL, mailbox_give, mailbox_take},
    {"message", PAIRWISE, NULL, message_give, message_take},
    {"many_to_one", MANY_TO_ONE, NULL, many_to_one_send, many_to_one_receive},
    {"one_to_many", ONE_TO_MANY, NULL, one_to_many_send, one_to_many_receive},
};

static const struct mechanism *find(const char *name) {
  for (unsigned i = 0; i < sizeof mechanisms / sizeof *mechanisms; i++)
    if (!strcmp(mechanisms[i].name, name)) return &mechanisms[i];
  exit(5);
}

struct size {
  uint32_t words, rounds;
};

struct input {
  char mechanism[32];
  uint32_t sizes;
  struct size size[];
};

static volatile uint32_t wrong[CL_CPUS];
static volatile int over; /* of the rounds */

/* The other thread: looks seldom whether it is over, to leave the bus alone. */
__attribute__((unused)) static void *compute(void *argument) {
  while (!over)
    for (uint32_t i = 0; i < 100; i++) __asm__ volatile("");
  return argument;
}

CL_INLINE uint32_t word_of(unsigned sender, uint32_t round, uint32_t i) {
  return ((sender << 28 | round << 16) + i) * 2654435761u;
}

static void *body(void *argument) {
  unsigned me = (unsigned)(uintptr_t)argument;
  const struct input *input = cl_input(NULL);
  const struct mechanism *mechanism = find(input->mechanism);
  struct {
    uint32_t before, after;
  } *counts = (void *)((uint32_t *)cl_output(NULL) + 1);
  int sends = mechanism->shape == PAIRWISE ? !(me % 2) : mechanism->shape == MANY_TO_ONE ? me != 0 : me == 0;
  unsigned other = mechanism->shape == PAIRWISE ? me ^ 1 : me == 0;
  if (mechanism->shape == PAIRWISE && !sends) must(port_open((int)me / 2, PORT_DIRECT));
  if (mechanism->shape != PAIRWISE && me) other = 0;
  unsigned lane = mechanism->shape == PAIRWISE ? me / 2 : 0;
  uint32_t round = 1;
  for (const struct size *size = input->size; size != input->size + input->sizes; size++) {
    for (uint32_t n = 0; n < size->rounds; n++, round++) {
      uint32_t words = size->words;
      meet(me, 2 * round); /* nobody looks at the round before any more */
      for (uint32_t i = 0; i < words; i++) {
        block[me][i] = sends ? word_of(me, round, i) : 0;
        for (unsigned from = 0; mechanism->shape == MANY_TO_ONE && !sends && from < CL_CPUS; from++) inbox[from][i] = 0;
      }
      to_serve[me] = words;
      if (mechanism->prepare) mechanism->prepare(me, other);
      uint32_t at = meet(me, 2 * round + 1);
      if (sends) {
        wait_until(at + 300 + n * (IPC_BUSY ? IPC_BUSY : 1));
        uint32_t before = bus_count();
        mechanism->send(me, other, words);
        if (mechanism->shape != MANY_TO_ONE || me == 1) counts[(round - 1) * PAIRS + lane].before = before;
      } else {
        wait_until(at);
        mechanism->receive(me, other, words);
        uint32_t after = bus_count();
        if (mechanism->shape != ONE_TO_MANY || me == 1) counts[(round - 1) * PAIRS + lane].after = after;
        for (unsigned from = 0; from < CL_CPUS; from++) {
          if (mechanism->shape == MANY_TO_ONE ? from == me : from != other) continue;
          const uint32_t *got = mechanism->shape == MANY_TO_ONE ? inbox[from] : block[me];
          for (uint32_t i = 0; i < words; i++) wrong[me] += got[i] != word_of(from, round, i);
        }
      }
    }
  }
  meet(me, 2 * round + 1);
  over = 1;
  if (me == 0) {
    uint32_t all = 0;
    for (unsigned cpu = 0; cpu < CL_CPUS; cpu++) all += wrong[cpu];
    *(uint32_t *)cl_output(NULL) = all;
    cl_output_set_length(4 + (round - 1) * PAIRS * sizeof *counts);
  }
  return NULL;
}

#ifdef IPC_ITRON
static void task(VP_INT me) {
  body((void *)me);
  if (!me) ext_ker();
}

int main(void) {
  for (ID pair = 1; pair <= PAIRS; pair++) must(cre_sem(pair, &(T_CSEM){TA_TFIFO, 1, 1}));
  for (ID cpu = 1; cpu <= CL_CPUS; cpu++) {
    must(cre_tsk(cpu, &(T_CTSK){TA_HLNG, cpu - 1, task, 8, 4096, NULL}));
    must(mact_tsk(cpu, cpu));
  }
  sta_ker();
}
#else
int main(void) {
  for (unsigned pair = 0; pair < PAIRS; pair++) must(sem_init(&semaphore[pair], 0, 1));
  pthread_t others[PAIRS];
  for (unsigned pair = 0; IPC_BUSY && pair < PAIRS; pair++) create_on(&others[pair], 2 * pair + 1, compute);
  on_every_cpu(body);
  for (unsigned pair = 0; IPC_BUSY && pair < PAIRS; pair++) must(pthread_join(others[pair], NULL));
  return 0;
}
#endif
