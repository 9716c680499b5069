/* SPDX-License-Identifier: Apache-2.0
 *
 * hthreads: names and conventions; all else is POSIX's. */
#include "hthread.h"

#include "coreloom.h"
#include "posix.h"

/* --- threads ------------------------------------------------------------------------------------ */

/* Here 0 is the most urgent of 128, there it is the least urgent of CL_PRIORITIES. */
static int to_priority(Huint param) { return (int)(CL_PRIORITIES - 1 - param * CL_PRIORITIES / 128); }
static Hint to_param(int priority) { return (CL_PRIORITIES - 1 - priority) * 128 / CL_PRIORITIES; }

Hint hthread_attr_init(hthread_attr_t *attr) {
  *attr = (hthread_attr_t){.stack_size = HT_DEFAULT_STACK_SIZE, .sched_param = HT_DEFAULT_PRI};
  return SUCCESS;
}

Hint hthread_attr_destroy(hthread_attr_t *attr) { return hthread_attr_init(attr); }

Hint hthread_attr_setdetachstate(hthread_attr_t *attr, Hint state) {
  if (state != HTHREAD_CREATE_JOINABLE && state != HTHREAD_CREATE_DETACHED) return EINVAL;
  attr->detached = state == HTHREAD_CREATE_DETACHED ? Htrue : Hfalse;
  return SUCCESS;
}

Hint hthread_attr_getdetachstate(const hthread_attr_t *attr, Hint *state) {
  *state = attr->detached ? HTHREAD_CREATE_DETACHED : HTHREAD_CREATE_JOINABLE;
  return SUCCESS;
}

Hint hthread_attr_setstacksize(hthread_attr_t *attr, size_t size) {
  if (size < HTHREAD_STACK_MIN) return EINVAL;
  attr->stack_size = size;
  return SUCCESS;
}

Hint hthread_attr_getstacksize(const hthread_attr_t *attr, size_t *size) {
  *size = attr->stack_size;
  return SUCCESS;
}

Hint hthread_attr_setstackaddr(hthread_attr_t *attr, void *address) {
  attr->stack_addr = address;
  return SUCCESS;
}

Hint hthread_attr_getstackaddr(const hthread_attr_t *attr, void **address) {
  *address = attr->stack_addr;
  return SUCCESS;
}

Hint hthread_attr_setstack(hthread_attr_t *attr, void *address, size_t size) {
  if (size < HTHREAD_STACK_MIN) return EINVAL;
  attr->stack_addr = address;
  attr->stack_size = size;
  return SUCCESS;
}

Hint hthread_attr_getstack(const hthread_attr_t *attr, void **address, size_t *size) {
  *address = attr->stack_addr;
  *size = attr->stack_size;
  return SUCCESS;
}

Hint hthread_attr_setschedparam(hthread_attr_t *attr, const struct sched_param *param) {
  if (param->sched_priority < 0 || param->sched_priority > HTHREAD_SCHEDPARAM_MAX) return EINVAL;
  attr->sched_param = (Huint)param->sched_priority;
  return SUCCESS;
}

Hint hthread_attr_getschedparam(const hthread_attr_t *attr, struct sched_param *param) {
  param->sched_priority = (Hint)attr->sched_param;
  return SUCCESS;
}

Hint hthread_attr_sethardware(hthread_attr_t *attr, void *base_address) {
  Huint offset = (Huint)(uintptr_t)base_address - CL_HWT;
  if (offset % CL_HWT_STRIDE || offset / CL_HWT_STRIDE >= (Huint)hardware_count_np()) return ENODEV;
  attr->hardware = Htrue;
  attr->hardware_addr = (Huint)(uintptr_t)base_address;
  return SUCCESS;
}

#define NOT_SUPPORTED(name, ...) \
  Hint hthread_##name(__VA_ARGS__) { return ENOTSUP; }
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wunused-parameter"
NOT_SUPPORTED(attr_setinheritsched, hthread_attr_t *attr, Hint *inherit)
NOT_SUPPORTED(attr_getinheritsched, const hthread_attr_t *attr, Hint *inherit)
NOT_SUPPORTED(attr_setschedpolicy, hthread_attr_t *attr, Hint policy)
NOT_SUPPORTED(attr_getschedpolicy, const hthread_attr_t *attr, Hint *policy)
NOT_SUPPORTED(attr_setscope, const hthread_attr_t *attr, Hint scope)
NOT_SUPPORTED(attr_getscope, const hthread_attr_t *attr, Hint *scope)
NOT_SUPPORTED(mutexattr_setpshared, hthread_mutexattr_t *attr, Hint shared)
NOT_SUPPORTED(mutexattr_getpshared, hthread_mutexattr_t *attr, Hint *shared)
NOT_SUPPORTED(mutexattr_setprotocol, hthread_mutexattr_t *attr, Hint protocol)
NOT_SUPPORTED(mutexattr_getprotocol, hthread_mutexattr_t *attr, Hint *protocol)
NOT_SUPPORTED(mutexattr_setprioceiling, hthread_mutexattr_t *attr, Hint ceiling)
NOT_SUPPORTED(mutexattr_getprioceiling, hthread_mutexattr_t *attr, Hint *ceiling)
NOT_SUPPORTED(mutex_setprioceiling, hthread_mutex_t *mutex, Hint ceiling)
NOT_SUPPORTED(mutex_getprioceiling, hthread_mutex_t *mutex, Hint *ceiling)
NOT_SUPPORTED(condattr_setpshared, hthread_condattr_t *attr, Hint shared)
NOT_SUPPORTED(condattr_getpshared, hthread_condattr_t *attr, Hint *shared)
#pragma clang diagnostic pop

