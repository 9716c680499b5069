/* SPDX-License-Identifier: Apache-2.0
 *
 * Shared by the programs for the guest: clocks, work, arguments. Each program prints one line of JSON. */
#ifndef CL_PROGRAM_H
#define CL_PROGRAM_H

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t stopped;

static inline double now(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Work of a few microseconds that no compiler takes out and that makes no system call. */
static inline void spin(void) {
  for (volatile int i = 0; i < 1000; i++) {}
}

/* Computes until the thread has had that much of a CPU. */
static inline void compute(double seconds) {
  double end = now(CLOCK_THREAD_CPUTIME_ID) + seconds;
  while (!stopped && now(CLOCK_THREAD_CPUTIME_ID) < end) spin();
}

static inline void stop(int sig) {
  (void)sig;
  stopped = 1;
}

/* SIGTERM and SIGINT end the work, not the program. */
static inline void stop_on_signals(void) {
  struct sigaction action = {.sa_handler = stop}; /* without SA_RESTART: sleeping ends, too */
  sigaction(SIGTERM, &action, NULL);
  sigaction(SIGINT, &action, NULL);
}

/* A child that does not outlive its parent, however that ends: even if the parent ended before the child asked for
 * this. */
static inline pid_t fork_bound(void) {
  pid_t parent = getpid(), child = fork();
  if (child == 0 && (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent)) _exit(1);
  return child;
}

static inline struct timespec moment(double seconds) {
  return (struct timespec){(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
}

static inline void rest(double seconds) {
  struct timespec time = moment(seconds);
  nanosleep(&time, NULL);
}

/* Sleeps so long, or until a signal; 0: until a signal. */
static inline void wait_for(double seconds) {
  double end = now(CLOCK_MONOTONIC) + seconds;
  for (double left = seconds; !stopped && (seconds <= 0 || left > 0); left = end - now(CLOCK_MONOTONIC)) {
    rest(seconds <= 0 || left > 1 ? 1 : left); /* a signal between the test and the sleep costs a second */
  }
}

static inline void usage(const char *text) {
  fprintf(stderr, "usage: %s\n", text);
  exit(2);
}

/* A number of an argument, from `least` on; ends the program where it is none. */
static inline double number(const char *text, double least, const char *how) {
  char *end = NULL;
  double value = text ? strtod(text, &end) : 0;
  if (text == NULL || end == text || *end != '\0' || !(value >= least && value <= 1e9)) usage(how);
  return value;
}

/* The one argument behind the options. */
static inline double last_number(char **argv, double least, const char *how) {
  double value = number(argv[optind], least, how);
  if (argv[optind + 1] != NULL) usage(how);
  return value;
}

static inline int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static inline void sort(double *values, int count) { qsort(values, (size_t)count, sizeof *values, by_value); }

/* The value that `part` of all are not above. */
static inline double at_part(const double *sorted, int count, double part) {
  int n = (int)(part * count + 0.999999) - 1;
  return sorted[n < 0 ? 0 : n];
}

static inline int failed(const char *program, const char *what) {
  fprintf(stderr, "%s: %s: %s\n", program, what, strerror(errno));
  return 1;
}

#endif
