/* SPDX-License-Identifier: Apache-2.0
 *
 * Threads, mutexes, condition variables: POSIX <pthread.h>; runtime/CAVEATS.md says what differs.
 *
 * Every function returns 0 or an error number of <errno.h>; errno is not changed.
 * Names that end in _np are not in POSIX. */
#ifndef CORELOOM_PTHREAD_H
#define CORELOOM_PTHREAD_H

#if defined(CL_KERNEL_FREERTOS)
#error "FreeRTOS has no pthread.h: use its FreeRTOS.h and task.h, or choose kernel hw or sw"
#endif

#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "cl_sync.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef uint32_t pthread_t; /* thread number; the main thread is 0 */

#define PTHREAD_CREATE_JOINABLE 0
#define PTHREAD_CREATE_DETACHED 1

#define PTHREAD_PLACEMENT_DYNAMIC_NP 0 /* runs on whichever CPU is free first */
#define PTHREAD_PLACEMENT_STATIC_NP 1  /* runs on one CPU only */

#define PTHREAD_STACK_MIN 1024          /* bytes; a trap alone needs up to 320 */
/* Size of each stack in the static pool. */
#if CL_THREAD_STACK_BYTES
#define PTHREAD_STACK_DEFAULT_NP ((size_t)CL_THREAD_STACK_BYTES)
#else
#define PTHREAD_STACK_DEFAULT_NP ((size_t)(CL_THREADS > 512 ? 1024 : CL_THREADS > 64 ? 524288 / CL_THREADS : 8192))
#endif
/* The priority of main, and of threads whose attributes set none. */
#define PTHREAD_PRIORITY_DEFAULT_NP ((sched_get_priority_max(SCHED_RR) + 1) / 2)
#define PTHREAD_NAME_MAX_NP 16          /* bytes with the final NUL */

#define PTHREAD_INHERIT_SCHED 0
#define PTHREAD_EXPLICIT_SCHED 1
#define PTHREAD_SCOPE_SYSTEM 0
#define PTHREAD_SCOPE_PROCESS 1

#define PTHREAD_CANCEL_ENABLE 0
#define PTHREAD_CANCEL_DISABLE 1
#define PTHREAD_CANCEL_DEFERRED 0
#define PTHREAD_CANCEL_ASYNCHRONOUS 1
#define PTHREAD_CANCELED ((void *)-1) /* also the result of a hardware thread that was reset or had a bus error */

#ifndef PTHREAD_KEYS_MAX
#define PTHREAD_KEYS_MAX 128
#endif
#ifndef PTHREAD_DESTRUCTOR_ITERATIONS
#define PTHREAD_DESTRUCTOR_ITERATIONS 4
#endif

typedef struct pthread_attr {
  uint32_t kind; /* that it is initialised, and what is rare (posix/thread.c) */
  uint32_t word; /* for the kernel: priority, placement, detached */
  void *stack;   /* lowest address, NULL: from the pool, or from the heap if it is larger */
  size_t stack_size;
  size_t guard_size;
  uint8_t policy;
  uint8_t unit;   /* of a hardware thread */
  uint8_t weight; /* 0: the kernel's default, 1 */
  uint16_t deadline; /* ticks, 0: none */
  char name[PTHREAD_NAME_MAX_NP] __attribute__((aligned(4)));
} pthread_attr_t;

/* Defaults: joinable, default priority, SCHED_OTHER, not inherited, dynamic placement, default stack, no name; in
 * software. All functions: EINVAL for attributes that are not initialised or destroyed, and for a value out of range. */
