/* SPDX-License-Identifier: Apache-2.0
 *
 * The program that is explored (explore.c): the software kernel as it ships, and threads that do what a table says. The
 * host writes the table into the image, and is told what the threads do by events of the trace. After each critical
 * section it calls explore_check. */
#ifdef CL_KERNEL_FINE
#include "cl_fine.c"
#else
#include "cl_sw.c"
#endif

#include "cl_end.h"
#include "explore.h"

volatile struct act explore_acts[CL_THREADS][EXPLORE_ACTS] __attribute__((section(".data"), used));
volatile uint32_t explore_start[2] __attribute__((section(".data"), used)); /* the time at which it starts */

/* --- what the boot needs of the POSIX layer ------------------------------------------------------ */

void (*cl_ipc_dispatch)(void);
struct cl_ipc_first cl_ipc_first[CL_CPUS];
const char *(*cl_posix_name)(uint32_t thread);
void cl_posix_thread_begin(void) {}
void __libc_init_array(void) {}

static __attribute__((noreturn)) void failed(uint32_t code) {
  cl_trace(EXPLORE_FAILED, code);
  __builtin_unreachable();
}

void cl_fault_in(const char *what, const char *name, uint32_t number, unsigned cause, uint32_t pc, uint32_t address) {
  (void)what, (void)name, (void)number, (void)cause, (void)pc, (void)address;
  failed(__LINE__);
}
void cl_broken_in(const char *what, const char *name, uint32_t number, const char *which, const void *where) {
  (void)what, (void)name, (void)number, (void)which, (void)where;
  failed(__LINE__);
}
__attribute__((noreturn)) void exit(int status);
void exit(int status) { failed((uint32_t)status); }
__attribute__((noreturn)) void pthread_exit(void *value);
void pthread_exit(void *value) {
  (void)value;
  failed(__LINE__);
}

/* --- threads --------------------------------------------------------------------------------------- */

static unsigned char stacks[CL_THREADS][1024] __attribute__((aligned(16)));
static void *run(void *program);

/* The communication port's handler, by the ways of the trap entry and of a CPU that sleeps. */
static void on_bell(uint32_t bells) {
  (void)bells;
  cl_trace(EXPLORE_POST, 0);
  cl_op_semaphore_post_in_trap(0);
}

static void dispatch(void) {
  if (cl_local_read(CL_TRACE + 4 * EXPLORE_TAKE)) on_bell(1);
}

static void listen(void) {
#if CL_IPC
  static const uint32_t low = 0;
  cl_ipc_first[cl_local_read(CL_CPU_ID)] = (struct cl_ipc_first){
      .take = (const volatile uint32_t *)(CL_LOCAL + CL_TRACE + 4 * EXPLORE_TAKE), .levels = &low, .bell = on_bell};
  cl_ipc_dispatch = dispatch;
  cl_ipc_listen(NULL);
#else
  (void)dispatch;
#endif
}

static inline uint64_t after_start(uint32_t cycles) {
  return ((uint64_t)explore_start[1] << 32 | explore_start[0]) + cycles - 1000;
}

