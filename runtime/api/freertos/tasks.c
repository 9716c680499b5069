/* SPDX-License-Identifier: Apache-2.0
 *
 * Tasks: each is a thread of the kernel, which schedules it. All that a task waits for is a queue of memory/wait.h, so
 * that any other may end its wait: by a time limit, an abort, a suspension, its end. A task that is to stop (cl_stop) and
 * waits is woken, and stops itself; one that is ready is removed from the kernel's ready queue (cl_removed). */
#include "layer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../include/cl_end.h"
#include "../../posix/clock.h"
#include "timers.h"

enum { GO, SUSPEND, END };            /* cl_stop */
enum { NOT_WAITING, WAITING, NOTIFIED }; /* cl_notice */
#define FILL 0xa5a5a5a5u              /* of stacks, for their high water mark */

uint32_t cl_frt_depths[CL_CPUS];
TaskHandle_t cl_frt_tasks[CL_THREADS];

static TaskHandle_t first, ended; /* lists: of tasks, and of those whose memory is to be freed */
static UBaseType_t count, numbers;
static int running;                     /* the scheduler is started */
static struct cl_queue starter;         /* where the caller of vTaskStartScheduler waits */
static UBaseType_t suspensions;         /* of it, */
static TaskHandle_t suspender;          /* by this task; */
static struct cl_queue suspenders;      /* others that would */
static StaticTask_t idle[configNUMBER_OF_CORES];

/* --- critical sections, yielding --- */

void vPortEnterCritical(void) { cl_frt_enter(); }
void vPortExitCritical(void) { cl_frt_leave(); }
void vPortDisableInterrupts(void) { cl_irq_off(); }
void vPortEnableInterrupts(void) {
  if (!*cl_frt_depth()) cl_irq_on();
}
void vPortYield(void) {
  if (cl_irq_is_off() || !running) return; /* in a critical section a better task runs after it */
  cl_trace_call();
  cl_op_yield();
}
BaseType_t xPortIsInsideInterrupt(void) { return running && !cl_frt_self(); }

/* --- time --- */

static struct {
  uint64_t began; /* mtime of tick `count` */
  uint64_t count; /* which does not overflow */
} tick = {0, (TickType_t)(configINITIAL_TICK_COUNT)};

uint64_t cl_frt_now(void) {
  if (!running) return tick.count;
  uint64_t past = cl_now() - tick.began;
  if (past >= CL_FRT_CYCLES) {
    uint64_t ticks = past >> 32 ? past / CL_FRT_CYCLES : (uint32_t)past / CL_FRT_CYCLES;
    tick.began += ticks * CL_FRT_CYCLES;
    tick.count += ticks;
  }
  return tick.count;
}

uint64_t cl_frt_after(TickType_t ticks) {
  cl_frt_now();
  return tick.began + (uint64_t)ticks * CL_FRT_CYCLES;
}

TickType_t xTaskGetTickCount(void) {
  cl_frt_enter();
  TickType_t now = (TickType_t)cl_frt_now();
  cl_frt_leave();
  return now;
}
TickType_t xTaskGetTickCountFromISR(void) { return xTaskGetTickCount(); }

void vTaskSetTimeOutState(TimeOut_t *state) { *state = (TimeOut_t){0, xTaskGetTickCount()}; }

BaseType_t xTaskCheckForTimeOut(TimeOut_t *state, TickType_t *ticks) {
  TickType_t now = xTaskGetTickCount(), past = now - state->xTimeOnEntering;
  if (INCLUDE_vTaskSuspend && *ticks == portMAX_DELAY) return pdFALSE;
  if (past >= *ticks) {
    *ticks = 0;
    return pdTRUE;
  }
  *ticks -= past;
  state->xTimeOnEntering = now;
  return pdFALSE;
}

/* --- waiting and stopping --- */

static uint32_t placement_of(UBaseType_t cpus) {
  const UBaseType_t all = (1u << configNUMBER_OF_CORES) - 1;
  if (configNUMBER_OF_CORES == CL_CPUS && (cpus & all) == all) return 0;
  unsigned cpu = 0; /* the first of the set: the kernel knows all CPUs or one */
  while (cpu + 1 < configNUMBER_OF_CORES && !(cpus >> cpu & 1)) cpu++;
  return 1u << CL_ATTRIBUTES_STATIC_LSB | cpu << CL_ATTRIBUTES_CPU_LSB;
}

/* With the hardware kernel a task waits at a semaphore of its own as long as the kernel has some, which is one operation
 * to wait and one to wake; beyond that, and with the software kernel, as objects in memory do. */
#if defined(CL_KERNEL_HW)
static uint16_t semaphores_plus_1[CL_THREADS]; /* of each thread */

static __attribute__((unused)) void forget_semaphore(uint32_t thread) { semaphores_plus_1[thread] = 0; }
static void give_semaphore(uint32_t thread) {
  if (semaphores_plus_1[thread]) return; /* of the number's last thread */
  uint32_t word = cl_op_semaphore_create(0);
  if (!cl_status(word)) semaphores_plus_1[thread] = (uint16_t)(cl_value(word) + 1);
}

CL_APART int wait_until(struct cl_waiter *me, uint32_t semaphore, uint64_t at) {
  uint32_t answer;
  do answer = cl_op_semaphore_wait(semaphore, at);
  while (!me->woken && cl_status(answer) != ETIMEDOUT);
  if (cl_status(answer) == ETIMEDOUT) {
    cl_irq_off();
    cl_api_hold();
    if (me->woken) cl_op_semaphore_wait(semaphore, CL_NOW); /* it came just then */
    else cl_queue_take_out(me);
    cl_api_leave();
  }
  cl_waiters[me->thread] = NULL;
  return me->woken ? 0 : ETIMEDOUT;
}

CL_INLINE void insert(struct cl_queue *queue, struct cl_waiter *me, uint32_t thread, TaskHandle_t self) {
  me->thread = thread;
  me->priority = self == suspender || self->cl_stays ? CL_FRT_HIGH : self->cl_priority;
  me->queue = queue;
  cl_waiters[thread] = me;
  struct cl_waiter **link = &queue->first, *each;
  while ((each = cl_queue_checked(queue, *link)) && each->priority >= me->priority) link = &each->next;
  me->next = each;
  *link = me;
}

