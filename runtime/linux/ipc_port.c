/* SPDX-License-Identifier: Apache-2.0
 *
 * The operations of the communication port: what cl_ipc (rtl/ipc) answers to a load or a store, in C under one lock.
 * The functions of coreloom_ipc.h are the same source as on the SoC. Unlike there no interrupt ends a wait. */
#include <errno.h>
#include <pthread.h>

#include "coreloom.h"
#include "ground.h"

#define WORD(error, value) ((uint32_t)CL_IPC_ERROR_##error << CL_IPC_WORD_ERROR_LSB | (value))
#define ERROR(word) ((word) >> CL_IPC_WORD_ERROR_LSB)

/* From a sender (first index) to a receiver. */
struct box {
  unsigned first, count;
  uint32_t sent, received, sent_error, received_error;
  uint32_t words[CL_MAILBOX_DEPTH + 1];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct box boxes[CL_CPUS][CL_CPUS];
static unsigned last[CL_CPUS]; /* sender that MAILBOX_ANY named, + 1 */
static uint32_t bells[CL_CPUS], overrun[CL_CPUS];
static uint32_t wires[2][CL_CPUS][CL_CPUS]; /* CHANNEL_REQ or CHANNEL_ACK, driver, listener */
static struct {
  int held, orphan;
  unsigned owner;
  uint32_t wanting; /* processors that wait for it */
} mutexes[CL_CPU_MUTEXES + 1];
static struct {
  uint32_t members, arrived, round;
  int broken;
} barriers[CL_BARRIERS + 1];

struct operation {
  unsigned self, op, index;
  uint32_t word; /* of a store */
  uint32_t answer;
  int begun; /* it has waited */
  uint32_t round; /* of the barrier, when it arrived */
};

enum { WAITS, DONE };

static int done(struct operation *o, uint32_t answer) {
  o->answer = answer;
  return DONE;
}

static int put(struct operation *o) {
  int full = 0;
  for (unsigned cpu = 0; cpu < CL_CPUS; cpu++) {
    if (!(o->index >> cpu & 1)) continue;
    if (boxes[o->self][cpu].sent_error) return done(o, 0);
    full |= boxes[o->self][cpu].count == CL_MAILBOX_DEPTH;
  }
  if (full) return WAITS;
  for (unsigned cpu = 0; cpu < CL_CPUS; cpu++) {
    if (!(o->index >> cpu & 1)) continue;
    struct box *const box = &boxes[o->self][cpu];
    box->words[(box->first + box->count++) % CL_MAILBOX_DEPTH] = o->word;
    box->sent = (box->sent + 1) & CL_IPC_STATE_WORD_COUNT_MASK;
  }
  return done(o, 0);
}

static int get(struct operation *o) {
  struct box *const box = &boxes[o->index][o->self];
  if (box->received_error) return done(o, CL_IPC_SENTINEL);
  if (!box->count) return WAITS;
  const uint32_t word = box->words[box->first];
  box->first = (box->first + 1) % CL_MAILBOX_DEPTH;
  box->count--;
  box->received = (box->received + 1) & CL_IPC_STATE_WORD_COUNT_MASK;
  return done(o, word);
}

static int any(struct operation *o) {
  for (unsigned n = 0; n < CL_CPUS; n++) {
    const unsigned sender = (last[o->self] + n) % CL_CPUS;
    if (sender == o->self || !boxes[sender][o->self].count) continue;
    last[o->self] = sender + 1;
    return done(o, sender);
  }
  return WAITS;
}

static int lock_mutex(struct operation *o) {
  if (mutexes[o->index].held && mutexes[o->index].owner == o->self) return done(o, WORD(DEADLOCK, 0));
  mutexes[o->index].wanting |= 1u << o->self;
  if (mutexes[o->index].held) return WAITS;
  unsigned winner = mutexes[o->index].owner;
  do winner = (winner + 1) % CL_CPUS;
  while (!(mutexes[o->index].wanting >> winner & 1));
  if (winner != o->self) return WAITS;
  mutexes[o->index].wanting &= ~(1u << o->self);
  mutexes[o->index].held = 1;
  mutexes[o->index].owner = o->self;
  const uint32_t orphan = mutexes[o->index].orphan != 0;
  mutexes[o->index].orphan = 0;
  return done(o, o->self << CL_IPC_MUTEX_VALUE_OWNER_LSB | orphan << CL_IPC_MUTEX_VALUE_ORPHAN_LSB);
}

static int unlock_mutex(struct operation *o) {
  if (!mutexes[o->index].held || mutexes[o->index].owner != o->self) return done(o, WORD(OWNER, 0));
  mutexes[o->index].held = 0;
  return done(o, 0);
}

static int arrive(struct operation *o) {
  const uint32_t self = 1u << o->self;
  if (o->begun && barriers[o->index].round != o->round) return done(o, 0);
  if (!(barriers[o->index].members & self)) return done(o, WORD(OWNER, 0));
  if (barriers[o->index].broken) {
    barriers[o->index].arrived &= ~self;
    return done(o, WORD(RESET, 0));
  }
  o->round = barriers[o->index].round;
  barriers[o->index].arrived |= self;
  if (barriers[o->index].members & ~barriers[o->index].arrived) return WAITS;
  barriers[o->index].arrived = 0;
  barriers[o->index].round++;
  return done(o, 0);
}

static void reset_sent(unsigned self, unsigned cpu) {
  struct box *const box = &boxes[self][cpu];
  box->count = 0;
  box->sent = box->sent_error = 0;
  box->received_error = CL_IPC_ERROR_RESET;
}

static void reset_received(unsigned self, unsigned cpu) {
  struct box *const box = &boxes[cpu][self];
  box->count = 0;
  box->received = box->received_error = 0;
  box->sent_error = CL_IPC_ERROR_RESET;
}

static void reset_end(unsigned self) {
  for (unsigned cpu = 0; cpu < CL_CPUS; cpu++) {
    if (cpu == self) continue;
    reset_sent(self, cpu);
    reset_received(self, cpu);
    wires[CHANNEL_REQ][self][cpu] = wires[CHANNEL_ACK][self][cpu] = 0;
  }
  bells[self] = overrun[self] = 0;
  for (unsigned i = 0; i < CL_CPU_MUTEXES; i++) {
    if (!mutexes[i].held || mutexes[i].owner != self) continue;
    mutexes[i].held = 0;
    mutexes[i].orphan = 1;
  }
  for (unsigned i = 0; i < CL_BARRIERS; i++) barriers[i].broken |= barriers[i].members >> self & 1;
}

/* One attempt at a load. */
static int load(struct operation *o) {
  struct box *const to = &boxes[o->self][o->index % CL_CPUS], *const from = &boxes[o->index % CL_CPUS][o->self];
  uint32_t which;
  switch (o->op) {
    case CL_IPC_OP_MAILBOX_ROOM:
      if (to->sent_error == CL_IPC_ERROR_RESET) return done(o, WORD(RESET, 0));
      return to->count == CL_MAILBOX_DEPTH ? WAITS : done(o, CL_MAILBOX_DEPTH - to->count);
    case CL_IPC_OP_MAILBOX_SENT: return done(o, to->sent_error << CL_IPC_WORD_ERROR_LSB | to->sent);
    case CL_IPC_OP_MAILBOX_GET: return get(o);
    case CL_IPC_OP_MAILBOX_LEVEL:
      if (from->received_error == CL_IPC_ERROR_RESET) return done(o, WORD(RESET, 0));
      return from->count ? done(o, from->count) : WAITS;
    case CL_IPC_OP_MAILBOX_RECEIVED: return done(o, from->received_error << CL_IPC_WORD_ERROR_LSB | from->received);
    case CL_IPC_OP_MAILBOX_ANY: return any(o);
    case CL_IPC_OP_DOORBELL_TAKE:
      which = bells[o->self] & o->index;
      bells[o->self] &= ~which;
      return which ? done(o, which) : WAITS;
    case CL_IPC_OP_DOORBELL_OVERRUN:
      which = overrun[o->self];
      overrun[o->self] = 0;
      return done(o, which);
    case CL_IPC_OP_CHANNEL_WAIT: {
      const unsigned driver = o->index >> CL_IPC_WIRE_INDEX_CPU_LSB & CL_IPC_WIRE_INDEX_CPU_MASK;
      const unsigned wire = o->index >> CL_IPC_WIRE_INDEX_WIRE_LSB & 1,
                     level = o->index >> CL_IPC_WIRE_INDEX_LEVEL_LSB & 1;
      return wires[wire][driver % CL_CPUS][o->self] == level ? done(o, level) : WAITS;
    }
    case CL_IPC_OP_MUTEX_LOCK: return lock_mutex(o);
    case CL_IPC_OP_MUTEX_UNLOCK: return unlock_mutex(o);
    case CL_IPC_OP_BARRIER_ARRIVE: return arrive(o);
    default: return done(o, 0);
  }
}

/* One attempt at a store; only MAILBOX_PUT waits. */
static int store(struct operation *o) {
  struct box *const to = &boxes[o->self][o->index % CL_CPUS], *const from = &boxes[o->index % CL_CPUS][o->self];
  switch (o->op) {
    case CL_IPC_OP_MAILBOX_PUT: return put(o);
    case CL_IPC_OP_MAILBOX_CLEAR_SENT:
      if (to->sent_error == ERROR(o->word)) to->sent_error = 0;
      break;
    case CL_IPC_OP_MAILBOX_CLEAR_RECEIVED:
      if (from->received_error == ERROR(o->word)) from->received_error = 0;
      break;
    case CL_IPC_OP_MAILBOX_RESET_SENT: reset_sent(o->self, o->index % CL_CPUS); break;
    case CL_IPC_OP_MAILBOX_RESET_RECEIVED: reset_received(o->self, o->index % CL_CPUS); break;
    case CL_IPC_OP_DOORBELL_RING:
      for (unsigned cpu = 0; cpu < CL_CPUS; cpu++) {
        if (!(o->index >> cpu & 1)) continue;
        overrun[cpu] |= o->word & bells[cpu];
        bells[cpu] |= o->word;
      }
      break;
    case CL_IPC_OP_CHANNEL_REQ:
    case CL_IPC_OP_CHANNEL_ACK:
      wires[o->op == CL_IPC_OP_CHANNEL_REQ ? CHANNEL_REQ : CHANNEL_ACK][o->self][o->index % CL_CPUS] = o->word & 1;
      break;
    case CL_IPC_OP_BARRIER_MEMBERS:
      barriers[o->index].members = o->word;
      barriers[o->index].arrived = 0;
      barriers[o->index].broken = 0;
      break;
    case CL_IPC_OP_RESET_END: reset_end(o->self); break;
    default: break;
  }
  return done(o, 0);
}

/* It has waited for as long as its patience is. */
static void give_up(struct operation *o) {
  o->answer = WORD(TIMEOUT, 0);
  if (o->op == CL_IPC_OP_MAILBOX_PUT) {
    for (unsigned cpu = 0; cpu < CL_CPUS; cpu++) {
      struct box *const box = &boxes[o->self][cpu];
      if (o->index >> cpu & 1 && box->count == CL_MAILBOX_DEPTH) box->sent_error = CL_IPC_ERROR_TIMEOUT;
    }
  } else if (o->op == CL_IPC_OP_MAILBOX_GET) {
    boxes[o->index][o->self].received_error = CL_IPC_ERROR_TIMEOUT;
    o->answer = CL_IPC_SENTINEL;
  } else if (o->op == CL_IPC_OP_MUTEX_LOCK) {
    mutexes[o->index].wanting &= ~(1u << o->self);
  } else if (o->op == CL_IPC_OP_BARRIER_ARRIVE) {
    barriers[o->index].arrived &= ~(1u << o->self);
  }
}

static uint32_t execute(const volatile uint32_t *at, uint32_t word, int (*attempt)(struct operation *)) {
  const uint32_t address = (uint32_t)(uintptr_t)at;
  const unsigned patience = address >> CL_IPC_ADDRESS_PATIENCE_LSB & CL_IPC_ADDRESS_PATIENCE_MASK;
  struct operation o = {
      .self = cl_cpu_id(),
      .op = address >> CL_IPC_ADDRESS_OP_LSB & CL_IPC_ADDRESS_OP_MASK,
      .index = address >> CL_IPC_ADDRESS_INDEX_LSB & CL_IPC_ADDRESS_INDEX_MASK,
      .word = word,
  };
  const struct timespec until = cl_after(CLOCK_MONOTONIC, patience == CL_IPC_FOREVER ? 0 : 1u << patience);
  pthread_mutex_lock(&lock);
  int late = patience == CL_IPC_TRY;
  while (attempt(&o) == WAITS) {
    if (late) {
      give_up(&o);
      break;
    }
    o.begun = 1;
    if (patience == CL_IPC_FOREVER) pthread_cond_wait(&changed, &lock);
    else late = pthread_cond_clockwait(&changed, &lock, CLOCK_MONOTONIC, &until) == ETIMEDOUT;
  }
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
  return o.answer;
}

uint32_t cl_ipc_load(const volatile uint32_t *at) { return execute(at, 0, load); }
void cl_ipc_store(volatile uint32_t *at, uint32_t word) { execute(at, word, store); }

/* There are no interrupts to call a handler. */
int doorbell_handler_np(uint32_t which, void (*handler)(uint32_t bells)) { return (void)which, (void)handler, ENOTSUP; }
int channel_handler_np(unsigned cpu, unsigned wire, void (*handler)(unsigned cpu)) {
  return (void)cpu, (void)wire, (void)handler, ENOTSUP;
}
int sem_post_handler_np(sem_t *sem) { return (void)sem, ENOTSUP; }
