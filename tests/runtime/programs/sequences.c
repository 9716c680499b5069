/* SPDX-License-Identifier: Apache-2.0
 *
 * Random sequences of load, run, fault and reset on processor 1: every outcome is the one that processor 0 expects,
 * nothing hangs, nothing of processor 0's memory changes, and after everything the next program runs. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cl_backdoor_regs.h"
#include "coreloom.h"
#include "coreloom_far.h"

#ifndef SEED
#define SEED 1
#endif
#ifndef SEQUENCES
#define SEQUENCES 25
#endif

#define MOST 2000 /* words of a stream; more than a small ring has */
#define LIMIT 20000
#define PATIENCE 2000000
#define BLOCK_WORDS (CL_BACKDOOR_BLOCK_BYTES / 4)
#define TURN(word) ((word) * 0x9e3779b1u + 0x7f4a7c15u) /* what the program makes of a word */

/* What the program is told to do. */
enum {
  RETURN,
  RESULT,
  ECHO,
  MAIL,
  LOAD,
  STORE,
  FETCH,
  ILLEGAL,
  LOOP,
  SILENT,
  FLOOD,
  OUTSIDE,
  OVERWRITE,
  MODES, /* of a run that is not reset */
  MOVES = MODES,
};

struct order {
  uint32_t mode, value, words;
};

static uint32_t mix(uint32_t a) {
  a = (a ^ a >> 16) * 0x7feb352d;
  a = (a ^ a >> 15) * 0x846ca68b;
  return a ^ a >> 16;
}

/* --- Processor 1 ------------------------------------------------------------------------------------------------ */

static volatile uint32_t *far_register(uint32_t offset) { return (volatile uint32_t *)(CL_BACKDOOR_FAR_BASE + offset); }

/* A list of one descriptor, from or to the begin of a block; returns the error. */
static int move(uint32_t op, uint32_t words, uint32_t address) {
  static uint32_t list[3];
  list[0] = 1u << CL_BACKDOOR_DESCRIPTOR_CONTROL_LAST_LSB | op << CL_BACKDOOR_DESCRIPTOR_CONTROL_OP_LSB | words;
  list[1] = address;
  __asm__ volatile("" ::: "memory");
  *far_register(CL_BACKDOOR_FAR_DMA_LIST) = (uintptr_t)list;
  uint32_t status;
  do {
    status = *far_register(CL_BACKDOOR_FAR_DMA_STATUS);
  } while (!(status >> CL_BACKDOOR_DMA_STATUS_WORD_DONE_LSB & 1));
  *far_register(CL_BACKDOOR_FAR_DMA_CLEAR) = 1;
  return status >> CL_BACKDOOR_DMA_STATUS_WORD_ERROR_LSB & CL_BACKDOOR_DMA_STATUS_WORD_ERROR_MASK;
}

int far_main(const void *argument, size_t bytes) {
  static uint32_t data[MOST];
  struct order order;
  if (bytes != sizeof order) return -1;
  memcpy(&order, argument, sizeof order);
  far_log("order taken\n");
  switch (order.mode) {
    case RESULT:
      for (uint32_t i = 0; i < order.words; i++) data[i] = TURN(order.value + i);
      return far_result(data, 4 * order.words);
    case ECHO:
      if (far_receive(data, 4 * order.words)) return -2;
      for (uint32_t i = 0; i < order.words; i++) data[i] = TURN(data[i]);
      return far_send(data, 4 * order.words);
    case MAIL:
      for (uint32_t i = 0; i < order.words; i++) {
        uint32_t word;
        while (far_take(&word)) continue;
        while (far_post(TURN(word))) continue;
      }
      return 0;
    case LOAD: return *(volatile int *)0x70000000;
    case STORE: *(volatile uint32_t *)0x70000000 = 1; break;
    case FETCH: ((void (*)(void))0x70000000)(); break;
    case ILLEGAL: __asm__ volatile(".word 0"); break;
    case LOOP:
      for (;;) __asm__ volatile("");
    case SILENT: /* not even its limit ends it */
#ifdef CL_CORE_ECONOMY
      __asm__ volatile("li a0, -1\n .insn r CUSTOM_0, 6, 3, a0, a0, zero" ::: "a0"); /* maskirq */
#else
      __asm__ volatile("csrci mstatus, 8");
#endif
      for (;;) __asm__ volatile("");
    case FLOOD:
      for (uint32_t i = 0; i < order.words; i++) far_ring(~1u);
      break;
    case OUTSIDE: return move(CL_BACKDOOR_DMA_OP_DOWN, 4, CL_BACKDOOR_MEMORY_BASE + CL_BACKDOOR_MEMORY_BYTES - 8);
    case MOVES:
      for (;;) move(CL_BACKDOOR_DMA_OP_UP, BLOCK_WORDS, CL_BACKDOOR_MEMORY_BASE);
    case OVERWRITE: { /* what the loader keeps, too */
      uint32_t end = CL_BACKDOOR_MEMORY_BASE + CL_BACKDOOR_MEMORY_BYTES;
      for (uint32_t at = end - CL_BACKDOOR_LOADER_BYTES; at < end; at += 4) *(volatile uint32_t *)at = order.value + at;
      break;
    }
    default: break;
  }
  return (int)order.value;
}

