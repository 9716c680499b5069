/* SPDX-License-Identifier: Apache-2.0
 *
 * How late waits end by their time limit with a warm cache: prints a line of five calls, beside a thread that computes
 * and alone: of each the largest of ROUNDS waits, in cycles of the whole call beyond its limit. */
#include "check.h"

#define WARM 4
#define ROUNDS 16
#define LIMIT 6000

enum { EMPTY = 1, FULL }; /* ports */

static sem_t sem;
static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER, mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static uint32_t received;
static volatile int over;

static int semaphore(void) { return sem_timedwait_np(&sem, LIMIT); }
static int lock(void) { return pthread_mutex_timedlock_np(&held, LIMIT); }
static int condition(void) { return pthread_cond_timedwait_np(&cond, &mutex, LIMIT); }
static int receive(void) { return port_timedreceive(EMPTY, &received, LIMIT); }
static int send(void) { return port_timedsend(FULL, 1, LIMIT); }

CL_INLINE unsigned latest(int (*wait)(void), int expected) {
  unsigned most = 0;
  int others = 0;
  for (int round = -WARM; round < ROUNDS; round++) {
    uint32_t begun = cl_cycle();
    int status = wait();
    uint32_t late = cl_cycle() - begun - LIMIT;
    others += status != expected;
    if (round >= 0 && late > most) most = late;
  }
  EQUAL(others, 0);
  return most;
}

static void *waits(void *title) {
  EQUAL(pthread_mutex_lock(&mutex), 0);
  EQUAL(port_open(EMPTY, 0), 0);
  EQUAL(port_open(FULL, 0), 0);
  while (!port_trysend(FULL, 0)) continue;
  errno = 0;
  unsigned late[] = {latest(semaphore, -1), latest(lock, ETIMEDOUT), latest(condition, ETIMEDOUT),
                     latest(receive, ETIMEDOUT), latest(send, ETIMEDOUT)};
  EQUAL(errno, ETIMEDOUT);
  over = 1;
  EQUAL(port_close(EMPTY), 0);
  EQUAL(port_close(FULL), 0);
  EQUAL(pthread_mutex_unlock(&mutex), 0);
  printf("%s: semaphore %u, mutex %u, condition variable %u, receive %u, send %u\n", (const char *)title, late[0],
         late[1], late[2], late[3], late[4]);
  return NULL;
}

int main(void) {
  EQUAL(sem_init(&sem, 0, 0), 0);
  EQUAL(pthread_mutex_lock(&held), 0);
  pthread_t thread = spawn(PTHREAD_PRIORITY_DEFAULT_NP + 2, waits, "beside a thread that computes");
  while (!over) continue;
  EQUAL(pthread_join(thread, NULL), 0);
  thread = spawn(PTHREAD_PRIORITY_DEFAULT_NP + 2, waits, "alone");
  EQUAL(pthread_join(thread, NULL), 0);
  return finish();
}
