/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "urgent.h"

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Not by the C library, which has another idea of whose policy it is. */
static int set(int policy, int priority) {
  struct sched_param param = {.sched_priority = priority};
  return (int)syscall(SYS_sched_setscheduler, 0, policy, &param); /* the nice value stays */
}

void cl_urgent(bool on) {
  static int before = -1; /* the policy; -1: not raised */
  if (!on) {
    if (before >= 0) set(before, 0);
    before = -1;
    return;
  }
  int policy = (int)syscall(SYS_sched_getscheduler, 0), kind = policy & ~SCHED_RESET_ON_FORK;
  if (policy < 0 || (kind != SCHED_OTHER && kind != SCHED_BATCH && kind != SCHED_IDLE)) return;
  if (set(SCHED_RR | SCHED_RESET_ON_FORK, 1) == 0) before = policy;
}
