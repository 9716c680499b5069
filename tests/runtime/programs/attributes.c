/* SPDX-License-Identifier: Apache-2.0
 *
 * What attributes ask for is what a thread has; stacks of any size; names, placement and CPUs of threads. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"

static sem_t gate;
static pthread_attr_t got;

static void *look(void *argument) {
  char here;
  void *low;
  size_t size;
  EQUAL(pthread_getattr_np(pthread_self(), &got), 0);
  EQUAL(pthread_attr_getstack(&got, &low, &size), 0);
  CHECK(&here > (char *)low && &here < (char *)low + size);
  if (argument) EQUAL(size, *(size_t *)argument);
  return NULL;
}

static int int_of(int (*get)(const pthread_attr_t *, int *)) {
  int value = -1;
  EQUAL(get(&got, &value), 0);
  return value;
}

static void *waits(void *unused) {
  sem_wait(&gate);
  return unused;
}

/* The ABI's alignment, whatever the stack's. */
static void *aligned(void *unused) {
  volatile _Alignas(16) char here;
  EQUAL((uintptr_t)&here % 16, 0);
  EQUAL((uintptr_t)__builtin_frame_address(0) % 16, 0);
  return unused;
}

static void *give(void *argument) { return argument; }
static void *post(void *sem) {
  sem_post(sem);
  return NULL;
}

static void *inherits(void *unused) {
  pthread_t thread;
  pthread_attr_t attr;
  struct sched_param param;
  EQUAL(pthread_setschedparam(pthread_self(), SCHED_FIFO, &(struct sched_param){21}), 0);
  pthread_attr_init(&attr);
  EQUAL(pthread_attr_setinheritsched(&attr, PTHREAD_INHERIT_SCHED), 0);
  EQUAL(pthread_attr_setschedparam(&attr, &(struct sched_param){3}), 0);
  EQUAL(pthread_create(&thread, &attr, look, NULL), 0);
  EQUAL(pthread_join(thread, NULL), 0);
  EQUAL(pthread_attr_getschedparam(&got, &param), 0);
  EQUAL(param.sched_priority, 21);
  EQUAL(int_of(pthread_attr_getschedpolicy), SCHED_FIFO);
  return unused;
}

static void stacks(void) {
  static _Alignas(16) unsigned char own[PTHREAD_STACK_MIN + 2000];
  pthread_t thread, other;
  pthread_attr_t attr;
  size_t size = 64 << 10;
  void *value;
  pthread_attr_init(&attr);
  EQUAL(pthread_attr_setstacksize(&attr, size), 0);
  EQUAL(pthread_create(&thread, &attr, look, &size), 0);
  EQUAL(pthread_join(thread, NULL), 0);
  /* none is lost, of joined threads and of detached ones, which give way to the next ones when memory is short */
  EQUAL(pthread_attr_setstacksize(&attr, 200 << 10), 0);
  for (int i = 0; i < 300; i++) {
    EQUAL(pthread_create(&thread, &attr, give, &thread), 0);
    if (i % 3 == 0) EQUAL(pthread_create(&other, NULL, post, &gate), 0); /* numbers change */
    EQUAL(pthread_join(thread, &value), 0);
    CHECK(value == &thread);
    if (i % 3 == 0) EQUAL(pthread_join(other, NULL), 0);
    if (i % 3 == 0) sem_wait(&gate);
  }
  EQUAL(pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED), 0);
  for (int i = 0; i < 60; i++) {
    EQUAL(pthread_create(&thread, &attr, post, &gate), 0);
    sem_wait(&gate);
    waste(2000); /* it has ended */
  }

  pthread_attr_init(&attr);
  EQUAL(pthread_attr_setstack(&attr, own, sizeof own), 0);
  EQUAL(pthread_create(&thread, &attr, look, &(size_t){sizeof own}), 0);
  EQUAL(pthread_join(thread, NULL), 0);
  for (unsigned i = 0; i < 2; i++) {
    EQUAL(pthread_attr_setstack(&attr, own + 8, PTHREAD_STACK_MIN + i), 0);
    EQUAL(pthread_create(&thread, &attr, aligned, NULL), 0);
    EQUAL(pthread_join(thread, NULL), 0);
  }
  look(NULL); /* main */
  EQUAL(int_of(pthread_attr_getdetachstate), PTHREAD_CREATE_JOINABLE);
}

static void names_and_cpus(void) {
  char name[PTHREAD_NAME_MAX_NP];
  cpu_set_t set, all;
  pthread_t thread;
  pthread_attr_t attr;
  pthread_attr_init(&attr);
  CPU_ZERO(&set);
  EQUAL(pthread_attr_setaffinity_np(&attr, sizeof set, &set), EINVAL);
  CPU_SET(0, &set);
  EQUAL(CPU_COUNT(&set), 1);
  EQUAL(pthread_attr_setaffinity_np(&attr, sizeof set, &set), 0);
  EQUAL(pthread_attr_setplacement_np(&attr, PTHREAD_PLACEMENT_STATIC_NP, cl_cpu_count()), EINVAL);
  EQUAL(pthread_attr_setplacement_np(&attr, 9, 0), EINVAL);
  EQUAL(pthread_attr_setname_np(&attr, "much too long for a name"), ERANGE);
  EQUAL(pthread_attr_setname_np(&attr, "first"), 0);
  EQUAL(pthread_create(&thread, &attr, waits, NULL), 0);
  EQUAL(pthread_getname_np(thread, name, sizeof name), 0);
  EQUAL(strcmp(name, "first"), 0);
  EQUAL(pthread_setname_np(thread, "second"), 0);
  EQUAL(pthread_getname_np(thread, name, 6), ERANGE);
  EQUAL(pthread_getname_np(thread, name, 7), 0);
  EQUAL(strcmp(name, "second"), 0);
  EQUAL(pthread_getaffinity_np(thread, sizeof all, &all), 0);
  CHECK(CPU_EQUAL(&set, &all) && CPU_ISSET(0, &all) && !CPU_ISSET(1, &all));
  EQUAL(pthread_getaffinity_np(thread, 1, &all), EINVAL);
  EQUAL(pthread_setaffinity_np(thread, sizeof all, &set), 0);
  EQUAL(pthread_getaffinity_np(pthread_self(), sizeof all, &all), 0);
  EQUAL(CPU_COUNT(&all), cl_cpu_count());
  sem_post(&gate);
  EQUAL(pthread_join(thread, NULL), 0);
  EQUAL(pthread_getname_np(thread, name, sizeof name), ESRCH);
  EQUAL(pthread_getaffinity_np(thread, sizeof all, &all), ESRCH);
}

int main(void) {
  EQUAL(sem_init(&gate, 0, 0), 0);
  EQUAL(pthread_join(spawn(5, inherits, NULL), NULL), 0);
  stacks();
  names_and_cpus();
  EQUAL(pthread_getattr_np(1000, &got), ESRCH);
  return finish();
}
