/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "proof.h"

typedef unsigned long long count;

double cl_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* The number of a line "cpu3 ..."; the text moves behind it. -1: not such a line. */
static int cpu_line(char **text) {
  if (strncmp(*text, "cpu", 3) != 0 || !isdigit((unsigned char)(*text)[3])) return -1;
  long cpu = strtol(*text + 3, text, 10);
  return cpu < CL_CPUS_MOST ? (int)cpu : -1;
}

/* Numbers up to the end of the line; how many there were, at most `most`. */
static size_t numbers(char *text, count *value, size_t most) {
  size_t got = 0;
  while (got < most) {
    char *end;
    value[got] = strtoull(text, &end, 10);
    if (end == text) break;
    text = end;
    got++;
  }
  return got;
}

/* A line is "cpuN" and nine numbers since version 14 (2.6.23); the last three are kept even where the sysctl
 * kernel.sched_schedstats is off: time of tasks that ran here, counted when one leaves; time that tasks waited here,
 * counted when one gets the CPU; how often one got it. */
static void parse_schedstat(char *text, struct cl_times *times, bool *waits) {
  char *save = NULL;
  if (strncmp(text, "version ", 8) != 0 || atoi(text + 8) < 14) return;
  for (char *line = strtok_r(text, "\n", &save); line != NULL; line = strtok_r(NULL, "\n", &save)) {
    count value[10];
    int cpu = cpu_line(&line);
    if (cpu < 0 || numbers(line, value, 10) != 9) continue;
    times[cpu].ran_ns = value[6];
    times[cpu].wait_ns = value[7];
    times[cpu].switches = value[8];
    if (value[6] || value[7]) *waits = true;
  }
}

/* cpuN user nice system idle iowait irq softirq ...: all but idle, iowait and steal. */
static int parse_stat(char *text, struct cl_times *times) {
  char *save = NULL;
  count tick_ns = 1000000000ull / (count)sysconf(_SC_CLK_TCK);
  bool any = false;
  for (char *line = strtok_r(text, "\n", &save); line != NULL; line = strtok_r(NULL, "\n", &save)) {
    count value[7];
    int cpu = cpu_line(&line);
    if (cpu < 0 || numbers(line, value, 7) != 7) continue;
    times[cpu].busy_ns = (value[0] + value[1] + value[2] + value[5] + value[6]) * tick_ns;
    any = true;
  }
  return any ? 0 : EINVAL;
}

int cl_times_read(struct cl_times times[CL_CPUS_MOST], bool *waits) {
  char *text;
  memset(times, 0, CL_CPUS_MOST * sizeof *times);
  *waits = false;
  if (!cl_read_all("/proc/schedstat", &text)) {
    parse_schedstat(text, times, waits);
    free(text);
  }
  int error = cl_read_all("/proc/stat", &text);
  if (error) return error;
  error = parse_stat(text, times);
  free(text);
  return error;
}