Hint hthread_create(hthread_t *thread, const hthread_attr_t *attr, hthread_start_t start, void *argument) {
  hthread_attr_t defaults;
  pthread_attr_t theirs;
  if (!attr) {
    hthread_attr_init(&defaults);
    attr = &defaults;
  }
  if (!thread || (!start && !attr->hardware)) return EINVAL;
  if (attr->sched_param > HTHREAD_SCHEDPARAM_MAX) return EINVAL;
  struct sched_param param = {to_priority(attr->sched_param)};
  pthread_attr_init(&theirs);
  int status = pthread_attr_setschedparam(&theirs, &param);
  if (!status && attr->stack_addr) status = pthread_attr_setstack(&theirs, attr->stack_addr, attr->stack_size);
  if (!status && attr->hardware)
    status = pthread_attr_sethardware_np(&theirs, (int)((attr->hardware_addr - CL_HWT) / CL_HWT_STRIDE));
  if (status) return status;
  pthread_attr_setdetachstate(&theirs, attr->detached ? PTHREAD_CREATE_DETACHED : PTHREAD_CREATE_JOINABLE);
  pthread_t made;
  status = pthread_create(&made, &theirs, start, argument);
  if (!status) *thread = made;
  return status;
}

void hthread_exit(void *value) { pthread_exit(value); }

Hint hthread_join(hthread_t thread, void **value) {
  if (thread >= CL_THREADS || cl_status(cl_op_thread_read(thread))) return ESRCH;
  if (thread == pthread_self()) return EDEADLK;
  if (!thread || cl_posix_parent(thread) != pthread_self()) return ECHILD;
  return cl_posix_join(thread, value);
}

Hint hthread_detach(hthread_t thread) { return thread < CL_THREADS ? cl_status(cl_op_thread_detach(thread)) : ESRCH; }

Hint hthread_yield(void) { return sched_yield(); }
Hint hthread_sched(void) { return sched_yield(); }
Hint hthread_equal(hthread_t a, hthread_t b) { return a == b; }
hthread_t hthread_self(void) { return pthread_self(); }

Hint hthread_setschedparam(hthread_t thread, Hint policy, const struct sched_param *param) {
  (void)policy;
  if (thread >= CL_THREADS) return ESRCH;
  if (param->sched_priority < 0 || param->sched_priority > HTHREAD_SCHEDPARAM_MAX) return EINVAL;
  return cl_status(cl_op_set_sched_param(thread, (uint32_t)to_priority((Huint)param->sched_priority)));
}

Hint hthread_getschedparam(hthread_t thread, Hint *policy, struct sched_param *param) {
  if (thread >= CL_THREADS) return ESRCH;
  uint32_t word = cl_op_get_sched_param(thread);
  if (cl_status(word)) return cl_status(word);
  if (policy) *policy = SCHED_OTHER;
  uint32_t own = cl_value(word);
  int hardware = CL_PRIORITIES <= CL_HARDWARE_PARAM && own >= CL_HARDWARE_PARAM;
  param->sched_priority = hardware ? (Hint)own : to_param((int)own);
  return SUCCESS;
}

/* --- mutexes -------------------------------------------------------------------------------------- */

Hint hthread_mutexattr_init(hthread_mutexattr_t *attr) {
  *attr = (hthread_mutexattr_t){0, HTHREAD_MUTEX_DEFAULT};
  return SUCCESS;
}

Hint hthread_mutexattr_destroy(hthread_mutexattr_t *attr) { return hthread_mutexattr_init(attr); }

Hint hthread_mutexattr_setnum(hthread_mutexattr_t *attr, Huint num) {
  if (num >= CL_MUTEXES) return EINVAL;
  attr->num = num;
  return SUCCESS;
}

Hint hthread_mutexattr_getnum(hthread_mutexattr_t *attr, Huint *num) {
  *num = attr->num;
  return SUCCESS;
}

