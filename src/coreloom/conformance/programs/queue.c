/* SPDX-License-Identifier: Apache-2.0
 *
 * Message queues. */
#include <fcntl.h>
#include <limits.h>
#include <mqueue.h>
#include <signal.h>

#include "conformance.h"

#if !defined(MQ_OPEN_MAX)
#define MQ_OPEN_MAX 8
#endif

static const char name[] = "/coreloom-conformance", other[] = "/coreloom-conformance-2";
static mqd_t queue;
static volatile int has, late, notified;
static volatile long value_seen;
static char text[64];

/* The queue `name`, empty, for messages of up to 16 bytes; -1 if it cannot be made. */
static mqd_t made(int flags, long most) {
  struct mq_attr attr = {.mq_maxmsg = most, .mq_msgsize = 16};
  mq_unlink(name);
  return mq_open(name, O_CREAT | flags, 0600, &attr);
}

static void gone(void) {
  mq_close(queue);
  mq_unlink(name);
}

#define MADE(flags, most)                                                               \
  do {                                                                                  \
    queue = made(flags, most);                                                          \
    if (queue == (mqd_t) - 1 && errno == ENOSYS) UNTESTED("this kernel has no queues"); \
    TRUE(queue != (mqd_t) - 1);                                                         \
  } while (0)

static long waiting(void) {
  struct mq_attr attr;
  return mq_getattr(queue, &attr) ? -1 : attr.mq_curmsgs;
}

TEST(mq_open, creates, "O_CREAT makes an empty queue with the attributes given") {
  struct mq_attr attr;
  MADE(O_RDWR, 5);
  OK(mq_getattr(queue, &attr));
  IS(5, attr.mq_maxmsg);
  IS(16, attr.mq_msgsize);
  IS(0, attr.mq_curmsgs);
  IS(0, attr.mq_flags & O_NONBLOCK);
  gone();
}

TEST(mq_open, default_attributes, "without attributes it makes a queue that takes at least one message") {
  mq_unlink(name);
  queue = mq_open(name, O_CREAT | O_RDWR, 0600, NULL);
  TRUE(queue != (mqd_t)-1);
  struct mq_attr attr;
  OK(mq_getattr(queue, &attr));
  TRUE(attr.mq_maxmsg > 0 && attr.mq_msgsize > 0);
  OK(mq_send(queue, "x", 1, 0));
  gone();
}

TEST(mq_open, same_object, "a second open of the name gives the same queue") {
  MADE(O_RDWR, 3);
  const mqd_t second = mq_open(name, O_RDONLY);
  TRUE(second != (mqd_t)-1);
  OK(mq_send(queue, "abc", 3, 0));
  IS(3, mq_receive(second, text, sizeof text, NULL));
  OK(mq_close(second));
  gone();
}

TEST(mq_open, exclusive_eexist, "O_CREAT and O_EXCL of a name that exists: EEXIST") {
  MADE(O_RDWR, 3);
  FAILS(EEXIST, mq_open(name, O_CREAT | O_EXCL | O_RDWR, 0600, NULL));
  gone();
}

TEST(mq_open, missing_enoent, "a name that does not exist, without O_CREAT: ENOENT") {
  mq_unlink(name);
  FAILS(ENOENT, mq_open(name, O_RDWR));
}

TEST(mq_open, bad_attributes_einval, "room for no message, or messages of no byte: EINVAL") {
  struct mq_attr attr = {.mq_maxmsg = 0, .mq_msgsize = 16};
  mq_unlink(name);
  FAILS(EINVAL, mq_open(name, O_CREAT | O_RDWR, 0600, &attr));
  attr.mq_maxmsg = -1;
  FAILS(EINVAL, mq_open(name, O_CREAT | O_RDWR, 0600, &attr));
  attr.mq_maxmsg = 3;
  attr.mq_msgsize = 0;
  FAILS(EINVAL, mq_open(name, O_CREAT | O_RDWR, 0600, &attr));
}

