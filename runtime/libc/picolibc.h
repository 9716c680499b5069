/* SPDX-License-Identifier: Apache-2.0
 *
 * Configuration of picolibc for Coreloom (picolibc's own build would generate this file).
 *
 * One processor family, no files, no locale, no wide characters; errno belongs to the thread. */
#pragma once

#define TINY_STDIO
#define FORMAT_DEFAULT_DOUBLE
#define _WANT_IO_LONG_LONG
#define _WANT_IO_C99_FORMATS
#define _IO_FLOAT_EXACT
#define _LDBL_EQ_DBL /* no long double arithmetic */
#define __OBSOLETE_MATH_FLOAT 1
#define __OBSOLETE_MATH_DOUBLE 1

/* errno lives in the thread's control block. */
#define __PICOLIBC_ERRNO_FUNCTION cl_errno

/* malloc and atexit take a lock (runtime/posix/libc.c). */
#define _RETARGETABLE_LOCKING
#define _PICO_EXIT
#define _MB_LEN_MAX 1
#define _HAVE_INITFINI_ARRAY

#define _HAVE_ALIAS_ATTRIBUTE
#define _HAVE_ALLOC_SIZE
#define _HAVE_ATTRIBUTE_ALWAYS_INLINE
#define _HAVE_ATTRIBUTE_GNU_INLINE
#define _HAVE_BITFIELDS_IN_PACKED_STRUCTS
#define _HAVE_BUILTIN_ALLOCA
#define _HAVE_BUILTIN_COPYSIGN
#define _HAVE_BUILTIN_CTZ
#define _HAVE_BUILTIN_CTZL
#define _HAVE_BUILTIN_CTZLL
#define _HAVE_BUILTIN_EXPECT
#define _HAVE_BUILTIN_FFS
#define _HAVE_BUILTIN_FFSL
#define _HAVE_BUILTIN_FFSLL
#define _HAVE_BUILTIN_FINITEL
#define _HAVE_BUILTIN_ISFINITE
#define _HAVE_BUILTIN_ISINF
#define _HAVE_BUILTIN_ISINFL
#define _HAVE_BUILTIN_ISNAN
#define _HAVE_BUILTIN_ISNANL
#define _HAVE_BUILTIN_MUL_OVERFLOW
#define _HAVE_BUILTIN_ADD_OVERFLOW
#define _HAVE_FORMAT_ATTRIBUTE
#define _HAVE_LONG_DOUBLE
#define _HAVE_WEAK_ATTRIBUTE

/* Versions: those of the pinned package pythondata-software-picolibc. */
#define __PICOLIBC_VERSION__ "1.7.9"
#define _PICOLIBC_VERSION __PICOLIBC_VERSION__
#define __PICOLIBC__ 1
#define _PICOLIBC__ 1
#define __PICOLIBC_MINOR__ 7
#define _PICOLIBC_MINOR__ 7
#define __PICOLIBC_PATCHLEVEL__ 9
#define _NEWLIB_VERSION "4.3.0"
#define __NEWLIB__ 4
#define __NEWLIB_MINOR__ 3
#define __NEWLIB_PATCHLEVEL__ 0

/* The options of POSIX.1-2017. picolibc's headers look whether a name is defined, so those that begin with
 * REALTIME_SIGNALS and SPORADIC_SERVER, which there are not, stay without. */
#define _POSIX_VERSION 200809L
#define _POSIX_BARRIERS 200809L
#define _POSIX_CLOCK_SELECTION 200809L
#define _POSIX_CPUTIME 200809L
#define _POSIX_MESSAGE_PASSING 200809L
#define _POSIX_MONOTONIC_CLOCK 200809L
#define _POSIX_PRIORITY_SCHEDULING 200809L
#define _POSIX_READER_WRITER_LOCKS 200809L
#define _POSIX_REALTIME_SIGNALS 200809L
#define _POSIX_SEMAPHORES 200809L
#define _POSIX_SPIN_LOCKS 200809L
#define _POSIX_THREADS 200809L
#define _POSIX_THREAD_ATTR_STACKADDR 200809L
#define _POSIX_THREAD_ATTR_STACKSIZE 200809L
#define _POSIX_THREAD_CPUTIME 200809L
#define _POSIX_THREAD_PRIORITY_SCHEDULING 200809L
#define _POSIX_THREAD_PRIO_INHERIT 200809L
#define _POSIX_THREAD_PRIO_PROTECT 200809L
#define _POSIX_THREAD_ROBUST_PRIO_INHERIT 200809L
#define _POSIX_THREAD_ROBUST_PRIO_PROTECT 200809L
#define _POSIX_THREAD_SAFE_FUNCTIONS 200809L
#define _POSIX_TIMEOUTS 200809L
#define _POSIX_TIMERS 200809L
#define _POSIX_ADVISORY_INFO (-1)
#define _POSIX_ASYNCHRONOUS_IO (-1)
#define _POSIX_FSYNC (-1)
#define _POSIX_IPV6 (-1)
#define _POSIX_JOB_CONTROL (-1)
#define _POSIX_MAPPED_FILES (-1)
#define _POSIX_MEMLOCK (-1)
#define _POSIX_MEMLOCK_RANGE (-1)
#define _POSIX_MEMORY_PROTECTION (-1)
#define _POSIX_PRIORITIZED_IO (-1)
#define _POSIX_RAW_SOCKETS (-1)
#define _POSIX_REGEXP (-1)
#define _POSIX_SAVED_IDS (-1)
#define _POSIX_SHARED_MEMORY_OBJECTS (-1)
#define _POSIX_SHELL (-1)
#define _POSIX_SPAWN (-1)
#define _POSIX_SYNCHRONIZED_IO (-1)
#define _POSIX_THREAD_PROCESS_SHARED (-1)
#define _POSIX_TRACE (-1)
#define _POSIX_TRACE_EVENT_FILTER (-1)
#define _POSIX_TRACE_INHERIT (-1)
#define _POSIX_TRACE_LOG (-1)
#define _POSIX_TYPED_MEMORY_OBJECTS (-1)
