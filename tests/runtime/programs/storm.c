/* SPDX-License-Identifier: Apache-2.0
 *
 * Everything at once, at random by SEED: bells and wires interrupt every CPU and their handlers wake threads, while
 * threads without a place lock, count, send words, messages and blocks with all kinds of waits, and a thread on each
 * CPU exchanges blocks with all others. Every word and every count is checked. What is done depends on SEED and the
 * number of CPUs alone, so the total is the same on every core, kernel and memory. */
#include "sides.h"

#ifndef SEED
#define SEED 1
#endif
#ifndef ROUNDS
#define ROUNDS 8 /* of each thread */
#endif

#define CPUS CL_CPUS /* 2 or 4 */
#define WORKERS 8
#define CONSUMERS 2
#define LONGEST 600 /* words of a block through a port */
#define MOST 200    /* through a mailbox */
#define LOCKS 3
#define PRIORITY_MOVE 8 /* their CPU waits in mailboxes: below all others that must get on */
#define PRIORITY_WORK 10
#define PRIORITY_REQUEST 20
#define PRIORITY_ANSWER 21 /* other CPUs wait for it */

enum { WORDS, MESSAGES = WORDS + CONSUMERS, BLOCKS, PORTS };
#define END 0xffffu

static volatile uint32_t opened; /* ports */
static uint32_t total[64];       /* of each thread */

/* --- Chance ------------------------------------------------------------------------------------------------------ */

static uint32_t mix(uint32_t a) {
  a = (a ^ a >> 16) * 0x7feb352d;
  a = (a ^ a >> 15) * 0x846ca68b;
  return a ^ a >> 16;
}

/* A sequence for each thread. */
static uint32_t seed_of(uint32_t who) { return mix(SEED * 64 + who) | 1; }

static uint32_t next(uint32_t *random) {
  *random = *random * 1664525 + 1013904223;
  return mix(*random);
}

static uint32_t below(uint32_t *random, uint32_t limit) { return next(random) % limit; }

/* Of one word by many. */
static uint32_t add(volatile uint32_t *word, uint32_t number) {
  EQUAL(shared_memory_lock(word), 0);
  uint32_t sum = *word += number;
  EQUAL(shared_memory_unlock(word), 0);
  return sum;
}

/* Lets everybody else run. */
static sem_t never;
static void rest(void) {
  EQUAL(sem_timedwait_np(&never, 100), -1);
  EQUAL(errno, ETIMEDOUT);
}

/* Half of the waits have a limit; then the plain wait follows, as threads that try again and again leave no time to
 * those that they wait for. */
#define SOMEHOW(timed, plain, random)                                 \
  do {                                                                \
    int status_ = below(random, 2) ? (timed) : ETIMEDOUT;             \
    if (status_ == ETIMEDOUT || status_ == EAGAIN) status_ = (plain); \
    EQUAL(status_, 0);                                                \
  } while (0)

static void wait_somehow(sem_t *sem, uint32_t limit, uint32_t *random) {
  SOMEHOW(sem_timedwait_np(sem, below(random, limit)) ? errno : 0, sem_wait(sem), random);
}

/* --- Bells: 0..3 of the movers, 4..7 of workers; a bell is rung again when all handlers have had it ----------------- */

static sem_t bell_sem[DOORBELLS];
static volatile uint32_t heard[CPUS][DOORBELLS];
static uint32_t rung[CPUS][DOORBELLS];

static void on_bells(uint32_t bells) {
  unsigned self = cl_cpu_id();
  for (unsigned bell = 0; bell < DOORBELLS; bell++) {
    if (!(bells >> bell & 1)) continue;
    EQUAL(sem_post_handler_np(&bell_sem[bell]), 0);
    heard[self][bell]++;
  }
}

static void on_mover_bells(uint32_t bells) {
  CHECK(bells && !(bells & 0xf0));
  on_bells(bells);
}

