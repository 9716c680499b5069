/* SPDX-License-Identifier: Apache-2.0
 *
 * The software kernel on the SoC: every operation runs under one lock with interrupts disabled; idle CPUs sleep until
 * another CPU interrupts them; the timer ends time slices. */
#include "cl_kernel.h"

#define K_TICK CL_TICK_CYCLES
#define K_REMOTE (CL_CPUS > 1)
#define K_HELD 1
#include "cl_sw_kernel.h"

/* Not in .bss: the other CPUs read it while that is being cleared. */
__attribute__((section(".data"))) static volatile int started = 0;

static inline void k_interrupt(k_cpu *cpu) { cl_local_write(CL_IPI, (uint32_t)(cpu - k_cpus)); }
#ifndef CL_POLICY
static inline uint32_t k_now(void) { return cl_local_read(CL_CYCLE); }
static inline void k_completed(k_cpu *cpu) { k_interrupt(cpu); }
#else
static inline cl_time k_clock(void) {
  uint32_t low = cl_local_read(CL_MTIME_LO);
  uint32_t high = cl_local_read(CL_MTIME_HI);
  if (CL_UNLIKELY(low > UINT32_MAX - 64)) { /* it may have wrapped in between */
    do {
      high = cl_local_read(CL_MTIME_HI);
      low = cl_local_read(CL_MTIME_LO);
    } while (high != cl_local_read(CL_MTIME_HI));
  }
  return (cl_time)high << 32 | low;
}

/* The CPU's idle context, after the contexts of the threads. */
static inline uint32_t k_idle_word(const k_cpu *cpu) { return K_GIVE_WAY | (CL_THREADS + k_number(cpu)); }
#endif

static inline void lock(void) {
  if (CL_CPUS > 1) {
    cl_local_write(CL_LOCK_ADDRESS, (uint32_t)(uintptr_t)&K_SHARED);
    cl_local_read(CL_LOCK_ACQUIRE); /* waits */
    __asm__ volatile("" ::: "memory");
  }
}

static inline void unlock(void) {
  if (CL_CPUS > 1) {
    k_notify_all();
    __asm__ volatile("" ::: "memory");
    cl_local_write(CL_LOCK_RELEASE, 0);
  }
}

static inline k_cpu *this_cpu(void) { return CL_CPUS == 1 ? k_cpus : &k_cpus[cl_local_read(CL_CPU_ID)]; }

/* The calling thread; no other CPU changes this, so no lock is needed. */
static inline k_thread *this_thread(void) {
  return CL_CPUS == 1 ? k_cpus[0].current : &k_threads[cl_self() - cl_threads];
}

static inline k_cpu *enter(void) {
  cl_irq_off();
  k_cpu *cpu = this_cpu(); /* before the lock, as everything that can be */
  lock();
  return cpu;
}

/* --- the time slice ------------------------------------------------------------------------ */

#ifndef CL_POLICY
/* k_slice; the top bit is set while there are timed waits (timer.c), which share the timer: then each slice begins
 * with set_timer(). */
static uint32_t quick_slice;
static inline int is_quick(void) { return CL_LIKELY((int32_t)quick_slice >= 0); }
static inline void note_timers(void) { quick_slice = k_slice | (cl_timers_count ? 1u << 31 : 0); }

/* A thread's slice begins with one store, of the low half of its end time. So the timer fires only when a slice is used
 * up. If the low half wraps within a slice, the timer fires at once, and set_timer() corrects both halves. */
static inline void start_slice(const k_cpu *cpu) { cl_local_write(CL_MTIMECMP_LO, cpu->slice_start + quick_slice); }

static uint32_t timed[CL_CPUS]; /* the length of slice for which the timer was set */

/* Check whether the slice is used up. Set the timer to its end; or, if it is, to when the low half wraps, as nothing more
 * can happen to it. Or to the first time limit, if that is earlier. With slices the high half is never later than now:
 * so a low half may be stored alone, and then the timer fires too early at worst. */
CL_COLD static void set_timer(k_cpu *cpu) {
  uint32_t now = k_now();
  uint32_t high = cl_local_read(CL_MTIME_HI);
  timed[cpu - k_cpus] = k_slice;
  cl_local_write(CL_MTIMECMP_HI, UINT32_MAX);
  const struct cl_timer *first = cl_timers[cpu - k_cpus];
  uint64_t at = first ? first->at : UINT64_MAX;
  if (k_slice) {
    if (cl_local_read(CL_MTIME_HI) != high) { /* the low half has wrapped just now */
      now = k_now();
      high = cl_local_read(CL_MTIME_HI);
    }
    k_look_at_slice(cpu);
    uint32_t past = now - cpu->slice_start;
    uint32_t low = cpu->slice_start + k_slice;
    if (past >= k_slice || low < now) low = UINT32_MAX;
    uint64_t end = (uint64_t)high << 32 | low;
    if (end < at) at = end;
  }
  if (at == UINT64_MAX) return;
  cl_local_write(CL_MTIMECMP_LO, (uint32_t)at);
  cl_local_write(CL_MTIMECMP_HI, (uint32_t)(at >> 32));
}