static int wait_in(struct cl_queue *queue, struct cl_waiter *me, uint64_t at) {
  uint32_t thread = cl_self_number(), semaphore = semaphores_plus_1[thread];
  TaskHandle_t self = cl_frt_tasks[thread];
  if (CL_UNLIKELY(!semaphore || !self)) return cl_queue_wait(queue, me, at);
  insert(queue, me, thread, self);
  cl_api_leave();
  if (CL_LIKELY(at == CL_NEVER)) {
    do cl_op_semaphore_wait(semaphore - 1, CL_NEVER);
    while (CL_UNLIKELY(!me->woken));
    cl_waiters[thread] = NULL;
    return 0;
  }
  return wait_until(me, semaphore - 1, at);
}

void cl_frt_wake_up(struct cl_waiter *waiter) {
  uint32_t semaphore = semaphores_plus_1[waiter->thread];
  waiter->woken = 1;
  if (CL_LIKELY(semaphore)) cl_op_semaphore_post(semaphore - 1);
  else cl_queue_look(waiter->thread);
}
#else
static __attribute__((unused)) void forget_semaphore(uint32_t thread) { (void)thread; }
static void give_semaphore(uint32_t thread) { (void)thread; }
static inline int wait_in(struct cl_queue *queue, struct cl_waiter *me, uint64_t at) {
  return cl_queue_wait(queue, me, at);
}
void cl_frt_wake_up(struct cl_waiter *waiter) {
  waiter->woken = 1;
  cl_queue_look(waiter->thread);
}
#endif

/* The caller does what others have asked of it meanwhile; may not return. */
static CL_COLD void obey(TaskHandle_t self) {
  while (self->cl_stop == SUSPEND) {
    struct cl_waiter me = {0};
    self->cl_parked = 1;
    *cl_frt_depth() = 0;
    wait_in(&self->cl_own, &me, CL_NEVER);
    cl_frt_enter();
    self->cl_parked = 0;
  }
  if (self->cl_stop == END) {
    self->cl_gone = 1;
    cl_frt_open();
    pthread_exit(NULL);
  }
  if (self->cl_moves) {
    self->cl_moves = 0;
    uint32_t depth = cl_frt_open();
    cl_op_move(placement_of(self->cl_affinity));
    cl_frt_close(depth);
  }
}

static inline int is_asked(const StaticTask_t *self) { return self->cl_stop | self->cl_moves | self->cl_aborted; }

static CL_COLD int asked(TaskHandle_t self) {
  if (self->cl_stop | self->cl_moves) obey(self);
  int status = self->cl_aborted ? ETIMEDOUT : 0;
  self->cl_aborted = 0;
  return status;
}

__attribute__((noinline)) int cl_frt_wait(struct cl_queue *queue, void *data, uint64_t at) {
  TaskHandle_t self = cl_frt_self();
  struct cl_waiter me;
  uint32_t depth = *cl_frt_depth();
  int status = 0;
  me.data = data;
  me.woken = 0;
  me.mutex = NULL;
  me.ends = NULL;
  if (!self || !self->cl_stop) {
    *cl_frt_depth() = 0; /* it releases the lock */
    status = wait_in(queue, &me, at);
    cl_frt_enter();
  }
  if (self && is_asked(self) && asked(self)) status = ETIMEDOUT;
  *cl_frt_depth() = depth;
  return status;
}

__attribute__((noinline)) int cl_frt_wait_long(struct cl_queue *queue) {
#if defined(CL_KERNEL_HW)
  uint32_t thread = cl_self_number(), semaphore = semaphores_plus_1[thread];
  TaskHandle_t self = cl_frt_tasks[thread];
  if (CL_LIKELY(semaphore && self && !self->cl_stop)) {
    struct cl_waiter me;
    uint32_t depth = *cl_frt_depth();
    int status = 0;
    me.woken = 0;
    me.mutex = NULL;
    me.ends = NULL;
    insert(queue, &me, thread, self);
    *cl_frt_depth() = 0;
    cl_api_leave();
    do cl_op_semaphore_wait(semaphore - 1, CL_NEVER);
    while (CL_UNLIKELY(!me.woken));
    cl_waiters[thread] = NULL;
    cl_frt_enter();
    if (CL_UNLIKELY(is_asked(self))) status = asked(self);
    *cl_frt_depth() = depth;
    return status;
  }
#endif
  return cl_frt_wait(queue, NULL, CL_NEVER);
}

BaseType_t cl_frt_is_better(uint32_t priority) {
  TaskHandle_t self = cl_frt_self();
  return !self || priority > self->cl_priority;
}

__attribute__((noinline)) void cl_frt_wake_first(struct cl_queue *queue) {
  struct cl_waiter *waiter = cl_queue_checked(queue, queue->first);
  queue->first = waiter->next;
  cl_frt_wake_up(waiter);
}

__attribute__((noinline)) void cl_frt_wake_and_tell(struct cl_queue *queue, BaseType_t *woken) {
  if (cl_frt_is_better(cl_queue_checked(queue, queue->first)->priority)) *woken = pdTRUE;
  cl_frt_wake_first(queue);
}

/* Ends the task's wait, whatever it waits for. 0: it does not wait. */
static int kick(TaskHandle_t task) {
  struct cl_waiter *waiter = task->cl_thread < CL_THREADS ? cl_queue_waiter(task->cl_thread) : NULL;
  if (!waiter) return 0;
  cl_queue_take_out(waiter);
  cl_frt_wake_up(waiter);
  return 1;
}

/* The following two without the lock. */

#if CL_CPUS > 1
struct removal {
  uint32_t thread;
  volatile int done;
};

static void *remove_here(void *given) {
  struct removal *removal = given;
  cl_op_remove(removal->thread);
  removal->done = 1;
  return NULL;
}

static pthread_attr_t interrupt_attributes(void) {
  pthread_attr_t attr;
  pthread_attr_init(&attr);
  pthread_attr_setschedparam(&attr, &(struct sched_param){.sched_priority = (int)CL_FRT_TOP});
  pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
  return attr;
}