TEST(mq_open, long_name, "a name longer than NAME_MAX: ENAMETOOLONG") {
  static char longer[NAME_MAX + 20];
  memset(longer, 'n', sizeof longer - 1);
  longer[0] = '/';
  FAILS(ENAMETOOLONG, mq_open(longer, O_CREAT | O_RDWR, 0600, NULL));
}

TEST(mq_open, two_names, "two names are two queues") {
  struct mq_attr attr = {.mq_maxmsg = 3, .mq_msgsize = 16};
  MADE(O_RDWR, 3);
  mq_unlink(other);
  const mqd_t second = mq_open(other, O_CREAT | O_RDWR, 0600, &attr);
  TRUE(second != (mqd_t)-1);
  OK(mq_send(second, "x", 1, 0));
  IS(0, waiting());
  OK(mq_close(second));
  OK(mq_unlink(other));
  gone();
}

TEST(mq_open, refuses, "a bad name, both O_ACCMODE bits, more room than there is, too many at once") {
  KERNELS_ONLY();
  struct mq_attr attr = {.mq_maxmsg = 3, .mq_msgsize = 16};
  mqd_t all[MQ_OPEN_MAX];
  FAILS(EINVAL, mq_open("/", O_CREAT | O_RDWR, 0600, &attr));
  FAILS(EINVAL, mq_open("queue", O_CREAT | O_RDWR, 0600, &attr));
  FAILS(EINVAL, mq_open(name, O_CREAT | O_ACCMODE, 0600, &attr));
  attr.mq_maxmsg = attr.mq_msgsize = 1 << 20;
  FAILS(ENOSPC, mq_open(name, O_CREAT | O_RDWR, 0600, &attr));
  for (int i = 0; i < MQ_OPEN_MAX; i++) all[i] = mq_open(name, O_CREAT | O_RDWR, 0600, NULL);
  FAILS(EMFILE, mq_open(name, O_RDWR));
  FAILS(EMFILE, mq_open(other, O_CREAT | O_RDWR, 0600, NULL));
  for (int i = 0; i < MQ_OPEN_MAX; i++) OK(mq_close(all[i]));
  OK(mq_unlink(name));
  FAILS(ENOENT, mq_open(other, O_RDWR)); /* the one that failed has left nothing */
}

TEST(mq_close, then_use_ebadf, "a closed descriptor: EBADF") {
  MADE(O_RDWR, 3);
  OK(mq_close(queue));
  FAILS(EBADF, mq_send(queue, "x", 1, 0));
  FAILS(EBADF, mq_receive(queue, text, sizeof text, NULL));
  struct mq_attr attr;
  FAILS(EBADF, mq_getattr(queue, &attr));
  FAILS(EBADF, mq_close(queue));
  OK(mq_unlink(name));
}

TEST(mq_close, keeps_messages, "the queue keeps its messages until it is unlinked") {
  MADE(O_RDWR, 3);
  OK(mq_send(queue, "kept", 4, 0));
  OK(mq_close(queue));
  queue = mq_open(name, O_RDWR);
  TRUE(queue != (mqd_t)-1);
  IS(4, mq_receive(queue, text, sizeof text, NULL));
  gone();
}

TEST(mq_unlink, name_is_free, "the name is gone at once; open descriptors still work") {
  MADE(O_RDWR, 3);
  OK(mq_unlink(name));
  FAILS(ENOENT, mq_open(name, O_RDWR));
  OK(mq_send(queue, "x", 1, 0));
  IS(1, mq_receive(queue, text, sizeof text, NULL));
  OK(mq_close(queue));
}

TEST(mq_unlink, missing_enoent, "a name that does not exist: ENOENT") {
  mq_unlink(name);
  FAILS(ENOENT, mq_unlink(name));
}

TEST(mq_unlink, impossible_enoent, "a name that cannot exist: ENOENT") {
  NOT_ON_LINUX("this C library says EINVAL or EACCES");
  FAILS(ENOENT, mq_unlink("no slash"));
  FAILS(ENOENT, mq_unlink("/no/queue"));
  FAILS(ENOENT, mq_unlink(""));
}

