/* SPDX-License-Identifier: Apache-2.0
 *
 * Every CPU comes to a static mutex or condition variable for the first time at once, some cycles apart: one of them
 * makes the kernel's object, the others come before, while and after it does. */
#include "check.h"

#define THREADS 4
#define ROUNDS 24
#define APART 17 /* cycles from one round's distance to the next */
#define PERIOD 20000

struct fresh {
  pthread_mutex_t mutex, tried;
  pthread_cond_t cond;
};

/* never written before their first use */
static struct fresh rounds[ROUNDS];
static uint32_t start;
static int inside, arrived[ROUNDS];

static void until(uint32_t cycle) {
  while ((int32_t)(cl_cycle() - cycle) < 0) continue;
}

static void *use(void *argument) {
  int number = (int)(intptr_t)argument;
  for (int i = 0; i < ROUNDS; i++) {
    struct fresh *fresh = &rounds[i];
    until(start + (uint32_t)(i * PERIOD + number * i * APART));
    EQUAL(pthread_mutex_lock(&fresh->mutex), 0);
    EQUAL(inside++, 0);
    EQUAL(--inside, 0);
    EQUAL(pthread_mutex_unlock(&fresh->mutex), 0);

    until(start + (uint32_t)(i * PERIOD + PERIOD / 3 + number * i * APART));
    int status = pthread_mutex_trylock(&fresh->tried);
    CHECK(status == 0 || status == EBUSY);
    if (!status) EQUAL(pthread_mutex_unlock(&fresh->tried), 0);

    /* the first THREADS - 1 wait, the last finds them there; a signal may come before the first wait */
    until(start + (uint32_t)(i * PERIOD + PERIOD / 2 + number * i * APART));
    EQUAL(pthread_cond_signal(&fresh->cond), 0);
    EQUAL(pthread_mutex_lock(&fresh->mutex), 0);
    if (++arrived[i] == THREADS) EQUAL(pthread_cond_broadcast(&fresh->cond), 0);
    while (arrived[i] < THREADS) EQUAL(pthread_cond_wait(&fresh->cond, &fresh->mutex), 0);
    EQUAL(pthread_mutex_unlock(&fresh->mutex), 0);
  }
  return NULL;
}

int main(void) {
  pthread_t threads[THREADS];
  pthread_attr_t attr;
  start = cl_cycle() + PERIOD;
  for (int i = 1; i < THREADS; i++) {
    attributes(&attr, PTHREAD_PRIORITY_DEFAULT_NP, i);
    EQUAL(pthread_create(&threads[i], &attr, use, (void *)(intptr_t)i), 0);
  }
  use(NULL);
  for (int i = 1; i < THREADS; i++) EQUAL(pthread_join(threads[i], NULL), 0);
  return finish();
}