/* A thread above all others takes the CPU from it, and removes it there. Meanwhile the caller keeps its own CPU. */
static void remove_where_it_runs(TaskHandle_t task) {
  uint32_t self = cl_self_number(), cpu = cl_op_thread_read(task->cl_thread);
  uint32_t own = cl_priority_in(cl_op_thread_read(self));
  struct removal removal = {task->cl_thread, 0};
  pthread_attr_t attr = interrupt_attributes();
  pthread_t helper;
  cpu = cpu >> CL_THREAD_WORD_CPU_LSB & CL_THREAD_WORD_CPU_MASK;
  cl_op_set_sched_param(self, CL_FRT_TOP);
  pthread_attr_setplacement_np(&attr, PTHREAD_PLACEMENT_STATIC_NP, cpu);
  if (cpu != cl_cpu_id() && !pthread_create(&helper, &attr, remove_here, &removal)) {
    while (!removal.done) continue;
  }
  cl_op_set_sched_param(self, own);
}
#endif

static inline uint32_t state_in(uint32_t word) { return word >> CL_THREAD_WORD_STATE_LSB & CL_THREAD_WORD_STATE_MASK; }

/* After cl_stop was set of a task that does not wait here. If it waits elsewhere, for a lock of the C library, it stops
 * when it next waits here. */
static void stop(TaskHandle_t task) {
  while (!task->cl_parked && !task->cl_gone && !task->cl_removed && task->cl_thread < CL_THREADS) {
    uint32_t state = state_in(cl_op_thread_read(task->cl_thread));
    if (state == CL_STATE_BLOCKED) return;
    if (state == CL_STATE_SUSPENDED || !cl_status(cl_op_remove(task->cl_thread))) {
      cl_frt_enter();
      int goes_on = task->cl_stop == GO; /* it was resumed meanwhile */
      task->cl_removed = !goes_on;
      cl_frt_leave();
      if (goes_on) cl_op_thread_start(task->cl_thread);
      return;
    }
#if CL_CPUS > 1
    if (state == CL_STATE_RUNNING) remove_where_it_runs(task);
#endif
  }
}

/* --- priorities --- */

static void apply_priority(TaskHandle_t task) {
  uint32_t level = task == suspender || task->cl_stays ? CL_FRT_HIGH : task->cl_priority;
  if (task->cl_thread >= CL_THREADS) return;
  cl_backend_op(CL_OP_SET_SCHED_PARAM, task->cl_thread, level);
  struct cl_waiter *waiter = cl_queue_waiter(task->cl_thread);
  if (waiter && !task->cl_parked) cl_queue_reorder(waiter, level);
}

void cl_frt_inherit(TaskHandle_t holder) {
  TaskHandle_t self = cl_frt_self();
  if (!holder || !self || holder->cl_priority >= self->cl_priority) return;
  holder->cl_priority = self->cl_priority;
  apply_priority(holder);
}

/* As in FreeRTOS, only with the last mutex that it gives back. */
void cl_frt_disinherit(TaskHandle_t holder) {
  if (!holder || --holder->cl_held || holder->cl_priority == holder->cl_base) return;
  holder->cl_priority = holder->cl_base;
  apply_priority(holder);
}

void cl_frt_disinherit_to(TaskHandle_t holder, UBaseType_t most) {
  if (!holder || holder->cl_held != 1) return;
  if (most < holder->cl_base) most = holder->cl_base;
  if (holder->cl_priority == most) return;
  holder->cl_priority = most;
  apply_priority(holder);
}

UBaseType_t uxTaskPriorityGet(TaskHandle_t task) { return cl_frt_task(task)->cl_priority; }
UBaseType_t uxTaskPriorityGetFromISR(TaskHandle_t task) { return cl_frt_task(task)->cl_priority; }
UBaseType_t uxTaskBasePriorityGet(TaskHandle_t task) { return cl_frt_task(task)->cl_base; }
UBaseType_t uxTaskBasePriorityGetFromISR(TaskHandle_t task) { return cl_frt_task(task)->cl_base; }

void vTaskPrioritySet(TaskHandle_t task, UBaseType_t priority) {
  configASSERT(priority < (configMAX_PRIORITIES));
  if (priority >= (configMAX_PRIORITIES)) priority = (configMAX_PRIORITIES)-1;
  int is_lower = 0; /* of the caller, which then comes after its new equals */
  cl_trace_call();
  cl_frt_enter();
  task = cl_frt_task(task);
  if (task->cl_base != priority) {
    UBaseType_t old = task->cl_priority;
    if (old == task->cl_base || priority > old) task->cl_priority = priority;
    task->cl_base = priority;
    if (task->cl_priority != old) apply_priority(task);
    is_lower = task == cl_frt_self() && task->cl_priority < old;
  }
  cl_frt_leave();
  if (is_lower) vPortYield();
}

static void set_stays(TaskHandle_t task, uint8_t stays) {
  cl_frt_enter();
  task = cl_frt_task(task);
  task->cl_stays = stays;
  apply_priority(task);
  cl_frt_leave();
}
void vTaskPreemptionDisable(TaskHandle_t task) { set_stays(task, 1); }
void vTaskPreemptionEnable(TaskHandle_t task) { set_stays(task, 0); }

void vTaskCoreAffinitySet(TaskHandle_t task, UBaseType_t cpus) {
  cl_frt_enter();
  task = cl_frt_task(task);
  task->cl_affinity = cpus;
  task->cl_moves = 1;
  if (task == cl_frt_self()) obey(task);
  cl_frt_leave();
}
UBaseType_t vTaskCoreAffinityGet(ConstTaskHandle_t task) { return (task ? task : cl_frt_self())->cl_affinity; }

/* --- creation and end --- */

static void *begin(void *given) {
  TaskHandle_t self = given;
  cl_frt_enter();
  obey(self);
  cl_frt_leave();
  self->cl_code(self->cl_argument);
  configASSERT(0); /* a task never returns */
  vTaskDelete(NULL);
  return NULL;
}

static void list(TaskHandle_t task) {
  TaskHandle_t *link = &first;
  while (*link) link = &(*link)->cl_next;
  task->cl_next = NULL;
  task->cl_number = ++numbers;
  *link = task;
  count++;
}

static void unlist(TaskHandle_t *list, TaskHandle_t task) {
  while (*list && *list != task) list = &(*list)->cl_next;
  if (*list) *list = task->cl_next;
}

