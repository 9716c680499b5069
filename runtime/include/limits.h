/* SPDX-License-Identifier: Apache-2.0
 *
 * The limits of C and of picolibc, and what POSIX adds. */
#include_next <limits.h>

#ifndef CORELOOM_LIMITS_H
#define CORELOOM_LIMITS_H

/* Of Coreloom. There is no limit of its own for semaphores: each takes memory only. */
#define DELAYTIMER_MAX 2147483647
#define SIGQUEUE_MAX 64
#define RTSIG_MAX 31
#define LOGIN_NAME_MAX 9
#define HOST_NAME_MAX 255
#define MQ_OPEN_MAX 64
#define MQ_PRIO_MAX 32768
#define PAGESIZE 1024 /* the memory has no pages; stacks of PTHREAD_STACK_MIN are whole ones, as programs expect */
#define PAGE_SIZE PAGESIZE
#define PTHREAD_DESTRUCTOR_ITERATIONS 4
#define PTHREAD_KEYS_MAX 128
#define PTHREAD_STACK_MIN 1024 /* bytes; a trap alone needs up to 320 */
#define PTHREAD_THREADS_MAX CL_THREADS
#define SEM_VALUE_MAX 32767
#define STREAM_MAX OPEN_MAX
#define TIMER_MAX 32

/* The minimum on every system. */
#define _POSIX_AIO_LISTIO_MAX 2
#define _POSIX_AIO_MAX 1
#define _POSIX_ARG_MAX 4096
#define _POSIX_CHILD_MAX 25
#define _POSIX_CLOCKRES_MIN 20000000
#define _POSIX_DELAYTIMER_MAX 32
#define _POSIX_HOST_NAME_MAX 255
#define _POSIX_LINK_MAX 8
#define _POSIX_LOGIN_NAME_MAX 9
#define _POSIX_MQ_OPEN_MAX 8
#define _POSIX_MQ_PRIO_MAX 32
#define _POSIX_NAME_MAX 14
#define _POSIX_NGROUPS_MAX 8
#define _POSIX_OPEN_MAX 20
#define _POSIX_PATH_MAX 256
#define _POSIX_PIPE_BUF 512
#define _POSIX_RE_DUP_MAX 255
#define _POSIX_RTSIG_MAX 8
#define _POSIX_SEM_NSEMS_MAX 256
#define _POSIX_SEM_VALUE_MAX 32767
#define _POSIX_SIGQUEUE_MAX 32
#define _POSIX_SSIZE_MAX 32767
#define _POSIX_STREAM_MAX 8
#define _POSIX_SYMLINK_MAX 255
#define _POSIX_SYMLOOP_MAX 8
#define _POSIX_THREAD_DESTRUCTOR_ITERATIONS 4
#define _POSIX_THREAD_KEYS_MAX 128
#define _POSIX_THREAD_THREADS_MAX 64
#define _POSIX_TIMER_MAX 32
#define _POSIX_TTY_NAME_MAX 9
#define _POSIX_TZNAME_MAX 6
#ifndef SSIZE_MAX
#define SSIZE_MAX LONG_MAX
#endif

#endif
