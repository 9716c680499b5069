/* SPDX-License-Identifier: Apache-2.0
 *
 * The loader of processor 1. Its state while a program runs is in registers (state and command number in word 0, the
 * start cycle in word 1), so it reports even a program that has overwritten the loader's page, and loads the next. */
#include "loader.h"

#include <string.h>

#include "image.h"

enum { STATE, DETAIL, UP_FILLED, DOWN_FREED };      /* words of this side */
enum { COMMAND, PARAMETER, DOWN_FILLED, UP_FREED }; /* of processor 0 */

#define CODE(word) ((word) >> CL_BACKDOOR_COMMAND_WORD_CODE_LSB & CL_BACKDOOR_COMMAND_WORD_CODE_MASK)
#define NUMBER(word) ((word) & CL_BACKDOOR_COMMAND_WORD_NUMBER_MASK << CL_BACKDOOR_COMMAND_WORD_NUMBER_LSB)

static struct {
  struct cl_far_page shared;
  struct cl_image_plan plan;
  struct cl_far_descriptor list[CL_IMAGE_SEGMENTS];
} page __attribute__((section(".page"), aligned(16)));

static inline uint32_t near_word(unsigned n) { return cl_far_read(CL_BACKDOOR_FAR_NEAR_WORD + 4 * n); }
static inline uint32_t own_word(unsigned n) { return cl_far_read(CL_BACKDOOR_FAR_WORD + 4 * n); }
static inline void set_word(unsigned n, uint32_t word) { cl_far_write(CL_BACKDOOR_FAR_WORD + 4 * n, word); }

/* Write the report before the state, and the state before the bell. */
static void say(uint32_t state, uint32_t detail, uint32_t pc, uint32_t address, uint32_t cycles) {
  struct cl_far_page *shared = &page.shared;
  uint32_t word = NUMBER(near_word(COMMAND)) | state << CL_BACKDOOR_COMMAND_WORD_CODE_LSB;
  uint32_t log_bytes = shared->program.log_bytes, result_bytes = shared->program.result_bytes;
  if (log_bytes > CL_FAR_LOG_BYTES) log_bytes = 0; /* overwritten */
  if (result_bytes > cl_far_read(CL_BACKDOOR_FAR_SIZE) - CL_BACKDOOR_AREA_BYTES) result_bytes = 0;
  shared->report[CL_BACKDOOR_REPORT_AT_STATE] = word;
  shared->report[CL_BACKDOOR_REPORT_AT_DETAIL] = detail;
  shared->report[CL_BACKDOOR_REPORT_AT_PC] = pc;
  shared->report[CL_BACKDOOR_REPORT_AT_ADDRESS] = address;
  shared->report[CL_BACKDOOR_REPORT_AT_CYCLES] = cycles;
  shared->report[CL_BACKDOOR_REPORT_AT_RESULT_BYTES] = result_bytes;
  shared->report[CL_BACKDOOR_REPORT_AT_LOG_BYTES] = log_bytes;
  shared->report[CL_BACKDOOR_REPORT_AT_LOG_LOST] = shared->program.log_lost;
  shared->report[CL_BACKDOOR_REPORT_AT_CRC] = shared->program.result_crc;
  cl_far_dma(CL_BACKDOOR_DMA_OP_UP, (CL_BACKDOOR_REPORT_BYTES + log_bytes + 3) / 4, cl_far_address(shared->report), 0);
  set_word(DETAIL, detail);
  set_word(STATE, word);
  cl_far_write(CL_BACKDOOR_FAR_BELL_RING, 1u << CL_BACKDOOR_DOORBELL);
}

static void forget(void) {
  page.shared.program.result_bytes = page.shared.program.result_crc = 0;
  page.shared.program.log_bytes = page.shared.program.log_lost = 0;
}

/* --- Load --- */

static void fetch(uint32_t offset, uint32_t words, uint32_t *to) {
  cl_far_dma(CL_BACKDOOR_DMA_OP_DOWN, words, cl_far_address(to), offset);
}

