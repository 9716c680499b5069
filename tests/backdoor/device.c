/* SPDX-License-Identifier: Apache-2.0
 *
 * A model of the Back-Door with processor 1 behind it, for this machine: the driver, the loader and what programs have
 * run against it as they are. Processor 1 is a coroutine that goes on by some accesses at each access of the near side,
 * a number that comes of a seed. What it takes for its memory is an array; its stack and variables are beside that, at
 * addresses of their own. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include "cl_backdoor.h"
#include "coreloom_far.h"
#include "loader.h"

#define BLOCK 32768u
#define DEPTH 16u
#define STACK (1u << 18)
#define STACK_WINDOW 0x50000000u
#define DATA_WINDOW 0x68000000u

struct mail {
  uint32_t words[DEPTH], head, count;
};

struct bells {
  uint32_t pending, enabled, merged;
};

static struct {
  uint32_t seed, cycle, control, running, errors, pc;
  uint32_t words[4], far_words[4], far_errors;
  struct bells near, far;
  struct mail down, up;
  uint32_t list, busy, left, done, error, crc; /* the DMA */
  uint32_t down_bytes, up_bytes;
  uint32_t window, window_base, window_offset, window_block, window_control, window_left, window_busy, window_error;
  uint32_t limit, limited, runs; /* the program's */
  uint32_t stopped;              /* its clock */
} now;

#define NEAR_BYTES 8192u
#define NEAR_BASE 0x40000000u
static uint32_t near_memory[NEAR_BYTES / 4];
static uint32_t memory[CL_BACKDOOR_MEMORY_BYTES / 4], down[BLOCK / 4], up[BLOCK / 4];
static char stack[STACK] __attribute__((aligned(16)));
static ucontext_t near_context, far_context;

static uint32_t random_below(uint32_t bound) {
  now.seed = now.seed * 1664525u + 1013904223u;
  return (now.seed >> 8) % bound;
}

static void ring(struct bells *bells, uint32_t which) {
  for (uint32_t n = 0; n < 32; n++)
    if (bells->pending & which & 1u << n && bells->merged < 65535) bells->merged++;
  bells->pending |= which;
}

/* --- Its memory --- */

uint32_t cl_far_address(const volatile void *local) {
  uintptr_t at = (uintptr_t)local;
  if (at - (uintptr_t)memory < sizeof memory) return CL_BACKDOOR_MEMORY_BASE + (uint32_t)(at - (uintptr_t)memory);
  if (at - (uintptr_t)stack < STACK) return STACK_WINDOW + (uint32_t)(at - (uintptr_t)stack);
  return DATA_WINDOW + (uint32_t)(at - (uintptr_t)&now);
}

void *cl_far_pointer(uint32_t address) {
  if (address - CL_BACKDOOR_MEMORY_BASE < sizeof memory) return (char *)memory + (address - CL_BACKDOOR_MEMORY_BASE);
  if (address - STACK_WINDOW < STACK) return stack + (address - STACK_WINDOW);
  return (char *)&now + (int32_t)(address - DATA_WINDOW);
}

static int is_local(uint32_t address, uint32_t words) {
  if (address % 4) return 0;
  if (address >> 24 != CL_BACKDOOR_MEMORY_BASE >> 24) return address >= STACK_WINDOW && address < 0x70000000u;
  uint32_t at = address - CL_BACKDOOR_MEMORY_BASE;
  return at <= sizeof memory && 4ull * words <= sizeof memory - at;
}

/* --- Its DMA: a descriptor at a step --- */