TEST(mq_send, content, "a message arrives with its bytes, length and priority") {
  unsigned priority = 0;
  MADE(O_RDWR, 3);
  OK(mq_send(queue, "hello\0you", 9, 5));
  memset(text, 0, sizeof text);
  IS(9, mq_receive(queue, text, sizeof text, &priority));
  IS(5, priority);
  IS(0, memcmp(text, "hello\0you", 9));
  gone();
}

TEST(mq_send, empty_message, "a message may have no bytes") {
  MADE(O_RDWR, 3);
  OK(mq_send(queue, text, 0, 0));
  IS(1, waiting());
  IS(0, mq_receive(queue, text, sizeof text, NULL));
  gone();
}

TEST(mq_send, by_priority, "messages come by priority, those of one priority in their order") {
  static const char sent[] = "abcdef";
  const unsigned priorities[] = {1, 7, 1, 0, 7, 3};
  MADE(O_RDWR, 6);
  for (int i = 0; i < 6; i++) OK(mq_send(queue, &sent[i], 1, priorities[i]));
  for (int i = 0; i < 6; i++) IS(1, mq_receive(queue, text + 16 + i, 16, NULL));
  IS(0, memcmp(text + 16, "befacd", 6));
  gone();
}

TEST(mq_send, highest_priority, "MQ_PRIO_MAX - 1, at least 31, is a priority; MQ_PRIO_MAX is EINVAL") {
  unsigned priority = 0;
  MADE(O_RDWR, 3);
  TRUE(sysconf(_SC_MQ_PRIO_MAX) >= 32);
  const unsigned most = (unsigned)sysconf(_SC_MQ_PRIO_MAX);
  OK(mq_send(queue, "x", 1, most - 1));
  IS(1, mq_receive(queue, text, sizeof text, &priority));
  IS(most - 1, priority);
  FAILS(EINVAL, mq_send(queue, "x", 1, most));
  gone();
}

TEST(mq_send, too_long_emsgsize, "a message longer than mq_msgsize: EMSGSIZE") {
  MADE(O_RDWR, 3);
  FAILS(EMSGSIZE, mq_send(queue, text, 17, 0));
  IS(0, waiting());
  gone();
}

TEST(mq_send, read_only_ebadf, "a descriptor that is not open for sending: EBADF") {
  MADE(O_RDONLY, 3);
  FAILS(EBADF, mq_send(queue, "x", 1, 0));
  gone();
}

TEST(mq_send, full_eagain, "a full queue, with O_NONBLOCK: EAGAIN") {
  MADE(O_RDWR | O_NONBLOCK, 2);
  OK(mq_send(queue, "x", 1, 0));
  OK(mq_send(queue, "x", 1, 0));
  FAILS(EAGAIN, mq_send(queue, "x", 1, 0));
  IS(2, waiting());
  gone();
}

static void *send_one(void *unused) {
  (void)unused;
  const int result = mq_send(queue, "late", 4, 0);
  has = 1;
  return (void *)(long)result;
}

TEST(mq_send, waits_while_full, "a full queue: it waits until there is room") {
  MADE(O_RDWR, 1);
  OK(mq_send(queue, "x", 1, 0));
  has = 0;
  const pthread_t thread = started(send_one, NULL);
  nap();
  IS(0, has);
  IS(1, mq_receive(queue, text, sizeof text, NULL));
  IS(0, joined(thread));
  IS(4, mq_receive(queue, text, sizeof text, NULL));
  gone();
}

static void *receive_one(void *unused) {
  (void)unused;
  const long result = mq_receive(queue, text, sizeof text, NULL);
  has = 1;
  return (void *)result;
}

TEST(mq_receive, waits_while_empty, "an empty queue: it waits for a message") {
  MADE(O_RDWR, 1);
  has = 0;
  const pthread_t thread = started(receive_one, NULL);
  nap();
  IS(0, has);
  OK(mq_send(queue, "abcd", 4, 0));
  IS(4, joined(thread));
  gone();
}

TEST(mq_receive, empty_eagain, "an empty queue, with O_NONBLOCK: EAGAIN") {
  MADE(O_RDWR | O_NONBLOCK, 2);
  FAILS(EAGAIN, mq_receive(queue, text, sizeof text, NULL));
  gone();
}

