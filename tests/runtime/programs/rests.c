/* SPDX-License-Identifier: Apache-2.0
 *
 * Rests, in which only the time passes, TIMES as long: sleeps, time limits of waits, a timer, and LINES edges of line 0. Each one ends
 * with what the counters say then; between them threads of one priority take turns. */
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "cl_mmio.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static sem_t empty, ticks;

static unsigned long cycles_of_core(void) {
  unsigned long cycles;
#ifdef CL_CORE_ECONOMY
  __asm__ volatile("rdcycle %0" : "=r"(cycles));
#else
  __asm__ volatile("csrr %0, mcycle" : "=r"(cycles));
#endif
  return cycles;
}

static void tell(const char *what) {
  struct timespec time;
  EQUAL(clock_gettime(CLOCK_MONOTONIC, &time), 0);
  printf("%s %lu %lu %lu %lu.%09ld\n", what, (unsigned long)cl_cycle(), cycles_of_core(),
         (unsigned long)cl_local_read(CL_BUS_COUNT), (unsigned long)time.tv_sec, time.tv_nsec);
}

static void *sleeps(void *name) {
  static const unsigned cycles[] = {700, 25010, 133330, 120, 240000};
  for (unsigned i = 0; i < sizeof cycles / sizeof cycles[0]; i++) {
    EQUAL(usleep(TIMES * cycles[i] / 10), 0);
    tell(name);
    waste(15000);
  }
  return NULL;
}

static void *waits(void *name) {
  for (uint32_t cycles = 10000; cycles < TIMES * 200000; cycles *= 4) {
    EQUAL(sem_timedwait_np(&empty, cycles), -1);
    tell(name);
    EQUAL(pthread_mutex_lock(&mutex), 0);
    EQUAL(pthread_cond_timedwait_np(&never, &mutex, 2 * cycles), ETIMEDOUT);
    EQUAL(pthread_mutex_unlock(&mutex), 0);
    tell(name);
  }
  return NULL;
}

static void tick(union sigval with) {
  tell(with.sival_ptr);
  EQUAL(sem_post(&ticks), 0);
}

static void times(void) {
  timer_t timer;
  struct sigevent event = {
      .sigev_notify = SIGEV_THREAD, .sigev_notify_function = tick, .sigev_value.sival_ptr = "tick"};
  struct itimerspec value = {.it_value.tv_nsec = 30000000, .it_interval.tv_nsec = 25000000};
  EQUAL(timer_create(CLOCK_MONOTONIC, &event, &timer), 0);
  EQUAL(timer_settime(timer, 0, &value, NULL), 0);
  for (int i = 0; i < 3; i++) EQUAL(sem_wait(&ticks), 0);
  EQUAL(timer_delete(timer), 0);
}

static void *edges(void *name) {
  EQUAL(interrupt_bind_thread_np(0), 0);
  for (int i = 0; i < LINES; i++) {
    EQUAL(interrupt_wait_np(0), 0);
    tell(name);
  }
  return NULL;
}

int main(void) {
  pthread_t threads[4];
  EQUAL(sem_init(&empty, 0, 0), 0);
  EQUAL(sem_init(&ticks, 0, 0), 0);
  cl_ready();
  threads[0] = spawn(20, edges, "edge");
  threads[1] = spawn(10, sleeps, "one");
  threads[2] = spawn(10, sleeps, "two");
  EQUAL(pthread_create(&threads[3], NULL, waits, "wait"), 0);
  times();
  for (int i = 0; i < 4; i++) EQUAL(pthread_join(threads[i], NULL), 0);
  tell("end");
  return finish();
}