static void dma_step(void) {
  if (!now.busy) return;
  if (now.left) { /* it takes its time */
    now.left--;
    return;
  }
  const struct cl_far_descriptor *list = cl_far_pointer(now.list);
  uint32_t words = list->control & CL_BACKDOOR_DESCRIPTOR_CONTROL_WORDS_MASK, op = list->control >> 28 & 3;
  uint32_t *local = cl_far_pointer(list->memory), *block = op == CL_BACKDOOR_DMA_OP_UP ? up : down;
  uint32_t error = 0;
  if (op == 3) error = CL_BACKDOOR_DMA_ERROR_OP;
  else if (op != CL_BACKDOOR_DMA_OP_CHECK && !is_local(list->memory, words)) error = CL_BACKDOOR_DMA_ERROR_MEMORY;
  else if (list->block % 4 || list->block > BLOCK || 4ull * words > BLOCK - list->block)
    error = CL_BACKDOOR_DMA_ERROR_BLOCK;
  else
    for (uint32_t n = 0; n < words; n++) {
      uint32_t *at = block + list->block / 4 + n;
      if (op == CL_BACKDOOR_DMA_OP_UP) *at = local[n];
      if (op == CL_BACKDOOR_DMA_OP_DOWN) local[n] = *at;
      now.crc = cl_backdoor_crc(now.crc, at, 1);
    }
  if (error || list->control >> CL_BACKDOOR_DESCRIPTOR_CONTROL_LAST_LSB) {
    now.busy = 0;
    now.done = 1;
    now.error = error;
  } else {
    now.list += sizeof *list;
    now.left = random_below(20);
  }
}

/* --- The window: a transfer at a step --- */

static uint32_t window_check(uint32_t words, uint32_t is_up) {
  uint64_t size = now.window & ~3u;
  if (!size || now.window_offset % 4 || now.window_offset + 4ull * words > size) return CL_BACKDOOR_WINDOW_ERROR_WINDOW;
  if (is_up && !(now.window & 1)) return CL_BACKDOOR_WINDOW_ERROR_WRITE;
  if (now.window_block % 4 || now.window_block + 4ull * words > BLOCK) return CL_BACKDOOR_WINDOW_ERROR_BLOCK;
  return CL_BACKDOOR_WINDOW_ERROR_NONE;
}

static void window_step(void) {
  if (!now.window_busy) return;
  if (now.window_left) { /* it takes its time */
    now.window_left--;
    return;
  }
  uint32_t words = now.window_control & CL_BACKDOOR_WINDOW_START_WORD_WORDS_MASK, is_up = now.window_control >> 31;
  now.window_busy = 0;
  now.window_error = window_check(words, is_up);
  if (now.window_error) return;
  for (uint32_t n = 0; n < words; n++) {
    uint32_t at = (now.window_base + now.window_offset - NEAR_BASE) / 4 + n, place = now.window_block / 4 + n;
    if (at >= NEAR_BYTES / 4) abort(); /* the tests open nothing there */
    if (is_up) near_memory[at] = up[place];
    else down[place] = near_memory[at];
  }
}

static void window_change(void) {
  if (!now.window_busy) return;
  now.window_busy = 0;
  now.window_error = CL_BACKDOOR_WINDOW_ERROR_CUT;
}

/* --- Processor 1 --- */

static void enter(void) { cl_loader_begin(); }

static void hold(void) {
  if (now.busy) now.errors |= CL_BACKDOOR_NEAR_ERROR_WORD_HELD_MASK << CL_BACKDOOR_NEAR_ERROR_WORD_HELD_LSB;
  now.window = now.window_busy = now.window_error = 0;
  now.running = now.busy = now.done = now.error = now.limited = now.runs = 0;
  now.pc = 0x40000000u + now.cycle; /* something */
  memset(now.far_words, 0, sizeof now.far_words);
  memset(&now.down, 0, sizeof now.down);
  memset(&now.up, 0, sizeof now.up);
  memset(&now.far, 0, sizeof now.far);
  getcontext(&far_context);
  far_context.uc_stack.ss_sp = stack;
  far_context.uc_stack.ss_size = STACK;
  far_context.uc_link = NULL;
  makecontext(&far_context, enter, 0);
}

