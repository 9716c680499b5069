/* SPDX-License-Identifier: Apache-2.0
 *
 * Handlers: they wake threads by a semaphore, on a busy and on an idle CPU; they come during waits and block
 * transfers, which go on; what waits in a handler gives up; many switches while they come. */
#include "sides.h"

#define RINGS 200
#define WORDS 3000

static sem_t rung, never;
static volatile uint32_t calls, order, wakes, at_once, stop, channels, nested;
static uint32_t data[WORDS], copy[WORDS];
static volatile int results[8];

/* --- on CPU 0 --- */

static void on_bells(uint32_t bells) {
  calls++;
  order = order << 8 | bells;
  EQUAL(cl_cpu_id(), 0);
  EQUAL(sem_post_handler_np(&rung), 0);
}

static void on_single(uint32_t bells) {
  EQUAL(bells, 0x10);
  at_once++;
  EQUAL(doorbell_ring(2, 0x40), 0);
}

static void on_nested(uint32_t bells) {
  EQUAL(bells, 0x80);
  nested++;
}

/* Calls that may not wait here, as an interrupt is pending that cannot be taken. */
static void on_wrong(uint32_t bells) {
  uint32_t word;
  size_t done;
  unsigned cpu;
  EQUAL(bells, 0x20);
  EQUAL(doorbell_ring(1, 0x80), 0);
  waste(50);
  results[0] = mailbox_receive(1, &word);
  results[1] = mailbox_read(1, data, 3);
  results[2] = mailbox_wait_any(&cpu);
  results[3] = channel_wait(1, CHANNEL_ACK, 1);
  results[4] = mailbox_tryreceive(1, &word);
  results[5] = mailbox_timedread(1, data, 3, &done, 300);
  results[6] = sem_post_handler_np(&never);
  results[7] = (int)nested;
}

static void on_request(unsigned cpu) {
  channels++;
  EQUAL(cpu, 1);
  EQUAL(channel_acknowledge(1, 1), 0);
  EQUAL(channel_handler_np(1, CHANNEL_REQ, NULL), 0);
}

/* Better than what is busy: woken by a handler, it tells CPU 1. */
static void *waker(void *unused) {
  (void)unused;
  for (int i = 0; i < 2 * RINGS; i++) {
    EQUAL(sem_wait(&rung), 0);
    wakes++;
    EQUAL(doorbell_ring(2, 0x40), 0);
  }
  return NULL;
}

static void *left(void *unused) {
  (void)unused;
  pthread_t thread;
  pthread_attr_t attr;
  uint32_t word, spins = 0;
  EQUAL(doorbell_handler_np(0x0f, on_bells), 0);
  EQUAL(doorbell_handler_np(0x10, on_single), 0);
  EQUAL(doorbell_handler_np(0x20, on_wrong), 0);
  EQUAL(doorbell_handler_np(0x80, on_nested), 0);
  EQUAL(pthread_create(&thread, attributes(&attr, 20, 0), waker, NULL), 0);
  meet(); /* 1 */
  while (!stop) spins++;
  CHECK(spins > 0);
  stop = 0;
  meet(); /* 2 */
  EQUAL(pthread_join(thread, NULL), 0); /* idle */
  EQUAL(calls, 2 * RINGS);
  EQUAL(wakes, 2 * RINGS);
  EQUAL(sem_trywait(&rung), -1);

  /* Bells of one handler come together; each calls its own. */
  EQUAL(doorbell_ring(1, 0x13), 0);
  waste(500);
  EQUAL(order & 0xff, 0x03);
  EQUAL(at_once, 1);
  EQUAL(sem_wait(&rung), 0);
  EQUAL(doorbell_handler_np(0x02, NULL), 0);
  EQUAL(doorbell_ring(1, 0x06), 0);
  waste(500);
  EQUAL(order & 0xff, 0x04);
  EQUAL(doorbell_take(0xff, &word), 0);
  EQUAL(word, 0x02);
  EQUAL(sem_wait(&rung), 0);
  EQUAL(calls, 2 * RINGS + 2);

  EQUAL(doorbell_ring(1, 0x20), 0);
  waste(500);
  for (int i = 0; i < 5; i++) EQUAL(results[i], EAGAIN);
  EQUAL(results[5], ETIMEDOUT);
  EQUAL(results[6], EINVAL);
  EQUAL(results[7], 0);
  EQUAL(nested, 1);

  /* A handler for a wire, which turns itself off. */
  EQUAL(channel_handler_np(1, CHANNEL_REQ, on_request), 0);
  meet(); /* 3 */
  EQUAL(doorbell_take(0x40, &word), 0);
  EQUAL(channels, 1);
  EQUAL(channel_wait(1, CHANNEL_REQ, 0), 0);

  /* Blocks while bells ring. */
  for (uint32_t i = 0; i < WORDS; i++) data[i] = i * 3;
  at_once = 0;
  meet(); /* 4 */
  EQUAL(mailbox_read(1, copy, WORDS), 0);
  for (uint32_t i = 0; i < WORDS; i++)
    if (copy[i] != i * 5) EQUAL(copy[i], i * 5);
  CHECK(at_once >= WORDS / 100);
  meet(); /* 5 */
  EQUAL(mailbox_write(1, data, WORDS), 0);
  for (uint32_t i = 0; i < WORDS / 10; i++) EQUAL(mailbox_send(1, i), 0);
  for (uint32_t i = 0; i < WORDS / 10; i++) EQUAL(mailbox_send_all(2, i), 0);
  meet(); /* 6 */
  for (uint32_t i = 0; i < WORDS / 10; i++) {
    EQUAL(mailbox_receive(1, &word), 0);
    EQUAL(word, i ? CL_IPC_SENTINEL : 0);
  }
  meet(); /* 7 */
  return NULL;
}

