/* SPDX-License-Identifier: Apache-2.0
 *
 * Timers, event flags, mutexes, semaphores. */
#include <errno.h>

#include "os.h"

/* --- timers --------------------------------------------------------------------------------------- */

struct timer {
  struct os_object object;
  struct cl_api_alarm alarm;
  osTimerFunc_t function;
  void *argument;
  uint32_t period; /* ticks; 0: once */
  osTimerType_t type;
};

static void expire(struct cl_api_alarm *alarm) {
  struct timer *timer = (struct timer *)((char *)alarm - offsetof(struct timer, alarm));
  osTimerFunc_t function = timer->function;
  void *argument = timer->argument;
  if (timer->period) cl_api_alarm_start(alarm, alarm->at + (uint64_t)timer->period * OS_TICK);
  cl_api_leave();
  function(argument);
}

osTimerId_t osTimerNew(osTimerFunc_t func, osTimerType_t type, void *argument, const osTimerAttr_t *attr) {
  if (!func || (type != osTimerOnce && type != osTimerPeriodic)) return NULL;
  if (cl_api_in_handler() || cl_api_alarms(os_kernel_priority(osPriorityHigh), 0)) return NULL;
  struct timer *timer = os_new(OS_TIMER, sizeof *timer, attr);
  if (!timer) return NULL;
  timer->alarm.call = expire;
  timer->function = func;
  timer->argument = argument;
  timer->type = type;
  return timer;
}

const char *osTimerGetName(osTimerId_t id) { return os_name(id, OS_TIMER); }

static osStatus_t usable(const struct timer *timer) {
  if (cl_api_in_handler()) return osErrorISR;
  return os_is(timer, OS_TIMER) ? osOK : osErrorParameter;
}

osStatus_t osTimerStart(osTimerId_t id, uint32_t ticks) {
  struct timer *timer = id;
  osStatus_t status = usable(timer);
  if (status || !ticks) return status ? status : osErrorParameter;
  cl_api_enter();
  cl_api_alarm_stop(&timer->alarm);
  timer->period = timer->type == osTimerPeriodic ? ticks : 0;
  cl_api_alarm_start(&timer->alarm, os_at(ticks));
  cl_api_leave();
  return osOK;
}

static osStatus_t stop(struct timer *timer, int is_deleted) {
  osStatus_t status = usable(timer);
  if (status) return status;
  cl_api_enter();
  if (!timer->alarm.runs) status = osErrorResource;
  timer->period = 0;
  cl_api_alarm_stop(&timer->alarm);
  if (is_deleted) os_free(&timer->object);
  cl_api_leave();
  return is_deleted ? osOK : status;
}

osStatus_t osTimerStop(osTimerId_t id) { return stop(id, 0); }
osStatus_t osTimerDelete(osTimerId_t id) { return stop(id, 1); }
uint32_t osTimerIsRunning(osTimerId_t id) { return usable(id) ? 0 : ((struct timer *)id)->alarm.runs; }

/* --- event flags ---------------------------------------------------------------------------------- */

struct events {
  struct os_object object;
  uint32_t flags;
  struct cl_queue waiters;
};

osEventFlagsId_t osEventFlagsNew(const osEventFlagsAttr_t *attr) {
  return os_new(OS_EVENTS, sizeof(struct events), attr);
}

const char *osEventFlagsGetName(osEventFlagsId_t id) { return os_name(id, OS_EVENTS); }

uint32_t osEventFlagsSet(osEventFlagsId_t id, uint32_t flags) {
  struct events *events = id;
  if (!os_is(events, OS_EVENTS) || flags & osFlagsError) return osFlagsErrorParameter;
  return os_flags_set(&events->flags, &events->waiters, flags);
}

uint32_t osEventFlagsClear(osEventFlagsId_t id, uint32_t flags) {
  struct events *events = id;
  if (!os_is(events, OS_EVENTS) || flags & osFlagsError) return osFlagsErrorParameter;
  return os_flags_clear(&events->flags, flags);
}

uint32_t osEventFlagsGet(osEventFlagsId_t id) { return os_is(id, OS_EVENTS) ? ((struct events *)id)->flags : 0; }

