/* SPDX-License-Identifier: Apache-2.0
 *
 * The software kernel on the SoC: interrupts off and one lock around every operation, idle CPUs asleep until
 * another CPU's interrupt, and the timer for the time slice. */
#include "cl_kernel.h"

#define K_TICK CL_TICK_CYCLES
#define K_REMOTE (CL_CPUS > 1)
#include "cl_sw_kernel.h"

/* When this CPU's timer was last set to, and for which length of slice. */
static struct {
  uint32_t at;
  uint32_t slice;
} timers[CL_CPUS];

/* Not in .bss: the other CPUs look at it while that is cleared. */
__attribute__((section(".data"))) static volatile int started = 0;

static inline uint32_t k_now(void) { return cl_local_read(CL_CYCLE); }
static inline void k_interrupt(k_cpu *cpu) { cl_local_write(CL_IPI, (uint32_t)(cpu - k_cpus)); }
static inline void k_completed(k_cpu *cpu) { k_interrupt(cpu); }

static inline void lock(void) {
  if (CL_CPUS > 1) {
    cl_local_write(CL_LOCK_ADDRESS, (uint32_t)(uintptr_t)&k_dynamic);
    cl_local_read(CL_LOCK_ACQUIRE); /* waits */
    __asm__ volatile("" ::: "memory");
  }
}

static inline void unlock(void) {
  if (CL_CPUS > 1) {
    __asm__ volatile("" ::: "memory");
    cl_local_write(CL_LOCK_RELEASE, 0);
  }
}

static inline k_cpu *this_cpu(void) { return CL_CPUS == 1 ? k_cpus : &k_cpus[cl_local_read(CL_CPU_ID)]; }

/* The calling thread, also without the lock. */
static inline k_thread *this_thread(void) {
  return CL_CPUS == 1 ? k_cpus[0].current : &k_threads[cl_self() - cl_threads];
}

static inline k_cpu *enter(void) {
  cl_irq_off();
  lock();
  return this_cpu();
}

/* --- the time slice ------------------------------------------------------------------------ */

/* The timer is not touched by a switch. It goes off about once a slice, and then runs again to where the slice
 * of the thread that it meets will end. */
CL_COLD static void set_timer(k_cpu *cpu) {
  uint32_t now = k_now();
  uint32_t high = cl_local_read(CL_MTIME_HI);
  uint32_t mine = (uint32_t)(cpu - k_cpus);
  k_look_at_slice(cpu);
  timers[mine].slice = k_slice;
  cl_local_write(CL_MTIMECMP_HI, UINT32_MAX);
  if (!k_slice) return;
  if (cl_local_read(CL_MTIME_HI) != high) { /* the low half has wrapped just now */
    now = k_now();
    high = cl_local_read(CL_MTIME_HI);
  }
  uint32_t past = now - cpu->slice_start;
  uint32_t at = now + (past < k_slice ? k_slice - past : k_slice);
  timers[mine].at = at;
  cl_local_write(CL_MTIMECMP_LO, at);
  cl_local_write(CL_MTIMECMP_HI, high + (at < now));
}

static inline void look_at_timer(k_cpu *cpu) {
  uint32_t mine = (uint32_t)(cpu - k_cpus);
  int due = timers[mine].slice && (int32_t)(k_now() - timers[mine].at) >= 0;
  if (CL_UNLIKELY(due || timers[mine].slice != k_slice)) set_timer(cpu);
}

/* --- after an operation ---------------------------------------------------------------------- */

/* What follows is called at the end of an operation, so that the operation needs no stack frame.
 *
 * Leave for another thread, with the kernel locked and interrupts off. Back when this one runs again, with the
 * kernel free and interrupts on. */
static inline uint32_t switch_away(k_cpu *cpu, uint32_t word) {
  k_saved(cpu); /* in truth by cl_switch: nobody looks before it unlocks */
  k_notify(cpu);
  return cl_switch(word);
}

/* A better thread has become ready. Interrupts are on in the end. */
CL_COLD static uint32_t give_way(k_cpu *cpu, uint32_t answer) {
  uint32_t word = k_op_preempt(cpu);
  if (word) {
    switch_away(cpu, word);
  } else {
    unlock();
    cl_irq_on();
  }
  __asm__("" : "+r"(answer)); /* or the compiler keeps it in the caller, which then needs a frame */
  return answer;
}

/* The caller runs on; no thread has become ready. */
static inline uint32_t leave_quietly(uint32_t answer) {
  unlock();
  cl_irq_on();
  return answer;
}

/* The caller runs on, unless somebody better has become ready. */
static inline uint32_t leave(k_cpu *cpu, uint32_t answer) {
  k_notify(cpu);
  return CL_UNLIKELY(k_irq(cpu)) ? give_way(cpu, answer) : leave_quietly(answer);
}

