/* SPDX-License-Identifier: Apache-2.0
 *
 * Blocks through ports in all forms, of no words to more than a port has room for (CL_PORT_WORDS), with all of them in
 * order. Without message_receive, with which no block is short. */
#include <string.h>

#include "check.h"

#define LONGEST (CL_PORT_WORDS + 2)
#define GUARD 0xdeadbeefu
#define SENDERS 2
#define BLOCKS 60

enum { HERE, FULL, NOBODY, MANY, ECHO, BACK };
enum form { WAIT, TRY, TIMED, FORMS };

static volatile uint32_t opened;

static uint32_t content(uint32_t key, uint32_t i) { return key * 2654435761u ^ i * 40503u; }

static uint32_t next(uint32_t *random) { return (*random = *random * 1664525u + 1013904223u) >> 16; }

static int send(int port, const uint32_t *words, size_t count, enum form form) {
  if (form == WAIT) return port_send_block(port, words, count);
  if (form == TRY) return port_trysend_block(port, words, count);
  return port_timedsend_block(port, words, count, 1000000);
}

static int receive(int port, uint32_t *words, size_t room, size_t *count, enum form form) {
  if (form == WAIT) return port_receive_block(port, words, room, count);
  if (form == TRY) return port_tryreceive_block(port, words, room, count);
  return port_timedreceive_block(port, words, room, count, 1000000);
}

static void fill(uint32_t *words, size_t count, uint32_t key) {
  for (size_t i = 0; i < count; i++) words[i] = content(key, i);
}

/* Its first `stored` words are those of the block, and no other has been stored. */
static void check_words(const uint32_t *words, size_t stored, uint32_t key) {
  for (size_t i = 0; i < LONGEST + 1; i++) EQUAL(words[i], i < stored ? content(key, i) : GUARD);
}

static void guard(uint32_t *words) {
  for (size_t i = 0; i < LONGEST + 1; i++) words[i] = GUARD;
}

/* Every length, with every room, in every form, one at a time and all at once. */
static void exact(void) {
  uint32_t words[LONGEST + 1], key = 0;
  size_t count;
  for (enum form form = 0; form < FORMS; form++) {
    for (size_t length = 0; length <= LONGEST; length++) {
      for (size_t room = 0; room <= LONGEST + 1; room++, key++) {
        fill(words, length, key);
        EQUAL(send(HERE, words, length, form), 0);
        guard(words);
        port_publish();
        EQUAL(receive(HERE, words, room, &count, (form + length) % FORMS), length > room ? EMSGSIZE : 0);
        EQUAL(count, length);
        check_words(words, length > room ? room : length, key);
      }
    }
  }
  for (uint32_t turn = 0; turn < 3 * CL_PORT_DEPTH; turn++) { /* wherever its number wraps */
    for (uint32_t i = 0; i < CL_PORT_DEPTH; i++) {
      fill(words, (turn + i) % (LONGEST + 1), i);
      EQUAL(port_trysend_block(HERE, words, (turn + i) % (LONGEST + 1)), 0);
    }
    EQUAL(port_trysend_block(HERE, words, turn % (LONGEST + 1)), EAGAIN);
    for (uint32_t i = 0; i < CL_PORT_DEPTH; i++) {
      guard(words);
      EQUAL(port_receive_block(HERE, words, LONGEST, &count), 0);
      EQUAL(count, (turn + i) % (LONGEST + 1));
      check_words(words, count, i);
    }
    fill(words, 1, turn);
    EQUAL(port_send_block(HERE, words, 1), 0); /* one more */
    EQUAL(port_receive_block(HERE, words, 1, &count), 0);
  }
}

static void wrong(void) {
  uint32_t words[LONGEST + 1];
  size_t count = 9;
  guard(words);
  for (size_t length = 0; length <= LONGEST; length++) {
    EQUAL(port_send_block(NOBODY, words, length), EBADF);
    EQUAL(port_trysend_block(NOBODY, words, length), EBADF);
    EQUAL(port_timedsend_block(NOBODY, words, length, 100), EBADF);
    EQUAL(port_send_block(CL_PORTS, words, length), EINVAL);
    EQUAL(port_trysend_block(-1, words, length), EINVAL);
    EQUAL(port_timedsend_block(-1, words, length, 100), EINVAL);
  }
  EQUAL(port_send_block(HERE, words, CL_MESSAGES * CL_MESSAGE_WORDS + 1), EMSGSIZE);
  EQUAL(port_receive_block(NOBODY, words, 4, &count), EBADF);
  EQUAL(port_tryreceive_block(NOBODY, words, 4, &count), EBADF);
  EQUAL(port_timedreceive_block(NOBODY, words, 4, &count, 100), EBADF);
  EQUAL(port_receive_block(CL_PORTS, words, 4, &count), EINVAL);
  EQUAL(port_tryreceive_block(HERE, words, 4, &count), EAGAIN);
  TOO_LATE(port_timedreceive_block(HERE, words, 4, &count, 5000), 5000);
  EQUAL(port_send(HERE, 12345), 0); /* neither a block nor a message */
  EQUAL(port_receive_block(HERE, words, 4, &count), EBADMSG);
  EQUAL(count, 9);
  check_words(words, 0, 0);
}