uint32_t osEventFlagsWait(osEventFlagsId_t id, uint32_t flags, uint32_t options, uint32_t timeout) {
  struct events *events = id;
  if (OS_WAITS(id, OS_EVENTS, timeout) || flags & osFlagsError) return osFlagsErrorParameter;
  return (uint32_t)os_flags_wait(&events->flags, &events->waiters, flags, options, timeout);
}

osStatus_t os_delete(void *id, enum os_kind kind, struct cl_queue *one, struct cl_queue *other) {
  if (cl_api_in_handler()) return osErrorISR;
  cl_api_enter();
  int is_one = os_is(id, kind); /* another CPU may delete it, too */
  if (is_one) {
    cl_api_wake_all(one, osErrorResource);
    if (other) cl_api_wake_all(other, osErrorResource);
    os_free(id);
  }
  cl_api_leave();
  return is_one ? osOK : osErrorParameter;
}

osStatus_t osEventFlagsDelete(osEventFlagsId_t id) {
  return os_delete(id, OS_EVENTS, &((struct events *)id)->waiters, NULL);
}

/* --- mutexes, which are those of the POSIX layer --------------------------------------------------- */

struct mutex {
  struct os_object object;
  pthread_mutex_t is;
  osThreadId_t owner;
  uint32_t depth;
  volatile uint8_t deleted; /* and somebody has it, or is about to */
};

osMutexId_t osMutexNew(const osMutexAttr_t *attr) {
  uint32_t bits = attr ? attr->attr_bits : 0;
  pthread_mutexattr_t with;
  if (bits & ~(osMutexRecursive | osMutexPrioInherit | osMutexRobust)) return NULL;
  struct mutex *mutex = os_new(OS_MUTEX, sizeof *mutex, attr);
  if (!mutex) return NULL;
  pthread_mutexattr_init(&with);
  if (bits & osMutexRecursive) pthread_mutexattr_settype(&with, PTHREAD_MUTEX_RECURSIVE);
  if (bits & osMutexPrioInherit) pthread_mutexattr_setprotocol(&with, PTHREAD_PRIO_INHERIT);
  if (bits & osMutexRobust) pthread_mutexattr_setrobust(&with, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&mutex->is, &with);
  return mutex;
}

const char *osMutexGetName(osMutexId_t id) { return os_name(id, OS_MUTEX); }

/* The caller has the mutex, which has been deleted, and lets the next one find that. The last one frees it. */
CL_COLD static osStatus_t leave_deleted(struct mutex *mutex) {
  mutex->owner = NULL;
  pthread_mutex_unlock(&mutex->is);
  if (!pthread_mutex_destroy(&mutex->is)) {
    cl_api_enter();
    os_free(&mutex->object);
    cl_api_leave();
  }
  return osErrorResource;
}

#define LONGEST (UINT32_MAX / 2) /* cycles of one wait */

static int lock_until(struct mutex *mutex, uint64_t at) {
  for (;;) {
    uint64_t now = cl_now(), left = at > now ? at - now : 0;
    int status = pthread_mutex_timedlock_np(&mutex->is, left > LONGEST ? LONGEST : (uint32_t)left);
    if (status != ETIMEDOUT || left <= LONGEST) return status;
  }
}

osStatus_t osMutexAcquire(osMutexId_t id, uint32_t timeout) {
  struct mutex *mutex = id;
  if (cl_api_in_handler()) return osErrorISR;
  if (!os_is(mutex, OS_MUTEX) || mutex->deleted) return osErrorParameter;
  int may_wait = timeout && os_may_wait();
  int status = !may_wait                  ? pthread_mutex_trylock(&mutex->is)
               : timeout == osWaitForever ? pthread_mutex_lock(&mutex->is)
                                          : lock_until(mutex, os_at(timeout));
  if (CL_UNLIKELY(status == EOWNERDEAD)) {
    pthread_mutex_consistent(&mutex->is);
    mutex->depth = 0;
    status = 0;
  }
  if (CL_UNLIKELY(status)) {
    if (status == EDEADLK && may_wait && timeout != osWaitForever) osDelay(timeout);
    return status == ETIMEDOUT || (timeout && timeout != osWaitForever) ? osErrorTimeout : osErrorResource;
  }
  if (CL_UNLIKELY(mutex->deleted)) return leave_deleted(mutex);
  mutex->owner = osThreadGetId();
  mutex->depth++;
  return osOK;
}

