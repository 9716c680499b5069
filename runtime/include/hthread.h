/* SPDX-License-Identifier: Apache-2.0
 *
 * hthreads: the programming interface of [HT]'s system, on top of Coreloom's threads.
 *
 * Names, constants and arguments come from the hybridthreads project (University of Kansas and of Arkansas, as
 * published at github.com/eugenecartwright/hthreads, include/hthread), so a program written for it compiles unchanged.
 * A function returns 0 (SUCCESS) or an error number of <errno.h>. Differences:
 * - Every mutex and condition variable is a separate object; the number in its attribute is only a name for it.
 * - hthread_join returns a specific error, where hthreads returns EINVAL for all.
 * - hthread_intrassoc keeps the line until the thread ends, so no interrupt is lost between two calls.
 * - The base address of hardware thread n is HWTI_BASEADDR(n); its argument and result are as in hwt_units.h.
 *   The software kernel has none: hthread_attr_sethardware returns ENODEV, and a thread created with that
 *   attribute runs its function.
 * - Not supported: keys, barriers, spin locks, hthread_time_*, the system layer (manager/, scheduler/, ...). */
#ifndef CORELOOM_HTHREAD_H
#define CORELOOM_HTHREAD_H

#if defined(CL_KERNEL_LINUX)
#error "hthread.h is not for ground linux: use pthread.h, or choose hw or sw"
#endif

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "cl_machine.h"

