/* SPDX-License-Identifier: Apache-2.0
 *
 * Communication between processors: the parts that coreloom_ipc.h does not inline.
 *
 * Waits for room or for a word (room, level) leave no error behind, so `try` and `timed` wait with them and then put or
 * get: no other processor uses this end. Only the plain variants put and get at once; if an interrupt ends one, the end
 * has an error, which is cleared, and the end's count tells where to continue. */
#include "coreloom.h"
#if defined(CL_KERNEL_LINUX)
#include "ground.h"
#else
#include "posix.h"
#endif

#define ERROR(word) ((word) >> CL_IPC_WORD_ERROR_LSB)
#define WORD(error) ((uint32_t)(error) << CL_IPC_WORD_ERROR_LSB)
#define COUNT(state) ((state) & CL_IPC_STATE_WORD_COUNT_MASK)

int cl_ipc_failure(uint32_t word, int late) {
  switch (ERROR(word)) {
    case CL_IPC_ERROR_OK: return 0;
    case CL_IPC_ERROR_RESET: return ECONNRESET;
    case CL_IPC_ERROR_OWNER: return EPERM;
    case CL_IPC_ERROR_DEADLOCK: return EDEADLK;
    default: return late; /* an interrupt, too, where it cannot be taken */
  }
}

static inline uint32_t load(unsigned op, unsigned index, unsigned patience) {
  return cl_ipc_load(cl_ipc_at(op, index, patience));
}

static inline void store(unsigned op, unsigned index, uint32_t word) {
  cl_ipc_store(cl_ipc_at(op, index, CL_IPC_TRY), word);
}

/* --- Waiting --------------------------------------------------------------------------------------------------- */

/* If interrupts are enabled, the interrupt has been taken as soon as the operation had ended. */
uint32_t cl_ipc_wait_on(const volatile uint32_t *at, uint32_t word) {
  while (ERROR(word) == CL_IPC_ERROR_INTERRUPTED && !cl_irq_is_off()) word = cl_ipc_load(at);
  return word;
}

struct limit {
  uint32_t since; /* a time */
  uint32_t left;  /* cycles, then */
};

static inline struct limit limit_of(uint32_t cycles) { return (struct limit){cl_cycle(), cycles}; }

/* Approximate cost of reading the clock and choosing the next slice. */
#if defined(CL_CORE_ECONOMY)
#define LOOK 250
#elif defined(CL_CORE_FAST)
#define LOOK 100
#else
#define LOOK 50
#endif

/* Patience of the next slice: the largest power of two that is not too long. The last slice is a try. */
static inline unsigned slice(uint32_t left) {
  if (left < LOOK + 2) return CL_IPC_TRY;
  left -= LOOK;
  unsigned log = 31 - (unsigned)__builtin_clz(left);
  return log > 30 ? 30 : log;
}

/* The time since then has passed. */
static inline void spend(struct limit *limit) {
  uint32_t now = cl_cycle(), passed = now - limit->since;
  limit->left = passed < limit->left ? limit->left - passed : 0;
  limit->since = now;
}

/* A load that waits, within the limit: its word, or one with ERROR_TIMEOUT. The limit then has the time left. */
static uint32_t wait_within(struct limit *limit, unsigned op, unsigned index) {
  for (;;) {
    uint32_t word = load(op, index, slice(limit->left));
    if (ERROR(word) != CL_IPC_ERROR_TIMEOUT && ERROR(word) != CL_IPC_ERROR_INTERRUPTED) return word;
    if (limit->left) spend(limit);
    if (!limit->left) return WORD(CL_IPC_ERROR_TIMEOUT);
  }
}

static inline int timed(unsigned op, unsigned index, uint32_t cycles, uint32_t *word) {
  struct limit limit = limit_of(cycles);
  *word = wait_within(&limit, op, index);
  return cl_ipc_failure(*word, ETIMEDOUT);
}

