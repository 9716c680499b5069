/* SPDX-License-Identifier: Apache-2.0
 *
 * Processors that begin anew at random moments while the others send, receive, lock and meet, with limits: nobody
 * hangs, words of before and after a reset never mix, each is there once and in order, an orphaned mutex says so once,
 * to its next owner. After each storm everything works again. First one processor at a time, then all at once. */
#include "sides.h"

#ifndef SEED
#define SEED 1
#endif
#ifndef STEPS
#define STEPS 150 /* of the processor that begins anew, in each storm */
#endif

#define CPUS CL_CPUS
#define STORMS (CPUS + 1)
#define MUTEXES 3
#define MOST 40 /* words of a block */
#define WORD(from, epoch, number) ((uint32_t)(from) << 28 | ((epoch) & 0xfff) << 16 | ((number) & 0xffff))

static volatile uint32_t here[CPUS];       /* meetings by memory, as the barriers are broken */
static volatile uint32_t over[CPUS];       /* has done its steps of this storm */
static volatile uint32_t inside[MUTEXES];  /* who holds it + 1; stays so if that is reset */
static volatile uint32_t orphans[MUTEXES][CPUS], claimed[MUTEXES][CPUS], met[CPUS], works;
static uint32_t resets[CPUS], heard_of[CPUS], moved[CPUS];

static uint32_t mix(uint32_t a) {
  a = (a ^ a >> 16) * 0x7feb352d;
  a = (a ^ a >> 15) * 0x846ca68b;
  return a ^ a >> 16;
}

/* A processor's own knowledge. */
struct side {
  unsigned self;
  uint32_t random;
  uint32_t epoch[CPUS], sent[CPUS];                  /* resets of the sending end, words since program start */
  uint32_t epoch_seen[CPUS], next[CPUS], anew[CPUS]; /* 1: something may be lost; 2: the other has begun anew */
  uint32_t held;                                     /* mutexes */
};

static uint32_t below(struct side *side, uint32_t limit) {
  side->random = side->random * 1664525 + 1013904223;
  return mix(side->random) % limit;
}

static unsigned another(struct side *side) { return (side->self + 1 + below(side, CPUS - 1)) % CPUS; }

static void gather(unsigned self) {
  uint32_t now = ++here[self];
  for (unsigned cpu = 0; cpu < CPUS; cpu++)
    while ((int32_t)(here[cpu] - now) < 0) continue;
}

/* --- Words ------------------------------------------------------------------------------------------------------ */

static void sending_has_failed(struct side *side, unsigned cpu) {
  heard_of[side->self]++;
  EQUAL(mailbox_trysend(cpu, 0), ECONNRESET); /* until it is acknowledged */
  EQUAL(mailbox_acknowledge(cpu, MAILBOX_SENDING), 0);
}

static void send(struct side *side, unsigned cpu) {
  uint32_t words[MOST];
  size_t done = 0, count = 1;
  int status;
  for (uint32_t i = 0; i < MOST; i++) words[i] = WORD(side->self, side->epoch[cpu], side->sent[cpu] + i);
  switch (below(side, 4)) {
    case 0:
      status = mailbox_trysend(cpu, words[0]);
      done = !status;
      CHECK(status == 0 || status == EAGAIN || status == ECONNRESET);
      break;
    case 1:
      status = mailbox_timedsend(cpu, words[0], below(side, 500));
      done = !status;
      CHECK(status == 0 || status == ETIMEDOUT || status == ECONNRESET);
      break;
    case 2:
      count = 1 + below(side, MOST);
      status = mailbox_trywrite(cpu, words, count, &done);
      CHECK(status == 0 || status == EAGAIN || status == ECONNRESET);
      break;
    default:
      count = 1 + below(side, MOST);
      status = mailbox_timedwrite(cpu, words, count, &done, below(side, 1500));
      CHECK(status == 0 || status == ETIMEDOUT || status == ECONNRESET);
  }
  CHECK(done <= count);
  if (!status) EQUAL(done, count);
  side->sent[cpu] += done;
  moved[side->self] += done;
  if (status == ECONNRESET) sending_has_failed(side, cpu);
}

