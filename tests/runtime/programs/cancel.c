/* SPDX-License-Identifier: Apache-2.0
 *
 * Cancellation at every point where a thread waits, before it and in it; cleanup handlers; what is not lost. */
#include "check.h"

static sem_t sem, reached;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_t sleeper;
static char said[64];
static unsigned spoken;

static void say(void *text) { said[spoken++] = *(const char *)text; }

static void close_port(void *unused) {
  (void)unused;
  EQUAL(port_close(3), 0);
}

static void unlock(void *lock) {
  say("u");
  EQUAL(pthread_mutex_unlock(lock), 0);
}

enum {
  SEM,
  TIMED_SEM,
  COND,
  TIMED_COND,
  JOIN,
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
    case SEM: sem_wait(&sem); break;
    case TIMED_SEM: sem_timedwait_np(&sem, 10000000); break;
    case COND:
    case TIMED_COND:
      EQUAL(pthread_mutex_lock(&mutex), 0);
      pthread_cleanup_push(unlock, &mutex);
      if (point == COND) pthread_cond_wait(&cond, &mutex);
      else pthread_cond_timedwait_np(&cond, &mutex, 10000000);
      pthread_cleanup_pop(1);
      break;
    case JOIN: pthread_join(sleeper, NULL); break;
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

static void *sleeps(void *argument) {
  sem_wait(argument);
  return argument;
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
  EQUAL(spoken, point == COND || point == TIMED_COND ? 3 : 2);
  EQUAL(pthread_mutex_trylock(&mutex), 0);
  EQUAL(pthread_mutex_unlock(&mutex), 0);
}

static void *takes(void *argument) {
  EQUAL(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL), 0);
  sem_post(&reached);
  EQUAL(sem_wait(&sem), 0); /* no request ends it */
  *(int *)argument = 1;
  EQUAL(pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL), 0);
  *(int *)argument = 2; /* deferred */
  pthread_testcancel();
  *(int *)argument = 3;
  return NULL;
}

static void *turns(void *argument) {
  int old;
  EQUAL(pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old), 0);
  EQUAL(old, PTHREAD_CANCEL_DEFERRED);
  EQUAL(pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &old), 0);
  EQUAL(old, PTHREAD_CANCEL_ASYNCHRONOUS);
  EQUAL(pthread_setcanceltype(7, &old), EINVAL);
  EQUAL(pthread_setcancelstate(7, &old), EINVAL);
  EQUAL(pthread_cancel(pthread_self()), 0);
  *(int *)argument = 1;
  EQUAL(pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL), 0);
  *(int *)argument = 2;
  return NULL;
}

static void *joins(void *argument) { return (void *)(intptr_t)pthread_join((pthread_t)(uintptr_t)argument, NULL); }

int main(void) {
  void *value;
  int seen = 0;
  EQUAL(sem_init(&sem, 0, 0), 0);
  EQUAL(sem_init(&reached, 0, 0), 0);
  static sem_t end;
  EQUAL(sem_init(&end, 0, 0), 0);
  sleeper = spawn(20, sleeps, &end);
  EQUAL(port_open(4, PORT_DIRECT), 0);
  while (!port_trysend(4, 1)) continue; /* full */
  for (int point = 0; point < POINTS; point++) {
    cancel_at(point, 1, 0);
    cancel_at(point, 0, 20);
    cancel_at(point, 0, 20);
  }

  /* a thread that does not let itself be cancelled */
  pthread_t thread = spawn(20, takes, &seen);
  EQUAL(sem_wait(&reached), 0);
  EQUAL(pthread_cancel(thread), 0);
  waste(20000);
  EQUAL(seen, 0);
  EQUAL(sem_post(&sem), 0);
  EQUAL(pthread_join(thread, &value), 0);
  CHECK(value == PTHREAD_CANCELED);
  EQUAL(seen, 2);
  thread = spawn(20, turns, &seen);
  EQUAL(pthread_join(thread, &value), 0);
  CHECK(value == PTHREAD_CANCELED);
  EQUAL(seen, 1);

  /* nothing is lost: no unit was taken, and a joiner that was cancelled leaves its thread to another */
  int units;
  EQUAL(sem_getvalue(&sem, &units), 0);
  EQUAL(units, 0);
  pthread_t joiner = spawn(20, joins, (void *)(uintptr_t)sleeper);
  waste(20000);
  EQUAL(pthread_join(sleeper, NULL), EINVAL);
  EQUAL(pthread_detach(sleeper), EINVAL);
  EQUAL(sem_post(&end), 0);
  EQUAL(pthread_join(joiner, &value), 0);
  EQUAL((intptr_t)value, 0);

  EQUAL(pthread_cancel(joiner), ESRCH);
  EQUAL(pthread_cancel(~0u), ESRCH);
  EQUAL(pthread_join(pthread_self(), NULL), EDEADLK);
  return finish();
}