static void on_worker_bells(uint32_t bells) {
  CHECK(bells && !(bells & 0x0f));
  on_bells(bells);
}

static uint32_t ring(unsigned bell, uint32_t *random) {
  uint32_t set = 1 + below(random, CL_IPC_ALL), count = 0;
  for (unsigned cpu = 0; cpu < CPUS; cpu++) {
    if (!(set >> cpu & 1)) continue;
    while (heard[cpu][bell] != rung[cpu][bell]) continue;
    rung[cpu][bell]++;
    count++;
  }
  EQUAL(doorbell_ring(set, 1u << bell), 0);
  return count;
}

static volatile uint32_t posts[DOORBELLS], posts_known[DOORBELLS];

/* Waits for each ring of its bell, and once more at the end. */
static void *listen(void *argument) {
  uint32_t bell = (uint32_t)(uintptr_t)argument, count = 0, random = seed_of(32 + bell);
  while (!posts_known[bell] || count <= posts[bell]) {
    wait_somehow(&bell_sem[bell], 4000, &random);
    count++;
  }
  EQUAL(sem_trywait(&bell_sem[bell]), -1);
  total[32 + bell] = count;
  return NULL;
}

/* Its rings are over. */
static void end_bell(unsigned bell, uint32_t count) {
  for (unsigned cpu = 0; cpu < CPUS; cpu++)
    while (heard[cpu][bell] != rung[cpu][bell]) continue;
  posts[bell] = count;
  posts_known[bell] = 1;
  EQUAL(sem_post(&bell_sem[bell]), 0);
}

/* --- Wires: request and acknowledge, both by handlers; a thread each brings the wires back --------------------------- */

static sem_t acknowledged[CPUS], requested[CPUS];
static volatile uint32_t asks[CPUS][CPUS];

static void on_request(unsigned cpu) {
  unsigned self = cl_cpu_id();
  asks[self][cpu]++;
  EQUAL(channel_acknowledge(cpu, 1), 0);
  EQUAL(channel_handler_np(cpu, CHANNEL_REQ, NULL), 0);
  EQUAL(sem_post_handler_np(&requested[self]), 0);
}

static void on_acknowledge(unsigned cpu) {
  EQUAL(channel_request(cpu, 0), 0);
  EQUAL(channel_handler_np(cpu, CHANNEL_ACK, NULL), 0);
  EQUAL(sem_post_handler_np(&acknowledged[cl_cpu_id()]), 0);
}

static void *answer(void *argument) {
  unsigned self = (unsigned)(uintptr_t)argument;
  uint32_t answered[CPUS] = {0}, sum = 0;
  for (unsigned cpu = 0; cpu < CPUS; cpu++)
    if (cpu != self) EQUAL(channel_handler_np(cpu, CHANNEL_REQ, on_request), 0);
  EQUAL(doorbell_handler_np(0x0f, on_mover_bells), 0);
  EQUAL(doorbell_handler_np(0xf0, on_worker_bells), 0);
  add(&opened, 1);
  for (;;) {
    EQUAL(sem_wait(&requested[self]), 0);
    unsigned cpu = 0;
    while (cpu < CPUS && asks[self][cpu] == answered[cpu]) cpu++;
    if (cpu == CPUS) break; /* it was the end */
    EQUAL(asks[self][cpu], ++answered[cpu]);
    EQUAL(channel_wait(cpu, CHANNEL_REQ, 0), 0);
    EQUAL(channel_handler_np(cpu, CHANNEL_REQ, on_request), 0);
    EQUAL(channel_acknowledge(cpu, 0), 0);
    sum += mix(cpu);
  }
  total[40 + self] = sum;
  return NULL;
}

