/* SPDX-License-Identifier: Apache-2.0
 *
 * Programs on processor 1: argument, exit status, streams, result, log, messages, bells; one after the other. */
#include "remote.h"

int far_main(const void *argument, size_t bytes) { return play(argument, bytes); }

#define WORDS (RING_WORDS + 3077) /* longer than a ring */

static uint32_t words[WORDS], back[WORDS];
static volatile uint32_t rings, heard;
static volatile int others;

static void ready(void) {
  struct remote_status now;
  EQUAL(remote_stop(), 0);
  status(REMOTE_HELD, 0);
  EQUAL(remote_start(NULL, 0, 0), EINVAL);
  EQUAL(remote_wait(), EINVAL);
  EQUAL(remote_post(1), EPIPE);
  EQUAL(remote_take(back), EPIPE);
  EQUAL(remote_ring(2), EPIPE);
  EQUAL(remote_send(words, 4), EPIPE);
  EQUAL(remote_receive(words, 4), EPIPE);
  EQUAL(remote_load(remote_image, remote_image_bytes), 0);
  now = status(REMOTE_LOADED, 0);
  EQUAL(now.result_bytes, 0);
  EQUAL(remote_send(words, 4), EPIPE);
  EQUAL(remote_wait(), EINVAL);
  EQUAL(remote_start(words, 1021, 0), EMSGSIZE);
  EQUAL(remote_start(NULL, 0, 0), 0);
  EQUAL(remote_wait(), 0);
  status(REMOTE_DONE, 0);
  EQUAL(remote_start(NULL, 0, 0), EINVAL);
}

static void *sender(void *unused) {
  EQUAL(remote_send(words, sizeof words), 0);
  return unused;
}

static void streams(void) {
  for (uint32_t n = 0; n < WORDS; n++) words[n] = n * 0x01000193u;
  begin(ECHO, WORDS, 0);
  EQUAL(remote_send(words + 1, 3), EINVAL);
  EQUAL(remote_send((char *)words + 1, 4), EINVAL);
  pthread_t thread = spawn(PTHREAD_PRIORITY_DEFAULT_NP, sender, NULL);
  EQUAL(remote_receive(back, sizeof back), 0);
  EQUAL(pthread_join(thread, NULL), 0);
  int wrong = 0;
  for (uint32_t n = 0; n < WORDS; n++) wrong += back[n] != ~words[n];
  EQUAL(wrong, 0);
  EQUAL(remote_receive(back, 4), EPIPE);
  EQUAL(remote_send(back, 4), EPIPE);
  EQUAL(remote_wait(), 0);
  status(REMOTE_DONE, 0);
}

static void result(void) {
  size_t bytes;
  begin(RESULT, 9999, 0);
  EQUAL(remote_result(back, sizeof back, &bytes), EBUSY);
  EQUAL(remote_receive(back, 8), 0); /* only then it has room */
  EQUAL(back[0], RESULT);
  EQUAL(remote_wait(), 0);
  EQUAL(status(REMOTE_DONE, 0).result_bytes, 9999);
  back[2500] = 0;
  EQUAL(remote_result(back, 9998, &bytes), EMSGSIZE);
  EQUAL(bytes, 9999);
  EQUAL(remote_result(back, 9999, &bytes), 0);
  int wrong = 0;
  for (uint32_t n = 0; n < 2499; n++) wrong += back[n] != n * 0x9e3779b9u;
  EQUAL(wrong, 0);
  EQUAL(back[2499], (2499 * 0x9e3779b9u & 0xffffff) | (back[2499] & 0xff000000));
  EQUAL(back[2500], 0);
  begin(RESULT, 4 * RING_WORDS + 1, 0); /* too large */
  EQUAL(remote_receive(back, 8), 0);
  EQUAL(remote_wait(), 0);
  EQUAL(status(REMOTE_DONE, 1).result_bytes, 0);
  EQUAL(remote_result(back, 0, &bytes), 0);
  EQUAL(bytes, 0);
}