/* Is this time before that low half of now's? */
static inline int comes_before(uint64_t at, uint32_t low) {
  return at < ((uint64_t)cl_local_read(CL_MTIME_HI) << 32 | low);
}

/* start_slice() while there are timed waits. */
static inline void start_slice_or_limit(k_cpu *cpu) {
  if (!k_slice) {
    set_timer(cpu);
    return;
  }
  uint32_t end = cpu->slice_start + k_slice;
  const struct cl_timer *first = cl_timers[cpu - k_cpus];
  if (first && comes_before(first->at, end)) end = (uint32_t)first->at;
  cl_local_write(CL_MTIMECMP_LO, end);
}

CL_APART void start_slice_timed(k_cpu *cpu) { start_slice_or_limit(cpu); }

/* Start the next thread's slice, off the fast path. */
static inline void start_timer(k_cpu *cpu) {
  if (is_quick()) start_slice(cpu);
  else start_slice_timed(cpu);
}

/* Called when this CPU has another time limit. */
static inline void limit_added(k_cpu *cpu) {
  const struct cl_timer *first = cl_timers[cpu - k_cpus];
  if (!k_slice) set_timer(cpu);
  else if (comes_before(first->at, cl_local_read(CL_MTIMECMP_LO))) cl_local_write(CL_MTIMECMP_LO, (uint32_t)first->at);
}

/* The timer has rung, perhaps: before the decision, and after it if the thread keeps the CPU. */
static inline void look_at_slice(k_cpu *cpu) {
  if (CL_UNLIKELY(timed[cpu - k_cpus] != k_slice)) set_timer(cpu);
  else k_look_at_slice(cpu);
}
static inline void keep_slice(k_cpu *cpu) { set_timer(cpu); }

/* Called when this thread continues, after a check whether it should give way. */
static inline void went_on(k_cpu *cpu) { (void)cpu; }
#else
/* Each decision sets the time of the next one, so the timer is always set by set_timer(). */
static inline int is_quick(void) { return 0; }
static inline void note_timers(void) {}
static inline void start_slice(const k_cpu *cpu) { (void)cpu; }

/* Set the timer to the next decision, or to the first time limit, if that is earlier. */
static inline void set_timer(const k_cpu *cpu) {
  const struct cl_timer *first = cl_timers[k_number(cpu)];
  cl_time at = first && first->at < cpu->until ? first->at : cpu->until;
  cl_local_write(CL_MTIMECMP_HI, UINT32_MAX);
  if (at == CL_FOREVER) return;
  cl_local_write(CL_MTIMECMP_LO, (uint32_t)at);
  cl_local_write(CL_MTIMECMP_HI, (uint32_t)(at >> 32));
}

static inline void start_timer(const k_cpu *cpu) { set_timer(cpu); }
static inline void start_slice_timed(const k_cpu *cpu) { set_timer(cpu); }
static inline void start_slice_or_limit(const k_cpu *cpu) { set_timer(cpu); }
static inline void limit_added(const k_cpu *cpu) { set_timer(cpu); }
static inline void look_at_slice(const k_cpu *cpu) { (void)cpu; }
static inline void keep_slice(const k_cpu *cpu) { (void)cpu; }

static inline void went_on(const k_cpu *cpu) {
  set_timer(cpu);
  k_notify(cpu);
}
#endif

/* --- after an operation ---------------------------------------------------------------------- */

/* The following functions are tail-called by operations, so that these need no stack frame.
 *
 * Switch to another thread, with the kernel locked and interrupts disabled. Returns when this one runs again, with the
 * kernel unlocked and interrupts enabled. */
CL_APART uint32_t switch_away_timed(k_cpu *cpu, uint32_t word) {
  start_slice_timed(cpu);
  k_notify(cpu);
  return cl_switch(word);
}

static inline uint32_t switch_away(k_cpu *cpu, uint32_t word) {
  if (!is_quick()) return switch_away_timed(cpu, word);
  start_slice(cpu);
  k_notify(cpu);
  return cl_switch(word);
}

/* A better thread has become ready. Enables interrupts at the end. */
CL_COLD static uint32_t give_way(k_cpu *cpu, uint32_t answer) {
  uint32_t word = k_op_preempt(cpu);
  if (word) {
    switch_away(cpu, word);
  } else {
    went_on(cpu);
    unlock();
    cl_irq_on();
  }
  __asm__("" : "+r"(answer)); /* or the compiler keeps it in the caller, which then needs a frame */
  return answer;
}

/* The caller continues; no thread has become ready. */
static inline uint32_t leave_quietly(uint32_t answer) {
  unlock();
  cl_irq_on();
  return answer;
}

/* The caller continues, unless a better thread has become ready. */
CL_COLD static uint32_t leave_closer(k_cpu *cpu, uint32_t answer) {
  k_notify(cpu);
  return k_irq(cpu) ? give_way(cpu, answer) : leave_quietly(answer);
}

CL_APART uint32_t leave(k_cpu *cpu, uint32_t answer) {
  int pressed = k_others_must_give_way(cpu) || k_must_give_way(cpu);
  return CL_UNLIKELY(pressed) ? leave_closer(cpu, answer) : leave_quietly(answer);
}

