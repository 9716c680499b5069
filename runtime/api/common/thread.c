/* SPDX-License-Identifier: Apache-2.0
 *
 * Threads of the front ends. A thread that computes is suspended or ended by a signal, whose handler looks what others
 * want; one that waits in a queue is taken out of it, or looks at the end of its wait. So a program in which nobody
 * suspends or ends another has no signals. */
#include "api.h"

#include <errno.h>
#include <signal.h>

struct cl_api_thread *cl_api_threads[CL_THREADS];

/* The gate of each thread number, at which it waits alone: a condition variable of the kernel, with the hardware kernel a
 * semaphore, at which to wait and to wake is one operation each. The numbers above the kernel's have none, and wait as all
 * do in memory/wait.c. It stays for the next thread of that number. */
#if defined(CL_KERNEL_HW)
#define NO_GATE CL_SEMAPHORES
#else
#define NO_GATE CL_CONDITIONS
#endif
static uint16_t gates_plus_1[CL_THREADS];

static void make_gate(uint32_t number) {
  if (gates_plus_1[number]) return;
#if defined(CL_KERNEL_HW)
  uint32_t word = cl_op_semaphore_create(0);
  gates_plus_1[number] = (uint16_t)((cl_status(word) ? NO_GATE : cl_value(word)) + 1);
#else
  uint32_t handle = cl_condition_handle();
  gates_plus_1[number] = (uint16_t)((handle == CL_IN_MEMORY ? NO_GATE : cl_object(handle)) + 1);
#endif
}

#if defined(CL_KERNEL_HW)
CL_APART void wait_until(uint32_t gate, uint64_t at) { cl_op_semaphore_wait(gate, at); }
#endif

/* With the lock, which it releases, until it is called or mtime `at`; perhaps for no reason. */
CL_INLINE void wait_at(uint32_t gate, uint64_t at) {
#if defined(CL_KERNEL_HW)
  cl_api_leave();
  if (CL_LIKELY(at == CL_NEVER)) cl_op_semaphore_wait(gate, CL_NEVER);
  else wait_until(gate, at);
#else
  uint32_t ticket = cl_backend_op(CL_OP_COND_TICKET, gate, 0);
  cl_api_leave();
  if (at == CL_NEVER) cl_op_cond_wait(gate, ticket, CL_NEVER);
  else cl_op_cond_wait(gate, ticket, at);
#endif
}

CL_INLINE void call_to(uint32_t gate) {
#if defined(CL_KERNEL_HW)
  cl_op_semaphore_post(gate); /* remembered, so the next wait may end too soon and begin again */
#else
  cl_backend_op(CL_OP_COND_SIGNAL, gate, 0);
#endif
}

static void *body(void *argument) {
  struct cl_api_thread *self = argument;
  make_gate(self->number);
  cl_api_look();
  self->run(self);
  cl_api_exit();
}

int cl_api_create(struct cl_api_thread *thread, pthread_attr_t *attr) {
  struct sched_param param = {thread->priority};
  pthread_attr_setschedparam(attr, &param);
  pthread_attr_setsuspended_np(attr, 1);
  int status = pthread_create(&thread->number, attr, body, thread);
  if (!status) cl_api_threads[thread->number] = thread;
  return status;
}

void cl_api_start(struct cl_api_thread *thread) { pthread_continue_np(thread->number); }

void cl_api_exit(void) {
  struct cl_api_thread *self = cl_api_self();
  if (self->locks) cl_api_unlock(self);
  cl_api_enter();
  int is_own = !self->ending && !self->keeps;
  cl_api_threads[self->number] = NULL;
  self->ended(self, self->ending);
  cl_api_leave();
  if (is_own) pthread_detach(pthread_self());
  pthread_exit(NULL);
}

/* What the caller sleeps for, or ends. */
CL_COLD void cl_api_look(void) {
  struct cl_api_thread *self = cl_api_self();
  if (!self) return;
  cl_api_enter();
  while (self->suspended && !self->ending) {
    struct cl_api_waiter me;
    cl_api_nap(&self->resumed, &me, CL_NEVER);
    cl_api_enter();
  }
  int ends = self->ending;
  cl_api_leave();
  if (ends) cl_api_exit();
}

