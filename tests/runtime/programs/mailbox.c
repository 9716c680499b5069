/* SPDX-License-Identifier: Apache-2.0
 *
 * Mailboxes between two processors: empty and full in every form, words that look like the sentinel, blocks and parts
 * of them, wrong numbers, the reset of either end in the middle of a block. */
#include "sides.h"

#define DEPTH CL_MAILBOX_DEPTH
#define BLOCK 500
#define CYCLES 700u
#define BOTH (MAILBOX_SENDING | MAILBOX_RECEIVING)

static const uint32_t odd[] = {CL_IPC_SENTINEL, 0, CL_IPC_SENTINEL, CL_IPC_SENTINEL, ~0u, 0x10000000, 0x20000000};
#define ODD (sizeof odd / sizeof *odd)

static uint32_t data[BLOCK], copy[BLOCK];
static volatile uint32_t seen;

static void wrong_numbers(unsigned self) {
  uint32_t word = 5;
  size_t done = 9;
  const unsigned wrong[] = {self, CL_CPUS, 8, 31, 32, 256, ~0u};
  for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    unsigned cpu = wrong[i];
    EQUAL(mailbox_send(cpu, 1), EINVAL);
    EQUAL(mailbox_trysend(cpu, 1), EINVAL);
    EQUAL(mailbox_timedsend(cpu, 1, 10), EINVAL);
    EQUAL(mailbox_receive(cpu, &word), EINVAL);
    EQUAL(mailbox_tryreceive(cpu, &word), EINVAL);
    EQUAL(mailbox_timedreceive(cpu, &word, 10), EINVAL);
    EQUAL(mailbox_write(cpu, data, 1), EINVAL);
    EQUAL(mailbox_trywrite(cpu, data, 1, &done), EINVAL);
    EQUAL(mailbox_timedread(cpu, data, 1, &done, 10), EINVAL);
    EQUAL(mailbox_read(cpu, data, 1), EINVAL);
    EQUAL(done, 0);
    EQUAL(mailbox_reset(cpu, MAILBOX_SENDING), EINVAL);
    EQUAL(mailbox_acknowledge(cpu, MAILBOX_SENDING), EINVAL);
  }
  const unsigned sets[] = {0, 1u << self, 3u, 1u << CL_CPUS, ~0u};
  for (unsigned i = 0; i < sizeof sets / sizeof *sets; i++) {
    EQUAL(mailbox_send_all(sets[i], 1), EINVAL);
    EQUAL(mailbox_trysend_all(sets[i], 1), EINVAL);
    EQUAL(mailbox_timedsend_all(sets[i], 1, 10), EINVAL);
  }
  EQUAL(mailbox_reset(!self, 0), EINVAL);
  EQUAL(mailbox_reset(!self, 4), EINVAL);
  EQUAL(mailbox_acknowledge(!self, 7), EINVAL);
  EQUAL(word, 5);
}

static void empty(unsigned other) {
  uint32_t word = 5;
  unsigned cpu = 6;
  size_t done = 9;
  EQUAL(mailbox_tryreceive(other, &word), EAGAIN);
  TIMES_OUT(mailbox_timedreceive(other, &word, CYCLES), CYCLES);
  EQUAL(mailbox_timedreceive(other, &word, 0), ETIMEDOUT);
  EQUAL(mailbox_try_any(&cpu), EAGAIN);
  TIMES_OUT(mailbox_timedwait_any(&cpu, CYCLES), CYCLES);
  EQUAL(mailbox_tryread(other, copy, 3, &done), EAGAIN);
  EQUAL(done, 0);
  TIMES_OUT(mailbox_timedread(other, copy, 3, &done, CYCLES), CYCLES);
  EQUAL(done, 0);
  EQUAL(mailbox_tryread(other, copy, 0, &done), 0);
  EQUAL(word, 5);
  EQUAL(cpu, 6);
}

/* DEPTH words are in. */
static void full(unsigned other) {
  size_t done = 9;
  EQUAL(mailbox_trysend(other, 1), EAGAIN);
  TIMES_OUT(mailbox_timedsend(other, 1, CYCLES), CYCLES);
  EQUAL(mailbox_trysend_all(1u << other, 1), EAGAIN);
  TIMES_OUT(mailbox_timedsend_all(1u << other, 1, CYCLES), CYCLES);
  EQUAL(mailbox_trywrite(other, data, 2, &done), EAGAIN);
  EQUAL(done, 0);
  TIMES_OUT(mailbox_timedwrite(other, data, 2, &done, CYCLES), CYCLES);
  EQUAL(done, 0);
}