static void describe(TaskHandle_t task, const char *name, UBaseType_t priority) {
  memset(task, 0, sizeof *task);
  if (priority >= (configMAX_PRIORITIES)) priority = (configMAX_PRIORITIES)-1;
  if (name) strncpy(task->cl_name, name, sizeof task->cl_name - 1);
  task->cl_base = task->cl_priority = priority;
  task->cl_affinity = tskNO_AFFINITY;
  task->cl_thread = CL_THREADS;
}

/* 0, or the kernel has no thread left. The task is in *made, if there is one, before it runs: it may be more urgent than
 * the caller. */
static int create(TaskHandle_t task, TaskFunction_t code, const char *name, uint32_t words, void *argument,
                  UBaseType_t priority, StackType_t *stack, UBaseType_t cpus, TaskHandle_t *made, int is_static) {
  pthread_attr_t attr;
  pthread_t thread;
  configASSERT(priority < (configMAX_PRIORITIES));
  describe(task, name, priority);
  for (uint32_t word = 0; word < words; word++) stack[word] = FILL;
  task->cl_code = code;
  task->cl_argument = argument;
  task->cl_stack = stack;
  task->cl_depth = words;
  task->cl_affinity = cpus;
  task->cl_is_static = (uint8_t)is_static;
  pthread_attr_init(&attr);
  attr.stack = stack; /* also one that is smaller than POSIX wants it */
  attr.stack_size = words * sizeof *stack;
  strncpy(attr.name, task->cl_name, sizeof attr.name - 1);
  pthread_attr_setschedparam(&attr, &(struct sched_param){.sched_priority = (int)task->cl_priority});
  pthread_attr_setsuspended_np(&attr, 1);
  attr.word |= placement_of(cpus);
  uint32_t depth = cl_frt_open();
  int status = pthread_create(&thread, &attr, begin, task);
  if (!status) give_semaphore(thread);
  cl_frt_close(depth);
  if (status) return status;
  cl_frt_enter();
  task->cl_thread = thread;
  cl_frt_tasks[thread] = task;
  list(task);
  cl_frt_leave();
  if (made) *made = task;
  if (running) {
    depth = cl_frt_open();
    cl_trace_call();
    cl_op_thread_start(thread);
    cl_frt_close(depth);
  }
  return 0;
}

TaskHandle_t xTaskCreateStaticAffinitySet(TaskFunction_t code, const char *name, configSTACK_DEPTH_TYPE words,
                                          void *argument, UBaseType_t priority, StackType_t *stack,
                                          StaticTask_t *memory, UBaseType_t cpus) {
  configASSERT(stack && memory);
  if (!stack || !memory) return NULL;
  cl_frt_reap(memory);
  return create(memory, code, name, (uint32_t)words, argument, priority, stack, cpus, NULL, 1) ? NULL : memory;
}

TaskHandle_t xTaskCreateStatic(TaskFunction_t code, const char *name, configSTACK_DEPTH_TYPE words, void *argument,
                               UBaseType_t priority, StackType_t *stack, StaticTask_t *memory) {
  return xTaskCreateStaticAffinitySet(code, name, words, argument, priority, stack, memory, tskNO_AFFINITY);
}

BaseType_t xTaskCreateAffinitySet(TaskFunction_t code, const char *name, configSTACK_DEPTH_TYPE words, void *argument,
                                  UBaseType_t priority, UBaseType_t cpus, TaskHandle_t *made) {
  uint32_t room = (uint32_t)words;
  if (room < PTHREAD_STACK_MIN / sizeof(StackType_t)) room = PTHREAD_STACK_MIN / sizeof(StackType_t);
  if (ended) cl_frt_reap(NULL); /* a program's own heap does not */
  StackType_t *stack = pvPortMallocStack(room * sizeof *stack);
  TaskHandle_t task = stack ? pvPortMalloc(sizeof *task) : NULL;
  if (task) {
    if (!create(task, code, name, room, argument, priority, stack, cpus, made, 0)) return pdPASS;
    vPortFree(task);
  }
  if (stack) vPortFreeStack(stack);
  return errCOULD_NOT_ALLOCATE_REQUIRED_MEMORY;
}

BaseType_t xTaskCreate(TaskFunction_t code, const char *name, configSTACK_DEPTH_TYPE words, void *argument,
                       UBaseType_t priority, TaskHandle_t *made) {
  return xTaskCreateAffinitySet(code, name, words, argument, priority, tskNO_AFFINITY, made);
}

/* The thread of an ended task ends, at the latest now; then its memory is nobody's. Without the lock. */
static void join(TaskHandle_t task) {
  cl_frt_tasks[task->cl_thread] = NULL;
  pthread_join(task->cl_thread, NULL);
  if (task->cl_is_static) return;
  vPortFreeStack(task->cl_stack);
  vPortFree(task);
}

static inline int has_exited(TaskHandle_t task) {
  return state_in(cl_backend_op(CL_OP_THREAD_READ, task->cl_thread, 0)) == CL_STATE_EXITED;
}

void cl_frt_reap(const StaticTask_t *memory) {
  for (;;) {
    cl_frt_enter();
    TaskHandle_t task = ended;
    while (task && task != memory && !has_exited(task)) task = task->cl_next;
    unlist(&ended, task);
    cl_frt_leave();
    if (!task) return;
    uint32_t depth = cl_frt_open();
    join(task);
    cl_frt_close(depth);
  }
}

static void *nothing(void *unused) { return unused; }

void vTaskDelete(TaskHandle_t task) {
  TaskHandle_t self = cl_frt_self();
  cl_trace_call();
  cl_frt_enter();
  task = cl_frt_task(task);
  unlist(&first, task);
  count--;
  task->cl_ended = 1;
  task->cl_stop = END;
  if (task == self) {
    task->cl_next = ended;
    ended = task;
    obey(task);
  }
  int waits = kick(task);
  if (waits) cl_backend_op(CL_OP_SET_SCHED_PARAM, task->cl_thread, CL_FRT_TOP); /* so that it ends now */
  uint32_t depth = cl_frt_open();
  while (!waits && !task->cl_gone) {
    uint32_t state = state_in(cl_op_thread_read(task->cl_thread));
    if (task->cl_removed || state == CL_STATE_CREATED) {
      cl_thread_prepare(task->cl_thread, task->cl_stack, task->cl_depth * sizeof(StackType_t), nothing, NULL);
      cl_op_set_sched_param(task->cl_thread, CL_FRT_TOP);
      cl_op_thread_start(task->cl_thread);
      break;
    }
    stop(task);
    cl_frt_enter();
    waits = kick(task);
    if (!waits && state == CL_STATE_BLOCKED && self) cl_frt_wait(&self->cl_own, NULL, cl_frt_until(1));
    cl_frt_leave();
  }
  join(task);
  cl_frt_close(depth - 1);
}