/* One operation; ticket: the last that the thread took; *value: the message that it has received. */
static inline uint32_t operate(uint32_t op, uint32_t id, uint32_t word, uint32_t ticket, uint32_t *value) {
  switch (op) {
    case CL_OP_THREAD_CREATE: {
      uint32_t answer = cl_op_thread_create(word);
      if (answer < CL_THREADS)
        cl_thread_prepare(answer, stacks[answer], sizeof stacks[0], run, (void *)explore_acts[answer]);
      return answer;
    }
    case CL_OP_THREAD_START: return cl_op_thread_start(id);
    case CL_OP_THREAD_JOIN: return cl_op_thread_join(id);
    case CL_OP_THREAD_DETACH: return cl_op_thread_detach(id);
    case CL_OP_SET_SCHED_PARAM: return cl_op_set_sched_param(id, word);
    case CL_OP_GET_SCHED_PARAM: return cl_op_get_sched_param(id);
    case CL_OP_SLICE: return cl_op_slice(word);
    case CL_OP_SET_WEIGHT: return cl_op_set_weight(id, word);
    case CL_OP_RESERVE: return cl_op_reserve(id, word);
    case CL_OP_RELEASE: return cl_op_release(id);
    case CL_OP_REMOVE: return cl_op_remove(id);
    case CL_OP_MOVE: return cl_op_move(word);
    case CL_OP_YIELD: return cl_op_yield();
    case CL_OP_MUTEX_CREATE: return cl_op_mutex_create();
    case CL_OP_MUTEX_DESTROY: return cl_op_mutex_destroy(id);
    case CL_OP_MUTEX_LOCK: return cl_op_mutex_lock(id, CL_NEVER);
    case CL_OP_MUTEX_TRYLOCK: return cl_op_mutex_lock(id, CL_NOW);
    case CL_OP_MUTEX_UNLOCK: return cl_op_mutex_unlock(id);
    case CL_OP_SEMAPHORE_CREATE: return cl_op_semaphore_create(word);
    case CL_OP_SEMAPHORE_DESTROY: return cl_op_semaphore_destroy(id);
    case CL_OP_SEMAPHORE_WAIT: return cl_op_semaphore_wait(id, CL_NEVER);
    case CL_OP_SEMAPHORE_TRYWAIT: return cl_op_semaphore_wait(id, CL_NOW);
    case CL_OP_SEMAPHORE_POST: return cl_op_semaphore_post(id);
    case CL_OP_SEMAPHORE_VALUE: return cl_op_semaphore_value(id);
    case CL_OP_COND_CREATE: return cl_op_cond_create();
    case CL_OP_COND_DESTROY: return cl_op_cond_destroy(id);
    case CL_OP_COND_TICKET: return cl_op_cond_ticket(id);
    case CL_OP_COND_WAIT: return cl_op_cond_wait(id, ticket, CL_NEVER);
    case CL_OP_COND_SIGNAL: return cl_op_cond_signal(id);
    case CL_OP_COND_BROADCAST: return cl_op_cond_broadcast(id);
    case CL_OP_BARRIER_WAIT: return cl_op_barrier_wait(id, word);
    case CL_OP_PORT_OPEN: return cl_op_port_open(id, word);
    case CL_OP_PORT_CLOSE: return cl_op_port_close(id);
    case CL_OP_PORT_SEND: return cl_op_port_send(id, word, NULL, CL_NEVER);
    case CL_OP_PORT_TRYSEND: return cl_op_port_send(id, word, NULL, CL_NOW);
    case CL_OP_PORT_RECEIVE: return cl_op_port_receive(id, value, NULL, 0, CL_NEVER);
    case CL_OP_PORT_TRYRECEIVE: return cl_op_port_receive(id, value, NULL, 0, CL_NOW);
    case CL_OP_PORT_PUBLISH: return cl_op_port_publish();
    case CL_OP_INTERRUPT_BIND: return cl_op_interrupt_bind(id, word);
    case CL_OP_INTERRUPT_UNBIND: return cl_op_interrupt_unbind(id);
    case CL_OP_INTERRUPT_WAIT: return cl_op_interrupt_wait(id);
    case CL_OP_INTERRUPT_RAISE: return cl_op_interrupt_raise(id);
    case EXPLORE_TIMED + CL_OP_SEMAPHORE_WAIT: return cl_op_semaphore_wait(id, after_start(word));
    case EXPLORE_TIMED + CL_OP_MUTEX_LOCK: return cl_op_mutex_lock(id, after_start(word));
    case EXPLORE_TIMED + CL_OP_COND_WAIT: return cl_op_cond_wait(id, ticket, after_start(word));
    case EXPLORE_TIMED + CL_OP_PORT_SEND: return cl_op_port_send(id, word, NULL, after_start(EXPLORE_LIMIT));
    case EXPLORE_TIMED + CL_OP_PORT_RECEIVE: return cl_op_port_receive(id, value, NULL, 0, after_start(EXPLORE_LIMIT));
    default: failed(__LINE__);
  }
}

