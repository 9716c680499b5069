/* SPDX-License-Identifier: Apache-2.0
 *
 * Cancellation where a thread waits for a port or an interrupt line, before it and in it. */
#include "check.h"

static sem_t reached;
static char said[64];
static unsigned spoken;

static void say(void *text) { said[spoken++] = *(const char *)text; }

static void close_port(void *unused) {
  (void)unused;
  EQUAL(port_close(3), 0);
}

enum {
  RECEIVE,
  SEND,
  TIMED_RECEIVE,
  TIMED_SEND,
  RECEIVE_BLOCK,
  SEND_BLOCK,
  TIMED_RECEIVE_BLOCK,
  TIMED_SEND_BLOCK,
  LINE,
  POINTS
};

static void at_point(int point) {
  uint32_t word = 9;
  size_t count;
  switch (point) {
    case RECEIVE:
    case TIMED_RECEIVE:
    case RECEIVE_BLOCK:
    case TIMED_RECEIVE_BLOCK:
      EQUAL(port_open(3, PORT_DIRECT), 0);
      pthread_cleanup_push(close_port, NULL);
      if (point == RECEIVE) port_receive(3, &word);
      else if (point == TIMED_RECEIVE) port_timedreceive(3, &word, 10000000);
      else if (point == RECEIVE_BLOCK) port_receive_block(3, &word, 1, &count);
      else port_timedreceive_block(3, &word, 1, &count, 10000000);
      pthread_cleanup_pop(1);
      break;
    case SEND: port_send(4, 9); break;
    case TIMED_SEND: port_timedsend(4, 9, 10000000); break;
    case SEND_BLOCK: port_send_block(4, &word, 1); break;
    case TIMED_SEND_BLOCK: port_timedsend_block(4, &word, 1, 10000000); break;
    case LINE:
      EQUAL(interrupt_bind_thread_np(5), 0);
      interrupt_wait_np(5);
      break;
  }
}

static void *waits(void *argument) {
  int old;
  pthread_cleanup_push(say, "a");
  pthread_cleanup_push(say, "b");
  EQUAL(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old), 0);
  EQUAL(old, PTHREAD_CANCEL_ENABLE);
  pthread_testcancel();
  sem_post(&reached);
  EQUAL(pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &old), 0);
  EQUAL(old, PTHREAD_CANCEL_DISABLE);
  at_point((int)(intptr_t)argument);
  pthread_cleanup_pop(0);
  pthread_cleanup_pop(0);
  return NULL;
}

/* early: the request comes first, and the less urgent thread comes to its point later. */
static void cancel_at(int point, int early, int priority) {
  void *value = NULL;
  spoken = 0;
  pthread_t thread = spawn(early ? 1 : priority, waits, (void *)(intptr_t)point);
  if (!early) {
    EQUAL(sem_wait(&reached), 0);
    waste(20000); /* it waits by now */
  }
  EQUAL(pthread_cancel(thread), 0);
  EQUAL(pthread_cancel(thread), 0);
  EQUAL(pthread_join(thread, &value), 0);
  CHECK(value == PTHREAD_CANCELED);
  if (early) EQUAL(sem_wait(&reached), 0);
  said[spoken] = '\0';
  CHECK(said[spoken - 2] == 'b' && said[spoken - 1] == 'a');
  EQUAL(spoken, 2);
}

int main(void) {
  EQUAL(sem_init(&reached, 0, 0), 0);
  EQUAL(port_open(4, PORT_DIRECT), 0);
  while (!port_trysend(4, 1)) continue; /* full */
  for (int point = 0; point < POINTS; point++) {
    cancel_at(point, 1, 0);
    cancel_at(point, 0, 20);
    cancel_at(point, 0, 20);
  }
  return finish();
}
