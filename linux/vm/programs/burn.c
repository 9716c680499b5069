/* SPDX-License-Identifier: Apache-2.0
 *
 * burn: a job of SECONDS of CPU time, however long that takes; -j: split between THREADS threads. Its work is CPU time,
 * so it is the same under any load and on any machine. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/resource.h>

#include "program.h"

static const char how[] = "burn [-j THREADS] SECONDS";

static void *work(void *seconds) {
  compute(*(double *)seconds);
  return NULL;
}

int main(int argc, char **argv) {
  int count = 1;
  for (int option; (option = getopt(argc, argv, "j:")) != -1;) {
    if (option == 'j') count = (int)number(optarg, 1, how);
    else usage(how);
  }
  double share = last_number(argv, 0, how) / count, began = now(CLOCK_MONOTONIC);
  pthread_t *thread = calloc((size_t)count, sizeof *thread);
  if (thread == NULL) return failed("burn", "no memory");
  stop_on_signals();
  for (int i = 1; i < count; i++)
    if ((errno = pthread_create(&thread[i], NULL, work, &share))) return failed("burn", "cannot start all threads");
  work(&share);
  for (int i = 1; i < count; i++) pthread_join(thread[i], NULL);
  struct rusage used;
  getrusage(RUSAGE_SELF, &used);
  printf("{\"program\": \"burn\", \"wall_s\": %.6f, \"cpu_s\": %.6f, \"voluntary\": %ld, \"involuntary\": %ld}\n",
         now(CLOCK_MONOTONIC) - began, now(CLOCK_PROCESS_CPUTIME_ID), used.ru_nvcsw, used.ru_nivcsw);
  return stopped ? 1 : 0;
}