static inline int try(unsigned op, unsigned index, uint32_t *word) {
  *word = load(op, index, CL_IPC_TRY);
  return cl_ipc_failure(*word, EAGAIN);
}

/* --- Mailboxes --------------------------------------------------------------------------------------------------- */

/* An end has failed. 0: it was an interrupt, which is over, and the end is restored; continue. */
static int settle(unsigned clear, unsigned cpu, uint32_t state) {
  if (ERROR(state) == CL_IPC_ERROR_RESET) return ECONNRESET;
  store(clear, cpu, state);
  return cl_irq_is_off() ? EAGAIN : 0;
}

int cl_mailbox_send_on(unsigned cpu, uint32_t word, uint32_t state) {
  do {
    int status = settle(CL_IPC_OP_MAILBOX_CLEAR_SENT, cpu, state);
    if (status) return status;
    cl_ipc_store(cl_ipc_at(CL_IPC_OP_MAILBOX_PUT, 1u << cpu, CL_IPC_FOREVER), word);
    state = load(CL_IPC_OP_MAILBOX_SENT, cpu, CL_IPC_TRY);
  } while (state >= CL_IPC_FAILED);
  return 0;
}

/* The received word equals the sentinel. */
int cl_mailbox_receive_on(unsigned cpu, uint32_t *word) {
  for (;;) {
    uint32_t got = CL_IPC_SENTINEL, state = load(CL_IPC_OP_MAILBOX_RECEIVED, cpu, CL_IPC_TRY);
    if (state >= CL_IPC_FAILED) {
      int status = settle(CL_IPC_OP_MAILBOX_CLEAR_RECEIVED, cpu, state);
      if (status) return status;
      got = load(CL_IPC_OP_MAILBOX_GET, cpu, CL_IPC_FOREVER);
      if (got == CL_IPC_SENTINEL) continue;
    }
    *word = got;
    return 0;
  }
}

/* Called when there is room. A reset since then is reported by the next call: the word is lost either way. */
static inline int put_one(unsigned cpu, uint32_t word) {
  store(CL_IPC_OP_MAILBOX_PUT, 1u << cpu, word);
  return 0;
}

int mailbox_trysend(unsigned cpu, uint32_t word) {
  if (!CL_IPC) return ENODEV;
  if (!cl_ipc_is_other(cpu)) return EINVAL;
  uint32_t room;
  int status = try(CL_IPC_OP_MAILBOX_ROOM, cpu, &room);
  return status ? status : put_one(cpu, word);
}

int mailbox_timedsend(unsigned cpu, uint32_t word, uint32_t cycles) {
  if (!CL_IPC) return ENODEV;
  if (!cl_ipc_is_other(cpu)) return EINVAL;
  uint32_t room;
  int status = timed(CL_IPC_OP_MAILBOX_ROOM, cpu, cycles, &room);
  return status ? status : put_one(cpu, word);
}

/* A word is there. */
static inline int get_one(unsigned cpu, uint32_t *word) {
  uint32_t got = load(CL_IPC_OP_MAILBOX_GET, cpu, CL_IPC_TRY);
  if (CL_UNLIKELY(got == CL_IPC_SENTINEL) && load(CL_IPC_OP_MAILBOX_RECEIVED, cpu, CL_IPC_TRY) >= CL_IPC_FAILED)
    return ECONNRESET; /* just now */
  *word = got;
  return 0;
}

int mailbox_tryreceive(unsigned cpu, uint32_t *word) {
  if (!CL_IPC) return ENODEV;
  if (!cl_ipc_is_other(cpu)) return EINVAL;
  uint32_t level;
  int status = try(CL_IPC_OP_MAILBOX_LEVEL, cpu, &level);
  return status ? status : get_one(cpu, word);
}

int mailbox_timedreceive(unsigned cpu, uint32_t *word, uint32_t cycles) {
  if (!CL_IPC) return ENODEV;
  if (!cl_ipc_is_other(cpu)) return EINVAL;
  uint32_t level;
  int status = timed(CL_IPC_OP_MAILBOX_LEVEL, cpu, cycles, &level);
  return status ? status : get_one(cpu, word);
}