static void check_block(size_t from, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (copy[i] != (from + i) * 7) EQUAL(copy[i], (from + i) * 7);
}

static void *left(void *unused) {
  (void)unused;
  size_t done;
  for (uint32_t i = 0; i < BLOCK; i++) data[i] = i * 7;
  wrong_numbers(0);
  empty(1);
  for (uint32_t i = 0; i < DEPTH; i++) EQUAL(mailbox_trysend(1, i), 0);
  full(1);
  meet(); /* 1: they are taken */

  for (size_t i = 0; i < ODD; i++) EQUAL(mailbox_send(1, odd[i]), 0);
  for (size_t i = 0; i < ODD; i++) EQUAL(mailbox_timedsend(1, odd[i], 100000), 0);
  for (size_t i = 0; i < ODD; i++) EQUAL(mailbox_send_all(2, odd[i]), 0);
  for (uint32_t i = 0; i < 3 * DEPTH; i++) EQUAL(mailbox_send(1, i), 0); /* waits: nobody takes them yet */
  for (uint32_t i = 0; i < 3 * DEPTH; i++) EQUAL(mailbox_send_all(2, i), 0);
  meet(); /* 2 */

  EQUAL(mailbox_trywrite(1, data, DEPTH + 5, &done), EAGAIN);
  EQUAL(done, DEPTH);
  meet(); /* 3: it is empty */
  meet(); /* 4 */
  EQUAL(mailbox_timedwrite(1, data, DEPTH + 10, &done, 20000), ETIMEDOUT); /* four are taken */
  EQUAL(done, DEPTH + 4);
  meet(); /* 5 */
  EQUAL(mailbox_write(1, data, 3), 0);
  meet(); /* 6: it had three */

  const size_t sizes[] = {0, 1, 7, 8, 9, 127, 128, 129, 256, BLOCK};
  for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    EQUAL(mailbox_write(1, data, sizes[i]), 0);
    EQUAL(mailbox_timedwrite(1, data, sizes[i], &done, 1000000), 0);
    EQUAL(done, sizes[i]);
  }
  meet(); /* 7 */

  /* The receiver begins anew after 100 words. */
  EQUAL(mailbox_write(1, data, BLOCK), ECONNRESET);
  EQUAL(mailbox_send(1, 1), ECONNRESET);
  EQUAL(mailbox_trysend(1, 1), ECONNRESET);
  EQUAL(mailbox_timedsend(1, 1, 1000), ECONNRESET);
  EQUAL(mailbox_send_all(2, 1), ECONNRESET);
  EQUAL(mailbox_trysend_all(2, 1), ECONNRESET);
  EQUAL(mailbox_timedsend_all(2, 1, 1000), ECONNRESET);
  EQUAL(mailbox_write(1, data, 3), ECONNRESET);
  EQUAL(mailbox_trywrite(1, data, 3, &done), ECONNRESET);
  EQUAL(mailbox_timedwrite(1, data, 3, &done, 1000), ECONNRESET);
  EQUAL(done, 0);
  EQUAL(mailbox_acknowledge(1, MAILBOX_RECEIVING), 0); /* the other one */
  EQUAL(mailbox_send(1, 1), ECONNRESET);
  EQUAL(mailbox_acknowledge(1, MAILBOX_SENDING), 0);
  meet(); /* 8 */
  EQUAL(mailbox_timedwrite(1, data, BLOCK, &done, 1000000), ECONNRESET);
  CHECK(done >= 100);
  CHECK(done <= 100 + DEPTH);
  EQUAL(mailbox_acknowledge(1, BOTH), 0);
  meet(); /* 9 */
  EQUAL(mailbox_send(1, 777), 0);

  /* The sender does. */
  EQUAL(mailbox_write(1, data, 100), 0);
  while (seen < 90) continue;
  EQUAL(mailbox_reset(1, MAILBOX_SENDING), 0);
  EQUAL(mailbox_trysend(1, 778), 0); /* not seen before the acknowledge */
  meet(); /* 10 */
  meet(); /* 11 */
  EQUAL(mailbox_trysend(1, 779), 0);
  EQUAL(mailbox_reset(1, BOTH), 0);
  EQUAL(mailbox_send(1, 780), 0);
  meet(); /* 12 */
  return NULL;
}

