/* SPDX-License-Identifier: Apache-2.0
 *
 * Explores the interleavings of a program of several CPUs: an interpreter of RV32IM with the SoC's local device, and a
 * depth-first search that goes each way that can differ (source sets with sleep sets: Abdulla et al., "Optimal dynamic
 * partial order reduction"). Built as a shared library and called by explore.py.
 *
 * A CPU goes on at once until before its next *visible* instruction: an access to the lock, to another CPU's or its own
 * interrupts, a disabling of interrupts, a sleep, or an access to a word of memory that CPUs use without the lock. Which
 * words these are is found out: when two CPUs use a word and no visible instruction orders them, it becomes visible and
 * the search begins anew. So no word is left out, whatever the program says of it.
 * Memory is sequentially consistent, as on the SoC: loads and stores happen in program order on one bus. The lock is
 * given to any CPU that waits, so both orders of the Lock Unit are among what is explored. Time stands still, but for
 * steps of the process TIME, each to the next time at which a timer rings. */
#include "explore.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cl_soc_map.h"

enum { CPUS = 4, TIME = CPUS, PROCESSES, RAM_WORDS = 1 << 19, DEEP = 4000, LOG = 3 * 4096, SEEN = 1 << 20 };
enum { MSTATUS = 0x300, MIE = 0x304, MTVEC = 0x305, MEPC = 0x341, MCAUSE = 0x342, MTVAL = 0x343, MIP = 0x344 };
enum { IRQ_IPI = 3, IRQ_TIMER = 7, IRQ_BELL = 17 };
/* Variables of visible instructions, a bit each: the lock, time, and of each CPU its interrupts and its timer. */
enum { V_LOCK, V_TIME, V_IRQ, V_CMP = V_IRQ + CPUS, V_LOCKS = V_CMP + CPUS, LOCKS = 8, V_WORDS = V_LOCKS + LOCKS };
enum { VARIABLES = 64 };
#define BIT(n) ((uint64_t)1 << (n))

typedef struct {
  uint64_t reads, writes; /* variables */
} event;

typedef struct {
  uint16_t of[PROCESSES + PROCESSES % 2]; /* whole words */
} clocks;

typedef struct {
  uint32_t x[32], pc;
  uint32_t mstatus, mie, mtvec, mepc, mcause, mtval;
  uint32_t ipi, bell, mark; /* mark: EXPLORE_GO, _PARK where it stands, or 0 */
  uint32_t awake;     /* it has slept and not taken the lock since */
  uint32_t in_trap;   /* the next lock it takes is the trap's; the number of its interrupt */
  uint32_t posts;     /* the next one is its handler's, which posts this semaphore, plus 1 */
  uint32_t posting;   /* and has done so, with the semaphore's lock: another one is to wake a thread */
  uint32_t word;      /* of EXPLORE_WORD */
  uint32_t wants, holds; /* the address of the lock that it asks for, and of the one that it has; 0: none */
  uint32_t ended;     /* of the calls of its thread */
  uint64_t compare;
  event next; /* its next visible instruction */
  int waits;  /* that is: 0 nothing to wait for, or one of: */
  uint32_t spun_x[32], spun_pc, spun_word, spun_value; /* at its last load, unless it has stored since */
} cpu;
enum { W_LOCK = 1, W_SLEEP, W_MARK, W_WORD };

/* All that changes but memory. */
typedef struct {
  cpu cpu[CPUS];
  uint64_t time;
  uint32_t lock_address; /* of the kernel; programs may have others */
  uint32_t lines_enabled, steps_left;
  uint32_t log_words;
  uint32_t coming, asleep; /* of struct seen */
} machine;

typedef struct {
  machine before;
  size_t undo;
  uint32_t enabled, backtrack, done, sleep;
  event next[PROCESSES];
  event event; /* what is done from here, by: */
  int process;
  clocks clock; /* then */
} frame;

typedef struct {
  uint32_t cpus, parties, time_steps; /* parties: threads that come to EXPLORE_GO */
  uint32_t limit;       /* of executions */
  uint32_t unreduced;   /* each order of visible instructions, to judge the reduction by */
  uint32_t walks, seed, changes; /* walks > 0: random priorities that change so often, instead of a search */
  uint32_t check;       /* address of explore_check; 0: there is none */
  uint32_t ram_words;   /* up to RAM_WORDS */
  uint32_t start[2];    /* the time before */
  uint32_t all_locks;   /* not only the kernel's first are told of */
  uint32_t inside; /* then: address of the number + 1 of the CPU whose locks belong to the one that it had, or 0 */
} options;

typedef struct {
  uint32_t executions, cut, steps, restarts, words, exhausted, deepest, checks;
  uint32_t word[VARIABLES]; /* addresses */
  uint32_t logs, log_words;
  char failure[256];
  uint32_t schedule[3 * DEEP], scheduled; /* of the failure: process, pc, where it went on */
} results;

static const options *o;
static results *r;
static machine m;
static uint32_t ram[RAM_WORDS], image[RAM_WORDS];
static uint8_t visible[RAM_WORDS]; /* variable of a word, or 0 */
static struct {
  uint32_t write, read[CPUS]; /* clocks; write: process << 16 | clock */
} used[RAM_WORDS];
static clocks now[PROCESSES], wrote[VARIABLES], read_[VARIABLES];
static frame frames[DEEP + 1];
static int depth, running, quiet, raced;
static struct { /* a program that is played, not explored */
  const uint32_t *input; /* what is at CL_INPUT */
  size_t input_words;
  uint32_t *log; /* of its trace events of kinds from `kind` on: their words */
  size_t room, logged;
  uint32_t kind, said;
  int on, ended;
} play_;
static uint32_t log_[LOG];
static struct {
  void *at;
  uint32_t old;
} *undo;
static size_t undone, undo_room;
static uint32_t *logs; /* of all executions that differ: length, words */
static size_t logs_room;
static uint64_t *seen;
static jmp_buf failed;