/* --- Processor 0 ------------------------------------------------------------------------------------------------ */

static uint32_t state = SEED;
static uint32_t before[64] = {[0 ... 63] = 0xc0ffee}, image[BLOCK_WORDS + 4], between[64] = {[0 ... 63] = 0xc0ffee};
static uint32_t here[MOST], behind[64] = {[0 ... 63] = 0xc0ffee};
static unsigned sequence, loads, refusals, runs, faults, resets, cuts;

static uint32_t below(uint32_t limit) { return mix(state = state * 1664525 + 1013904223) % limit; }

static void wrong(const char *what, long found, long wanted) {
  struct remote_status now;
  remote_status(&now);
  printf("sequence %u: %s is %ld, not %ld (state %d, detail %lu, pc 0x%lx)\n", sequence, what, found, wanted, now.state,
         (unsigned long)now.detail, (unsigned long)now.pc);
  cl_exit(1);
}

#define EQUAL(what, wanted)                                           \
  do {                                                                \
    long found = (long)(what);                                        \
    if (found != (long)(wanted)) wrong(#what, found, (long)(wanted)); \
  } while (0)

static void pause(uint32_t cycles) {
  for (uint32_t begin = cl_cycle(); cl_cycle() - begin < cycles;) continue;
}

static int state_now(void) {
  struct remote_status now;
  EQUAL(remote_status(&now), 0);
  return now.state;
}

static uint32_t crc32(const uint32_t *words, uint32_t count) {
  static uint32_t table[16];
  for (uint32_t i = 0; i < 16; i++) {
    uint32_t crc = i;
    for (int bit = 0; bit < 4; bit++) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
    table[i] = crc;
  }
  uint32_t crc = ~0u;
  for (uint32_t i = 0; i < count; i++) {
    crc ^= words[i];
    for (int nibble = 0; nibble < 8; nibble++) crc = crc >> 4 ^ table[crc & 15];
  }
  return ~crc;
}

static void stop(void) {
  int status = remote_stop();
  if (status) EQUAL(status, EIO); /* in the middle of a transfer */
  cuts += status == EIO;
  EQUAL(state_now(), REMOTE_HELD);
  resets++;
}

static void load(void) {
  EQUAL(remote_load(remote_image, remote_image_bytes), 0);
  EQUAL(state_now(), REMOTE_LOADED);
  loads++;
}

/* Fields of the ELF header and of the program headers, in words of the file. */
enum { ELF = 4, IDENT = 0, KIND_MACHINE = 4, ENTRY = 6, PHOFF = 7, PHENT_PHNUM = 10 + 1, PH_WORDS = 8 };
enum { P_TYPE, P_OFFSET, P_VADDR, P_PADDR, P_FILESZ, P_MEMSZ };

/* An image with something wrong: what the loader says. */
static void refused(void) {
  memcpy(image, remote_image, remote_image_bytes);
  uint32_t words = remote_image_bytes / 4, bytes = remote_image_bytes, reason = 0;
  uint32_t *elf = image + ELF;
  uint32_t *segment = elf + elf[PHOFF] / 4;
  while (segment[P_TYPE] != 1) segment += PH_WORDS;
  uint32_t what = below(4) ? below(4) : 4 + below(9);
  switch (what) {
    case 0:
      image[0] ^= 1u << below(32);
      reason = CL_BACKDOOR_REASON_MAGIC;
      break;
    case 1:
      bytes = 4 * (5 + below(words - 5));
      reason = CL_BACKDOOR_REASON_TRUNCATED;
      break;
    case 2:
      elf[below(words - ELF)] ^= 1u << below(32);
      reason = CL_BACKDOOR_REASON_CRC;
      break;
    case 3:
      image[1] += 4 + 4 * below(1000);
      reason = CL_BACKDOOR_REASON_TRUNCATED;
      break;
    case 4:
      elf[IDENT] ^= 1u << below(32);
      reason = CL_BACKDOOR_REASON_ELF;
      break;
    case 5:
      elf[KIND_MACHINE] ^= 1u << (16 + below(16));
      reason = CL_BACKDOOR_REASON_MACHINE;
      break;
    case 6:
      elf[KIND_MACHINE] ^= 1u << below(16);
      reason = CL_BACKDOOR_REASON_KIND;
      break;
    case 7:
      elf[PHENT_PHNUM] &= 0xffff0000;
      reason = CL_BACKDOOR_REASON_SEGMENTS;
      break;
    case 8:
      segment[P_VADDR] = 0x50000000 + 4 * below(1000);
      reason = CL_BACKDOOR_REASON_MEMORY;
      break;
    case 9:
      segment[P_MEMSZ] = 0xfffff000;
      reason = CL_BACKDOOR_REASON_MEMORY;
      break;
    case 10:
      elf[ENTRY] = 4 * below(1000);
      reason = CL_BACKDOOR_REASON_ENTRY;
      break;
    case 11:
      segment[P_OFFSET] = 0xfffffff0;
      reason = CL_BACKDOOR_REASON_TRUNCATED;
      break;
    case 12:
      EQUAL(remote_load(image, sizeof image), EFBIG);
      refusals++;
      return;
    default: break;
  }
  if (what >= 4) image[CL_BACKDOOR_IMAGE_AT_CRC] = crc32(elf, words - ELF);
  EQUAL(remote_load(image, bytes), ENOEXEC);
  struct remote_status now;
  EQUAL(remote_status(&now), 0);
  EQUAL(now.state, REMOTE_REFUSED);
  EQUAL(now.detail, reason);
  EQUAL(remote_start(NULL, 0, 0), EINVAL);
  refusals++;
}

/* The state that a run has to end in, and its status, cause (economy: may be another) or nothing. */
static void ended(int wanted, uint32_t detail, uint32_t economy) {
  EQUAL(remote_wait(), 0);
  struct remote_status now;
  EQUAL(remote_status(&now), 0);
  EQUAL(now.state, wanted);
#ifdef CL_CORE_ECONOMY
  detail = economy;
#else
  (void)economy;
#endif
  if (wanted != REMOTE_LIMIT) EQUAL(now.detail, detail);
  char log[64];
  EQUAL(remote_log(log, sizeof log), 0);
  EQUAL(strcmp(log, "order taken\n"), 0);
}

static void start(const struct order *order) {
  EQUAL(remote_start(order, sizeof *order, LIMIT), 0);
  runs++;
}

static void run(void) {
  struct order order = {below(MODES), below(1u << 31), 1 + below(MOST)};
  if (order.mode == RESULT && order.words > BLOCK_WORDS / 2) order.words /= 2;
  if (order.mode == MAIL) order.words = 1 + below(40);
  if (order.mode == FLOOD) order.words = 200;
  if (order.mode == ECHO || order.mode == RESULT || order.mode == MAIL) {
    EQUAL(remote_start(&order, sizeof order, 0), 0);
    runs++;
  } else {
    start(&order);
  }
  switch (order.mode) {
    case RETURN: ended(REMOTE_DONE, order.value, order.value); break;
    case RESULT: {
      size_t bytes;
      ended(REMOTE_DONE, 0, 0);
      EQUAL(remote_result(here, sizeof here, &bytes), 0);
      EQUAL(bytes, 4 * order.words);
      for (uint32_t i = 0; i < order.words; i++) EQUAL(here[i], TURN(order.value + i));
      break;
    }
    case ECHO:
      for (uint32_t i = 0; i < order.words; i++) here[i] = order.value ^ i;
      EQUAL(remote_send(here, 4 * order.words), 0);
      EQUAL(remote_receive(here, 4 * order.words), 0);
      for (uint32_t i = 0; i < order.words; i++) EQUAL(here[i], TURN(order.value ^ i));
      ended(REMOTE_DONE, 0, 0);
      break;
    case MAIL:
      for (uint32_t sent = 0, taken = 0; taken < order.words;) {
        uint32_t word;
        if (sent < order.words && !remote_post(order.value + sent)) sent++;
        if (!remote_take(&word)) EQUAL(word, TURN(order.value + taken++));
      }
      ended(REMOTE_DONE, 0, 0);
      break;
    case LOAD:
      ended(REMOTE_FAULT, CL_BACKDOOR_CAUSE_LOAD, CL_BACKDOOR_CAUSE_ACCESS);
      faults++;
      break;
    case STORE:
      ended(REMOTE_FAULT, CL_BACKDOOR_CAUSE_STORE, CL_BACKDOOR_CAUSE_ACCESS);
      faults++;
      break;
    case FETCH:
      ended(REMOTE_FAULT, CL_BACKDOOR_CAUSE_FETCH, CL_BACKDOOR_CAUSE_ACCESS);
      faults++;
      break;
    case ILLEGAL:
      ended(REMOTE_FAULT, CL_BACKDOOR_CAUSE_ILLEGAL, CL_BACKDOOR_CAUSE_ILLEGAL);
      faults++;
      break;
    case LOOP:
      ended(REMOTE_LIMIT, 0, 0);
      faults++;
      break;
    case SILENT:
      remote_patience(2 * LIMIT);
      EQUAL(remote_wait(), ETIMEDOUT);
      EQUAL(state_now(), REMOTE_SILENT);
      remote_patience(PATIENCE);
      stop();
      break;
    case FLOOD:
      ended(REMOTE_DONE, order.value, order.value);
      EQUAL(remote_bells() & ~1u, ~1u);
      EQUAL(remote_bells() & ~1u, 0);
      break;
    case OUTSIDE: ended(REMOTE_DONE, CL_BACKDOOR_DMA_ERROR_MEMORY, CL_BACKDOOR_DMA_ERROR_MEMORY); break;
    case OVERWRITE: /* it may end in any way, or not say a thing */
      remote_patience(2 * LIMIT);
      remote_wait();
      remote_patience(PATIENCE);
      stop();
      break;
    default: break;
  }
}

/* A run that is reset at a random moment, most often while words are on their way. */
static void run_and_reset(void) {
  struct order order = {below(3) ? ECHO : MOVES, below(1u << 31), 1 + below(MOST)};
  EQUAL(remote_start(&order, sizeof order, 0), 0);
  if (order.mode == ECHO) EQUAL(remote_send(here, 4 * below(order.words)), 0);
  pause(below(order.mode == ECHO ? 300 : 20000));
  for (uint32_t stale = below(4); stale--;) EQUAL(remote_post(~0u), 0); /* nobody takes them */
  stop();
  EQUAL(remote_send(here, 4), EPIPE);
  EQUAL(remote_post(1), EPIPE);
  EQUAL(remote_start(&order, sizeof order, 0), EINVAL);
}

/* A load that is given up at a random moment. */
static void load_and_reset(void) {
  remote_patience(1 + below(6000));
  int status = remote_load(remote_image, remote_image_bytes);
  remote_patience(PATIENCE);
  if (status) EQUAL(status, ETIMEDOUT);
  stop();
}

int main(void) {
  remote_patience(PATIENCE);
  for (sequence = 0; sequence < SEQUENCES; sequence++) {
    switch (below(6)) {
      case 0: refused(); break;
      case 1: load_and_reset(); break;
      case 2:
        load();
        run_and_reset();
        break;
      case 3:
        load();
        stop();
        break;
      default:
        load();
        run();
        break;
    }
    for (uint32_t i = 0; i < 64; i++) EQUAL(before[i] == 0xc0ffee && between[i] == 0xc0ffee, 1);
    for (uint32_t i = 0; i < 64; i++) EQUAL(behind[i], 0xc0ffee);
  }
  load();
  struct order order = {RETURN, 42, 0};
  start(&order);
  ended(REMOTE_DONE, 42, 42);
  printf("%u sequences: %u loads, %u refusals, %u runs, %u faults, %u resets", sequence, loads, refusals, runs, faults,
         resets);
  printf(", %u of them in a transfer\n", cuts);
  return 0;
}
