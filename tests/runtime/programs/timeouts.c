/* SPDX-License-Identifier: Apache-2.0
 *
 * Waits with a time limit: never early and soon after, alone and beside others; what comes just before or after the
 * limit is either taken or still there; many limits on all CPUs; limits that end while threads are switched. */
#include "check.h"

#ifndef LATE
#define LATE 6000 /* cycles from the limit to the thread, at most */
#endif
#define ABOVE (PTHREAD_PRIORITY_DEFAULT_NP + 2)
#define BELOW (PTHREAD_PRIORITY_DEFAULT_NP - 2)

enum { SEMAPHORE, MUTEX, CONDITION, RECEIVE, SEND, KINDS };
enum { EMPTY = 1, FULL, STREAM, BALL, BACK }; /* ports */

static sem_t sem;
static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER, free_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;

static int wait(int kind, uint32_t cycles) {
  uint32_t word;
  int status;
  switch (kind) {
    case SEMAPHORE: return sem_timedwait_np(&sem, cycles) ? errno : 0;
    case MUTEX: return pthread_mutex_timedlock_np(&held, cycles);
    case CONDITION:
      EQUAL(pthread_mutex_lock(&free_mutex), 0);
      status = pthread_cond_timedwait_np(&cond, &free_mutex, cycles);
      EQUAL(pthread_mutex_unlock(&free_mutex), 0);
      return status;
    case RECEIVE: return port_timedreceive(EMPTY, &word, cycles);
    default: return port_timedsend(FULL, 1, cycles);
  }
}

/* --- nobody ends the wait --- */

static uint32_t latest[KINDS];

static void times_out(int kind, uint32_t cycles) {
  uint32_t start = cl_cycle();
  EQUAL(wait(kind, cycles), ETIMEDOUT);
  uint32_t took = cl_cycle() - start;
  CHECK(took >= cycles);
  if (cycles >= 2500) CHECK(took < cycles + LATE); /* a short one is over before the thread waits */
  if (cycles >= 2500 && took - cycles > latest[kind]) latest[kind] = took - cycles;
}

static sem_t go, done;

static void *alone(void *unused) {
  (void)unused;
  EQUAL(port_open(EMPTY, 0), 0);
  EQUAL(port_open(FULL, 0), 0);
  while (!port_trysend(FULL, 0)) continue;
  EQUAL(sem_wait(&go), 0); /* `held` is held */
  for (int kind = 0; kind < KINDS; kind++)
    for (uint32_t cycles = 0; cycles < 12000; cycles = cycles * 3 + 7) times_out(kind, cycles);
  EQUAL(sem_post(&done), 0);
  for (int i = 0; i < 3; i++) /* the same beside a thread that computes */
    for (int kind = 0; kind < KINDS; kind++) times_out(kind, 3000 + 500 * (uint32_t)i);
  EQUAL(port_close(EMPTY), 0);
  EQUAL(port_close(FULL), 0);
  EQUAL(sem_post(&done), 0);
  return NULL;
}

/* --- somebody ends it, just before or just after --- */

#define TRIES 24
#ifndef STEP
#define STEP 400 /* cycles from try to try */
#endif
static sem_t race;
static volatile uint32_t when; /* the other acts then; 0: not yet */
static volatile int phase;     /* 1: the other is prepared, 2: it has acted, 0: the waiter has looked */

static void *act(void *argument) {
  int kind = (int)(intptr_t)argument;
  uint32_t word;
  if (kind == SEND) EQUAL(port_open(FULL, 0), 0);
  for (int i = 0; i < TRIES; i++) {
    if (kind == MUTEX) EQUAL(pthread_mutex_lock(&held), 0);
    while (kind == SEND && !port_trysend(FULL, 0)) continue;
    phase = 1;
    while (!when) sched_yield();
    while ((int32_t)(cl_cycle() - when) < 0) continue;
    switch (kind) {
      case SEMAPHORE: EQUAL(sem_post(&race), 0); break;
      case MUTEX: EQUAL(pthread_mutex_unlock(&held), 0); break;
      case CONDITION: EQUAL(pthread_cond_signal(&cond), 0); break;
      case RECEIVE:
        EQUAL(port_send(EMPTY, 42), 0);
        EQUAL(port_publish(), 0);
        break;
      default: EQUAL(port_receive(FULL, &word), 0);
    }
    when = 0;
    phase = 2;
    while (phase) sched_yield();
  }
  if (kind == SEND) EQUAL(port_close(FULL), 0);
  return NULL;
}

