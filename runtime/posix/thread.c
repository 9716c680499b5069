/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "attr.h"
#include "cancel.h"
#include "coreloom.h"
#include "wait.h"

/* Thread number t may use stack t of the pool: the kernel assigned the number, so the stack is free. */
__attribute__((section(".bss.stacks"),
               aligned(16))) static unsigned char cl_stacks[CL_THREADS][PTHREAD_STACK_DEFAULT_NP];
/* Aligned, as in pthread_attr_t: a copy is four loads and stores. */
__attribute__((aligned(4))) static char cl_names[CL_THREADS][PTHREAD_NAME_MAX_NP];
/* Each thread's stack, also for the simulator, which ends the run when it overflows. */
static volatile struct {
  void *low;
  size_t bytes;
} cl_given_stacks[CL_THREADS];
static uint16_t parents[CL_THREADS];
static volatile uint32_t alive = 1; /* threads that have not ended; under the memory lock */

static inline uint32_t change_alive(int by) {
  if (CL_CPUS == 1) { /* that much is the lock */
    cl_irq_off();
    uint32_t now = alive += (uint32_t)by;
    cl_irq_on();
    return now;
  }
  shared_memory_lock(&alive);
  alive += (uint32_t)by;
  uint32_t now = alive;
  shared_memory_unlock(&alive);
  return now;
}

/* Tests whether the kernel's policy supports the attribute, by passing an invalid value. */
CL_COLD static int has_what(const pthread_attr_t *attr) {
  uint32_t self = pthread_self();
  return (!attr->weight || cl_status(cl_op_set_weight(self, 0)) != ENOTSUP) &&
         (!attr->deadline || cl_status(cl_op_set_deadline(self, CL_DEADLINE_MAX + 1)) != ENOTSUP);
}

CL_COLD static void give_what(uint32_t tid, const pthread_attr_t *attr) {
  if (attr->weight) cl_op_set_weight(tid, attr->weight);
  if (attr->deadline) cl_op_set_deadline(tid, attr->deadline);
}

void (*cl_cleanup_all)(void);
void (*cl_specific_end)(void);
const struct cl_heap_stacks *cl_heap_stacks;

/* For joiners that may be cancelled: they wait in memory until the thread is about to end. */
static struct leaver {
  struct cl_queue joiners;
  uint8_t joined, ended;
} leavers[CL_THREADS];

/* --- creation ------------------------------------------------------------------------------------- */

/* Each thread's attributes; kept only if the program asks for it, as cl_policies and cl_reading are. */
static size_t guards[CL_THREADS];
static uint8_t detached[CL_THREADS];

