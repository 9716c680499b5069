/* SPDX-License-Identifier: Apache-2.0
 *
 * Policy dwrr: five threads that never wait, of weights 61 and 4 x 20, share two CPUs by their weights: 3.05 to 1. A
 * balance of the CPUs' weights cannot do that ([DWRR]: 4 to 1). */
#include "check.h"
#include "cl_kernel.h"

#define THREADS 5

static volatile uint32_t turns[THREADS], end;
static const uint32_t weights[THREADS] = {61, 20, 20, 20, 20};
static sem_t go;

static void *work(void *number) {
  sem_wait(&go);
  while ((int32_t)(end - cl_cycle()) > 0) turns[(intptr_t)number]++;
  return NULL;
}

int main(void) {
  pthread_t threads[THREADS];
  sem_init(&go, 0, 0);
  EQUAL(cl_op_set_weight(0, 255), 1); /* with a slice of one tick it would see little but interrupts */
  for (intptr_t i = 0; i < THREADS; i++) {
    EQUAL(pthread_create(&threads[i], NULL, work, (void *)i), 0);
    EQUAL(cl_op_set_weight(threads[i], weights[i]), 1);
  }
  end = cl_cycle() + 5000000;
  for (int i = 0; i < THREADS; i++) sem_post(&go);
  for (int i = 0; i < THREADS; i++) EQUAL(pthread_join(threads[i], NULL), 0);
  for (int i = 1; i < THREADS; i++) {
    uint32_t share = turns[0] * 100 / turns[i];
    CHECK(share >= 295 && share <= 315);
  }
  return finish();
}