static __attribute__((noreturn, format(printf, 1, 2))) void fail(const char *format, ...) {
  va_list more;
  va_start(more, format);
  vsnprintf(r->failure, sizeof r->failure, format, more);
  va_end(more);
  longjmp(failed, 1);
}

/* --- memory ------------------------------------------------------------------------------------------ */

static void set(uint32_t *at, uint32_t value) {
  if (*at == value) return;
  if (undone == undo_room) {
    undo_room = undo_room ? 2 * undo_room : 1 << 16;
    undo = realloc(undo, undo_room * sizeof *undo);
    if (!undo) fail("no memory");
  }
  undo[undone].at = at;
  undo[undone++].old = *at;
  *at = value;
}

static void set_clocks(clocks *at, const clocks *value) {
  uint32_t words[sizeof *at / 4];
  memcpy(words, value, sizeof *value);
  for (size_t i = 0; i < sizeof *at / 4; i++) set((uint32_t *)(void *)at + i, words[i]);
}

static void back_to(size_t mark) {
  while (undone > mark) {
    undone--;
    *(uint32_t *)undo[undone].at = undo[undone].old;
  }
}

static void join(clocks *into, const clocks *other) {
  for (int i = 0; i < PROCESSES; i++)
    if (other->of[i] > into->of[i]) into->of[i] = other->of[i];
}

/* Two CPUs use this word, and nothing orders them. */
static void found(uint32_t word) {
  raced = 1;
  if (visible[word] || depth < 0) return;
  if (r->words < VARIABLES - V_WORDS) r->word[r->words++] = CL_RAM + 4 * word;
  visible[word] = (uint8_t)(V_WORDS + (r->words - 1) % (VARIABLES - V_WORDS)); /* one variable may be several words */
}

static void note_read(int p, uint32_t word) {
  uint32_t write = used[word].write;
  int by = (int)(write >> 16);
  if (by != p && (write & 0xffff) > now[p].of[by]) found(word);
  set(&used[word].read[p], now[p].of[p]);
}

static void note_write(int p, uint32_t word) {
  uint32_t write = used[word].write;
  int by = (int)(write >> 16);
  if (by != p && (write & 0xffff) > now[p].of[by]) found(word);
  for (int q = 0; q < CPUS; q++)
    if (q != p && used[word].read[q] > now[p].of[q]) found(word);
  set(&used[word].write, (uint32_t)p << 16 | now[p].of[p]);
}

/* --- interrupts and the local device ------------------------------------------------------------------- */

static uint64_t next_ring(void);
static void trap(int p);

static uint32_t pending(int p) {
  const cpu *c = &m.cpu[p];
  uint32_t mip = c->ipi << IRQ_IPI | (uint32_t)(m.time >= c->compare) << IRQ_TIMER | c->bell << IRQ_BELL;
  return mip & c->mie;
}

static int takes_trap(int p) { return m.cpu[p].mstatus & 8 && !m.cpu[p].mark && pending(p); }

static void put_log(uint32_t kind, int p, uint32_t a, uint32_t b) {
  if (quiet || play_.on) return;
  if (m.log_words + 3 > LOG) fail("a history is too long");
  uint32_t thread = m.cpu[p].x[4]; /* tp */
  log_[m.log_words] = kind | (uint32_t)p << 8 | thread << 16;
  log_[m.log_words + 1] = a;
  log_[m.log_words + 2] = b;
  m.log_words += 3;
}
enum { L_CALL, L_LOCK, L_OTHER, L_RETURN, L_TIME, L_PARK, L_UNLOCK, L_POST };

static void check(void);

/* The variable of a lock; all_locks: each is one. */
static uint32_t others[LOCKS];
static int lock_variable(uint32_t lock) {
  if (!o->all_locks || lock == m.lock_address) return V_LOCK;
  for (int i = 0; i < LOCKS; i++) {
    if (!others[i]) others[i] = lock;
    if (others[i] == lock) return V_LOCKS + i;
  }
  fail("more than %d locks", LOCKS);
}

/* The end of a critical section. */
static void released(int p, int is_kernel, int variable) {
  if (play_.on) return;
  clocks clock = wrote[variable];
  if (is_kernel) put_log(L_UNLOCK, p, 0, 0);
  join(&clock, &now[p]);
  set_clocks(&wrote[variable], &clock);
  now[p].of[p]++; /* what follows is not before what the next holder does */
  for (uint32_t q = 0; q < o->cpus; q++) is_kernel &= !m.cpu[q].holds; /* else the check sees the middle of a change */
  if (is_kernel) check();
}

/* A visible instruction of a store to the local device, or none. */
static event of_store(int p, uint32_t offset, uint32_t value) {
  const event none = {0, 0}, own = {0, BIT(V_CMP + p)}; /* own: nobody else's */
  switch (offset) {
    case CL_IPI:
    case CL_TRACE + 4 * EXPLORE_RING: return (event){0, BIT(V_IRQ + value)};
    case CL_IPI_CLEAR: return (event){0, BIT(V_IRQ + p)};
    case CL_MTIMECMP_LO:
    case CL_MTIMECMP_HI: return o->time_steps ? own : none;
    case CL_TRACE + 4 * EXPLORE_GO:
    case CL_TRACE + 4 * EXPLORE_PARK: return depth < 0 || offset == CL_TRACE + 4 * EXPLORE_PARK ? own : none;
    default: return none;
  }
}