/* Handles rare attributes; changes the kernel's word and the stack. */
CL_COLD static int prepare(const pthread_attr_t *attr, uint32_t *word, void **stack) {
  if (cl_attr_bad(attr)) return EINVAL;
  const uint32_t field = CL_ATTRIBUTES_PRIORITY_MASK << CL_ATTRIBUTES_PRIORITY_LSB;
  if (CL_UNITS && attr->kind & CL_ATTR_HARDWARE) {
    *word = (*word & ~field) | (uint32_t)(CL_HARDWARE_PARAM + attr->unit) << CL_ATTRIBUTES_PRIORITY_LSB;
    return 0;
  }
  if (attr->kind & CL_ATTR_WHAT && !has_what(attr)) return ENOTSUP;
  if (cl_inherits && attr->kind & CL_ATTR_INHERIT) {
    uint32_t own = cl_priority_in(cl_op_thread_read(pthread_self()));
    *word = (*word & ~field) | own << CL_ATTRIBUTES_PRIORITY_LSB;
  }
  if (cl_heap_stacks && attr->kind & CL_ATTR_BIG_STACK) {
    *stack = cl_heap_stacks->make(attr->stack_size);
    if (!*stack) return EAGAIN;
  }
  return 0;
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *), void *argument) {
  static const pthread_attr_t defaults = CL_ATTR_DEFAULTS;
  if (!attr) attr = &defaults;
  uint32_t rare = attr->kind ^ CL_ATTR_KIND;
  uint32_t word = attr->word;
  void *stack = attr->stack;
  if (CL_UNLIKELY(rare)) {
    int status = prepare(attr, &word, &stack);
    if (status) return status;
  }
  void *block = cl_heap_stacks && stack != attr->stack ? stack : NULL;
  uint32_t made = cl_op_thread_create(word);
  if (cl_status(made)) {
    if (cl_heap_stacks) cl_heap_stacks->undo(block);
    return cl_status(made);
  }
  uint32_t tid = cl_value(made);
  parents[tid] = (uint16_t)pthread_self();
  detached[tid] = word >> CL_ATTRIBUTES_DETACHED_LSB & CL_ATTRIBUTES_DETACHED_MASK;
  if (CL_UNITS && rare & CL_ATTR_HARDWARE) {
    cl_threads[tid] = (struct cl_thread){0};
    cl_hardware_prepare(attr->unit, tid, argument);
  } else {
    size_t size = stack ? attr->stack_size : sizeof cl_stacks[tid];
    if (!stack) stack = cl_stacks[tid];
    cl_thread_prepare(tid, stack, size, start, argument);
    __builtin_memcpy(cl_names[tid], attr->name, sizeof cl_names[tid]);
    change_alive(1);
    cl_given_stacks[tid].low = stack;
    cl_given_stacks[tid].bytes = size;
    guards[tid] = attr->guard_size;
    cl_reading[tid] = 0; /* the number's last thread may have ended as a reader */
    cl_policies[tid] = cl_inherits && rare & CL_ATTR_INHERIT ? cl_policies[pthread_self()] : attr->policy;
    if (CL_CANCEL) {
      cl_cancels[tid] = (struct cl_cancel){0};
      leavers[tid] = (struct leaver){0};
      if (CL_SIGNALS) cl_signals_begin(tid);
    }
    if (CL_UNLIKELY(cl_heap_stacks)) cl_heap_stacks->own(tid, block);
    if (CL_UNLIKELY(rare & CL_ATTR_WHAT)) give_what(tid, attr);
  }
  *thread = tid;
  return rare & CL_ATTR_SUSPENDED ? 0 : cl_status(cl_op_thread_start(tid));
}

int pthread_getattr_np(pthread_t thread, pthread_attr_t *attr) {
  if (thread >= CL_THREADS) return ESRCH;
  uint32_t word = cl_op_thread_read(thread), entry = cl_op_get_entry(thread);
  if (cl_status(word)) return cl_status(word);
  pthread_attr_init(attr);
  struct sched_param param = {(int)cl_priority_in(word)};
  pthread_attr_setschedparam(attr, &param);
  pthread_attr_setdetachstate(attr, detached[thread] ? PTHREAD_CREATE_DETACHED : PTHREAD_CREATE_JOINABLE);
  if (entry >> CL_ENTRY_WORD_STATIC_LSB & CL_ENTRY_WORD_STATIC_MASK)
    pthread_attr_setplacement_np(attr, PTHREAD_PLACEMENT_STATIC_NP,
                                 word >> CL_THREAD_WORD_CPU_LSB & CL_THREAD_WORD_CPU_MASK);
  attr->policy = cl_policies[thread];
  /* Main was never created; its number is not used again. */
  attr->stack = thread ? cl_given_stacks[thread].low : __main_stack;
  attr->stack_size = thread ? cl_given_stacks[thread].bytes : (size_t)(__main_stack_end - __main_stack);
  attr->guard_size = guards[thread];
  memcpy(attr->name, cl_names[thread], sizeof attr->name);
  return 0;
}

pthread_t cl_posix_parent(pthread_t thread) { return parents[thread]; }

const char *cl_name_of(uint32_t thread) { return thread < CL_THREADS ? cl_names[thread] : NULL; }
const char *(*cl_posix_name)(uint32_t thread);