static void *right(void *unused) {
  (void)unused;
  uint32_t word = 0;
  unsigned cpu = 7;
  size_t done;
  wrong_numbers(1);
  EQUAL(mailbox_wait_any(&cpu), 0);
  EQUAL(cpu, 0);
  waste(20000); /* until it has been found full */
#if defined(CL_CORE_ECONOMY)
  waste(20000);
#endif
  for (uint32_t i = 0; i < DEPTH; i++) {
    EQUAL(mailbox_tryreceive(0, &word), 0);
    EQUAL(word, i);
  }
  meet(); /* 1 */

  for (size_t i = 0; i < ODD; i++) {
    EQUAL(mailbox_receive(0, &word), 0);
    EQUAL(word, odd[i]);
  }
  for (size_t i = 0; i < ODD; i++) {
    EQUAL(mailbox_timedreceive(0, &word, 1000000), 0);
    EQUAL(word, odd[i]);
  }
  for (size_t i = 0; i < ODD; i++) {
    while (mailbox_tryreceive(0, &word)) continue;
    EQUAL(word, odd[i]);
  }
  waste(2000);
  for (int twice = 0; twice < 2; twice++) {
    for (uint32_t i = 0; i < 3 * DEPTH; i++) {
      EQUAL(mailbox_receive(0, &word), 0);
      EQUAL(word, i);
    }
  }
  meet(); /* 2 */

  meet(); /* 3 */
  EQUAL(mailbox_tryread(0, copy, DEPTH + 5, &done), EAGAIN);
  EQUAL(done, DEPTH);
  check_block(0, DEPTH);
  meet(); /* 4 */
  EQUAL(mailbox_read(0, copy, 4), 0);
  meet(); /* 5 */
  EQUAL(mailbox_read(0, copy + 4, DEPTH), 0);
  check_block(0, DEPTH + 4);
  EQUAL(mailbox_timedread(0, copy, 5, &done, 20000), ETIMEDOUT);
  EQUAL(done, 3);
  check_block(0, 3);
  meet(); /* 6 */

  const size_t sizes[] = {0, 1, 7, 8, 9, 127, 128, 129, 256, BLOCK};
  for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    EQUAL(mailbox_timedread(0, copy, sizes[i], &done, 1000000), 0);
    EQUAL(done, sizes[i]);
    check_block(0, sizes[i]);
    copy[0] = 1;
    EQUAL(mailbox_read(0, copy, sizes[i]), 0);
    check_block(0, sizes[i]);
  }
  meet(); /* 7 */

  EQUAL(mailbox_read(0, copy, 100), 0);
  EQUAL(mailbox_reset(0, MAILBOX_RECEIVING), 0);
  EQUAL(mailbox_tryreceive(0, &word), EAGAIN);
  meet(); /* 8 */
  EQUAL(mailbox_read(0, copy, 100), 0);
  check_block(0, 100); /* nothing of the block before */
  EQUAL(mailbox_reset(0, MAILBOX_RECEIVING), 0);
  meet(); /* 9 */
  EQUAL(mailbox_receive(0, &word), 0);
  EQUAL(word, 777);

  EQUAL(mailbox_read(0, copy, 90), 0);
  seen = 90;
  meet(); /* 10 */
  EQUAL(mailbox_read(0, copy, BLOCK), ECONNRESET);
  EQUAL(mailbox_receive(0, &word), ECONNRESET);
  EQUAL(mailbox_tryreceive(0, &word), ECONNRESET);
  EQUAL(mailbox_timedreceive(0, &word, 1000), ECONNRESET);
  EQUAL(mailbox_tryread(0, copy, 5, &done), ECONNRESET);
  EQUAL(mailbox_timedread(0, copy, 5, &done, 100000), ECONNRESET);
  EQUAL(done, 0);
  EQUAL(mailbox_acknowledge(0, MAILBOX_RECEIVING), 0);
  EQUAL(mailbox_receive(0, &word), 0);
  EQUAL(word, 778);
  meet(); /* 11 */
  meet(); /* 12 */
  EQUAL(mailbox_receive(0, &word), ECONNRESET);
  EQUAL(mailbox_send(0, 1), ECONNRESET);
  EQUAL(mailbox_acknowledge(0, BOTH), 0);
  EQUAL(mailbox_receive(0, &word), 0);
  EQUAL(word, 780);
  EQUAL(mailbox_tryreceive(0, &word), EAGAIN);
  return NULL;
}

int main(void) {
  run_sides((void *(*const[])(void *)){left, right}, 2);
  return finish();
}
