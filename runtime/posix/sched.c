/* SPDX-License-Identifier: Apache-2.0
 *
 * Policies and priorities of threads, and of the one process, which stands for its calling thread. */
#include <errno.h>
#include <pthread.h>

#include "cancel.h"

uint8_t cl_policies[CL_THREADS];

int cl_posix_policy(int policy) {
  if (policy == SCHED_SPORADIC) return ENOTSUP;
  return policy == SCHED_FIFO || policy == SCHED_RR || policy == SCHED_OTHER ? 0 : EINVAL;
}

/* A thread of SCHED_FIFO has no slices. The kernels' slices are all threads': a program that has asked for SCHED_FIFO,
 * and never for SCHED_RR, runs without. */
CL_COLD void cl_posix_ask(int policy) {
  static volatile int fifo, rr;
  fifo |= policy == SCHED_FIFO;
  rr |= policy == SCHED_RR;
  cl_op_slice(fifo && !rr ? 0 : CL_SLICE_TICKS);
}

static int priority_of(pthread_t thread, int *priority) {
  if (thread >= CL_THREADS) return ESRCH;
  uint32_t word = cl_op_thread_read(thread), now = cl_priority_in(word);
  *priority = (int)(cl_mutex_protocols ? cl_mutex_own_priority(thread, now) : now);
  return cl_status(word);
}

static int set_priority(pthread_t thread, int priority) {
  if (thread >= CL_THREADS) return ESRCH;
  if (priority < 0) return EINVAL;
  if (cl_mutex_protocols) return cl_posix_status(cl_mutex_set_priority(thread, (uint32_t)priority));
  return cl_posix_status(cl_status(cl_op_set_sched_param(thread, (uint32_t)priority)));
}

/* One that does not change leaves the thread its place. */
int pthread_setschedprio(pthread_t thread, int priority) {
  int old;
  int status = priority_of(thread, &old);
  if (status) return status;
  return old == priority ? cl_posix_status(cl_status(cl_op_check_sched_param(thread, (uint32_t)priority)))
                         : set_priority(thread, priority);
}

int pthread_setschedparam(pthread_t thread, int policy, const struct sched_param *param) {
  int status = cl_posix_policy(policy);
  if (status) return status;
  status = set_priority(thread, param->sched_priority);
  if (status) return status;
  if (cl_policies[thread] != policy) cl_posix_ask(policy);
  cl_policies[thread] = (uint8_t)policy;
  if (thread == pthread_self()) sched_yield(); /* behind the others of its priority */
  return 0;
}

int pthread_getschedparam(pthread_t thread, int *policy, struct sched_param *param) {
  int status = priority_of(thread, &param->sched_priority);
  if (!status) *policy = cl_policies[thread];
  return status;
}

/* A thread is the kernel's, and there are as many as there are. */
static int concurrency;

int pthread_setconcurrency(int level) {
  if (level < 0) return EINVAL;
  concurrency = level;
  return 0;
}

int pthread_getconcurrency(void) { return concurrency; }

/* --- the process -------------------------------------------------------------------------------- */

CL_COLD static int fail(int status) {
  errno = status;
  return -1;
}

static inline int result(int status) { return status ? fail(status) : 0; }
static inline int bad(pid_t process) { return process && process != CL_PROCESS; }

__attribute__((always_inline)) int sched_yield(void) {
  cl_trace_call();
  cl_op_yield();
  cl_signals_test();
  return 0;
}

int sched_get_priority_min(int policy) { return result(cl_posix_policy(policy) ? EINVAL : 0); }

int sched_get_priority_max(int policy) { return cl_posix_policy(policy) ? fail(EINVAL) : CL_PRIORITIES - 1; }

int sched_setscheduler(pid_t process, int policy, const struct sched_param *param) {
  if (bad(process)) return fail(ESRCH);
  if (!param) return fail(EINVAL);
  int old = cl_policies[pthread_self()];
  int status = pthread_setschedparam(pthread_self(), policy, param);
  return status ? fail(status == ENOTSUP ? EINVAL : status) : old;
}

int sched_getscheduler(pid_t process) { return bad(process) ? fail(ESRCH) : cl_policies[pthread_self()]; }

int sched_setparam(pid_t process, const struct sched_param *param) {
  if (bad(process)) return fail(ESRCH);
  if (!param) return fail(EINVAL);
  return result(pthread_setschedparam(pthread_self(), cl_policies[pthread_self()], param));
}

int sched_getparam(pid_t process, struct sched_param *param) {
  if (bad(process)) return fail(ESRCH);
  return result(param ? priority_of(pthread_self(), &param->sched_priority) : EINVAL);
}

int sched_rr_get_interval(pid_t process, struct timespec *interval) {
  if (bad(process)) return fail(ESRCH);
  if (!interval) return fail(EINVAL);
  uint64_t cycles = (uint64_t)CL_SLICE_TICKS * CL_TICK_CYCLES;
  interval->tv_sec = (time_t)(cycles / CL_CLOCK_HZ);
  interval->tv_nsec = (long)(cycles % CL_CLOCK_HZ * 1000000000 / CL_CLOCK_HZ);
  return 0;
}
