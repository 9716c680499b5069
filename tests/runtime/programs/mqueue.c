/* SPDX-License-Identifier: Apache-2.0
 *
 * Message queues: order, waiting, limits, names, notification, and every error. */
#include <mqueue.h>
#include <string.h>
#include <time.h>

#include "check.h"

#define MIDDLE PTHREAD_PRIORITY_DEFAULT_NP
#define SIZE 16

#define FAILS(call, error) \
  do {                     \
    EQUAL(call, -1);       \
    EQUAL(errno, error);   \
  } while (0)

static char text[SIZE];
static mqd_t queue;

static struct mq_attr sized(long messages, long bytes) {
  return (struct mq_attr){.mq_maxmsg = messages, .mq_msgsize = bytes};
}

static void send(const char *message, unsigned priority) {
  EQUAL(mq_send(queue, message, strlen(message) + 1, priority), 0);
}

static void receives(const char *message, unsigned priority) {
  unsigned found = ~0u;
  EQUAL(mq_receive(queue, text, sizeof text, &found), strlen(message) + 1);
  CHECK(strcmp(text, message) == 0);
  EQUAL(found, priority);
}

static void holds(long count) {
  struct mq_attr attr;
  EQUAL(mq_getattr(queue, &attr), 0);
  EQUAL(attr.mq_curmsgs, count);
}

/* --- names and descriptors --- */

static void names(void) {
  char name[300];
  struct mq_attr attr = sized(3, SIZE);
  memset(name, 'n', sizeof name);
  name[0] = '/';
  name[256] = 0;
  FAILS(mq_open(name, O_CREAT | O_RDWR, 0600, &attr), ENAMETOOLONG);
  FAILS(mq_unlink(name), ENAMETOOLONG);
  name[255] = 0;
  queue = mq_open(name, O_CREAT | O_RDWR, 0600, &attr);
  CHECK(queue != -1);
  EQUAL(mq_unlink(name), 0);
  EQUAL(mq_close(queue), 0);
  FAILS(mq_open("/", O_CREAT | O_RDWR, 0600, &attr), EINVAL);
  FAILS(mq_open("queue", O_CREAT | O_RDWR, 0600, &attr), EINVAL);
  FAILS(mq_open("/queue", O_RDWR), ENOENT);
  FAILS(mq_unlink("/queue"), ENOENT);
  FAILS(mq_open("/queue", O_CREAT | O_ACCMODE, 0600, &attr), EINVAL);
  attr = sized(0, SIZE);
  FAILS(mq_open("/queue", O_CREAT | O_RDWR, 0600, &attr), EINVAL);
  attr = sized(3, 0);
  FAILS(mq_open("/queue", O_CREAT | O_RDWR, 0600, &attr), EINVAL);
  attr = sized(1 << 20, 1 << 20);
  FAILS(mq_open("/queue", O_CREAT | O_RDWR, 0600, &attr), ENOSPC);

  attr = sized(3, SIZE);
  queue = mq_open("/queue", O_CREAT | O_EXCL | O_RDWR, 0600, &attr);
  FAILS(mq_open("/queue", O_CREAT | O_EXCL | O_RDWR, 0600, &attr), EEXIST);
  attr = sized(7, 7); /* not looked at */
  mqd_t reader = mq_open("/queue", O_CREAT | O_RDONLY, 0600, &attr), writer = mq_open("/queue", O_WRONLY | O_NONBLOCK);
  EQUAL(mq_getattr(reader, &attr), 0);
  EQUAL(attr.mq_maxmsg, 3);
  EQUAL(attr.mq_msgsize, SIZE);
  EQUAL(attr.mq_flags, 0);
  EQUAL(mq_setattr(writer, &(struct mq_attr){0}, &attr), 0);
  EQUAL(attr.mq_flags, O_NONBLOCK);
  EQUAL(mq_getattr(writer, &attr), 0);
  EQUAL(attr.mq_flags, 0);
  FAILS(mq_send(reader, "x", 1, 0), EBADF);
  FAILS(mq_receive(writer, text, sizeof text, NULL), EBADF);
  EQUAL(mq_send(writer, "by name", 8, 5), 0);
  EQUAL(mq_close(writer), 0);
  FAILS(mq_close(writer), EBADF);
  FAILS(mq_send(writer, "x", 1, 0), EBADF);
  FAILS(mq_getattr(writer, &attr), EBADF);
  FAILS(mq_setattr(-1, &attr, NULL), EBADF);
  FAILS(mq_notify(1000, NULL), EBADF);
  FAILS(mq_receive(0, text, sizeof text, NULL), EBADF);

  EQUAL(mq_unlink("/queue"), 0); /* lives on until it is closed */
  FAILS(mq_open("/queue", O_RDWR), ENOENT);
  receives("by name", 5);
  EQUAL(mq_close(queue), 0);
  EQUAL(mq_close(reader), 0);

  mqd_t all[MQ_OPEN_MAX];
  for (int i = 0; i < MQ_OPEN_MAX; i++) all[i] = mq_open("/queue", O_CREAT | O_RDWR, 0600, NULL);
  FAILS(mq_open("/queue", O_RDWR), EMFILE);
  FAILS(mq_open("/other", O_CREAT | O_RDWR, 0600, NULL), EMFILE);
  EQUAL(mq_getattr(all[0], &attr), 0);
  EQUAL(attr.mq_maxmsg, 10);
  EQUAL(attr.mq_msgsize, 256);
  for (int i = 0; i < MQ_OPEN_MAX; i++) EQUAL(mq_close(all[i]), 0);
  EQUAL(mq_unlink("/queue"), 0);
  FAILS(mq_open("/other", O_RDWR), ENOENT);
}

