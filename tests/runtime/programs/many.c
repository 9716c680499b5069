/* SPDX-License-Identifier: Apache-2.0
 *
 * Many to one, in order from each; one to many, to all or to none. For two processors and more. */
#include "sides.h"

#define WORDS 200
#define OTHERS (CL_CPUS - 1)
#define ALL ((1u << CL_CPUS) - 2)

static void *one(void *unused) {
  (void)unused;
  uint32_t word, next[CL_CPUS] = {0}, turns = 0;
  unsigned from = 0, before = 0;
  for (uint32_t i = 0; i < OTHERS * WORDS; i++) {
    EQUAL(i % 2 ? mailbox_wait_any(&from) : mailbox_timedwait_any(&from, 1000000), 0);
    CHECK(from > 0 && from < CL_CPUS);
    EQUAL(mailbox_tryreceive(from, &word), 0);
    EQUAL(word, from << 16 | next[from]);
    next[from]++;
    turns += from != before;
    before = from;
  }
  EQUAL(mailbox_try_any(&from), EAGAIN);
  CHECK(OTHERS == 1 || turns > WORDS); /* nobody is passed over */
  meet(); /* 1 */

  for (uint32_t i = 0; i < WORDS; i++)
    EQUAL(i % 2 ? mailbox_send_all(ALL, i) : mailbox_timedsend_all(ALL, i, 1000000), 0);
  meet(); /* 2 */
  /* The last has no room: nobody gets it. */
  for (int i = 0; i < CL_MAILBOX_DEPTH; i++) EQUAL(mailbox_trysend(CL_CPUS - 1, 5), 0);
  EQUAL(mailbox_trysend_all(ALL, 6), EAGAIN);
  EQUAL(mailbox_timedsend_all(ALL, 6, 500), ETIMEDOUT);
  meet(); /* 3 */
  EQUAL(mailbox_send_all(ALL, 7), 0); /* waits for it */
  meet(); /* 4 */
  /* The last begins anew: nobody gets anything. */
  EQUAL(mailbox_send_all(ALL, 8), ECONNRESET);
  EQUAL(mailbox_trysend_all(ALL, 8), ECONNRESET);
  EQUAL(mailbox_acknowledge(CL_CPUS - 1, MAILBOX_SENDING), 0);
  EQUAL(mailbox_send_all(ALL, 9), 0);
  EQUAL(doorbell_ring(ALL | 1, 0x41), 0);
  EQUAL(doorbell_take(0x41, &word), 0);
  EQUAL(word, 0x41);
  meet(); /* 5 */
  return NULL;
}

static void *other(void *unused) {
  (void)unused;
  unsigned self = cl_cpu_id();
  uint32_t word;
  for (uint32_t i = 0; i < WORDS; i++) EQUAL(mailbox_send(0, self << 16 | i), 0);
  meet(); /* 1 */
  for (uint32_t i = 0; i < WORDS; i++) {
    if (i % 16 == self) waste(200);
    EQUAL(mailbox_receive(0, &word), 0);
    EQUAL(word, i);
  }
  meet(); /* 2 */
  meet(); /* 3 */
  if (self == CL_CPUS - 1) {
    waste(1000);
    for (int i = 0; i < CL_MAILBOX_DEPTH; i++) {
      EQUAL(mailbox_receive(0, &word), 0);
      EQUAL(word, 5);
    }
  } else {
    EQUAL(mailbox_tryreceive(0, &word), EAGAIN);
  }
  EQUAL(mailbox_receive(0, &word), 0);
  EQUAL(word, 7);
  if (self == CL_CPUS - 1) EQUAL(mailbox_reset(0, MAILBOX_RECEIVING), 0);
  meet(); /* 4 */
  EQUAL(mailbox_receive(0, &word), 0);
  EQUAL(word, 9);
  EQUAL(doorbell_take(0xff, &word), 0);
  EQUAL(word, 0x41);
  meet(); /* 5 */
  return NULL;
}

int main(void) {
  void *(*sides[CL_CPUS])(void *) = {one};
  for (int i = 1; i < CL_CPUS; i++) sides[i] = other;
  run_sides(sides, CL_CPUS);
  return finish();
}