/* Both sides go on a little. */
static void step(void) {
  now.cycle += 2;
  if (now.stopped) return;
  if (!now.control) {
    if (now.running) hold();
    return;
  }
  now.running = 1;
  for (uint32_t accesses = random_below(4); accesses; accesses--) {
    dma_step();
    window_step();
    swapcontext(&near_context, &far_context);
  }
}

/* A side has made an access, and goes on later: perhaps never, or elsewhere at its limit. */
static void rest(void) {
  swapcontext(&far_context, &near_context);
  if (now.limited && (int32_t)(now.cycle - now.limit) >= 0) {
    now.limited = now.runs = 0;
    cl_loader_end(CL_BACKDOOR_STATE_LIMIT, 0, 0x40000abcu, 0);
  }
}

uint32_t cl_far_cycle(void) { return now.cycle; }

void cl_far_limit(uint32_t cycles) {
  now.limited = cycles != 0;
  now.limit = now.cycle + cycles;
}

uint32_t cl_far_read(unsigned offset) {
  rest();
  if (offset >= CL_BACKDOOR_FAR_NEAR_WORD && offset < CL_BACKDOOR_FAR_NEAR_WORD + 16)
    return now.words[(offset - CL_BACKDOOR_FAR_NEAR_WORD) / 4];
  if (offset >= CL_BACKDOOR_FAR_WORD && offset < CL_BACKDOOR_FAR_WORD + 16)
    return now.far_words[(offset - CL_BACKDOOR_FAR_WORD) / 4];
  switch (offset) {
    case CL_BACKDOOR_FAR_SIZE: return BLOCK;
    case CL_BACKDOOR_FAR_BELL_PENDING: return now.far.pending;
    case CL_BACKDOOR_FAR_MAIL_COUNT: return (DEPTH - now.up.count) | now.down.count << 8;
    case CL_BACKDOOR_FAR_MAIL_RECEIVE: now.down.count--; return now.down.words[now.down.head++ % DEPTH];
    case CL_BACKDOOR_FAR_DMA_STATUS: return now.busy | now.done << 1 | now.error << 4;
    case CL_BACKDOOR_FAR_DMA_CRC: return now.crc;
    case CL_BACKDOOR_FAR_WINDOW: return now.window;
    case CL_BACKDOOR_FAR_WINDOW_STATUS: return now.window_busy | (now.window_busy ? 0 : now.window_error << 4);
    default: abort();
  }
}

void cl_far_write(unsigned offset, uint32_t word) {
  rest();
  if (offset >= CL_BACKDOOR_FAR_WORD && offset < CL_BACKDOOR_FAR_WORD + 16) {
    now.far_words[(offset - CL_BACKDOOR_FAR_WORD) / 4] = word;
    return;
  }
  switch (offset) {
    case CL_BACKDOOR_FAR_BELL_RING: ring(&now.near, word); break;
    case CL_BACKDOOR_FAR_BELL_CLEAR: now.far.pending &= ~word; break;
    case CL_BACKDOOR_FAR_BELL_ENABLE: now.far.enabled = word; break;
    case CL_BACKDOOR_FAR_MAIL_SEND: now.up.words[(now.up.head + now.up.count++) % DEPTH] = word; break;
    case CL_BACKDOOR_FAR_DMA_LIST:
      if (now.busy) abort();
      now.list = word;
      now.busy = 1;
      now.left = random_below(20);
      break;
    case CL_BACKDOOR_FAR_WINDOW_OFFSET:
    case CL_BACKDOOR_FAR_WINDOW_BLOCK:
    case CL_BACKDOOR_FAR_WINDOW_START:
      if (now.window_busy) abort(); /* the program looks before */
      if (offset == CL_BACKDOOR_FAR_WINDOW_OFFSET) now.window_offset = word;
      if (offset == CL_BACKDOOR_FAR_WINDOW_BLOCK) now.window_block = word;
      if (offset != CL_BACKDOOR_FAR_WINDOW_START) break;
      now.window_control = word;
      now.window_busy = 1;
      now.window_left = random_below(20);
      break;
    case CL_BACKDOOR_FAR_DMA_CLEAR: now.done = now.error = 0; break;
    case CL_BACKDOOR_FAR_DMA_CRC: now.crc = 0; break;
    case CL_BACKDOOR_FAR_DMA_ENABLE:
    case CL_BACKDOOR_FAR_BUS_ERROR_CLEAR: break;
    default: abort();
  }
}