static void *request(void *argument) {
  unsigned self = (unsigned)(uintptr_t)argument;
  uint32_t random = seed_of(48 + self);
  for (int i = 0; i < 2 * ROUNDS; i++) {
    unsigned cpu = (self + 1 + below(&random, CPUS - 1)) % CPUS;
    uint32_t pause = 200 + below(&random, 3000);
    EQUAL(sem_timedwait_np(&acknowledged[self], pause), -1); /* as nothing was requested */
    EQUAL(errno, ETIMEDOUT);
    EQUAL(channel_handler_np(cpu, CHANNEL_ACK, on_acknowledge), 0);
    EQUAL(channel_request(cpu, 1), 0);
    EQUAL(sem_wait(&acknowledged[self]), 0);
    EQUAL(channel_wait(cpu, CHANNEL_ACK, 0), 0);
    EQUAL(channel_trywait(cpu, CHANNEL_ACK, 1), EAGAIN);
  }
  return NULL;
}

/* --- Mailboxes: each CPU with each other one, blocks of all lengths in all forms ------------------------------------- */

static uint32_t out[CPUS][MOST], in[CPUS][MOST];
static volatile uint32_t guarded;

static void write_somehow(unsigned cpu, const uint32_t *words, size_t count, uint32_t *random) {
  size_t done = 0, more;
  int status;
  switch (below(random, 5)) {
    case 0: EQUAL(mailbox_write(cpu, words, count), 0); break;
    case 1:
      for (; done < count; done++) EQUAL(mailbox_send(cpu, words[done]), 0);
      break;
    case 2:
      while (done < count) {
        status = mailbox_timedsend(cpu, words[done], 1 + (done * 13 & 255));
        CHECK(status == 0 || status == ETIMEDOUT);
        done += !status;
      }
      break;
    case 3:
      do {
        status = mailbox_timedwrite(cpu, words + done, count - done, &more, 100 + (done & 1023));
        CHECK(status == (more == count - done ? 0 : ETIMEDOUT));
        done += more;
      } while (status);
      break;
    default:
      do {
        status = mailbox_trywrite(cpu, words + done, count - done, &more);
        CHECK(status == (more == count - done ? 0 : EAGAIN));
        done += more;
      } while (status);
  }
}

static void read_somehow(unsigned cpu, uint32_t *words, size_t count, uint32_t *random) {
  size_t done = 0, more;
  int status;
  switch (below(random, 5)) {
    case 0: EQUAL(mailbox_read(cpu, words, count), 0); break;
    case 1:
      for (; done < count; done++) EQUAL(mailbox_receive(cpu, &words[done]), 0);
      break;
    case 2:
      while (done < count) {
        status = mailbox_timedreceive(cpu, &words[done], 1 + (done * 13 & 255));
        CHECK(status == 0 || status == ETIMEDOUT);
        done += !status;
      }
      break;
    case 3:
      do {
        status = mailbox_timedread(cpu, words + done, count - done, &more, 100 + (done & 1023));
        CHECK(status == (more == count - done ? 0 : ETIMEDOUT));
        done += more;
      } while (status);
      break;
    default:
      do {
        status = mailbox_tryread(cpu, words + done, count - done, &more);
        CHECK(status == (more == count - done ? 0 : EAGAIN));
        done += more;
      } while (status);
  }
}

/* Both ends know what is sent; some words look like the sentinel. */
static uint32_t block(unsigned from, unsigned to, uint32_t round, uint32_t *words) {
  uint32_t key = mix(SEED << 16 ^ round << 8 ^ from << 4 ^ to), count = key % (MOST + 1);
  for (uint32_t i = 0; i < count; i++) {
    uint32_t word = mix(key + i);
    words[i] = word % 9 ? word : CL_IPC_SENTINEL;
  }
  return count;
}