static void *run(void *program) {
  uint32_t ticket = 0;
  for (const volatile struct act *act = program;; act++) {
    uint32_t op = act->op, word = act->word, value = 0, answer;
    if (op >= EXPLORE_MARK) {
      if (op == EXPLORE_MARK + EXPLORE_LISTEN) listen();
      else cl_trace(op - EXPLORE_MARK, act->id);
      continue;
    }
    cl_trace(EXPLORE_WORD, word);
    cl_trace(EXPLORE_CALL, op << 16 | act->id);
    if (op == CL_OP_THREAD_EXIT) cl_op_thread_exit();
    answer = operate(op, act->id, word, ticket, &value);
    cl_trace(EXPLORE_WORD, value);
    cl_trace(EXPLORE_RETURN, answer);
    if (op == CL_OP_COND_TICKET) ticket = answer;
  }
}

int main(void) {
  run((void *)explore_acts[0]);
  __builtin_unreachable();
}

/* --- what holds whenever the lock is free ------------------------------------------------------------ */

#define MUST(what)                \
  do {                            \
    if (!(what)) return __LINE__; \
  } while (0)

/* In how many lists of waiters a thread is. */
static uint32_t in_list(const k_thread *list, const k_thread *thread) {
  uint32_t count = 0;
#if K_FINE
  if (list == NO_OBJECT) return 0;
#endif
  for (uint32_t length = 0; list; list = list->next, length++) {
    if (length > CL_THREADS) return 99; /* it goes round */
    count += list == thread;
  }
  return count;
}

static uint32_t waits(const k_thread *thread) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < CL_MUTEXES; i++) count += in_list(k_mutexes[i].waiters, thread);
  for (uint32_t i = 0; i < CL_SEMAPHORES; i++) count += in_list(k_semaphores[i].waiters, thread);
  for (uint32_t i = 0; i < CL_CONDITIONS; i++) count += in_list(k_conditions[i].waiters, thread);
  for (uint32_t i = 0; i < CL_PORTS; i++) {
    count += in_list(k_ports[i].senders, thread);
    count += k_ports[i].receiver_waits && k_ports[i].receiver == thread;
  }
  for (uint32_t i = 0; i < CL_LINES; i++) count += k_lines[i].waits && k_lines[i].thread == thread;
  for (uint32_t i = 0; i < CL_THREADS; i++)
    count += k_threads[i].state != CL_STATE_FREE && k_threads[i].state != CL_STATE_EXITED &&
             k_threads[i].joiner == thread;
  return count;
}

#ifndef CL_POLICY
/* How often the thread is in a queue, which must be its own, in the ring of its level. */
static uint32_t in_queue(const k_queue *queue, const k_thread *thread) {
  uint32_t count = 0;
  for (uint32_t level = 0; level <= K_LEVELS; level++) {
    const k_thread *tail = queue->tail[level], *each = tail;
    for (uint32_t length = 0; each; length++) {
      if (length > CL_THREADS) return 99;
      each = each->next;
      if (each == thread) count += thread->queue == queue && thread->level == level ? 1 : 98;
      if (each == tail) break;
    }
  }
  return count;
}

static int check_queue(const k_queue *queue) {
  uint32_t best = K_NONE;
  for (uint32_t level = K_LEVELS + 1; level-- > 0;) {
    int marked = queue->bitmap[level / 32] >> level % 32 & 1u;
    MUST(marked == (queue->tail[level] != NULL));
    if (marked) best = level;
  }
  MUST(queue->best == best);
  return 0;
}

/* Of the ready threads that this CPU may run the best level, but of its idle thread. */
static uint32_t best_for(const k_cpu *cpu) {
  uint32_t best = K_NONE;
  for (const k_thread *thread = k_threads; thread < k_threads + CL_THREADS; thread++)
    if (thread->state == CL_STATE_READY && !thread->idle && (!thread->home || thread->home == cpu) &&
        thread->level < best && in_queue(thread->queue, thread))
      best = thread->level;
  return best;
}

/* The CPU runs the least urgent thread. */
static int is_worst(const k_cpu *cpu) {
  for (uint32_t other = 0; other < CL_CPUS; other++) {
    const k_cpu *each = &k_cpus[other];
    if (each == cpu || !k_runs(each)) continue;
    if (each->current->level > cpu->current->level) return 0;
    if (each->current->level == cpu->current->level && each < cpu) return 0;
  }
  return 1;
}