/* --- One to many ----------------------------------------------------------------------------------------------- */

/* The word has been put; `before` is the state of the first end before. Whether all have it or none, its count says. */
static int put_on(unsigned cpus, uint32_t word, uint32_t before, unsigned patience) {
  unsigned first = cl_ipc_lowest(cpus);
  for (;;) {
    if (COUNT(load(CL_IPC_OP_MAILBOX_SENT, first, CL_IPC_TRY)) != COUNT(before)) return 0;
    int status = 0;
    for (unsigned cpu = first; cpus >> cpu; cpu++) {
      if (!(cpus >> cpu & 1)) continue;
      uint32_t state = load(CL_IPC_OP_MAILBOX_SENT, cpu, CL_IPC_TRY);
      int its = state < CL_IPC_FAILED ? 0 : settle(CL_IPC_OP_MAILBOX_CLEAR_SENT, cpu, state);
      if (status != ECONNRESET) status = its;
    }
    if (status) return status;
    cl_ipc_store(cl_ipc_at(CL_IPC_OP_MAILBOX_PUT, cpus, patience), word);
  }
}

int cl_mailbox_send_all_on(unsigned cpus, uint32_t word, uint32_t before) {
  return put_on(cpus, word, before, CL_IPC_FOREVER);
}

/* Room does not disappear, so the receivers can be waited for one after the other. */
static inline int send_all_within(unsigned cpus, uint32_t word, uint32_t cycles, int late) {
  if (!CL_IPC) return ENODEV;
  if (cl_ipc_is_bad_set(cpus)) return EINVAL;
  struct limit limit = limit_of(cycles);
  for (unsigned cpu = 0; cpus >> cpu; cpu++) {
    uint32_t room = cpus >> cpu & 1 ? wait_within(&limit, CL_IPC_OP_MAILBOX_ROOM, cpu) : 0;
    if (room >= CL_IPC_FAILED) return cl_ipc_failure(room, late);
  }
  uint32_t before = load(CL_IPC_OP_MAILBOX_SENT, cl_ipc_lowest(cpus), CL_IPC_TRY);
  cl_ipc_store(cl_ipc_at(CL_IPC_OP_MAILBOX_PUT, cpus, CL_IPC_TRY), word);
  return put_on(cpus, word, before, CL_IPC_TRY);
}

int mailbox_trysend_all(unsigned cpus, uint32_t word) { return send_all_within(cpus, word, 0, EAGAIN); }

int mailbox_timedsend_all(unsigned cpus, uint32_t word, uint32_t cycles) {
  return send_all_within(cpus, word, cycles, ETIMEDOUT);
}

/* --- From anybody ---------------------------------------------------------------------------------------------- */

static inline int found(int status, uint32_t value, unsigned *cpu) {
  if (!status) *cpu = value;
  return status;
}

int mailbox_wait_any(unsigned *cpu) {
  if (!CL_IPC) return ENODEV;
  const volatile uint32_t *at = cl_ipc_at(CL_IPC_OP_MAILBOX_ANY, 0, CL_IPC_FOREVER);
  uint32_t word = cl_ipc_wait_on(at, cl_ipc_load(at));
  return found(cl_ipc_failure(word, EAGAIN), word, cpu);
}

int mailbox_try_any(unsigned *cpu) {
  if (!CL_IPC) return ENODEV;
  uint32_t word;
  int status = try(CL_IPC_OP_MAILBOX_ANY, 0, &word);
  return found(status, word, cpu);
}

int mailbox_timedwait_any(unsigned *cpu, uint32_t cycles) {
  if (!CL_IPC) return ENODEV;
  uint32_t word;
  int status = timed(CL_IPC_OP_MAILBOX_ANY, 0, cycles, &word);
  return found(status, word, cpu);
}