static inline uint32_t leave_if(int woke, k_cpu *cpu, uint32_t answer) {
  return CL_UNLIKELY(woke) ? leave(cpu, answer) : leave_quietly(answer);
}

/* The following return the word of a switch that their caller makes in place, with the kernel locked. */

CL_APART uint32_t in_place_timed(k_cpu *cpu, uint32_t word) {
  start_slice_or_limit(cpu); /* here, as it then needs no frame */
  k_notify(cpu);
  __asm__("" : "+r"(word)); /* as in give_way() */
  return word;
}

CL_COLD static uint32_t in_place_notify(k_cpu *cpu, uint32_t word) {
  k_notify(cpu);
  __asm__("" : "+r"(word)); /* as in give_way() */
  return word;
}

static inline uint32_t in_place(k_cpu *cpu, uint32_t word) {
  if (!is_quick()) return in_place_timed(cpu, word);
  start_slice(cpu);
  return CL_UNLIKELY(k_others_must_give_way(cpu)) ? in_place_notify(cpu, word) : word;
}

/* A thread that has been woken and is not queued is better than a running one, or must be woken in place. */
CL_COLD static uint32_t queue_woken(k_cpu *cpu, k_thread *woken) {
  int woke = 0;
  k_wake_and_notify(woken, &woke);
  return leave_if(woke, cpu, 0);
}

CL_APART uint32_t leave_woken(k_cpu *cpu, k_thread *woken) {
  uint32_t word = k_take_over(cpu, woken);
  if (CL_UNLIKELY(!word)) return queue_woken(cpu, woken);
  cl_switch_here(in_place(cpu, word));
  return 0;
}

/* The caller continues, unless it has woken a better thread. */
static inline uint32_t leave_waking(k_cpu *cpu, k_thread *woken, uint32_t answer) {
  if (CL_LIKELY(!woken)) return leave_quietly(answer);
  if (K_AWAY || k_presses(woken->level)) return leave_woken(cpu, woken);
  k_enqueue(woken, 0);
  return leave_quietly(0);
}

/* Interrupt lines have risen; CPU 0 serves them. With the lock. */
CL_APART void take_lines(const k_cpu *cpu, uint32_t lines) {
  cl_local_write(CL_LINE_CLEAR, lines);
  int woke = 0;
  for (uint32_t id = 0; lines; id++, lines >>= 1)
    if (lines & 1) k_op_interrupt_raise(id, &woke);
  if (woke) k_notify(cpu);
}

static inline uint32_t lines_of(const k_cpu *cpu) {
  return CL_CPUS == 1 || cpu == k_cpus ? cl_local_read(CL_LINE_PENDING) : 0;
}

/* --- a CPU without work ---------------------------------------------------------------------- */

#ifndef CL_POLICY
/* Lines, or time limits, on a CPU that sleeps. */
CL_APART void take_asleep(k_cpu *cpu, uint32_t lines) {
  lock();
  if (lines) take_lines(cpu, lines);
  cl_timers_look((uint32_t)(cpu - k_cpus));
  if (!K_REMOTE && cpu->waiting) k_wait_again(cpu);
  if (cpu->waiting) set_timer(cpu);
  unlock();
  if (CL_CPUS > 1) cl_local_write(CL_IPI_CLEAR, 0); /* from k_completed(); a CPU that is awake checks by itself */
}

/* Handlers of the communication port, or the Back-Door's, on a CPU that sleeps. They may wake a thread for this CPU. */
CL_APART void dispatch_asleep(k_cpu *cpu) {
  cl_ipc_dispatch();
  if (!K_REMOTE && cpu->waiting) k_wait_again(cpu);
  if (CL_CPUS > 1) cl_local_write(CL_IPI_CLEAR, 0); /* as above */
}

/* No thread can run: sleep until another CPU (or an interrupt line) provides one, on the stack of the waiting thread;
 * no other CPU can run that thread before this one has left it. */
static uint32_t idle(k_cpu *cpu) {
  cl_cpu_time_stop();
  cl_trace(CL_TRACE_IDLE, 1);
  unlock();
  while (cpu->waiting) {
    cl_wait_for_interrupt();
    if (CL_CPUS > 1) cl_local_write(CL_IPI_CLEAR, 0);
    uint32_t lines = lines_of(cpu);
    if (lines || !is_quick()) take_asleep(cpu, lines);
    if ((CL_IPC || CL_BACKDOOR) && CL_UNLIKELY(cl_ipc_dispatch)) dispatch_asleep(cpu);
    if (cpu->waiting && is_quick()) set_timer(cpu); /* the timer may have ended the sleep */
  }
  lock();
  if (CL_UNLIKELY(timed[cpu - k_cpus] != k_slice)) set_timer(cpu); /* cl_op_slice's interrupt may be cleared above */
  cl_trace(CL_TRACE_IDLE, 0);
  start_timer(cpu);
  k_back();
  if (CL_CPUS > 1 && cpu->leaving) k_saved(cpu); /* invisible to others until cl_switch unlocks */
  return cpu->answer;
}