TEST(mq_receive, small_buffer_emsgsize, "room for less than mq_msgsize: EMSGSIZE, and the message stays") {
  MADE(O_RDWR, 2);
  OK(mq_send(queue, "x", 1, 0));
  FAILS(EMSGSIZE, mq_receive(queue, text, 15, NULL));
  IS(1, waiting());
  gone();
}

TEST(mq_receive, write_only_ebadf, "a descriptor that is not open for receiving: EBADF") {
  MADE(O_WRONLY, 3);
  FAILS(EBADF, mq_receive(queue, text, sizeof text, NULL));
  gone();
}

static void *send_many(void *letter) {
  const char message = (char)(long)letter;
  for (int i = 0; i < 50; i++)
    if (mq_send(queue, &message, 1, 0)) return (void *)1;
  return NULL;
}

TEST(mq_receive, many_senders, "of two senders at once no message is lost or doubled") {
  int a = 0, b = 0;
  MADE(O_RDWR, 3);
  const pthread_t first = started(send_many, (void *)'a'), second = started(send_many, (void *)'b');
  for (int i = 0; i < 100; i++) {
    IS(1, mq_receive(queue, text, sizeof text, NULL));
    a += text[0] == 'a';
    b += text[0] == 'b';
  }
  IS(0, joined(first));
  IS(0, joined(second));
  IS(50, a);
  IS(50, b);
  IS(0, waiting());
  gone();
}

static char order[8];
static volatile int place;

static void *receive_in_order(void *letter) {
  char message[16];
  if (mq_receive(queue, message, sizeof message, NULL) != 1) return queue == -1 ? NULL : &queue;
  order[place++] = (char)(long)letter;
  order[place++] = *message;
  return NULL;
}

static void *send_in_order(void *letter) {
  const char message = (char)(long)letter;
  return (void *)(long)mq_send(queue, &message, 1, 0);
}

TEST(mq_receive, best_waiter_first, "the waiter of the highest priority gets the message") {
  KERNELS_ONLY();
  pthread_t threads[2];
  MADE(O_RDWR, 4);
  place = 0;
  memset(order, 0, sizeof order);
  for (int i = 0; i < 2; i++) {
    OK(started_at(&threads[i], 2 + i, receive_in_order, (void *)(long)"ab"[i]));
    nap();
  }
  for (int i = 0; i < 2; i++) {
    OK(mq_send(queue, &"xy"[i], 1, 0));
    AWAIT_ANY(place == 2 * i + 2);
  }
  for (int i = 0; i < 2; i++) IS(0, joined(threads[i]));
  IS(0, strcmp(order, "bxay"));
  gone();
}

TEST(mq_send, best_waiter_first, "the waiter of the highest priority gets the room") {
  KERNELS_ONLY();
  pthread_t threads[2];
  MADE(O_RDWR, 1);
  OK(mq_send(queue, "z", 1, 0));
  for (int i = 0; i < 2; i++) {
    OK(started_at(&threads[i], 2 + i, send_in_order, (void *)(long)"pq"[i]));
    nap();
  }
  for (int i = 0; i < 3; i++) {
    IS(1, mq_receive(queue, text, sizeof text, NULL));
    IS("zqp"[i], *text);
    nap();
  }
  for (int i = 0; i < 2; i++) IS(0, joined(threads[i]));
  gone();
}

/* --- Timed --- */

static void *timed_send_late(void *unused) {
  (void)unused;
  const struct timespec at = in_ms(CLOCK_REALTIME, 5000);
  const int result = mq_timedsend(queue, "x", 1, 0, &at);
  late = has_come(CLOCK_REALTIME, at);
  return (void *)(long)result;
}

TEST(mq_timedsend, room, "with room it sends, even if the time is past") {
  MADE(O_RDWR, 1);
  const struct timespec at = in_ms(CLOCK_REALTIME, -1000);
  OK(mq_timedsend(queue, "x", 1, 0, &at));
  IS(1, waiting());
  gone();
}