/* --- The program: what its argument says --- */

enum { RETURN, FAULT, FOREVER, ECHO, RESULT, LOG, MAIL, FLOOD, BAD_DMA, WRECK, LIE, WINDOW };

int cl_start(const void *argument, size_t bytes, struct cl_far_page *page);

void cl_loader_run(uint32_t entry, const uint32_t *argument, uint32_t bytes, struct cl_far_page *page) {
  (void)entry;
  now.runs = 1;
  int status = cl_start(argument, bytes, page);
  now.runs = 0;
  cl_loader_end(CL_BACKDOOR_STATE_DONE, (uint32_t)status, 0, 0);
}

int far_main(const void *argument, size_t bytes) {
  static uint32_t buffer[20000];
  const uint32_t *words = argument;
  uint32_t value = bytes > 4 ? words[1] : 0, message;
  if (!bytes) return 0;
  switch (words[0]) {
    case RETURN: return (int)value;
    case FAULT: cl_loader_end(CL_BACKDOOR_STATE_FAULT, value, 0x40000124u, 0x90000000u);
    case FOREVER:
      for (;;) rest();
    case ECHO:
      far_receive(buffer, 4 * value);
      for (uint32_t n = 0; n < value; n++) buffer[n] = ~buffer[n];
      return far_send(buffer, 4 * value);
    case RESULT:
      far_send(words, 8);
      for (uint32_t n = 0; n < value; n++) ((char *)buffer)[n] = (char)(n * 7);
      return far_result(buffer, value);
    case LOG:
      for (uint32_t n = 0; n < value; n++) far_log("0123456789");
      return 0;
    case MAIL:
      for (uint32_t n = 0; n < value;) {
        if (far_take(&message)) continue;
        while (far_post(message + 1)) continue;
        n++;
      }
      return 0;
    case FLOOD:
      for (;;) {
        far_ring(2);
        cl_far_write(CL_BACKDOOR_FAR_BELL_RING, 1); /* the protocol's, too */
      }
    case BAD_DMA: return far_send(cl_far_pointer(CL_BACKDOOR_MEMORY_BASE + sizeof memory - 8), 4 * value);
    case WINDOW: { /* its size; or read or write: words[1], offset: words[2], bytes: words[3], all again: words[4] */
      int writable, error = 0;
      uint32_t more = bytes > 16 ? words[4] : 0;
      if (bytes == 4) return (int)far_window(&writable) | writable;
      do {
        if (value) error = far_write(words[2], buffer, words[3]);
        else if (!(error = far_read(buffer, words[2], words[3])))
          for (uint32_t n = 0; n < words[3] / 4; n++) buffer[n] = ~buffer[n];
        value = !value;
      } while (!error && more--);
      return error;
    }
    case WRECK: { /* the loader's page, as far as it has it here */
      struct cl_far_page *page = (void *)((char *)(uintptr_t)argument - offsetof(struct cl_far_page, argument) - 4);
      memset(page, 0xee, offsetof(struct cl_far_page, argument));
      return (int)value;
    }
    case LIE: /* in its words */
      cl_far_write(CL_BACKDOOR_FAR_WORD + 8, 0xdead0000u);
      cl_far_write(CL_BACKDOOR_FAR_WORD + 12, 0xdead0000u);
      if (value) cl_far_write(CL_BACKDOOR_FAR_WORD, value);
      for (;;) rest();
  }
  return -1;
}

/* --- The near side --- */