void vTaskSuspend(TaskHandle_t task) {
  cl_trace_call();
  cl_frt_enter();
  task = cl_frt_task(task);
  for (unsigned index = 0; index < configTASK_NOTIFICATION_ARRAY_ENTRIES; index++) {
    if (task->cl_notice[index] == WAITING) task->cl_notice[index] = NOT_WAITING;
  }
  if (task->cl_stop == GO) {
    task->cl_stop = SUSPEND;
    if (task == cl_frt_self()) {
      obey(task);
    } else if (running && !kick(task)) {
      uint32_t depth = cl_frt_open();
      stop(task);
      cl_frt_close(depth);
    }
  }
  cl_frt_leave();
}

static BaseType_t resume(TaskHandle_t task) {
  BaseType_t better = pdFALSE;
  configASSERT(task);
  cl_frt_enter();
  if (task && task != cl_frt_self() && task->cl_stop == SUSPEND) {
    better = cl_frt_is_better(task->cl_priority);
    task->cl_stop = GO;
    if (task->cl_parked) {
      cl_frt_wake(&task->cl_own, NULL);
    } else if (task->cl_removed) {
      task->cl_removed = 0;
      uint32_t depth = cl_frt_open();
      cl_op_thread_start(task->cl_thread);
      cl_frt_close(depth);
    }
  }
  cl_frt_leave();
  return better;
}

void vTaskResume(TaskHandle_t task) {
  cl_trace_call();
  resume(task);
}
BaseType_t xTaskResumeFromISR(TaskHandle_t task) { return resume(task); }

/* --- delays --- */

static void delay(TickType_t ticks) {
  if (ticks) cl_frt_wait(&cl_frt_self()->cl_own, NULL, cl_frt_until(ticks));
}

void vTaskDelay(TickType_t ticks) {
  if (!ticks) {
    vPortYield();
    return;
  }
  cl_trace_call();
  cl_frt_enter();
  delay(ticks);
  cl_frt_leave();
}

BaseType_t xTaskDelayUntil(TickType_t *last, TickType_t period) {
  cl_trace_call();
  cl_frt_enter();
  TickType_t now = (TickType_t)cl_frt_now(), then = *last + period;
  /* Times may have overflowed since *last. */
  BaseType_t waits = now < *last ? then < *last && then > now : then < *last || then > now;
  *last = then;
  if (waits) delay(then - now);
  cl_frt_leave();
  return waits;
}

BaseType_t xTaskAbortDelay(TaskHandle_t task) {
  cl_trace_call();
  cl_frt_enter();
  BaseType_t waits = !task->cl_parked && !task->cl_stop && kick(task);
  if (waits) task->cl_aborted = 1;
  cl_frt_leave();
  return waits;
}

/* --- notifications --- */

static BaseType_t notify(TaskHandle_t task, UBaseType_t index, uint32_t value, eNotifyAction action, uint32_t *before,
                         BaseType_t *woken) {
  BaseType_t status = pdPASS;
  configASSERT(task && index < configTASK_NOTIFICATION_ARRAY_ENTRIES);
  cl_frt_enter_leaf();
  uint8_t was = task->cl_notice[index];
  if (before) *before = task->cl_notified[index];
  task->cl_notice[index] = NOTIFIED;
  switch (action) {
    case eSetBits: task->cl_notified[index] |= value; break;
    case eIncrement: task->cl_notified[index]++; break;
    case eSetValueWithOverwrite: task->cl_notified[index] = value; break;
    case eSetValueWithoutOverwrite:
      if (was == NOTIFIED) status = pdFAIL;
      else task->cl_notified[index] = value;
      break;
    default: break;
  }
  if (was == WAITING && !task->cl_parked) cl_frt_wake(&task->cl_own, woken);
  cl_frt_leave_leaf();
  return status;
}

BaseType_t xTaskGenericNotify(TaskHandle_t task, UBaseType_t index, uint32_t value, eNotifyAction action,
                              uint32_t *before) {
  cl_trace_call();
  return notify(task, index, value, action, before, NULL);
}
BaseType_t xTaskGenericNotifyFromISR(TaskHandle_t task, UBaseType_t index, uint32_t value, eNotifyAction action,
                                     uint32_t *before, BaseType_t *woken) {
  return notify(task, index, value, action, before, woken);
}
void vTaskGenericNotifyGiveFromISR(TaskHandle_t task, UBaseType_t index, BaseType_t *woken) {
  notify(task, index, 0, eIncrement, NULL, woken);
}

/* From a leaf's critical section to one. */
CL_APART void wait_for_notice(TaskHandle_t self, UBaseType_t index, TickType_t ticks) {
  cl_frt_stay();
  self->cl_notice[index] = WAITING;
  cl_frt_wait_in(&self->cl_own, cl_frt_until(ticks));
  --*cl_frt_depth();
}

uint32_t ulTaskGenericNotifyTake(UBaseType_t index, BaseType_t clear, TickType_t ticks) {
  TaskHandle_t self = cl_frt_self();
  configASSERT(index < configTASK_NOTIFICATION_ARRAY_ENTRIES);
  cl_trace_call();
  cl_frt_enter_leaf();
  if (ticks && !self->cl_notified[index]) wait_for_notice(self, index, ticks);
  uint32_t value = self->cl_notified[index];
  if (value) self->cl_notified[index] = clear ? 0 : value - 1;
  self->cl_notice[index] = NOT_WAITING;
  cl_frt_leave_leaf();
  return value;
}

