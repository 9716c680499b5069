/* SPDX-License-Identifier: Apache-2.0
 *
 * The software kernel on the host: runs a packed stream of steps (coreloom.reference.stream) and compares every word.
 * Built as a shared library and called by test_sw_kernel_vs_model.py. */
#define K_TICK 1
#define K_REMOTE 1
#define K_HELD 0
/* Behind the last object of each kind lies one more, which an operation with a number too high would reach. */
enum {
  THREADS = CL_THREADS,
  PORTS = CL_PORTS,
  MUTEXES = CL_MUTEXES,
  SEMAPHORES = CL_SEMAPHORES,
  CONDITIONS = CL_CONDITIONS,
  LINES = CL_LINES
};
#pragma push_macro("CL_THREADS")
#pragma push_macro("CL_PORTS")
#pragma push_macro("CL_MUTEXES")
#pragma push_macro("CL_SEMAPHORES")
#pragma push_macro("CL_CONDITIONS")
#pragma push_macro("CL_LINES")
#undef CL_THREADS
#define CL_THREADS (THREADS + 1)
#undef CL_PORTS
#define CL_PORTS (PORTS + 1)
#undef CL_MUTEXES
#define CL_MUTEXES (MUTEXES + 1)
#undef CL_SEMAPHORES
#define CL_SEMAPHORES (SEMAPHORES + 1)
#undef CL_CONDITIONS
#define CL_CONDITIONS (CONDITIONS + 1)
#undef CL_LINES
#define CL_LINES (LINES + 1)
#include "cl_sw_data.h"
#pragma pop_macro("CL_THREADS")
#pragma pop_macro("CL_PORTS")
#pragma pop_macro("CL_MUTEXES")
#pragma pop_macro("CL_SEMAPHORES")
#pragma pop_macro("CL_CONDITIONS")
#pragma pop_macro("CL_LINES")
#include "cl_sw_kernel.h"

static uint32_t now;
static uint32_t words[CL_CPUS][1 + CL_PORT_WORDS]; /* WORD0 and further ones */
static uint32_t answered; /* CPUs whose pending operation has its answer */
static uint32_t told;     /* CPUs that were asked to look, and have not answered with preempt */
static int saved;         /* the operation began with saving, which may make a thread ready, too */
static uint32_t switching; /* CPUs between GIVE_WAY and SAVED: their front end has interrupts off */
static int woke;          /* the operation says that somebody may have to give way */

static inline uint32_t k_now(void) { return now; }
static inline void note_switch(uint32_t number, uint32_t word) {
  if (word != K_PENDING && word & K_GIVE_WAY) switching |= 1u << number;
}
static inline void k_completed(k_cpu *cpu) {
  answered |= 1u << (cpu - k_cpus);
  note_switch((uint32_t)(cpu - k_cpus), cpu->answer);
}
static inline void k_interrupt(k_cpu *cpu) { told |= 1u << (cpu - k_cpus); }

static uint32_t *argument(uint32_t number, uint32_t id) { return &words[number][id <= CL_PORT_WORDS ? id : 0]; }

/* All words of the message, as in a hardware kernel's port. */
static uint32_t received(uint32_t number, uint32_t id, uint32_t head, uint32_t answer) {
  if (answer <= CL_WORD_VALUE_MASK)
    memcpy(&words[number][1], k_further_of(&k_ports[id], head), CL_PORT_WORDS * sizeof(uint32_t));
  return answer;
}