/* A port that is full, in which blocks stay in order; short ones need nothing of the pool. */
static void full(void) {
  uint32_t words[LONGEST + 1];
  size_t count;
  struct message *all[CL_MESSAGES];
  EQUAL(port_open(FULL, PORT_DIRECT), 0);
  for (uint32_t i = 0; i < CL_PORT_DEPTH; i++) {
    fill(words, LONGEST - i % 2 * 2, i);
    EQUAL(port_send_block(FULL, words, LONGEST - i % 2 * 2), 0);
  }
  for (size_t length = 0; length <= LONGEST; length++) {
    EQUAL(port_trysend_block(FULL, words, length), EAGAIN);
    TOO_LATE(port_timedsend_block(FULL, words, length, 5000), 5000);
  }
  for (uint32_t i = 0; i < CL_PORT_DEPTH; i++) {
    guard(words);
    EQUAL(port_timedreceive_block(FULL, words, LONGEST, &count, 5000), 0);
    EQUAL(count, LONGEST - i % 2 * 2);
    check_words(words, count, i);
  }
  EQUAL(port_tryreceive_block(FULL, words, LONGEST, &count), EAGAIN);
  for (int i = 0; i < CL_MESSAGES; i++) EQUAL(message_tryalloc(&all[i], 1), 0); /* no block is one that is lost */
  for (size_t length = 0; length <= LONGEST; length++) {
    int is_short = CL_PORT_WORDS > 0 && length <= CL_PORT_WORDS;
    fill(words, length, length);
    EQUAL(port_trysend_block(FULL, words, length), is_short ? 0 : EAGAIN);
    if (!is_short) continue;
    guard(words);
    EQUAL(port_receive_block(FULL, words, LONGEST, &count), 0);
    EQUAL(count, length);
    check_words(words, length, length);
  }
  for (int i = 0; i < CL_MESSAGES; i++) EQUAL(message_free(all[i]), 0);
}

/* --- Two senders, and one receiver that is now faster and now slower --- */

static void *send_many(void *argument) {
  uint32_t self = (uint32_t)(uintptr_t)argument, random = self + 1, words[LONGEST + 2];
  for (uint32_t number = 0; number < BLOCKS; number++) {
    size_t count = 2 + next(&random) % LONGEST;
    fill(words, count, self << 16 | number);
    words[0] = self;
    words[1] = number;
    int form = (int)(next(&random) % FORMS), status;
    while ((status = send(MANY, words, count, form)) == EAGAIN) sched_yield();
    EQUAL(status, 0);
    waste(number / 20 == 1 ? 3000 : 0);
  }
  return NULL;
}

static void two_senders(int flags) {
  pthread_t threads[SENDERS];
  pthread_attr_t attr;
  uint32_t words[LONGEST + 2], expected[SENDERS] = {0}, random = 77;
  size_t count;
  EQUAL(port_open(MANY, flags), 0);
  for (uint32_t i = 0; i < SENDERS; i++) {
    attributes(&attr, 16, (int)(i % CL_CPUS));
    EQUAL(pthread_create(&threads[i], &attr, send_many, (void *)(uintptr_t)i), 0);
  }
  for (int i = 0; i < SENDERS * BLOCKS; i++) {
    int form = (int)(next(&random) % FORMS), status;
    while ((status = receive(MANY, words, LONGEST + 2, &count, form)) == EAGAIN) sched_yield();
    EQUAL(status, 0);
    CHECK(words[0] < SENDERS);
    EQUAL(words[1], expected[words[0]]);
    expected[words[0]]++;
    for (size_t word = 2; word < count; word++) EQUAL(words[word], content(words[0] << 16 | words[1], word));
    waste(i / 30 == 1 ? 3000 : 0);
  }
  for (int i = 0; i < SENDERS; i++) EQUAL(pthread_join(threads[i], NULL), 0);
  EQUAL(port_tryreceive_block(MANY, words, LONGEST, &count), EAGAIN);
  EQUAL(port_close(MANY), 0);
}

/* --- To and fro: each end waits for the other one --- */

static void *echo(void *argument) {
  uint32_t words[LONGEST];
  size_t count;
  EQUAL(port_open(ECHO, (int)(intptr_t)argument), 0);
  opened = 1;
  do {
    EQUAL(port_receive_block(ECHO, words, LONGEST, &count), 0);
    for (size_t i = 0; i < count; i++) words[i]++;
    EQUAL(port_send_block(BACK, words, count), 0);
  } while (count);
  EQUAL(port_close(ECHO), 0);
  return NULL;
}

static void to_and_fro(int flags) {
  pthread_t thread;
  pthread_attr_t attr;
  uint32_t words[LONGEST + 1];
  size_t count;
  opened = 0;
  EQUAL(port_open(BACK, flags), 0);
  EQUAL(pthread_create(&thread, attributes(&attr, 16, CL_CPUS - 1), echo, (void *)(intptr_t)flags), 0);
  while (!opened) sched_yield();
  for (uint32_t turn = 0; turn < 5; turn++) {
    for (size_t length = LONGEST; length > 0; length--) {
      fill(words, length, turn);
      EQUAL(port_send_block(ECHO, words, length), 0);
      guard(words);
      EQUAL(port_timedreceive_block(BACK, words, LONGEST, &count, 1000000), 0);
      EQUAL(count, length);
      for (size_t i = 0; i <= LONGEST; i++) EQUAL(words[i], i < length ? content(turn, i) + 1 : GUARD);
    }
  }
  EQUAL(port_send_block(ECHO, NULL, 0), 0);
  EQUAL(port_receive_block(BACK, NULL, 0, &count), 0);
  EQUAL(count, 0);
  EQUAL(pthread_join(thread, NULL), 0);
  EQUAL(port_close(BACK), 0);
}

int main(void) {
  for (int direct = 0; direct <= 1; direct++) {
    int flags = direct ? PORT_DIRECT : PORT_BUFFERED;
    EQUAL(port_open(HERE, flags), 0);
    wrong();
    exact();
    EQUAL(port_close(HERE), 0);
    two_senders(flags);
    to_and_fro(flags);
  }
  full();
  return finish();
}
