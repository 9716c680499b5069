/* SPDX-License-Identifier: Apache-2.0
 *
 * Equals of SCHED_FIFO do not take turns, those of SCHED_RR do; where a thread goes when its priority changes; the
 * process. */
#include <string.h>

#include "check.h"

static char said[32];
static volatile unsigned spoken;

static void say(char c) { said[spoken++] = c; }

/* Three times longer than a slice. */
static void *works(void *argument) {
  char name = *(const char *)argument;
  for (int i = 0; i < 3; i++) {
    say(name);
    waste(CL_TICK_CYCLES * 11);
  }
  return NULL;
}

/* Equals, started by a more urgent thread, on one CPU. */
static void two(int policy, const char *order) {
  pthread_t threads[2];
  pthread_attr_t attr;
  attributes(&attr, 5, 0);
  EQUAL(pthread_attr_setschedpolicy(&attr, policy), 0);
  spoken = 0;
  for (int i = 0; i < 2; i++) EQUAL(pthread_create(&threads[i], &attr, works, &"ab"[i]), 0);
  for (int i = 0; i < 2; i++) EQUAL(pthread_join(threads[i], NULL), 0);
  said[spoken] = '\0';
  EQUAL(strcmp(said, order), 0);
}

static void *says(void *argument) {
  say(*(const char *)argument);
  return NULL;
}

/* Its own priority: what is better, or was there before, comes first. */
static void *changes(void *unused) {
  (void)unused;
  spoken = 0;
  pthread_t a = spawn(6, says, "a"), b = spawn(5, says, "b");
  EQUAL(pthread_setschedprio(pthread_self(), 6), 0); /* from 7: at the head */
  say('1');
  EQUAL(pthread_setschedparam(pthread_self(), SCHED_RR, &(struct sched_param){6}), 0); /* at the tail */
  say('2');
  EQUAL(pthread_setschedprio(pthread_self(), 4), 0);
  say('3');
  EQUAL(pthread_join(a, NULL), 0);
  EQUAL(pthread_join(b, NULL), 0);
  said[spoken] = '\0';
  EQUAL(strcmp(said, "1a2b3"), 0);
  return NULL;
}

static void process(void) {
  struct sched_param param = {0};
  struct timespec slice;
  EQUAL(sched_get_priority_max(SCHED_FIFO) - sched_get_priority_min(SCHED_FIFO), CL_PRIORITIES - 1);
  EQUAL(sched_get_priority_min(77), -1);
  EQUAL(errno, EINVAL);
  EQUAL(sched_get_priority_max(SCHED_SPORADIC), -1);
  EQUAL(sched_setscheduler(0, SCHED_RR, &(struct sched_param){9}), SCHED_OTHER);
  EQUAL(sched_getscheduler(0), SCHED_RR);
  EQUAL(sched_getparam(0, &param), 0);
  EQUAL(param.sched_priority, 9);
  EQUAL(sched_setparam(0, &(struct sched_param){CL_PRIORITIES}), -1);
  EQUAL(errno, EINVAL);
  EQUAL(sched_setparam(0, &(struct sched_param){10}), 0);
  EQUAL(sched_setscheduler(99, SCHED_RR, &param), -1);
  EQUAL(errno, ESRCH);
  EQUAL(sched_setscheduler(0, 99, &param), -1);
  EQUAL(errno, EINVAL);
  EQUAL(sched_getparam(0, NULL), -1);
  EQUAL(errno, EINVAL);
  EQUAL(sched_rr_get_interval(0, &slice), 0);
  EQUAL(slice.tv_sec, 0);
  EQUAL(slice.tv_nsec, 10ull * CL_TICK_CYCLES * 1000000000 / CL_CLOCK_HZ);
  EQUAL(sched_getscheduler(99), -1);
  EQUAL(pthread_setschedparam(99, SCHED_RR, &param), ESRCH);
  EQUAL(pthread_setschedparam(pthread_self(), SCHED_SPORADIC, &param), ENOTSUP);
  EQUAL(pthread_setschedparam(pthread_self(), 9, &param), EINVAL);
  EQUAL(pthread_setconcurrency(-1), EINVAL);
  EQUAL(pthread_setconcurrency(4), 0);
  EQUAL(pthread_getconcurrency(), 4);
}

int main(void) {
  EQUAL(pthread_setschedprio(pthread_self(), 10), 0);
  two(SCHED_OTHER, "ababab");
  two(SCHED_FIFO, "aaabbb");
  process(); /* main asks for SCHED_RR */
  two(SCHED_RR, "ababab");
  EQUAL(pthread_join(spawn(7, changes, NULL), NULL), 0);
  return finish();
}
