/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread moves itself to another CPU, and to all again. An error changes nothing. */
#include "check.h"

static volatile unsigned turns[8];
static volatile int stop;

static cpu_set_t only(unsigned cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  return set;
}

static unsigned where(void) {
  cpu_set_t set;
  EQUAL(pthread_getaffinity_np(pthread_self(), sizeof set, &set), 0);
  return set.cpus;
}

static void move(cpu_set_t set) { EQUAL(pthread_setaffinity_np(pthread_self(), sizeof set, &set), 0); }

/* A thread goes round the CPUs and keeps its registers. */
static void *go_round(void *number) {
  unsigned mine = (unsigned)(uintptr_t)number, cpus = cl_cpu_count();
  unsigned all = (1u << cpus) - 1;
  EQUAL(where(), all);
  for (unsigned i = 0; i < 20; i++) {
    unsigned cpu = (mine + i) % cpus;
    move(only(cpu));
    EQUAL(cl_cpu_id(), cpu);
    EQUAL(where(), cpus == 1 ? all : 1u << cpu);
    if (i % 4 == 3) sched_yield();
    EQUAL(cl_cpu_id(), cpu);
    turns[mine]++;
  }
  move((cpu_set_t){all});
  EQUAL(where(), all);
  return number;
}

static void *compute(void *unused) {
  while (!stop) waste(100);
  return unused;
}

int main(void) {
  pthread_attr_t attr;
  pthread_t threads[4], busy;
  unsigned cpus = cl_cpu_count();
  pthread_t self = pthread_self();

  /* Alone: each CPU that it leaves has nothing to do. */
  go_round((void *)0);
  EQUAL(turns[0], 20u);

  /* Errors, and nothing changed. */
  cpu_set_t before = only(cpus - 1), none, beyond = only(cpus);
  CPU_ZERO(&none);
  move(before);
  EQUAL(pthread_setaffinity_np(self, sizeof beyond, &beyond), EINVAL);
  EQUAL(pthread_setaffinity_np(self, sizeof none, &none), EINVAL);
  EQUAL(pthread_setaffinity_np(self, 1, &before), EINVAL);
  EQUAL(pthread_setaffinity_np(CL_THREADS, sizeof before, &before), ESRCH);
  EQUAL(cl_cpu_id(), cpus - 1);
  EQUAL(where(), 1u << (cpus - 1));
  cpu_set_t two = {3};
  if (cpus > 2) EQUAL(pthread_setaffinity_np(self, sizeof two, &two), ENOTSUP);

  /* Among others of the same priority, one of which computes all the time. */
  turns[0] = 0;
  EQUAL(pthread_create(&busy, attributes(&attr, 16, -1), compute, NULL), 0);
  for (unsigned i = 0; i < 4; i++)
    EQUAL(pthread_create(&threads[i], attributes(&attr, 16, -1), go_round, (void *)(uintptr_t)i), 0);
  EQUAL(pthread_setaffinity_np(busy, sizeof before, &before), cpus == 1 ? 0 : ENOTSUP);
  EQUAL(pthread_getaffinity_np(busy, sizeof before, &before), 0);
  EQUAL(before.cpus, (1u << cpus) - 1);
  EQUAL(pthread_getaffinity_np(busy, 1, &before), EINVAL);
  EQUAL(pthread_getaffinity_np(CL_THREADS, sizeof before, &before), ESRCH);
  for (unsigned i = 0; i < 4; i++) {
    void *value;
    EQUAL(pthread_join(threads[i], &value), 0);
    EQUAL((uintptr_t)value, (uintptr_t)i);
    EQUAL(turns[i], 20u);
  }
  stop = 1;
  EQUAL(pthread_join(busy, NULL), 0);
  return finish();
}