static uint32_t near_read(const struct cl_mmio *mmio, uint32_t offset) {
  (void)mmio;
  step();
  if (offset >= CL_BACKDOOR_NEAR_FAR_WORD && offset < CL_BACKDOOR_NEAR_FAR_WORD + 16)
    return now.far_words[(offset - CL_BACKDOOR_NEAR_FAR_WORD) / 4];
  switch (offset) {
    case CL_BACKDOOR_NEAR_ID: return CL_BACKDOOR_ID_WORD;
    case CL_BACKDOOR_NEAR_SIZE: return BLOCK;
    case CL_BACKDOOR_NEAR_CONTROL: return now.control;
    case CL_BACKDOOR_NEAR_STATUS:
      return now.running | now.busy << 1 | (now.running && now.down.count < DEPTH) << 2 | (now.up.count > 0) << 3;
    case CL_BACKDOOR_NEAR_ERROR: return now.errors;
    case CL_BACKDOOR_NEAR_BELL_PENDING: return now.near.pending;
    case CL_BACKDOOR_NEAR_BELL_MERGED: return now.near.merged;
    case CL_BACKDOOR_NEAR_MAIL_RECEIVE: now.up.count--; return now.up.words[now.up.head++ % DEPTH];
    case CL_BACKDOOR_NEAR_FAR_PC: return now.pc;
    case CL_BACKDOOR_NEAR_WINDOW: return now.window;
    case CL_BACKDOOR_NEAR_FAR_DMA: return now.busy | now.done << 1 | now.error << 4;
    default: abort();
  }
}

static void near_write(const struct cl_mmio *mmio, uint32_t offset, uint32_t word) {
  (void)mmio;
  step();
  if (offset >= CL_BACKDOOR_NEAR_WORD && offset < CL_BACKDOOR_NEAR_WORD + 16) {
    now.words[(offset - CL_BACKDOOR_NEAR_WORD) / 4] = word;
    return;
  }
  switch (offset) {
    case CL_BACKDOOR_NEAR_CONTROL: now.control = word; break;
    case CL_BACKDOOR_NEAR_ERROR: now.errors &= ~word; break;
    case CL_BACKDOOR_NEAR_BELL_RING: ring(&now.far, word); break;
    case CL_BACKDOOR_NEAR_BELL_CLEAR: now.near.pending &= ~word; break;
    case CL_BACKDOOR_NEAR_BELL_ENABLE: now.near.enabled = word; break;
    case CL_BACKDOOR_NEAR_WINDOW:
    case CL_BACKDOOR_NEAR_WINDOW_BASE:
      window_change();
      if (offset == CL_BACKDOOR_NEAR_WINDOW) now.window = word & ~2u;
      else now.window_base = word & ~3u;
      break;
    case CL_BACKDOOR_NEAR_BELL_MERGED: now.near.merged = 0; break;
    case CL_BACKDOOR_NEAR_MAIL_SEND:
      if (now.down.count == DEPTH) abort(); /* the driver looks before */
      now.down.words[(now.down.head + now.down.count++) % DEPTH] = word;
      break;
    default: abort();
  }
}

static void near_put(const struct cl_mmio *mmio, uint32_t offset, const uint32_t *words, size_t count) {
  (void)mmio;
  step();
  if (offset - CL_BACKDOOR_DOWN_OFFSET > BLOCK || 4 * count > BLOCK - (offset - CL_BACKDOOR_DOWN_OFFSET)) abort();
  memcpy(down + (offset - CL_BACKDOOR_DOWN_OFFSET) / 4, words, 4 * count);
}

static void near_get(const struct cl_mmio *mmio, uint32_t offset, uint32_t *words, size_t count) {
  (void)mmio;
  step();
  if (offset - CL_BACKDOOR_UP_OFFSET > BLOCK || 4 * count > BLOCK - (offset - CL_BACKDOOR_UP_OFFSET)) abort();
  memcpy(words, up + (offset - CL_BACKDOOR_UP_OFFSET) / 4, 4 * count);
}