BaseType_t xTaskGenericNotifyWait(UBaseType_t index, uint32_t clear_first, uint32_t clear_last, uint32_t *value,
                                  TickType_t ticks) {
  TaskHandle_t self = cl_frt_self();
  configASSERT(index < configTASK_NOTIFICATION_ARRAY_ENTRIES);
  cl_trace_call();
  cl_frt_enter_leaf();
  if (ticks && self->cl_notice[index] != NOTIFIED) {
    self->cl_notified[index] &= ~clear_first;
    wait_for_notice(self, index, ticks);
  }
  if (value) *value = self->cl_notified[index];
  BaseType_t came = self->cl_notice[index] == NOTIFIED;
  if (came) self->cl_notified[index] &= ~clear_last;
  self->cl_notice[index] = NOT_WAITING;
  cl_frt_leave_leaf();
  return came;
}

BaseType_t xTaskGenericNotifyStateClear(TaskHandle_t task, UBaseType_t index) {
  cl_frt_enter();
  task = cl_frt_task(task);
  BaseType_t was = task->cl_notice[index] == NOTIFIED;
  if (was) task->cl_notice[index] = NOT_WAITING;
  cl_frt_leave();
  return was;
}

uint32_t ulTaskGenericNotifyValueClear(TaskHandle_t task, UBaseType_t index, uint32_t bits) {
  cl_frt_enter();
  task = cl_frt_task(task);
  uint32_t value = task->cl_notified[index];
  task->cl_notified[index] &= ~bits;
  cl_frt_leave();
  return value;
}

/* --- the scheduler --- */

/* The caller is not preempted by tasks, and no other task suspends the scheduler. */
void vTaskSuspendAll(void) {
  TaskHandle_t self = cl_frt_self();
  cl_frt_enter();
  while (suspensions && suspender != self) cl_frt_wait(&suspenders, NULL, CL_NEVER);
  suspensions++;
  if (self && suspender != self) {
    suspender = self;
    apply_priority(self);
  }
  cl_frt_leave();
}

BaseType_t xTaskResumeAll(void) {
  TaskHandle_t self = cl_frt_self();
  cl_frt_enter();
  configASSERT(suspensions);
  if (!--suspensions && self) {
    suspender = NULL;
    apply_priority(self);
    cl_frt_wake(&suspenders, NULL);
  }
  cl_frt_leave();
  return pdFALSE;
}

BaseType_t xTaskGetSchedulerState(void) {
  return !running ? taskSCHEDULER_NOT_STARTED : suspensions ? taskSCHEDULER_SUSPENDED : taskSCHEDULER_RUNNING;
}

#if configUSE_IDLE_HOOK || configUSE_PASSIVE_IDLE_HOOK || configUSE_TICK_HOOK
/* A thread of the layer; `task`: of an idle task. */
static void start_hook(void *(*body)(void *), uint32_t priority, unsigned cpu, TaskHandle_t task) {
  pthread_attr_t attr;
  pthread_t thread;
  pthread_attr_init(&attr);
  pthread_attr_setschedparam(&attr, &(struct sched_param){.sched_priority = (int)priority});
  pthread_attr_setplacement_np(&attr, PTHREAD_PLACEMENT_STATIC_NP, cpu);
  pthread_attr_setsuspended_np(&attr, 1);
  int status = pthread_create(&thread, &attr, body, (void *)(uintptr_t)cpu);
  configASSERT(!status); /* the kernel has no thread left */
  if (status) return;
  forget_semaphore(thread); /* it waits as objects in memory do */
  if (task) {
    task->cl_thread = thread;
    cl_frt_tasks[thread] = task;
  }
  cl_op_thread_start(thread);
}
#endif

#if configUSE_TICK_HOOK
static void *tick_body(void *unused) {
  static struct cl_queue ticks;
  cl_frt_enter();
  for (;;) {
    cl_frt_wait(&ticks, NULL, cl_frt_until(1));
    cl_frt_leave();
    vApplicationTickHook();
    cl_frt_enter();
  }
  return unused;
}
#endif

#if configUSE_IDLE_HOOK || configUSE_PASSIVE_IDLE_HOOK
static void *idle_body(void *cpu) {
  for (;;) {
    cl_frt_reap(NULL);
#if configUSE_IDLE_HOOK
    if (!cpu) vApplicationIdleHook();
#endif
#if configUSE_PASSIVE_IDLE_HOOK
    if (cpu) vApplicationPassiveIdleHook();
#endif
    if (configIDLE_SHOULD_YIELD) vPortYield();
  }
  return NULL;
}
#endif

static void list_idle(void) {
  for (unsigned cpu = 0; cpu < configNUMBER_OF_CORES; cpu++) {
    char name[] = "IDLE\0";
    if (configNUMBER_OF_CORES > 1) name[4] = (char)('0' + cpu);
    describe(&idle[cpu], name, tskIDLE_PRIORITY);
    list(&idle[cpu]);
  }
}

#if configUSE_TIMERS
static void unlist_idle(void) {
  for (unsigned cpu = 0; cpu < configNUMBER_OF_CORES; cpu++) unlist(&first, &idle[cpu]);
  count -= configNUMBER_OF_CORES;
}
#endif

static void start_hooks(void) {
#if configUSE_IDLE_HOOK || configUSE_PASSIVE_IDLE_HOOK
  for (unsigned cpu = 0; cpu < configNUMBER_OF_CORES; cpu++) {
    if (cpu ? configUSE_PASSIVE_IDLE_HOOK : configUSE_IDLE_HOOK) start_hook(idle_body, 0, cpu, &idle[cpu]);
  }
#endif
#if configUSE_TICK_HOOK
  start_hook(tick_body, CL_FRT_TOP, 0, NULL);
#endif
}

static void start_task(TaskHandle_t task) {
  if (task->cl_thread >= CL_THREADS || task->cl_code == NULL) return;
  if (task->cl_stop == GO) cl_op_thread_start(task->cl_thread);
  else task->cl_removed = 1;
}

static void compare_configurations(void) {
  extern const uint32_t cl_freertos_configuration[] __attribute__((weak));
  static const uint32_t mine[] = CL_FREERTOS_CONFIGURATION;
  if (!cl_freertos_configuration || !memcmp(cl_freertos_configuration, mine, sizeof mine)) return;
  puts(
      "FreeRTOSConfig.h of the program is not the one its kernel was compiled with: name its folder by -I when linking");
  _Exit(CL_ABORTED);
}