static event of_load(int p, uint32_t offset) {
  switch (offset) {
    case CL_TRACE + 4 * EXPLORE_TAKE: return (event){0, BIT(V_IRQ + p)};
    case CL_LOCK_ACQUIRE: return (event){0, BIT(lock_variable(m.cpu[p].wants))};
    case CL_CYCLE:
    case CL_MTIME_LO:
    case CL_MTIME_HI: return o->time_steps ? (event){BIT(V_TIME), 0} : (event){0, 0};
    default: return (event){0, 0};
  }
}

static uint32_t load_local(int p, uint32_t offset) {
  if (play_.on && (offset == CL_CYCLE || offset == CL_MTIME_LO)) m.time += 8; /* some time passes for one who looks */
  switch (offset) {
    case CL_CPU_ID: return (uint32_t)p;
    case CL_CPU_COUNT: return o->cpus;
    case CL_CYCLE:
    case CL_MTIME_LO: return (uint32_t)m.time;
    case CL_CYCLE_H:
    case CL_MTIME_HI: return (uint32_t)(m.time >> 32);
    case CL_MTIMECMP_LO: return (uint32_t)m.cpu[p].compare;
    case CL_MTIMECMP_HI: return (uint32_t)(m.cpu[p].compare >> 32);
    case CL_LOCK_GRANT: return m.cpu[p].holds != 0;
    case CL_LOCK_ACQUIRE:
      m.cpu[p].holds = m.cpu[p].wants;
      if (m.cpu[p].holds != m.lock_address && !o->all_locks) return 1;
      if (m.cpu[p].posts) {
        put_log(L_POST, p, m.cpu[p].posts - 1, 0);
        m.cpu[p].posts = 0;
        m.cpu[p].posting = o->all_locks;
        return 1;
      }
      if (m.cpu[p].posting) {
        put_log(L_OTHER, p, 0, 0);
        m.cpu[p].posting = 0;
        return 1;
      }
      if (o->inside && ram[(o->inside - CL_RAM) / 4] == (uint32_t)p + 1) {
        put_log(L_OTHER, p, 0, 0);
        return 1;
      }
      put_log(m.cpu[p].in_trap || m.cpu[p].awake ? L_OTHER : L_LOCK, p, m.cpu[p].wants, 0);
      m.cpu[p].in_trap = m.cpu[p].awake = 0;
      return 1;
    case CL_TRACE + 4 * EXPLORE_TAKE: {
      uint32_t bell = m.cpu[p].bell;
      m.cpu[p].bell = 0;
      return bell;
    }
    case CL_LINE_PENDING: return 0;
    case CL_LINE_ENABLE: return p ? 0 : m.lines_enabled;
    default: fail("CPU %d at %x loads from %x of the local device", p, m.cpu[p].pc, offset);
  }
}

static void store_local(int p, uint32_t offset, uint32_t value) {
  cpu *c = &m.cpu[p];
  if (play_.on && offset == CL_EXIT) {
    play_.ended = 1;
    r->executions = value;
    return;
  }
  if (play_.on && offset >= CL_TRACE && offset < CL_TRACE + 4 * 16) {
    if (offset < CL_TRACE + 4 * play_.kind) return;
    if (play_.logged == play_.room) fail("it logs more than %zu words", play_.room);
    play_.log[play_.logged++] = value;
    return;
  }
  switch (offset) {
    case CL_LOCK_ADDRESS:
      if (c->holds) fail("CPU %d at %x asks for a lock while it has one", p, c->pc);
      if (!m.lock_address) m.lock_address = value;
      c->wants = value;
      return;
    case CL_LOCK_RELEASE:
      if (!c->holds) fail("CPU %d at %x releases a lock that it does not have", p, c->pc);
      {
        uint32_t held = c->holds;
        c->holds = 0;
        released(p, held == m.lock_address || o->all_locks, lock_variable(held));
      }
      return;
    case CL_MTIMECMP_LO: c->compare = (c->compare & ~(uint64_t)UINT32_MAX) | value; return;
    case CL_MTIMECMP_HI: c->compare = (uint32_t)c->compare | (uint64_t)value << 32; return;
    case CL_IPI:
      if (value >= o->cpus) fail("CPU %d at %x interrupts CPU %u", p, c->pc, value);
      m.cpu[value].ipi = 1;
      return;
    case CL_TRACE + 4 * EXPLORE_RING:
      if (value >= o->cpus) fail("CPU %d at %x rings CPU %u", p, c->pc, value);
      m.cpu[value].bell = 1;
      break;
    case CL_TRACE + 4 * EXPLORE_POST: c->posts = value + 1; return;
    case CL_IPI_CLEAR: c->ipi = 0; return;
    case CL_LINE_CLEAR: return;
    case CL_LINE_ENABLE:
      if (!p) m.lines_enabled = value;
      return;
    case CL_TRACE + 4 * EXPLORE_WORD: c->word = value; return;
    case CL_TRACE + 4 * EXPLORE_CALL: put_log(L_CALL, p, value, c->word); break;
    case CL_TRACE + 4 * EXPLORE_RETURN:
      c->awake = c->posting = 0;
      put_log(L_RETURN, p, value, c->word);
      break;
    case CL_TRACE + 4 * EXPLORE_GO: return;
    case CL_TRACE + 4 * EXPLORE_FAILED: fail("CPU %d: the program has failed (program.c, line %u)", p, value);
    default:
      if (offset >= CL_TRACE && offset < CL_TRACE + 4 * EXPLORE_WORD) return;
      fail("CPU %d at %x stores to %x of the local device", p, c->pc, offset);
  }
  /* A thread outside of the kernel. */
  if (c->holds) fail("CPU %d: a call has returned with the lock held", p);
  if (!(c->mstatus & 8)) fail("CPU %d: a call has returned with interrupts disabled", p);
}

