/* SPDX-License-Identifier: Apache-2.0
 *
 * The more urgent runs, preemption at once, time slices among equals, priorities that change. All on CPU 0. */
#include "check.h"

static char trail[64];
static volatile int at;
static volatile uint32_t turns[3];
static volatile int stop;
static sem_t go;

static void mark(char c) { trail[at++] = c; }

/* The hardware kernel's interrupt comes some cycles after the operation that has called for it. */
static void settle(void) { waste(500); }

static void *letter(void *c) {
  mark((char)(intptr_t)c);
  return NULL;
}

static void *urgent(void *unused) {
  (void)unused;
  sem_wait(&go);
  mark('u');
  return NULL;
}

static void *spin(void *number) {
  while (!stop) turns[(intptr_t)number]++;
  return NULL;
}

/* Each wait is shorter than a slice. */
static void *urgent_often(void *cycles) {
  for (int i = 0; i < 80; i++) {
    EQUAL(sem_timedwait_np(&go, (uint32_t)(uintptr_t)cycles), -1);
    waste(300);
  }
  return NULL;
}

/* The body of the test, placed on CPU 0. */
static void *body(void *unused) {
  (void)unused;
  struct sched_param param;
  int policy;
  pthread_t threads[4];
  EQUAL(pthread_getschedparam(pthread_self(), &policy, &param), 0);
  EQUAL(policy, SCHED_OTHER);
  EQUAL(param.sched_priority, 10);

  /* less urgent threads wait until this one does, then the most urgent of them comes first */
  threads[0] = spawn(5, letter, (void *)'a');
  threads[1] = spawn(7, letter, (void *)'b');
  threads[2] = spawn(6, letter, (void *)'c');
  EQUAL(at, 0);
  for (int i = 0; i < 3; i++) EQUAL(pthread_join(threads[i], NULL), 0);
  /* a more urgent one runs at once */
  threads[0] = spawn(20, letter, (void *)'d');
  settle();
  EQUAL(at, 4);
  EQUAL(pthread_join(threads[0], NULL), 0);
  /* ... also when a post wakes it */
  threads[0] = spawn(20, urgent, NULL);
  mark('1');
  sem_post(&go);
  settle();
  mark('2');
  EQUAL(pthread_join(threads[0], NULL), 0);
  /* raised above this one, a ready thread runs at once */
  threads[0] = spawn(5, letter, (void *)'e');
  mark('3');
  EQUAL(pthread_setschedprio(threads[0], 11), 0);
  settle();
  mark('4');
  EQUAL(pthread_join(threads[0], NULL), 0);
  /* lowered below a ready thread, this one gives way */
  threads[0] = spawn(9, letter, (void *)'f');
  mark('5');
  EQUAL(pthread_setschedprio(pthread_self(), 8), 0);
  settle();
  mark('6');
  EQUAL(pthread_setschedprio(pthread_self(), 10), 0);
  EQUAL(pthread_join(threads[0], NULL), 0);
  EQUAL(pthread_setschedprio(pthread_self(), CL_PRIORITIES), EINVAL);
  EQUAL(pthread_setschedprio(pthread_self(), -1), EINVAL);
  EQUAL(pthread_setschedprio(threads[0], 3), ESRCH);
  EQUAL(pthread_getschedparam(threads[0], &policy, &param), ESRCH);
  /* yield goes round the equals */
  threads[0] = spawn(10, letter, (void *)'g');
  threads[1] = spawn(10, letter, (void *)'h');
  sched_yield();
  mark('7');
  for (int i = 0; i < 2; i++) EQUAL(pthread_join(threads[i], NULL), 0);
  puts(trail);

  /* equals that never give way share the CPU by slices */
  for (int i = 0; i < 3; i++) threads[i] = spawn(9, spin, (void *)(intptr_t)i);
  sem_t never;
  sem_init(&never, 0, 0);
  threads[3] = spawn(12, urgent, NULL);
  EQUAL(pthread_setschedprio(pthread_self(), 9), 0);
  waste(400000);
  stop = 1;
  EQUAL(sem_post(&go), 0);
  for (int i = 0; i < 4; i++) EQUAL(pthread_join(threads[i], NULL), 0);
  for (int i = 0; i < 3; i++) CHECK(turns[i] > 100);
  CHECK(turns[0] < 2 * turns[1] && turns[1] < 2 * turns[2] && turns[2] < 2 * turns[0]);

  /* ... also when they, and those that preempt them, are preempted more often */
  stop = 0;
  for (int i = 0; i < 3; i++) {
    turns[i] = 0;
    threads[i] = spawn(9, spin, (void *)(intptr_t)i);
  }
  pthread_t better[] = {spawn(11, urgent_often, (void *)4100), spawn(12, urgent_often, (void *)3700)};
  for (int i = 0; i < 2; i++) EQUAL(pthread_join(better[i], NULL), 0);
  stop = 1;
  for (int i = 0; i < 3; i++) EQUAL(pthread_join(threads[i], NULL), 0);
  CHECK(turns[0] < 2 * turns[1] && turns[1] < 2 * turns[2] && turns[2] < 2 * turns[0]);
  return NULL;
}

int main(void) {
  EQUAL(sem_init(&go, 0, 0), 0);
  EQUAL(sched_get_priority_min(SCHED_RR), 0);
  EQUAL(sched_get_priority_max(SCHED_RR), CL_PRIORITIES - 1);
  EQUAL(pthread_join(spawn(10, body, NULL), NULL), 0);
  return finish();
}
