/* SPDX-License-Identifier: Apache-2.0
 *
 * Doorbells and channels between two processors: in every form, wrong numbers, what was rung twice. */
#include "sides.h"

#define CYCLES 700u

static void wrong_numbers(unsigned self) {
  uint32_t which = 5;
  EQUAL(doorbell_ring(0, 1), EINVAL);
  EQUAL(doorbell_ring(1u << CL_CPUS, 1), EINVAL);
  EQUAL(doorbell_ring(1, 0), EINVAL);
  EQUAL(doorbell_ring(1, 0x100), EINVAL);
  EQUAL(doorbell_take(0, &which), EINVAL);
  EQUAL(doorbell_trytake(0x100, &which), EINVAL);
  EQUAL(doorbell_timedtake(~0u, &which, 10), EINVAL);
  EQUAL(doorbell_handler_np(0, NULL), EINVAL);
  EQUAL(doorbell_handler_np(0x101, NULL), EINVAL);
  EQUAL(which, 5);
  const unsigned wrong[] = {self, CL_CPUS, 8, 16, 32, ~0u};
  for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    EQUAL(channel_request(wrong[i], 1), EINVAL);
    EQUAL(channel_acknowledge(wrong[i], 0), EINVAL);
    EQUAL(channel_wait(wrong[i], CHANNEL_REQ, 1), EINVAL);
    EQUAL(channel_trywait(wrong[i], CHANNEL_REQ, 1), EINVAL);
    EQUAL(channel_timedwait(wrong[i], CHANNEL_ACK, 1, 10), EINVAL);
    EQUAL(channel_handler_np(wrong[i], CHANNEL_REQ, NULL), EINVAL);
  }
  EQUAL(channel_request(!self, 2), EINVAL);
  EQUAL(channel_acknowledge(!self, ~0u), EINVAL);
  EQUAL(channel_wait(!self, 2, 1), EINVAL);
  EQUAL(channel_wait(!self, CHANNEL_REQ, 2), EINVAL);
  EQUAL(channel_handler_np(!self, 2, NULL), EINVAL);
}

static void *left(void *unused) {
  (void)unused;
  uint32_t which = 0;
  wrong_numbers(0);
  EQUAL(doorbell_trytake(0xff, &which), EAGAIN);
  TIMES_OUT(doorbell_timedtake(0xff, &which, CYCLES), CYCLES);
  EQUAL(doorbell_overrun(&which), 0);
  EQUAL(which, 0);
  EQUAL(doorbell_ring(1, 0x81), 0); /* its own */
  EQUAL(doorbell_trytake(0x0e, &which), EAGAIN);
  EQUAL(doorbell_trytake(0x01, &which), 0);
  EQUAL(which, 0x01);
  EQUAL(doorbell_ring(3, 0x82), 0);
  EQUAL(doorbell_take(0xff, &which), 0);
  EQUAL(which, 0x82);
  EQUAL(doorbell_overrun(&which), 0);
  EQUAL(which, 0x80);
  EQUAL(doorbell_overrun(&which), 0);
  EQUAL(which, 0);
  meet(); /* 1: they are there */
  meet(); /* 2: they are taken */
  for (int i = 0; i < 100; i++) {
    EQUAL(doorbell_ring(2, 1u << i % 8), 0);
    EQUAL(doorbell_take(1u << i % 8, &which), 0);
    EQUAL(which, 1u << i % 8);
  }
  meet(); /* 3 */
  EQUAL(channel_trywait(1, CHANNEL_REQ, 1), EAGAIN);
  EQUAL(channel_trywait(1, CHANNEL_REQ, 0), 0);
  TIMES_OUT(channel_timedwait(1, CHANNEL_REQ, 1, CYCLES), CYCLES);
  TIMES_OUT(channel_timedwait(1, CHANNEL_ACK, 1, CYCLES), CYCLES);
  meet(); /* 4 */
  for (int i = 0; i < 100; i++) {
    EQUAL(channel_request(1, 1), 0);
    EQUAL(channel_wait(1, CHANNEL_ACK, 1), 0);
    EQUAL(channel_trywait(1, CHANNEL_REQ, 1), EAGAIN);
    EQUAL(channel_request(1, 0), 0);
    EQUAL(channel_timedwait(1, CHANNEL_ACK, 0, 1000000), 0);
  }
  meet(); /* 5 */
  return NULL;
}

static void *right(void *unused) {
  (void)unused;
  uint32_t which = 0;
  wrong_numbers(1);
  meet(); /* 1 */
  EQUAL(doorbell_trytake(0x02, &which), 0);
  EQUAL(which, 0x02);
  EQUAL(doorbell_trytake(0xff, &which), 0);
  EQUAL(which, 0x80);
  meet(); /* 2 */
  for (int i = 0; i < 100; i++) {
    EQUAL(doorbell_timedtake(0xff, &which, 1000000), 0);
    EQUAL(which, 1u << i % 8);
    EQUAL(doorbell_ring(1, 1u << i % 8), 0);
  }
  meet(); /* 3 */
  meet(); /* 4 */
  for (int i = 0; i < 100; i++) {
    EQUAL(channel_wait(0, CHANNEL_REQ, 1), 0);
    EQUAL(channel_acknowledge(0, 1), 0);
    EQUAL(channel_wait(0, CHANNEL_REQ, 0), 0);
    EQUAL(channel_acknowledge(0, 0), 0);
  }
  meet(); /* 5 */
  return NULL;
}

int main(void) {
  run_sides((void *(*const[])(void *)){left, right}, 2);
  return finish();
}
