/* SPDX-License-Identifier: Apache-2.0
 *
 * probe: sleeps until a moment every INTERVAL and measures how late it runs; -w: also computes each time, as a player
 * or a controller does, and measures when that is done; -s: when it begins. */
#define _GNU_SOURCE
#include <sys/prctl.h>

#include "program.h"

static const char how[] = "probe [-s] [-n COUNT] [-i INTERVAL_US] [-w WORK_US]";

int main(int argc, char **argv) {
  bool start = false;
  int count = 1000;
  double interval = 1e-3, work = 0;
  for (int option; (option = getopt(argc, argv, "sn:i:w:")) != -1;) {
    if (option == 's') start = true;
    else if (option == 'n') count = (int)number(optarg, 1, how);
    else if (option == 'i') interval = number(optarg, 1, how) / 1e6;
    else if (option == 'w') work = number(optarg, 0, how) / 1e6;
    else usage(how);
  }
  if (argv[optind] != NULL) usage(how);
  double *late = calloc((size_t)count, sizeof *late);
  if (late == NULL) return failed("probe", "no memory");
  prctl(PR_SET_TIMERSLACK, 1UL); /* else 50 us for all but real-time tasks, which is no delay of the scheduler's */
  stop_on_signals();
  int done = 0;
  double due = now(CLOCK_MONOTONIC);
  for (; done < count && !stopped; done++) {
    due += interval;
    struct timespec wake = moment(due);
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &wake, NULL) == EINTR && !stopped) {}
    double woke = now(CLOCK_MONOTONIC);
    if (work > 0) compute(work);
    double ran = now(CLOCK_MONOTONIC);
    late[done] = (start ? woke - due : ran - due - work) * 1e6;
    if (ran > due + interval) due = ran; /* one delay counts once, not for every moment that it has covered */
  }
  if (done == 0) {
    fputs("probe: stopped before its first moment\n", stderr);
    return 1;
  }
  sort(late, done);
  printf("{\"program\": \"probe\", \"count\": %d, \"p50_us\": %.3f, \"p99_us\": %.3f, \"max_us\": %.3f}\n", done,
         at_part(late, done, 0.5), at_part(late, done, 0.99), late[done - 1]);
  return 0;
}
