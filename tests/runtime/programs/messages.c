/* SPDX-License-Identifier: Apache-2.0
 *
 * Messages through ports: ownership, an exhausted pool, long blocks of several senders, wrong ones. */
#include <string.h>

#include "check.h"

#define SENDERS 3
#define BLOCKS 12
#define LONG (3 * CL_MESSAGE_WORDS + 17)

enum { TO_MAIN, TO_OTHER, NOBODY, DEEP };

static struct message *stolen;
static uint32_t out[SENDERS][LONG], in[CL_MESSAGES * CL_MESSAGE_WORDS];

static void *intrude(void *unused) {
  (void)unused;
  EQUAL(message_free(stolen), EPERM);
  EQUAL(message_send(TO_MAIN, stolen), EPERM);
  EQUAL(message_trysend(TO_MAIN, stolen), EPERM);
  return NULL;
}

/* Adds one to each word and sends the same message back. */
static void *echo(void *unused) {
  (void)unused;
  struct message *message;
  EQUAL(port_open(TO_OTHER, PORT_DIRECT), 0);
  for (;;) {
    EQUAL(message_receive(TO_OTHER, &message), 0);
    uint32_t count = message->count;
    for (uint32_t i = 0; i < count; i++) message->words[i]++;
    EQUAL(message_send(TO_MAIN, message), 0);
    if (!count) return NULL;
  }
}

static void *send_blocks(void *argument) {
  uint32_t self = (uint32_t)(uintptr_t)argument;
  for (uint32_t block = 0; block < BLOCKS; block++) {
    size_t count = 2 + (block * 97 + self * 31) % (LONG - 2);
    for (size_t i = 0; i < count; i++) out[self][i] = self << 28 | block << 16 | (uint32_t)i;
    EQUAL(port_send_block(TO_MAIN, out[self], count), 0);
  }
  return NULL;
}

static void *send_late(void *unused) {
  (void)unused;
  waste(3000);
  EQUAL(port_timedsend_block(TO_MAIN, in, 700, 1000000), 0);
  return NULL;
}

static void wrong(void) {
  struct message *message = NULL;
  uint32_t word;
  size_t count = 9;
  EQUAL(message_alloc(&message, CL_MESSAGE_WORDS + 1), EMSGSIZE);
  EQUAL(message_free(NULL), EINVAL);
  EQUAL(message_free((struct message *)(void *)&word), EINVAL);
  EQUAL(message_alloc(&message, 1), 0);
  EQUAL(message_free((struct message *)(void *)&message->words), EINVAL);
  EQUAL(message_send(-1, message), EINVAL);
  EQUAL(message_send(CL_PORTS, message), EINVAL);
  EQUAL(message_send(NOBODY, message), EBADF);
  EQUAL(message_trysend(NOBODY, message), EBADF);
  EQUAL(message_receive(NOBODY, &message), EBADF);
  EQUAL(port_send_block(NOBODY, in, 5), EBADF);
  EQUAL(port_receive_block(CL_PORTS, in, 5, &count), EINVAL);
  EQUAL(port_send_block(TO_MAIN, in, CL_MESSAGES * CL_MESSAGE_WORDS + 1), EMSGSIZE);
  EQUAL(count, 9);
  EQUAL(message_tryreceive(TO_MAIN, &message), EAGAIN);
  EQUAL(port_tryreceive_block(TO_MAIN, in, 5, &count), EAGAIN);
  TOO_LATE(message_timedreceive(TO_MAIN, &message, 5000), 5000);
  TOO_LATE(port_timedreceive_block(TO_MAIN, in, 5, &count, 5000), 5000);
  /* what is no message, and one that was not sent */
  EQUAL(port_send(TO_MAIN, 12), 0);
  EQUAL(message_receive(TO_MAIN, &message), EBADMSG);
  EQUAL(port_send(TO_MAIN, (uint32_t)(uintptr_t)message), 0);
  EQUAL(message_tryreceive(TO_MAIN, &message), EBADMSG);
  EQUAL(message_free(message), 0);
  EQUAL(message_free(message), EPERM);
}

