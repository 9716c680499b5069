/* SPDX-License-Identifier: Apache-2.0
 *
 * Between the files of the POSIX layer. */
#ifndef CL_POSIX_H
#define CL_POSIX_H

#include <pthread.h>

#include "cl_kernel.h"
#include "memory.h"

#define CL_TEXT_(x) #x
#define CL_TEXT(x) CL_TEXT_(x)

/* Units that threads can be made for. */
#if defined(CL_KERNEL_HW)
#define CL_UNITS CL_HW_THREADS
#else
#define CL_UNITS 0
#endif

#ifndef CL_SLICE_TICKS
#define CL_SLICE_TICKS 10
#endif

#define CL_ALL_CPUS ((1u << CL_CPUS) - 1) /* a bit each */

#define CL_PROCESS 1 /* number of the one process there is */

extern unsigned char __main_stack[], __main_stack_end[]; /* of the linker script */

/* Before a hardware thread is started. */
void cl_hardware_prepare(uint32_t unit, uint32_t tid, void *argument);

/* pthread_join, with the kernel's own error number (EBUSY: another joins it). */
int cl_posix_join(pthread_t thread, void **value);
/* A thread's creator; main is its own. */
pthread_t cl_posix_parent(pthread_t thread);

/* Called in the new thread before its function: logs its name. */
void cl_posix_thread_begin(void);

/* The name of a thread; NULL until one is set, so that names cost nothing where there are none. */
extern const char *(*cl_posix_name)(uint32_t thread);
const char *cl_name_of(uint32_t thread); /* what it is then */

/* For a thread that ends by a fault: whether it is inside malloc; and a function that releases the streams' lock. */
int cl_libc_holds_heap(void);
void cl_libc_leave_streams(void);

/* The kernel's error number of a thread operation, as POSIX has it. */
int cl_posix_status(int status);
/* 0, EINVAL: no such policy, or ENOTSUP. */
int cl_posix_policy(int policy);
extern uint8_t cl_policies[CL_THREADS];
void cl_posix_ask(int policy); /* the program uses it */

extern uint16_t cl_reading[CL_THREADS]; /* how many read-write locks each thread reads */

/* The end of a thread: its cleanup handlers and its thread-specific data; NULL until there are some (attr.h). */
extern void (*cl_cleanup_all)(void);
extern void (*cl_specific_end)(void);

static inline int cl_is_sharing(int shared) {
  return shared == PTHREAD_PROCESS_PRIVATE || shared == PTHREAD_PROCESS_SHARED;
}

/* Whether attributes, other than a thread's, are initialised. */
#define CL_IS_ATTR(attr) ((attr) && cl_is_sharing((attr)->shared))

int cl_fail(int error); /* sets errno; -1 */

/* For mutexes. The kernel's answer to a lock was `status`, not 0. `at` limits the wait; 0: do not wait. */
int cl_mutex_closer(pthread_mutex_t *mutex, int status, uint64_t at);

static inline int cl_mutex_lock_object(pthread_mutex_t *mutex, uint32_t object) {
  uint32_t word = cl_op_mutex_lock(object, CL_NEVER);
  if (CL_LIKELY(word <= CL_WORD_VALUE_MASK)) return 0;
  int status = cl_status(word);
  return status ? cl_mutex_closer(mutex, status, CL_NEVER) : 0;
}
static inline int cl_mutex_lock(pthread_mutex_t *mutex) {
  return cl_mutex_lock_object(mutex, cl_object(mutex->handle));
}

/* Entering a service that may give way. */
static inline void cl_trace_call(void) { cl_trace(CL_TRACE_CALL, 0); }

#endif