CL_APART uint32_t settle_idle(k_cpu *cpu) {
  uint32_t word = idle(cpu);
  cl_cpu_time_go();
  if (word == K_RESUMED) return leave(cpu, word);
  k_notify(cpu);
  if (k_irq(cpu)) k_interrupt(cpu); /* a better thread has become ready meanwhile */
  return cl_switch(word);
}

/* The caller cannot continue: bit 31 of word is set. */
static inline uint32_t settle(k_cpu *cpu, uint32_t word) {
  return CL_UNLIKELY(word == K_PENDING) ? settle_idle(cpu) : switch_away(cpu, word);
}
#else
/* The context of a CPU without a thread: it has no state, so it restarts each time, on the boot stack. */
__attribute__((noreturn, used)) void cl_sw_idle(void) {
  k_cpu *cpu = this_cpu();
  uint32_t word;
  cl_cpu_time_stop();
  cl_trace(CL_TRACE_IDLE, 1);
  for (;;) {
    cl_wait_for_interrupt();
    if (CL_CPUS > 1) cl_local_write(CL_IPI_CLEAR, 0);
    if ((CL_IPC || CL_BACKDOOR) && CL_UNLIKELY(cl_ipc_dispatch)) cl_ipc_dispatch();
    uint32_t lines = lines_of(cpu);
    lock();
    if (lines) take_lines(cpu, lines);
    cl_timers_look(k_number(cpu));
    word = k_wait(cpu);
    set_timer(cpu);
    if (word != k_idle_word(cpu)) break;
    unlock();
  }
  cl_trace(CL_TRACE_IDLE, 0);
  k_notify(cpu);
  cl_switch_to(word);
}

__attribute__((naked, used)) static void idle_place(void) {
  __asm__ volatile("la a0, cl_sw_idle; tail cl_on_boot_stack");
}

/* As cl_switch_away leaves it; of all CPUs, as nothing is written there. */
static void (*const idle_frame[4])(void) __attribute__((aligned(16))) = {idle_place};

/* Never reached: no CPU sleeps in the context of a thread. */
static inline uint32_t settle_idle(k_cpu *cpu) {
  (void)cpu;
  __builtin_unreachable();
}
static inline uint32_t idle(k_cpu *cpu) { return settle_idle(cpu); }
static inline uint32_t settle(k_cpu *cpu, uint32_t word) { return switch_away(cpu, word); }
#endif

/* The caller may have to wait. */
static inline uint32_t settle_in_place(k_cpu *cpu, uint32_t word) {
  if (CL_LIKELY((int32_t)word >= 0)) return leave_quietly(word);
  return CL_UNLIKELY(word == K_PENDING) ? settle_idle(cpu) : in_place(cpu, word);
}

/* --- the interface --------------------------------------------------------------------------- */

/* Operations that wake no thread. */
#define QUIET(name, call, ...)              \
  uint32_t cl_op_##name(__VA_ARGS__) {      \
    k_cpu *cpu = enter();                   \
    (void)cpu;                              \
    return leave_quietly(k_op_##name call); \
  }
#define DIRECT(name, call, ...)          \
  uint32_t cl_op_##name(__VA_ARGS__) {   \
    k_cpu *cpu = enter();                \
    return leave(cpu, k_op_##name call); \
  }
/* Two copies: if K_AWAY, waking makes calls, and the common path should not pay for their frame. */
#define WAKING(name, call, pass, ...)          \
  CL_APART uint32_t away_##name(__VA_ARGS__) { \
    k_cpu *cpu = this_cpu();                   \
    int woke = 0;                              \
    uint32_t answer = k_op_##name call;        \
    return leave_if(woke, cpu, answer);        \
  }                                            \
  uint32_t cl_op_##name(__VA_ARGS__) {         \
    k_cpu *cpu = enter();                      \
    (void)cpu;                                 \
    int woke = 0;                              \
    if (K_AWAY) return away_##name pass;       \
    uint32_t answer = k_op_##name call;        \
    return leave_if(woke, cpu, answer);        \
  }
#define WAKING_ONE(name, call, ...)          \
  uint32_t cl_op_##name(__VA_ARGS__) {       \
    k_cpu *cpu = enter();                    \
    k_thread *woken = NULL;                  \
    uint32_t answer = call;                  \
    return leave_waking(cpu, woken, answer); \
  }
/* The caller sees that a wait ends without an error. */
#define WAITING(name, call, ...)                            \
  uint32_t cl_op_##name(__VA_ARGS__) {                      \
    k_cpu *cpu = enter();                                   \
    uint32_t answer = k_op_##name call;                     \
    if ((int32_t)answer >= 0) return leave_quietly(answer); \
    settle(cpu, answer);                                    \
    return K_RESUMED;                                       \
  }

