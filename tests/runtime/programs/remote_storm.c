/* SPDX-License-Identifier: Apache-2.0
 *
 * STEPS programs on processor 1, one after the other, at random from SEED: those that end, fault, are ended at a limit or
 * stopped, wherever they are, flood, or do not hear; and images that are refused. What comes of each is known. */
#include "remote.h"

#ifndef STEPS
#define STEPS 50
#endif
#ifndef SEED
#define SEED 1
#endif

int far_main(const void *argument, size_t bytes) { return play(argument, bytes); }

static uint32_t words[3000], back[3000], image[8192];

static uint32_t below(uint32_t bound) {
  static uint32_t state = SEED;
  state = state * 1664525u + 1013904223u;
  return (state >> 8) % bound;
}

static void refused(void) {
  remote_patience(patience);
  memcpy(image, remote_image, remote_image_bytes);
  image[4 + below((uint32_t)remote_image_bytes / 4 - 4)] ^= 1u << below(32);
  EQUAL(remote_load(image, remote_image_bytes), ENOEXEC);
  status(REMOTE_REFUSED, CL_BACKDOOR_REASON_CRC);
}

static void ended(int state, uint32_t detail) {
  EQUAL(remote_wait(), 0);
  status(state, detail);
}

static void stopped(void) {
  waste(below(600));
  int error = remote_stop();
  CHECK(error == 0 || error == EIO);
  status(REMOTE_HELD, 0);
}

static void silent(enum operation operation) {
  patience = 1000 + below(3000);
  begin(operation, ~0u, 0);
  EQUAL(remote_wait(), ETIMEDOUT);
  status(REMOTE_SILENT, 0);
  patience = 10000000;
}

static void echo(uint32_t count) {
  for (uint32_t n = 0; n < count; n++) words[n] = below(1u << 24);
  begin(ECHO, count, 0);
  EQUAL(remote_send(words, 4 * count), 0);
  if (below(4) == 0) {
    stopped();
    return;
  }
  EQUAL(remote_receive(back, 4 * count), 0);
  for (uint32_t n = 0; n < count; n++)
    if (back[n] != ~words[n]) {
      EQUAL(back[n], ~words[n]);
      break;
    }
  ended(REMOTE_DONE, 0);
}

static void mail(uint32_t count) {
  uint32_t message, sent = 0, received = 0;
  begin(MAIL, count, 0);
  while (received < count) {
    if (sent < count && !remote_post(sent)) sent++;
    if (remote_take(&message)) continue;
    EQUAL(message, ++received);
  }
  ended(REMOTE_DONE, 0);
}

static void fault(void) {
  static const enum operation faults[] = { ILLEGAL, BREAKPOINT, CALL, LOAD, STORE };
  uint32_t pc = 0;
  struct remote_status now = { 0 };
  begin(faults[below(5)], 0, 0);
  EQUAL(remote_wait(), 0);
  EQUAL(remote_status(&now), 0);
  EQUAL(now.state, REMOTE_FAULT);
  EQUAL(remote_take(&pc), 0);
  EQUAL(now.pc, pc);
}

int main(void) {
  for (int step = 0; step < STEPS && failures < 5; step++) {
    uint32_t value = below(1u << 20);
    switch (below(11)) {
      case 0: refused(); break;
      case 1: begin(FOREVER, 0, 500 + below(4000)); ended(REMOTE_LIMIT, 0); break;
      case 2: begin(below(2) ? FOREVER : STARE, 0, 0); stopped(); break;
      case 3: begin(MOVE, 0, 0); stopped(); break;
      case 4: begin(WRECK, 0, 0); ended(REMOTE_DONE, 5); break;
      case 5: silent(FLOOD); break;
      case 6: silent(DEAF); break;
      case 7: echo(1 + below(3000)); break;
      case 8: mail(1 + below(40)); break;
      case 9: fault(); break;
      default: begin(RETURN, value, below(2) ? 0 : 100000); ended(REMOTE_DONE, value);
    }
  }
  return finish();
}