TEST(mq_timedsend, timedout, "no room until the time: ETIMEDOUT, not before it") {
  MADE(O_RDWR, 1);
  OK(mq_send(queue, "x", 1, 0));
  const struct timespec at = in_ms(CLOCK_REALTIME, 2);
  FAILS(ETIMEDOUT, mq_timedsend(queue, "y", 1, 0, &at));
  TRUE(has_come(CLOCK_REALTIME, at));
  IS(1, waiting());
  const struct timespec past = in_ms(CLOCK_REALTIME, -1000);
  FAILS(ETIMEDOUT, mq_timedsend(queue, "y", 1, 0, &past));
  gone();
}

TEST(mq_timedsend, room_in_time, "room before the time: 0") {
  MADE(O_RDWR, 1);
  OK(mq_send(queue, "y", 1, 0));
  const pthread_t thread = started(timed_send_late, NULL);
  nap();
  IS(1, mq_receive(queue, text, sizeof text, NULL));
  IS(0, joined(thread));
  IS(0, late);
  gone();
}

TEST(mq_timedsend, bad_time_einval, "nanoseconds outside 0 to 999 999 999, where it must wait: EINVAL") {
  const struct timespec bad = {.tv_sec = 1, .tv_nsec = 1000000000};
  MADE(O_RDWR, 1);
  OK(mq_send(queue, "x", 1, 0));
  FAILS(EINVAL, mq_timedsend(queue, "y", 1, 0, &bad));
  gone();
}

TEST(mq_timedreceive, message, "with a message it receives, even if the time is past") {
  MADE(O_RDWR, 1);
  OK(mq_send(queue, "abc", 3, 0));
  const struct timespec at = in_ms(CLOCK_REALTIME, -1000);
  IS(3, mq_timedreceive(queue, text, sizeof text, NULL, &at));
  gone();
}

TEST(mq_timedreceive, timedout, "no message until the time: ETIMEDOUT, not before it") {
  MADE(O_RDWR, 1);
  const struct timespec at = in_ms(CLOCK_REALTIME, 2);
  FAILS(ETIMEDOUT, mq_timedreceive(queue, text, sizeof text, NULL, &at));
  TRUE(has_come(CLOCK_REALTIME, at));
  const struct timespec past = in_ms(CLOCK_REALTIME, -1000);
  FAILS(ETIMEDOUT, mq_timedreceive(queue, text, sizeof text, NULL, &past));
  gone();
}

static void *timed_receive_late(void *unused) {
  (void)unused;
  const struct timespec at = in_ms(CLOCK_REALTIME, 5000);
  const long result = mq_timedreceive(queue, text, sizeof text, NULL, &at);
  late = has_come(CLOCK_REALTIME, at);
  return (void *)result;
}

TEST(mq_timedreceive, message_in_time, "a message before the time: its length") {
  MADE(O_RDWR, 1);
  const pthread_t thread = started(timed_receive_late, NULL);
  nap();
  OK(mq_send(queue, "abc", 3, 0));
  IS(3, joined(thread));
  IS(0, late);
  gone();
}

TEST(mq_timedreceive, bad_time_einval, "nanoseconds outside 0 to 999 999 999, where it must wait: EINVAL") {
  const struct timespec bad = {.tv_sec = 1, .tv_nsec = -1};
  MADE(O_RDWR, 1);
  FAILS(EINVAL, mq_timedreceive(queue, text, sizeof text, NULL, &bad));
  gone();
}

/* --- Attributes and notification --- */

TEST(mq_getattr, counts_messages, "mq_curmsgs is the number of messages in the queue") {
  MADE(O_RDWR, 4);
  for (int i = 0; i < 4; i++) {
    IS(i, waiting());
    OK(mq_send(queue, "x", 1, 0));
  }
  IS(4, waiting());
  gone();
}

TEST(mq_setattr, nonblock, "it sets O_NONBLOCK of the descriptor, and stores the attributes before") {
  struct mq_attr attr = {.mq_flags = O_NONBLOCK, .mq_maxmsg = 99, .mq_msgsize = 99}, before;
  MADE(O_RDWR, 2);
  OK(mq_setattr(queue, &attr, &before));
  IS(0, before.mq_flags);
  IS(2, before.mq_maxmsg);
  FAILS(EAGAIN, mq_receive(queue, text, sizeof text, NULL));
  OK(mq_getattr(queue, &attr));
  IS(O_NONBLOCK, attr.mq_flags);
  IS(2, attr.mq_maxmsg);
  IS(16, attr.mq_msgsize);
  gone();
}

