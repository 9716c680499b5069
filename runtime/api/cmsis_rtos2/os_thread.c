/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "os.h"

struct thread {
  struct os_object object;
  struct cl_api_thread is;
  osThreadFunc_t function;
  void *argument;
  osPriority_t priority;
  uint32_t flags;
  struct cl_queue waits_flags, joiners;
  uint32_t affinity;
  uint8_t detached, terminated, reaped;
};

static struct os_object *threads; /* those that have not ended */
static uint32_t count;

static inline struct thread *self(void) {
  const struct cl_api_thread *thread = cl_api_self();
  return thread ? thread->owner : NULL;
}

/* The kernel's priorities: one for each level if there are enough; else four for each group, of which the last is that
 * of its levels 3 to 7. */
int os_kernel_priority(osPriority_t priority) {
  if (CL_PRIORITIES >= osPriorityISR + 4) return priority;
  int level = priority % 8;
  return priority < osPriorityLow ? 1 : priority / 8 * 4 - 2 + (level < 3 ? level : 3);
}
_Static_assert(28 < CL_API_DISPATCH, "osPriorityISR is below what locks the kernel");

static int is_priority(osPriority_t priority) {
  return priority == osPriorityIdle || (priority >= osPriorityLow && priority <= osPriorityISR);
}

static void run(struct cl_api_thread *me) {
  const struct thread *thread = me->owner;
  thread->function(thread->argument);
}

static void forget(struct thread *thread) {
  struct os_object **link = &threads;
  while (*link != &thread->object) link = &(*link)->next;
  *link = thread->object.next;
  count--;
}

static void ended(struct cl_api_thread *me, int by_other) {
  struct thread *thread = me->owner;
  forget(thread);
  thread->terminated = 1;
  thread->reaped = by_other != 0;
  if (thread->detached) {
    os_free(&thread->object);
  } else if (thread->joiners.first) { /* which alone joins it */
    thread->detached = 1;
    cl_api_wake_all(&thread->joiners, osOK);
  }
}

static int give_stack(pthread_attr_t *attr, const osThreadAttr_t *given) {
  if (!given) return 1;
  if (given->stack_mem && ((uintptr_t)given->stack_mem & 7 || !given->stack_size)) return 0;
  if (given->stack_size < PTHREAD_STACK_MIN) return 1; /* one of the pool is larger */
  if (given->stack_mem) return !pthread_attr_setstack(attr, given->stack_mem, given->stack_size & ~7u);
  return given->stack_size <= PTHREAD_STACK_DEFAULT_NP || !pthread_attr_setstacksize(attr, given->stack_size);
}

static int give_cpus(pthread_attr_t *attr, uint32_t *mask) {
  if (!*mask) *mask = CL_ALL_CPUS;
  return !pthread_attr_setaffinity_np(attr, sizeof(cpu_set_t), &(cpu_set_t){*mask});
}

osThreadId_t osThreadNew(osThreadFunc_t func, void *argument, const osThreadAttr_t *attr) {
  pthread_attr_t with;
  osPriority_t priority = attr && attr->priority != osPriorityNone ? attr->priority : osPriorityNormal;
  uint32_t affinity = attr ? attr->affinity_mask : 0, bits = attr ? attr->attr_bits : 0;
  if (!func || !is_priority(priority) || (attr && attr->tz_module)) return NULL;
  if ((bits & (osThreadPrivileged | osThreadUnprivileged)) == (osThreadPrivileged | osThreadUnprivileged)) return NULL;
  pthread_attr_init(&with);
  if (!give_stack(&with, attr) || !give_cpus(&with, &affinity)) return NULL;
  struct thread *thread = os_new(OS_THREAD, sizeof *thread, attr);
  if (!thread) return NULL;
  thread->is = (struct cl_api_thread){
      .run = run, .ended = ended, .owner = thread, .priority = os_kernel_priority(priority)};
  thread->function = func;
  thread->argument = argument;
  thread->priority = priority;
  thread->affinity = affinity;
  thread->detached = !(bits & osThreadJoinable);
  thread->is.keeps = !thread->detached;
  if (thread->object.name) {
    char name[PTHREAD_NAME_MAX_NP] = "";
    strncpy(name, thread->object.name, sizeof name - 1);
    pthread_attr_setname_np(&with, name);
  }
  int status = cl_api_create(&thread->is, &with);
  cl_api_enter();
  if (status) {
    os_free(&thread->object);
  } else {
    struct os_object **last = &threads;
    while (*last) last = &(*last)->next;
    *last = &thread->object;
    count++;
  }
  cl_api_leave();
  if (status) return NULL;
  if (os_state == osKernelRunning) cl_api_start(&thread->is);
  return thread;
}