static inline uint32_t leave_if(int woke, k_cpu *cpu, uint32_t answer) {
  return woke ? leave(cpu, answer) : leave_quietly(answer);
}

/* No thread can run: sleep until another CPU (or an interrupt handler) brings one. The stack below is that of
 * the thread that waits; nobody else can run it before this CPU has left it. */
CL_COLD static uint32_t idle(k_cpu *cpu) {
  cl_trace(CL_TRACE_IDLE, 1);
  unlock();
  while (cpu->waiting) {
    cl_wait_for_interrupt();
    if (CL_CPUS > 1) cl_local_write(CL_IPI_CLEAR, 0);
    look_at_timer(cpu);
  }
  lock();
  cl_trace(CL_TRACE_IDLE, 0);
  return cpu->answer;
}

CL_COLD static uint32_t settle_idle(k_cpu *cpu) {
  uint32_t word = idle(cpu);
  if (word == K_RESUMED) return leave(cpu, word);
  k_saved(cpu);
  k_notify(cpu);
  if (k_irq(cpu)) k_interrupt(cpu); /* something better has come meanwhile */
  return cl_switch(word);
}

/* The caller cannot run on: word has bit 31. */
static inline uint32_t settle(k_cpu *cpu, uint32_t word) {
  return CL_UNLIKELY(word == K_PENDING) ? settle_idle(cpu) : switch_away(cpu, word);
}

/* --- the interface --------------------------------------------------------------------------- */

/* Nobody becomes ready by these. */
#define QUIET(name, call, ...)                           \
  uint32_t cl_op_##name(__VA_ARGS__) {                   \
    k_cpu *cpu = enter();                                \
    (void)cpu;                                           \
    return leave_quietly(k_op_##name call);              \
  }
#define DIRECT(name, call, ...)                          \
  uint32_t cl_op_##name(__VA_ARGS__) {                   \
    k_cpu *cpu = enter();                                \
    return leave(cpu, k_op_##name call);                 \
  }
#define WAKING(name, call, ...)                          \
  uint32_t cl_op_##name(__VA_ARGS__) {                   \
    k_cpu *cpu = enter();                                \
    int woke = 0;                                        \
    uint32_t answer = k_op_##name call;                  \
    return leave_if(woke, cpu, answer);                  \
  }
#define WAITING(name, call, ...)                         \
  uint32_t cl_op_##name(__VA_ARGS__) {                   \
    k_cpu *cpu = enter();                                \
    uint32_t answer = k_op_##name call;                  \
    return (int32_t)answer < 0 ? settle(cpu, answer) : leave_quietly(answer); \
  }

DIRECT(thread_create, (word), uint32_t word)
DIRECT(thread_start, (id), uint32_t id)
DIRECT(thread_priority, (id, word), uint32_t id, uint32_t word)
QUIET(thread_detach, (id), uint32_t id)
QUIET(thread_read, (id), uint32_t id)
QUIET(mutex_create, (), void)
QUIET(mutex_destroy, (id), uint32_t id)
QUIET(mutex_trylock, (cpu, id), uint32_t id)
WAKING(mutex_unlock, (cpu, id, &woke), uint32_t id)
QUIET(semaphore_create, (word), uint32_t word)
QUIET(semaphore_destroy, (id), uint32_t id)
QUIET(semaphore_trywait, (id), uint32_t id)
WAKING(semaphore_post, (id, &woke), uint32_t id)
QUIET(semaphore_value, (id), uint32_t id)
QUIET(port_open, (cpu, id, word), uint32_t id, uint32_t word)
QUIET(port_close, (cpu, id), uint32_t id)
WAKING(port_trysend, (cpu, id, word, &woke), uint32_t id, uint32_t word)
WAKING(port_tryreceive, (cpu, id, word, &woke), uint32_t id, uint32_t *word)
WAKING(port_publish, (cpu, &woke), void)
WAITING(thread_join, (cpu, id), uint32_t id)
WAITING(mutex_lock, (cpu, id), uint32_t id)
WAITING(semaphore_wait, (cpu, id), uint32_t id)

uint32_t cl_op_yield(void) {
  k_cpu *cpu = enter();
  int woke = 0;
  uint32_t word = k_op_yield(cpu, &woke);
  return (int32_t)word < 0 ? settle(cpu, word) : leave_if(woke, cpu, word);
}

/* Send and receive. The waiting halves are out of line: only they need a frame. */

