/* SPDX-License-Identifier: Apache-2.0
 *
 * Messages in order, buffering until the sender gives way, back-pressure, errors. */
#include "check.h"

#define WORDS 300

static void *echo(void *unused) {
  (void)unused;
  EQUAL(port_open(1, PORT_BUFFERED), 0);
  for (int i = 0; i < WORDS; i++) {
    uint32_t word = 0;
    EQUAL(port_receive(1, &word), 0);
    EQUAL(word, i);
    EQUAL(port_send(0, word * 2), 0);
  }
  EQUAL(port_publish(), 0);
  EQUAL(port_close(1), 0);
  return NULL;
}

static void *feed(void *unused) {
  (void)unused;
  for (int i = 0; i < WORDS; i++) EQUAL(port_send(1, (uint32_t)i), 0);
  EQUAL(port_publish(), 0);
  return NULL;
}

static void *intrude(void *unused) {
  (void)unused;
  uint32_t word;
  EQUAL(port_receive(0, &word), EPERM);
  EQUAL(port_tryreceive(0, &word), EPERM);
  EQUAL(port_close(0), EPERM);
  EQUAL(port_open(0, 0), EBUSY);
  return NULL;
}

static void *send_two(void *unused) {
  (void)unused;
  EQUAL(port_send(2, 111), 0);
  EQUAL(port_send(3, 222), 0);
  waste(40000); /* not preempted: the only one of its priority */
  return NULL;
}

int main(void) {
  pthread_t threads[2];
  uint32_t word = 0;
  EQUAL(port_open(0, PORT_BUFFERED), 0);
  EQUAL(pthread_create(&threads[0], NULL, echo, NULL), 0);
  waste(30000);
  EQUAL(pthread_create(&threads[1], NULL, feed, NULL), 0);
  for (int i = 0; i < WORDS; i++) {
    EQUAL(port_receive(0, &word), 0);
    EQUAL(word, 2 * i);
  }
  EQUAL(pthread_join(threads[0], NULL), 0);
  EQUAL(pthread_join(threads[1], NULL), 0);

  threads[0] = spawn(16, intrude, NULL);
  EQUAL(pthread_join(threads[0], NULL), 0);

  /* what was sent shows when the sender gives way; at once if the port is direct */
  EQUAL(port_open(2, PORT_BUFFERED), 0);
  EQUAL(port_open(3, PORT_DIRECT), 0);
  EQUAL(port_send(2, 5), 0);
  EQUAL(port_send(3, 6), 0);
  EQUAL(port_tryreceive(3, &word), 0);
  EQUAL(word, 6);
  EQUAL(port_tryreceive(2, &word), 0); /* asking for it publishes it */
  EQUAL(word, 5);
  EQUAL(port_tryreceive(2, &word), EAGAIN);
  threads[0] = spawn(17, send_two, NULL);
  EQUAL(port_receive(3, &word), 0);
  EQUAL(word, 222);
  EQUAL(port_receive(2, &word), 0);
  EQUAL(word, 111);
  EQUAL(pthread_join(threads[0], NULL), 0);

  /* full */
  int sent = 0;
  while (!port_trysend(2, 7)) sent++;
  EQUAL(sent, CL_PORT_DEPTH);
  EQUAL(port_trysend(2, 7), EAGAIN);

  EQUAL(port_close(2), 0);
  EQUAL(port_close(2), EBADF);
  EQUAL(port_send(2, 1), EBADF);
  EQUAL(port_trysend(2, 1), EBADF);
  EQUAL(port_receive(2, &word), EBADF);
  EQUAL(port_open(CL_PORTS, 0), EINVAL);
  EQUAL(port_open(-1, 0), EINVAL);
  EQUAL(port_open(2, 64), EINVAL);
  EQUAL(port_send(CL_PORTS, 0), EINVAL);
  EQUAL(port_send(-1, 0), EINVAL);
  EQUAL(port_receive(1 << 20, &word), EINVAL);
  EQUAL(port_tryreceive(-5, &word), EINVAL);
  EQUAL(port_trysend(4000, 1), EINVAL);
  EQUAL(port_close(4000), EINVAL);
  return finish();
}