#ifdef __cplusplus
extern "C" {
#endif

#define HTHREAD

typedef char Hbyte;
typedef short Hshort;
typedef int Hint;
typedef long long Hlong;
typedef float Hfloat;
typedef double Hdouble;
typedef unsigned char Hubyte;
typedef unsigned short Hushort;
typedef unsigned int Huint;
typedef unsigned long long Hulong;
typedef enum { Hfalse = 0, Htrue = 1 } Hbool;

#define SUCCESS (0)
#define FAILURE (-1)
#ifndef ESHUTDOWN
#define ESHUTDOWN 110 /* the thread has ended */
#endif

/* --- Threads ------------------------------------------------------------------------------------------------ */

#define MAX_THREADS CL_THREADS
#define HT_DEFAULT_STACK_SIZE (16 * 1024) /* of the attribute; without an own stack address the pool's size applies */
#define HT_STACK_SIZE HT_DEFAULT_STACK_SIZE
#define HT_DEFAULT_PRI 64
#define HTHREAD_STACK_MIN PTHREAD_STACK_MIN
#define HTHREAD_SCHEDPARAM_MAX 127 /* 0 is the most urgent */
#define HTHREAD_CREATE_JOINABLE 1
#define HTHREAD_CREATE_DETACHED 2

typedef Huint hthread_t;
typedef void *(*hthread_start_t)(void *);
typedef struct sched_param sched_param_t;

typedef struct {
  Hbool detached;
  Hbool hardware;
  Huint hardware_addr;
  Huint stack_size;
  void *stack_addr;
  Huint sched_param;
} hthread_attr_t;

/* Defaults: joinable, in software, priority 64. */
Hint hthread_attr_init(hthread_attr_t *attr);
Hint hthread_attr_destroy(hthread_attr_t *attr);
Hint hthread_attr_setdetachstate(hthread_attr_t *attr, Hint state);
Hint hthread_attr_getdetachstate(const hthread_attr_t *attr, Hint *state);
Hint hthread_attr_setstacksize(hthread_attr_t *attr, size_t size);
Hint hthread_attr_getstacksize(const hthread_attr_t *attr, size_t *size);
Hint hthread_attr_setstackaddr(hthread_attr_t *attr, void *address);
Hint hthread_attr_getstackaddr(const hthread_attr_t *attr, void **address);
Hint hthread_attr_setstack(hthread_attr_t *attr, void *address, size_t size);
Hint hthread_attr_getstack(const hthread_attr_t *attr, void **address, size_t *size);
Hint hthread_attr_setschedparam(hthread_attr_t *attr, const struct sched_param *param);
Hint hthread_attr_getschedparam(const hthread_attr_t *attr, struct sched_param *param);
/* ENODEV: no hardware thread at that address; the attribute does not change. */
Hint hthread_attr_sethardware(hthread_attr_t *attr, void *base_address);

/* ENOTSUP, as in hthreads. */
Hint hthread_attr_setinheritsched(hthread_attr_t *attr, Hint *inherit);
Hint hthread_attr_getinheritsched(const hthread_attr_t *attr, Hint *inherit);
Hint hthread_attr_setschedpolicy(hthread_attr_t *attr, Hint policy);
Hint hthread_attr_getschedpolicy(const hthread_attr_t *attr, Hint *policy);
Hint hthread_attr_setscope(const hthread_attr_t *attr, Hint scope);
Hint hthread_attr_getscope(const hthread_attr_t *attr, Hint *scope);

/* Hardware threads. */
#define HWTI_BASEADDR(n) ((void *)(CL_HWT + CL_HWT_STRIDE * (n)))
#define HWTI_ZERO_BASEADDR HWTI_BASEADDR(0)
#define HWTI_ONE_BASEADDR HWTI_BASEADDR(1)
#define HWTI_TWO_BASEADDR HWTI_BASEADDR(2)
#define HWTI_THREE_BASEADDR HWTI_BASEADDR(3)
#define HWTI_BASEADDR0 HWTI_BASEADDR(0)
#define HWTI_BASEADDR1 HWTI_BASEADDR(1)
#define HWTI_BASEADDR2 HWTI_BASEADDR(2)
#define HWTI_BASEADDR3 HWTI_BASEADDR(3)

/* EINVAL: `thread` is NULL, or no function and not hardware. EAGAIN: no thread left. EBUSY: the hardware unit has a
 * thread. attr may be NULL. */
Hint hthread_create(hthread_t *thread, const hthread_attr_t *attr, hthread_start_t start, void *argument);
__attribute__((noreturn)) void hthread_exit(void *value);
/* Waits until a child has ended. ESRCH: no such thread. EDEADLK: the caller itself. ECHILD: created by another thread.
 * EINVAL: detached. EBUSY: another thread is joining it. */
Hint hthread_join(hthread_t thread, void **value);
Hint hthread_detach(hthread_t thread); /* ESRCH. EINVAL: detached already. EBUSY: being joined */
Hint hthread_yield(void);
Hint hthread_sched(void); /* the same */
Hint hthread_equal(hthread_t a, hthread_t b);
hthread_t hthread_self(void);
/* The policy is ignored. ESRCH: no such thread. ESHUTDOWN: it has ended. ENOTSUP: a hardware or idle thread. With
 * fewer than 128 priorities neighbouring values share a level. */
Hint hthread_setschedparam(hthread_t thread, Hint policy, const struct sched_param *param);
Hint hthread_getschedparam(hthread_t thread, Hint *policy, struct sched_param *param); /* policy may be NULL */

/* --- Mutexes ------------------------------------------------------------------------------------------------ */

#define HTHREAD_MUTEX_FAST_NP 0
#define HTHREAD_MUTEX_RECURSIVE_NP 1
#define HTHREAD_MUTEX_ERRORCHECK_NP 2
#define HTHREAD_MUTEX_DEFAULT HTHREAD_MUTEX_FAST_NP
#define HT_SEM_MAXNUM (CL_MUTEXES - 1)
/* hthreads has them empty; these are zeros, too. */
#define HTHREAD_MUTEX_INITIALIZER {0}
#define HTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP {.type = HTHREAD_MUTEX_RECURSIVE_NP}
#define HTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP {.type = HTHREAD_MUTEX_ERRORCHECK_NP}

typedef struct {
  Huint num;
  Huint type;
  pthread_mutex_t mutex;
  Huint owner_plus_1; /* looked at by others, but equal to them only if they hold it */
  Huint depth;        /* recursive: how often its owner has locked it */
} hthread_mutex_t;
typedef struct {
  Huint num;
  Huint type;
} hthread_mutexattr_t;

Hint hthread_mutexattr_init(hthread_mutexattr_t *attr);
Hint hthread_mutexattr_destroy(hthread_mutexattr_t *attr);
Hint hthread_mutexattr_setnum(hthread_mutexattr_t *attr, Huint num); /* EINVAL: above HT_SEM_MAXNUM */
Hint hthread_mutexattr_getnum(hthread_mutexattr_t *attr, Huint *num);
Hint hthread_mutexattr_settype(hthread_mutexattr_t *attr, Huint type);
Hint hthread_mutexattr_gettype(hthread_mutexattr_t *attr, Hint *type);
Hint hthread_mutexattr_setpshared(hthread_mutexattr_t *attr, Hint shared); /* ENOTSUP, and so are the next five */
Hint hthread_mutexattr_getpshared(hthread_mutexattr_t *attr, Hint *shared);
Hint hthread_mutexattr_setprotocol(hthread_mutexattr_t *attr, Hint protocol);
Hint hthread_mutexattr_getprotocol(hthread_mutexattr_t *attr, Hint *protocol);
Hint hthread_mutexattr_setprioceiling(hthread_mutexattr_t *attr, Hint ceiling);
Hint hthread_mutexattr_getprioceiling(hthread_mutexattr_t *attr, Hint *ceiling);

/* Locking a non-recursive mutex again returns EDEADLK; unlocking by another thread returns EPERM for
 * every mutex. */
Hint hthread_mutex_init(hthread_mutex_t *mutex, const hthread_mutexattr_t *attr);
Hint hthread_mutex_destroy(hthread_mutex_t *mutex); /* EBUSY: locked */
Hint hthread_mutex_lock(hthread_mutex_t *mutex);
Hint hthread_mutex_trylock(hthread_mutex_t *mutex); /* EBUSY: locked by another thread, or not recursive */
Hint hthread_mutex_unlock(hthread_mutex_t *mutex);
Hint hthread_mutex_getnum(hthread_mutex_t *mutex); /* what its attribute said */
Hint hthread_mutex_setprioceiling(hthread_mutex_t *mutex, Hint ceiling); /* ENOTSUP */
Hint hthread_mutex_getprioceiling(hthread_mutex_t *mutex, Hint *ceiling); /* ENOTSUP */

/* --- Condition variables -------------------------------------------------------------------------------------- */

#define HT_CVR_MAXNUM (CL_CONDITIONS - 1)
#define HTHREAD_COND_INITIALIZER {0}

typedef struct {
  Huint num;
  pthread_cond_t cond;
} hthread_cond_t;
typedef struct {
  Huint num;
} hthread_condattr_t;

Hint hthread_condattr_init(hthread_condattr_t *attr);
Hint hthread_condattr_destroy(hthread_condattr_t *attr);
Hint hthread_condattr_setnum(hthread_condattr_t *attr, Huint num); /* EINVAL: above HT_CVR_MAXNUM */
Hint hthread_condattr_getnum(hthread_condattr_t *attr, Huint *num);
Hint hthread_condattr_setpshared(hthread_condattr_t *attr, Hint shared); /* ENOTSUP */
Hint hthread_condattr_getpshared(hthread_condattr_t *attr, Hint *shared); /* ENOTSUP */

Hint hthread_cond_init(hthread_cond_t *cond, hthread_condattr_t *attr);
Hint hthread_cond_destroy(hthread_cond_t *cond);                        /* EBUSY: somebody waits */
Hint hthread_cond_signal(hthread_cond_t *cond);
Hint hthread_cond_broadcast(hthread_cond_t *cond);
/* EPERM: the caller does not hold the mutex. A recursive mutex is released completely, however often it was locked. */
Hint hthread_cond_wait(hthread_cond_t *cond, hthread_mutex_t *mutex);
Hint hthread_cond_getnum(hthread_cond_t *cond);

/* --- Interrupts ------------------------------------------------------------------------------------------------ */

/* Binds interrupt line iid to the caller, if it is not bound yet, and waits for its next interrupt (or takes the one
 * that has come since the last call). EINVAL: no such line. EBUSY: bound to another thread or object. */
Hint hthread_intrassoc(Huint iid);

#ifdef __cplusplus
}
#endif

#endif
