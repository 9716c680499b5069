/* SPDX-License-Identifier: Apache-2.0
 *
 * threads: a machine with many threads. COUNT sleeping threads, spread over PROCESSES; -i: each wakes every
 * INTERVAL_MS. Prints its line once all are running, and stays until SIGTERM. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/wait.h>

#include "program.h"

static const char how[] = "threads [-p PROCESSES] [-i INTERVAL_MS] COUNT";
static double interval;

static void *sleeper(void *unused) {
  (void)unused;
  for (;;) {
    if (interval > 0) rest(interval);
    else pause();
  }
  return NULL;
}

/* That many threads, this one too; true if all are there. */
static bool fill(int count) {
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 16384);
  for (int i = 1; i < count; i++) {
    pthread_t thread;
    if (pthread_create(&thread, &small, sleeper, NULL)) return false;
  }
  return true;
}

int main(int argc, char **argv) {
  int processes = 1;
  for (int option; (option = getopt(argc, argv, "p:i:")) != -1;) {
    if (option == 'p') processes = (int)number(optarg, 1, how);
    else if (option == 'i') interval = number(optarg, 0, how) / 1e3;
    else usage(how);
  }
  int count = (int)last_number(argv, 1, how), ready[2];
  if (processes > count) usage(how);
  pid_t *child = calloc((size_t)processes, sizeof *child);
  if (child == NULL || pipe(ready)) return failed("threads", "cannot begin");
  for (int i = 1; i < processes; i++) {
    child[i] = fork_bound();
    if (child[i] == 0) {
      char answer = fill(count / processes + (i < count % processes)) ? '+' : '-';
      if (write(ready[1], &answer, 1) != 1) return 1;
      for (;;) pause();
    }
  }
  stop_on_signals();
  bool all = fill(count / processes + (count % processes > 0));
  for (int i = 1; i < processes; i++) {
    char answer = '-';
    all = child[i] > 0 && read(ready[0], &answer, 1) == 1 && answer == '+' && all;
  }
  if (all) {
    printf("{\"program\": \"threads\", \"threads\": %d, \"processes\": %d}\n", count, processes);
    fflush(stdout);
    while (!stopped) rest(interval > 0 ? interval : 1); /* the first is one of them */
  } else fprintf(stderr, "threads: not all of %d can be started\n", count);
  for (int i = 1; i < processes; i++)
    if (child[i] > 0) {
      kill(child[i], SIGKILL);
      waitpid(child[i], NULL, 0);
    }
  return all ? 0 : 1;
}