static uint32_t near_time(const struct cl_mmio *mmio) {
  (void)mmio;
  return now.cycle;
}

static void near_wait(const struct cl_mmio *mmio, unsigned looks, uint32_t cycles) {
  (void)mmio;
  (void)looks;
  for (uint32_t n = 0; n < 10 && 2 * n < cycles; n++) step();
}

static const struct cl_mmio mmio = {near_read, near_write, near_put, near_get, near_time, near_wait, NULL};
static struct cl_backdoor door;

/* --- For the tests --- */

int door_open(uint32_t seed, uint32_t patience) {
  memset(&now, 0, sizeof now);
  memset(memory, 0x5a, sizeof memory);
  now.seed = seed;
  hold();
  now.errors = 0;
  return cl_backdoor_open(&door, &mmio, patience);
}

int door_hold(void) { return cl_backdoor_hold(&door); }
int door_release(void) { return cl_backdoor_release(&door); }
int door_load(const uint32_t *image, size_t bytes) { return cl_backdoor_load(&door, image, bytes); }
int door_boot(const uint32_t *image, size_t bytes) { return cl_backdoor_boot(&door, image, bytes); }
int door_start(const void *argument, size_t bytes, uint32_t limit) {
  return cl_backdoor_start(&door, argument, bytes, limit);
}
int door_status(uint32_t *words) {
  struct cl_backdoor_status status;
  int error = cl_backdoor_status(&door, &status);
  const uint32_t all[] = {
      status.state,        status.detail,    status.pc,       status.address,      status.cycles,
      status.result_bytes, status.log_bytes, status.log_lost, status.bells_merged, status.dma_error,
  };
  memcpy(words, all, sizeof all);
  return error;
}
int door_wait(void) { return cl_backdoor_wait(&door); }
int door_result(void *to, size_t room, size_t *bytes) { return cl_backdoor_result(&door, to, room, bytes); }
int door_log(char *to, size_t room) { return cl_backdoor_log(&door, to, room); }
int door_send(const void *words, size_t bytes, size_t *done) { return cl_backdoor_send(&door, words, bytes, done); }
int door_receive(void *words, size_t bytes, size_t *done) { return cl_backdoor_receive(&door, words, bytes, done); }
int door_post(uint32_t message) { return cl_backdoor_post(&door, message); }
int door_take(uint32_t *message) { return cl_backdoor_take(&door, message); }
int door_ring(uint32_t bells) { return cl_backdoor_ring(&door, bells); }
int door_window_open(uint32_t base, uint32_t bytes, int writable) {
  return cl_backdoor_window_open(&door, base, bytes, writable);
}
void door_window_close(void) { cl_backdoor_window_close(&door); }
uint32_t door_bells(void) { return cl_backdoor_bells(&door); }
const char *reason_text(uint32_t reason) { return cl_backdoor_reason_text(reason); }
const char *cause_text(uint32_t cause) { return cl_backdoor_cause_text(cause); }

void model_clock(int on) { now.stopped = !on; }
void model_up(size_t word, uint32_t value) { up[word] ^= value; } /* a fault of the memory of the Back-Door */
void model_steps(uint32_t count) {
  while (count--) step();
}
/* A command that the driver would not give; until it is answered. */
void model_command(uint32_t code, uint32_t parameter) {
  uint32_t number = (now.words[0] >> 8) + 1;
  near_write(&mmio, CL_BACKDOOR_NEAR_WORD + 4, parameter);
  near_write(&mmio, CL_BACKDOOR_NEAR_WORD, number << 8 | code);
  door.number = number;
  while (now.far_words[0] >> 8 != number) step();
}
uint32_t crc(const uint32_t *words, size_t count) { return cl_backdoor_crc(0, words, count); }
uint32_t *model_memory(void) { return memory; }
uint32_t *model_down(void) { return down; }
uint32_t *model_near(void) { return near_memory; }
uint32_t model_is_busy(void) { return now.busy; }