static void log(void) {
  static char text[1000];
  begin(LOG, 3, 0);
  EQUAL(remote_wait(), 0);
  EQUAL(remote_log(text, sizeof text), 0);
  EQUAL(strcmp(text, "line  0\nline  1\nline  2\n"), 0);
  EQUAL(remote_log(text, 10), EMSGSIZE);
  EQUAL(strcmp(text, "line  0\nl"), 0);
  begin(LOG, 200, 0);
  EQUAL(remote_wait(), 0);
  EQUAL(status(REMOTE_DONE, 0).log_bytes, 960);
  EQUAL(remote_log(text, sizeof text), 0);
  EQUAL(strcmp(text + 953, "line 11"), 0); /* 100 lines of 8, 17 of 9 */
  EQUAL(strlen(text), 960);
}

static void mail(void) {
  uint32_t message, sent = 0, received = 0;
  begin(MAIL, 100, 0);
  while (received < 100) {
    if (sent < 100 && !remote_post(1000 + sent)) sent++;
    int got = remote_take(&message);
    if (got) {
      EQUAL(got, EAGAIN);
      continue;
    }
    EQUAL(message, 1001 + received);
    received++;
  }
  EQUAL(remote_wait(), 0);
  begin(FOREVER, 0, 0);
  for (sent = 0; !remote_post(sent); sent++) continue;
  CHECK(sent >= CL_BACKDOOR_MAIL_DEPTH);
  EQUAL(remote_take(&message), EAGAIN);
}

static void rang(uint32_t bells) {
  heard |= bells;
  rings++;
}

static void bells(void) {
  EQUAL(remote_ring(1), EINVAL);
  EQUAL(remote_ring(0), EINVAL);
  begin(BELLS, 0, 0);
  EQUAL(remote_ring(1u << 5 | 1u << 9), 0);
  uint32_t got = 0;
  while (got != (1u << 4 | 1u << 8)) got |= remote_bells();
  EQUAL(remote_bells(), 0);
  EQUAL(remote_ring(1u << 31), 0);
  EQUAL(remote_wait(), 0);
  EQUAL(remote_bells(), 1u << 30);
  /* Handlers on both sides. */
  begin(ANSWER, 0, 0);
  EQUAL(remote_bell_handler_np(rang), 0);
  for (unsigned bell = 1; bell < 20; bell++) {
    uint32_t before = rings;
    heard = 0;
    EQUAL(remote_ring(1u << bell), 0);
    while (rings == before) continue;
    EQUAL(heard, 2u << bell);
    waste(4000); /* or it would be taken for a flood */
  }
  EQUAL(rings, 19);
  EQUAL(remote_bell_handler_np(NULL), 0);
  EQUAL(remote_ring(1u << 3), 0);
  for (got = 0; !got;) got = remote_bells();
  EQUAL(got, 1u << 4);
  EQUAL(rings, 19);
  EQUAL(remote_stop(), 0);
}

static void *other(void *unused) {
  for (;;) others++;
  return unused;
}

/* Another thread runs while this one waits, and the handler wakes nobody else. */
static void waits(void) {
  pthread_t thread = spawn(PTHREAD_PRIORITY_DEFAULT_NP - 1, other, NULL);
  for (int with_handler = 0; with_handler < 2; with_handler++) {
    EQUAL(remote_bell_handler_np(with_handler ? rang : NULL), 0);
    begin(FOREVER, 0, 100000);
    int before = others;
    EQUAL(remote_wait(), 0);
    struct remote_status now = status(REMOTE_LIMIT, 0);
    CHECK(now.cycles >= 100000 && now.cycles < 101000);
    CHECK(now.pc - CL_BACKDOOR_MEMORY_BASE < remote_image_bytes);
    CHECK(others - before > 1000);
  }
  EQUAL(remote_bell_handler_np(NULL), 0);
  (void)thread;
}

int main(void) {
  ready();
  streams();
  result();
  log();
  mail();
  bells();
  waits();
  for (int again = 0; again < 2; again++) {
    begin(ZEROES, 0, 0);
    EQUAL(remote_wait(), 0);
    status(REMOTE_DONE, 0);
  }
  return finish();
}
