/* SPDX-License-Identifier: Apache-2.0
 *
 * The clock of processor 1 stops while this waits (cycle STOP): every call ends in time, and other threads run. */
#include "remote.h"

int far_main(const void *argument, size_t bytes) { return play(argument, bytes); }

static volatile uint32_t others;

static void *other(void *unused) {
  for (;;) others++;
  return unused;
}

static void late(int error, int expected, uint32_t since) {
  EQUAL(error, expected);
  CHECK(cl_cycle() - since < 45000);
}

int main(void) {
  static uint32_t words[RING_WORDS + 1];
  uint32_t since, message;
  patience = 30000;
  begin(FOREVER, 0, 0);
  CHECK(cl_cycle() < STOP);
  while (cl_cycle() < STOP + 1000) continue;
  spawn(PTHREAD_PRIORITY_DEFAULT_NP - 1, other, NULL);
  late(remote_wait(), ETIMEDOUT, (since = cl_cycle()));
  CHECK(others > 100);
  status(REMOTE_SILENT, 0);
  late(remote_receive(words, 4), ETIMEDOUT, (since = cl_cycle()));
  since = cl_cycle();
  EQUAL(remote_send(words, sizeof words), ETIMEDOUT);
  for (unsigned n = 0; n < 2 * CL_BACKDOOR_MAIL_DEPTH; n++) remote_post(n);
  EQUAL(remote_post(1), EAGAIN);
  EQUAL(remote_take(&message), EAGAIN);
  EQUAL(remote_ring(2), 0);
  late(remote_stop(), ETIMEDOUT, (since = cl_cycle()));
  late(remote_load(remote_image, remote_image_bytes), ETIMEDOUT, (since = cl_cycle()));
  EQUAL(remote_start(NULL, 0, 0), EINVAL);
  status(REMOTE_SILENT, 0);
  return finish();
}