static uint32_t load(uint32_t number, uint32_t op, uint32_t id) {
  k_cpu *cpu = &k_cpus[number];
  uint32_t *word = words[number], head = id < CL_PORTS ? k_ports[id].head : 0;
  if (op == CL_OP_WORD0) return *argument(number, id);
  woke = saved = 0;
  switch (op) { /* CL_IS_ANY_TIME: no saving */
    case CL_OP_SEMAPHORE_POST: return k_queue_woken(k_op_semaphore_post(id), &woke);
    case CL_OP_MUTEX_LEAVE: return k_op_mutex_leave(id, *word, &woke);
    case CL_OP_SEMAPHORE_LEAVE: return k_op_semaphore_leave(id, *word, &woke);
    case CL_OP_COND_LEAVE: return k_op_cond_leave(id, *word, &woke);
    case CL_OP_PORT_LEAVE: return k_op_port_leave(id, *word, &woke);
    default: break;
  }
  saved = cpu->leaving != NULL || switching >> number & 1u;
  k_saved(cpu);
  switching &= ~(1u << number);
  woke = 1;
  switch (op) {
    case CL_OP_NEXT: return k_op_next(cpu);
    case CL_OP_THREAD_START: return k_op_thread_start(id);
    case CL_OP_THREAD_DETACH: return k_op_thread_detach(id);
    case CL_OP_SET_SCHED_PARAM: return k_op_set_sched_param(id, *word);
    case CL_OP_GET_SCHED_PARAM: return k_op_get_sched_param(id);
    case CL_OP_CHECK_SCHED_PARAM: return k_op_check_sched_param(id, *word);
    case CL_OP_DEQUEUE: return k_op_dequeue(cpu);
    case CL_OP_REMOVE: return k_op_remove(id);
    case CL_OP_GET_ENTRY: return k_op_get_entry(id);
    case CL_OP_IS_QUEUED: return k_op_is_queued(id);
    case CL_OP_IS_EMPTY: return k_op_is_empty(cpu);
    case CL_OP_SET_IDLE_THREAD: return k_op_set_idle_thread(cpu, id);
    case CL_OP_RESERVE: return k_op_reserve(id, *word);
    case CL_OP_RELEASE: return k_op_release(id);
    case CL_OP_COND_TICKET: return k_op_cond_ticket(id);
    case CL_OP_COND_SIGNAL: return woke = 0, k_queue_woken(k_op_cond_signal(id), &woke);
    case CL_OP_COND_BROADCAST: return woke = 0, k_op_cond_broadcast(id, &woke);
    case CL_OP_INTERRUPT_UNBIND: return k_op_interrupt_unbind(id);
    case CL_OP_INTERRUPT_RAISE: return woke = 0, k_op_interrupt_raise(id, &woke);
    case CL_OP_SET_WEIGHT: return k_op_set_weight(id, *word);
    case CL_OP_SET_DEADLINE: return k_op_set_deadline(id, *word);
    case CL_OP_THREAD_READ: return k_op_thread_read(id);
    case CL_OP_SLICE: return k_op_slice(*word);
    case CL_OP_SEMAPHORE_VALUE: return k_op_semaphore_value(id);
    default: break;
  }
  static const uint8_t needs_thread[256] = {
      [CL_OP_SELF] = 1,
      [CL_OP_YIELD] = 1,
      [CL_OP_PREEMPT] = 1,
      [CL_OP_THREAD_CREATE] = 1,
      [CL_OP_THREAD_EXIT] = 1,
      [CL_OP_MOVE] = 1,
      [CL_OP_THREAD_JOIN] = 1,
      [CL_OP_MUTEX_CREATE] = 1,
      [CL_OP_MUTEX_DESTROY] = 1,
      [CL_OP_MUTEX_LOCK] = 1,
      [CL_OP_MUTEX_TRYLOCK] = 1,
      [CL_OP_MUTEX_UNLOCK] = 1,
      [CL_OP_SEMAPHORE_CREATE] = 1,
      [CL_OP_SEMAPHORE_DESTROY] = 1,
      [CL_OP_SEMAPHORE_WAIT] = 1,
      [CL_OP_SEMAPHORE_TRYWAIT] = 1,
      [CL_OP_PORT_OPEN] = 1,
      [CL_OP_PORT_CLOSE] = 1,
      [CL_OP_PORT_SEND] = 1,
      [CL_OP_PORT_TRYSEND] = 1,
      [CL_OP_PORT_RECEIVE] = 1,
      [CL_OP_PORT_TRYRECEIVE] = 1,
      [CL_OP_PORT_PUBLISH] = 1,
      [CL_OP_COND_CREATE] = 1,
      [CL_OP_COND_DESTROY] = 1,
      [CL_OP_COND_WAIT] = 1,
      [CL_OP_BARRIER_WAIT] = 1,
      [CL_OP_INTERRUPT_BIND] = 1,
      [CL_OP_INTERRUPT_WAIT] = 1,
  };
  if (op < sizeof needs_thread && needs_thread[op] && !k_runs(cpu)) return K_ERROR(ESRCH);
  switch (op) {
    case CL_OP_SELF: return k_tid(cpu->current);
    case CL_OP_YIELD: return woke = 0, k_op_yield(cpu, &woke);
    case CL_OP_PREEMPT: told &= ~(1u << number); return k_op_preempt(cpu);
    case CL_OP_THREAD_CREATE: return k_op_thread_create(*word);
    case CL_OP_THREAD_EXIT: return k_op_thread_exit(cpu);
    case CL_OP_MOVE: return k_op_move(cpu, *word);
    case CL_OP_THREAD_JOIN: return k_op_thread_join(cpu, id);
    case CL_OP_MUTEX_CREATE: return k_op_mutex_create();
    case CL_OP_MUTEX_DESTROY: return k_op_mutex_destroy(id);
    case CL_OP_MUTEX_LOCK: return k_op_mutex_lock(cpu, id);
    case CL_OP_MUTEX_TRYLOCK: return k_op_mutex_trylock(cpu, id);
    case CL_OP_MUTEX_UNLOCK: return woke = 0, k_queue_woken(k_op_mutex_unlock(cpu, id), &woke);
    case CL_OP_SEMAPHORE_CREATE: return k_op_semaphore_create(*word);
    case CL_OP_SEMAPHORE_DESTROY: return k_op_semaphore_destroy(id);
    case CL_OP_SEMAPHORE_WAIT: return k_op_semaphore_wait(cpu, id);
    case CL_OP_SEMAPHORE_TRYWAIT: return k_op_semaphore_trywait(id);
    case CL_OP_COND_CREATE: return k_op_cond_create();
    case CL_OP_COND_DESTROY: return k_op_cond_destroy(id);
    case CL_OP_COND_WAIT: return k_op_cond_wait(cpu, id, *word);
    case CL_OP_BARRIER_WAIT: return woke = 0, k_op_barrier_wait(cpu, id, *word, &woke);
    case CL_OP_INTERRUPT_BIND: return k_op_interrupt_bind(cpu, id, *word);
    case CL_OP_INTERRUPT_WAIT: return k_op_interrupt_wait(cpu, id);
    case CL_OP_PORT_OPEN: return k_op_port_open(cpu, id, *word);
    case CL_OP_PORT_CLOSE: return k_op_port_close(cpu, id);
    case CL_OP_PORT_SEND: return woke = 0, k_op_port_send(cpu, id, *word, word + 1, CL_PORT_WORDS, &woke);
    case CL_OP_PORT_TRYSEND: return woke = 0, k_op_port_trysend(cpu, id, *word, word + 1, CL_PORT_WORDS, &woke);
    case CL_OP_PORT_RECEIVE:
      return woke = 0, received(number, id, head, k_op_port_receive(cpu, id, word, NULL, 0, &woke));
    case CL_OP_PORT_TRYRECEIVE:
      return woke = 0, received(number, id, head, k_op_port_tryreceive(cpu, id, word, NULL, 0, &woke));
    case CL_OP_PORT_PUBLISH: return woke = 0, k_op_port_publish(cpu, &woke);
    default: return K_ERROR(EINVAL);
  }
}