int pthread_attr_init(pthread_attr_t *attr);
int pthread_attr_destroy(pthread_attr_t *attr);
int pthread_attr_setdetachstate(pthread_attr_t *attr, int state);
int pthread_attr_getdetachstate(const pthread_attr_t *attr, int *state);
int pthread_attr_setinheritsched(pthread_attr_t *attr, int inherit);
int pthread_attr_getinheritsched(const pthread_attr_t *attr, int *inherit);
int pthread_attr_setschedpolicy(pthread_attr_t *attr, int policy); /* ENOTSUP: SCHED_SPORADIC */
int pthread_attr_getschedpolicy(const pthread_attr_t *attr, int *policy);
int pthread_attr_setschedparam(pthread_attr_t *attr, const struct sched_param *param);
int pthread_attr_getschedparam(const pthread_attr_t *attr, struct sched_param *param);
int pthread_attr_setscope(pthread_attr_t *attr, int scope); /* ENOTSUP: PTHREAD_SCOPE_PROCESS */
int pthread_attr_getscope(const pthread_attr_t *attr, int *scope);
/* Up to PTHREAD_STACK_DEFAULT_NP comes from a pool, more from the heap. EINVAL below PTHREAD_STACK_MIN. */
int pthread_attr_setstacksize(pthread_attr_t *attr, size_t size);
int pthread_attr_getstacksize(const pthread_attr_t *attr, size_t *size);
/* A stack in the caller's memory, as malloc gives it (a multiple of 8); it may be reused once the thread has been joined. */
int pthread_attr_setstackaddr(pthread_attr_t *attr, void *top); /* of the size that attr has */
int pthread_attr_getstackaddr(const pthread_attr_t *attr, void **top);
int pthread_attr_setstack(pthread_attr_t *attr, void *stack, size_t size);
int pthread_attr_getstack(const pthread_attr_t *attr, void **stack, size_t *size);
int pthread_attr_setguardsize(pthread_attr_t *attr, size_t size);
int pthread_attr_getguardsize(const pthread_attr_t *attr, size_t *size);
/* The attributes that a thread has. ESRCH: no such thread. */
int pthread_getattr_np(pthread_t thread, pthread_attr_t *attr);
/* Where the thread may run; cpu counts from 0 and is used for static placement only. */
int pthread_attr_setplacement_np(pthread_attr_t *attr, int placement, unsigned cpu);
int pthread_attr_getplacement_np(const pthread_attr_t *attr, int *placement, unsigned *cpu);
/* The placement as a set of CPUs: all, or one. ENOTSUP: others. */
int pthread_attr_setaffinity_np(pthread_attr_t *attr, size_t size, const cpu_set_t *set);
int pthread_attr_getaffinity_np(const pthread_attr_t *attr, size_t size, cpu_set_t *set);
int pthread_attr_setname_np(pthread_attr_t *attr, const char *name);
/* The thread runs on hardware unit `unit` (coreloom.h): pthread_create ignores its function and passes the argument to
 * the unit, and pthread_join returns the unit's result. Priority, stack, placement and name are ignored.
 * ENODEV: there is no such unit (the software kernel has none; hardware_find_np returned -1): the attribute does not
 * change, so the thread runs in software. PTHREAD_HARDWARE_NONE_NP undoes the setting. */
#define PTHREAD_HARDWARE_NONE_NP (-2)
int pthread_attr_sethardware_np(pthread_attr_t *attr, int unit);
int pthread_attr_gethardware_np(const pthread_attr_t *attr, int *unit); /* or PTHREAD_HARDWARE_NONE_NP */
/* 1: the thread does not run until pthread_continue_np (or pthread_setidle_np). */
int pthread_attr_setsuspended_np(pthread_attr_t *attr, int suspended);
int pthread_attr_getsuspended_np(const pthread_attr_t *attr, int *suspended);

/* The thread's share of CPU time relative to the others': 1 to 255, default 1. Used by policies with weights: dwrr
 * of the hardware kernel, and all of the software kernel's except static, dynamic and selective. */
int pthread_attr_setweight_np(pthread_attr_t *attr, int weight);
int pthread_attr_getweight_np(const pthread_attr_t *attr, int *weight);
/* The thread's deadline, in ticks from becoming ready: 1 to 32767, 0: none. For the hardware kernel's policy edf. */
int pthread_attr_setdeadline_np(pthread_attr_t *attr, int ticks);
int pthread_attr_getdeadline_np(const pthread_attr_t *attr, int *ticks);