void vTaskStartScheduler(void) {
  compare_configurations();
  /* More than a tick: where each tick ends a turn, as CL_PREEMPTED_LAST has it, slices must not cut turns unequally. */
  const uint32_t slice = CL_FRT_CYCLES / CL_TICK_CYCLES + 1;
#if configUSE_TIMERS
  const uint32_t own = cl_priority_in(cl_op_thread_read(cl_self_number()));
#endif
  cl_op_set_sched_param(cl_self_number(), CL_FRT_TOP);
  cl_op_slice(!configUSE_TIME_SLICING ? 0 : slice > 65535 ? 65535 : slice);
#if configGENERATE_RUN_TIME_STATS && defined(portCONFIGURE_TIMER_FOR_RUN_TIME_STATS)
  portCONFIGURE_TIMER_FOR_RUN_TIME_STATS();
#endif
  list_idle();
#if configUSE_TIMERS
  BaseType_t made = xTimerCreateTimerTask();
  configASSERT(made);
  if (!made) { /* the kernel has no thread left: as in FreeRTOS the caller goes on */
    unlist_idle();
    cl_op_set_sched_param(cl_self_number(), own);
    return;
  }
#endif
  tick.began = cl_now();
  running = 1;
  /* The best first. With one CPU FreeRTOS begins with the last one created of the highest priority. */
  TaskHandle_t task, last = NULL;
  for (task = first; task; task = task->cl_next) {
    if (configNUMBER_OF_CORES == 1 && (!last || task->cl_priority >= last->cl_priority)) last = task;
  }
  if (last) start_task(last);
  for (UBaseType_t priority = (configMAX_PRIORITIES); priority-- > 0;) {
    for (task = first; task; task = task->cl_next) {
      if (task != last && task->cl_priority == priority) start_task(task);
    }
  }
  start_hooks();
  cl_frt_enter();
  while (running) cl_frt_wait(&starter, NULL, CL_NEVER);
  cl_frt_leave();
}

void vTaskEndScheduler(void) {
  static struct cl_queue never;
  if (!running) return;
  vTaskSuspendAll();
  cl_frt_enter();
  for (TaskHandle_t task = first; task;) {
    const int goes_on = task != cl_frt_self() && task->cl_stop == GO;
    if (goes_on) vTaskSuspend(task); /* which opens the section: another CPU may change the list */
    task = goes_on ? first : task->cl_next;
  }
  cl_frt_now(); /* the count that stays */
  running = 0;
  if (starter.first) cl_frt_wake_first(&starter);
  for (;;) cl_frt_wait(&never, NULL, CL_NEVER);
}

/* --- what there is to know --- */

TaskHandle_t xTaskGetCurrentTaskHandle(void) { return cl_frt_self(); }

static int runs_on(TaskHandle_t task, BaseType_t cpu) {
  if (task->cl_thread >= CL_THREADS) return 0;
  uint32_t word = cl_backend_op(CL_OP_THREAD_READ, task->cl_thread, 0);
  return state_in(word) == CL_STATE_RUNNING &&
         (word >> CL_THREAD_WORD_CPU_LSB & CL_THREAD_WORD_CPU_MASK) == (uint32_t)cpu;
}

TaskHandle_t xTaskGetCurrentTaskHandleForCore(BaseType_t cpu) {
  if (cpu < 0 || cpu >= configNUMBER_OF_CORES) return NULL;
  cl_frt_enter();
  TaskHandle_t task = first;
  while (task && !runs_on(task, cpu)) task = task->cl_next;
  cl_frt_leave();
  return task ? task : &idle[cpu];
}

TaskHandle_t xTaskGetIdleTaskHandleForCore(BaseType_t cpu) { return &idle[cpu]; }
TaskHandle_t xTaskGetIdleTaskHandle(void) { return &idle[0]; }

TaskHandle_t xTaskGetHandle(const char *name) {
  cl_frt_enter();
  TaskHandle_t task = first;
  while (task && strcmp(task->cl_name, name)) task = task->cl_next;
  cl_frt_leave();
  return task;
}

char *pcTaskGetName(TaskHandle_t task) { return cl_frt_task(task)->cl_name; }
UBaseType_t uxTaskGetNumberOfTasks(void) { return count; }

eTaskState eTaskGetState(TaskHandle_t task) {
  eTaskState state = eReady;
  configASSERT(task);
  cl_frt_enter();
  if (task == cl_frt_self()) state = eRunning;
  else if (task->cl_ended) state = eDeleted;
  else if (task->cl_stop) state = eSuspended;
  else if (task->cl_thread >= CL_THREADS) state = eReady;
  else if (cl_queue_waiter(task->cl_thread)) state = eBlocked;
  else {
    uint32_t word = cl_backend_op(CL_OP_THREAD_READ, task->cl_thread, 0);
    if (state_in(word) == CL_STATE_RUNNING) state = eRunning;
  }
  cl_frt_leave();
  return state;
}

UBaseType_t uxTaskGetStackHighWaterMark(TaskHandle_t task) {
  UBaseType_t words = 0;
  task = cl_frt_task(task);
  while (words < task->cl_depth && task->cl_stack[words] == FILL) words++;
  return words;
}
configSTACK_DEPTH_TYPE uxTaskGetStackHighWaterMark2(TaskHandle_t task) {
  return (configSTACK_DEPTH_TYPE)uxTaskGetStackHighWaterMark(task);
}

BaseType_t xTaskGetStaticBuffers(TaskHandle_t task, StackType_t **stack, StaticTask_t **memory) {
  task = cl_frt_task(task);
  if (!task->cl_is_static) return pdFALSE;
  *stack = task->cl_stack;
  *memory = task;
  return pdTRUE;
}

void vTaskSetApplicationTaskTag(TaskHandle_t task, TaskHookFunction_t tag) { cl_frt_task(task)->cl_tag = tag; }
TaskHookFunction_t xTaskGetApplicationTaskTag(TaskHandle_t task) { return cl_frt_task(task)->cl_tag; }
TaskHookFunction_t xTaskGetApplicationTaskTagFromISR(TaskHandle_t task) { return cl_frt_task(task)->cl_tag; }
BaseType_t xTaskCallApplicationTaskHook(TaskHandle_t task, void *argument) {
  task = cl_frt_task(task);
  return task->cl_tag ? task->cl_tag(argument) : pdFAIL;
}

