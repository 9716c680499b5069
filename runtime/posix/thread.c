/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "coreloom.h"
#include "posix.h"

/* Thread number t may use stack t of the pool: the kernel assigned the number, so the stack is free. */
__attribute__((section(".bss.stacks"), aligned(16))) static unsigned char stacks[CL_THREADS][PTHREAD_STACK_DEFAULT_NP];
/* Aligned, as in pthread_attr_t: a copy is four loads and stores. */
__attribute__((aligned(4))) static char names[CL_THREADS][PTHREAD_NAME_MAX_NP];
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

int pthread_attr_init(pthread_attr_t *attr) {
  *attr = (pthread_attr_t){
      .stack_size = PTHREAD_STACK_DEFAULT_NP,
      .priority = PTHREAD_PRIORITY_DEFAULT_NP,
  };
  return 0;
}

int pthread_attr_destroy(pthread_attr_t *attr) {
  (void)attr;
  return 0;
}

int pthread_attr_setdetachstate(pthread_attr_t *attr, int state) {
  if (state != PTHREAD_CREATE_JOINABLE && state != PTHREAD_CREATE_DETACHED) return EINVAL;
  attr->detach_state = state;
  return 0;
}

int pthread_attr_getdetachstate(const pthread_attr_t *attr, int *state) {
  *state = attr->detach_state;
  return 0;
}

int pthread_attr_setschedparam(pthread_attr_t *attr, const struct sched_param *param) {
  if (param->sched_priority < 0 || param->sched_priority >= CL_PRIORITIES) return EINVAL;
  attr->priority = param->sched_priority;
  return 0;
}

int pthread_attr_getschedparam(const pthread_attr_t *attr, struct sched_param *param) {
  param->sched_priority = attr->priority;
  return 0;
}

int pthread_attr_setstacksize(pthread_attr_t *attr, size_t size) {
  if (size < PTHREAD_STACK_MIN) return EINVAL;
  attr->stack_size = size;
  return 0;
}

int pthread_attr_getstacksize(const pthread_attr_t *attr, size_t *size) {
  *size = attr->stack_size;
  return 0;
}

int pthread_attr_setstack(pthread_attr_t *attr, void *stack, size_t size) {
  if (!stack || (uintptr_t)stack % 16 || size < PTHREAD_STACK_MIN) return EINVAL;
  attr->stack = stack;
  attr->stack_size = size;
  return 0;
}

int pthread_attr_getstack(const pthread_attr_t *attr, void **stack, size_t *size) {
  *stack = attr->stack;
  *size = attr->stack_size;
  return 0;
}

int pthread_attr_setplacement_np(pthread_attr_t *attr, int placement, unsigned cpu) {
  if (placement != PTHREAD_PLACEMENT_DYNAMIC_NP && placement != PTHREAD_PLACEMENT_STATIC_NP) return EINVAL;
  if (placement == PTHREAD_PLACEMENT_STATIC_NP && cpu >= CL_CPUS) return EINVAL;
  attr->placement = placement;
  attr->cpu = cpu;
  return 0;
}

int pthread_attr_getplacement_np(const pthread_attr_t *attr, int *placement, unsigned *cpu) {
  *placement = attr->placement;
  *cpu = attr->cpu;
  return 0;
}

int pthread_attr_sethardware_np(pthread_attr_t *attr, int unit) {
  if (unit != PTHREAD_HARDWARE_NONE_NP && (unit < 0 || unit >= hardware_count_np())) return ENODEV;
  attr->hardware_plus_1 = unit == PTHREAD_HARDWARE_NONE_NP ? 0 : unit + 1;
  return 0;
}

int pthread_attr_gethardware_np(const pthread_attr_t *attr, int *unit) {
  *unit = attr->hardware_plus_1 ? attr->hardware_plus_1 - 1 : PTHREAD_HARDWARE_NONE_NP;
  return 0;
}

int pthread_attr_setsuspended_np(pthread_attr_t *attr, int suspended) {
  if (suspended != 0 && suspended != 1) return EINVAL;
  attr->suspended = suspended;
  return 0;
}

int pthread_attr_getsuspended_np(const pthread_attr_t *attr, int *suspended) {
  *suspended = attr->suspended;
  return 0;
}

int pthread_attr_setname_np(pthread_attr_t *attr, const char *name) {
  size_t length = strlen(name);
  if (length >= PTHREAD_NAME_MAX_NP) return ERANGE;
  memcpy(attr->name, name, length + 1);
  return 0;
}

int pthread_attr_setweight_np(pthread_attr_t *attr, int weight) {
  if (weight < 1 || weight > CL_WEIGHT_MAX) return EINVAL;
  attr->weight = (uint8_t)weight;
  return 0;
}

int pthread_attr_getweight_np(const pthread_attr_t *attr, int *weight) {
  *weight = attr->weight ? attr->weight : 1;
  return 0;
}

int pthread_attr_setdeadline_np(pthread_attr_t *attr, int ticks) {
  if (ticks < 0 || ticks > CL_DEADLINE_MAX) return EINVAL;
  attr->deadline = (uint16_t)ticks;
  return 0;
}