/* EAGAIN: no thread or no memory for its stack left. EINVAL: bad attributes. ENOTSUP: a weight or deadline that the
 * kernel's policy does not support. EBUSY: the hardware unit has a thread that has not been joined or, if detached, has
 * not ended. attr may be NULL. */
int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *), void *argument);
__attribute__((noreturn)) void pthread_exit(void *value);
/* EDEADLK: the caller itself. ESRCH: no such thread. EINVAL: detached, or another thread is joining it. */
int pthread_join(pthread_t thread, void **value);
/* As on Linux. EBUSY: it has not ended. ETIMEDOUT: nor by a time of CLOCK_REALTIME, or of `clock`, which is looked at
 * every 1024 cycles. */
int pthread_tryjoin_np(pthread_t thread, void **value);
int pthread_timedjoin_np(pthread_t thread, void **value, const struct timespec *until);
int pthread_clockjoin_np(pthread_t thread, void **value, clockid_t clock, const struct timespec *until);
int pthread_detach(pthread_t thread);
pthread_t pthread_self(void);
static __inline int pthread_equal(pthread_t a, pthread_t b) { return a == b; }

/* ESRCH: no such thread, or it has ended. ENOTSUP: a hardware or idle thread, or SCHED_SPORADIC. EINVAL: no such policy
 * or priority. */
int pthread_setschedparam(pthread_t thread, int policy, const struct sched_param *param);
int pthread_setschedprio(pthread_t thread, int priority);
int pthread_getschedparam(pthread_t thread, int *policy, struct sched_param *param);
int pthread_setconcurrency(int level); /* EINVAL: negative. Changes nothing else */
int pthread_getconcurrency(void);
int pthread_getcpuclockid(pthread_t thread, clockid_t *clock); /* ESRCH: no such thread */

/* Where a thread may run: all CPUs, or one. The calling thread moves at once, behind the ready threads of its priority;
 * for another thread only the set that it has is accepted. On an error nothing has changed. ESRCH: no such thread, or it
 * has ended. EINVAL: no CPU that there is, or a set that is too small. ENOTSUP: another set; an idle thread; policy dwrr
 * of the hardware kernel, or a policy of the software kernel. EBUSY: it has a reserved CPU. */
int pthread_setaffinity_np(pthread_t thread, size_t size, const cpu_set_t *set);
int pthread_getaffinity_np(pthread_t thread, size_t size, cpu_set_t *set);

/* --- once, thread-specific data, cancellation ---------------------------------------------------- */

typedef struct {
  volatile uint32_t state;
} pthread_once_t;
#define PTHREAD_ONCE_INIT {0}

/* Threads that come while the routine runs wait for its end; if it is cancelled, the next one calls it. EINVAL: not
 * initialised. */
int pthread_once(pthread_once_t *once, void (*routine)(void));

typedef uint32_t pthread_key_t;

/* EAGAIN: PTHREAD_KEYS_MAX are in use. */
int pthread_key_create(pthread_key_t *key, void (*destructor)(void *));
int pthread_key_delete(pthread_key_t key); /* EINVAL: no such key */
/* EINVAL: no such key. ENOMEM: no memory for it. */
int pthread_setspecific(pthread_key_t key, const void *value);
void *pthread_getspecific(pthread_key_t key); /* NULL: never set by this thread, or no such key */

/* A request to end: acted on at the thread's next cancellation point, or in one where it waits. ESRCH: no such thread.
 * ENOTSUP: a hardware thread. */
int pthread_cancel(pthread_t thread);
void pthread_testcancel(void);
int pthread_setcancelstate(int state, int *old); /* EINVAL: no such state; old may be NULL */
int pthread_setcanceltype(int type, int *old); /* EINVAL: no such type; old may be NULL */

struct cl_cleanup {
  void (*routine)(void *);
  void *argument;
  struct cl_cleanup *before;
};
void cl_cleanup_push(struct cl_cleanup *cleanup);
void cl_cleanup_pop(struct cl_cleanup *cleanup, int execute);