static void sleep_until(int wanted) {
  while (phase != wanted) sem_timedwait_np(&sem, 5000);
}

static void *race_with(void *argument) {
  int kind = (int)(intptr_t)argument, taken = 0, missed = 0, value;
  uint32_t word;
  if (kind == RECEIVE) EQUAL(port_open(EMPTY, 0), 0);
  for (int i = 0; i < TRIES; i++) {
    sleep_until(1);
    uint32_t limit = 4000 + TRIES / 2 * STEP + (uint32_t)i;
    when = (cl_cycle() + limit - TRIES / 2 * STEP + STEP * (uint32_t)i) | 1;
    if (i == 0) limit = UINT32_MAX; /* so late that no kernel compares it */
    int status = kind == SEMAPHORE ? (sem_timedwait_np(&race, limit) ? errno : 0) : wait(kind, limit);
    CHECK(status == 0 || (i && status == ETIMEDOUT));
    *(status ? &missed : &taken) += 1;
    sleep_until(2);
    switch (kind) { /* what was not taken is there */
      case SEMAPHORE:
        EQUAL(sem_getvalue(&race, &value), 0);
        EQUAL(value, status ? 1 : 0);
        if (status) EQUAL(sem_wait(&race), 0);
        break;
      case MUTEX: EQUAL(pthread_mutex_unlock(&held), status ? EPERM : 0); break;
      case RECEIVE: EQUAL(port_tryreceive(EMPTY, &word), status ? 0 : EAGAIN); break;
      case SEND: EQUAL(port_trysend(FULL, 1), status ? 0 : EAGAIN); break;
      default: break;
    }
    phase = 0;
  }
  CHECK(taken > 2 && missed > 2);
  if (kind == RECEIVE) EQUAL(port_close(EMPTY), 0);
  return NULL;
}

/* --- many limits --- */

#define SLEEPERS 12
static volatile int woken;
static uint32_t base;
static int order[SLEEPERS];

static void *sleeper(void *number) {
  uint32_t start = cl_cycle();
  uint32_t cycles = base + 300000 + 12000 * (uint32_t)((intptr_t)number * 7 % SLEEPERS) - start;
  EQUAL(sem_timedwait_np(&sem, cycles), -1);
  EQUAL(errno, ETIMEDOUT);
  CHECK(cl_cycle() - start >= cycles);
  EQUAL(pthread_mutex_lock(&free_mutex), 0);
  order[woken++] = (int)((intptr_t)number * 7 % SLEEPERS);
  EQUAL(pthread_mutex_unlock(&free_mutex), 0);
  return NULL;
}

/* --- short limits everywhere, while threads are switched all the time --- */

#define WORDS 250
#define SENDERS 2 /* one may take the room for which the other has been woken */
static uint32_t seed[5];

static uint32_t draw(int who, uint32_t below) {
  seed[who] = seed[who] * 1664525 + 1013904223;
  return (seed[who] >> 8) % below;
}

static volatile int open;

static void *receiver(void *unused) {
  (void)unused;
  EQUAL(port_open(STREAM, 0), 0);
  open++;
  for (uint32_t next[SENDERS] = {0}; next[0] + next[1] < SENDERS * WORDS;) {
    uint32_t word;
    int status = port_timedreceive(STREAM, &word, draw(0, 900));
    if (status == ETIMEDOUT) continue;
    EQUAL(status, 0);
    EQUAL(word / SENDERS, next[word % SENDERS]);
    next[word % SENDERS]++;
  }
  EQUAL(port_close(STREAM), 0);
  return NULL;
}

static void *sender(void *number) {
  int who = (int)(intptr_t)number;
  while (!open) sched_yield();
  for (uint32_t next = 0; next < WORDS;) {
    int status = port_timedsend(STREAM, next * SENDERS + (uint32_t)who % SENDERS, draw(who, 900));
    if (status == ETIMEDOUT) continue;
    EQUAL(status, 0);
    next++;
    if (draw(who, 4) == 0) EQUAL(port_publish(), 0);
    if (draw(who, 8) == 0) sem_timedwait_np(&sem, draw(who, 500));
  }
  EQUAL(port_publish(), 0);
  return NULL;
}