int pthread_attr_getdeadline_np(const pthread_attr_t *attr, int *ticks) {
  *ticks = attr->deadline;
  return 0;
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

int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *), void *argument) {
  pthread_attr_t defaults;
  if (!attr) {
    pthread_attr_init(&defaults);
    attr = &defaults;
  }
  int hardware = CL_UNITS && attr->hardware_plus_1;
  if (!hardware && !attr->stack && attr->stack_size > PTHREAD_STACK_DEFAULT_NP) return EINVAL;
  int more = !hardware && (attr->weight || attr->deadline);
  if (CL_UNLIKELY(more) && !has_what(attr)) return ENOTSUP;
  uint32_t priority = hardware ? CL_HARDWARE_PARAM + attr->hardware_plus_1 - 1u : (uint32_t)attr->priority;
  uint32_t word = priority << CL_ATTRIBUTES_PRIORITY_LSB;
  if (attr->placement == PTHREAD_PLACEMENT_STATIC_NP)
    word |= 1u << CL_ATTRIBUTES_STATIC_LSB | attr->cpu << CL_ATTRIBUTES_CPU_LSB;
  if (attr->detach_state == PTHREAD_CREATE_DETACHED) word |= 1u << CL_ATTRIBUTES_DETACHED_LSB;
  word = cl_op_thread_create(word);
  if (cl_status(word)) return cl_status(word);
  uint32_t tid = cl_value(word);
  parents[tid] = (uint16_t)pthread_self();
  if (hardware) {
    cl_threads[tid] = (struct cl_thread){0};
    cl_hardware_prepare((uint32_t)attr->hardware_plus_1 - 1, tid, argument);
  } else {
    cl_thread_prepare(tid, attr->stack ? attr->stack : stacks[tid], attr->stack_size, start, argument);
    __builtin_memcpy(names[tid], attr->name, sizeof names[tid]);
    change_alive(1);
    if (CL_UNLIKELY(more)) give_what(tid, attr);
  }
  *thread = tid;
  return attr->suspended ? 0 : cl_status(cl_op_thread_start(tid));
}

pthread_t cl_posix_parent(pthread_t thread) { return parents[thread]; }

void cl_posix_thread_begin(void) {
  char *name = names[cl_self() - cl_threads];
  if (*name) cl_trace(CL_TRACE_NAME, (uint32_t)(uintptr_t)name);
}

void pthread_exit(void *value) {
  cl_trace_call();
  struct cl_thread *self = cl_self();
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

int cl_posix_join(pthread_t thread, void **value) {
  if (thread >= CL_THREADS) return ESRCH;
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
  return 0;
}

/* The kernel distinguishes errors that POSIX does not. */
static int as_posix(int status) {
  switch (status) {
    case EBUSY: return EINVAL;     /* another joins it */
    case CL_STATUS_ESHUTDOWN: return ESRCH; /* it has ended */
    default: return status;
  }
}

int pthread_join(pthread_t thread, void **value) { return as_posix(cl_posix_join(thread, value)); }

int pthread_detach(pthread_t thread) {
  if (thread >= CL_THREADS) return ESRCH;
  return as_posix(cl_status(cl_op_thread_detach(thread)));
}

pthread_t pthread_self(void) { return (pthread_t)(cl_self() - cl_threads); }

int pthread_setschedprio(pthread_t thread, int priority) {
  if (thread >= CL_THREADS) return ESRCH;
  if (priority < 0) return EINVAL;
  return as_posix(cl_status(cl_op_set_sched_param(thread, (uint32_t)priority)));
}

int pthread_getschedparam(pthread_t thread, int *policy, struct sched_param *param) {
  if (thread >= CL_THREADS) return ESRCH;
  uint32_t word = cl_op_thread_read(thread);
  if (cl_status(word)) return cl_status(word);
  *policy = SCHED_RR;
  param->sched_priority = (int)(word >> CL_THREAD_WORD_PRIORITY_LSB & CL_THREAD_WORD_PRIORITY_MASK);
  return 0;
}

int pthread_setname_np(pthread_t thread, const char *name) {
  if (thread != pthread_self()) return ENOTSUP;
  size_t length = strlen(name);
  if (length >= PTHREAD_NAME_MAX_NP) return ERANGE;
  memcpy(names[thread], name, length + 1);
  cl_posix_thread_begin();
  return 0;
}

int pthread_setweight_np(pthread_t thread, int weight) {
  if (thread >= CL_THREADS) return ESRCH;
  return as_posix(cl_status(cl_op_set_weight(thread, (uint32_t)weight)));
}

int pthread_setdeadline_np(pthread_t thread, int ticks) {
  if (thread >= CL_THREADS) return ESRCH;
  return as_posix(cl_status(cl_op_set_deadline(thread, (uint32_t)ticks)));
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
  return as_posix(cl_status(cl_op_thread_start(thread)));
}

int pthread_setidle_np(pthread_t thread) {
  if (thread >= CL_THREADS) return ESRCH;
  int status = cl_status(cl_op_set_idle_thread(thread));
  return status == EBUSY ? EBUSY : as_posix(status);
}

__attribute__((always_inline)) int sched_yield(void) {
  cl_trace_call();
  cl_op_yield();
  return 0;
}

int sched_get_priority_min(int policy) {
  (void)policy;
  return 0;
}

int sched_get_priority_max(int policy) {
  (void)policy;
  return CL_PRIORITIES - 1;
}