void cl_posix_thread_begin(void) {
  char *name = cl_names[cl_self() - cl_threads];
  if (*name) cl_trace(CL_TRACE_NAME, (uint32_t)(uintptr_t)name);
}

CL_COLD static void let_join(uint32_t tid) {
  cl_backend_lock();
  leavers[tid].ended = 1;
  while (cl_queue_wake(&leavers[tid].joiners)) continue;
  cl_backend_unlock();
}

void pthread_exit(void *value) {
  if (CL_CANCEL) pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
  if (cl_cleanup_all) cl_cleanup_all();
  if (cl_specific_end) cl_specific_end();
  cl_trace_call();
  struct cl_thread *self = cl_self();
  if (CL_UNLIKELY(cl_mutex_protocols)) cl_mutex_end();
  if (CL_SIGNALS) cl_signals_end();
  if (CL_CANCEL) let_join(pthread_self());
  if (change_alive(-1) == 0) exit(0); /* the last thread ends the program */
  /* A joiner reads the value before it waits, or is found here: see pthread_join. */
  *(void *volatile *)&self->value = value;
  struct cl_join *join = *(struct cl_join *volatile *)&self->join;
  if (join) {
    join->value = value;
    join->set = 1;
  }
  cl_op_thread_exit();
}

/* Wait until the thread is about to end, as a cancellation point; the kernel's wait cannot be ended. */
CL_COLD static int wait_for_end(pthread_t thread) {
  uint32_t read = cl_op_thread_read(thread), entry = cl_op_get_entry(thread);
  if (cl_status(read) || thread == pthread_self()) return 0; /* the kernel says so */
  if (entry >> CL_ENTRY_WORD_HARDWARE_LSB & CL_ENTRY_WORD_HARDWARE_MASK) return 0;
  for (;;) {
    struct cl_waiter me = {.ends = CL_POINT};
    cl_backend_lock();
    int status = detached[thread] ? EINVAL : leavers[thread].joined ? EBUSY : 0;
    if (status || leavers[thread].ended) {
      cl_backend_unlock();
      return status;
    }
    leavers[thread].joined = 1;
    status = cl_queue_wait(&leavers[thread].joiners, &me, CL_NEVER);
    leavers[thread].joined = 0;
    if (!status) return 0;
    cl_cancel_act();
  }
}

int cl_posix_join(pthread_t thread, void **value) {
  if (thread >= CL_THREADS) return ESRCH;
  if (CL_CANCEL) {
    cl_cancel_test();
    int wrong = wait_for_end(thread);
    if (wrong) return wrong;
  }
  uint32_t age = cl_heap_stacks ? cl_heap_stacks->age(thread) : 0;
  /* When the kernel lets the joiner go on, the number may belong to a new thread already. So the value is read
   * before; or, if the thread has not ended by then, it finds `join` and leaves the value there. */
  struct cl_join join = {0, 0};
  struct cl_thread *other = &cl_threads[thread];
  struct cl_join *volatile *slot = (struct cl_join *volatile *)&other->join;
  int mine = !*slot;
  if (mine) *slot = &join;
  void *early = *(void *volatile *)&other->value;
  cl_trace_call();
  int status = cl_status(cl_op_thread_join(thread));
  if (status) {
    if (mine) *slot = NULL;
    return status;
  }
  __asm__ volatile("" ::: "memory");
  if (value) *value = join.set ? join.value : early;
  if (CL_UNLIKELY(cl_heap_stacks)) cl_heap_stacks->ended(thread, age);
  return 0;
}

/* The kernel distinguishes errors that POSIX does not. */
int cl_posix_status(int status) {
  switch (status) {
    case EBUSY: return EINVAL;     /* another joins it */
    case CL_STATUS_ESHUTDOWN: return ESRCH; /* it has ended */
    default: return status;
  }
}