__attribute__((noinline)) static uint32_t send_wait(k_cpu *cpu, k_port *port, uint32_t word) {
  uint32_t answer = k_wait_for_room(cpu, port);
  if (CL_LIKELY((int32_t)answer < 0))
    settle(cpu, answer);
  else
    leave(cpu, answer);
  return cl_op_port_send((uint32_t)(port - k_ports), word);
}

uint32_t cl_op_port_send(uint32_t id, uint32_t word) {
  k_cpu *cpu = enter();
  int woke = 0;
  uint32_t error;
  k_port *port = k_port_to_send(id, &error);
  if (!port) return leave_quietly(error);
  if (CL_UNLIKELY(k_full(port))) return send_wait(cpu, port, word);
  k_put(port, cpu->current, word, &woke);
  return leave_if(woke, cpu, 0);
}

/* The thread in the answer is to be switched to by cl_op_port_receive. */
__attribute__((noinline)) static uint32_t receive_wait(k_cpu *cpu, k_port *port) {
  uint32_t answer = k_wait_for_message(cpu, port);
  if (CL_UNLIKELY(!answer)) return leave(cpu, CL_RESUMED); /* what it has published itself */
  if (CL_UNLIKELY(answer == K_PENDING)) return settle_idle(cpu);
  k_saved(cpu);
  k_notify(cpu);
  return answer;
}

/* Only the receiver moves head, and it is here: to take a message there is nothing to lock. A sender that is about
 * to wait for room sees the new head, or is seen here; and what is loaded and stored happens in that order, on one
 * bus. */
uint32_t cl_sw_port_receive(uint32_t id, uint32_t *word) {
  if (CL_UNLIKELY(id >= CL_PORTS)) return K_ERROR(EINVAL);
  k_port *port = &k_ports[id];
  k_thread *receiver = *(k_thread *volatile *)&port->receiver;
  if (CL_UNLIKELY(receiver != this_thread())) return receiver ? K_ERROR(EPERM) : K_ERROR(EBADF);
  uint32_t head = port->head;
  if (*(volatile uint32_t *)&port->frozen != head) {
    *word = *(volatile uint32_t *)&port->ring[head % K_RING];
    *(volatile uint32_t *)&port->head = head + 1;
    if (CL_LIKELY(!*(k_thread *volatile *)&port->senders)) return 0;
    k_cpu *cpu = enter();
    if (port->senders) k_wake(k_first_waiter(&port->senders));
    return leave(cpu, 0);
  }
  k_cpu *cpu = enter();
  if (CL_UNLIKELY(k_has_message(port))) return leave_quietly(CL_RESUMED); /* one has just come */
  uint32_t answer = k_wait_as_usual(cpu, port);
  if (!answer) return receive_wait(cpu, port);
  k_saved(cpu);
  k_notify(cpu);
  return answer;
}

uint32_t cl_op_slice(uint32_t word) {
  k_cpu *cpu = enter();
  k_op_slice(word);
  set_timer(cpu);
  for (k_cpu *other = k_cpus; other < k_cpus + CL_CPUS; other++)
    if (other != cpu) k_interrupt(other); /* their timers */
  return leave(cpu, 0);
}

/* Run the next thread; there is nothing here to come back to. */
__attribute__((noreturn)) static void go_on(k_cpu *cpu, uint32_t word) {
  if (word == K_PENDING) word = idle(cpu);
  k_saved(cpu);
  k_notify(cpu);
  if (k_irq(cpu)) k_interrupt(cpu);
  cl_switch_to(word);
}

static void exit_tail(void) {
  lock();
  k_cpu *cpu = this_cpu();
  go_on(cpu, k_op_thread_exit(cpu));
}

void cl_op_thread_exit(void) {
  cl_irq_off();
  cl_on_boot_stack(exit_tail);
}

/* --- traps and start --------------------------------------------------------------------------- */

/* Timer, or another CPU. */
void cl_interrupt(void) {
  cl_trace(CL_TRACE_TRAP, 0);
  lock();
  k_cpu *cpu = this_cpu();
  if (CL_CPUS > 1) cl_local_write(CL_IPI_CLEAR, 0);
  look_at_timer(cpu);
  uint32_t word = k_irq(cpu) ? k_op_preempt(cpu) : 0;
  if (word) {
    k_saved(cpu);
    k_notify(cpu);
    cl_switch_in_trap(word);
  } else {
    unlock();
  }
}

void cl_ground_start(void) {
  k_init();
  started = 1;
  for (k_cpu *other = k_cpus + 1; other < k_cpus + CL_CPUS; other++) k_interrupt(other);
}

void cl_boot_other(void) {
  while (!started) cl_wait_for_interrupt();
  k_cpu *cpu = enter();
  cl_local_write(CL_IPI_CLEAR, 0);
  go_on(cpu, k_op_next(cpu));
}