/* The timer rings at the end of the slice, unless that is used up. */
static int check_slice(const k_cpu *cpu, uint64_t rings) {
  uint32_t late = (uint32_t)rings - ((uint32_t)cpu->since + k_slice);
  MUST(!k_slice || cpu->preempt_below > cpu->current->level || (rings >> 32 != UINT32_MAX && (int32_t)late <= 0));
  return 0;
}

static uint32_t check_all_cpus(struct seen *seen) {
  uint32_t sleeping = 0, own_bit = 1u << seen->cpu;
  /* From its last critical section before it sleeps to the first after, a CPU is on its way: it will look for itself. */
  if (k_cpus[seen->cpu].waiting) seen->coming |= own_bit;
  else if (k_asleep < seen->asleep) seen->coming &= ~own_bit;
  seen->asleep = k_asleep;
  uint32_t coming = seen->coming | seen->handling, interrupted = seen->interrupted;
  MUST(!check_queue(&k_dynamic));
  for (uint32_t number = 0; number < CL_CPUS; number++) {
    const k_cpu *cpu = &k_cpus[number];
    const k_thread *thread = cpu->current;
    MUST(!check_queue(&cpu->queue));
    sleeping += cpu->waiting != 0;
    if (cpu->waiting) { /* no thread for it is ready */
      MUST(best_for(cpu) == K_NONE && cpu->preempt_below == 0);
      MUST(!thread || thread->state == CL_STATE_BLOCKED);
      continue;
    }
    MUST(thread && thread->state == CL_STATE_RUNNING && thread->cpu == cpu);
    MUST(!thread->home || thread->home == cpu);
    for (uint32_t other = 0; other < number; other++) MUST(k_cpus[other].current != thread);
#if K_FINE /* parked, or about to be told of its thread's new level */
    MUST(thread->parked ? thread->parked == number + 1 : waits(thread) <= 1);
    if (cpu->called || (cpu->preempt_below != thread->level && cpu->preempt_below != thread->level + 1)) continue;
#else
    MUST(cpu->preempt_below == thread->level || cpu->preempt_below == thread->level + 1);
#endif
    if (coming >> number & 1u) continue;
    MUST(!cpu->leaving);
    if (!(interrupted >> number & 1u)) MUST(!check_slice(cpu, seen->rings[number]));
    /* It hears of a better thread: one placed here, or any if it is the CPU to take it. */
    uint32_t own = K_NONE, all = best_for(cpu);
    for (const k_thread *each = k_threads; each < k_threads + CL_THREADS; each++)
      if (each->state == CL_STATE_READY && each->home == cpu && !each->idle && each->level < own) own = each->level;
    int better = own < cpu->preempt_below || (all < cpu->preempt_below && is_worst(cpu));
    MUST(!better || interrupted >> number & 1u);
  }
  MUST(sleeping == k_waiting && k_asleep >= k_waiting && k_asleep <= CL_CPUS);
  return 0;
}