static void look(int signal) {
  (void)signal;
  cl_api_look();
}

/* Of System V's signals the one that programs use least. */
#define LOOK SIGXFSZ

CL_COLD static void tell(const struct cl_api_thread *thread) {
  static volatile int done;
  if (!done) sigaction(LOOK, &(struct sigaction){.sa_handler = look, .sa_flags = SA_RESTART}, NULL);
  done = 1;
  pthread_kill(thread->number, LOOK);
}

CL_COLD void cl_api_suspend(struct cl_api_thread *thread) {
  cl_api_enter();
  thread->suspended = 1;
  int waits = thread->waits;
  cl_api_leave();
  if (thread == cl_api_self()) {
    cl_api_look();
  } else if (!waits) {
    if (pthread_suspend_np(thread->number)) {
      tell(thread);
      return;
    }
    cl_api_enter();
    int stays = thread->suspended && !thread->ending; /* else another CPU has resumed or ended it meanwhile */
    thread->parked = (uint8_t)stays;
    cl_api_leave();
    if (!stays) pthread_continue_np(thread->number);
  }
}

CL_COLD void cl_api_resume(struct cl_api_thread *thread) {
  cl_api_enter();
  int parked = thread->parked;
  thread->suspended = thread->parked = 0;
  cl_api_wake_first(&thread->resumed);
  cl_api_leave();
  if (parked) pthread_continue_np(thread->number);
}

CL_COLD int cl_api_release(struct cl_api_thread *thread, int result) {
  cl_api_enter();
  struct cl_waiter *waiter = thread->waits ? cl_queue_waiter(thread->number) : NULL;
  if (waiter) {
    struct cl_api_waiter *its = (struct cl_api_waiter *)waiter;
    cl_api_wake(its, result == CL_API_LATE ? its->result : result);
  }
  cl_api_leave();
  return waiter != NULL;
}

CL_COLD void cl_api_end(struct cl_api_thread *thread) {
  pthread_t number = thread->number;
  cl_api_enter();
  int parked = thread->parked, waits = thread->waits;
  thread->ending = 1;
  thread->parked = 0;
  struct cl_waiter *waiter = waits ? cl_queue_waiter(number) : NULL;
  if (waiter) cl_api_wake((struct cl_api_waiter *)waiter, 0);
  else cl_api_wake_first(&thread->resumed);
  cl_api_leave();
  if (!waits) tell(thread);
  pthread_setschedprio(number, CL_API_TOP); /* so that it ends soon, whatever else there is to do */
  if (parked) pthread_continue_np(number);
  pthread_continue_np(number); /* one that was never started */
  pthread_join(number, NULL);
}

void cl_api_set_priority(struct cl_api_thread *thread, int priority) {
  thread->priority = priority;
  if (thread->locks) return; /* its unlock */
  pthread_setschedprio(thread->number, priority);
  cl_api_enter();
  struct cl_waiter *waiter = cl_queue_waiter(thread->number);
  if (waiter && waiter->priority && !waiter->mutex) cl_queue_reorder(waiter, (uint32_t)priority);
  cl_api_leave();
}

/* --- waits ---------------------------------------------------------------------------------------- */

/* With the lock, which it releases, in a queue: until it is woken, or mtime `at`. */
CL_INLINE void doze(struct cl_waiter *me, uint64_t at) {
  uint32_t gate = gates_plus_1[me->thread] - 1u;
  if (CL_UNLIKELY(gate >= NO_GATE)) {
    cl_queue_sleep(me, at);
    return;
  }
  while (!me->woken && (at == CL_NEVER || cl_now() < at)) {
    wait_at(gate, at);
    if (CL_LIKELY(me->woken)) return;
    cl_api_enter();
  }
  if (me->queue) {
    cl_queue_take_out(me);
    cl_waiters[me->thread] = NULL;
  }
  cl_api_leave();
}

