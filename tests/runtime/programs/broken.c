/* SPDX-License-Identifier: Apache-2.0
 *
 * Mistakes that break a list of the library's in the program's memory, one a CASE: a line that says which list, and status
 * 134. */
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "coreloom.h"

static pthread_mutex_t robust(void) {
  pthread_mutexattr_t attr;
  pthread_mutex_t made;
  pthread_mutexattr_init(&attr);
  pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&made, &attr);
  return made;
}

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

/* A wait that ends when main has overwritten the lock. */
__attribute__((unused)) static void *wait_for_lock(void *unused) {
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_nsec += 2000000;
  pthread_rwlock_timedwrlock(&lock, &until);
  return unused;
}

static void nothing(void *unused) { (void)unused; }

__attribute__((noinline, unused)) static void push_and_return(void) {
  pthread_cleanup_push(nothing, NULL);
  return;
  pthread_cleanup_pop(0);
}

__attribute__((unused)) static mqd_t queue_with_message(void) {
  mqd_t queue = mq_open("/queue", O_CREAT | O_RDWR, 0600, &(struct mq_attr){.mq_maxmsg = 3, .mq_msgsize = 8});
  mq_send(queue, "message", 8, 0);
  return queue;
}

/* The queue is behind this block. */
__attribute__((unused)) static char *text_of_message(char *block) {
  while (memcmp(block, "message", 8) != 0) block++;
  return block;
}

/* Small blocks that are freed are kept, by size. */
#define BYTES (CASE == 5 || CASE == 6 ? 400 : 24)

int main(void) {
  static pthread_mutex_t first, second;
  char *blocks[3];
  first = robust();
  second = robust();
  for (int i = 0; i < 3; i++) blocks[i] = malloc(BYTES);
#if CASE == 0 /* locked, copied over, locked again */
  pthread_mutex_lock(&first);
  first = robust();
  pthread_mutex_lock(&first);
#elif CASE == 1 /* the list leads back to itself */
  pthread_mutex_lock(&first);
  pthread_mutex_lock(&second);
  first = second;
  pthread_exit(NULL);
#elif CASE == 2 /* others wait for what is overwritten */
  pthread_t thread;
  pthread_rwlock_wrlock(&lock);
  pthread_create(&thread, NULL, wait_for_lock, NULL);
  usleep(500);
  lock = (pthread_rwlock_t)PTHREAD_RWLOCK_INITIALIZER;
  pthread_join(thread, NULL);
#elif CASE == 3
  push_and_return();
  pthread_exit(NULL);
#elif CASE == 4
  free(blocks[1]);
  free(blocks[1]);
#elif CASE == 5 /* written past the end */
  char *volatile end = blocks[0] + BYTES - 24;
  free(blocks[1]);
  memset(end, 'x', 40);
  blocks[1] = malloc(BYTES);
#elif CASE == 6 /* written after free */
  free(blocks[0]);
  memset(blocks[0], 'x', 8);
  blocks[0] = malloc(BYTES + 100);
#elif CASE == 7
  free(&first);
#elif CASE == 8 /* a block of two messages whose second is its first */
  static uint32_t words[CL_MESSAGE_WORDS + 1];
  struct message *message;
  port_open(0, PORT_DIRECT);
  port_send_block(0, words, CL_MESSAGE_WORDS + 1);
  message_receive(0, &message);
  message->next = message;
  message_free(message);
#elif CASE == 9 /* written before a message in a queue */
  mqd_t queue = queue_with_message();
  memset(text_of_message(blocks[0]) - 16, 'x', 16);
  mq_receive(queue, blocks[0], 8, NULL);
#elif CASE == 10 /* written before that, over a free slot */
  mqd_t queue = queue_with_message();
  memset(text_of_message(blocks[0]) - 40, 'x', 16);
  mq_send(queue, "more", 4, 0);
#elif CASE == 11 /* written past the end, over a semaphore with a name */
  sem_open("/first", O_CREAT, 0600, 1);
  char *volatile end = blocks[2];
  memset(end, 'x', 40);
  sem_open("/second", O_CREAT, 0600, 1);
#elif CASE == 12 /* a list of names that leads back to itself: the name is the third word before the semaphore */
  void **named = (void **)sem_open("/first", O_CREAT, 0600, 1) - 3;
  *named = named;
  sem_open("/second", O_CREAT, 0600, 1);
#elif CASE == 13 /* written after free */
  free(blocks[0]);
  memset(blocks[0] - 4, 'x', 8);
  blocks[0] = malloc(BYTES);
#endif
  printf("unnoticed %p\n", (void *)blocks[0]);
  return 0;
}