static void *exchange(void *argument) {
  unsigned self = (unsigned)(uintptr_t)argument;
  uint32_t random = seed_of(56 + self), sum = 0, rings = 0, word;
  int status;
  static uint32_t expected[CPUS][MOST];
  for (uint32_t round = 0; round < ROUNDS; round++) {
    for (unsigned other = 1; other < CPUS; other++) {
      unsigned cpu = self ^ other;
      uint32_t to = block(self, cpu, round, out[self]), from = block(cpu, self, round, expected[self]);
      if (self < cpu) write_somehow(cpu, out[self], to, &random);
      read_somehow(cpu, in[self], from, &random);
      if (self > cpu) write_somehow(cpu, out[self], to, &random);
      for (uint32_t i = 0; i < from; i++) {
        if (in[self][i] != expected[self][i]) EQUAL(in[self][i], expected[self][i]);
        sum += in[self][i] ^ i;
      }
      rings += ring(self, &random);
    }
    EQUAL(mailbox_send_all(CL_IPC_ALL & ~(1u << self), round << 8 | self), 0);
    for (unsigned other = 1; other < CPUS; other++) {
      EQUAL(mailbox_receive(self ^ other, &word), 0);
      EQUAL(word, round << 8 | (self ^ other));
    }
    for (unsigned i = below(&random, 8); i; i--) {
      if (below(&random, 2)) EQUAL(cpu_mutex_lock(5), 0);
      else
        while ((status = cpu_mutex_timedlock(5, 30))) EQUAL(status, ETIMEDOUT);
      uint32_t before = guarded;
      waste(below(&random, 100));
      guarded = before + 1;
      EQUAL(cpu_mutex_unlock(5), 0);
      sum += 77;
    }
    EQUAL(cpu_barrier_wait(2), 0);
  }
  end_bell(self, rings);
  EQUAL(doorbell_overrun(&word), 0);
  EQUAL(word, 0);
  total[56 + self] = sum;
  return NULL;
}

/* --- Threads without a place ------------------------------------------------------------------------------------- */

static pthread_mutex_t locks[LOCKS];
static sem_t tokens;
static volatile uint32_t counters[LOCKS], inside;
static uint32_t blocks[WORKERS][LONGEST], arrived[LONGEST];

static uint32_t content(uint32_t sender, uint32_t number, uint32_t i) { return mix(sender << 24 ^ number << 12 ^ i); }

static void lock_somehow(pthread_mutex_t *lock, uint32_t *random) {
  SOMEHOW(pthread_mutex_timedlock_np(lock, below(random, 600)), pthread_mutex_lock(lock), random);
}

static void send_word(int port, uint32_t word, uint32_t *random) {
  if (below(random, 2)) SOMEHOW(port_timedsend(port, word, below(random, 800)), port_send(port, word), random);
  else SOMEHOW(port_trysend(port, word), port_send(port, word), random);
}

static void send_message(uint32_t self, uint32_t number, uint32_t *random) {
  struct message *message;
  uint32_t count = 1 + below(random, 40);
  SOMEHOW(message_timedalloc(&message, count, below(random, 1000)), message_alloc(&message, count), random);
  message->words[0] = self << 16 | number;
  for (uint32_t i = 1; i < count; i++) message->words[i] = content(self, number, i);
  SOMEHOW(message_timedsend(MESSAGES, message, below(random, 1000)), message_send(MESSAGES, message), random);
}

static void send_a_block(uint32_t self, uint32_t number, uint32_t *random) {
  uint32_t count = 1 + below(random, LONGEST);
  blocks[self][0] = self << 16 | number;
  for (uint32_t i = 1; i < count; i++) blocks[self][i] = content(self, number, i);
  SOMEHOW(port_timedsend_block(BLOCKS, blocks[self], count, below(random, 4000)),
          port_send_block(BLOCKS, blocks[self], count), random);
}

