/* SPDX-License-Identifier: Apache-2.0
 *
 * wake: messengers that each wake WORKERS workers, which compute and answer; how late each worker ran, and how many
 * requests were answered. */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <sys/prctl.h>

#include "program.h"

static const char how[] = "wake [-m MESSENGERS] [-p PAUSE_US] [-w WORK_US] [-t SECONDS] WORKERS";

enum { MOST = 1 << 20 }; /* delays that are noted */

struct messenger;

struct worker {
  struct messenger *of;
  sem_t wanted;
  double posted; /* when it was woken; 0: the end */
};

struct messenger {
  struct worker *workers;
  sem_t answered;
  long requests;
};

static double pause_s = 1e-3, work_s = 1e-3, end_s = 10;
static int workers;
static double *late; /* of all, us */
static _Atomic int noted;

static void wait_on(sem_t *semaphore) {
  while (sem_wait(semaphore) != 0) {}
}

static void *work(void *at) {
  struct worker *self = at;
  for (;;) {
    wait_on(&self->wanted);
    double ran = now(CLOCK_MONOTONIC);
    if (self->posted <= 0) return NULL;
    int place = noted++;
    if (place < MOST) late[place] = (ran - self->posted) * 1e6;
    compute(work_s);
    sem_post(&self->of->answered);
  }
}

static void *send(void *at) {
  struct messenger *self = at;
  double end = now(CLOCK_MONOTONIC) + end_s;
  prctl(PR_SET_TIMERSLACK, 1UL);
  while (!stopped && now(CLOCK_MONOTONIC) < end) {
    for (int i = 0; i < workers; i++) {
      self->workers[i].posted = now(CLOCK_MONOTONIC);
      sem_post(&self->workers[i].wanted);
    }
    for (int i = 0; i < workers; i++) wait_on(&self->answered);
    self->requests += workers;
    rest(pause_s);
  }
  for (int i = 0; i < workers; i++) {
    self->workers[i].posted = 0;
    sem_post(&self->workers[i].wanted);
  }
  return NULL;
}

int main(int argc, char **argv) {
  int messengers = 1;
  for (int option; (option = getopt(argc, argv, "m:p:w:t:")) != -1;) {
    if (option == 'm') messengers = (int)number(optarg, 1, how);
    else if (option == 'p') pause_s = number(optarg, 0, how) / 1e6;
    else if (option == 'w') work_s = number(optarg, 0, how) / 1e6;
    else if (option == 't') end_s = number(optarg, 0, how);
    else usage(how);
  }
  workers = (int)last_number(argv, 1, how);
  int all = messengers * (workers + 1);
  struct messenger *messenger = calloc((size_t)messengers, sizeof *messenger);
  struct worker *worker = calloc((size_t)(messengers * workers), sizeof *worker);
  pthread_t *thread = calloc((size_t)all, sizeof *thread);
  late = calloc(MOST, sizeof *late);
  if (messenger == NULL || worker == NULL || thread == NULL || late == NULL) return failed("wake", "no memory");
  stop_on_signals();
  for (int m = 0; m < messengers; m++) {
    struct messenger *self = &messenger[m];
    self->workers = worker + m * workers;
    sem_init(&self->answered, 0, 0);
    for (int i = 0; i <= workers; i++) {
      struct worker *one = i < workers ? &self->workers[i] : NULL; /* the messenger last */
      if (one != NULL) {
        one->of = self;
        sem_init(&one->wanted, 0, 0);
      }
      pthread_t *at = &thread[m * (workers + 1) + i];
      if ((errno = pthread_create(at, NULL, one ? work : send, one ? (void *)one : (void *)self)))
        return failed("wake", "cannot start all threads");
    }
  }
  for (int i = 0; i < all; i++) pthread_join(thread[i], NULL);
  long requests = 0;
  for (int m = 0; m < messengers; m++) requests += messenger[m].requests;
  int count = noted < MOST ? noted : MOST;
  if (count == 0) {
    fputs("wake: stopped before the first request\n", stderr);
    return 1;
  }
  sort(late, count);
  printf("{\"program\": \"wake\", \"requests\": %ld, \"p50_us\": %.3f, \"p99_us\": %.3f, \"max_us\": %.3f}\n", requests,
         at_part(late, count, 0.5), at_part(late, count, 0.99), late[count - 1]);
  return 0;
}
