/* SPDX-License-Identifier: Apache-2.0
 *
 * hog: CPU-bound threads (-p: processes), until the time is over or SIGTERM; then prints how much CPU time each got. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "program.h"

static const char how[] = "hog [-p] [-t SECONDS] COUNT";
static double *got;

static void *work(void *at) {
  while (!stopped) spin();
  *(double *)at = now(CLOCK_THREAD_CPUTIME_ID);
  return NULL;
}

int main(int argc, char **argv) {
  bool processes = false;
  double seconds = 0;
  for (int option; (option = getopt(argc, argv, "pt:")) != -1;) {
    if (option == 'p') processes = true;
    else if (option == 't') seconds = number(optarg, 0, how);
    else usage(how);
  }
  int count = (int)last_number(argv, 1, how);
  /* shared with the children */
  got = mmap(NULL, (size_t)count * sizeof *got, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  pthread_t *thread = calloc((size_t)count, sizeof *thread);
  pid_t *child = calloc((size_t)count, sizeof *child);
  if (got == MAP_FAILED || thread == NULL || child == NULL) return failed("hog", "no memory");
  stop_on_signals();
  for (int i = 0; i < count; i++) {
    if (processes) child[i] = fork_bound();
    else if ((errno = pthread_create(&thread[i], NULL, work, &got[i]))) child[i] = -1;
    if (processes && child[i] == 0) {
      work(&got[i]);
      return 0;
    }
    if (child[i] < 0) {
      for (int n = 0; processes && n < i; n++) kill(child[n], SIGKILL);
      return failed("hog", "cannot start all");
    }
  }
  wait_for(seconds);
  stopped = 1;
  for (int i = 0; i < count; i++) {
    if (processes) {
      kill(child[i], SIGTERM);
      waitpid(child[i], NULL, 0);
    } else pthread_join(thread[i], NULL);
  }
  printf("{\"program\": \"hog\", \"cpu_s\": [");
  for (int i = 0; i < count; i++) printf("%s%.6f", i ? ", " : "", got[i]);
  puts("]}");
  return 0;
}
