/* SPDX-License-Identifier: Apache-2.0
 *
 * Interrupts are threads: one that is better than what runs preempts it, one that is not waits its turn. Lines that
 * post semaphores and send to ports. Wrong uses. Interrupts are raised by software; all threads are on CPU 0. */
#include "check.h"

static char trail[64];
static volatile int at;
static volatile int stop;

static void mark(char c) { trail[at++] = c; }

/* The hardware kernel's interrupt comes some cycles after the operation that has called for it. */
static void settle(void) { waste(500); }

struct handler {
  unsigned line;
  char letter;
};

/* An interrupt service thread. */
static void *serve(void *argument) {
  const struct handler *me = argument;
  EQUAL(interrupt_bind_thread_np(me->line), 0);
  mark(me->letter);
  while (1) {
    EQUAL(interrupt_wait_np(me->line), 0);
    if (stop) return NULL;
    mark(me->letter);
  }
}

static void *foreign_wait(void *line) {
  EQUAL(interrupt_wait_np((unsigned)(intptr_t)line), EPERM);
  return NULL;
}

static void *body(void *unused) {
  (void)unused;
  static struct handler urgent = {1, 'u'}, lazy = {2, 'z'};
  pthread_t threads[3];
  uint32_t word = 0;
  int value = -1;
  threads[0] = spawn(20, serve, &urgent);
  settle();
  threads[1] = spawn(5, serve, &lazy);
  threads[2] = spawn(4, foreign_wait, (void *)1);
  EQUAL(pthread_join(threads[2], NULL), 0); /* lazy waits by then */
  mark('1');
  EQUAL(interrupt_raise_np(1), 0); /* preempts */
  settle();
  mark('2');
  EQUAL(interrupt_raise_np(2), 0); /* does not */
  settle();
  mark('3');
  EQUAL(interrupt_raise_np(2), 0); /* before it has been able to take the first: one is kept */
  EQUAL(interrupt_raise_np(2), 0);
  EQUAL(interrupt_raise_np(1), 0);
  settle();
  mark('4');
  EQUAL(pthread_setschedprio(pthread_self(), 3), 0);
  settle();
  EQUAL(pthread_setschedprio(pthread_self(), 10), 0);
  mark('5');
  /* second bindings change nothing */
  EQUAL(interrupt_bind_thread_np(1), EBUSY);
  EQUAL(interrupt_unbind_np(1), EBUSY); /* its thread waits for it */
  EQUAL(interrupt_wait_np(1), EPERM);
  EQUAL(interrupt_raise_np(1), 0);
  settle();
  mark('6');
  /* a thread's end unbinds */
  stop = 1;
  EQUAL(interrupt_raise_np(1), 0);
  EQUAL(interrupt_raise_np(2), 0);
  EQUAL(pthread_join(threads[0], NULL), 0);
  EQUAL(pthread_join(threads[1], NULL), 0);
  EQUAL(interrupt_raise_np(1), ENOENT);
  EQUAL(interrupt_wait_np(1), ENOENT);
  EQUAL(interrupt_unbind_np(1), ENOENT);
  puts(trail);

  /* an interrupt that comes before the wait ends it at once */
  EQUAL(interrupt_bind_thread_np(1), 0);
  EQUAL(interrupt_raise_np(1), 0);
  EQUAL(interrupt_wait_np(1), 0);
  EQUAL(interrupt_unbind_np(1), 0);

  sem_t sem;
  EQUAL(interrupt_bind_semaphore_np(3, &(sem_t){0}), EINVAL);
  EQUAL(sem_init(&sem, 0, 0), 0);
  EQUAL(interrupt_bind_semaphore_np(3, &sem), 0);
  EQUAL(interrupt_bind_semaphore_np(3, &sem), EBUSY);
  EQUAL(interrupt_bind_port_np(3, 2), EBADF);
  EQUAL(interrupt_wait_np(3), EPERM);
  for (int i = 0; i < 3; i++) EQUAL(interrupt_raise_np(3), 0);
  EQUAL(sem_getvalue(&sem, &value), 0);
  EQUAL(value, 3);
  EQUAL(sem_destroy(&sem), 0);
  EQUAL(interrupt_raise_np(3), EINVAL); /* its semaphore is no more */
  EQUAL(interrupt_unbind_np(3), 0);
  EQUAL(sem_init(&sem, 0, SEM_VALUE_MAX), 0);
  EQUAL(interrupt_bind_semaphore_np(3, &sem), 0);
  EQUAL(interrupt_raise_np(3), EOVERFLOW);
  EQUAL(interrupt_unbind_np(3), 0);
  EQUAL(sem_destroy(&sem), 0);

  EQUAL(port_open(2, 0), 0);
  EQUAL(interrupt_bind_port_np(3, 2), 0);
  EQUAL(interrupt_bind_port_np(3, 2), EBUSY);
  for (int i = 0; i < CL_PORT_DEPTH; i++) EQUAL(interrupt_raise_np(3), 0);
  EQUAL(interrupt_raise_np(3), EAGAIN);
  for (int i = 0; i < CL_PORT_DEPTH; i++) {
    EQUAL(port_tryreceive(2, &word), 0);
    EQUAL(word, 3);
  }
  EQUAL(port_tryreceive(2, &word), EAGAIN);
  EQUAL(port_close(2), 0);
  EQUAL(interrupt_raise_np(3), EBADF);
  EQUAL(interrupt_unbind_np(3), 0);

  EQUAL(interrupt_bind_thread_np(CL_LINES), EINVAL);
  EQUAL(interrupt_bind_port_np(3, CL_PORTS), EINVAL);
  EQUAL(interrupt_bind_port_np(3, 1024), EINVAL);
  EQUAL(interrupt_unbind_np(CL_LINES), EINVAL);
  EQUAL(interrupt_wait_np(1024), EINVAL);
  EQUAL(interrupt_raise_np(1025), EINVAL);
  return NULL;
}

int main(void) {
  EQUAL(pthread_join(spawn(10, body, NULL), NULL), 0);
  return finish();
}