static void check_word(struct side *side, unsigned cpu, uint32_t word) {
  uint32_t epoch = word >> 16 & 0xfff, number = word & 0xffff;
  EQUAL(word >> 28, cpu);
  if (!side->anew[cpu]) {
    EQUAL(epoch, side->epoch_seen[cpu]);
    EQUAL(number, side->next[cpu]);
  } else {
    CHECK(epoch >= side->epoch_seen[cpu] + (side->anew[cpu] == 2));
    CHECK(number >= side->next[cpu]);
  }
  side->anew[cpu] = 0;
  side->epoch_seen[cpu] = epoch;
  side->next[cpu] = number + 1;
}

static void receiving_has_failed(struct side *side, unsigned cpu) {
  uint32_t word;
  heard_of[side->self]++;
  EQUAL(mailbox_tryreceive(cpu, &word), ECONNRESET);
  EQUAL(mailbox_acknowledge(cpu, MAILBOX_RECEIVING), 0);
  if (!side->anew[cpu]) side->anew[cpu] = 2;
}

static void receive(struct side *side, unsigned cpu) {
  uint32_t words[MOST];
  size_t done = 0, count = 1;
  int status;
  switch (below(side, 4)) {
    case 0:
      status = mailbox_tryreceive(cpu, words);
      done = !status;
      CHECK(status == 0 || status == EAGAIN || status == ECONNRESET);
      break;
    case 1:
      status = mailbox_timedreceive(cpu, words, below(side, 500));
      done = !status;
      CHECK(status == 0 || status == ETIMEDOUT || status == ECONNRESET);
      break;
    case 2:
      count = 1 + below(side, MOST);
      status = mailbox_tryread(cpu, words, count, &done);
      CHECK(status == 0 || status == EAGAIN || status == ECONNRESET);
      break;
    default:
      count = 1 + below(side, MOST);
      status = mailbox_timedread(cpu, words, count, &done, below(side, 1500));
      CHECK(status == 0 || status == ETIMEDOUT || status == ECONNRESET);
  }
  CHECK(done <= count);
  if (!status) EQUAL(done, count);
  for (size_t i = 0; i < done; i++) check_word(side, cpu, words[i]);
  if (status == ECONNRESET) receiving_has_failed(side, cpu);
}

static void reset_mailbox(struct side *side, unsigned cpu, unsigned ends) {
  if (ends & MAILBOX_SENDING) side->epoch[cpu]++;
  if (ends & MAILBOX_RECEIVING) side->anew[cpu] = 1;
}

/* --- Mutexes, barriers, wires, bells --------------------------------------------------------------------------------- */

static void lock(struct side *side, unsigned mutex) {
  int status = cpu_mutex_timedlock(mutex, below(side, 800));
  if (side->held >> mutex & 1) {
    EQUAL(status, EDEADLK);
    return;
  }
  CHECK(status == 0 || status == ETIMEDOUT || status == EOWNERDEAD);
  if (status == ETIMEDOUT) return;
  uint32_t before = inside[mutex];
  if (status == 0) EQUAL(before, 0);
  if (status == EOWNERDEAD) {
    CHECK(before > 0);
    claimed[mutex][side->self]++;
  }
  inside[mutex] = side->self + 1;
  side->held |= 1u << mutex;
}

static void unlock(struct side *side, unsigned mutex) {
  if (side->held >> mutex & 1) {
    EQUAL(inside[mutex], side->self + 1);
    inside[mutex] = 0;
    EQUAL(cpu_mutex_unlock(mutex), 0);
  } else {
    EQUAL(cpu_mutex_unlock(mutex), EPERM);
  }
  side->held &= ~(1u << mutex);
}

static void meet_within(struct side *side, int may_break) {
  int status = cpu_barrier_timedwait(0, below(side, 3000));
  CHECK(status == 0 || status == ETIMEDOUT || (status == ECONNRESET && may_break));
  if (!status) met[side->self]++;
}

