/* SPDX-License-Identifier: Apache-2.0
 *
 * Threads, mutexes, condition variables: what of POSIX <pthread.h> Coreloom has (runtime/README.md has the list).
 *
 * Every function returns 0 or an error number of <errno.h>; errno is left alone.
 * Names that end in _np are not in POSIX. */
#ifndef CORELOOM_PTHREAD_H
#define CORELOOM_PTHREAD_H

#include <sched.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef uint32_t pthread_t; /* thread number; the main thread is 0 */

#define PTHREAD_CREATE_JOINABLE 0
#define PTHREAD_CREATE_DETACHED 1

#define PTHREAD_PLACEMENT_DYNAMIC_NP 0 /* runs on whichever CPU is free first */
#define PTHREAD_PLACEMENT_STATIC_NP 1  /* runs on one CPU only */

#define PTHREAD_STACK_MIN 1024          /* bytes; a trap alone needs up to 320 */
/* Of the static pool. */
#define PTHREAD_STACK_DEFAULT_NP ((size_t)(CL_THREADS > 512 ? 1024 : CL_THREADS > 64 ? 524288 / CL_THREADS : 8192))
/* Of main and of threads whose attribute says nothing. */
#define PTHREAD_PRIORITY_DEFAULT_NP ((sched_get_priority_max(SCHED_RR) + 1) / 2)
#define PTHREAD_NAME_MAX_NP 16          /* bytes with the final NUL */

typedef struct {
  void *stack; /* lowest address, NULL: from the pool */
  size_t stack_size;
  int detach_state;
  int priority;
  int placement;
  unsigned cpu;
  int hardware_plus_1; /* number of a hardware thread + 1; 0: a thread in software */
  int suspended;
  uint8_t weight;    /* 0: as the kernel has it, 1 */
  uint16_t deadline; /* ticks, 0: none */
  char name[PTHREAD_NAME_MAX_NP];
} pthread_attr_t;

/* Defaults: joinable, default priority, dynamic placement, default stack of the pool, no name; in software. */
int pthread_attr_init(pthread_attr_t *attr);
int pthread_attr_destroy(pthread_attr_t *attr);
int pthread_attr_setdetachstate(pthread_attr_t *attr, int state);
int pthread_attr_getdetachstate(const pthread_attr_t *attr, int *state);
int pthread_attr_setschedparam(pthread_attr_t *attr, const struct sched_param *param);
int pthread_attr_getschedparam(const pthread_attr_t *attr, struct sched_param *param);
/* EINVAL below PTHREAD_STACK_MIN. Up to PTHREAD_STACK_DEFAULT_NP comes from the pool; more needs setstack. */
int pthread_attr_setstacksize(pthread_attr_t *attr, size_t size);
int pthread_attr_getstacksize(const pthread_attr_t *attr, size_t *size);
/* The caller's own memory, 16-byte aligned; it may be used again once the thread has been joined. */
int pthread_attr_setstack(pthread_attr_t *attr, void *stack, size_t size);
int pthread_attr_getstack(const pthread_attr_t *attr, void **stack, size_t *size);
/* Where the thread may run; cpu counts from 0 and is looked at for static placement only. */
int pthread_attr_setplacement_np(pthread_attr_t *attr, int placement, unsigned cpu);
int pthread_attr_getplacement_np(const pthread_attr_t *attr, int *placement, unsigned *cpu);
int pthread_attr_setname_np(pthread_attr_t *attr, const char *name);
/* The thread is hardware thread `unit` (coreloom.h): pthread_create does not look at its function, gives the argument
 * to the unit, and pthread_join has the unit's result. Priority, stack, placement and name are not looked at.
 * ENODEV: there is no such unit (with the software kernel there is none; hardware_find_np has said -1): the attribute
 * stays as it was, for a thread in software. PTHREAD_HARDWARE_NONE_NP takes it back. */
#define PTHREAD_HARDWARE_NONE_NP (-2)
int pthread_attr_sethardware_np(pthread_attr_t *attr, int unit);
int pthread_attr_gethardware_np(const pthread_attr_t *attr, int *unit); /* or PTHREAD_HARDWARE_NONE_NP */
/* 1: the thread does not run before pthread_continue_np (or pthread_setidle_np). */
int pthread_attr_setsuspended_np(pthread_attr_t *attr, int suspended);
int pthread_attr_getsuspended_np(const pthread_attr_t *attr, int *suspended);

/* Share of the time that the thread gets by the kernel's policy, relative to others': 1 to 255, at first 1. Of policies
 * with weights: dwrr of the hardware kernel, all of the software kernel's but static, dynamic and selective use it. */
int pthread_attr_setweight_np(pthread_attr_t *attr, int weight);
int pthread_attr_getweight_np(const pthread_attr_t *attr, int *weight);
/* Within so many ticks of becoming ready the thread should be done: 1 to 32767, 0: it has no deadline. Of the hardware
 * kernel's policy edf. */
int pthread_attr_setdeadline_np(pthread_attr_t *attr, int ticks);
int pthread_attr_getdeadline_np(const pthread_attr_t *attr, int *ticks);