/* What an operation answers after a reset if the objects behind the last ones look like any other. */
uint32_t sw_beyond(uint32_t op, uint32_t id, uint32_t word);
uint32_t sw_beyond(uint32_t op, uint32_t id, uint32_t word) {
  k_init();
  memset(words, 0, sizeof words);
  k_threads[CL_THREADS].state = CL_STATE_CREATED;
  k_ports[CL_PORTS] = (k_port){.kind = K_DIRECT, .receiver = &k_threads[0]};
  k_mutexes[CL_MUTEXES].exists = 1;
  k_semaphores[CL_SEMAPHORES].exists = 1;
  k_conditions[CL_CONDITIONS].exists = 1;
  k_lines[CL_LINES] = (k_line){.bound = K_BOUND_THREAD, .thread = &k_threads[0]};
  words[0][0] = word;
  return load(0, op, id);
}

enum { LOAD, STORE, TICK, INTERRUPT, RESET, LINE };

/* Runs `count` steps. Returns the number of the first that differs from the model, or `count`.
 * report: what this kernel did there: word answered (or all ones), CPUs answered, irq, idle, CPUs told. */
size_t sw_run(const uint32_t *step, size_t count, uint32_t report[5]);
size_t sw_run(const uint32_t *step, size_t count, uint32_t report[5]) {
  for (size_t number = 0; number < count; number++) {
    uint32_t kind = step[0], cpu = step[1], op = step[2], id = step[3], word = step[4];
    uint32_t irq = step[5], idle = step[6], expected = step[7];
    const uint32_t *pair = step + 8;
    uint32_t own = K_PENDING;
    int pending = 1; /* WORD0 may read as K_PENDING */
    answered = 0;
    switch (kind) {
      case LOAD:
        own = load(cpu, op, id);
        pending = op != CL_OP_WORD0 && own == K_PENDING;
        if (op != CL_OP_WORD0) note_switch(cpu, own);
        break;
      case STORE:
        if (op == CL_OP_WORD0) *argument(cpu, id) = word;
        if (op == CL_OP_SAVED) {
          k_saved(&k_cpus[cpu]);
          switching &= ~(1u << cpu);
        }
        break;
      case TICK:
        now++;
        for (k_cpu *c = k_cpus; c < k_cpus + CL_CPUS; c++) k_look_at_slice(c);
        told |= irq; /* here the timer tells */
        break;
      case INTERRUPT:
        k_cpus[cpu].interrupt = (uint8_t)word;
        if (word && k_cpus[cpu].waiting) k_complete(&k_cpus[cpu], K_ERROR(EINTR));
        break;
      case LINE:
        woke = 0;
        k_op_interrupt_raise(id, &woke);
        break;
      default:
        k_init();
        memset(words, 0, sizeof words);
        told = switching = 0;
    }
    /* The front end looks after an operation that says so, and after every switch. */
    int looks = kind == LINE ? woke : kind != LOAD || saved || woke || (int32_t)own < 0;
    if (kind != TICK && looks) k_notify(&k_cpus[cpu]);
    uint32_t got_irq = 0, got_idle = 0;
    for (uint32_t c = 0; c < CL_CPUS; c++) {
      got_irq |= (k_irq(&k_cpus[c]) && !(switching >> c & 1u)) << c;
      got_idle |= (uint32_t)k_cpus[c].waiting << c;
    }
    /* After its own operation a CPU looks for itself. */
    if (looks) told |= got_irq & 1u << cpu;
    int same = got_irq == irq && got_idle == idle && !(got_irq & ~told);
    uint32_t words = 0;
    for (uint32_t i = 0; i < expected; i++, pair += 2) {
      uint32_t bit = 1u << pair[0];
      if (!pending && pair[0] == cpu) same &= own == pair[1];
      else same &= (answered & bit) && k_cpus[pair[0]].answer == pair[1];
      words |= bit;
    }
    same &= words == (answered | (pending ? 0 : 1u << cpu));
    if (!same) {
      report[0] = own;
      report[1] = answered;
      report[2] = got_irq;
      report[3] = got_idle;
      report[4] = told;
      return number;
    }
    step = pair;
  }
  return count;
}