/* Main lets them run, and is no more; it is above them meanwhile. */
osStatus_t osKernelStart(void) {
  if (cl_api_in_handler()) return osErrorISR;
  if (os_state != osKernelReady) return osError;
  pthread_setschedprio(pthread_self(), CL_API_TOP);
  os_state = osKernelRunning;
  for (struct os_object *each = threads, *next; each; each = next) {
    next = each->next; /* on another CPU it may have ended by then */
    cl_api_start(&((struct thread *)each)->is);
  }
  pthread_exit(NULL);
}

const char *osThreadGetName(osThreadId_t id) { return os_name(id, OS_THREAD); }

osThreadId_t osThreadGetId(void) { return self(); }

/* The caller's rights: not a handler; and that there is the thread, which has not ended. */
static osStatus_t usable(const struct thread *thread) {
  if (cl_api_in_handler()) return osErrorISR;
  if (!os_is(thread, OS_THREAD)) return osErrorParameter;
  return thread->terminated ? osErrorResource : osOK;
}

osThreadState_t osThreadGetState(osThreadId_t id) {
  struct thread *thread = id;
  osStatus_t status = usable(thread);
  if (status) return status == osErrorResource ? osThreadTerminated : osThreadError;
  if (thread == self()) return osThreadRunning;
  if (thread->is.suspended) return osThreadBlocked;
  uint32_t word = cl_op_thread_read(thread->is.number);
  switch (word >> CL_THREAD_WORD_STATE_LSB & CL_THREAD_WORD_STATE_MASK) {
    case CL_STATE_RUNNING: return osThreadRunning;
    case CL_STATE_BLOCKED: return osThreadBlocked;
    case CL_STATE_EXITED: return osThreadTerminated;
    default: return osThreadReady;
  }
}

static uint32_t stack_of(struct thread *thread, char **low) {
  pthread_attr_t attr;
  void *stack;
  size_t size;
  if (usable(thread) || pthread_getattr_np(thread->is.number, &attr)) return 0;
  pthread_attr_getstack(&attr, &stack, &size);
  *low = stack;
  return (uint32_t)size;
}

uint32_t osThreadGetStackSize(osThreadId_t id) {
  char *low;
  return stack_of(id, &low);
}

uint32_t osThreadGetStackSpace(osThreadId_t id) {
  struct thread *thread = id;
  char *low;
  uint32_t size = stack_of(thread, &low);
  if (!size) return 0;
  const char *at = thread == self() ? (char *)&low : (char *)(uintptr_t)cl_threads[thread->is.number].sp;
  return (uint32_t)(at - low);
}

osStatus_t osThreadSetPriority(osThreadId_t id, osPriority_t priority) {
  struct thread *thread = id;
  osStatus_t status = usable(thread);
  if (status != osErrorISR && !is_priority(priority)) status = osErrorParameter;
  if (status) return status;
  thread->priority = priority;
  cl_api_set_priority(&thread->is, os_kernel_priority(priority));
  return osOK;
}

osPriority_t osThreadGetPriority(osThreadId_t id) {
  return usable(id) ? osPriorityError : ((struct thread *)id)->priority;
}

osStatus_t osThreadYield(void) {
  if (cl_api_in_handler()) return osErrorISR;
  sched_yield();
  return osOK;
}

osStatus_t osThreadSuspend(osThreadId_t id) {
  struct thread *thread = id;
  osStatus_t status = usable(thread);
  if (status) return status;
  if (thread->is.suspended || (thread == self() && !os_may_wait())) return osErrorResource;
  cl_api_suspend(&thread->is);
  return osOK;
}

osStatus_t osThreadResume(osThreadId_t id) {
  struct thread *thread = id;
  osStatus_t status = usable(thread);
  if (status) return status;
  if (thread->is.suspended) cl_api_resume(&thread->is);
  else if (!cl_api_release(&thread->is, CL_API_LATE)) return osErrorResource;
  return osOK;
}

osStatus_t osThreadDetach(osThreadId_t id) {
  struct thread *thread = id;
  osStatus_t status = usable(thread);
  if (status && status != osErrorResource) return status;
  cl_api_enter();
  int was = thread->detached, is_over = thread->terminated && !thread->reaped;
  pthread_t number = thread->is.number;
  thread->detached = 1;
  thread->is.keeps = 0;
  if (!was) {
    cl_api_wake_all(&thread->joiners, osErrorResource);
    if (thread->terminated) os_free(&thread->object);
  }
  cl_api_leave();
  if (was) return osErrorResource;
  if (is_over) pthread_detach(number);
  return osOK;
}

osStatus_t osThreadJoin(osThreadId_t id) {
  struct thread *thread = id;
  osStatus_t status = usable(thread);
  if (status && status != osErrorResource) return status;
  if (thread == self() || (!thread->terminated && !os_may_wait())) return osErrorResource;
  cl_api_enter();
  if (thread->detached || thread->joiners.first) {
    cl_api_leave();
    return osErrorResource;
  }
  if (thread->terminated) {
    thread->detached = 1; /* from others, which do not join it, too */
    cl_api_leave();
  } else {
    struct cl_api_waiter me;
    status = (osStatus_t)cl_api_wait(&thread->joiners, &me, CL_NEVER, osErrorResource);
    if (status) return status;
  }
  if (!thread->reaped) pthread_join(thread->is.number, NULL);
  cl_api_enter();
  os_free(&thread->object);
  cl_api_leave();
  return osOK;
}

