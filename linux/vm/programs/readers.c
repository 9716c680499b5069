/* SPDX-License-Identifier: Apache-2.0
 *
 * readers: processes that RCU has to wait for now and then: each walks all threads of the machine, which is one RCU
 * read-side critical section of the kernel, and computes for nine times as long; until SIGTERM. */
#define _GNU_SOURCE
#include <sys/resource.h>
#include <sys/wait.h>

#include "program.h"

static const char how[] = "readers COUNT";

int main(int argc, char **argv) {
  if (getopt(argc, argv, "") != -1) usage(how);
  int count = (int)last_number(argv, 1, how);
  stop_on_signals();
  for (int i = 0; i < count; i++) {
    pid_t child = fork_bound();
    if (child < 0) return failed("readers", "no more processes");
    if (child > 0) continue;
    for (double shortest = 1;;) {
      double start = now(CLOCK_MONOTONIC), took;
      getpriority(PRIO_USER, 0);
      took = now(CLOCK_MONOTONIC) - start;
      if (took < shortest) shortest = took;
      for (start += took; now(CLOCK_MONOTONIC) < start + 9 * shortest;) spin(); /* without system calls */
    }
  }
  wait_for(0);
  printf("{\"program\": \"readers\", \"readers\": %d}\n", count);
  return 0;
}
