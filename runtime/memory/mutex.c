/* SPDX-License-Identifier: Apache-2.0
 *
 * Mutexes in memory. Unlocking one hands it over, as the kernel does.
 *
 * A thread's priority is the highest of its own, the ceilings of mutexes it holds, and the priorities of threads that
 * wait for a mutex with inheritance that it holds; when one of these changes, so does it, and the change goes on along
 * the mutexes that the threads wait for (settle). With CL_BACKEND_INHERITANCE the kernel does that for its own mutexes:
 * what a thread has here is given to it as the thread's own priority. */
#include "cl_end.h"
#include "memory.h"
#include "wait.h"

int cl_mutex_protocols;

#define GONE (CL_THREADS + 1) /* the owner has ended */

/* The mutexes with a protocol, and the robust ones, that each thread holds. The list goes through the program's memory,
 * so it is as long as it is known to be, and all in it are the thread's, or it is broken. */
static struct {
  struct cl_mutex *first;
  uint32_t count;
} held[CL_THREADS];
static uint16_t own_plus_1[CL_THREADS]; /* own priority of a thread that has another one now; 0: it has its own */

/* The priority that the kernel was given for a thread, which has `now`, with what it inherits in the kernel. */
static inline uint32_t given_priority(uint32_t thread, uint32_t now) {
  if (!CL_BACKEND_INHERITANCE) return now;
  uint32_t given = cl_value(cl_op_get_sched_param(thread));
  return given < CL_PRIORITIES ? given : now; /* of a hardware thread */
}

CL_COLD uint32_t cl_mutex_own_priority(uint32_t thread, uint32_t now) {
  return own_plus_1[thread] ? own_plus_1[thread] - 1u : given_priority(thread, now);
}

#define HELD "the list of mutexes that a thread holds"

static inline struct cl_mutex *checked(struct cl_mutex *mutex, uint32_t thread) {
  if (CL_UNLIKELY(!mutex || mutex->handle != CL_IN_MEMORY || mutex->owner_plus_1 != thread + 1)) {
    cl_broken(HELD, mutex);
  }
  return mutex;
}

/* Called after the thread's own priority became `own`, or the mutexes that it holds or their waiters changed. */
static void settle(uint32_t thread, uint32_t own) {
  for (;;) {
    uint32_t best = own;
    struct cl_mutex *mutex = held[thread].first;
    for (uint32_t left = held[thread].count; left; left--, mutex = mutex->next_held) {
      checked(mutex, thread);
      if (mutex->protocol == CL_MUTEX_PROTECT && mutex->ceiling > best) best = mutex->ceiling;
      if (mutex->protocol != CL_MUTEX_INHERIT) continue;
      const struct cl_waiter *first = cl_queue_checked(&mutex->waiters, mutex->waiters.first);
      if (first && first->priority > best) best = first->priority;
    }
    if (CL_UNLIKELY(mutex != NULL)) cl_broken(HELD, mutex);
    own_plus_1[thread] = (uint16_t)(best == own ? 0 : own + 1);
    if (best == given_priority(thread, cl_priority_now(thread))) return;
    cl_backend_op(CL_OP_SET_SCHED_PARAM, thread, best);
    struct cl_waiter *waiter = cl_queue_waiter(thread);
    if (!waiter) return;
    cl_queue_reorder(waiter, CL_BACKEND_INHERITANCE ? cl_priority_now(thread) : best);
    if (!waiter->mutex || waiter->mutex->protocol != CL_MUTEX_INHERIT) return;
    thread = waiter->mutex->owner_plus_1 - 1;
    if (thread >= CL_THREADS) return;
    own = cl_mutex_own_priority(thread, cl_priority_now(thread));
  }
}

static void settle_again(uint32_t thread) {
  if (thread < CL_THREADS) settle(thread, cl_mutex_own_priority(thread, cl_priority_now(thread)));
}

CL_COLD int cl_mutex_set_priority(uint32_t thread, uint32_t priority) {
  cl_backend_lock();
  int status = cl_status(cl_backend_op(CL_OP_CHECK_SCHED_PARAM, thread, priority));
  if (!status) settle(thread, priority);
  cl_backend_unlock();
  return status;
}

/* At once, not when the thread runs again: it may be kept from that by the owner that it has raised. */
CL_COLD void cl_mutex_gave_up(uint32_t thread) {
  struct cl_waiter *waiter = cl_queue_waiter(thread);
  if (!waiter || !waiter->mutex || waiter->mutex->protocol != CL_MUTEX_INHERIT) return;
  cl_queue_take_out(waiter);
  settle_again(waiter->mutex->owner_plus_1 - 1);
}