static void *work(void *argument) {
  uint32_t self = (uint32_t)(uintptr_t)argument, random = seed_of(self), sum = 0, rings = 0, before;
  uint32_t words[CONSUMERS] = {0}, messages = 0, numbers = 0;
  for (int i = 0; i < 6 * ROUNDS; i++) {
    uint32_t which;
    switch (below(&random, 8)) {
      case 0:
        which = below(&random, LOCKS);
        lock_somehow(&locks[which], &random);
        before = counters[which];
        waste(below(&random, 200));
        counters[which] = before + 1;
        EQUAL(pthread_mutex_unlock(&locks[which]), 0);
        sum += which + 1;
        break;
      case 1:
        wait_somehow(&tokens, 500, &random);
        CHECK(add(&inside, 1) <= 2);
        waste(below(&random, 200));
        add(&inside, -1u);
        EQUAL(sem_post(&tokens), 0);
        break;
      case 2:
      case 3:
        which = below(&random, CONSUMERS);
        send_word((int)(WORDS + which), self << 16 | words[which]++, &random);
        break;
      case 4: send_message(self, messages++, &random); break;
      case 5: send_a_block(self, numbers++, &random); break;
      case 6:
        if (self < 4) rings += ring(4 + self, &random);
        break;
      default: EQUAL(pthread_setschedprio(pthread_self(), (int)(PRIORITY_WORK + below(&random, 8))), 0);
    }
  }
  for (unsigned i = 0; i < CONSUMERS; i++) EQUAL(port_send((int)(WORDS + i), self << 16 | END), 0);
  send_message(self, END, &random);
  send_a_block(self, END, &random);
  if (self < 4) end_bell(4 + self, rings);
  total[self] = sum + words[0] * 3 + words[1] * 5 + messages * 7 + numbers * 11;
  return NULL;
}

/* The next of its sender? 1: the end of one. */
static int in_order(uint32_t word, uint32_t expected[WORKERS]) {
  uint32_t sender = word >> 16;
  CHECK(sender < WORKERS);
  if (sender >= WORKERS) return 0;
  if ((word & 0xffff) == END) return 1;
  EQUAL(word & 0xffff, expected[sender]);
  expected[sender]++;
  return 0;
}

static void *consume_words(void *argument) {
  uint32_t self = (uint32_t)(uintptr_t)argument, random = seed_of(16 + self), expected[WORKERS] = {0}, word;
  int port = (int)(WORDS + self), ends = 0;
  EQUAL(port_open(port, PORT_DIRECT), 0);
  add(&opened, 1);
  while (ends < WORKERS) {
    SOMEHOW(port_timedreceive(port, &word, below(&random, 2000)), port_receive(port, &word), &random);
    ends += in_order(word, expected);
  }
  EQUAL(port_tryreceive(port, &word), EAGAIN);
  for (unsigned i = 0; i < WORKERS; i++) total[16 + self] += expected[i] * (i + 1);
  return NULL;
}

static void *consume_messages(void *unused) {
  (void)unused;
  uint32_t random = seed_of(24), expected[WORKERS] = {0}, sum = 0;
  struct message *message;
  int ends = 0;
  EQUAL(port_open(MESSAGES, PORT_DIRECT), 0);
  add(&opened, 1);
  while (ends < WORKERS) {
    SOMEHOW(message_timedreceive(MESSAGES, &message, below(&random, 3000)), message_receive(MESSAGES, &message),
            &random);
    uint32_t first = message->words[0];
    ends += in_order(first, expected);
    for (uint32_t i = 1; i < message->count; i++)
      if (message->words[i] != content(first >> 16, first & 0xffff, i)) EQUAL(message->words[i], first);
    sum += mix(first ^ message->count);
    EQUAL(message_free(message), 0);
  }
  total[24] = sum;
  return NULL;
}

static void *consume_blocks(void *unused) {
  (void)unused;
  uint32_t random = seed_of(25), expected[WORKERS] = {0}, sum = 0;
  size_t count;
  int ends = 0;
  EQUAL(port_open(BLOCKS, PORT_DIRECT), 0);
  add(&opened, 1);
  while (ends < WORKERS) {
    SOMEHOW(port_timedreceive_block(BLOCKS, arrived, LONGEST, &count, below(&random, 3000)),
            port_receive_block(BLOCKS, arrived, LONGEST, &count), &random);
    ends += in_order(arrived[0], expected);
    for (uint32_t i = 1; i < count; i++)
      if (arrived[i] != content(arrived[0] >> 16, arrived[0] & 0xffff, i)) EQUAL(arrived[i], arrived[0]);
    sum += mix(arrived[0] ^ count);
  }
  total[25] = sum;
  return NULL;
}