static volatile uint32_t heard[CPUS];
static void on_bell(uint32_t bells) {
  EQUAL(bells, 0x80);
  heard[cl_cpu_id()]++;
}

/* --- Storms ------------------------------------------------------------------------------------------------------ */

static void begin_anew(struct side *side, int alone) {
  unsigned self = side->self;
  resets[self]++;
  if (below(side, 2)) {
    unsigned cpu = another(side), ends = 1 + below(side, 3);
    reset_mailbox(side, cpu, ends);
    EQUAL(mailbox_reset(cpu, ends), 0);
    return;
  }
  for (unsigned mutex = 0; mutex < MUTEXES; mutex++)
    if (side->held >> mutex & 1) orphans[mutex][self]++;
  for (unsigned cpu = 0; cpu < CPUS; cpu++) reset_mailbox(side, cpu, MAILBOX_SENDING | MAILBOX_RECEIVING);
  EQUAL(cpu_reset_end(), 0);
  side->held = 0;
  if (below(side, 2)) waste(below(side, 1000));
  EQUAL(doorbell_handler_np(0x80, on_bell), 0);
  if (alone) EQUAL(cpu_barrier_init(0, CL_IPC_ALL), 0);
}

static void step(struct side *side, int reset, int all) {
  uint32_t which;
  switch (below(side, reset ? 16 : 14)) {
    case 0:
    case 1:
    case 2: send(side, another(side)); break;
    case 3:
    case 4:
    case 5: receive(side, another(side)); break;
    case 6:
    case 7: lock(side, below(side, MUTEXES)); break;
    case 8:
    case 9: unlock(side, below(side, MUTEXES)); break;
    case 10: meet_within(side, 1); break;
    case 11:
      EQUAL(doorbell_ring(1 + below(side, CL_IPC_ALL), below(side, 2) ? 0x80 : 0x01), 0);
      which = (uint32_t)doorbell_timedtake(0x01, &which, below(side, 300));
      CHECK(which == 0 || which == ETIMEDOUT);
      break;
    case 12:
      EQUAL(channel_request(another(side), below(side, 2)), 0);
      which = (uint32_t)channel_timedwait(another(side), CHANNEL_REQ, below(side, 2), below(side, 300));
      CHECK(which == 0 || which == ETIMEDOUT);
      break;
    case 13: waste(below(side, 500)); break;
    default: begin_anew(side, !all);
  }
}

/* All are here, and nobody resets any more. */
static void recover(struct side *side) {
  unsigned self = side->self;
  uint32_t word;
  for (unsigned mutex = 0; mutex < MUTEXES; mutex++)
    if (side->held >> mutex & 1) unlock(side, mutex);
  EQUAL(doorbell_handler_np(0x80, on_bell), 0);
  for (unsigned cpu = 0; cpu < CPUS; cpu++) {
    if (cpu == self) continue;
    EQUAL(channel_request(cpu, 0), 0);
    int status = mailbox_trysend(cpu, WORD(self, side->epoch[cpu], side->sent[cpu]));
    if (!status) side->sent[cpu]++;
    if (status == ECONNRESET) sending_has_failed(side, cpu);
  }
  gather(self);
  for (unsigned cpu = 0; cpu < CPUS; cpu++) {
    if (cpu == self) continue;
    EQUAL(channel_trywait(cpu, CHANNEL_REQ, 0), 0);
    int status;
    while ((status = mailbox_tryreceive(cpu, &word)) != EAGAIN) {
      if (status == ECONNRESET) receiving_has_failed(side, cpu);
      else check_word(side, cpu, word);
    }
  }
  if (self == 0) {
    for (unsigned mutex = 0; mutex < MUTEXES; mutex++) {
      uint32_t all = 0, known = 0;
      side->held |= 1u << mutex;
      int status = cpu_mutex_trylock(mutex);
      if (status == EOWNERDEAD) claimed[mutex][0]++;
      else EQUAL(status, 0);
      CHECK((inside[mutex] != 0) == (status == EOWNERDEAD));
      inside[mutex] = 1;
      EQUAL(cpu_mutex_trylock(mutex), EDEADLK);
      unlock(side, mutex);
      for (unsigned cpu = 0; cpu < CPUS; cpu++) {
        all += orphans[mutex][cpu];
        known += claimed[mutex][cpu];
      }
      EQUAL(known, all);
    }
    EQUAL(cpu_barrier_init(0, CL_IPC_ALL), 0);
  }
  doorbell_trytake(0x7f, &word);
  doorbell_overrun(&word);
  gather(self);
  for (unsigned cpu = 0; cpu < CPUS; cpu++) EQUAL(met[cpu], met[self]);
  gather(self);
}

