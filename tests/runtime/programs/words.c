/* SPDX-License-Identifier: Apache-2.0
 *
 * Messages of several words (platform key port_words), at the back end itself: whole and in order, whoever preempts
 * whom. WARM: prints what they cost on one CPU with a warm cache, too. */
#include "check.h"
#include "cl_kernel.h"

#define MOST (CL_PORT_WORDS ? CL_PORT_WORDS : 1) /* it is for platforms with the key, and compiles for all */
#define SENDERS 3
#define EACH 200
#define ROUNDS 3 /* the last counts: code and data are in the caches then */
#ifndef WARM
#define WARM 0
#endif

enum { TO_MAIN, TO_BETTER, TO_SELF, NOBODY };

static volatile int over;
static volatile uint32_t sent_by_better;

static uint32_t pattern(uint32_t sender, uint32_t number, uint32_t n) { return sender << 28 | number << 8 | n; }

static void fill(uint32_t *words, uint32_t sender, uint32_t number) {
  for (uint32_t n = 0; n < CL_PORT_WORDS; n++) words[n] = pattern(sender, number, n);
}

static void check(const uint32_t *words, uint32_t count, uint32_t sender, uint32_t number) {
  for (uint32_t n = 0; n < count; n++) EQUAL(words[n], pattern(sender, number, n));
}

static void *send_all(void *argument) {
  const uint32_t self = (uint32_t)(uintptr_t)argument;
  uint32_t words[CL_PORT_WORDS];
  for (uint32_t number = 0; number < EACH; number++) {
    const uint32_t count = 1 + (number + self) % MOST;
    fill(words, self, number);
    EQUAL(cl_op_port_send(TO_MAIN, count, words, CL_NEVER), 0);
  }
  EQUAL(port_publish(), 0);
  return NULL;
}

/* Preempts the others wherever they are, and has the CPU's words in between. */
static void *be_better(void *unused) {
  (void)unused;
  sem_t never;
  EQUAL(sem_init(&never, 0, 0), 0);
  EQUAL(port_open(TO_BETTER, PORT_DIRECT), 0);
  for (uint32_t number = 0; !over; number++) {
    uint32_t words[CL_PORT_WORDS], word = 0;
    sem_timedwait_np(&never, 500 + 13 * number % 97);
    fill(words, 9, number);
    EQUAL(cl_op_port_send(TO_BETTER, CL_PORT_WORDS, words, CL_NOW), 0);
    fill(words, 0, 0);
    EQUAL(cl_status(cl_op_port_receive(TO_BETTER, &word, words, CL_PORT_WORDS, CL_NOW)), 0);
    EQUAL(word, CL_PORT_WORDS);
    check(words, word, 9, number);
    sent_by_better = number + 1;
  }
  EQUAL(port_close(TO_BETTER), 0);
  return NULL;
}

static void from_many(int flags) {
  pthread_t threads[SENDERS], better;
  uint32_t next[SENDERS] = {0}, words[CL_PORT_WORDS], word = 0;
  over = 0;
  EQUAL(port_open(TO_MAIN, flags), 0);
  better = spawn(PTHREAD_PRIORITY_DEFAULT_NP + 2, be_better, NULL);
  for (uint32_t n = 0; n < SENDERS; n++) EQUAL(pthread_create(&threads[n], NULL, send_all, (void *)(uintptr_t)n), 0);
  for (int n = 0; n < SENDERS * EACH; n++) {
    EQUAL(cl_status(cl_op_port_receive(TO_MAIN, &word, words, CL_PORT_WORDS, CL_NEVER)), 0);
    const uint32_t sender = words[0] >> 28;
    if (sender >= SENDERS) {
      EQUAL(sender, 0);
      continue;
    }
    EQUAL(word, 1 + (next[sender] + sender) % MOST);
    check(words, word, sender, next[sender]++);
  }
  for (uint32_t n = 0; n < SENDERS; n++) EQUAL(pthread_join(threads[n], NULL), 0);
  over = 1;
  EQUAL(pthread_join(better, NULL), 0);
  CHECK(sent_by_better > 30);
  EQUAL(port_close(TO_MAIN), 0);
}

static void edges(void) {
  uint32_t words[CL_PORT_WORDS], word = 0;
  EQUAL(cl_status(cl_op_port_send(NOBODY, 0, words, CL_NEVER)), EBADF);
  EQUAL(cl_status(cl_op_port_receive(NOBODY, &word, words, CL_PORT_WORDS, CL_NEVER)), EBADF);
  EQUAL(port_open(TO_SELF, PORT_DIRECT), 0);
  EQUAL(cl_status(cl_op_port_receive(TO_SELF, &word, words, CL_PORT_WORDS, CL_NOW)), EAGAIN);

  /* either kind of receive takes either kind of message */
  fill(words, 1, 1);
  EQUAL(port_send(TO_SELF, 54321), 0);
  EQUAL(cl_op_port_send(TO_SELF, 2, words, CL_NEVER), 0);
  EQUAL(cl_op_port_send(TO_SELF, CL_PORT_WORDS, words, CL_NEVER), 0);
  fill(words, 2, 2);
  EQUAL(cl_status(cl_op_port_receive(TO_SELF, &word, words, CL_PORT_WORDS, CL_NEVER)), 0);
  EQUAL(word, 54321);
  check(words, CL_PORT_WORDS, 2, 2);
  EQUAL(port_receive(TO_SELF, &word), 0);
  EQUAL(word, 2);
  EQUAL(cl_status(cl_op_port_receive(TO_SELF, &word, words, 1, CL_NEVER)), 0); /* room for one */
  EQUAL(word, CL_PORT_WORDS);
  EQUAL(words[0], pattern(1, 1, 0));
  EQUAL(words[1], pattern(2, 2, 1));

  for (int n = 0; n < CL_PORT_DEPTH; n++) EQUAL(cl_op_port_send(TO_SELF, 1, words, CL_NOW), 0);
  EQUAL(cl_status(cl_op_port_send(TO_SELF, 1, words, CL_NOW)), EAGAIN);
  for (int n = 0; n < CL_PORT_DEPTH; n++)
    EQUAL(cl_status(cl_op_port_receive(TO_SELF, &word, words, CL_PORT_WORDS, CL_NOW)), 0);
  EQUAL(cl_status(cl_op_port_receive(TO_SELF, &word, words, CL_PORT_WORDS, CL_NOW)), EAGAIN);
  EQUAL(port_close(TO_SELF), 0);
}

static void measure(void) {
  uint32_t words[CL_PORT_WORDS < 4 ? 4 : CL_PORT_WORDS] = {1, 2, 3, 4}, word = 0, begin = 0, sent = 0, end = 0;
  EQUAL(port_open(TO_SELF, PORT_DIRECT), 0);
  for (int round = 0; round < ROUNDS; round++) {
    begin = cl_cycle();
    cl_op_port_send(TO_SELF, 4, words, CL_NEVER);
    sent = cl_cycle();
    cl_op_port_receive(TO_SELF, &word, words, CL_PORT_WORDS, CL_NEVER);
    end = cl_cycle();
  }
  EQUAL(port_close(TO_SELF), 0);
  printf("4 words: send %u, receive %u\n", (unsigned)(sent - begin), (unsigned)(end - sent));
}

int main(void) {
  edges();
  from_many(PORT_BUFFERED);
  from_many(PORT_DIRECT);
  if (WARM) measure();
  return finish();
}