/* --- Blocks ------------------------------------------------------------------------------------------------------ */

#if !defined(CL_KERNEL_LINUX)
/* Each load is two instructions ahead of its store, so neither waits for it; and as every other instruction is for the
 * memory, two processors share its bus without waiting for one another. In fours: the words at `at`, and the loads of
 * the next two. Where get waits for each put, the load behind the one and the store behind the other collide for ever,
 * 3 cycles a word: so now and then the receiver falls back by one. */
#define PUT_IN(at) #at "(%[words])"
#define PUT_OUT(at) "0(%[mailbox])"
#define GET_IN(at) "0(%[mailbox])"
#define GET_OUT(at) #at "(%[words])"
#define BEGIN(in) "lw %[a]," in(0) "\n lw %[b]," in(4) "\n"
#define FOUR(in, out, at) \
  "sw %[a]," out(at) "\n lw %[c]," in(at + 8) "\n"                  \
  "sw %[b]," out(at + 4) "\n lw %[d]," in(at + 12) "\n"             \
  "sw %[c]," out(at + 8) "\n lw %[a]," in(at + 16) "\n"             \
  "sw %[d]," out(at + 12) "\n lw %[b]," in(at + 20) "\n"
#define END(in, out, at) \
  "sw %[a]," out(at) "\n lw %[c]," in(at + 8) "\n"                  \
  "sw %[b]," out(at + 4) "\n lw %[d]," in(at + 12) "\n"             \
  "sw %[c]," out(at + 8) "\n"                                       \
  "sw %[d]," out(at + 12) "\n"
#define SIXTEEN(in, out, at) FOUR(in, out, at) FOUR(in, out, at + 16) FOUR(in, out, at + 32) FOUR(in, out, at + 48)
#define WORDS_8(in, out) BEGIN(in) FOUR(in, out, 0) END(in, out, 16)
#define WORDS_128(in, out, pause)                                                                                      \
  BEGIN(in)                                                                                                            \
  SIXTEEN(in, out, 0)                                                                                                  \
  pause SIXTEEN(in, out, 64) SIXTEEN(in, out, 128) pause SIXTEEN(in, out, 192) SIXTEEN(in, out, 256)                   \
      pause SIXTEEN(in, out, 320) SIXTEEN(in, out, 384) pause FOUR(in, out, 448) FOUR(in, out, 464) FOUR(in, out, 480) \
          END(in, out, 496)
#define MOVE(text)                                                            \
  do {                                                                        \
    uint32_t a, b, c, d;                                                      \
    __asm__ volatile(text                                                     \
                     : [a] "=&r"(a), [b] "=&r"(b), [c] "=&r"(c), [d] "=&r"(d) \
                     : [words] "r"(words), [mailbox] "r"(mailbox)             \
                     : "memory");                                             \
  } while (0)

CL_INLINE void move_128(int put, volatile uint32_t *mailbox, uint32_t *words) {
  if (put) MOVE(WORDS_128(PUT_IN, PUT_OUT, ));
  else MOVE(WORDS_128(GET_IN, GET_OUT, "nop\n"));
}
#endif

static inline
    __attribute__((always_inline)) void move(int put, volatile uint32_t *mailbox, uint32_t *words, size_t count) {
#if !defined(CL_KERNEL_LINUX)
  for (; count >= 8; count -= 8, words += 8) {
    if (put) MOVE(WORDS_8(PUT_IN, PUT_OUT));
    else MOVE(WORDS_8(GET_IN, GET_OUT));
  }
#endif
  for (; count; count--, words++) {
    if (put) cl_ipc_store(mailbox, *words);
    else *words = cl_ipc_load(mailbox);
  }
}

#if defined(CL_KERNEL_LINUX)
static inline void move_128(int put, volatile uint32_t *mailbox, uint32_t *words) { move(put, mailbox, words, 128); }
#endif