/* --- the processor ------------------------------------------------------------------------------------- */

/* The instruction is visible, and not the one that the CPU was let go on for. */
static int stops(int p, int *granted, event e, int waits) {
  cpu *c = &m.cpu[p];
  if (quiet || play_.on || !(e.reads | e.writes)) return 0;
  if (*granted) {
    *granted = 0;
    return 0;
  }
  if (c->mstatus & 8 && waits != W_MARK) e.reads |= BIT(V_IRQ + p); /* it might be interrupted here */
  c->next = e;
  c->waits = waits;
  return 1;
}

static uint32_t *csr(int p, uint32_t number) {
  cpu *c = &m.cpu[p];
  switch (number) {
    case MSTATUS: return &c->mstatus;
    case MIE: return &c->mie;
    case MTVEC: return &c->mtvec;
    case MEPC: return &c->mepc;
    case MCAUSE: return &c->mcause;
    case MTVAL: return &c->mtval;
    default: return NULL;
  }
}

static uint32_t arithmetic(uint32_t f3, int other, uint32_t a, uint32_t b) {
  switch (f3) {
    case 0: return other ? a - b : a + b;
    case 1: return a << (b & 31);
    case 2: return (int32_t)a < (int32_t)b;
    case 3: return a < b;
    case 4: return a ^ b;
    case 5: return other ? (uint32_t)((int32_t)a >> (b & 31)) : a >> (b & 31);
    case 6: return a | b;
    default: return a & b;
  }
}

static uint32_t multiply(uint32_t f3, uint32_t a, uint32_t b) {
  int32_t sa = (int32_t)a, sb = (int32_t)b;
  switch (f3) {
    case 0: return a * b;
    case 1: return (uint32_t)((int64_t)sa * sb >> 32);
    case 2: return (uint32_t)((int64_t)sa * b >> 32);
    case 3: return (uint32_t)((uint64_t)a * b >> 32);
    case 4: return !b ? UINT32_MAX : sa == INT32_MIN && sb == -1 ? a : (uint32_t)(sa / sb);
    case 5: return !b ? UINT32_MAX : a / b;
    case 6: return !b ? a : sa == INT32_MIN && sb == -1 ? 0 : (uint32_t)(sa % sb);
    default: return !b ? a : a % b;
  }
}

enum { RETURN = 0x3ffffffc, CHECK_STACK = CL_RAM + 4 * RAM_WORDS };
static uint32_t check_stack[1024] __attribute__((aligned(8)));

static uint32_t *word_at(int p, uint32_t at, int store) {
  if (at - CL_INPUT < 4 * play_.input_words && !store) return (uint32_t *)(uintptr_t)&play_.input[(at - CL_INPUT) / 4];
  if (at - CL_RAM < 4 * o->ram_words) return &ram[(at - CL_RAM) / 4];
  if (quiet && at - CHECK_STACK < sizeof check_stack) return &check_stack[(at - CHECK_STACK) / 4];
  fail("CPU %d at %x %s %x", p, m.cpu[p].pc, store ? "stores to" : "loads from", at);
}

/* A load like the last one of the CPU, which has changed nothing since: it waits for another value. */
static int polls(int p, uint32_t n, uint32_t value) {
  cpu *c = &m.cpu[p];
  int again = c->spun_pc == c->pc && c->spun_word == n && c->spun_value == value &&
              !memcmp(c->spun_x, c->x, sizeof c->x);
  c->spun_pc = c->pc;
  c->spun_word = n;
  c->spun_value = value;
  memcpy(c->spun_x, c->x, sizeof c->x);
  return again;
}