void osThreadExit(void) {
  if (!self()) pthread_exit(NULL); /* main */
  cl_api_exit();
}

osStatus_t osThreadTerminate(osThreadId_t id) {
  struct thread *thread = id;
  osStatus_t status = usable(thread);
  if (status) return status;
  if (thread == self()) osThreadExit();
  cl_api_enter();
  int is_over = !os_is(thread, OS_THREAD) || thread->terminated || thread->is.ending; /* on another CPU, or by one */
  if (!is_over) thread->is.ending = 1;
  cl_api_leave_quietly();
  if (is_over) return osErrorResource;
  cl_api_end(&thread->is);
  return osOK;
}

uint32_t osThreadGetCount(void) { return cl_api_in_handler() ? 0 : count; }

uint32_t osThreadEnumerate(osThreadId_t *array, uint32_t items) {
  uint32_t found = 0;
  if (cl_api_in_handler() || !array) return 0;
  cl_api_enter();
  for (struct os_object *each = threads; each && found < items; each = each->next) array[found++] = each;
  cl_api_leave();
  return found;
}

osStatus_t osThreadSetAffinityMask(osThreadId_t id, uint32_t mask) {
  struct thread *thread = id;
  osStatus_t status = usable(thread);
  if (status) return status;
  if (pthread_setaffinity_np(thread->is.number, sizeof(cpu_set_t), &(cpu_set_t){mask})) return osErrorParameter;
  thread->affinity = mask & CL_ALL_CPUS;
  return osOK;
}

uint32_t osThreadGetAffinityMask(osThreadId_t id) { return usable(id) ? 0 : ((struct thread *)id)->affinity; }

/* --- flags ---------------------------------------------------------------------------------------- */

struct waiter {
  struct cl_api_waiter is;
  uint32_t wanted, options;
};

/* Takes what is wanted. -1: it is not all there. */
static int take(uint32_t *flags, uint32_t wanted, uint32_t options) {
  uint32_t there = *flags, found = there & wanted;
  if (options & osFlagsWaitAll ? found != wanted : !found) return -1;
  if (!(options & osFlagsNoClear)) *flags &= ~wanted;
  return (int)there;
}

int os_flags_wait(uint32_t *flags, struct cl_queue *queue, uint32_t wanted, uint32_t options, uint32_t timeout) {
  struct waiter me = {.wanted = wanted, .options = options};
  cl_api_enter();
  int found = take(flags, wanted, options);
  if (found < 0 && timeout && os_may_wait()) return cl_api_wait(queue, &me.is, os_at(timeout), osErrorTimeout);
  cl_api_leave_quietly();
  return found >= 0 ? found : timeout ? osErrorTimeout : osErrorResource;
}

uint32_t os_flags_set(uint32_t *flags, struct cl_queue *queue, uint32_t set) {
  cl_api_enter();
  *flags |= set;
  for (struct cl_api_waiter *each = cl_api_first(queue), *next; each; each = next) {
    next = cl_api_next(queue, each);
    int found = take(flags, ((struct waiter *)each)->wanted, ((struct waiter *)each)->options);
    if (found >= 0) cl_api_wake(each, found);
  }
  uint32_t left = *flags;
  cl_api_leave();
  return left;
}

uint32_t os_flags_clear(uint32_t *flags, uint32_t cleared) {
  cl_api_enter();
  uint32_t before = *flags;
  *flags &= ~cleared;
  cl_api_leave_quietly();
  return before;
}

uint32_t osThreadFlagsSet(osThreadId_t id, uint32_t flags) {
  struct thread *thread = id;
  if (!os_is(thread, OS_THREAD) || flags & osFlagsError) return osFlagsErrorParameter;
  if (thread->terminated) return osFlagsErrorResource;
  return os_flags_set(&thread->flags, &thread->waits_flags, flags);
}

/* The caller has none. */
static uint32_t no_flags(void) { return cl_api_in_handler() ? osFlagsErrorISR : osFlagsErrorUnknown; }

uint32_t osThreadFlagsClear(uint32_t flags) {
  struct thread *me = self();
  if (!me) return no_flags();
  return flags & osFlagsError ? osFlagsErrorParameter : os_flags_clear(&me->flags, flags);
}

uint32_t osThreadFlagsGet(void) {
  const struct thread *me = self();
  return me ? me->flags : 0;
}

uint32_t osThreadFlagsWait(uint32_t flags, uint32_t options, uint32_t timeout) {
  struct thread *me = self();
  if (!me) return no_flags();
  if (flags & osFlagsError) return osFlagsErrorParameter;
  return (uint32_t)os_flags_wait(&me->flags, &me->waits_flags, flags, options, timeout);
}