/* The mailbox at its one end and what that needs. */
struct end {
  volatile uint32_t *mailbox;
  const volatile uint32_t *state;
  unsigned clear;
};

CL_INLINE struct end end_of(int put, unsigned cpu, unsigned patience) {
  if (put)
    return (struct end){
        cl_ipc_at(CL_IPC_OP_MAILBOX_PUT, 1u << cpu, patience),
        cl_ipc_at(CL_IPC_OP_MAILBOX_SENT, cpu, CL_IPC_TRY),
        CL_IPC_OP_MAILBOX_CLEAR_SENT,
    };
  return (struct end){
      cl_ipc_at(CL_IPC_OP_MAILBOX_GET, cpu, patience),
      cl_ipc_at(CL_IPC_OP_MAILBOX_RECEIVED, cpu, CL_IPC_TRY),
      CL_IPC_OP_MAILBOX_CLEAR_RECEIVED,
  };
}

/* How many of the words tried were not done, as an end in error does nothing. `state` is the end's now, `before` at the
 * first word, `tried` the number since then; all modulo 2^16. */
static inline size_t missing(uint32_t before, size_t tried, uint32_t state) { return COUNT(before + tried - state); }

/* An end has failed before `words` or earlier, `left` from the block's end. `expected`: its count without the
 * failure. */
CL_COLD static int write_on(unsigned cpu, const uint32_t *words, size_t left, uint32_t expected, uint32_t state) {
  size_t again = COUNT(expected - state);
  int status = settle(CL_IPC_OP_MAILBOX_CLEAR_SENT, cpu, state);
  return status ? status : mailbox_write(cpu, words - again, left + again);
}

CL_COLD static int read_on(unsigned cpu, uint32_t *words, size_t left, uint32_t expected, uint32_t state) {
  size_t again = COUNT(expected - state);
  int status = settle(CL_IPC_OP_MAILBOX_CLEAR_RECEIVED, cpu, state);
  return status ? status : mailbox_read(cpu, words - again, left + again);
}

/* Uses no stack, which may be slow: rare cases are out of line. The first load is needed for a failure only. */
CL_INLINE int whole(int put, unsigned cpu, uint32_t *words, size_t count) {
  if (!CL_IPC) return ENODEV;
  if (!cl_ipc_is_other(cpu)) return EINVAL;
  const struct end end = end_of(put, cpu, CL_IPC_FOREVER);
  __asm__("" : "+r"(count)); /* known, it would make a copy of the loop for each turn: too much for the cache */
  const uint32_t *first = words;
  uint32_t before = cl_ipc_load(end.state), state;
  if (count >= 128) {
    do {
      move_128(put, end.mailbox, words);
      state = cl_ipc_load(end.state);
      words += 128;
      count -= 128;
      if (CL_UNLIKELY(state >= CL_IPC_FAILED)) goto failed;
    } while (count >= 128);
    if (!count) return 0;
  }
  move(put, end.mailbox, words, count);
  state = cl_ipc_load(end.state);
  if (CL_LIKELY(state < CL_IPC_FAILED)) return 0;
  words += count;
  count = 0;
failed:;
  uint32_t expected = before + (uint32_t)(words - first);
  return put ? write_on(cpu, words, count, expected, state) : read_on(cpu, words, count, expected, state);
}

__attribute__((noinline)) int mailbox_write(unsigned cpu, const uint32_t *words, size_t count) {
  return whole(1, cpu, (uint32_t *)(uintptr_t)words, count);
}

__attribute__((noinline)) int mailbox_read(unsigned cpu, uint32_t *words, size_t count) {
  return whole(0, cpu, words, count);
}

/* Moves as many words at once as together cannot use up half of the time, each with its share of it as patience: the
 * more time, the more words, but longer still the patience than the time that the other end needs for as many words
 * that it tries in vain. When one has given up, or little time is left, it moves what there is room for. */