int pthread_join(pthread_t thread, void **value) { return cl_posix_status(cl_posix_join(thread, value)); }

int pthread_detach(pthread_t thread) {
  if (thread >= CL_THREADS) return ESRCH;
  if (CL_CANCEL && leavers[thread].joined) return EINVAL;
  int status = cl_posix_status(cl_status(cl_op_thread_detach(thread)));
  if (!status) detached[thread] = 1;
  return status;
}

pthread_t pthread_self(void) { return cl_self_number(); }

int pthread_setname_np(pthread_t thread, const char *name) {
  size_t length = strlen(name);
  if (thread >= CL_THREADS || cl_status(cl_op_thread_read(thread))) return ESRCH;
  if (length >= PTHREAD_NAME_MAX_NP) return ERANGE;
  memcpy(cl_names[thread], name, length + 1);
  cl_posix_name = cl_name_of;
  if (thread == pthread_self()) cl_posix_thread_begin();
  return 0;
}

int pthread_getname_np(pthread_t thread, char *name, size_t size) {
  if (thread >= CL_THREADS || cl_status(cl_op_thread_read(thread))) return ESRCH;
  if (strlen(cl_names[thread]) >= size) return ERANGE;
  strcpy(name, cl_names[thread]);
  return 0;
}

int pthread_getaffinity_np(pthread_t thread, size_t size, cpu_set_t *set) {
  pthread_attr_t attr;
  int status = pthread_getattr_np(thread, &attr);
  return status ? status : pthread_attr_getaffinity_np(&attr, size, set);
}

int pthread_setaffinity_np(pthread_t thread, size_t size, const cpu_set_t *set) {
  uint32_t cpus = size < sizeof *set ? 0 : set->cpus & CL_ALL_CPUS, word = 0;
  if (thread != pthread_self()) {
    cpu_set_t now;
    int status = pthread_getaffinity_np(thread, sizeof now, &now);
    if (status) return status;
    if (cpus) return cpus == now.cpus ? 0 : ENOTSUP;
  }
  if (!cpus) return EINVAL;
  if (cpus != CL_ALL_CPUS) {
    if (cpus & (cpus - 1)) return ENOTSUP;
    word = 1u << CL_ATTRIBUTES_STATIC_LSB;
    while (cpus >>= 1) word += 1u << CL_ATTRIBUTES_CPU_LSB; /* its number */
  }
  cl_trace_call();
  return cl_status(cl_op_move(word));
}

int pthread_setweight_np(pthread_t thread, int weight) {
  if (thread >= CL_THREADS) return ESRCH;
  return cl_posix_status(cl_status(cl_op_set_weight(thread, (uint32_t)weight)));
}

int pthread_setdeadline_np(pthread_t thread, int ticks) {
  if (thread >= CL_THREADS) return ESRCH;
  return cl_posix_status(cl_status(cl_op_set_deadline(thread, (uint32_t)ticks)));
}

int cl_cpu_reserve(unsigned cpu, uint32_t thread) {
  if (cpu >= CL_CPUS) return EINVAL;
  int status = cl_status(cl_op_reserve(cpu, thread));
  return status == CL_STATUS_ESHUTDOWN ? ESRCH : status;
}

int cl_cpu_release(unsigned cpu) { return cpu < CL_CPUS ? cl_status(cl_op_release(cpu)) : EINVAL; }

int pthread_suspend_np(pthread_t thread) {
  if (thread >= CL_THREADS) return ESRCH;
  return cl_status(cl_op_remove(thread));
}

int pthread_continue_np(pthread_t thread) {
  if (thread >= CL_THREADS) return ESRCH;
  return cl_posix_status(cl_status(cl_op_thread_start(thread)));
}

int pthread_setidle_np(pthread_t thread) {
  if (thread >= CL_THREADS) return ESRCH;
  int status = cl_status(cl_op_set_idle_thread(thread));
  return status == EBUSY ? EBUSY : cl_posix_status(status);
}