/* --- one thread --- */

static void orders(void) {
  send("one", 1);
  send("two", 7);
  send("three", 1);
  send("four", MQ_PRIO_MAX - 1);
  holds(4);
  receives("four", MQ_PRIO_MAX - 1);
  receives("two", 7);
  receives("one", 1);
  receives("three", 1);
  EQUAL(mq_send(queue, NULL, 0, 3), 0);
  EQUAL(mq_receive(queue, text, sizeof text, NULL), 0);
  FAILS(mq_send(queue, "x", 1, MQ_PRIO_MAX), EINVAL);
  FAILS(mq_send(queue, "12345678901234567", SIZE + 1, 0), EMSGSIZE);
  FAILS(mq_receive(queue, text, SIZE - 1, NULL), EMSGSIZE);
  holds(0);
}

static void has_limits(void) {
  struct timespec past = {0, 0}, wrong = {0, 1000000000}, until;
  FAILS(mq_timedreceive(queue, text, sizeof text, NULL, &past), ETIMEDOUT);
  FAILS(mq_timedreceive(queue, text, sizeof text, NULL, &wrong), EINVAL);
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_nsec += 400000; /* still of the first second */
  FAILS(mq_timedreceive(queue, text, sizeof text, NULL, &until), ETIMEDOUT);
  clock_gettime(CLOCK_REALTIME, &past);
  CHECK(past.tv_nsec >= until.tv_nsec);
  EQUAL(mq_timedsend(queue, "1", 2, 0, &wrong), 0); /* not looked at */
  for (int i = 0; i < 3; i++) send("x", 0);
  FAILS(mq_timedsend(queue, "x", 2, 0, &past), ETIMEDOUT);
  FAILS(mq_timedsend(queue, "x", 2, 0, &wrong), EINVAL);
  EQUAL(mq_setattr(queue, &(struct mq_attr){.mq_flags = O_NONBLOCK}, NULL), 0);
  FAILS(mq_send(queue, "x", 2, 0), EAGAIN);
  FAILS(mq_timedsend(queue, "x", 2, 0, &wrong), EAGAIN);
  EQUAL(mq_timedreceive(queue, text, sizeof text, NULL, &wrong), 2);
  for (int i = 0; i < 3; i++) receives("x", 0);
  FAILS(mq_receive(queue, text, sizeof text, NULL), EAGAIN);
  EQUAL(mq_setattr(queue, &(struct mq_attr){0}, NULL), 0);
}

/* --- several threads --- */

static char woken[8];
static volatile int ordered;

static void *waits_for_message(void *letter) {
  char message[SIZE];
  unsigned priority;
  EQUAL(mq_receive(queue, message, sizeof message, &priority), 2);
  woken[ordered++] = (char)(intptr_t)letter;
  woken[ordered++] = message[0];
  return NULL;
}

static void *waits_for_room(void *letter) {
  char message[2] = {(char)(intptr_t)letter};
  EQUAL(mq_send(queue, message, 2, 1), 0);
  return NULL;
}

static void wakes(void) {
  pthread_t one = spawn(MIDDLE + 1, waits_for_message, (void *)'a');
  pthread_t two = spawn(MIDDLE + 2, waits_for_message, (void *)'b');
  send("x", 0); /* to the more urgent one */
  EQUAL(ordered, 2);
  send("y", 9);
  EQUAL(pthread_join(one, NULL), 0);
  EQUAL(pthread_join(two, NULL), 0);
  CHECK(memcmp(woken, "bxay", 4) == 0);
  for (int i = 0; i < 4; i++) send("z", 1);
  one = spawn(MIDDLE + 1, waits_for_room, (void *)'p');
  two = spawn(MIDDLE + 2, waits_for_room, (void *)'q');
  holds(4);
  receives("z", 1);
  receives("z", 1);
  holds(4);
  for (int i = 0; i < 2; i++) receives("z", 1);
  receives("q", 1);
  receives("p", 1);
  EQUAL(pthread_join(one, NULL), 0);
  EQUAL(pthread_join(two, NULL), 0);
}