CL_INLINE int part(int put, unsigned cpu, uint32_t *words, size_t count, size_t *done, uint32_t cycles, int late) {
  *done = 0;
  if (!CL_IPC) return ENODEV;
  if (!cl_ipc_is_other(cpu)) return EINVAL;
  struct limit limit = limit_of(cycles);
  int stuck = 0;
  while (*done < count) {
    uint32_t number;
    unsigned patience = slice(limit.left);
    if (!stuck && patience >= 7) {
      unsigned log = (patience - 1) / 3 < 7 ? (patience - 1) / 3 : 7;
      number = 1u << log;
      patience -= log + 1;
    } else {
      patience = CL_IPC_TRY;
      number = wait_within(&limit, put ? CL_IPC_OP_MAILBOX_ROOM : CL_IPC_OP_MAILBOX_LEVEL, cpu);
      if (number >= CL_IPC_FAILED) return cl_ipc_failure(number, late);
    }
    const struct end end = end_of(put, cpu, patience);
    if (number > count - *done) number = count - *done;
    uint32_t before = cl_ipc_load(end.state);
    move(put, end.mailbox, words + *done, number);
    uint32_t state = cl_ipc_load(end.state);
    *done += number - missing(before, number, state);
    stuck = state >= CL_IPC_FAILED;
    if (ERROR(state) == CL_IPC_ERROR_RESET) return ECONNRESET;
    if (stuck) store(end.clear, cpu, state);
    if (limit.left) spend(&limit);
  }
  return 0;
}

int mailbox_trywrite(unsigned cpu, const uint32_t *words, size_t count, size_t *done) {
  return part(1, cpu, (uint32_t *)(uintptr_t)words, count, done, 0, EAGAIN);
}

int mailbox_timedwrite(unsigned cpu, const uint32_t *words, size_t count, size_t *done, uint32_t cycles) {
  return part(1, cpu, (uint32_t *)(uintptr_t)words, count, done, cycles, ETIMEDOUT);
}

int mailbox_tryread(unsigned cpu, uint32_t *words, size_t count, size_t *done) {
  return part(0, cpu, words, count, done, 0, EAGAIN);
}

int mailbox_timedread(unsigned cpu, uint32_t *words, size_t count, size_t *done, uint32_t cycles) {
  return part(0, cpu, words, count, done, cycles, ETIMEDOUT);
}

/* --- The ends of a mailbox --------------------------------------------------------------------------------------- */

static inline int bad_ends(unsigned ends) { return ends - 1 >= (MAILBOX_SENDING | MAILBOX_RECEIVING); }

int mailbox_reset(unsigned cpu, unsigned ends) {
  if (!CL_IPC) return ENODEV;
  if (!cl_ipc_is_other(cpu) || bad_ends(ends)) return EINVAL;
  if (ends & MAILBOX_SENDING) store(CL_IPC_OP_MAILBOX_RESET_SENT, cpu, 0);
  if (ends & MAILBOX_RECEIVING) store(CL_IPC_OP_MAILBOX_RESET_RECEIVED, cpu, 0);
  return 0;
}

int mailbox_acknowledge(unsigned cpu, unsigned ends) {
  if (!CL_IPC) return ENODEV;
  if (!cl_ipc_is_other(cpu) || bad_ends(ends)) return EINVAL;
  if (ends & MAILBOX_SENDING) store(CL_IPC_OP_MAILBOX_CLEAR_SENT, cpu, WORD(CL_IPC_ERROR_RESET));
  if (ends & MAILBOX_RECEIVING) store(CL_IPC_OP_MAILBOX_CLEAR_RECEIVED, cpu, WORD(CL_IPC_ERROR_RESET));
  return 0;
}

/* --- Doorbells, channels, mutexes, barriers ---------------------------------------------------------------------- */

static inline int bad_bells(uint32_t bells) { return bells - 1 >= (1u << DOORBELLS) - 1; }

static inline int taken(int status, uint32_t word, uint32_t *which) {
  if (!status) *which = word;
  return status;
}

