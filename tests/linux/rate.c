/* SPDX-License-Identifier: Apache-2.0
 *
 * Instructions per nanosecond of CPU time that a loop gets. */
#define _GNU_SOURCE
#include <stdio.h>
#include <time.h>

enum { ROUNDS = 10000000, PER_ROUND = 2 };

static double cpu_ns(void) {
  struct timespec at;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &at);
  return (double)at.tv_sec * 1e9 + (double)at.tv_nsec;
}

int main(void) {
  long rounds = ROUNDS;
  double begun = cpu_ns();
  __asm__ volatile("1: sub $1, %0; jnz 1b" : "+r"(rounds) : : "cc");
  printf("%.4f\n", (double)(PER_ROUND * ROUNDS) / (cpu_ns() - begun));
  return 0;
}