static pthread_mutex_t turns = PTHREAD_MUTEX_INITIALIZER;
static volatile int inside, entered;

static void *locker(void *number) {
  int who = (int)(intptr_t)number;
  for (int i = 0; i < WORDS; i++) {
    int status = pthread_mutex_timedlock_np(&turns, draw(who, 600));
    if (status) {
      EQUAL(status, ETIMEDOUT);
      EQUAL(pthread_mutex_unlock(&turns), EPERM);
      continue;
    }
    EQUAL(inside++, 0);
    entered++;
    sem_timedwait_np(&sem, draw(who, 300));
    EQUAL(--inside, 0);
    EQUAL(pthread_mutex_unlock(&turns), 0);
  }
  return NULL;
}

int main(void) {
  pthread_t thread, other, threads[SLEEPERS];
  pthread_attr_t attr;
  unsigned cpus = cl_cpu_count();
  EQUAL(sem_init(&sem, 0, 0), 0);
  EQUAL(sem_init(&race, 0, 0), 0);
  EQUAL(sem_init(&go, 0, 0), 0);
  EQUAL(sem_init(&done, 0, 0), 0);

  EQUAL(pthread_mutex_lock(&held), 0);
  EQUAL(pthread_mutex_timedlock_np(&held, 1000), EDEADLK);
  EQUAL(pthread_cond_timedwait_np(&cond, &free_mutex, 1000), EPERM);
  EQUAL(port_timedsend(EMPTY, 0, 1000), EBADF);
  EQUAL(port_timedsend(-1, 0, 1000), EINVAL);
  for (unsigned cpu = 0; cpu < cpus; cpu++) {
    EQUAL(pthread_create(&thread, attributes(&attr, ABOVE, (int)cpu), alone, NULL), 0);
    EQUAL(sem_post(&go), 0);
    EQUAL(sem_wait(&done), 0);
    while (sem_trywait(&done)) continue;
    EQUAL(pthread_join(thread, NULL), 0);
  }
  EQUAL(pthread_mutex_unlock(&held), 0);

  for (int kind = 0; kind < KINDS; kind++) {
    phase = 0;
    when = 0;
    EQUAL(pthread_create(&thread, attributes(&attr, ABOVE, 0), race_with, (void *)(intptr_t)kind), 0);
    EQUAL(pthread_create(&other, attributes(&attr, BELOW, (int)(cpus - 1)), act, (void *)(intptr_t)kind), 0);
    EQUAL(pthread_join(thread, NULL), 0);
    EQUAL(pthread_join(other, NULL), 0);
  }

  base = cl_cycle();
  for (int i = 0; i < SLEEPERS; i++) {
    attributes(&attr, ABOVE, i % 3 ? (int)((unsigned)i % cpus) : -1);
    EQUAL(pthread_create(&threads[i], &attr, sleeper, (void *)(intptr_t)i), 0);
  }
  for (int i = 0; i < SLEEPERS; i++) EQUAL(pthread_join(threads[i], NULL), 0);
  for (int i = 0; i < SLEEPERS; i++) EQUAL(order[i], i);

  for (int i = 0; i < 5; i++) seed[i] = 17 + (uint32_t)i;
  EQUAL(pthread_create(&threads[0], NULL, receiver, NULL), 0);
  EQUAL(pthread_create(&threads[1], NULL, sender, (void *)1), 0);
  EQUAL(pthread_create(&threads[2], NULL, locker, (void *)2), 0);
  EQUAL(pthread_create(&threads[3], NULL, locker, (void *)3), 0);
  EQUAL(pthread_create(&threads[4], NULL, sender, (void *)4), 0);
  for (int i = 0; i < 5; i++) EQUAL(pthread_join(threads[i], NULL), 0);
  CHECK(entered > WORDS / 2);
#ifdef SHOW
  for (int kind = 0; kind < KINDS; kind++) printf("latest %u\n", (unsigned)latest[kind]);
  printf("entered %d\n", entered);
#endif
  return finish();
}