QUIET(thread_create, (word), uint32_t word)
DIRECT(set_sched_param, (id, word), uint32_t id, uint32_t word)
DIRECT(set_idle_thread, (cpu, id), uint32_t id)
QUIET(get_sched_param, (id), uint32_t id)
QUIET(check_sched_param, (id, word), uint32_t id, uint32_t word)
QUIET(dequeue, (cpu), void)
QUIET(remove, (id), uint32_t id)
QUIET(get_entry, (id), uint32_t id)
QUIET(is_queued, (id), uint32_t id)
QUIET(is_empty, (cpu), void)
QUIET(thread_detach, (id), uint32_t id)
QUIET(thread_read, (id), uint32_t id)
DIRECT(reserve, (id, word), uint32_t id, uint32_t word)
DIRECT(release, (id), uint32_t id)
QUIET(mutex_create, (), void)
QUIET(mutex_destroy, (id), uint32_t id)
QUIET(mutex_trylock, (cpu, id), uint32_t id)
WAKING_ONE(mutex_unlock, k_unlock(cpu, id, &woken), uint32_t id)
QUIET(semaphore_create, (word), uint32_t word)
QUIET(semaphore_destroy, (id), uint32_t id)
QUIET(semaphore_trywait, (id), uint32_t id)
WAKING_ONE(semaphore_post, k_post(id, &woken), uint32_t id)
QUIET(semaphore_value, (id), uint32_t id)
QUIET(cond_create, (), void)
QUIET(cond_destroy, (id), uint32_t id)
QUIET(cond_ticket, (id), uint32_t id)
WAKING_ONE(cond_signal, k_signal(id, &woken), uint32_t id)
WAKING(cond_broadcast, (id, &woke), (id), uint32_t id)
QUIET(interrupt_bind, (cpu, id, word), uint32_t id, uint32_t word)
QUIET(interrupt_unbind, (id), uint32_t id)
WAKING(interrupt_raise, (id, &woke), (id), uint32_t id)
DIRECT(set_weight, (id, word), uint32_t id, uint32_t word)
QUIET(set_deadline, (id, word), uint32_t id, uint32_t word)
QUIET(port_open, (cpu, id, word), uint32_t id, uint32_t word)
QUIET(port_close, (cpu, id), uint32_t id)
WAKING(port_trysend, (cpu, id, word, NULL, 0, &woke), (id, word), uint32_t id, uint32_t word)
WAKING(port_publish, (cpu, &woke), (), void)
WAITING(thread_join, (cpu, id), uint32_t id)
WAITING(mutex_lock, (cpu, id), uint32_t id)
WAITING(cond_wait, (cpu, id, word), uint32_t id, uint32_t word)

/* The last to come wakes threads, the others wait. */
uint32_t cl_op_barrier_wait(uint32_t id, uint32_t word) {
  k_cpu *cpu = enter();
  int woke = 0;
  uint32_t answer = k_op_barrier_wait(cpu, id, word, &woke);
  if ((int32_t)answer >= 0) return leave_if(woke, cpu, answer);
  settle(cpu, answer);
  return K_RESUMED;
}

#define k_op_mutex_lock_apart k_op_mutex_lock
CL_COLD uint32_t cl_op_mutex_lock_apart(uint32_t id);
WAITING(mutex_lock_apart, (cpu, id), uint32_t id)

uint32_t cl_sw_semaphore_wait(uint32_t id) {
  k_cpu *cpu = enter();
  return settle_in_place(cpu, k_op_semaphore_wait(cpu, id));
}

__attribute__((noinline)) uint32_t cl_sw_interrupt_wait(uint32_t id) {
  k_cpu *cpu = enter();
  return settle_in_place(cpu, k_op_interrupt_wait(cpu, id));
}

CL_APART uint32_t yield_closer(k_cpu *cpu) {
  int woke = 0;
  uint32_t word = k_op_yield(cpu, &woke);
  if ((int32_t)word < 0) return in_place(cpu, word);
  went_on(cpu);
  return leave_if(woke, cpu, word);
}

__attribute__((noinline)) uint32_t cl_sw_yield(void) {
  k_cpu *cpu = enter();
  uint32_t word = cpu->current->sent ? 0 : k_rotate(cpu);
  return CL_LIKELY(word) ? in_place(cpu, word) : yield_closer(cpu);
}

/* Send and receive. The waiting parts are out of line: only they need a frame. */

/* One wait. */
CL_COLD uint32_t cl_op_port_send_once(uint32_t id, uint32_t word) {
  k_cpu *cpu = enter();
  int woke = 0;
  uint32_t answer = k_op_port_send(cpu, id, word, NULL, 0, &woke);
  return (int32_t)answer < 0 ? settle(cpu, answer) : leave(cpu, answer);
}

static inline void wait_for_room(k_cpu *cpu, k_port *port) {
  uint32_t answer = k_wait_for_room(cpu, port);
  if (CL_LIKELY((int32_t)answer < 0)) settle(cpu, answer);
  else leave(cpu, answer);
}

__attribute__((noinline)) static uint32_t send_wait(k_cpu *cpu, k_port *port, uint32_t word) {
  wait_for_room(cpu, port);
  return cl_sw_port_send((uint32_t)(port - k_ports), word);
}

/* One copy, without a frame; with the lock. */
CL_APART uint32_t send_closer(k_port *port, uint32_t word) {
  k_thread *thread = this_thread();
  if (CL_UNLIKELY(port->kind == K_CLOSED)) return leave_quietly(K_ERROR(EBADF));
  if (CL_UNLIKELY(k_full(port))) return send_wait(this_cpu(), port, word);
  return leave_waking(this_cpu(), k_put(port, thread, word, NULL, 0), 0);
}

