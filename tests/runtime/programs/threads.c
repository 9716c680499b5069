/* SPDX-License-Identifier: Apache-2.0
 *
 * Create, join, detach, exit, attributes, and their errors. */
#include <stdlib.h>

#include "check.h"

static volatile int ran;
static sem_t gate;

static void *give_back(void *argument) {
  ran++;
  return argument;
}

static void *wait_gate(void *argument) {
  sem_wait(&gate);
  errno = (int)(intptr_t)argument;
  sched_yield();
  return (void *)(intptr_t)errno;
}

static void *exit_early(void *argument) {
  pthread_exit(argument);
  return NULL;
}

static void *join_it(void *argument) { return (void *)(intptr_t)pthread_join((pthread_t)(uintptr_t)argument, NULL); }

static void *stack_address(void *argument) {
  *(uintptr_t *)argument = (uintptr_t)__builtin_frame_address(0);
  return NULL;
}

int main(void) {
  void *value;
  pthread_t thread, other;
  pthread_attr_t attr;
  EQUAL(pthread_self(), 0);
  CHECK(pthread_equal(pthread_self(), 0));

  /* join gives the value, whether the thread has ended before or not */
  for (int i = 1; i <= 3; i++) {
    EQUAL(pthread_create(&thread, NULL, give_back, (void *)(intptr_t)i), 0);
    if (i == 2) waste(30000);
    EQUAL(pthread_join(thread, &value), 0);
    EQUAL((intptr_t)value, i);
  }
  EQUAL(ran, 3);
  EQUAL(pthread_join(thread, &value), ESRCH);
  EQUAL(pthread_create(&thread, NULL, exit_early, (void *)99), 0);
  EQUAL(pthread_join(thread, &value), 0);
  EQUAL((intptr_t)value, 99);

  /* errors of join and detach */
  EQUAL(pthread_join(pthread_self(), NULL), EDEADLK);
  EQUAL(pthread_join(1000, NULL), ESRCH);
  EQUAL(pthread_join(~0u, NULL), ESRCH);
  EQUAL(pthread_detach(1000), ESRCH);
  EQUAL(sem_init(&gate, 0, 0), 0);
  pthread_attr_init(&attr);
  EQUAL(pthread_attr_setdetachstate(&attr, 7), EINVAL);
  EQUAL(pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED), 0);
  EQUAL(pthread_create(&thread, &attr, wait_gate, NULL), 0);
  EQUAL(pthread_join(thread, NULL), EINVAL);
  EQUAL(pthread_detach(thread), EINVAL);
  EQUAL(sem_post(&gate), 0);
  EQUAL(pthread_create(&thread, NULL, wait_gate, (void *)5), 0);
  EQUAL(pthread_create(&other, NULL, join_it, (void *)(uintptr_t)thread), 0);
  waste(30000); /* other joins thread by now */
  EQUAL(pthread_join(thread, NULL), EINVAL);
  EQUAL(pthread_detach(thread), EINVAL);
  EQUAL(sem_post(&gate), 0);
  EQUAL(pthread_join(other, &value), 0);
  EQUAL((intptr_t)value, 0);

  /* errno is the thread's */
  errno = 77;
  EQUAL(pthread_create(&thread, NULL, wait_gate, (void *)11), 0);
  EQUAL(pthread_create(&other, NULL, wait_gate, (void *)12), 0);
  sem_post(&gate);
  sem_post(&gate);
  EQUAL(pthread_join(thread, &value), 0);
  EQUAL((intptr_t)value, 11);
  EQUAL(pthread_join(other, &value), 0);
  EQUAL((intptr_t)value, 12);
  EQUAL(errno, 77);

  /* as many as there are, and no more; ids come back */
  for (int round = 0; round < 2; round++) {
    pthread_t all[CL_THREADS];
    int made = 0;
    while (!pthread_create(&all[made], NULL, wait_gate, NULL)) made++;
    EQUAL(made, CL_THREADS - 1);
    EQUAL(pthread_create(&thread, NULL, give_back, NULL), EAGAIN);
    for (int i = 0; i < made; i++) sem_post(&gate);
    for (int i = 0; i < made; i++) EQUAL(pthread_join(all[i], NULL), 0);
  }

  /* attributes */
  struct sched_param param = {sched_get_priority_max(SCHED_RR) + 1};
  EQUAL(pthread_attr_setschedparam(&attr, &param), EINVAL);
  param.sched_priority = -1;
  EQUAL(pthread_attr_setschedparam(&attr, &param), EINVAL);
  EQUAL(pthread_attr_setstacksize(&attr, 100), EINVAL);
  EQUAL(pthread_attr_setplacement_np(&attr, PTHREAD_PLACEMENT_STATIC_NP, cl_cpu_count()), EINVAL);
  EQUAL(pthread_attr_setplacement_np(&attr, 9, 0), EINVAL);
  EQUAL(pthread_attr_setname_np(&attr, "much too long for a name"), ERANGE);
  EQUAL(pthread_setname_np(pthread_self(), "main"), 0);
  EQUAL(pthread_setname_np(3, "other"), ESRCH);

  /* a stack of one's own */
  static unsigned char stack[4096] __attribute__((aligned(16)));
  uintptr_t address = 0;
  pthread_attr_init(&attr);
  EQUAL(pthread_attr_setstack(&attr, stack + 1, sizeof stack - 16), EINVAL);
  EQUAL(pthread_attr_setstack(&attr, stack, sizeof stack), 0);
  EQUAL(pthread_create(&thread, &attr, stack_address, &address), 0);
  EQUAL(pthread_join(thread, NULL), 0);
  CHECK(address > (uintptr_t)stack && address <= (uintptr_t)stack + sizeof stack);
  pthread_attr_init(&attr);
  EQUAL(pthread_attr_setstacksize(&attr, 1 << 20), 0);
  EQUAL(pthread_create(&thread, &attr, give_back, (void *)7), 0);
  EQUAL(pthread_join(thread, &value), 0);
  EQUAL((intptr_t)value, 7);

  /* heap */
  char *block = malloc(1000);
  CHECK(block != NULL);
  free(block);
  return finish();
}
