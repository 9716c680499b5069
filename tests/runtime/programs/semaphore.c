/* SPDX-License-Identifier: Apache-2.0
 *
 * A bounded buffer, priority order of waiters, errors. */
#include "check.h"

#define ITEMS 200
#define SLOTS 4

static sem_t room, items, turn;
static int buffer[SLOTS];
static int sum;
static int order[3], ordered;

static void *produce(void *unused) {
  (void)unused;
  for (int i = 0; i < ITEMS; i++) {
    EQUAL(sem_wait(&room), 0);
    buffer[i % SLOTS] = i;
    EQUAL(sem_post(&items), 0);
  }
  return NULL;
}

static void *consume(void *unused) {
  (void)unused;
  for (int i = 0; i < ITEMS; i++) {
    EQUAL(sem_wait(&items), 0);
    EQUAL(buffer[i % SLOTS], i);
    sum += buffer[i % SLOTS];
    EQUAL(sem_post(&room), 0);
  }
  return NULL;
}

static void *wait_turn(void *number) {
  EQUAL(sem_wait(&turn), 0);
  order[ordered++] = (int)(intptr_t)number;
  return NULL;
}

int main(void) {
  pthread_t threads[3];
  int value = -1;
  EQUAL(sem_init(&room, 0, SLOTS), 0);
  EQUAL(sem_init(&items, 0, 0), 0);
  EQUAL(pthread_create(&threads[0], NULL, produce, NULL), 0);
  EQUAL(pthread_create(&threads[1], NULL, consume, NULL), 0);
  EQUAL(pthread_join(threads[0], NULL), 0);
  EQUAL(pthread_join(threads[1], NULL), 0);
  EQUAL(sum, ITEMS * (ITEMS - 1) / 2);
  EQUAL(sem_getvalue(&room, &value), 0);
  EQUAL(value, SLOTS);

  EQUAL(sem_init(&turn, 0, 0), 0);
  static const int priority[3] = {17, 19, 18};
  for (int i = 0; i < 3; i++) {
    threads[i] = spawn(priority[i], wait_turn, (void *)(intptr_t)i);
    waste(30000);
  }
  EQUAL(sem_destroy(&turn), -1);
  EQUAL(errno, EBUSY);
  for (int i = 0; i < 3; i++) {
    EQUAL(sem_post(&turn), 0);
    waste(30000);
  }
  for (int i = 0; i < 3; i++) EQUAL(pthread_join(threads[i], NULL), 0);
  EQUAL(order[0] * 100 + order[1] * 10 + order[2], 120);

  EQUAL(sem_trywait(&turn), -1);
  EQUAL(errno, EAGAIN);
  EQUAL(sem_post(&turn), 0);
  EQUAL(sem_trywait(&turn), 0);
  EQUAL(sem_destroy(&turn), 0);
  EQUAL(sem_post(&turn), -1);
  EQUAL(errno, EINVAL);
  EQUAL(sem_wait(&turn), -1);
  EQUAL(errno, EINVAL);
  EQUAL(sem_init(&turn, 1, 0), -1);
  EQUAL(errno, ENOSYS);
  EQUAL(sem_init(&turn, 0, SEM_VALUE_MAX + 1u), -1);
  EQUAL(errno, EINVAL);
  EQUAL(sem_init(&turn, 0, SEM_VALUE_MAX), 0);
  EQUAL(sem_post(&turn), -1);
  EQUAL(errno, EOVERFLOW);
  return finish();
}
