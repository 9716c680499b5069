/* SPDX-License-Identifier: Apache-2.0
 *
 * Interrupts from outside: EACH on lines 0 to 2, bound to a thread, a semaphore and a port, at least 6000 cycles apart
 * on a line. First while nothing else runs, then while a less urgent thread does. Line 3 is bound to nothing. */
#include "check.h"

static sem_t posted, more;
static volatile int taken[3];
static volatile int spin, stop;

static void counted(int line) {
  if (++taken[line] == EACH / 2) EQUAL(sem_post(&more), 0);
}

static void *by_thread(void *unused) {
  (void)unused;
  EQUAL(interrupt_bind_thread_np(0), 0);
  for (int i = 0; i < EACH; i++) {
    EQUAL(interrupt_wait_np(0), 0);
    counted(0);
  }
  return NULL;
}

static void *by_semaphore(void *unused) {
  (void)unused;
  EQUAL(interrupt_bind_semaphore_np(1, &posted), 0);
  for (int i = 0; i < EACH; i++) {
    EQUAL(sem_wait(&posted), 0);
    counted(1);
  }
  return NULL;
}

static void *by_port(void *unused) {
  (void)unused;
  EQUAL(port_open(7, 0), 0);
  EQUAL(interrupt_bind_port_np(2, 7), 0);
  for (int i = 0; i < EACH; i++) {
    uint32_t word = 0;
    EQUAL(port_receive(7, &word), 0);
    EQUAL(word, 2);
    counted(2);
  }
  return NULL;
}

static void *spinner(void *unused) {
  (void)unused;
  while (!stop) spin++;
  return NULL;
}

int main(void) {
  static void *(*const start[3])(void *) = {by_thread, by_semaphore, by_port};
  pthread_t threads[3], low[CL_CPUS];
  pthread_attr_t attr;
  EQUAL(sem_init(&posted, 0, 0), 0);
  EQUAL(sem_init(&more, 0, 0), 0);
  for (int i = 0; i < 3; i++)
    EQUAL(pthread_create(&threads[i], attributes(&attr, 20 + i, i == 1 ? 0 : -1), start[i], NULL), 0);
  cl_ready();
  for (int i = 0; i < 3; i++) EQUAL(sem_wait(&more), 0);
  for (int i = 0; i < CL_CPUS; i++) EQUAL(pthread_create(&low[i], attributes(&attr, 3, i), spinner, NULL), 0);
  for (int i = 0; i < 3; i++) {
    EQUAL(pthread_join(threads[i], NULL), 0);
    EQUAL(taken[i], EACH);
  }
  EQUAL(interrupt_raise_np(3), ENOENT);
  CHECK(spin > 0);
  stop = 1;
  for (int i = 0; i < CL_CPUS; i++) EQUAL(pthread_join(low[i], NULL), 0);
  return finish();
}
