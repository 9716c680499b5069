/* SPDX-License-Identifier: Apache-2.0
 *
 * The numbers of the kernel's objects; what it has no room for is in memory and has none. */
#include "check.h"

static pthread_mutex_t mutexes[CL_MUTEXES + 1];
static sem_t semaphores[CL_SEMAPHORES + 1];
static pthread_cond_t conditions[CL_CONDITIONS + 1];

/* One may be the C library's. */
static void numbered(int error, int error_number, uint32_t number, int i, int of_kernel) {
  if (i < of_kernel - 1) EQUAL(error, 0);
  if (i == of_kernel) EQUAL(error, error_number);
  if (!error) CHECK(number < (uint32_t)of_kernel);
}

int main(void) {
  uint32_t number = ~0u;
  for (int i = 0; i <= CL_MUTEXES; i++) {
    EQUAL(pthread_mutex_init(&mutexes[i], NULL), 0);
    int error = pthread_mutex_getnumber_np(&mutexes[i], &number);
    numbered(error, EINVAL, number, i, CL_MUTEXES);
  }
  for (int i = 0; i <= CL_SEMAPHORES; i++) {
    EQUAL(sem_init(&semaphores[i], 0, 0), 0);
    int error = sem_getnumber_np(&semaphores[i], &number);
    numbered(error, -1, number, i, CL_SEMAPHORES);
  }
  for (int i = 0; i <= CL_CONDITIONS; i++) {
    EQUAL(pthread_cond_init(&conditions[i], NULL), 0);
    int error = pthread_cond_getnumber_np(&conditions[i], &number);
    numbered(error, EINVAL, number, i, CL_CONDITIONS);
  }
  EQUAL(errno, EINVAL);
  EQUAL(sem_post_handler_np(&semaphores[CL_SEMAPHORES]), EINVAL);
  EQUAL(sem_destroy(&semaphores[0]), 0);
  EQUAL(sem_getnumber_np(&semaphores[0], &number), -1);
  EQUAL(pthread_cond_destroy(&conditions[0]), 0);
  EQUAL(pthread_cond_getnumber_np(&conditions[0], &number), EINVAL);
  return finish();
}
