/* SPDX-License-Identifier: Apache-2.0
 *
 * The CPU time that the only process or a thread has used. */
#include <errno.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/times.h>
#include <time.h>

#define WEAK __attribute__((weak))

WEAK int getrusage(int whose, struct rusage *usage) {
  struct timespec used = {0};
  if (whose != RUSAGE_SELF && whose != RUSAGE_THREAD && whose != RUSAGE_CHILDREN) {
    errno = EINVAL;
    return -1;
  }
  if (whose != RUSAGE_CHILDREN) {
    clock_gettime(whose == RUSAGE_SELF ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_THREAD_CPUTIME_ID, &used);
  }
  *usage = (struct rusage){.ru_utime = {used.tv_sec, used.tv_nsec / 1000}};
  return 0;
}

/* In units of sysconf(_SC_CLK_TCK), as clock(). */
WEAK clock_t times(struct tms *used) {
  struct timespec now;
  if (used) *used = (struct tms){.tms_utime = clock()};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (clock_t)now.tv_sec * CLOCKS_PER_SEC + (clock_t)(now.tv_nsec / (1000000000 / CLOCKS_PER_SEC));
}