/* Checks that everything works as before the storm. */
static void all_works(struct side *side) {
  unsigned self = side->self;
  uint32_t word, rings = heard[self];
  EQUAL(cpu_barrier_wait(0), 0);
  EQUAL(doorbell_ring(1u << (self + 1) % CPUS, 0x80), 0);
  for (unsigned cpu = 0; cpu < CPUS; cpu++)
    for (int i = 0; cpu != self && i < CL_MAILBOX_DEPTH; i++)
      EQUAL(mailbox_send(cpu, WORD(self, side->epoch[cpu], side->sent[cpu]++)), 0);
  for (unsigned cpu = 0; cpu < CPUS; cpu++) {
    for (int i = 0; cpu != self && i < CL_MAILBOX_DEPTH; i++) {
      EQUAL(mailbox_receive(cpu, &word), 0);
      check_word(side, cpu, word);
    }
  }
  for (int i = 0; i < 5; i++) {
    EQUAL(cpu_mutex_lock(0), 0);
    works++;
    EQUAL(cpu_mutex_unlock(0), 0);
    EQUAL(channel_request((self + 1) % CPUS, 1), 0);
    EQUAL(channel_wait((self + CPUS - 1) % CPUS, CHANNEL_REQ, 1), 0);
    EQUAL(cpu_barrier_wait(0), 0);
    EQUAL(channel_request((self + 1) % CPUS, 0), 0);
    EQUAL(channel_wait((self + CPUS - 1) % CPUS, CHANNEL_REQ, 0), 0);
    EQUAL(cpu_barrier_wait(0), 0);
  }
  while (heard[self] == rings) continue;
  EQUAL(heard[self], rings + 1);
  EQUAL(doorbell_trytake(0xff, &word), EAGAIN);
}

static void *storm(void *unused) {
  (void)unused;
  struct side side = {.self = cl_cpu_id()};
  side.random = mix(SEED * 16 + side.self) | 1;
  EQUAL(doorbell_handler_np(0x80, on_bell), 0);
  gather(side.self);
  for (unsigned round = 0; round < STORMS; round++) {
    int all = round == CPUS;
    int reset = all || side.self == round;
    for (int i = 0; reset && i < STEPS; i++) step(&side, 1, all);
    if (reset) over[side.self] = round + 1;
    for (unsigned cpu = all ? 0 : round; cpu < (all ? CPUS : round + 1); cpu++)
      while (over[cpu] != round + 1) step(&side, 0, all);
    gather(side.self);
    recover(&side);
    all_works(&side);
    gather(side.self);
  }
  CHECK(resets[side.self] > STEPS / 10);
  CHECK(heard_of[side.self] > STEPS / 20);
  CHECK(moved[side.self] > STEPS);
  return NULL;
}

int main(void) {
  void *(*sides[CPUS])(void *);
  uint32_t dead = 0;
  for (unsigned i = 0; i < CPUS; i++) sides[i] = storm;
  EQUAL(cpu_barrier_init(0, CL_IPC_ALL), 0);
  run_sides(sides, CPUS);
  for (unsigned mutex = 0; mutex < MUTEXES; mutex++)
    for (unsigned cpu = 0; cpu < CPUS; cpu++) dead += orphans[mutex][cpu];
  CHECK(dead > 3);
  EQUAL(works, STORMS * CPUS * 5);
  return finish();
}