/* Everything is taken. */
static void exhausted(void) {
  struct message *all[CL_MESSAGES], *message;
  pthread_t thread;
  for (int i = 0; i < CL_MESSAGES; i++) EQUAL(message_tryalloc(&all[i], (size_t)i), 0);
  for (int i = 0; i < CL_MESSAGES; i++) EQUAL(all[i]->count, i);
  EQUAL(message_tryalloc(&message, 1), EAGAIN);
  EQUAL(port_trysend_block(TO_MAIN, in, 3), EAGAIN);
  TOO_LATE(message_timedalloc(&message, 1, 5000), 5000);
  TOO_LATE(port_timedsend_block(TO_MAIN, in, 3, 5000), 5000);
  stolen = all[3];
  thread = spawn(17, intrude, NULL);
  EQUAL(pthread_join(thread, NULL), 0);
  EQUAL(message_free(all[0]), 0);
  EQUAL(message_free(all[1]), 0);
  EQUAL(port_trysend_block(TO_MAIN, in, 2 * CL_MESSAGE_WORDS + 1), EAGAIN); /* of three there are two */
  TOO_LATE(port_timedsend_block(TO_MAIN, in, 2 * CL_MESSAGE_WORDS + 1, 5000), 5000);
  EQUAL(port_trysend_block(TO_MAIN, in, 2 * CL_MESSAGE_WORDS), 0);
  EQUAL(message_tryalloc(&message, 1), EAGAIN);
  EQUAL(message_receive(TO_MAIN, &message), 0);
  EQUAL(message->count, CL_MESSAGE_WORDS);
  EQUAL(message->next->count, CL_MESSAGE_WORDS);
  EQUAL(message_free(message), 0);
  for (int i = 2; i < CL_MESSAGES; i++) EQUAL(message_free(all[i]), 0);
  for (int i = 0; i < CL_MESSAGES; i++) all[i]->next = all[i]; /* written after free: no list leads through it */
  for (int i = 0; i < CL_MESSAGES; i++) EQUAL(message_tryalloc(&all[i], 1), 0);
  for (int i = 0; i < CL_MESSAGES; i++) CHECK(all[i]->next == NULL);
  for (int i = 0; i < CL_MESSAGES; i++) EQUAL(message_free(all[i]), 0);
}