/* Inlined into every thread's loop, so only a message that needs no more than being stored is here. */
uint32_t cl_sw_port_send(uint32_t id, uint32_t word) {
  if (CL_UNLIKELY(id >= CL_PORTS)) return K_ERROR(EINVAL);
  k_port *port = &k_ports[id];
  cl_irq_off();
  lock();
  if (CL_LIKELY(k_put_at_once(port, word, NULL, 0))) return leave_quietly(0);
  if (k_buffers && CL_LIKELY(k_put_buffered(port, this_thread(), word, NULL, 0))) return leave_quietly(0);
  return send_closer(port, word);
}

/* The same for messages of more words. */

WAKING(port_trysend_words, (cpu, id, words, count, &woke), (id, words, count), uint32_t id, const uint32_t *words,
       uint32_t count)

CL_COLD uint32_t cl_op_port_send_words_once(uint32_t id, const uint32_t *words, uint32_t count) {
  k_cpu *cpu = enter();
  int woke = 0;
  uint32_t answer = k_op_port_send(cpu, id, count, words, count, &woke);
  return (int32_t)answer < 0 ? settle(cpu, answer) : leave(cpu, answer);
}

__attribute__((noinline)) static uint32_t send_words_wait(k_cpu *cpu, k_port *port, const uint32_t *words,
                                                          uint32_t count) {
  wait_for_room(cpu, port);
  return cl_sw_port_send_words((uint32_t)(port - k_ports), words, count);
}

CL_APART uint32_t send_words_closer(k_port *port, const uint32_t *words, uint32_t count) {
  k_thread *thread = this_thread();
  if (CL_UNLIKELY(port->kind == K_CLOSED)) return leave_quietly(K_ERROR(EBADF));
  if (CL_UNLIKELY(k_full(port))) return send_words_wait(this_cpu(), port, words, count);
  return leave_waking(this_cpu(), k_put(port, thread, count, words, count), 0);
}

uint32_t cl_sw_port_send_words(uint32_t id, const uint32_t *words, uint32_t count) {
  if (CL_UNLIKELY(id >= CL_PORTS)) return K_ERROR(EINVAL);
  k_port *port = &k_ports[id];
  cl_irq_off();
  lock();
  if (CL_LIKELY(k_put_at_once(port, count, words, count))) return leave_quietly(0);
  if (k_buffers && CL_LIKELY(k_put_buffered(port, this_thread(), count, words, count))) return leave_quietly(0);
  return send_words_closer(port, words, count);
}

/* The thread in the answer is to be switched to by cl_op_port_receive. */
__attribute__((noinline)) static uint32_t receive_wait(k_cpu *cpu, k_port *port) {
  uint32_t answer = k_wait_for_message(cpu, port);
  if (CL_UNLIKELY(!answer)) return leave(cpu, CL_RESUMED); /* it has published to its own port */
  if (CL_UNLIKELY(answer == K_PENDING)) return settle_idle(cpu);
  start_timer(cpu);
  k_notify(cpu);
  return answer;
}

/* One copy for all receivers, without a frame. */
CL_APART uint32_t receive_empty(k_thread *receiver, k_port *port, uint32_t head) {
  k_cpu *cpu = enter();
  if (CL_UNLIKELY(port->frozen != head)) return leave_quietly(CL_RESUMED); /* a message has just arrived */
  uint32_t answer = k_wait_fast(cpu, receiver, port);
  if (CL_UNLIKELY(!answer)) return receive_wait(cpu, port);
  return in_place(cpu, answer);
}

CL_APART uint32_t tryreceive_empty(uint32_t id, uint32_t *word, uint32_t *words, uint32_t room) {
  k_cpu *cpu = enter();
  int woke = 0;
  uint32_t answer = k_op_port_tryreceive(cpu, id, word, words, room, &woke);
  return leave_if(woke, cpu, answer);
}

/* Called when there is room again, and a sender may wait for it. */
CL_APART uint32_t receive_room(k_port *port) {
  k_cpu *cpu = enter();
  return leave_waking(cpu, port->senders ? k_first_waiter(&port->senders) : NULL, 0);
}

/* Only the receiver, the caller, moves head: so taking a message needs no lock. A sender that is about to wait for room
 * sees the new head, or is seen here, because loads and stores happen in program order on one bus. Inlined into every
 * thread's loop, so whatever is not taking is out of line. */