/* In pairs, in one block. */
#define pthread_cleanup_push(routine, argument)                    \
  do {                                                             \
    struct cl_cleanup cl_cleanup_ = {(routine), (argument), NULL}; \
  cl_cleanup_push(&cl_cleanup_)
#define pthread_cleanup_pop(execute)       \
  cl_cleanup_pop(&cl_cleanup_, (execute)); \
  }                                        \
  while (0)

/* --- not part of POSIX --------------------------------------------------------------------------- */

/* Weight and deadline of an existing thread. ENOTSUP: the kernel's policy has no weights (deadlines), or it is a
 * hardware or idle thread. EINVAL: out of range. ESRCH: no such thread. */
int pthread_setweight_np(pthread_t thread, int weight);
int pthread_setdeadline_np(pthread_t thread, int ticks);

/* A thread's name, copied. ERANGE: longer than PTHREAD_NAME_MAX_NP - 1, or than the room for it. ESRCH: no such thread.
 * Timelines have the calling thread's new name, and another's only if it has not begun yet. */
int pthread_setname_np(pthread_t thread, const char *name);
int pthread_getname_np(pthread_t thread, char *name, size_t size);

/* Remove a ready thread from its queue. ENOENT: it is not ready: it runs, is blocked, is suspended already or has
 * ended. ESRCH: no such thread. */
int pthread_suspend_np(pthread_t thread);
/* Continue a suspended thread, or start one that was created suspended. EALREADY: it is ready already.
 * EINPROGRESS: it runs or is blocked. ESRCH: no such thread, or it has ended. */
int pthread_continue_np(pthread_t thread);
/* Make a suspended thread the idle thread of the calling CPU (so the caller should be placed on it): it runs
 * whenever the CPU has nothing else to do, below every priority, until it ends. EBUSY: the CPU has one. ENOTSUP: a
 * hardware thread. Other errors as for pthread_continue_np. */
int pthread_setidle_np(pthread_t thread);

#define PTHREAD_PROCESS_PRIVATE 0
#define PTHREAD_PROCESS_SHARED 1 /* makes no difference: a program is one process */

#define PTHREAD_MUTEX_DEFAULT 0 /* reports errors, as PTHREAD_MUTEX_ERRORCHECK does */
#define PTHREAD_MUTEX_NORMAL 1
#define PTHREAD_MUTEX_ERRORCHECK 2
#define PTHREAD_MUTEX_RECURSIVE 3
#define PTHREAD_PRIO_NONE 0
#define PTHREAD_PRIO_INHERIT 1
#define PTHREAD_PRIO_PROTECT 2
#define PTHREAD_MUTEX_STALLED 0
#define PTHREAD_MUTEX_ROBUST 1

typedef struct {
  int shared; /* -1: destroyed */
  uint8_t type;
  uint8_t protocol;
  uint8_t robust;
  uint8_t ceiling;
} pthread_mutexattr_t;

typedef struct cl_mutex pthread_mutex_t;

#define PTHREAD_MUTEX_INITIALIZER {0}
#define PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP {.type = PTHREAD_MUTEX_ERRORCHECK}
#define PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP {.type = PTHREAD_MUTEX_RECURSIVE}

/* EINVAL: no such value, or the attributes are destroyed. */
int pthread_mutexattr_init(pthread_mutexattr_t *attr);
int pthread_mutexattr_destroy(pthread_mutexattr_t *attr);
int pthread_mutexattr_settype(pthread_mutexattr_t *attr, int type);
int pthread_mutexattr_gettype(const pthread_mutexattr_t *attr, int *type);
int pthread_mutexattr_setprotocol(pthread_mutexattr_t *attr, int protocol);
int pthread_mutexattr_getprotocol(const pthread_mutexattr_t *attr, int *protocol);
int pthread_mutexattr_setprioceiling(pthread_mutexattr_t *attr, int ceiling);
int pthread_mutexattr_getprioceiling(const pthread_mutexattr_t *attr, int *ceiling);
int pthread_mutexattr_setrobust(pthread_mutexattr_t *attr, int robust);
int pthread_mutexattr_getrobust(const pthread_mutexattr_t *attr, int *robust);
int pthread_mutexattr_setpshared(pthread_mutexattr_t *attr, int shared);
int pthread_mutexattr_getpshared(const pthread_mutexattr_t *attr, int *shared);

