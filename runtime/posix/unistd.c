/* SPDX-License-Identifier: Apache-2.0
 *
 * The part of <unistd.h> that makes sense with one process, and the limits; files are in host.c. */
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "coreloom.h"
#include "posix.h"

#pragma weak uname /* a program without the header may have the name for its own */

/* Of semaphores, message queues and files. */
long pathconf(const char *path, int name) {
  (void)path;
  return name == _PC_NAME_MAX ? NAME_MAX : name == _PC_PATH_MAX ? PATH_MAX : cl_fail(EINVAL);
}

/* The one process. */
pid_t getpid(void) { return 1; }
pid_t getppid(void) { return 0; }
uid_t getuid(void) { return 0; }
uid_t geteuid(void) { return 0; }
gid_t getgid(void) { return 0; }
gid_t getegid(void) { return 0; }

#if defined(CL_KERNEL_HW)
#define KERNEL "hardware kernel"
#else
#define KERNEL "software kernel"
#endif

int uname(struct utsname *name) {
  *name = (struct utsname){"Coreloom", "coreloom", "1", KERNEL, "riscv32"};
  return 0;
}

/* A value; an option without value is 200809 or -1, and what has no limit is -1. errno changes for an unknown name only. */
long sysconf(int name) {
  extern char __heap_start[], __heap_end[];
  switch (name) {
    case _SC_NPROCESSORS_CONF:
    case _SC_NPROCESSORS_ONLN: return CL_CPUS;
    case _SC_PAGESIZE: return PAGESIZE;
    case _SC_PHYS_PAGES:
    case _SC_AVPHYS_PAGES: return (__heap_end - __heap_start) / PAGESIZE;
    case _SC_CLK_TCK: return CLOCKS_PER_SEC;
    case _SC_OPEN_MAX: return OPEN_MAX;
    case _SC_STREAM_MAX: return STREAM_MAX;
    case _SC_ARG_MAX: return ARG_MAX;
    case _SC_NGROUPS_MAX: return 0;
    case _SC_HOST_NAME_MAX: return HOST_NAME_MAX;
    case _SC_LOGIN_NAME_MAX: return LOGIN_NAME_MAX;
    case _SC_TTY_NAME_MAX: return _POSIX_TTY_NAME_MAX;
    case _SC_TZNAME_MAX: return _POSIX_TZNAME_MAX;
    case _SC_SYMLOOP_MAX: return _POSIX_SYMLOOP_MAX;
    case _SC_IOV_MAX: return IOV_MAX;
    case _SC_LINE_MAX: return LINE_MAX;
    case _SC_RE_DUP_MAX: return RE_DUP_MAX;

    case _SC_THREAD_THREADS_MAX: return PTHREAD_THREADS_MAX;
    case _SC_THREAD_KEYS_MAX: return PTHREAD_KEYS_MAX;
    case _SC_THREAD_STACK_MIN: return PTHREAD_STACK_MIN;
    case _SC_THREAD_DESTRUCTOR_ITERATIONS: return PTHREAD_DESTRUCTOR_ITERATIONS;
    case _SC_SEM_VALUE_MAX: return SEM_VALUE_MAX;
    case _SC_MQ_OPEN_MAX: return MQ_OPEN_MAX;
    case _SC_MQ_PRIO_MAX: return MQ_PRIO_MAX;
    case _SC_TIMER_MAX: return TIMER_MAX;
    case _SC_DELAYTIMER_MAX: return DELAYTIMER_MAX;
    case _SC_SIGQUEUE_MAX: return SIGQUEUE_MAX;
    case _SC_RTSIG_MAX: return RTSIG_MAX;

    case _SC_VERSION: return _POSIX_VERSION;
    case _SC_BARRIERS: return _POSIX_BARRIERS;
    case _SC_CLOCK_SELECTION: return _POSIX_CLOCK_SELECTION;
    case _SC_CPUTIME: return _POSIX_CPUTIME;
    case _SC_MESSAGE_PASSING: return _POSIX_MESSAGE_PASSING;
    case _SC_MONOTONIC_CLOCK: return _POSIX_MONOTONIC_CLOCK;
    case _SC_REALTIME_SIGNALS: return _POSIX_REALTIME_SIGNALS;
    case _SC_PRIORITY_SCHEDULING: return _POSIX_PRIORITY_SCHEDULING;
    case _SC_READER_WRITER_LOCKS: return _POSIX_READER_WRITER_LOCKS;
    case _SC_SEMAPHORES: return _POSIX_SEMAPHORES;
    case _SC_SPIN_LOCKS: return _POSIX_SPIN_LOCKS;
    case _SC_THREADS: return _POSIX_THREADS;
    case _SC_THREAD_ATTR_STACKADDR: return _POSIX_THREAD_ATTR_STACKADDR;
    case _SC_THREAD_ATTR_STACKSIZE: return _POSIX_THREAD_ATTR_STACKSIZE;
    case _SC_THREAD_CPUTIME: return _POSIX_THREAD_CPUTIME;
    case _SC_THREAD_PRIORITY_SCHEDULING: return _POSIX_THREAD_PRIORITY_SCHEDULING;
    case _SC_THREAD_PRIO_INHERIT: return _POSIX_THREAD_PRIO_INHERIT;
    case _SC_THREAD_PRIO_PROTECT: return _POSIX_THREAD_PRIO_PROTECT;
    case _SC_THREAD_ROBUST_PRIO_INHERIT: return _POSIX_THREAD_ROBUST_PRIO_INHERIT;
    case _SC_THREAD_ROBUST_PRIO_PROTECT: return _POSIX_THREAD_ROBUST_PRIO_PROTECT;
    case _SC_THREAD_SAFE_FUNCTIONS: return _POSIX_THREAD_SAFE_FUNCTIONS;
    case _SC_TIMEOUTS: return _POSIX_TIMEOUTS;
    case _SC_TIMERS: return _POSIX_TIMERS;
  }
  /* Every other name is an option that there is not, or has no limit. */
  if (name >= _SC_ARG_MAX && name <= _SC_LEVEL4_CACHE_LINESIZE) return -1;
  return cl_fail(EINVAL);
}
