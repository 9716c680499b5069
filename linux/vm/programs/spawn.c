/* SPDX-License-Identifier: Apache-2.0
 *
 * spawn: new tasks. Keeps COUNT short processes alive, each computing for WORK_MS, until the time is over or SIGTERM. */
#define _GNU_SOURCE
#include <sys/wait.h>

#include "program.h"

static const char how[] = "spawn [-w WORK_MS] [-t SECONDS] COUNT";

int main(int argc, char **argv) {
  double work = 1e-3, seconds = 0;
  for (int option; (option = getopt(argc, argv, "w:t:")) != -1;) {
    if (option == 'w') work = number(optarg, 0, how) / 1e3;
    else if (option == 't') seconds = number(optarg, 0, how);
    else usage(how);
  }
  int most = (int)last_number(argv, 1, how), alive = 0;
  unsigned long long spawned = 0, refused = 0;
  double end = now(CLOCK_MONOTONIC) + seconds;
  stop_on_signals();
  while (!stopped && (seconds <= 0 || now(CLOCK_MONOTONIC) < end)) {
    pid_t child = fork();
    if (child == 0) {
      compute(work);
      _exit(0);
    }
    if (child > 0) {
      spawned++;
      alive++;
    } else refused++;
    while (alive > 0 && waitpid(-1, NULL, alive < most && child > 0 ? WNOHANG : 0) > 0) alive--;
  }
  while (alive > 0 && (wait(NULL) > 0 || errno == EINTR)) alive--;
  printf("{\"program\": \"spawn\", \"spawned\": %llu, \"refused\": %llu}\n", spawned, refused);
  return 0;
}