int doorbell_trytake(uint32_t bells, uint32_t *which) {
  if (!CL_IPC) return ENODEV;
  if (bad_bells(bells)) return EINVAL;
  uint32_t word;
  int status = try(CL_IPC_OP_DOORBELL_TAKE, bells, &word);
  return taken(status, word, which);
}

int doorbell_timedtake(uint32_t bells, uint32_t *which, uint32_t cycles) {
  if (!CL_IPC) return ENODEV;
  if (bad_bells(bells)) return EINVAL;
  uint32_t word;
  int status = timed(CL_IPC_OP_DOORBELL_TAKE, bells, cycles, &word);
  return taken(status, word, which);
}

int doorbell_overrun(uint32_t *which) {
  if (!CL_IPC) return ENODEV;
  *which = load(CL_IPC_OP_DOORBELL_OVERRUN, 0, CL_IPC_TRY);
  return 0;
}

static inline int bad_wire(unsigned cpu, unsigned wire, unsigned level) {
  return !cl_ipc_is_other(cpu) || wire > CHANNEL_ACK || level > 1;
}

int channel_trywait(unsigned cpu, unsigned wire, unsigned level) {
  if (!CL_IPC) return ENODEV;
  if (bad_wire(cpu, wire, level)) return EINVAL;
  uint32_t word;
  return try(CL_IPC_OP_CHANNEL_WAIT, cl_channel_index(cpu, wire, level), &word);
}

int channel_timedwait(unsigned cpu, unsigned wire, unsigned level, uint32_t cycles) {
  if (!CL_IPC) return ENODEV;
  if (bad_wire(cpu, wire, level)) return EINVAL;
  uint32_t word;
  return timed(CL_IPC_OP_CHANNEL_WAIT, cl_channel_index(cpu, wire, level), cycles, &word);
}

static inline int locked(int status, uint32_t word) {
  if (!status && word >> CL_IPC_MUTEX_VALUE_ORPHAN_LSB & CL_IPC_MUTEX_VALUE_ORPHAN_MASK) return EOWNERDEAD;
  return status;
}

int cl_cpu_mutex_locked(const volatile uint32_t *at, uint32_t word) {
  word = cl_ipc_wait_on(at, word);
  return locked(cl_ipc_failure(word, EAGAIN), word);
}

int cpu_mutex_trylock(unsigned mutex) {
  if (!CL_IPC) return ENODEV;
  if (mutex >= CL_CPU_MUTEXES) return EINVAL;
  uint32_t word;
  int status = try(CL_IPC_OP_MUTEX_LOCK, mutex, &word);
  return locked(status, word);
}

int cpu_mutex_timedlock(unsigned mutex, uint32_t cycles) {
  if (!CL_IPC) return ENODEV;
  if (mutex >= CL_CPU_MUTEXES) return EINVAL;
  uint32_t word;
  int status = timed(CL_IPC_OP_MUTEX_LOCK, mutex, cycles, &word);
  return locked(status, word);
}

int cpu_barrier_init(unsigned barrier, unsigned cpus) {
  if (!CL_IPC) return ENODEV;
  if (barrier >= CL_BARRIERS || cpus - 1 >= CL_IPC_ALL) return EINVAL;
  store(CL_IPC_OP_BARRIER_MEMBERS, barrier, cpus);
  return 0;
}

int cpu_barrier_trywait(unsigned barrier) {
  if (!CL_IPC) return ENODEV;
  if (barrier >= CL_BARRIERS) return EINVAL;
  uint32_t word;
  return try(CL_IPC_OP_BARRIER_ARRIVE, barrier, &word);
}

int cpu_barrier_timedwait(unsigned barrier, uint32_t cycles) {
  if (!CL_IPC) return ENODEV;
  if (barrier >= CL_BARRIERS) return EINVAL;
  uint32_t word;
  return timed(CL_IPC_OP_BARRIER_ARRIVE, barrier, cycles, &word);
}
