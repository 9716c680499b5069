/* SPDX-License-Identifier: Apache-2.0
 *
 * Weights, deadlines and a CPU for one thread alone: what the kernel's policy has works, what it has not is ENOTSUP.
 * Prints one letter each: w, d, r where it has it. */
#include "check.h"

static volatile int stop;
static volatile uint8_t where[CL_CPUS], others[CL_CPUS];

static void *alone(void *unused) {
  (void)unused;
  while (!stop) where[cl_cpu_id()] = 1;
  return NULL;
}

static void *other(void *unused) {
  (void)unused;
  while (!stop) others[cl_cpu_id()] = 1;
  return NULL;
}

static void weights(void) {
  pthread_attr_t attr;
  pthread_t thread;
  int value = 0;
  pthread_attr_init(&attr);
  EQUAL(pthread_attr_getweight_np(&attr, &value), 0);
  EQUAL(value, 1);
  EQUAL(pthread_attr_setweight_np(&attr, 0), EINVAL);
  EQUAL(pthread_attr_setweight_np(&attr, 256), EINVAL);
  EQUAL(pthread_attr_setweight_np(&attr, 255), 0);
  EQUAL(pthread_attr_getweight_np(&attr, &value), 0);
  EQUAL(value, 255);
  stop = 1;
  int status = pthread_create(&thread, &attr, alone, NULL);
  int expected = status == ENOTSUP ? ENOTSUP : EINVAL;
  if (status) EQUAL(status, ENOTSUP);
  else EQUAL(pthread_join(thread, NULL), 0);
  EQUAL(pthread_setweight_np(pthread_self(), 256), expected);
  EQUAL(pthread_setweight_np(pthread_self(), 0), expected);
  EQUAL(pthread_setweight_np(CL_THREADS, 1), ESRCH);
  EQUAL(pthread_setweight_np(pthread_self(), 20), status);
  if (!status) printf("w");
}

static void deadlines(void) {
  pthread_attr_t attr;
  pthread_t thread;
  int value = 1;
  pthread_attr_init(&attr);
  EQUAL(pthread_attr_getdeadline_np(&attr, &value), 0);
  EQUAL(value, 0);
  EQUAL(pthread_attr_setdeadline_np(&attr, -1), EINVAL);
  EQUAL(pthread_attr_setdeadline_np(&attr, 32768), EINVAL);
  EQUAL(pthread_attr_setdeadline_np(&attr, 32767), 0);
  stop = 1;
  int status = pthread_create(&thread, &attr, alone, NULL);
  if (status) EQUAL(status, ENOTSUP);
  else EQUAL(pthread_join(thread, NULL), 0);
  EQUAL(pthread_setdeadline_np(pthread_self(), -1), status ? ENOTSUP : EINVAL);
  EQUAL(pthread_setdeadline_np(CL_THREADS, 1), ESRCH);
  EQUAL(pthread_setdeadline_np(pthread_self(), 7), status);
  EQUAL(pthread_setdeadline_np(pthread_self(), 0), status);
  if (!status) printf("d");
}

static void reservations(void) {
  pthread_t threads[4];
  int last = (int)cl_cpu_count() - 1;
  EQUAL(cl_cpu_reserve(CL_CPUS, pthread_self()), EINVAL);
  EQUAL(cl_cpu_release(CL_CPUS), EINVAL);
  int status = cl_cpu_release((unsigned)last);
  if (status == ENOTSUP) {
    EQUAL(cl_cpu_reserve((unsigned)last, pthread_self()), ENOTSUP);
    return;
  }
  EQUAL(status, ENOENT);
  printf("r");
  EQUAL(cl_cpu_reserve((unsigned)last, CL_THREADS - 1), ESRCH);
  if (last == 0) {
    EQUAL(cl_cpu_reserve(0, pthread_self()), EBUSY);
    return;
  }
  stop = 0;
  for (int i = 0; i < 4; i++) EQUAL(pthread_create(&threads[i], NULL, i ? other : alone, NULL), 0);
  EQUAL(cl_cpu_reserve((unsigned)last, threads[0]), 0);
  EQUAL(cl_cpu_reserve((unsigned)last, threads[1]), EBUSY);
  waste(60000);
  for (int cpu = 0; cpu <= last; cpu++) where[cpu] = others[cpu] = 0;
  waste(200000);
  for (int cpu = 0; cpu <= last; cpu++) EQUAL(where[cpu], cpu == last);
  EQUAL(others[last], 0);
  stop = 1;
  for (int i = 0; i < 4; i++) EQUAL(pthread_join(threads[i], NULL), 0);
  EQUAL(cl_cpu_release((unsigned)last), ENOENT); /* its end has */
  EQUAL(cl_cpu_reserve((unsigned)last, pthread_self()), 0);
  EQUAL((int)cl_cpu_id(), last);
  EQUAL(cl_cpu_release((unsigned)last), 0);
}

int main(void) {
  weights();
  deadlines();
  reservations();
  printf("\n");
  return finish();
}