/* EAGAIN: no thread or no stack left. EINVAL: bad attribute. ENOTSUP: a weight or a deadline, and the kernel's policy
 * has none. EBUSY: the hardware thread has a thread, until that is
 * joined or, detached, has ended. attr may be NULL. */
int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *), void *argument);
__attribute__((noreturn)) void pthread_exit(void *value);
/* EDEADLK: itself. ESRCH: no such thread. EINVAL: detached or somebody else waits already. */
int pthread_join(pthread_t thread, void **value);
#define PTHREAD_CANCELED ((void *)-1) /* what pthread_join has of a hardware thread that was reset or had a bus error */
int pthread_detach(pthread_t thread);
pthread_t pthread_self(void);
static inline int pthread_equal(pthread_t a, pthread_t b) { return a == b; }

/* ESRCH: no such thread, or it has ended. ENOTSUP: a hardware or idle thread. EINVAL: no such priority. */
int pthread_setschedprio(pthread_t thread, int priority);
int pthread_getschedparam(pthread_t thread, int *policy, struct sched_param *param);

/* The same for a thread that there is. ENOTSUP: the kernel's policy has no weights (deadlines), or it is a hardware or
 * idle thread. EINVAL: not in range. ESRCH: no such thread. */
int pthread_setweight_np(pthread_t thread, int weight);
int pthread_setdeadline_np(pthread_t thread, int ticks);

/* Name of the calling thread in timelines; ENOTSUP for another thread (use pthread_attr_setname_np),
 * ERANGE when longer than PTHREAD_NAME_MAX_NP - 1. The text is copied. */
int pthread_setname_np(pthread_t thread, const char *name);

/* Take a thread that waits for a CPU off its queue. ENOENT: it does not wait for one: it runs, is blocked, is
 * suspended already or has ended. ESRCH: no such thread. */
int pthread_suspend_np(pthread_t thread);
/* Let a suspended thread go on, or start one that was created suspended. EALREADY: it waits for a CPU already.
 * EINPROGRESS: it runs or is blocked. ESRCH: no such thread, or it has ended. */
int pthread_continue_np(pthread_t thread);
/* Make a suspended thread the idle thread of the CPU that calls (so be placed on it): it goes on whenever the CPU has
 * nothing else to do, below every priority, for the rest of its life. EBUSY: the CPU has one. ENOTSUP: a hardware
 * thread. Else as pthread_continue_np. */
int pthread_setidle_np(pthread_t thread);

typedef struct {
  uint32_t id_plus_1; /* kernel object + 1; 0: not made yet (static initialiser) */
} pthread_mutex_t;
typedef struct {
  int unused;
} pthread_mutexattr_t;

#define PTHREAD_MUTEX_INITIALIZER { 0 }

/* An error-checking mutex: EDEADLK when locked again by its owner, EPERM when unlocked by another thread.
 * A waiter of higher priority gets it first. EAGAIN: no mutex left. attr is not looked at. */
int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attr);
int pthread_mutex_destroy(pthread_mutex_t *mutex); /* EBUSY: locked */
int pthread_mutex_lock(pthread_mutex_t *mutex);
int pthread_mutex_trylock(pthread_mutex_t *mutex); /* EBUSY: locked */
/* ETIMEDOUT: not within so many cycles of the call. */
int pthread_mutex_timedlock_np(pthread_mutex_t *mutex, uint32_t cycles);
int pthread_mutex_unlock(pthread_mutex_t *mutex);
/* The number by which the kernel, and so a hardware thread, knows the mutex. */
int pthread_mutex_getnumber_np(pthread_mutex_t *mutex, uint32_t *number);

typedef struct {
  uint32_t id_plus_1; /* as for a mutex */
} pthread_cond_t;
typedef struct {
  int unused;
} pthread_condattr_t;

#define PTHREAD_COND_INITIALIZER { 0 }
#define PTHREAD_PROCESS_PRIVATE 0
#define PTHREAD_PROCESS_SHARED 1

/* A waiter of higher priority is woken first. EAGAIN: no condition variable left. attr may be NULL. */
int pthread_cond_init(pthread_cond_t *cond, const pthread_condattr_t *attr);
int pthread_cond_destroy(pthread_cond_t *cond); /* EBUSY: somebody waits */
/* Unlocks the mutex, waits for a signal, locks the mutex. It may come back without a signal (POSIX: spuriously), so
 * the condition must be looked at again. EPERM: the caller does not hold the mutex; nothing is done then. */
int pthread_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex);
/* The same for so many cycles at most; ETIMEDOUT: they were over before a signal, and the mutex is locked again. */
int pthread_cond_timedwait_np(pthread_cond_t *cond, pthread_mutex_t *mutex, uint32_t cycles);
int pthread_cond_signal(pthread_cond_t *cond);
int pthread_cond_broadcast(pthread_cond_t *cond);
int pthread_cond_getnumber_np(pthread_cond_t *cond, uint32_t *number);

int pthread_condattr_init(pthread_condattr_t *attr);
int pthread_condattr_destroy(pthread_condattr_t *attr);
int pthread_condattr_setpshared(pthread_condattr_t *attr, int shared); /* ENOTSUP: shared */
int pthread_condattr_getpshared(const pthread_condattr_t *attr, int *shared);

#ifdef __cplusplus
}
#endif

#endif