static inline uint32_t receive(uint32_t id, uint32_t *word, uint32_t *words, uint32_t room, int waits) {
  if (CL_UNLIKELY(id >= CL_PORTS)) return K_ERROR(EINVAL);
  k_port *port = &k_ports[id];
  k_thread *thread = this_thread();
  k_thread *receiver = port->receiver;
  uint32_t head = port->head;
  uint32_t frozen = *(volatile uint32_t *)&port->frozen; /* loads first: a core waits for the last one */
  if (CL_UNLIKELY(receiver != thread)) return receiver ? K_ERROR(EPERM) : K_ERROR(EBADF);
  /* Both cases are common: lay out the taking path first and the waiting path near it. */
  if (__builtin_expect_with_probability(frozen == head, 0, 0.6))
    return waits ? receive_empty(receiver, port, head) : tryreceive_empty(id, word, words, room);
  uint32_t message = *(volatile uint32_t *)k_slot(port, head);
  cl_words_get(words, k_further_of(port, head), message, room);
  *(volatile uint32_t *)&port->head = head + K_STEP;
  k_thread *senders = *(k_thread *volatile *)&port->senders;
  *word = message;
  return CL_UNLIKELY(senders) ? receive_room(port) : 0;
}

uint32_t cl_sw_port_receive(uint32_t id, uint32_t *word) { return receive(id, word, NULL, 0, 1); }
uint32_t cl_op_port_tryreceive(uint32_t id, uint32_t *word) { return receive(id, word, NULL, 0, 0); }

uint32_t cl_sw_port_receive_words(uint32_t id, uint32_t *word, uint32_t *words, uint32_t room) {
  return receive(id, word, words, room, 1);
}
uint32_t cl_op_port_tryreceive_words(uint32_t id, uint32_t *word, uint32_t *words, uint32_t room) {
  return receive(id, word, words, room, 0);
}

/* A new thread that is better than all takes the CPU at once. Not inlined: pthread_create is long enough. */
__attribute__((noinline)) uint32_t cl_op_thread_start(uint32_t id) {
  k_cpu *cpu = enter();
  k_thread *thread = k_thread_of(id);
  uint32_t word = thread && thread->state == CL_STATE_CREATED && is_quick() ? k_take_over(cpu, thread) : 0;
  return word ? switch_away(cpu, word) : leave(cpu, k_op_thread_start(id));
}

uint32_t cl_op_slice(uint32_t word) {
  k_cpu *cpu = enter();
  k_op_slice(word);
  note_timers();
  set_timer(cpu);
  for (k_cpu *other = k_cpus; other < k_cpus + CL_CPUS; other++)
    if (other != cpu) k_interrupt(other); /* their timers */
  return leave(cpu, 0);
}

/* Run the next thread; does not return here. */
__attribute__((noreturn)) static void go_on(k_cpu *cpu, uint32_t word) {
  if (word == K_PENDING) word = idle(cpu);
  start_timer(cpu);
  k_notify(cpu);
  if (!K_LOOKED && k_irq(cpu)) k_interrupt(cpu);
  cl_switch_to(word);
}

static void exit_tail(void) {
  cl_cpu_time_stop();
  lock();
  k_cpu *cpu = this_cpu();
  go_on(cpu, k_op_thread_exit(cpu));
}

void cl_op_thread_exit(void) {
  cl_irq_off();
  cl_on_boot_stack(exit_tail);
}

/* The argument and the answer, in the field of the thread that it does not need before its end. */
static void move_tail(void) {
  lock();
  k_cpu *cpu = this_cpu();
  k_thread *thread = cpu->current;
  struct cl_thread *self = cl_self();
  uint32_t word = k_op_move(cpu, (uint32_t)(uintptr_t)self->value);
  int moved = word == K_PENDING || word & K_GIVE_WAY;
  self->value = moved ? NULL : (void *)(uintptr_t)word;
  go_on(cpu, moved ? word : thread->switch_word);
}

uint32_t cl_op_move(uint32_t word) {
  cl_irq_off();
  cl_self()->value = (void *)(uintptr_t)word;
  cl_switch_by(move_tail);
  return (uint32_t)(uintptr_t)cl_self()->value;
}

/* --- time limits of waits ---------------------------------------------------------------------- */

void cl_backend_lock(void) {
  cl_irq_off();
  lock();
}

void cl_backend_unlock_quietly(void) {
  unlock();
  cl_irq_on();
}

static int pressed; /* by cl_backend_op: look whether a CPU must give way */

CL_COLD void cl_backend_unlock(void) {
  if (CL_UNLIKELY(pressed)) {
    pressed = 0;
    leave(this_cpu(), 0);
  } else {
    leave_quietly(0);
  }
}

/* A timer that is removed may ring once more. */
void cl_backend_timer(int added) {
  note_timers();
  if (added) limit_added(this_cpu());
}

CL_COLD uint32_t cl_backend_leave(uint32_t op, uint32_t id, uint32_t thread) {
  int woke = 0;
  uint32_t answer;
  switch (op) {
    case CL_OP_MUTEX_LEAVE: answer = k_op_mutex_leave(id, thread, &woke); break;
    case CL_OP_SEMAPHORE_LEAVE: answer = k_op_semaphore_leave(id, thread, &woke); break;
    case CL_OP_COND_LEAVE: answer = k_op_cond_leave(id, thread, &woke); break;
    default: answer = k_op_port_leave(id, thread, &woke);
  }
  if (woke) k_notify(this_cpu());
  return answer;
}

