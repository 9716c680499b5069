/* SPDX-License-Identifier: Apache-2.0
 *
 * Static threads stay on their CPU, dynamic ones go where there is room; the memory lock excludes. */
#include "check.h"

#define THREADS 6

static volatile unsigned seen[THREADS];
static volatile int shared;
static sem_t done;

static void *stay(void *number) {
  for (int i = 0; i < 40; i++) {
    seen[(intptr_t)number] |= 1u << cl_cpu_id();
    if (i % 3) sched_yield();
    else waste(500);
  }
  sem_post(&done);
  return NULL;
}

static void *add(void *unused) {
  (void)unused;
  for (int i = 0; i < 500; i++) {
    EQUAL(shared_memory_lock(&shared), 0);
    shared = shared + 1;
    EQUAL(shared_memory_unlock(&shared), 0);
  }
  return NULL;
}

int main(void) {
  pthread_attr_t attr;
  pthread_t threads[THREADS];
  unsigned all = 0;
  sem_init(&done, 0, 0);
  for (int i = 0; i < THREADS; i++) {
    int cpu = (int)((unsigned)i % cl_cpu_count());
    EQUAL(pthread_create(&threads[i], attributes(&attr, 16, cpu), stay, (void *)(intptr_t)i), 0);
  }
  for (int i = 0; i < THREADS; i++) sem_wait(&done);
  for (int i = 0; i < THREADS; i++) {
    EQUAL(pthread_join(threads[i], NULL), 0);
    EQUAL(seen[i], 1u << ((unsigned)i % cl_cpu_count()));
    seen[i] = 0;
  }
  for (int i = 0; i < THREADS; i++)
    EQUAL(pthread_create(&threads[i], attributes(&attr, 16, -1), stay, (void *)(intptr_t)i), 0);
  for (int i = 0; i < THREADS; i++) {
    EQUAL(pthread_join(threads[i], NULL), 0);
    all |= seen[i];
  }
  EQUAL(all, (1u << cl_cpu_count()) - 1);

  for (int i = 0; i < THREADS; i++) EQUAL(pthread_create(&threads[i], attributes(&attr, 16, -1), add, NULL), 0);
  for (int i = 0; i < THREADS; i++) EQUAL(pthread_join(threads[i], NULL), 0);
  EQUAL(shared, THREADS * 500);
  EQUAL(shared_memory_unlock(&shared), EPERM);
  EQUAL(shared_memory_lock(&shared), 0);
  EQUAL(shared_memory_lock(&shared), EDEADLK);
  EQUAL(shared_memory_unlock(&shared), 0);
  return finish();
}