/* A waiter of higher priority gets a mutex first. All functions: EINVAL for a mutex that is destroyed. attr may be
 * NULL. */
int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attr);
int pthread_mutex_destroy(pthread_mutex_t *mutex); /* EBUSY: locked */
/* EDEADLK: the caller has it, unless it is normal (then it waits for ever) or recursive. EINVAL: the caller's priority
 * is above its ceiling. EOWNERDEAD: it is robust, its owner has ended, and it is the caller's now: see
 * pthread_mutex_consistent. ENOTRECOVERABLE: it was unlocked without that. */
int pthread_mutex_lock(pthread_mutex_t *mutex);
int pthread_mutex_trylock(pthread_mutex_t *mutex); /* EBUSY: locked */
/* ETIMEDOUT: not before a time of CLOCK_REALTIME. EINVAL: it would wait, and the time is not valid. */
int pthread_mutex_timedlock(pthread_mutex_t *mutex, const struct timespec *until);
int pthread_mutex_timedlock_np(pthread_mutex_t *mutex, uint32_t cycles); /* from the call */
int pthread_mutex_unlock(pthread_mutex_t *mutex); /* EPERM: the caller has not locked it */
/* Says that a robust mutex's data are consistent again. EINVAL: not robust, not the caller's, or its owner is alive. */
int pthread_mutex_consistent(pthread_mutex_t *mutex);
/* EINVAL: not PTHREAD_PRIO_PROTECT, or no such priority. Setting it locks the mutex, without regard to its ceiling; old
 * may be NULL. */
int pthread_mutex_getprioceiling(const pthread_mutex_t *mutex, int *ceiling);
int pthread_mutex_setprioceiling(pthread_mutex_t *mutex, int ceiling, int *old);
/* The kernel's number of the mutex, for use by a hardware thread. EINVAL: it lives in memory. */
int pthread_mutex_getnumber_np(pthread_mutex_t *mutex, uint32_t *number);

typedef struct {
  int shared; /* -1: destroyed */
  clockid_t clock;
} pthread_condattr_t;

typedef struct cl_condition pthread_cond_t;

#define PTHREAD_COND_INITIALIZER {0}

/* EINVAL: no such value, or the attributes are destroyed. */
int pthread_condattr_init(pthread_condattr_t *attr);
int pthread_condattr_destroy(pthread_condattr_t *attr);
int pthread_condattr_setclock(pthread_condattr_t *attr, clockid_t clock); /* CLOCK_REALTIME or CLOCK_MONOTONIC */
int pthread_condattr_getclock(const pthread_condattr_t *attr, clockid_t *clock);
int pthread_condattr_setpshared(pthread_condattr_t *attr, int shared);
int pthread_condattr_getpshared(const pthread_condattr_t *attr, int *shared);

/* A waiter of higher priority is woken first. All functions: EINVAL for a condition variable that is destroyed. attr may
 * be NULL. */
int pthread_cond_init(pthread_cond_t *cond, const pthread_condattr_t *attr);
int pthread_cond_destroy(pthread_cond_t *cond); /* EBUSY: somebody waits */
/* Unlocks the mutex, waits for a signal, locks the mutex. Spurious wake-ups are possible, so check the condition again.
 * EPERM: the caller does not hold the mutex; nothing is done. */
int pthread_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex);
/* ETIMEDOUT: no signal came until a time of its clock; the mutex is locked again. EINVAL: not a time. */
int pthread_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *mutex, const struct timespec *until);
int pthread_cond_timedwait_np(pthread_cond_t *cond, pthread_mutex_t *mutex, uint32_t cycles); /* from the call */
int pthread_cond_signal(pthread_cond_t *cond);
int pthread_cond_broadcast(pthread_cond_t *cond);
/* EINVAL: it lives in memory. */
int pthread_cond_getnumber_np(pthread_cond_t *cond, uint32_t *number);

#ifdef __cplusplus
}
#endif

#endif
