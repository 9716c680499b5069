/* SPDX-License-Identifier: Apache-2.0
 *
 * Threads that are created suspended, taken off their queue and put back; the idle thread. All on CPU 0. */
#include "check.h"

static char trail[64];
static volatile int at;
static volatile uint32_t idled;
static volatile int stop;
static sem_t go, seen;

static void mark(char c) { trail[at++] = c; }
static void settle(void) { waste(500); }

static void *letter(void *c) {
  mark((char)(intptr_t)c);
  return NULL;
}

static void *wait_for_post(void *unused) {
  (void)unused;
  EQUAL(sem_wait(&go), 0);
  return NULL;
}

static void *idle(void *unused) {
  (void)unused;
  while (!stop)
    if (++idled == 100) EQUAL(sem_post(&seen), 0);
  return NULL;
}

static pthread_t spawn_suspended(int priority, void *(*start)(void *), void *argument) {
  pthread_attr_t attr;
  pthread_t thread = ~0u;
  int suspended = 0;
  attributes(&attr, priority, 0);
  EQUAL(pthread_attr_setsuspended_np(&attr, 2), EINVAL);
  EQUAL(pthread_attr_setsuspended_np(&attr, 1), 0);
  EQUAL(pthread_attr_getsuspended_np(&attr, &suspended), 0);
  EQUAL(suspended, 1);
  EQUAL(pthread_create(&thread, &attr, start, argument), 0);
  return thread;
}

static void *body(void *unused) {
  (void)unused;
  pthread_t threads[4];
  int policy;
  struct sched_param param;
  /* created suspended: not even a better one runs */
  threads[0] = spawn_suspended(20, letter, (void *)'a');
  settle();
  mark('1');
  EQUAL(pthread_continue_np(threads[0]), 0);
  settle();
  mark('2');
  EQUAL(pthread_continue_np(threads[0]), ESRCH); /* it has ended */
  EQUAL(pthread_setidle_np(threads[0]), ESRCH);
  EQUAL(pthread_suspend_np(threads[0]), ENOENT);
  EQUAL(pthread_setschedprio(threads[0], 3), ESRCH);
  EQUAL(pthread_join(threads[0], NULL), 0);
  EQUAL(pthread_continue_np(threads[0]), ESRCH);
  EQUAL(pthread_suspend_np(threads[0]), ESRCH);
  /* taken off its queue, the next one runs in its place */
  threads[0] = spawn(5, letter, (void *)'b');
  threads[1] = spawn(4, letter, (void *)'c');
  EQUAL(pthread_continue_np(threads[0]), EALREADY);
  EQUAL(pthread_suspend_np(threads[0]), 0);
  EQUAL(pthread_suspend_np(threads[0]), ENOENT);
  EQUAL(pthread_join(threads[1], NULL), 0);
  /* a new priority counts when it goes on */
  EQUAL(pthread_setschedprio(threads[0], 12), 0);
  mark('3');
  EQUAL(pthread_continue_np(threads[0]), 0);
  settle();
  mark('4');
  EQUAL(pthread_join(threads[0], NULL), 0);
  /* who waits for something or runs cannot be suspended, nor be continued */
  threads[0] = spawn(11, wait_for_post, NULL);
  settle();
  EQUAL(pthread_suspend_np(threads[0]), ENOENT);
  EQUAL(pthread_continue_np(threads[0]), EINPROGRESS);
  EQUAL(pthread_setidle_np(threads[0]), EINPROGRESS);
  EQUAL(sem_post(&go), 0);
  EQUAL(pthread_join(threads[0], NULL), 0);
  EQUAL(pthread_suspend_np(pthread_self()), ENOENT);
  EQUAL(pthread_continue_np(pthread_self()), EINPROGRESS);
  EQUAL(pthread_suspend_np(CL_THREADS), ESRCH);
  EQUAL(pthread_continue_np(CL_THREADS), ESRCH);
  EQUAL(pthread_setidle_np(CL_THREADS), ESRCH);

  /* an idle thread runs when nobody else can, not even of priority 0 */
  threads[0] = spawn_suspended(20, idle, NULL);
  threads[1] = spawn_suspended(0, letter, (void *)'d');
  threads[2] = spawn(1, letter, (void *)'e');
  EQUAL(pthread_setidle_np(threads[2]), EALREADY);
  EQUAL(pthread_setidle_np(threads[0]), 0);
  EQUAL(pthread_setidle_np(threads[0]), EALREADY);
  EQUAL(pthread_setidle_np(threads[1]), EBUSY); /* the CPU has one */
  EQUAL(pthread_setschedprio(threads[0], 3), ENOTSUP);
  EQUAL(pthread_getschedparam(threads[0], &policy, &param), 0);
  EQUAL(param.sched_priority, 20);
  EQUAL(pthread_continue_np(threads[1]), 0);
  settle();
  mark('5');
  EQUAL(pthread_join(threads[2], NULL), 0);
  EQUAL(pthread_join(threads[1], NULL), 0);
  EQUAL(idled, 0);
  mark('6');
  return (void *)(uintptr_t)threads[0];
}

int main(void) {
  void *idle_thread;
  EQUAL(sem_init(&go, 0, 0), 0);
  EQUAL(sem_init(&seen, 0, 0), 0);
  EQUAL(pthread_join(spawn(10, body, NULL), &idle_thread), 0);
  puts(trail);
  EQUAL(sem_wait(&seen), 0); /* now CPU 0 has nothing to do */
  CHECK(idled >= 100);
  stop = 1;
  EQUAL(pthread_join((pthread_t)(uintptr_t)idle_thread, NULL), 0);
  return finish();
}