osStatus_t osMutexRelease(osMutexId_t id) {
  struct mutex *mutex = id;
  if (cl_api_in_handler()) return osErrorISR;
  if (!os_is(mutex, OS_MUTEX)) return osErrorParameter;
  if (!mutex->depth || mutex->owner != osThreadGetId()) return osErrorResource;
  if (!--mutex->depth) {
    mutex->owner = NULL;
    if (CL_UNLIKELY(mutex->deleted)) {
      leave_deleted(mutex);
      return osErrorParameter;
    }
  }
  return pthread_mutex_unlock(&mutex->is) ? osErrorResource : osOK;
}

osThreadId_t osMutexGetOwner(osMutexId_t id) {
  return cl_api_in_handler() || !os_is(id, OS_MUTEX) ? NULL : ((struct mutex *)id)->owner;
}

osStatus_t osMutexDelete(osMutexId_t id) {
  struct mutex *mutex = id;
  if (cl_api_in_handler()) return osErrorISR;
  if (!os_is(mutex, OS_MUTEX) || mutex->deleted) return osErrorParameter;
  mutex->deleted = 1;
  int status = 0;
  if (mutex->owner == osThreadGetId()) {
    for (; mutex->depth > 1; mutex->depth--) pthread_mutex_unlock(&mutex->is);
  } else {
    status = pthread_mutex_trylock(&mutex->is); /* else its owner deletes it */
  }
  mutex->depth = 0;
  if (!status) leave_deleted(mutex);
  return osOK;
}

/* --- semaphores ----------------------------------------------------------------------------------- */

struct semaphore {
  struct os_object object;
  struct cl_api_count is;
};

osSemaphoreId_t osSemaphoreNew(uint32_t max_count, uint32_t initial_count, const osSemaphoreAttr_t *attr) {
  if (!max_count || initial_count > max_count) return NULL;
  struct semaphore *semaphore = os_new(OS_SEMAPHORE, sizeof *semaphore, attr);
  if (!semaphore) return NULL;
  semaphore->is = (struct cl_api_count){.count = initial_count, .most = max_count};
  return semaphore;
}

const char *osSemaphoreGetName(osSemaphoreId_t id) { return os_name(id, OS_SEMAPHORE); }

osStatus_t osSemaphoreAcquire(osSemaphoreId_t id, uint32_t timeout) {
  struct semaphore *semaphore = id;
  struct cl_api_waiter me;
  if (CL_UNLIKELY(OS_WAITS(id, OS_SEMAPHORE, timeout))) return osErrorParameter;
  cl_api_enter();
  if (CL_LIKELY(semaphore->is.count)) {
    semaphore->is.count--;
    cl_api_leave_quietly();
    return osOK;
  }
  if (timeout && os_may_wait())
    return (osStatus_t)cl_api_wait(&semaphore->is.waiters, &me, os_at(timeout), osErrorTimeout);
  cl_api_leave_quietly();
  return timeout ? osErrorTimeout : osErrorResource;
}

osStatus_t osSemaphoreRelease(osSemaphoreId_t id) {
  if (CL_UNLIKELY(!os_is(id, OS_SEMAPHORE))) return osErrorParameter;
  return (osStatus_t)cl_api_give(&((struct semaphore *)id)->is, osErrorResource);
}

uint32_t osSemaphoreGetCount(osSemaphoreId_t id) {
  return os_is(id, OS_SEMAPHORE) ? ((struct semaphore *)id)->is.count : 0;
}

osStatus_t osSemaphoreDelete(osSemaphoreId_t id) {
  return os_delete(id, OS_SEMAPHORE, &((struct semaphore *)id)->is.waiters, NULL);
}