/* Goes on with a CPU: its visible instruction or, if granted is 0, none; until before the next one. */
static void run(int p, int granted) {
  cpu *c = &m.cpu[p];
  for (uint32_t count = 0;; count++) {
    if (quiet && c->pc == RETURN) return;
    if (play_.on) {
      if (play_.ended) return;
      if (count == 300000000u) fail("CPU %d at %x does not end", p, c->pc);
      if (c->mstatus & 8 && pending(p)) trap(p);
    } else if (count > 200000) {
      fail("CPU %d at %x does not end", p, c->pc);
    }
    if (c->pc - CL_RAM >= 4 * o->ram_words || c->pc & 3) fail("CPU %d runs at %x", p, c->pc);
    uint32_t i = ram[(c->pc - CL_RAM) / 4], next = c->pc + 4;
    uint32_t rd = i >> 7 & 31, f3 = i >> 12 & 7, a = c->x[i >> 15 & 31], b = c->x[i >> 20 & 31], out = 0;
    uint32_t immediate = (uint32_t)((int32_t)i >> 20);
    switch (i & 0x7f) {
      case 0x37: out = i & 0xfffff000; break;
      case 0x17: out = c->pc + (i & 0xfffff000); break;
      case 0x6f:
        out = next;
        next = c->pc + ((uint32_t)((int32_t)i >> 31) << 20 | (i & 0xff000) | (i >> 9 & 0x800) | (i >> 20 & 0x7fe));
        break;
      case 0x67:
        out = next;
        next = (a + immediate) & ~1u;
        break;
      case 0x63: {
        static const uint8_t kind[8] = {0, 0, 9, 9, 2, 2, 3, 3};
        uint32_t taken = f3 < 2 ? a == b : kind[f3] < 9 ? arithmetic(kind[f3], 0, a, b) : 2;
        if (taken > 1) fail("CPU %d at %x: instruction %08x", p, c->pc, i);
        if (taken ^ (f3 & 1))
          next = c->pc + ((uint32_t)((int32_t)i >> 31) << 12 | (i << 4 & 0x800) | (i >> 20 & 0x7e0) | (i >> 7 & 0x1e));
        rd = 0;
        break;
      }
      case 0x03: {
        uint32_t at = a + immediate;
        static const uint8_t bytes[8] = {1, 2, 4, 0, 1, 2, 0, 0};
        if (!bytes[f3] || at % bytes[f3]) fail("CPU %d at %x: instruction %08x of %x", p, c->pc, i, at);
        if (at - CL_LOCAL < 0x100) {
          uint32_t offset = at - CL_LOCAL;
          c->spun_pc = 0;
          if (stops(p, &granted, of_load(p, offset), offset == CL_LOCK_ACQUIRE ? W_LOCK : 0)) return;
          out = load_local(p, offset);
          break;
        }
        uint32_t word = at == CL_UART_STATUS && play_.on ? 1 : *word_at(p, at, 0), n = (at - CL_RAM) / 4;
        if (!quiet && !play_.on) {
          int spins = o->all_locks && !granted && polls(p, n, word);
          if (spins && !visible[n]) found(n);
          if (visible[n]) {
            if (stops(p, &granted, (event){BIT(visible[n]), 0}, spins ? W_WORD : 0)) return;
          } else {
            note_read(p, n);
          }
        }
        out = word >> 8 * (at & 3);
        if (f3 == 0) out = (uint32_t)(int8_t)out;
        if (f3 == 1) out = (uint32_t)(int16_t)out;
        if (f3 == 4) out &= 0xff;
        if (f3 == 5) out &= 0xffff;
        break;
      }
      case 0x23: {
        uint32_t at = a + ((uint32_t)((int32_t)i >> 25) << 5 | rd);
        rd = 0;
        c->spun_pc = 0;
        if (f3 > 2 || at & ((1u << f3) - 1)) fail("CPU %d at %x: instruction %08x of %x", p, c->pc, i, at);
        if (at - CL_LOCAL < 0x100) {
          uint32_t offset = at - CL_LOCAL;
          int is_go = offset == CL_TRACE + 4 * EXPLORE_GO;
          int is_mark = offset == CL_TRACE + 4 * EXPLORE_PARK || (is_go && depth < 0);
          if (is_go && depth >= 0) granted = 0; /* its first step; or it was interrupted before */
          if (is_mark) c->mark = (offset - CL_TRACE) / 4;
          if (stops(p, &granted, of_store(p, offset, b), is_mark ? W_MARK : 0)) {
            if (c->mark == EXPLORE_PARK) put_log(L_PARK, p, 0, 0);
            return;
          }
          c->mark = 0;
          store_local(p, offset, b);
          break;
        }
        if (at == CL_UART_TX && play_.on) {
          if (play_.said < sizeof r->failure - 1) r->failure[play_.said++] = (char)b;
          break;
        }
        uint32_t *to = word_at(p, at, 1), n = (at - CL_RAM) / 4;
        uint32_t mask = f3 == 2 ? UINT32_MAX : ((1u << (8 << f3)) - 1) << 8 * (at & 3);
        uint32_t value = (*to & ~mask) | (b << 8 * (at & 3) & mask);
        if (quiet) {
          if (to < check_stack || to >= check_stack + 1024) fail("explore_check stores to %x", at);
          *to = value;
          break;
        }
        if (play_.on) {
          *to = value;
          break;
        }
        if (visible[n]) {
          if (stops(p, &granted, (event){0, BIT(visible[n])}, 0)) return;
        } else {
          note_write(p, n);
        }
        set(to, value);
        break;
      }
      case 0x13: out = arithmetic(f3, f3 == 5 && i >> 30 & 1, a, immediate); break;
      case 0x33: out = i >> 25 == 1 ? multiply(f3, a, b) : arithmetic(f3, i >> 30 & 1, a, b); break;
      case 0x0f: rd = 0; break;
      case 0x73: {
        if (i == 0x10500073) { /* wfi */
          if (stops(p, &granted, (event){BIT(V_IRQ + p), 0}, W_SLEEP)) return;
          if (play_.on && !pending(p)) {
            m.time = next_ring();
            if (m.time == UINT64_MAX) fail("every thread waits for ever");
          }
          c->awake = 1;
          break;
        }
        if (i == 0x30200073) { /* mret */
          if (o->cpus == 1) released(p, 1, V_LOCK);
          c->in_trap = c->posting = 0;
          c->mstatus |= c->mstatus >> 4 & 8;
          next = c->mepc;
          break;
        }
        uint32_t number = i >> 20, operand = f3 & 4 ? i >> 15 & 31 : a, *at = csr(p, number);
        if (!f3) fail("CPU %d at %x: instruction %08x", p, c->pc, i);
        int disables = number == MSTATUS && (f3 & 3) == 3 && operand & 8 && c->mstatus & 8;
        if (disables && stops(p, &granted, (event){BIT(V_IRQ + p), 0}, 0)) return;
        if (disables && o->cpus == 1) put_log(L_LOCK, p, 0, 0); /* a single CPU needs no lock */
        if (number == MSTATUS && (f3 & 3) == 2 && operand & 8 && o->cpus == 1) released(p, 1, V_LOCK);
        out = number == MIP ? pending(p) : number == 0xf14 ? (uint32_t)p : at ? *at : 0;
        if (at) *at = (f3 & 3) == 1 ? operand : (f3 & 3) == 2 ? *at | operand : *at & ~operand;
        break;
      }
      default: fail("CPU %d at %x: instruction %08x", p, c->pc, i);
    }
    if (rd) c->x[rd] = out;
    c->pc = next;
  }
}

