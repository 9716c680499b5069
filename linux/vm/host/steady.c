/* SPDX-License-Identifier: Apache-2.0
 *
 * Preloaded into QEMU in deterministic mode. QEMU resizes the guest's TLBs by the host's time of day: by how much of
 * each was used in the last 100 ms. The guest can observe how long an entry stays there (a page table changed without a
 * flush), so a busy host gave a different run. Nothing else in QEMU that a guest can observe reads this clock: here it
 * advances by one step per query, separately for each thread. */
#include <sys/time.h>

enum { STEP_US = 1000, SECOND_US = 1000000 };

static _Thread_local __attribute__((tls_model("initial-exec"))) long asked;

int gettimeofday(struct timeval *restrict at, void *restrict zone) {
  (void)zone;
  long us = ++asked * STEP_US;
  at->tv_sec = us / SECOND_US;
  at->tv_usec = us % SECOND_US;
  return 0;
}