static uint32_t crc(uint32_t offset, uint32_t words) {
  cl_far_write(CL_BACKDOOR_FAR_DMA_CRC, 0);
  cl_far_dma(CL_BACKDOOR_DMA_OP_CHECK, words, CL_BACKDOOR_MEMORY_BASE, offset);
  return cl_far_read(CL_BACKDOOR_FAR_DMA_CRC);
}

/* Move the checked segments to their addresses; the zero-filled memory is cleared meanwhile. */
static uint32_t place(void) {
  const struct cl_image_plan *plan = &page.plan;
  for (uint32_t n = 0; n < plan->count; n++)
    page.list[n] = cl_far_move(CL_BACKDOOR_DMA_OP_DOWN, plan->segments[n].bytes / 4, plan->segments[n].address,
                               plan->segments[n].offset);
  cl_far_dma_start(page.list, plan->count);
  for (uint32_t n = 0; n < plan->count; n++) {
    uint32_t bytes = plan->segments[n].bytes;
    memset(cl_far_pointer(plan->segments[n].address + bytes), 0, plan->segments[n].memory_bytes - bytes);
  }
  return cl_far_dma_wait() ? CL_BACKDOOR_REASON_MEMORY : CL_BACKDOOR_REASON_NONE;
}

static void load(uint32_t bytes) {
  const struct cl_image_source source = {
      .fetch = fetch,
      .crc = crc,
      .bytes = bytes,
      .room = cl_far_read(CL_BACKDOOR_FAR_SIZE),
      .memory = CL_BACKDOOR_MEMORY_BASE,
      .memory_end = CL_LOADER_PAGE,
  };
  forget();
  uint32_t reason = cl_image_check(&source, &page.plan);
  if (!reason) reason = place();
  say(reason ? CL_BACKDOOR_STATE_REFUSED : CL_BACKDOOR_STATE_LOADED, reason, 0, 0, 0);
}

/* --- Start and end --- */

static void start(uint32_t cycles) {
  uint32_t *argument = page.shared.argument;
  fetch(0, CL_BACKDOOR_AREA_BYTES / 4, argument);
  if (argument[0] > CL_BACKDOOR_AREA_BYTES - 4) {
    say(CL_BACKDOOR_STATE_REFUSED, CL_BACKDOOR_REASON_ARGUMENT, 0, 0, 0);
    return;
  }
  set_word(UP_FILLED, 0);
  set_word(DOWN_FREED, 0);
  set_word(DETAIL, cl_far_cycle());
  set_word(STATE, NUMBER(near_word(COMMAND)) | CL_BACKDOOR_STATE_RUNNING << CL_BACKDOOR_COMMAND_WORD_CODE_LSB);
  cl_far_write(CL_BACKDOOR_FAR_BELL_RING, 1u << CL_BACKDOOR_DOORBELL);
  cl_far_write(CL_BACKDOOR_FAR_BUS_ERROR_CLEAR, 0);
  cl_far_limit(cycles);
  cl_loader_run(page.plan.entry, argument + 1, argument[0], &page.shared);
}

static _Noreturn void serve(void) {
  for (;;) {
    uint32_t command = near_word(COMMAND), own = own_word(STATE);
    if (NUMBER(command) == NUMBER(own)) continue;
    if (CODE(command) == CL_BACKDOOR_COMMAND_LOAD) load(near_word(PARAMETER));
    else if (CODE(command) == CL_BACKDOOR_COMMAND_START && CODE(own) == CL_BACKDOOR_STATE_LOADED)
      start(near_word(PARAMETER));
    else say(CL_BACKDOOR_STATE_REFUSED, CL_BACKDOOR_REASON_COMMAND, 0, 0, 0);
  }
}

void cl_loader_begin(void) {
  forget();
  say(CL_BACKDOOR_STATE_READY, 0, 0, 0, 0);
  serve();
}

void cl_loader_end(uint32_t state, uint32_t detail, uint32_t pc, uint32_t address) {
  uint32_t cycles = cl_far_cycle() - own_word(DETAIL);
  cl_far_limit(0);
  cl_far_write(CL_BACKDOOR_FAR_BELL_ENABLE, 0);
  cl_far_write(CL_BACKDOOR_FAR_DMA_ENABLE, 0);
  cl_far_dma_wait(); /* transfers that the program had started */
  say(state, detail, pc, address, cycles);
  serve();
}