static void trap(int p) {
  cpu *c = &m.cpu[p];
  uint32_t causes = pending(p), cause = causes >> IRQ_BELL ? IRQ_BELL : (uint32_t)__builtin_ctz(causes);
  c->mepc = c->pc;
  c->mcause = 1u << 31 | cause;
  c->mstatus = (c->mstatus & ~0x80u & ~8u) | 0x80;
  c->pc = (c->mtvec & ~3u) + 4 * cause;
  c->in_trap = cause;
}

/* The program's own look at the kernel's data, while the lock is free. */
static void check(void) {
  if (!o->check) return;
  struct seen *seen_ = (struct seen *)(void *)check_stack;
  *seen_ = (struct seen){.cpu = (uint32_t)running, .coming = m.coming, .asleep = m.asleep};
  for (uint32_t p = 0; p < o->cpus; p++) {
    seen_->interrupted |= (uint32_t)((pending((int)p) & ~(1u << IRQ_BELL)) != 0) << p;
    seen_->handling |= (uint32_t)(m.cpu[p].in_trap == IRQ_BELL) << p;
    seen_->awake |= m.cpu[p].awake << p;
    seen_->rings[p] = m.cpu[p].compare;
  }
  cpu kept = m.cpu[running], *c = &m.cpu[running];
  c->pc = o->check;
  c->x[1] = RETURN;
  c->x[2] = CHECK_STACK + sizeof check_stack;
  c->x[10] = CHECK_STACK;
  quiet = 1;
  run(running, 0);
  quiet = 0;
  uint32_t line = c->x[10];
  *c = kept;
  m.coming = seen_->coming;
  m.asleep = seen_->asleep;
  r->checks++;
  if (line && depth >= 0) fail("after CPU %d's critical section: program.c, line %u", running, line);
}

/* --- processes: the CPUs, and time ------------------------------------------------------------------------- */

static uint64_t next_ring(void) {
  uint64_t at = UINT64_MAX;
  for (uint32_t p = 0; p < o->cpus; p++)
    if (m.cpu[p].compare > m.time && m.cpu[p].compare < at) at = m.cpu[p].compare;
  /* So far ahead nothing is to come: the kernel looks at the wrap of the low half. */
  return (at - m.time) >> 31 ? UINT64_MAX : at;
}

static int is_held(uint32_t lock) {
  for (uint32_t p = 0; p < o->cpus; p++)
    if (m.cpu[p].holds == lock) return 1;
  return 0;
}

static int is_enabled(int p) {
  if (p == TIME) return m.steps_left && next_ring() != UINT64_MAX;
  if (p >= (int)o->cpus) return 0;
  const cpu *c = &m.cpu[p];
  if (takes_trap(p)) return 1;
  if (c->waits == W_LOCK) return !is_held(c->wants);
  if (c->waits == W_SLEEP) return pending(p) != 0;
  if (c->waits == W_WORD) return ram[c->spun_word] != c->spun_value;
  return c->waits != W_MARK;
}

static event next_event(int p) {
  if (p == TIME) {
    event e = {0, BIT(V_TIME)};
    for (uint32_t q = 0; q < o->cpus; q++) {
      e.reads |= BIT(V_CMP + q);
      e.writes |= BIT(V_IRQ + q);
    }
    return e;
  }
  return takes_trap(p) ? (event){BIT(V_IRQ + p), 0} : m.cpu[p].next;
}

static int depend(event a, event b) { return (a.writes & (b.reads | b.writes)) || (a.reads & b.writes); }

static void step(int p) {
  running = p;
  r->steps++;
  if (p == TIME) {
    m.time = next_ring();
    m.time += (uint32_t)m.time == UINT32_MAX; /* a timer set to the last moment before the wrap waits for the wrap */
    m.steps_left--;
    put_log(L_TIME, p, (uint32_t)m.time, 0);
  } else if (takes_trap(p)) {
    trap(p);
    run(p, 0);
  } else {
    run(p, 1);
  }
}

/* The event happens now: it is after all that it depends on. */
static void tick(int p, event e) {
  for (uint64_t left = e.reads | e.writes; left; left &= left - 1) {
    int v = __builtin_ctzll(left);
    join(&now[p], &wrote[v]);
    if (e.writes >> v & 1) join(&now[p], &read_[v]);
  }
  now[p].of[p]++;
  for (uint64_t left = e.reads | e.writes; left; left &= left - 1) {
    int v = __builtin_ctzll(left);
    clocks *to = e.writes >> v & 1 ? &wrote[v] : &read_[v], joined = *to;
    join(&joined, &now[p]);
    set_clocks(to, &joined);
  }
}

/* --- from reset to where exploration begins ---------------------------------------------------------------- */

static machine first;
static uint32_t first_ram[RAM_WORDS];