int main(void) {
  pthread_t threads[SENDERS];
  pthread_attr_t attr;
  struct message *message;
  size_t count;
  EQUAL(port_open(TO_MAIN, PORT_DIRECT), 0);
  wrong();
  exhausted();

  /* A port that is full: the message stays the sender's. */
  EQUAL(port_open(DEEP, PORT_DIRECT), 0);
  for (int i = 0; i < CL_PORT_DEPTH; i++) {
    EQUAL(message_alloc(&message, 1), 0);
    EQUAL(message_trysend(DEEP, message), 0);
  }
  EQUAL(message_alloc(&message, 1), 0);
  EQUAL(message_trysend(DEEP, message), EAGAIN);
  EQUAL(port_trysend_block(DEEP, in, 4), EAGAIN);
  TOO_LATE(message_timedsend(DEEP, message, 5000), 5000);
  TOO_LATE(port_timedsend_block(DEEP, in, 4, 5000), 5000);
  EQUAL(message_free(message), 0);
  for (int i = 0; i < CL_PORT_DEPTH; i++) {
    EQUAL(message_receive(DEEP, &message), 0);
    EQUAL(message_free(message), 0);
  }

  /* To and fro. */
  EQUAL(pthread_create(&threads[0], attributes(&attr, 16, CL_CPUS - 1), echo, NULL), 0);
  for (uint32_t n = 0; n <= 20; n++) {
    EQUAL(message_alloc(&message, 20 - n), 0);
    for (uint32_t i = 0; i < 20 - n; i++) message->words[i] = n * i;
    struct message *sent = message;
    while (message_send(TO_OTHER, message) == EBADF) sched_yield(); /* until it is open */
    EQUAL(message_receive(TO_MAIN, &message), 0);
    CHECK(message == sent);
    EQUAL(message->count, 20 - n);
    for (uint32_t i = 0; i < 20 - n; i++) EQUAL(message->words[i], n * i + 1);
    EQUAL(message_free(message), 0);
  }
  EQUAL(pthread_join(threads[0], NULL), 0);

  /* Long blocks of several senders, each whole and in its sender's order. */
  uint32_t next[SENDERS] = {0};
  for (uint32_t i = 0; i < SENDERS; i++) {
    attributes(&attr, 16, i % CL_CPUS);
    EQUAL(pthread_create(&threads[i], &attr, send_blocks, (void *)(uintptr_t)i), 0);
  }
  for (int i = 0; i < SENDERS * BLOCKS; i++) {
    EQUAL(port_receive_block(TO_MAIN, in, LONG, &count), 0);
    uint32_t sender = in[0] >> 28, block = in[0] >> 16 & 0xfff;
    CHECK(sender < SENDERS);
    EQUAL(block, next[sender]);
    next[sender]++;
    EQUAL(count, 2 + (block * 97 + sender * 31) % (LONG - 2));
    for (size_t word = 0; word < count; word++)
      if (in[word] != (sender << 28 | block << 16 | (uint32_t)word)) EQUAL(in[word], word);
  }
  for (int i = 0; i < SENDERS; i++) EQUAL(pthread_join(threads[i], NULL), 0);

  /* A block of nothing, one as large as the pool, and one that does not fit. */
  EQUAL(port_send_block(TO_MAIN, in, 0), 0);
  EQUAL(port_receive_block(TO_MAIN, in, 0, &count), 0);
  EQUAL(count, 0);
  for (uint32_t i = 0; i < CL_MESSAGES * CL_MESSAGE_WORDS; i++) in[i] = i * 3;
  EQUAL(port_send_block(TO_MAIN, in, CL_MESSAGES * CL_MESSAGE_WORDS), 0);
  memset(in, 0, sizeof in);
  EQUAL(port_receive_block(TO_MAIN, in, CL_MESSAGES * CL_MESSAGE_WORDS, &count), 0);
  EQUAL(count, CL_MESSAGES * CL_MESSAGE_WORDS);
  for (uint32_t i = 0; i < CL_MESSAGES * CL_MESSAGE_WORDS; i++)
    if (in[i] != i * 3) EQUAL(in[i], i * 3);
  EQUAL(port_send_block(TO_MAIN, in, 300), 0);
  memset(in, 0, sizeof in);
  EQUAL(port_receive_block(TO_MAIN, in, 260, &count), EMSGSIZE);
  EQUAL(count, 300);
  EQUAL(in[259], 259 * 3);
  EQUAL(in[260], 0);
  EQUAL(pthread_create(&threads[0], attributes(&attr, 16, CL_CPUS - 1), send_late, NULL), 0);
  EQUAL(port_timedreceive_block(TO_MAIN, in, LONG, &count, 1000000), 0);
  EQUAL(count, 700);
  EQUAL(pthread_join(threads[0], NULL), 0);
  for (int i = 0; i < CL_MESSAGES; i++) EQUAL(message_tryalloc(&message, 1), 0); /* all are back */
  EQUAL(message_tryalloc(&message, 1), EAGAIN);
  EQUAL(sem_trywait(&(sem_t){0}), -1);
  EQUAL(errno, EINVAL);
  EQUAL(message_tryalloc(&message, 1), EAGAIN);
  EQUAL(errno, EINVAL); /* left alone */
  return finish();
}
