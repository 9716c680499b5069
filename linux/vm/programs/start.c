/* SPDX-License-Identifier: Apache-2.0
 *
 * start: runs a command as taskset -c CPU, nice -n NICE and chrt -f PRIORITY do; busybox lacks some of these. */
#define _GNU_SOURCE
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "program.h"

static const char how[] = "start [-c CPU]... [-n NICE] [-f PRIORITY] COMMAND...";

int main(int argc, char **argv) {
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  for (int option; (option = getopt(argc, argv, "+c:n:f:")) != -1;) {
    if (option == '?') usage(how);
    int value = (int)number(optarg, -20, how), error = 0;
    if (option == 'c') {
      if (value >= 0 && value < CPU_SETSIZE) CPU_SET(value, &cpus);
      error = sched_setaffinity(0, sizeof cpus, &cpus);
    } else if (option == 'n') error = setpriority(PRIO_PROCESS, 0, value);
    else /* not by the C library, whose scheduler calls do nothing as they cannot speak for all threads */
      error = (int)syscall(SYS_sched_setscheduler, 0, SCHED_FIFO, &(struct sched_param){.sched_priority = value});
    if (error) return failed("start", optarg);
  }
  if (argv[optind] == NULL) usage(how);
  execvp(argv[optind], argv + optind);
  failed("start", argv[optind]);
  return 127;
}