static void boot(void) {
  memset(&m, 0, sizeof m);
  memcpy(ram, image, 4 * o->ram_words);
  m.time = (uint64_t)o->start[1] << 32 | o->start[0];
  m.steps_left = o->time_steps;
  depth = -1;
  for (uint32_t p = 0; p < o->cpus; p++) {
    m.cpu[p].pc = CL_RAM + 0x80;
    m.cpu[p].compare = UINT64_MAX;
    running = (int)p;
    run((int)p, 0);
  }
  for (uint32_t steps = 0;; steps++) {
    uint32_t at_go = 0;
    int next = -1;
    for (int p = 0; p < (int)o->cpus; p++) {
      at_go += m.cpu[p].mark == EXPLORE_GO;
      if (is_enabled(p)) next = p; /* CPU 0 last: the others are asleep when it makes a thread for them */
    }
    if (at_go == o->parties) break;
    if (next < 0 || steps > 100000) fail("the threads do not come to where exploration begins");
    step(next);
  }
  for (int p = 0; p < (int)o->cpus; p++)
    if (m.cpu[p].mark == EXPLORE_GO) m.cpu[p].mark = (uint32_t)(m.cpu[p].waits = 0);
  first = m;
  memcpy(first_ram, ram, 4 * o->ram_words);
}

static void begin(void) {
  m = first;
  memcpy(ram, first_ram, 4 * o->ram_words);
  memset(used, 0, o->ram_words * sizeof *used);
  memset(now, 0, sizeof now);
  memset(wrote, 0, sizeof wrote);
  memset(read_, 0, sizeof read_);
  for (int p = 0; p < PROCESSES; p++) now[p].of[p] = 1;
  undone = 0;
  depth = 0;
  raced = 0;
}

/* --- executions --------------------------------------------------------------------------------------------- */

/* Nothing can happen any more. What threads wait for is the reference model's to judge: keep the history. */
static void finish(void) {
  r->executions++;
  for (uint32_t p = 0; p < o->cpus; p++)
    if (m.cpu[p].holds) fail("in the end CPU %u has a lock", p);
  uint64_t hash = 0xcbf29ce484222325u;
  for (uint32_t i = 0; i < m.log_words; i++) hash = (hash ^ log_[i]) * 0x9e3779b97f4a7c15u, hash ^= hash >> 29;
  hash += !hash;
  size_t slot = hash % SEEN;
  while (seen[slot] && seen[slot] != hash) slot = (slot + 1) % SEEN;
  if (seen[slot]) return;
  if (r->logs == SEEN / 2) fail("too many histories that differ: make the scenario smaller");
  seen[slot] = hash;
  size_t need = r->log_words + m.log_words + 1;
  if (need > logs_room) {
    logs_room = 2 * need;
    logs = realloc(logs, logs_room * sizeof *logs);
    if (!logs) fail("no memory");
  }
  logs[r->log_words] = m.log_words;
  memcpy(&logs[r->log_words + 1], log_, m.log_words * sizeof *log_);
  r->log_words = (uint32_t)need;
  r->logs++;
}

static void enter(uint32_t sleep) {
  frame *f = &frames[depth];
  f->before = m;
  f->undo = undone;
  f->enabled = f->backtrack = f->done = 0;
  f->sleep = sleep;
  f->process = -1;
  for (int p = 0; p < PROCESSES; p++) {
    f->enabled |= (uint32_t)is_enabled(p) << p;
    f->next[p] = next_event(p);
  }
}

/* Event i of the execution happens before the event that has these clocks. */
static int before(int i, const clocks *clock) {
  return frames[i].clock.of[frames[i].process] <= clock->of[frames[i].process];
}

/* p's next event races with event i: from there another process must go first. The first events of those after i that
 * do not depend on it, and of p, are as good as each other. */
static void reverse(int p, event e, int i) {
  frame *f = &frames[i];
  uint32_t initials = 0, had = 0;
  for (int j = i + 1; j < depth; j++) {
    if (before(i, &frames[j].clock)) continue;
    int q = frames[j].process, is_first = !(had >> q & 1);
    had |= 1u << q;
    for (int k = i + 1; is_first && k < j; k++)
      if (!before(i, &frames[k].clock) && before(k, &frames[j].clock)) is_first = 0;
    if (is_first) initials |= 1u << q;
  }
  int is_first = !(had >> p & 1);
  for (int k = i + 1; is_first && k < depth; k++)
    if (!before(i, &frames[k].clock) && (before(k, &now[p]) || depend(frames[k].event, e))) is_first = 0;
  if (is_first) initials |= 1u << p;
  initials &= f->enabled;
  if (!initials || initials & (f->backtrack | f->done)) return;
  f->backtrack |= initials >> p & 1 ? 1u << p : initials & -initials;
}

static void races(int p, event e) {
  clocks clock = now[p];
  for (int i = depth - 1; i >= 0; i--) {
    if (frames[i].process == p || before(i, &clock) || !depend(frames[i].event, e)) continue;
    reverse(p, e, i);
    join(&clock, &frames[i].clock);
  }
}

static void leave(void) {
  const frame *f = &frames[depth];
  m = f->before;
  back_to(f->undo);
}

static clocks kept_now[DEEP + 1][PROCESSES];