#define MESSAGES 60
static volatile int sums[2];

static void *produces(void *number) {
  for (int i = 0; i < MESSAGES; i++) {
    int word = i + 1;
    EQUAL(mq_send(queue, (char *)&word, sizeof word, (unsigned)(intptr_t)number), 0);
  }
  return NULL;
}

static void *consumes(void *number) {
  int sum = 0;
  for (int i = 0; i < MESSAGES; i++) {
    int word[SIZE / sizeof(int)];
    EQUAL(mq_receive(queue, (char *)word, sizeof word, NULL), sizeof *word);
    sum += *word;
  }
  sums[(intptr_t)number] = sum;
  return NULL;
}

static void passes_all(void) {
  pthread_t threads[4];
  for (intptr_t i = 0; i < 4; i++)
    EQUAL(pthread_create(&threads[i], NULL, i & 2 ? consumes : produces, (void *)(i & 1)), 0);
  for (int i = 0; i < 4; i++) EQUAL(pthread_join(threads[i], NULL), 0);
  EQUAL(sums[0] + sums[1], MESSAGES * (MESSAGES + 1));
}

/* --- notification --- */

static sem_t called;
static volatile int value;

static void function(union sigval with) {
  value = with.sival_int;
  EQUAL(sem_post(&called), 0);
}

static void notifies(void) {
  struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = function};
  event.sigev_value.sival_int = 42;
  EQUAL(mq_notify(queue, &event), 0);
  FAILS(mq_notify(queue, &event), EBUSY);
  send("x", 0);
  EQUAL(sem_wait(&called), 0);
  EQUAL(value, 42);
  receives("x", 0);
  send("y", 0); /* once */
  FAILS(sem_trywait(&called), EAGAIN);
  EQUAL(mq_notify(queue, &event), 0); /* not empty: nothing yet */
  send("z", 0);
  receives("y", 0);
  receives("z", 0);
  FAILS(sem_trywait(&called), EAGAIN);
  pthread_t thread = spawn(MIDDLE + 1, waits_for_message, (void *)'a');
  send("x", 0); /* who waits has precedence */
  EQUAL(pthread_join(thread, NULL), 0);
  FAILS(sem_trywait(&called), EAGAIN);
  send("x", 0);
  EQUAL(sem_wait(&called), 0);
  receives("x", 0);

  event.sigev_notify = SIGEV_NONE;
  EQUAL(mq_notify(queue, &event), 0);
  FAILS(mq_notify(queue, &event), EBUSY);
  EQUAL(mq_notify(queue, NULL), 0);
  event.sigev_notify = SIGEV_SIGNAL;
  FAILS(mq_notify(queue, &event), ENOTSUP);
  event.sigev_notify = 42;
  FAILS(mq_notify(queue, &event), EINVAL);
}

/* --- cancellation --- */

static void *is_cancelled(void *sends) {
  char message[SIZE] = "c";
  if (sends) mq_send(queue, message, sizeof message, 0);
  else mq_receive(queue, message, sizeof message, NULL);
  return NULL;
}

static void can_be_cancelled(void) {
  for (intptr_t sends = 0; sends < 2; sends++) {
    void *value;
    for (int i = 0; sends && i < 4; i++) send("x", 0);
    pthread_t thread = spawn(MIDDLE + 1, is_cancelled, (void *)sends);
    nanosleep(&(struct timespec){0, 1000000}, NULL); /* it waits, on any CPU */
    EQUAL(pthread_cancel(thread), 0);
    EQUAL(pthread_join(thread, &value), 0);
    CHECK(value == PTHREAD_CANCELED);
    holds(4 * sends);
    for (int i = 0; sends && i < 4; i++) receives("x", 0);
  }
}

int main(void) {
  struct mq_attr attr = sized(4, SIZE);
  EQUAL(sem_init(&called, 0, 0), 0);
  names();
  queue = mq_open("/queue", O_CREAT | O_RDWR, 0600, &attr);
  orders();
  has_limits();
  if (cl_cpu_count() == 1) wakes(); /* it relies on what runs first */
  passes_all();
  can_be_cancelled();
  if (cl_cpu_count() == 1) notifies();
  EQUAL(mq_close(queue), 0);
  EQUAL(mq_unlink("/queue"), 0);
  return finish();
}