void vTaskSetThreadLocalStoragePointer(TaskHandle_t task, BaseType_t index, void *value) {
  if (index >= 0 && index < configNUM_THREAD_LOCAL_STORAGE_POINTERS) cl_frt_task(task)->cl_locals[index] = value;
}
void *pvTaskGetThreadLocalStoragePointer(TaskHandle_t task, BaseType_t index) {
  if (index < 0 || index >= configNUM_THREAD_LOCAL_STORAGE_POINTERS) return NULL;
  return cl_frt_task(task)->cl_locals[index];
}

UBaseType_t uxTaskGetTaskNumber(TaskHandle_t task) { return task ? task->cl_user_number : 0; }
void vTaskSetTaskNumber(TaskHandle_t task, UBaseType_t number) {
  if (task) task->cl_user_number = number;
}

/* --- statistics: times are cycles --- */

configRUN_TIME_COUNTER_TYPE ulTaskGetRunTimeCounter(TaskHandle_t task) {
  task = cl_frt_task(task);
#if configGENERATE_RUN_TIME_STATS
  if (task->cl_thread < CL_THREADS) return (configRUN_TIME_COUNTER_TYPE)cl_cpu_time(task->cl_thread);
  uint64_t idle_time = (cl_now() - tick.began) + (uint64_t)(tick.count - configINITIAL_TICK_COUNT) * CL_FRT_CYCLES;
  idle_time *= configNUMBER_OF_CORES;
  uint64_t used = cl_cpu_time(CL_ALL_THREADS);
  return (configRUN_TIME_COUNTER_TYPE)((idle_time > used ? idle_time - used : 0) / configNUMBER_OF_CORES);
#else
  return 0;
#endif
}

static configRUN_TIME_COUNTER_TYPE percent(configRUN_TIME_COUNTER_TYPE part) {
  configRUN_TIME_COUNTER_TYPE all = (configRUN_TIME_COUNTER_TYPE)cl_now();
  return all / 100 ? part / (all / 100) : 0;
}
configRUN_TIME_COUNTER_TYPE ulTaskGetRunTimePercent(TaskHandle_t task) {
  return percent(ulTaskGetRunTimeCounter(task));
}
configRUN_TIME_COUNTER_TYPE ulTaskGetIdleRunTimeCounter(void) {
  configRUN_TIME_COUNTER_TYPE all = 0;
  for (unsigned cpu = 0; cpu < configNUMBER_OF_CORES; cpu++) all += ulTaskGetRunTimeCounter(&idle[cpu]);
  return all;
}
configRUN_TIME_COUNTER_TYPE ulTaskGetIdleRunTimePercent(void) {
  return percent(ulTaskGetIdleRunTimeCounter()) / configNUMBER_OF_CORES;
}

void vTaskGetInfo(TaskHandle_t task, TaskStatus_t *status, BaseType_t with_stack, eTaskState state) {
  task = cl_frt_task(task);
  *status = (TaskStatus_t){
      .xHandle = task,
      .pcTaskName = task->cl_name,
      .xTaskNumber = task->cl_number,
      .eCurrentState = state == eInvalid ? eTaskGetState(task) : state,
      .uxCurrentPriority = task->cl_priority,
      .uxBasePriority = task->cl_base,
      .ulRunTimeCounter = ulTaskGetRunTimeCounter(task),
      .pxStackBase = task->cl_stack,
      .usStackHighWaterMark = with_stack ? uxTaskGetStackHighWaterMark2(task) : 0,
      .uxCoreAffinityMask = task->cl_affinity,
  };
}

UBaseType_t uxTaskGetSystemState(TaskStatus_t *status, UBaseType_t room, configRUN_TIME_COUNTER_TYPE *total) {
  UBaseType_t found = 0;
  vTaskSuspendAll();
  if (room >= count) {
    for (TaskHandle_t task = first; task; task = task->cl_next) vTaskGetInfo(task, &status[found++], pdTRUE, eInvalid);
    if (total) *total = configGENERATE_RUN_TIME_STATS ? (configRUN_TIME_COUNTER_TYPE)cl_now() : 0;
  }
  xTaskResumeAll();
  return found;
}

#if defined(configUSE_STATS_FORMATTING_FUNCTIONS) && configUSE_STATS_FORMATTING_FUNCTIONS
static size_t append(char *text, size_t used, size_t bytes, int more) {
  return more > 0 && used + (size_t)more < bytes ? used + (size_t)more : (text[used] = '\0', bytes);
}

void vTaskListTasks(char *text, size_t bytes) {
  size_t used = 0;
  if (bytes) *text = '\0';
  vTaskSuspendAll();
  for (TaskHandle_t task = first; task && used < bytes; task = task->cl_next) {
    TaskStatus_t status;
    vTaskGetInfo(task, &status, pdTRUE, eInvalid);
    used = append(text, used, bytes,
                  snprintf(text + used, bytes - used, "%-*s\t%c\t%u\t%u\t%u\r\n", configMAX_TASK_NAME_LEN - 1,
                           status.pcTaskName, "XRBSD"[status.eCurrentState], (unsigned)status.uxCurrentPriority,
                           (unsigned)status.usStackHighWaterMark, (unsigned)status.xTaskNumber));
  }
  xTaskResumeAll();
}

void vTaskGetRunTimeStatistics(char *text, size_t bytes) {
  size_t used = 0;
  if (bytes) *text = '\0';
  vTaskSuspendAll();
  for (TaskHandle_t task = first; task && used < bytes; task = task->cl_next) {
    unsigned long ran = (unsigned long)ulTaskGetRunTimeCounter(task);
    unsigned share = (unsigned)percent((configRUN_TIME_COUNTER_TYPE)ran);
    used = append(text, used, bytes,
                  snprintf(text + used, bytes - used, share ? "%-*s\t%lu\t\t%u%%\r\n" : "%-*s\t%lu\t\t<1%%\r\n",
                           configMAX_TASK_NAME_LEN - 1, task->cl_name, ran, share));
  }
  xTaskResumeAll();
}
#endif