CL_COLD uint32_t cl_backend_op(uint32_t op, uint32_t id, uint32_t word) {
  int woke = 0;
  switch (op) {
    case CL_OP_COND_CREATE: return k_op_cond_create();
    case CL_OP_COND_TICKET: return k_op_cond_ticket(id);
    case CL_OP_THREAD_READ: return k_op_thread_read(id);
    case CL_OP_CHECK_SCHED_PARAM: return k_op_check_sched_param(id, word);
  }
  pressed = 1;
  switch (op) {
    case CL_OP_COND_SIGNAL: return k_op_cond_signal(id, &woke);
    case CL_OP_MUTEX_UNLOCK: return k_op_mutex_unlock(this_cpu(), id, &woke);
    case CL_OP_SET_SCHED_PARAM: return k_op_set_sched_param(id, word);
    default: return cl_backend_leave(op, id, word);
  }
}

/* --- traps and start --------------------------------------------------------------------------- */

/* The end of a trap, perhaps of the timer: the CPU gives way if it should. With the lock. */
static inline void leave_trap(k_cpu *cpu, int timer) {
  uint32_t word = k_irq(cpu) ? k_op_preempt(cpu) : 0;
  if (word) {
    start_timer(cpu);
    k_notify(cpu);
    cl_switch_in_trap(word);
  } else {
    if (timer) keep_slice(cpu);
    went_on(cpu);
    unlock();
  }
}

/* Anything but what cl_interrupt has a fast path for. Causes that are not served because of a line stay pending. */
CL_APART void interrupt_closer(k_cpu *cpu, uint32_t lines) {
  if (CL_UNLIKELY(lines)) {
    take_lines(cpu, lines);
  } else {
    if (CL_CPUS > 1) cl_local_write(CL_IPI_CLEAR, 0);
    if (!is_quick()) cl_timers_look((uint32_t)(cpu - k_cpus));
    look_at_slice(cpu);
  }
  leave_trap(cpu, !lines);
}

CL_COLD static void interrupt_notify(const k_cpu *cpu, uint32_t word) {
  k_notify(cpu);
  cl_switch_in_trap(word);
}

static inline void switch_in_trap(k_cpu *cpu, uint32_t word) {
  start_slice(cpu);
  if (CL_UNLIKELY(k_others_must_give_way(cpu))) interrupt_notify(cpu, word);
  else cl_switch_in_trap(word);
}

/* Timer, or another CPU. The fast path: the slice is used up and the next of its thread's ring runs. */
CL_APART void interrupt_slice(k_cpu *cpu) {
  uint32_t word = 0;
  if (is_quick()) {
    look_at_slice(cpu);
    word = k_end_slice(cpu);
  }
  if (word) switch_in_trap(cpu, word);
  else interrupt_closer(cpu, 0);
}

/* Timer, another CPU, or an interrupt line. The fast path: a line wakes a thread that is better than all others. */
void cl_interrupt(uint32_t causes) {
  (void)causes;
  cl_trace(CL_TRACE_TRAP, 0);
  lock();
  k_cpu *cpu = this_cpu();
  uint32_t lines = lines_of(cpu);
  if (!lines) {
    interrupt_slice(cpu);
    return;
  }
  k_line *line = is_quick() ? k_awaited_line(lines) : NULL;
  uint32_t word = line ? k_take_over(cpu, line->thread) : 0;
  if (!word) {
    interrupt_closer(cpu, lines);
    return;
  }
  cl_local_write(CL_LINE_CLEAR, lines);
  line->waits = 0;
  switch_in_trap(cpu, word);
}

/* For handlers of the communication port: interrupts stay disabled, and no switch happens. */
uint32_t cl_op_semaphore_post_in_trap(uint32_t id) {
  k_cpu *cpu = this_cpu();
  lock();
  int woke = 0;
  uint32_t answer = k_op_semaphore_post(id, &woke);
  if (woke) {
    k_notify(cpu);
    cl_ipc_first[CL_AMP ? 0 : cpu - k_cpus].woke = 1;
  }
  unlock();
  return answer;
}

/* At the end of such a trap: the CPU gives way if it should. */
void cl_sw_after_handlers(void);
void cl_sw_after_handlers(void) {
  k_cpu *cpu = this_cpu();
  if (!k_must_give_way(cpu)) return;
  cl_trace(CL_TRACE_TRAP, 0);
  lock();
  leave_trap(cpu, 0);
}

void cl_backend_start(void) {
  k_init();
#ifdef CL_POLICY
  for (uint32_t cpu = 0; cpu < CL_CPUS; cpu++) cl_threads[CL_THREADS + cpu].sp = (uint32_t)(uintptr_t)idle_frame;
#endif
  cl_local_write(CL_LINE_CLEAR, ~0u);
  cl_local_write(CL_LINE_ENABLE, ~0u);
  started = 1;
  for (k_cpu *other = k_cpus + 1; other < k_cpus + CL_CPUS; other++) k_interrupt(other);
}

void cl_boot_other(void) {
  while (!started) cl_wait_for_interrupt();
  k_cpu *cpu = enter();
  cl_local_write(CL_IPI_CLEAR, 0);
  set_timer(cpu); /* start_timer() relies on its high half */
  go_on(cpu, k_op_next(cpu));
}
