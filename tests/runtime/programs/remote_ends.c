/* SPDX-License-Identifier: Apache-2.0
 *
 * How programs on processor 1 end: faults, the limit, a stop, silence; and that the next one runs after each. */
#include "remote.h"

int far_main(const void *argument, size_t bytes) { return play(argument, bytes); }

#if defined(CL_CORE_STANDARD)
#define STANDARD 1
#else
#define STANDARD 0
#endif

static void next(void) {
  begin(RETURN, 77, 0);
  EQUAL(remote_wait(), 0);
  status(REMOTE_DONE, 77);
}

static void faults(void) {
  static const struct {
    enum operation operation;
    uint32_t cause[2]; /* economy, standard */
    uint32_t address;
  } faults[] = {
      {ILLEGAL, {CL_BACKDOOR_CAUSE_ILLEGAL, CL_BACKDOOR_CAUSE_ILLEGAL}, 0},
      {BREAKPOINT, {CL_BACKDOOR_CAUSE_ILLEGAL, CL_BACKDOOR_CAUSE_BREAKPOINT}, 0},
      {CALL, {CL_BACKDOOR_CAUSE_ILLEGAL, CL_BACKDOOR_CAUSE_CALL}, 0},
      {LOAD, {CL_BACKDOOR_CAUSE_ACCESS, CL_BACKDOOR_CAUSE_LOAD}, NOWHERE + 4},
      {STORE, {CL_BACKDOOR_CAUSE_ACCESS, CL_BACKDOOR_CAUSE_STORE}, NOWHERE + 8},
      {FETCH, {CL_BACKDOOR_CAUSE_ACCESS, CL_BACKDOOR_CAUSE_FETCH}, NOWHERE},
      {MISALIGNED, {CL_BACKDOOR_CAUSE_ALIGNMENT, CL_BACKDOOR_CAUSE_NONE}, 0},
  };
  for (unsigned n = 0; n < sizeof faults / sizeof *faults; n++) {
    uint32_t pc = 0, cause = faults[n].cause[STANDARD];
    begin(faults[n].operation, 0, 0);
    EQUAL(remote_wait(), 0);
    EQUAL(remote_take(&pc), 0);
    if (!cause) {
      status(REMOTE_DONE, 0); /* the standard core takes it in two accesses */
      continue;
    }
    struct remote_status now = status(REMOTE_FAULT, cause);
    EQUAL(now.pc, faults[n].operation == FETCH ? NOWHERE : pc);
    EQUAL(now.address, faults[n].address);
    CHECK(now.cycles > 0 && now.cycles < 2000);
    EQUAL(remote_result(NULL, 0, &(size_t){0}), 0);
    next();
  }
}

static void limits(void) {
  begin(FOREVER, 0, 5000);
  EQUAL(remote_wait(), 0);
  CHECK(status(REMOTE_LIMIT, 0).cycles >= 5000);
  begin(STARE, 0, 5000);
  EQUAL(remote_wait(), 0);
  status(REMOTE_LIMIT, 0);
  begin(RETURN, 3, 50000000);
  EQUAL(remote_wait(), 0);
  status(REMOTE_DONE, 3);
}

static void silence(void) {
  patience = 20000;
  uint32_t word = 0;
  begin(DEAF, 0, 1000); /* its limit is not heard */
  EQUAL(remote_wait(), ETIMEDOUT);
  status(REMOTE_SILENT, 0);
  EQUAL(remote_receive(&word, 4), ETIMEDOUT);
  EQUAL(remote_stop(), 0);
  uint32_t pc = status(REMOTE_HELD, 0).pc;
  CHECK(pc - CL_BACKDOOR_MEMORY_BASE < remote_image_bytes);
  next();
  begin(STARE, 0, 0);
  EQUAL(remote_wait(), ETIMEDOUT);
  EQUAL(remote_send(&word, 4), 0);
  EQUAL(remote_wait(), 0);
  begin(FOREVER, 0, 0);
  static uint32_t words[RING_WORDS + 1];
  EQUAL(remote_send(words, sizeof words), ETIMEDOUT);
  begin(DEAF, 0, 0); /* a load alone is enough */
  next();
  patience = 10000000;
}

static void in_the_middle(void) {
  int held = 0;
  for (unsigned n = 0; n < 20; n++) {
    begin(MOVE, 0, 0);
    waste(n * 37);
    int error = remote_stop();
    held += error == EIO;
    CHECK(error == 0 || error == EIO);
    status(REMOTE_HELD, 0);
    EQUAL(remote_stop(), 0); /* said once */
  }
  CHECK(held > 10);
  next();
}

static void wrecks(void) {
  begin(WRECK, 0, 0);
  EQUAL(remote_wait(), 0);
  status(REMOTE_DONE, 5);
  begin(WRECK, 1, 0);
  EQUAL(remote_wait(), 0);
  CHECK(status(REMOTE_FAULT, STANDARD ? CL_BACKDOOR_CAUSE_ILLEGAL : CL_BACKDOOR_CAUSE_ILLEGAL).cycles < 40000);
  next();
  begin(OUTSIDE, 3, 0);
  EQUAL(remote_wait(), 0);
  status(REMOTE_DONE, EFAULT);
}

static volatile uint32_t rings;
static void rang(uint32_t bells) { rings += bells != 0; }

static void floods(void) {
  /* Of the protocol's bell, of others, and of those with a handler. */
  static const uint32_t which[] = {1, ~0u, ~0u};
  patience = 30000;
  for (unsigned n = 0; n < 3; n++) {
    if (n == 2) EQUAL(remote_bell_handler_np(rang), 0);
    begin(FLOOD, which[n], 0);
    uint32_t start = cl_cycle();
    EQUAL(remote_wait(), ETIMEDOUT);
    CHECK(cl_cycle() - start < 60000);
    CHECK(status(REMOTE_SILENT, 0).bells_merged > 100);
    EQUAL(remote_stop(), 0);
    next();
  }
  CHECK(rings > 0);
  EQUAL(remote_bell_handler_np(NULL), 0);
  patience = 10000000;
}

int main(void) {
  faults();
  limits();
  silence();
  in_the_middle();
  wrecks();
  floods();
  return finish();
}