/* --- on CPU 1 --- */

static void ring_now_and_then(uint32_t i) {
  if (i % 7 == 0) waste(50 + i % 13 * 20);
  if (i % 50 == 0) EQUAL(doorbell_ring(1, 0x10), 0);
}

static void *right(void *unused) {
  (void)unused;
  uint32_t which, word;
  static uint32_t mine[WORDS];
  meet(); /* 1 */
  for (int i = 0; i < RINGS; i++) {
    EQUAL(doorbell_ring(1, 1u << i % 4), 0);
    EQUAL(doorbell_take(0x40, &which), 0);
  }
  stop = 1;
  meet(); /* 2 */
  for (int i = 0; i < RINGS; i++) {
    waste(300);
    EQUAL(doorbell_ring(1, 1u << i % 4), 0);
    EQUAL(doorbell_take(0x40, &which), 0);
  }
  meet(); /* 3 */
  EQUAL(doorbell_trytake(0x40, &which), 0); /* of on_single */
  EQUAL(channel_request(0, 1), 0);
  EQUAL(channel_wait(0, CHANNEL_ACK, 1), 0);
  waste(1000);
  EQUAL(doorbell_ring(1, 0x40), 0);
  EQUAL(channel_request(0, 0), 0);

  meet(); /* 4 */
  for (uint32_t i = 0; i < WORDS; i++) {
    ring_now_and_then(i);
    EQUAL(mailbox_send(0, i * 5), 0);
  }
  meet(); /* 5 */
  for (uint32_t i = 0; i < WORDS; i++) {
    ring_now_and_then(i);
    EQUAL(mailbox_receive(0, &mine[i]), 0);
  }
  for (uint32_t i = 0; i < WORDS; i++)
    if (mine[i] != i * 3) EQUAL(mine[i], i * 3);
  for (int twice = 0; twice < 2; twice++) {
    for (uint32_t i = 0; i < WORDS / 10; i++) {
      ring_now_and_then(i);
      EQUAL(mailbox_receive(0, &word), 0);
      EQUAL(word, i);
    }
  }
  meet(); /* 6 */
  for (uint32_t i = 0; i < WORDS / 10; i++) {
    ring_now_and_then(i);
    EQUAL(mailbox_send(0, i ? CL_IPC_SENTINEL : 0), 0);
  }
  meet(); /* 7 */
  return NULL;
}

int main(void) {
  EQUAL(sem_init(&rung, 0, 0), 0);
  run_sides((void *(*const[])(void *)){left, right}, 2);
  return finish();
}