/* --- All of them --------------------------------------------------------------------------------------------------- */

static pthread_t make(int priority, int cpu, void *(*start)(void *), unsigned argument) {
  pthread_t thread = ~0u;
  pthread_attr_t attr;
  EQUAL(pthread_create(&thread, attributes(&attr, priority, cpu), start, (void *)(uintptr_t)argument), 0);
  return thread;
}

int main(void) {
  pthread_t answers[CPUS], others[64];
  unsigned count = 0;
  struct message *message;
  for (unsigned i = 0; i < DOORBELLS; i++) EQUAL(sem_init(&bell_sem[i], 0, 0), 0);
  for (unsigned i = 0; i < CPUS; i++) {
    EQUAL(sem_init(&acknowledged[i], 0, 0), 0);
    EQUAL(sem_init(&requested[i], 0, 0), 0);
  }
  EQUAL(sem_init(&never, 0, 0), 0);
  EQUAL(sem_init(&tokens, 0, 2), 0);
  for (unsigned i = 0; i < LOCKS; i++) EQUAL(pthread_mutex_init(&locks[i], NULL), 0);
  EQUAL(cpu_barrier_init(2, CL_IPC_ALL), 0);

  for (unsigned i = 0; i < CPUS; i++) answers[i] = make(PRIORITY_ANSWER, (int)i, answer, i);
  for (unsigned i = 0; i < CONSUMERS; i++) others[count++] = make(PRIORITY_WORK + 2 + (int)i, -1, consume_words, i);
  others[count++] = make(PRIORITY_WORK + 1, -1, consume_messages, 0);
  others[count++] = make(PRIORITY_WORK + 3, -1, consume_blocks, 0);
  while (opened != CPUS + CONSUMERS + 2) rest();
  for (unsigned i = 0; i < DOORBELLS; i++)
    if (i < CPUS || i >= 4) others[count++] = make(PRIORITY_WORK + (int)i, -1, listen, i);
  for (unsigned i = 0; i < CPUS; i++) {
    others[count++] = make(PRIORITY_REQUEST, (int)i, request, i);
    others[count++] = make(PRIORITY_MOVE, (int)i, exchange, i);
  }
  for (unsigned i = 0; i < WORKERS; i++) others[count++] = make(PRIORITY_WORK + (int)i, -1, work, i);

  for (unsigned i = 0; i < count; i++) EQUAL(pthread_join(others[i], NULL), 0);
  for (unsigned i = 0; i < CPUS; i++) EQUAL(sem_post(&requested[i]), 0);
  for (unsigned i = 0; i < CPUS; i++) EQUAL(pthread_join(answers[i], NULL), 0);

  uint32_t sum = guarded;
  for (unsigned i = 0; i < LOCKS; i++) sum = mix(sum + counters[i]);
  for (unsigned i = 0; i < 64; i++) sum = mix(sum + total[i]);
  for (unsigned to = 0; to < CPUS; to++) {
    uint32_t word;
    for (unsigned i = 0; i < DOORBELLS; i++) EQUAL(heard[to][i], rung[to][i]);
    for (unsigned from = 0; from < CPUS; from++) sum = mix(sum + asks[to][from]);
    if (to != cl_cpu_id()) EQUAL(mailbox_tryreceive(to, &word), EAGAIN);
  }
  for (int i = 0; i < CL_MESSAGES; i++) EQUAL(message_tryalloc(&message, 1), 0); /* all are back */
  printf("total %08lx\n", (unsigned long)sum);
  return finish();
}