static uint32_t queued(const k_thread *thread) {
  uint32_t count = in_queue(&k_dynamic, thread);
  for (uint32_t cpu = 0; cpu < CL_CPUS; cpu++)
    count += in_queue(&k_cpus[cpu].queue, thread) + in_queue(&k_idle_queues[cpu], thread);
  for (uint32_t cpu = 0; cpu < CL_CPUS; cpu++) /* one that will be queued when that CPU has left it */
    count += k_cpus[cpu].leaving == thread && k_cpus[cpu].leaving_ready;
  return count;
}
#else
static uint32_t check_all_cpus(struct seen *seen) {
  uint32_t queued = 0, counted = 0, interrupted = seen->interrupted,
           coming = seen->coming = seen->awake | seen->handling;
  MUST(!(k_need_resched & ~(interrupted | coming)));
  for (uint32_t number = 0; number < CL_CPUS; number++) {
    const k_cpu *cpu = &k_cpus[number];
    const struct cl_entity *given = k_given(cpu), *owner = k_policy_cpus[number].owner;
    if (cpu->current) MUST(cpu->current->state == CL_STATE_RUNNING && cpu->current->cpu == cpu);
    if (given) MUST(given->current && given->cpu == (int16_t)number);
    if (given && (!cpu->current || &cpu->current->entity != given))
      MUST((interrupted | coming) >> number & 1u || k_threads[given->id].cpu->current == &k_threads[given->id]);
    /* The timer rings when the CPU is to look. */
    if (!((interrupted | coming) >> number & 1u)) MUST(seen->rings[number] <= cpu->until);
    counted += k_policy_cpus[number].queued;
    /* A reservation has a living owner. */
    if (owner) MUST(k_threads[owner->id].state != CL_STATE_FREE && k_threads[owner->id].state != CL_STATE_EXITED);
  }
  for (const k_thread *thread = k_threads; thread < k_threads + CL_THREADS; thread++) {
    const struct cl_entity *entity = &thread->entity;
    queued += entity->queued != 0;
    if (entity->current) MUST(k_policy_cpus[entity->cpu].current == entity);
    /* The weight in force is the one that was set, or the CPU is about to see it. */
    if (entity->current || entity->queued)
      MUST(entity->weight == thread->weight || (entity->current && k_need_resched >> entity->cpu & 1u));
  }
  MUST(counted == queued || counted == 0); /* 0: one queue for all */
  return 0;
}

static uint32_t queued(const k_thread *thread) { return thread->entity.queued || thread->entity.current; }
#endif

/* 0, or the line of what is wrong. */
uint32_t explore_check(struct seen *seen);
__attribute__((used, retain, noinline)) uint32_t explore_check(struct seen *seen) {
#if K_FINE
  if (inside) return 0; /* the kernel's lock is not free */
#endif
  uint32_t wrong = check_all_cpus(seen), unused = 0;
  if (wrong) return wrong;
  for (const k_thread *thread = k_threads; thread < k_threads + CL_THREADS; thread++) {
    uint32_t lists = waits(thread), ready = queued(thread);
    if (thread->state == CL_STATE_READY) MUST(lists == 0 && ready == 1);
    else if (thread->state == CL_STATE_RUNNING) MUST(lists <= K_FINE && thread->cpu->current == thread);
    else if (thread->state == CL_STATE_BLOCKED) MUST((lists == 1 || K_FINE) && lists <= 1 && ready == 0);
    else MUST(lists == 0 && ready == 0);
#ifndef CL_POLICY
    if (thread->state == CL_STATE_RUNNING) MUST(ready == 0);
#endif
    if (thread->state != CL_STATE_FREE) continue;
    uint32_t times = 0;
    for (uint32_t i = 0; i < k_free_count; i++) times += k_free[i] == k_tid(thread);
    MUST(times == 1);
    unused++;
  }
  MUST(unused == k_free_count);
  for (uint32_t i = 0; i < CL_MUTEXES; i++) {
    const k_mutex *mutex = &k_mutexes[i];
#if K_FINE /* it may just be handed over; and the semaphores' lists end with NO_OBJECT */
    MUST(mutex->exists || mutex->owner == NO_OBJECT || inside);
    continue;
#endif
    MUST(mutex->owner || !mutex->waiters);
    MUST(mutex->exists || (!mutex->owner && !mutex->waiters));
  }
  for (uint32_t i = 0; i < CL_LINES; i++)
    MUST(k_lines[i].bound != K_BOUND_THREAD ||
         (k_lines[i].thread->state != CL_STATE_FREE && k_lines[i].thread->state != CL_STATE_EXITED));
  for (uint32_t i = 0; i < CL_SEMAPHORES && !K_FINE; i++) MUST(!k_semaphores[i].waiters || !k_semaphores[i].count);
  uint32_t timers = 0;
  for (uint32_t cpu = 0; cpu < CL_CPUS; cpu++)
    for (const struct cl_timer *timer = cl_timers[cpu]; timer; timer = timer->next, timers++)
      MUST(timers < CL_THREADS && timer->runs && timer->cpu == cpu &&
           ((seen->interrupted | seen->awake | seen->handling | seen->coming) >> cpu & 1u ||
            seen->rings[cpu] <= timer->at));
  MUST(timers == cl_timers_count);
  return 0;
}