static int is_listed(const struct cl_mutex *mutex) { return cl_mutex_protocols && (mutex->protocol || mutex->robust); }

/* Where the mutex is in the thread's list; NULL: nowhere. */
static struct cl_mutex **find(const struct cl_mutex *mutex, uint32_t thread) {
  struct cl_mutex **link = &held[thread].first;
  for (uint32_t left = held[thread].count; left; left--, link = &(*link)->next_held) {
    if (checked(*link, thread) == mutex) return link;
  }
  if (*link) cl_broken(HELD, *link);
  return NULL;
}

/* Some thread holds what is at this address. */
CL_COLD int cl_mutex_is_held(const struct cl_mutex *mutex) {
  int is_held = 0;
  cl_backend_lock();
  for (uint32_t thread = 0; thread < CL_THREADS && !is_held; thread++) is_held = find(mutex, thread) != NULL;
  cl_backend_unlock();
  return is_held;
}

static int take(struct cl_mutex *mutex, uint32_t thread) {
  if (is_listed(mutex)) {
    if (mutex->robust) find(mutex, thread); /* while it is not the thread's: if it is in the list, that is broken */
    mutex->next_held = held[thread].first;
    held[thread].first = mutex;
    held[thread].count++;
  }
  mutex->owner_plus_1 = thread + 1;
  mutex->depth = 1;
  if (!is_listed(mutex)) return 0;
  if (mutex->protocol) settle_again(thread);
  return mutex->robust == CL_MUTEX_INCONSISTENT ? EOWNERDEAD : 0;
}

/* The mutex is free for the next one. */
static void pass_on(struct cl_mutex *mutex) {
  struct cl_waiter *next = cl_queue_wake(&mutex->waiters);
  mutex->owner_plus_1 = 0;
  if (next) next->data = (void *)(intptr_t)take(mutex, next->thread);
}

static void unlist(struct cl_mutex *mutex, uint32_t thread) {
  struct cl_mutex **link = find(mutex, thread);
  if (!link) cl_broken(HELD, &held[thread]);
  *link = mutex->next_held;
  held[thread].count--;
}

/* Whether the mutex cannot be had, 0 if it can. `again`: the caller has it and it is not recursive. */
static int refusal(const struct cl_mutex *mutex, uint32_t thread, int again) {
  if (mutex->handle != CL_IN_MEMORY) return EINVAL;
  if (mutex->owner_plus_1 == thread + 1) return mutex->type == CL_MUTEX_RECURSIVE ? 0 : again;
  if (!cl_mutex_protocols) return 0;
  if (mutex->robust == CL_MUTEX_NOT_RECOVERABLE) return ENOTRECOVERABLE;
  int above = mutex->protocol == CL_MUTEX_PROTECT &&
              cl_mutex_own_priority(thread, cl_priority_now(thread)) > mutex->ceiling;
  return above ? EINVAL : 0;
}

/* With cl_backend_lock held, which it releases. */
static int lock(struct cl_mutex *mutex, uint32_t thread, uint64_t at) {
  int status = 0;
  if (mutex->owner_plus_1 && mutex->owner_plus_1 != thread + 1 && at) {
    struct cl_waiter me = {.mutex = mutex, .ends = CL_AGAIN_BY(&cl_wait_again)};
    int inherits = cl_mutex_protocols && mutex->protocol == CL_MUTEX_INHERIT;
    cl_queue_enter(&mutex->waiters, &me);
    if (inherits) settle_again(mutex->owner_plus_1 - 1);
    status = cl_queue_sleep(&me, at);
    if (!status) return (int)(intptr_t)me.data;
    if (!inherits) return status;
    cl_backend_lock(); /* one less waits for the owner, if no timer has said so */
    settle_again(mutex->owner_plus_1 - 1);
  } else if (!mutex->owner_plus_1) {
    status = take(mutex, thread);
  } else if (mutex->owner_plus_1 == thread + 1) {
    mutex->depth++;
  } else {
    status = EBUSY;
  }
  cl_backend_unlock();
  return status;
}

CL_COLD int cl_memory_mutex_lock(struct cl_mutex *mutex, uint64_t at) {
  uint32_t thread = cl_self_number();
  int status;
  for (;;) {
    cl_backend_lock();
    status = refusal(mutex, thread, at ? EDEADLK : EBUSY);
    if (status) break;
    status = lock(mutex, thread, at);
    if (!CL_AGAIN(status)) return status;
  }
  cl_backend_unlock();
  return status;
}

