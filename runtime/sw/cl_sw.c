/* SPDX-License-Identifier: Apache-2.0
 *
 * The software kernel on the SoC: every operation runs under one lock with interrupts disabled; idle CPUs sleep until
 * another CPU interrupts them; the timer ends time slices. */
#include "cl_kernel.h"

#define K_TICK CL_TICK_CYCLES
#define K_REMOTE (CL_CPUS > 1)
#define K_HELD 1
#if defined(CL_KERNEL_FINE) && CL_CPUS > 1 /* with one CPU there are no locks */
#define K_FINE 1
#endif
#include "cl_sw_kernel.h"

/* Not in .bss: the other CPUs read it while that is being cleared. */
__attribute__((section(".data"))) static volatile int started = 0;

static inline void k_interrupt(k_cpu *cpu) {
#if K_FINE
  *(volatile uint32_t *)&cpu->called = 1;
#endif
  cl_local_write(CL_IPI, (uint32_t)(cpu - k_cpus));
}
static inline uint32_t k_now(void) { return cl_local_read(CL_CYCLE); }
K_INLINE void k_completed(k_cpu *cpu) { k_interrupt(cpu); }
#ifdef CL_POLICY
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

#if K_FINE
/* The holder of the kernel's lock, by its number + 1, has an object's instead: cl_fine.h. Else 0. */
static volatile uint32_t inside;
CL_COLD void wait_outside(void) {
  do {
    cl_local_write(CL_LOCK_RELEASE, 0);
    while (inside) continue;
    cl_local_write(CL_LOCK_ADDRESS, (uint32_t)(uintptr_t)&K_SHARED);
    cl_local_read(CL_LOCK_ACQUIRE);
  } while (inside);
}
#endif