TEST(mq_setattr, of_one_descriptor, "another descriptor of the queue keeps its flag") {
  struct mq_attr attr = {.mq_flags = O_NONBLOCK};
  MADE(O_RDWR, 2);
  const mqd_t second = mq_open(name, O_RDWR);
  TRUE(second != (mqd_t)-1);
  OK(mq_setattr(queue, &attr, NULL));
  OK(mq_getattr(second, &attr));
  IS(0, attr.mq_flags);
  OK(mq_close(second));
  gone();
}

static void notify(union sigval value) {
  value_seen = value.sival_int;
  notified++;
}

static struct sigevent by_thread(int value) {
  struct sigevent event;
  memset(&event, 0, sizeof event);
  event.sigev_notify = SIGEV_THREAD;
  event.sigev_notify_function = notify;
  event.sigev_value.sival_int = value;
  return event;
}

TEST(mq_notify, by_thread, "a message to the empty queue calls the function in a thread, with its value") {
  const struct sigevent event = by_thread(77);
  MADE(O_RDWR, 2);
  notified = 0;
  OK(mq_notify(queue, &event));
  IS(0, notified);
  OK(mq_send(queue, "x", 1, 0));
  AWAIT(notified);
  IS(77, value_seen);
  gone();
}

TEST(mq_notify, once, "a registration is used up by one notification") {
  const struct sigevent event = by_thread(1);
  MADE(O_RDWR, 2);
  notified = 0;
  OK(mq_notify(queue, &event));
  OK(mq_send(queue, "x", 1, 0));
  AWAIT(notified);
  IS(1, mq_receive(queue, text, sizeof text, NULL));
  OK(mq_send(queue, "x", 1, 0));
  nap();
  IS(1, notified);
  OK(mq_notify(queue, &event)); /* and it may be made again */
  gone();
}

TEST(mq_notify, second_ebusy, "a queue with a registration: EBUSY; NULL takes it away") {
  const struct sigevent event = by_thread(1);
  MADE(O_RDWR, 2);
  notified = 0;
  OK(mq_notify(queue, &event));
  FAILS(EBUSY, mq_notify(queue, &event));
  OK(mq_notify(queue, NULL));
  OK(mq_notify(queue, &event));
  OK(mq_notify(queue, NULL));
  OK(mq_send(queue, "x", 1, 0));
  nap();
  IS(0, notified);
  gone();
}

TEST(mq_notify, receiver_goes_first, "a thread that waits in mq_receive gets the message, and nobody is notified") {
  const struct sigevent event = by_thread(1);
  MADE(O_RDWR, 2);
  notified = has = 0;
  const pthread_t thread = started(receive_one, NULL);
  nap();
  OK(mq_notify(queue, &event));
  OK(mq_send(queue, "x", 1, 0));
  IS(1, joined(thread));
  nap();
  IS(0, notified);
  gone();
}

TEST(mq_notify, bad_descriptor_ebadf, "no descriptor: EBADF") {
  const struct sigevent event = by_thread(1);
  FAILS(EBADF, mq_notify((mqd_t)-1, &event));
}

TEST(mq_notify, unknown, "nobody is told with SIGEV_NONE; no signal, another number: EINVAL") {
  KERNELS_ONLY();
  struct sigevent event = {.sigev_notify = SIGEV_NONE};
  MADE(O_RDWR, 3);
  OK(mq_notify(queue, &event));
  FAILS(EBUSY, mq_notify(queue, &event));
  OK(mq_notify(queue, NULL));
  event.sigev_notify = SIGEV_SIGNAL;
  FAILS(EINVAL, mq_notify(queue, &event));
  event.sigev_notify = 42;
  FAILS(EINVAL, mq_notify(queue, &event));
  gone();
}