static int unlock(struct cl_mutex *mutex) {
  uint32_t thread = cl_self_number();
  if (mutex->owner_plus_1 != thread + 1) return EPERM;
  if (--mutex->depth) return 0;
  if (is_listed(mutex)) {
    unlist(mutex, thread);
    if (mutex->robust == CL_MUTEX_INCONSISTENT) mutex->robust = CL_MUTEX_NOT_RECOVERABLE;
  }
  if (mutex->robust == CL_MUTEX_NOT_RECOVERABLE) {
    struct cl_waiter *waiter;
    mutex->owner_plus_1 = 0;
    while ((waiter = cl_queue_wake(&mutex->waiters))) waiter->data = (void *)ENOTRECOVERABLE;
  } else {
    pass_on(mutex);
  }
  if (cl_mutex_protocols && mutex->protocol) settle_again(thread);
  return 0;
}

CL_COLD int cl_mutex_release(struct cl_mutex *mutex) {
  if (mutex->handle == CL_IN_MEMORY) return unlock(mutex);
  return mutex->handle ? cl_status(cl_backend_op(CL_OP_MUTEX_UNLOCK, cl_object(mutex->handle), 0)) : EPERM;
}

/* The caller ends. Nobody else unlocks its mutexes, but the robust ones. */
CL_COLD void cl_mutex_end(void) {
  uint32_t thread = cl_self_number();
  struct cl_mutex *mutex;
  cl_backend_lock();
  while (held[thread].count) {
    mutex = checked(held[thread].first, thread);
    held[thread].first = mutex->next_held;
    held[thread].count--;
    if (mutex->robust) {
      mutex->robust = CL_MUTEX_INCONSISTENT;
      pass_on(mutex);
    } else {
      mutex->owner_plus_1 = GONE;
    }
  }
  if (held[thread].first) cl_broken(HELD, held[thread].first);
  own_plus_1[thread] = 0;
  cl_backend_unlock();
}

CL_COLD int cl_mutex_consistent(struct cl_mutex *mutex) {
  cl_backend_lock();
  int mine = mutex->handle == CL_IN_MEMORY && mutex->owner_plus_1 == cl_self_number() + 1;
  int status = mine && mutex->robust == CL_MUTEX_INCONSISTENT ? 0 : EINVAL;
  if (!status) mutex->robust = CL_MUTEX_ROBUST;
  cl_backend_unlock();
  return status;
}

#define NAP 1024 /* cycles */

/* With cl_backend_lock held, if the caller has the mutex or the mutex is free. */
static int rule_in_kernel(struct cl_mutex *mutex, uint32_t ceiling, int *old) {
  struct cl_mutex changed = {.protocol = mutex->protocol, .ceiling = (uint8_t)ceiling};
  int status = cl_status(cl_backend_op(CL_OP_MUTEX_PROTOCOL, cl_object(mutex->handle), cl_mutex_rule(&changed)));
  if (status) return status;
  if (old) *old = mutex->ceiling;
  mutex->ceiling = (uint8_t)ceiling;
  return 0;
}

/* The kernel lets no thread above the ceiling wait for the mutex: such a caller looks again and again whether it is
 * free, and keeps its priority. */
static int set_ceiling_in_kernel(struct cl_mutex *mutex, uint32_t ceiling, int *old) {
  static struct cl_queue napping; /* nobody wakes them */
  for (;;) {
    int lock_status = cl_status(cl_op_mutex_lock(cl_object(mutex->handle), CL_NEVER));
    if (lock_status && lock_status != EINVAL) return lock_status;
    cl_backend_lock();
    int status = rule_in_kernel(mutex, ceiling, old);
    if (status == EBUSY) {
      cl_queue_wait(&napping, &(struct cl_waiter){0}, cl_now() + NAP);
      continue;
    }
    cl_backend_unlock();
    return lock_status ? status : cl_status(cl_op_mutex_unlock(cl_object(mutex->handle)));
  }
}

CL_COLD int cl_mutex_set_ceiling(struct cl_mutex *mutex, uint32_t ceiling, int *old) {
  uint32_t thread = cl_self_number();
  if (CL_BACKEND_INHERITANCE && mutex->handle != CL_IN_MEMORY) return set_ceiling_in_kernel(mutex, ceiling, old);
  int status;
  do {
    cl_backend_lock();
    status = refusal(mutex, thread, EDEADLK);
    if (status && status != EINVAL) {
      cl_backend_unlock();
      return status;
    }
    status = lock(mutex, thread, CL_NEVER);
  } while (CL_AGAIN(status));
  if (status) return status;
  cl_backend_lock();
  if (old) *old = mutex->ceiling;
  mutex->ceiling = (uint8_t)ceiling;
  status = unlock(mutex);
  cl_backend_unlock();
  return status;
}
