/* SPDX-License-Identifier: Apache-2.0
 *
 * Blocks and waits of a thread that is preempted again and again, by a better thread and by its time slice: nothing is
 * lost, doubled or out of order. */
#include "sides.h"

#define WORDS 2000

static sem_t better;
static uint32_t out[WORDS], in[WORDS];
static volatile uint32_t interruptions, shares, over;

static void *interrupt(void *unused) {
  (void)unused;
  for (;;) {
    EQUAL(sem_wait(&better), 0);
    if (over) return NULL;
    interruptions++;
    waste(100);
  }
}

/* Of the same priority. */
static void *compete(void *unused) {
  (void)unused;
  while (!over) {
    shares++;
    waste(50);
  }
  return NULL;
}

static void now_and_then(uint32_t i) {
  if (i % 11 == 0) waste(i % 7 * 30);
  if (i % 40 == 0) EQUAL(sem_post(&better), 0);
}

static void *left(void *unused) {
  (void)unused;
  pthread_t threads[2];
  pthread_attr_t attr;
  size_t done;
  uint32_t word;
  for (uint32_t i = 0; i < WORDS; i++) out[i] = i % 3 ? i : CL_IPC_SENTINEL;
  EQUAL(pthread_create(&threads[0], attributes(&attr, 20, 0), interrupt, NULL), 0);
  EQUAL(pthread_create(&threads[1], attributes(&attr, 16, 0), compete, NULL), 0);
  EQUAL(mailbox_write(1, out, WORDS), 0);
  for (uint32_t i = 0; i < WORDS; i++) EQUAL(mailbox_send(1, out[i]), 0);
  EQUAL(mailbox_timedwrite(1, out, WORDS, &done, 10000000), 0);
  EQUAL(done, WORDS);
  EQUAL(mailbox_read(1, in, WORDS), 0);
  for (uint32_t i = 0; i < WORDS; i++)
    if (in[i] != out[i]) EQUAL(in[i], out[i]);
  for (uint32_t i = 0; i < WORDS; i++) {
    EQUAL(mailbox_receive(1, &word), 0);
    EQUAL(word, out[i]);
  }
  EQUAL(mailbox_timedread(1, in, WORDS, &done, 10000000), 0);
  EQUAL(done, WORDS);
  for (uint32_t i = 0; i < WORDS; i++)
    if (in[i] != out[i]) EQUAL(in[i], out[i]);
  for (uint32_t i = 0; i < 100; i++) {
    EQUAL(doorbell_take(0xff, &word), 0);
    EQUAL(doorbell_ring(2, 1), 0);
    EQUAL(channel_wait(1, CHANNEL_REQ, 1), 0);
    EQUAL(channel_acknowledge(1, 1), 0);
    EQUAL(channel_wait(1, CHANNEL_REQ, 0), 0);
    EQUAL(channel_acknowledge(1, 0), 0);
    EQUAL(cpu_mutex_lock(0), 0);
    EQUAL(cpu_mutex_unlock(0), 0);
    EQUAL(cpu_barrier_wait(0), 0);
  }
  over = 1;
  EQUAL(sem_post(&better), 0);
  EQUAL(pthread_join(threads[0], NULL), 0);
  EQUAL(pthread_join(threads[1], NULL), 0);
  CHECK(shares > 10);
  EQUAL(interruptions, 6 * WORDS / 40 + 100 / 10);
  return NULL;
}

static void *right(void *unused) {
  (void)unused;
  uint32_t word;
  for (int times = 0; times < 3; times++) {
    for (uint32_t i = 0; i < WORDS; i++) {
      now_and_then(i);
      EQUAL(mailbox_receive(0, &word), 0);
      EQUAL(word, out[i]);
    }
  }
  for (int times = 0; times < 3; times++) {
    for (uint32_t i = 0; i < WORDS; i++) {
      now_and_then(i);
      EQUAL(mailbox_send(0, out[i]), 0);
    }
  }
  for (uint32_t i = 0; i < 100; i++) {
    EQUAL(doorbell_ring(1, 2), 0);
    EQUAL(doorbell_take(0xff, &word), 0);
    if (i % 10 == 0) EQUAL(sem_post(&better), 0);
    EQUAL(channel_request(0, 1), 0);
    EQUAL(channel_wait(0, CHANNEL_ACK, 1), 0);
    EQUAL(cpu_mutex_lock(0), 0);
    EQUAL(channel_request(0, 0), 0);
    waste(300);
    EQUAL(cpu_mutex_unlock(0), 0);
    EQUAL(channel_wait(0, CHANNEL_ACK, 0), 0);
    EQUAL(cpu_barrier_wait(0), 0);
  }
  return NULL;
}

int main(void) {
  EQUAL(sem_init(&better, 0, 0), 0);
  EQUAL(cpu_barrier_init(0, 3), 0);
  run_sides((void *(*const[])(void *)){left, right}, 2);
  return finish();
}