static inline void lock(void) {
  if (CL_CPUS > 1) {
    cl_local_write(CL_LOCK_ADDRESS, (uint32_t)(uintptr_t)&K_SHARED);
    cl_local_read(CL_LOCK_ACQUIRE); /* waits */
#if K_FINE
    if (CL_UNLIKELY(inside)) wait_outside();
#endif
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

/* --- the timer: when the scheduler decides again, or the first time limit of a wait -------------- */

/* k_slice; the top bit is set while there are timed waits (timer.c), which share the timer: then each slice begins
 * with set_timer(). */
static uint32_t quick_slice;
static inline int is_quick(void) { return K_SLICES && CL_LIKELY((int32_t)quick_slice >= 0); }
static inline void note_timers(void) { quick_slice = k_slice | (cl_timers_count ? 1u << 31 : 0); }

/* A thread's slice begins with one store, of the low half of its end time. So the timer fires only when a slice is used
 * up. If the low half wraps within a slice, the timer fires at once, and set_timer() corrects both halves. */
static inline void start_slice(const k_cpu *cpu) { cl_local_write(CL_MTIMECMP_LO, (uint32_t)cpu->since + quick_slice); }

static uint32_t timed[CL_CPUS]; /* the length of slice for which the timer was set */

/* Check whether the slice is used up. Set the timer to its end; or, if it is, to when the low half wraps, as nothing more
 * can happen to it. Or to the first time limit, if that is earlier. With slices the high half is never later than now:
 * so a low half may be stored alone, and then the timer fires too early at worst. Without K_SLICES each decision has set
 * the time of the next one. */
K_TIMER_SET void set_timer(k_cpu *cpu) {
  uint32_t now = K_SLICES ? k_now() : 0;
  uint32_t high = K_SLICES ? cl_local_read(CL_MTIME_HI) : 0;
  timed[cpu - k_cpus] = k_slice;
  cl_local_write(CL_MTIMECMP_HI, UINT32_MAX);
  const struct cl_timer *first = cl_timers[cpu - k_cpus];
  uint64_t at = first ? first->at : UINT64_MAX;
  uint64_t end = k_decides_at(cpu);
  if (K_SLICES && k_slice) {
    if (cl_local_read(CL_MTIME_HI) != high) { /* the low half has wrapped just now */
      now = k_now();
      high = cl_local_read(CL_MTIME_HI);
    }
    k_look_at_slice(cpu);
    uint32_t past = now - (uint32_t)cpu->since;
    uint32_t low = (uint32_t)cpu->since + k_slice;
    if (past >= k_slice || low < now) low = UINT32_MAX;
    end = (uint64_t)high << 32 | low;
  }
  if (end < at) at = end;
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
  if (!K_SLICES || !k_slice) {
    set_timer(cpu);
    return;
  }
  uint32_t end = (uint32_t)cpu->since + k_slice;
  const struct cl_timer *first = cl_timers[cpu - k_cpus];
  if (first && comes_before(first->at, end)) end = (uint32_t)first->at;
  cl_local_write(CL_MTIMECMP_LO, end);
}

K_TIMER_START void start_slice_timed(k_cpu *cpu) { start_slice_or_limit(cpu); }

/* Start the next thread's slice, off the fast path. */
static inline void start_timer(k_cpu *cpu) {
  if (is_quick()) start_slice(cpu);
  else start_slice_timed(cpu);
}

/* Called when this CPU has another time limit. */
static inline void limit_added(k_cpu *cpu) {
  const struct cl_timer *first = cl_timers[cpu - k_cpus];
  if (!K_SLICES || !k_slice) set_timer(cpu);
  else if (comes_before(first->at, cl_local_read(CL_MTIMECMP_LO))) cl_local_write(CL_MTIMECMP_LO, (uint32_t)first->at);
}

/* The timer has rung, perhaps: before the decision, and after it if the thread keeps the CPU. */
static inline void look_at_slice(k_cpu *cpu) {
  if (!K_SLICES) return;
  if (CL_UNLIKELY(timed[cpu - k_cpus] != k_slice)) set_timer(cpu);
  else k_look_at_slice(cpu);
}
static inline void keep_slice(k_cpu *cpu) {
  if (K_SLICES) set_timer(cpu);
}

/* Called when this thread continues, after a check whether it should give way. */
static inline void went_on(k_cpu *cpu) {
  if (K_SLICES) return;
  set_timer(cpu);
  k_notify(cpu);
}

/* --- switches and wake-ups ------------------------------------------------------------------- */

/* The following functions are tail-called, so that operations need no stack frame.
 *
 * Switch to another thread, with the kernel locked and interrupts disabled. Returns when this one runs again, with the
 * kernel unlocked and interrupts enabled. */
CL_APART uint32_t switch_within_limits(k_cpu *cpu, uint32_t word) {
  start_slice_timed(cpu);
  k_notify(cpu);
  return cl_switch(word);
}

static inline uint32_t switch_away(k_cpu *cpu, uint32_t word) {
  if (!is_quick()) return switch_within_limits(cpu, word);
  start_slice(cpu);
  k_notify(cpu);
  return cl_switch(word);
}

/* The caller continues. */
static inline uint32_t go_on(uint32_t answer) {
  unlock();
  cl_irq_on();
  return answer;
}

/* A better thread has become ready. */
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

CL_COLD static uint32_t interrupt_cpus(k_cpu *cpu, uint32_t answer) {
  k_notify(cpu);
  return k_irq(cpu) ? give_way(cpu, answer) : go_on(answer);
}

/* Threads have become ready, or have changed: check which CPUs must give way. */
CL_APART uint32_t check_cpus(k_cpu *cpu, uint32_t answer) {
  int pressed = k_others_must_give_way(cpu) || k_must_give_way(cpu);
  return CL_UNLIKELY(pressed) ? interrupt_cpus(cpu, answer) : go_on(answer);
}

/* The following return the word of a switch that their caller makes in place, with the kernel locked. */

CL_APART uint32_t prepare_within_limits(k_cpu *cpu, uint32_t word) {
  start_slice_or_limit(cpu); /* here, as it then needs no frame */
  k_notify(cpu);
  __asm__("" : "+r"(word)); /* as in give_way() */
  return word;
}

CL_COLD static uint32_t tell_others(k_cpu *cpu, uint32_t word) {
  k_notify(cpu);
  __asm__("" : "+r"(word)); /* as in give_way() */
  return word;
}

static inline uint32_t prepare_switch(k_cpu *cpu, uint32_t word) {
  if (!is_quick()) return prepare_within_limits(cpu, word);
  start_slice(cpu);
  return CL_UNLIKELY(k_others_must_give_way(cpu)) ? tell_others(cpu, word) : word;
}

/* `woken`, which is not queued, cannot take this CPU at once. */
CL_COLD static uint32_t queue(k_cpu *cpu, k_thread *woken) {
  int woke = 0;
  k_wake_and_notify(woken, &woke);
  return CL_UNLIKELY(woke) ? check_cpus(cpu, 0) : go_on(0);
}

/* `woken` is better than a running thread, or must be woken in place. */
CL_APART uint32_t hand_over(k_cpu *cpu, k_thread *woken) {
  uint32_t word = k_take_over(cpu, woken);
  if (CL_UNLIKELY(!word)) return queue(cpu, woken);
  cl_switch_here(prepare_switch(cpu, word));
  return 0;
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

static int pressed; /* by cl_backend_op: a CPU must give way, perhaps */

/* Time limits of waits that this CPU ends. */
static inline void look_at_limits(const k_cpu *cpu) {
  cl_timers_look((uint32_t)(cpu - k_cpus));
  if (!pressed) return;
  pressed = 0;
  k_notify(cpu);
}

/* --- a CPU without work ---------------------------------------------------------------------- */

#ifndef CL_POLICY
/* Lines, or time limits, on a CPU that sleeps. */
CL_APART void take_asleep(k_cpu *cpu, uint32_t lines) {
  lock();
  if (lines) take_lines(cpu, lines);
  look_at_limits(cpu);
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
#if K_FINE
  k_notify(cpu); /* a parked CPU is not given a thread, as one that sleeps is */
#endif
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

CL_APART uint32_t wait_asleep(k_cpu *cpu) {
  uint32_t word = idle(cpu);
  cl_cpu_time_go();
  if (word == K_RESUMED) return check_cpus(cpu, word);
  k_notify(cpu);
  if (k_irq(cpu)) k_interrupt(cpu); /* a better thread has become ready meanwhile */
  return cl_switch(word);
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
    look_at_limits(cpu);
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
static inline uint32_t wait_asleep(k_cpu *cpu) {
  (void)cpu;
  __builtin_unreachable();
}
static inline uint32_t idle(k_cpu *cpu) { return wait_asleep(cpu); }
#endif

/* --- the interface --------------------------------------------------------------------------- */

/* What an operation may have done: constant in each, so that the compiler removes the rest of cl_sw_finish. */
enum {
  NOTHING = 0,
  WAKE_ONE = 1, /* wake a thread, which is not queued yet: result.woken */
  WAKE_MANY = 2, /* wake and queue threads: result.woke */
  CHANGE = 4, /* change any thread */
  WAIT = 8, /* let the caller wait: bit 31 of the word; the answer is RESUMED then */
  WAIT_IN_PLACE = 16, /* the same; the answer is the word of the switch, which is left to the caller */
};

/* Every operation ends here, with the kernel locked and interrupts disabled. */
CL_INLINE uint32_t cl_sw_finish(k_cpu *cpu, struct k_result result, unsigned may) {
  uint32_t word = result.word;
  if (may & WAIT && (int32_t)word < 0) {
    if (CL_UNLIKELY(word == K_PENDING)) wait_asleep(cpu);
    else switch_away(cpu, word);
    return K_RESUMED;
  }
  if (may & WAIT_IN_PLACE && CL_UNLIKELY((int32_t)word < 0))
    return CL_UNLIKELY(word == K_PENDING) ? wait_asleep(cpu) : prepare_switch(cpu, word);
  if (may & WAKE_ONE) {
    if (CL_LIKELY(!result.woken)) return go_on(word);
    if (K_AWAY || k_presses(result.woken->level)) return hand_over(cpu, result.woken);
    k_enqueue(result.woken, 0);
    return go_on(0);
  }
  if (may & CHANGE || (may & WAKE_MANY && CL_UNLIKELY(result.woke))) return check_cpus(cpu, word);
  return go_on(word);
}

/* One that can only answer. */
static inline uint32_t answer_with(uint32_t word) { return cl_sw_finish(NULL, k_just(word), NOTHING); }

uint32_t cl_op_thread_create(uint32_t word) { return enter(), answer_with(k_op_thread_create(word)); }

uint32_t cl_op_set_sched_param(uint32_t id, uint32_t word) {
  k_cpu *cpu = enter();
  return cl_sw_finish(cpu, k_just(k_op_set_sched_param(id, word)), CHANGE);
}

#if K_FINE
static uint32_t idle_threads; /* there is one: a program without any folds it to 0 */
#endif
uint32_t cl_op_set_idle_thread(uint32_t id) {
  k_cpu *cpu = enter();
#if K_FINE
  idle_threads = 1;
#endif
  return cl_sw_finish(cpu, k_just(k_op_set_idle_thread(cpu, id)), CHANGE);
}

uint32_t cl_op_get_sched_param(uint32_t id) { return enter(), answer_with(k_op_get_sched_param(id)); }

uint32_t cl_op_check_sched_param(uint32_t id, uint32_t word) {
  return enter(), answer_with(k_op_check_sched_param(id, word));
}

uint32_t cl_op_remove(uint32_t id) { return enter(), answer_with(k_op_remove(id)); }
uint32_t cl_op_get_entry(uint32_t id) { return enter(), answer_with(k_op_get_entry(id)); }
uint32_t cl_op_thread_detach(uint32_t id) { return enter(), answer_with(k_op_thread_detach(id)); }
uint32_t cl_op_thread_read(uint32_t id) { return enter(), answer_with(k_op_thread_read(id)); }

uint32_t cl_op_reserve(uint32_t id, uint32_t word) {
  k_cpu *cpu = enter();
  return cl_sw_finish(cpu, k_just(k_op_reserve(id, word)), CHANGE);
}

uint32_t cl_op_release(uint32_t id) {
  k_cpu *cpu = enter();
  return cl_sw_finish(cpu, k_just(k_op_release(id)), CHANGE);
}

#if K_FINE
#include "cl_fine.h"

#include "cl_fine_conditions.h"
#else
uint32_t cl_op_mutex_create(void) { return enter(), answer_with(k_op_mutex_create()); }
uint32_t cl_op_mutex_destroy(uint32_t id) { return enter(), answer_with(k_op_mutex_destroy(id)); }

uint32_t cl_sw_mutex_trylock(uint32_t id) {
  k_cpu *cpu = enter();
  return answer_with(k_op_mutex_trylock(cpu, id));
}

uint32_t cl_op_mutex_unlock(uint32_t id) {
  k_cpu *cpu = enter();
  return cl_sw_finish(cpu, k_op_mutex_unlock(cpu, id), WAKE_ONE);
}

uint32_t cl_op_semaphore_create(uint32_t word) { return enter(), answer_with(k_op_semaphore_create(word)); }
uint32_t cl_op_semaphore_destroy(uint32_t id) { return enter(), answer_with(k_op_semaphore_destroy(id)); }
uint32_t cl_sw_semaphore_trywait(uint32_t id) { return enter(), answer_with(k_op_semaphore_trywait(id)); }

uint32_t cl_op_semaphore_post(uint32_t id) {
  k_cpu *cpu = enter();
  return cl_sw_finish(cpu, k_op_semaphore_post(id), WAKE_ONE);
}

uint32_t cl_op_semaphore_value(uint32_t id) { return enter(), answer_with(k_op_semaphore_value(id)); }
uint32_t cl_op_cond_create(void) { return enter(), answer_with(k_op_cond_create()); }
uint32_t cl_op_cond_destroy(uint32_t id) { return enter(), answer_with(k_op_cond_destroy(id)); }
uint32_t cl_op_cond_ticket(uint32_t id) { return enter(), answer_with(k_op_cond_ticket(id)); }

uint32_t cl_op_cond_signal(uint32_t id) {
  k_cpu *cpu = enter();
  return cl_sw_finish(cpu, k_op_cond_signal(id), WAKE_ONE);
}

/* Of those that may wake many there are two copies: if K_AWAY, waking makes calls, and the common path should not pay
 * for their frame. */
CL_INLINE uint32_t broadcast(k_cpu *cpu, uint32_t id) {
  struct k_result result = {0};
  result.word = k_op_cond_broadcast(id, &result.woke);
  return cl_sw_finish(cpu, result, WAKE_MANY);
}
CL_APART uint32_t broadcast_away(uint32_t id) { return broadcast(this_cpu(), id); }
uint32_t cl_op_cond_broadcast(uint32_t id) {
  k_cpu *cpu = enter();
  return K_AWAY ? broadcast_away(id) : broadcast(cpu, id);
}
#endif

uint32_t cl_op_interrupt_bind(uint32_t id, uint32_t word) {
  k_cpu *cpu = enter();
  return answer_with(k_op_interrupt_bind(cpu, id, word));
}

uint32_t cl_op_interrupt_unbind(uint32_t id) { return enter(), answer_with(k_op_interrupt_unbind(id)); }

CL_INLINE uint32_t raise(k_cpu *cpu, uint32_t id) {
  struct k_result result = {0};
  result.word = k_op_interrupt_raise(id, &result.woke);
  return cl_sw_finish(cpu, result, WAKE_MANY);
}
CL_APART uint32_t raise_away(uint32_t id) { return raise(this_cpu(), id); }
uint32_t cl_op_interrupt_raise(uint32_t id) {
  k_cpu *cpu = enter();
  return K_AWAY ? raise_away(id) : raise(cpu, id);
}

uint32_t cl_op_set_weight(uint32_t id, uint32_t word) {
  k_cpu *cpu = enter();
  return cl_sw_finish(cpu, k_just(k_op_set_weight(id, word)), CHANGE);
}

uint32_t cl_op_set_deadline(uint32_t id, uint32_t word) { return enter(), answer_with(k_op_set_deadline(id, word)); }

#if !K_FINE
uint32_t cl_op_port_open(uint32_t id, uint32_t word) {
  k_cpu *cpu = enter();
  return answer_with(k_op_port_open(cpu, id, word));
}

uint32_t cl_op_port_close(uint32_t id) {
  k_cpu *cpu = enter();
  return answer_with(k_op_port_close(cpu, id));
}

CL_INLINE uint32_t trysend(k_cpu *cpu, uint32_t id, uint32_t word, const uint32_t *words, uint32_t count) {
  struct k_result result = {0};
  result.word = k_op_port_trysend(cpu, id, word, words, count, &result.woke);
  return cl_sw_finish(cpu, result, WAKE_MANY);
}
CL_APART uint32_t trysend_away(uint32_t id, uint32_t word, const uint32_t *words, uint32_t count) {
  return trysend(this_cpu(), id, word, words, count);
}
uint32_t cl_sw_port_trysend(uint32_t id, uint32_t word, const uint32_t *words, uint32_t count) {
  k_cpu *cpu = enter();
  return K_AWAY ? trysend_away(id, word, words, count) : trysend(cpu, id, word, words, count);
}
#endif

CL_INLINE uint32_t publish(k_cpu *cpu) {
  struct k_result result = {0};
  result.word = k_op_port_publish(cpu, &result.woke);
  return cl_sw_finish(cpu, result, WAKE_MANY);
}
CL_APART uint32_t publish_away(void) { return publish(this_cpu()); }
uint32_t cl_op_port_publish(void) {
  k_cpu *cpu = enter();
  return K_AWAY ? publish_away() : publish(cpu);
}

uint32_t cl_op_thread_join(uint32_t id) {
  k_cpu *cpu = enter();
  return cl_sw_finish(cpu, k_just(k_op_thread_join(cpu, id)), WAIT);
}

#if !K_FINE
uint32_t cl_sw_mutex_lock(uint32_t id) {
  k_cpu *cpu = enter();
  return cl_sw_finish(cpu, k_just(k_op_mutex_lock(cpu, id)), WAIT);
}

uint32_t cl_sw_cond_wait(uint32_t id, uint32_t word) {
  k_cpu *cpu = enter();
  return cl_sw_finish(cpu, k_just(k_op_cond_wait(cpu, id, word)), WAIT);
}

/* The last to come wakes threads, the others wait. */
uint32_t cl_op_barrier_wait(uint32_t id, uint32_t word) {
  k_cpu *cpu = enter();
  struct k_result result = {0};
  result.word = k_op_barrier_wait(cpu, id, word, &result.woke);
  return cl_sw_finish(cpu, result, WAIT | WAKE_MANY);
}

CL_COLD uint32_t cl_op_mutex_lock_apart(uint32_t id);
uint32_t cl_op_mutex_lock_apart(uint32_t id) {
  k_cpu *cpu = enter();
  return cl_sw_finish(cpu, k_just(k_op_mutex_lock(cpu, id)), WAIT);
}

uint32_t cl_sw_semaphore_wait(uint32_t id) {
  k_cpu *cpu = enter();
  return cl_sw_finish(cpu, k_just(k_op_semaphore_wait(cpu, id)), WAIT_IN_PLACE);
}
#endif

__attribute__((noinline)) uint32_t cl_sw_interrupt_wait(uint32_t id) {
  k_cpu *cpu = enter();
  return cl_sw_finish(cpu, k_just(k_op_interrupt_wait(cpu, id)), WAIT_IN_PLACE);
}

CL_APART uint32_t yield_closer(k_cpu *cpu) {
  struct k_result result = {0};
  result.word = k_op_yield(cpu, &result.woke);
  if ((int32_t)result.word < 0) return prepare_switch(cpu, result.word);
  went_on(cpu);
  return cl_sw_finish(cpu, result, WAKE_MANY);
}

__attribute__((noinline)) uint32_t cl_sw_yield(void) {
  k_cpu *cpu = enter();
  uint32_t word = cpu->current->sent ? 0 : k_rotate(cpu);
  return CL_LIKELY(word) ? prepare_switch(cpu, word) : yield_closer(cpu);
}

/* Send and receive. The waiting parts are out of line: only they need a frame. */

#if K_FINE
#include "cl_fine_ports.h"
#else

/* One wait. */
CL_COLD uint32_t cl_sw_port_send_once(uint32_t id, uint32_t word, const uint32_t *words, uint32_t count) {
  k_cpu *cpu = enter();
  return cl_sw_finish(cpu, k_just(k_op_port_send(cpu, id, word, words, count, &(int){0})), WAIT | CHANGE);
}

static inline void wait_for_room(k_cpu *cpu, k_port *port) {
  cl_sw_finish(cpu, k_just(k_wait_for_room(cpu, port)), WAIT | CHANGE);
}

__attribute__((noinline)) static uint32_t send_wait(k_cpu *cpu, k_port *port, uint32_t word) {
  wait_for_room(cpu, port);
  return cl_sw_port_send((uint32_t)(port - k_ports), word);
}

__attribute__((noinline)) static uint32_t send_words_wait(k_cpu *cpu, k_port *port, const uint32_t *words,
                                                          uint32_t count) {
  wait_for_room(cpu, port);
  return cl_sw_port_send_words((uint32_t)(port - k_ports), words, count);
}

/* `word` alone, or with `words`, and with the lock. One copy of each, without a frame. */
CL_INLINE uint32_t send_later(k_port *port, uint32_t word, const uint32_t *words, uint32_t count, int block) {
  k_thread *thread = this_thread();
  if (CL_UNLIKELY(port->kind == K_CLOSED)) return go_on(K_ERROR(EBADF));
  if (CL_UNLIKELY(k_full(port)))
    return block ? send_words_wait(this_cpu(), port, words, count) : send_wait(this_cpu(), port, word);
  return cl_sw_finish(this_cpu(), k_put(port, thread, word, words, count), WAKE_ONE);
}
CL_APART uint32_t send_closer(k_port *port, uint32_t word) { return send_later(port, word, NULL, 0, 0); }
CL_APART uint32_t send_words_closer(k_port *port, const uint32_t *words, uint32_t count) {
  return send_later(port, count, words, count, 1);
}

/* Inlined into every thread's loop, so only a message that needs no more than being stored is here. */
CL_INLINE uint32_t send(uint32_t id, uint32_t word, const uint32_t *words, uint32_t count, int block) {
  if (CL_UNLIKELY(id >= CL_PORTS)) return K_ERROR(EINVAL);
  k_port *port = &k_ports[id];
  cl_irq_off();
  lock();
  if (CL_LIKELY(k_put_at_once(port, word, words, count))) return go_on(0);
  if (k_buffers && CL_LIKELY(k_put_buffered(port, this_thread(), word, words, count))) return go_on(0);
  return block ? send_words_closer(port, words, count) : send_closer(port, word);
}
#endif

uint32_t cl_sw_port_send(uint32_t id, uint32_t word) { return send(id, word, NULL, 0, 0); }
uint32_t cl_sw_port_send_words(uint32_t id, const uint32_t *words, uint32_t count) {
  return send(id, count, words, count, 1);
}

#if !K_FINE
/* The thread in the answer is to be switched to by cl_op_port_receive. */
__attribute__((noinline)) static uint32_t receive_wait(k_cpu *cpu, k_port *port) {
  uint32_t answer = k_wait_for_message(cpu, port);
  if (CL_UNLIKELY(!answer)) return check_cpus(cpu, CL_RESUMED); /* it has published to its own port */
  if (CL_UNLIKELY(answer == K_PENDING)) return wait_asleep(cpu);
  start_timer(cpu);
  k_notify(cpu);
  return answer;
}

/* One copy for all receivers, without a frame. */
CL_APART uint32_t receive_empty(k_thread *receiver, k_port *port, uint32_t head) {
  k_cpu *cpu = enter();
  if (CL_UNLIKELY(port->frozen != head)) return go_on(CL_RESUMED); /* a message has just arrived */
  uint32_t answer = k_wait_fast(cpu, receiver, port);
  if (CL_UNLIKELY(!answer)) return receive_wait(cpu, port);
  return prepare_switch(cpu, answer);
}

CL_APART uint32_t tryreceive_empty(uint32_t id, uint32_t *word, uint32_t *words, uint32_t room) {
  k_cpu *cpu = enter();
  struct k_result result = {0};
  result.word = k_op_port_tryreceive(cpu, id, word, words, room, &result.woke);
  return cl_sw_finish(cpu, result, WAKE_MANY);
}

/* Called when there is room again, and a sender may wait for it. */
CL_APART uint32_t receive_room(k_port *port) {
  k_cpu *cpu = enter();
  k_thread *woken = port->senders ? k_first_waiter(&port->senders) : NULL;
  return cl_sw_finish(cpu, (struct k_result){.woken = woken}, WAKE_ONE);
}

#endif

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
uint32_t cl_sw_port_tryreceive(uint32_t id, uint32_t *word) { return receive(id, word, NULL, 0, 0); }

uint32_t cl_sw_port_receive_words(uint32_t id, uint32_t *word, uint32_t *words, uint32_t room) {
  return receive(id, word, words, room, 1);
}
uint32_t cl_sw_port_tryreceive_words(uint32_t id, uint32_t *word, uint32_t *words, uint32_t room) {
  return receive(id, word, words, room, 0);
}

/* A new thread that is better than all takes the CPU at once. Not inlined: pthread_create is long enough. */
__attribute__((noinline)) uint32_t cl_op_thread_start(uint32_t id) {
  k_cpu *cpu = enter();
  k_thread *thread = k_thread_of(id);
  uint32_t word = thread && thread->state == CL_STATE_CREATED && is_quick() ? k_take_over(cpu, thread) : 0;
  return word ? switch_away(cpu, word) : cl_sw_finish(cpu, k_just(k_op_thread_start(id)), CHANGE);
}

uint32_t cl_op_slice(uint32_t word) {
  k_cpu *cpu = enter();
  k_op_slice(word);
  note_timers();
  set_timer(cpu);
  for (k_cpu *other = k_cpus; other < k_cpus + CL_CPUS; other++)
    if (other != cpu) k_interrupt(other); /* their timers */
  return cl_sw_finish(cpu, k_just(0), CHANGE);
}

/* Run the next thread; does not return here. */
__attribute__((noreturn)) static void run_next(k_cpu *cpu, uint32_t word) {
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
  run_next(cpu, k_op_thread_exit(cpu));
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
  run_next(cpu, moved ? word : thread->switch_word);
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

CL_COLD void cl_backend_unlock(void) {
  if (CL_UNLIKELY(pressed)) {
    pressed = 0;
    check_cpus(this_cpu(), 0);
  } else {
    go_on(0);
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
#if K_FINE
    case CL_OP_MUTEX_LEAVE: answer = mutex_leave(id, thread, &woke); break;
    case CL_OP_SEMAPHORE_LEAVE: answer = semaphore_leave(id, thread, &woke); break;
    case CL_OP_COND_LEAVE: answer = cond_leave(id, thread, &woke); break;
    default: answer = port_leave(id, thread, &woke);
#else
    case CL_OP_MUTEX_LEAVE: answer = k_op_mutex_leave(id, thread, &woke); break;
    case CL_OP_SEMAPHORE_LEAVE: answer = k_op_semaphore_leave(id, thread, &woke); break;
    case CL_OP_COND_LEAVE: answer = k_op_cond_leave(id, thread, &woke); break;
    default: answer = k_op_port_leave(id, thread, &woke);
#endif
  }
  pressed |= woke;
  return answer;
}

CL_COLD uint32_t cl_backend_op(uint32_t op, uint32_t id, uint32_t word) {
  switch (op) {
    case CL_OP_COND_TICKET: return k_op_cond_ticket(id);
#if K_FINE
    case CL_OP_COND_CREATE: return cond_create_inside();
    case CL_OP_COND_SIGNAL: return signal_inside(id, &pressed);
    case CL_OP_MUTEX_UNLOCK: return unlock_inside(id, &pressed);
#else
    case CL_OP_COND_CREATE: return k_op_cond_create();
    case CL_OP_COND_SIGNAL: return k_queue_woken(k_op_cond_signal(id), &pressed);
    case CL_OP_MUTEX_UNLOCK: return k_queue_woken(k_op_mutex_unlock(this_cpu(), id), &pressed);
#endif
    case CL_OP_THREAD_READ: return k_op_thread_read(id);
    case CL_OP_CHECK_SCHED_PARAM: return k_op_check_sched_param(id, word);
    default: pressed = 1; return k_op_set_sched_param(id, word);
  }
}

/* --- traps and start --------------------------------------------------------------------------- */

/* The end of a trap, perhaps of the timer: the CPU gives way if it should. With the lock. */
static inline void end_trap(k_cpu *cpu, int timer) {
  uint32_t word = k_irq(cpu) ? k_op_preempt(cpu) : 0;
  if (word) {
    start_timer(cpu);
    k_notify(cpu);
    cl_switch_in_trap(word);
  } else {
    if (timer) keep_slice(cpu);
    went_on(cpu);
#if K_FINE
    k_notify(cpu); /* one parked CPU was told of a thread; if it goes on, another one is to be */
#endif
    unlock();
  }
}

/* Anything but what cl_interrupt has a fast path for. Causes that are not served because of a line stay pending. */
CL_APART void interrupt_closer(k_cpu *cpu, uint32_t lines) {
  if (CL_UNLIKELY(lines)) {
    take_lines(cpu, lines);
  } else {
    if (CL_CPUS > 1) cl_local_write(CL_IPI_CLEAR, 0);
#if K_FINE
    look_at_level(cpu);
#endif
    if (!is_quick()) look_at_limits(cpu);
    look_at_slice(cpu);
  }
  end_trap(cpu, !lines);
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

#if !K_FINE
/* For handlers of the communication port: interrupts stay disabled, and no switch happens. */
uint32_t cl_op_semaphore_post_in_trap(uint32_t id) {
  k_cpu *cpu = this_cpu();
  lock();
  int woke = 0;
  uint32_t answer = k_queue_woken(k_op_semaphore_post(id), &woke);
  if (woke) {
    k_notify(cpu);
    cl_ipc_first[CL_AMP ? 0 : cpu - k_cpus].woke = 1;
  }
  unlock();
  return answer;
}
#endif

/* At the end of such a trap: the CPU gives way if it should. */
void cl_sw_after_handlers(void);
void cl_sw_after_handlers(void) {
  k_cpu *cpu = this_cpu();
  if (!k_must_give_way(cpu)) return;
  cl_trace(CL_TRACE_TRAP, 0);
  lock();
  end_trap(cpu, 0);
}

void cl_backend_start(void) {
  k_init();
#if K_FINE
  init_objects();
#endif
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
  run_next(cpu, k_op_next(cpu));
}