/* All executions that differ. 0: a word has become visible, so begin again. */
static int search(void) {
  begin();
  enter(0);
  for (;;) {
    frame *f = &frames[depth];
    if (!f->backtrack && !f->done) {
      uint32_t candidates = f->enabled & ~f->sleep;
      if (!f->enabled) finish();
      else if (!candidates) r->cut++;
      else f->backtrack = o->unreduced ? candidates : candidates & -candidates;
      if (raced) return 0;
      if (r->executions == o->limit) return 1;
    }
    uint32_t choices = f->backtrack & ~f->done & ~f->sleep;
    if (!choices) {
      if (!depth) break;
      depth--;
      leave();
      memcpy(now, kept_now[depth], sizeof now);
      continue;
    }
    int p = __builtin_ctz(choices);
    event e = f->next[p];
    memcpy(kept_now[depth], now, sizeof now);
    races(p, e);
    uint32_t sleep = 0;
    for (int q = 0; q < PROCESSES && !o->unreduced; q++)
      if ((f->sleep | f->done) >> q & 1 && !depend(f->next[q], e)) sleep |= 1u << q;
    f->done |= 1u << p;
    f->process = p;
    f->event = e;
    tick(p, e);
    f->clock = now[p];
    now[p].of[p]++; /* as above */
    step(p);
    if (++depth == DEEP) fail("an execution does not end");
    if ((uint32_t)depth > r->deepest) r->deepest = (uint32_t)depth;
    enter(sleep);
  }
  r->exhausted = 1;
  return 1;
}

static uint32_t random_state;
static uint32_t draw(uint32_t below) {
  random_state = random_state * 1664525u + 1013904223u;
  return (random_state >> 8) % below;
}

/* One execution by random priorities, of which some become the lowest on the way (Burckhardt et al., "A randomized
 * scheduler with probabilistic guarantees of finding bugs"). */
static int walk(uint32_t length) {
  uint32_t priority[PROCESSES], lowest = 1u << 20, change[16];
  begin();
  for (int p = 0; p < PROCESSES; p++) priority[p] = lowest + 1 + draw(1u << 20);
  for (uint32_t i = 0; i < o->changes; i++) change[i] = draw(length);
  for (;;) {
    int best = -1;
    enter(0);
    for (int p = 0; p < PROCESSES; p++)
      if (frames[depth].enabled >> p & 1 && (best < 0 || priority[p] > priority[best])) best = p;
    if (best < 0) break;
    for (uint32_t i = 0; i < o->changes; i++)
      if (change[i] == (uint32_t)depth) priority[best] = --lowest;
    frames[depth].process = best;
    frames[depth].event = frames[depth].next[best];
    tick(best, frames[depth].event);
    now[best].of[best]++;
    step(best);
    if (++depth == DEEP) fail("an execution does not end");
    if ((uint32_t)depth > r->deepest) r->deepest = (uint32_t)depth;
  }
  finish();
  return !raced;
}

/* Explores the image; 1, or 0 with the failure and how it came about in `results`. */
int explore(const options *with, const uint32_t *words, size_t count, results *to);
int explore(const options *with, const uint32_t *words, size_t count, results *to) {
  o = with;
  r = to;
  memset(to, 0, sizeof *to);
  memset(visible, 0, sizeof visible);
  memset(others, 0, sizeof others);
  memset(image, 0, sizeof image);
  seen = calloc(SEEN, sizeof *seen);
  memcpy(image, words, count * sizeof *words);
  quiet = 0;
  if (setjmp(failed)) {
    for (int i = 0; i <= depth && i < DEEP && depth >= 0; i++) {
      uint32_t *at = &r->schedule[3 * r->scheduled++];
      int p = frames[i].process;
      at[0] = (uint32_t)p;
      at[1] = p >= 0 && p < CPUS ? frames[i].before.cpu[p].pc : 0;
      at[2] = p >= 0 && p < CPUS && i < depth ? frames[i + 1].before.cpu[p].pc : 0;
    }
    if (m.log_words) {
      r->logs = 1;
      r->log_words = m.log_words + 1;
      logs = realloc(logs, (logs_room = LOG + 1) * sizeof *logs);
      logs[0] = m.log_words;
      memcpy(logs + 1, log_, m.log_words * sizeof *log_);
    }
    free(seen);
    return 0;
  }
  boot();
  random_state = o->seed;
  for (uint32_t walks = 0, length = 100; o->walks ? walks < o->walks : !walks; walks++) {
    while (!(o->walks ? walk(length) : search())) {
      r->restarts++;
      if (!o->walks) r->executions = r->cut = r->logs = r->log_words = 0, memset(seen, 0, SEEN * sizeof *seen);
    }
    if (r->deepest > length) length = r->deepest;
  }
  free(seen);
  return 1;
}

/* Runs a program on one CPU, in the one order that this has; what its loads of the input find, and its log. Returns how
 * many words that has; its exit status is in `executions`, what it prints or why it has been stopped in `failure`. */
size_t play(const uint32_t *words, size_t count, const uint32_t *input, size_t input_words, uint32_t *log, size_t room,
            uint32_t kind, results *to);
size_t play(const uint32_t *words, size_t count, const uint32_t *input, size_t input_words, uint32_t *log, size_t room,
            uint32_t kind, results *to) {
  static const options alone = {.cpus = 1, .ram_words = RAM_WORDS, .time_steps = 1};
  o = &alone;
  r = to;
  memset(to, 0, sizeof *to);
  memset(&play_, 0, sizeof play_);
  play_.input = input;
  play_.input_words = input_words;
  play_.log = log;
  play_.room = room;
  play_.kind = kind;
  play_.on = 1;
  memset(&m, 0, sizeof m);
  memset(ram, 0, sizeof ram);
  memcpy(ram, words, count * sizeof *words);
  m.time = 1000;
  m.cpu[0].pc = CL_RAM + 0x80;
  m.cpu[0].compare = UINT64_MAX;
  quiet = running = 0;
  if (!setjmp(failed)) run(0, 0);
  else to->executions = UINT32_MAX;
  play_.on = 0;
  play_.input_words = 0;
  return play_.logged;
}

/* The histories of the last call: each its length in words, and words. */
const uint32_t *explored(void);
const uint32_t *explored(void) { return logs; }