/* By priority, then by arrival; 0 is lower than all. */
CL_INLINE void enter(struct cl_queue *queue, struct cl_waiter *me, uint32_t priority) {
  struct cl_waiter **link = &queue->first, *each;
  me->thread = cl_self_number();
  me->queue = queue;
  me->priority = priority;
  me->woken = 0;
  me->mutex = NULL;
  me->ends = NULL;
  cl_waiters[me->thread] = me;
  while ((each = cl_queue_checked(queue, *link)) && each->priority >= priority) link = &each->next;
  me->next = each;
  *link = me;
}

/* The caller's, with what mutexes make of it. */
static inline uint32_t priority_now(void) {
  const struct cl_api_thread *self = cl_api_self();
  if (CL_LIKELY(self && !cl_mutex_protocols)) return (uint32_t)self->priority;
  return cl_priority_now(cl_self_number());
}

void cl_api_nap(struct cl_queue *queue, struct cl_api_waiter *me, uint64_t at) {
  enter(queue, &me->waiter, 0);
  doze(&me->waiter, at);
}

static struct cl_api_thread foreign; /* nobody suspends or ends it */

CL_INLINE int sleep(struct cl_api_waiter *me, uint64_t at, int late) {
  struct cl_api_thread *self = cl_api_self();
  if (CL_UNLIKELY(!self)) self = &foreign;
  me->result = late;
  cl_trace_call();
  self->waits = 1;
  if (CL_UNLIKELY(self->ending)) cl_api_wake(me, 0);
  doze(&me->waiter, at);
  self->waits = 0;
  if (CL_UNLIKELY(self->suspended | self->ending)) cl_api_look();
  return me->result;
}

__attribute__((noinline)) int cl_api_wait(struct cl_queue *queue, struct cl_api_waiter *me, uint64_t at, int late) {
  enter(queue, &me->waiter, priority_now());
  return sleep(me, at, late);
}

__attribute__((noinline)) int cl_api_wait_in_turn(struct cl_queue *queue, struct cl_api_waiter *me, uint64_t at,
                                                  int late) {
  enter(queue, &me->waiter, 0);
  return sleep(me, at, late);
}

__attribute__((noinline)) void cl_api_wake(struct cl_api_waiter *waiter, int result) {
  struct cl_waiter *is = &waiter->waiter;
  uint32_t thread = is->thread, gate = gates_plus_1[thread] - 1u;
  if (CL_LIKELY(is->queue->first == is)) {
    is->queue->first = is->next;
    is->queue = NULL;
  } else {
    cl_queue_take_out(is);
  }
  waiter->result = result;
  if (CL_UNLIKELY(gate >= NO_GATE)) {
    is->woken = 1;
    cl_queue_look(thread);
    return;
  }
  cl_waiters[thread] = NULL;
  is->woken = 1; /* from now on its memory may be used again */
  call_to(gate);
}

int cl_api_wake_first(struct cl_queue *queue) {
  struct cl_api_waiter *first = cl_api_first(queue);
  if (first) cl_api_wake(first, 0);
  return first != NULL;
}

CL_COLD void cl_api_wake_all(struct cl_queue *queue, int result) {
  struct cl_api_waiter *waiter;
  while ((waiter = cl_api_first(queue))) cl_api_wake(waiter, result);
}

/* --- the dispatcher ------------------------------------------------------------------------------- */

static pthread_mutex_t dispatcher = PTHREAD_MUTEX_INITIALIZER;

void cl_api_lock(struct cl_api_thread *self, int priority) {
  if (CL_CPUS > 1) pthread_mutex_lock(&dispatcher);
  self->locks = 1;
  pthread_setschedprio(self->number, priority);
}

void cl_api_unlock(struct cl_api_thread *self) {
  self->locks = 0;
  if (CL_CPUS > 1) pthread_mutex_unlock(&dispatcher);
  pthread_setschedprio(self->number, self->priority);
}