Hint hthread_mutexattr_settype(hthread_mutexattr_t *attr, Huint type) {
  if (type > HTHREAD_MUTEX_ERRORCHECK_NP) return EINVAL;
  attr->type = type;
  return SUCCESS;
}

Hint hthread_mutexattr_gettype(hthread_mutexattr_t *attr, Hint *type) {
  *type = (Hint)attr->type;
  return SUCCESS;
}

Hint hthread_mutex_init(hthread_mutex_t *mutex, const hthread_mutexattr_t *attr) {
  *mutex = (hthread_mutex_t){.num = attr ? attr->num : 0, .type = attr ? attr->type : HTHREAD_MUTEX_DEFAULT};
  return pthread_mutex_init(&mutex->mutex, NULL);
}

Hint hthread_mutex_destroy(hthread_mutex_t *mutex) { return pthread_mutex_destroy(&mutex->mutex); }

/* A recursive mutex that is the caller's already. */
static inline int again(hthread_mutex_t *mutex) {
  if (CL_LIKELY(mutex->type != HTHREAD_MUTEX_RECURSIVE_NP)) return 0;
  if (*(volatile Huint *)&mutex->owner_plus_1 != pthread_self() + 1) return 0;
  mutex->depth++;
  return 1;
}

static inline Hint locked(hthread_mutex_t *mutex, int status) {
  if (!status && mutex->type == HTHREAD_MUTEX_RECURSIVE_NP) {
    mutex->owner_plus_1 = pthread_self() + 1;
    mutex->depth = 1;
  }
  return status;
}

Hint hthread_mutex_lock(hthread_mutex_t *mutex) {
  return again(mutex) ? SUCCESS : locked(mutex, pthread_mutex_lock(&mutex->mutex));
}

Hint hthread_mutex_trylock(hthread_mutex_t *mutex) {
  return again(mutex) ? SUCCESS : locked(mutex, pthread_mutex_trylock(&mutex->mutex));
}

Hint hthread_mutex_unlock(hthread_mutex_t *mutex) {
  if (mutex->type == HTHREAD_MUTEX_RECURSIVE_NP) {
    if (*(volatile Huint *)&mutex->owner_plus_1 != pthread_self() + 1) return EPERM;
    if (--mutex->depth) return SUCCESS;
    mutex->owner_plus_1 = 0;
  }
  return pthread_mutex_unlock(&mutex->mutex);
}

Hint hthread_mutex_getnum(hthread_mutex_t *mutex) { return (Hint)mutex->num; }

/* --- condition variables ---------------------------------------------------------------------------- */

Hint hthread_condattr_init(hthread_condattr_t *attr) {
  attr->num = 0;
  return SUCCESS;
}

Hint hthread_condattr_destroy(hthread_condattr_t *attr) { return hthread_condattr_init(attr); }

Hint hthread_condattr_setnum(hthread_condattr_t *attr, Huint num) {
  if (num > HT_CVR_MAXNUM) return EINVAL;
  attr->num = num;
  return SUCCESS;
}

Hint hthread_condattr_getnum(hthread_condattr_t *attr, Huint *num) {
  *num = attr->num;
  return SUCCESS;
}

Hint hthread_cond_init(hthread_cond_t *cond, hthread_condattr_t *attr) {
  cond->num = attr ? attr->num : 0;
  return pthread_cond_init(&cond->cond, NULL);
}

Hint hthread_cond_destroy(hthread_cond_t *cond) { return pthread_cond_destroy(&cond->cond); }
Hint hthread_cond_signal(hthread_cond_t *cond) { return pthread_cond_signal(&cond->cond); }
Hint hthread_cond_broadcast(hthread_cond_t *cond) { return pthread_cond_broadcast(&cond->cond); }

Hint hthread_cond_wait(hthread_cond_t *cond, hthread_mutex_t *mutex) {
  Huint owner = mutex->owner_plus_1, depth = mutex->depth;
  if (mutex->type == HTHREAD_MUTEX_RECURSIVE_NP) {
    if (owner != pthread_self() + 1) return EPERM;
    mutex->owner_plus_1 = 0;
  }
  Hint status = pthread_cond_wait(&cond->cond, &mutex->mutex);
  if (mutex->type == HTHREAD_MUTEX_RECURSIVE_NP) {
    mutex->owner_plus_1 = owner;
    mutex->depth = depth;
  }
  return status;
}

Hint hthread_cond_getnum(hthread_cond_t *cond) { return (Hint)cond->num; }

/* --- interrupts --------------------------------------------------------------------------------------- */

Hint hthread_intrassoc(Huint iid) {
  int status = interrupt_wait_np(iid);
  if (status != ENOENT) return status == EPERM ? EBUSY : status;
  status = interrupt_bind_thread_np(iid);
  return status ? status : interrupt_wait_np(iid);
}
