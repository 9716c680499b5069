/* SPDX-License-Identifier: Apache-2.0
 *
 * How fast words go to processor 1 and back, more than its ring holds: cycles of processor 0 and 1 for each way. */
#include "remote.h"

#define WORDS 16384

static uint32_t words[WORDS];

int far_main(const void *argument, size_t bytes) {
  static uint32_t buffer[WORDS];
  uint32_t cycles[3] = {far_cycle()};
  (void)argument, (void)bytes;
  far_receive(buffer, sizeof buffer);
  cycles[1] = far_cycle();
  far_send(buffer, sizeof buffer);
  cycles[2] = far_cycle();
  return far_result(cycles, sizeof cycles);
}

int main(void) {
  uint32_t cycles[3], far[3];
  size_t bytes;
  int wrong = 0;
  for (uint32_t n = 0; n < WORDS; n++) words[n] = n * 0x01000193u;
  EQUAL(remote_load(remote_image, remote_image_bytes), 0);
  EQUAL(remote_start(NULL, 0, 0), 0);
  cycles[0] = cl_cycle();
  EQUAL(remote_send(words, sizeof words), 0);
  cycles[1] = cl_cycle();
  EQUAL(remote_receive(words, sizeof words), 0);
  cycles[2] = cl_cycle();
  for (uint32_t n = 0; n < WORDS; n++) wrong += words[n] != n * 0x01000193u;
  EQUAL(wrong, 0);
  EQUAL(remote_wait(), 0);
  EQUAL(remote_result(far, sizeof far, &bytes), 0);
  printf("%lu %lu %lu %lu\n", (unsigned long)(cycles[1] - cycles[0]), (unsigned long)(cycles[2] - cycles[1]),
         (unsigned long)(far[1] - far[0]), (unsigned long)(far[2] - far[1]));
  return finish();
}
