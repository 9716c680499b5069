/* SPDX-License-Identifier: Apache-2.0
 *
 * os.h on Coreloom's POSIX API: the hardware and the software kernel. */
#ifndef OS_POSIX_H
#define OS_POSIX_H

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

#define OS_CONDITIONS
#define OS_LINES_BY_SOFTWARE

/* --- Threads --- */

struct os_thread {
  pthread_attr_t attr;
  void *(*body)(void *);
  pthread_t id;
};

static _Alignas(16) unsigned char os_stacks[OS_THREADS][OS_STACK_BYTES];

/* Prepares a thread. number: of its stack, below OS_THREADS. With several CPUs it stays on `cpu`. */
CL_INLINE void os_plan(struct os_thread *thread, unsigned number, int priority, unsigned cpu, void *(*body)(void *)) {
  struct sched_param param = {priority};
  must(pthread_attr_init(&thread->attr));
  must(pthread_attr_setschedparam(&thread->attr, &param));
  must(pthread_attr_setstack(&thread->attr, os_stacks[number], OS_STACK_BYTES));
  if (OS_PLACED && CL_CPUS > 1) must(pthread_attr_setplacement_np(&thread->attr, PTHREAD_PLACEMENT_STATIC_NP, cpu));
  thread->body = body;
}

CL_INLINE void os_start(struct os_thread *thread, uint32_t argument) {
  must(pthread_create(&thread->id, &thread->attr, thread->body, (void *)(uintptr_t)argument));
}

CL_INLINE void os_join(struct os_thread *thread, int elsewhere) {
  (void)elsewhere;
  must(pthread_join(thread->id, NULL));
}
CL_INLINE void os_joined_by(struct os_thread *thread, struct os_thread *other) { (void)thread, (void)other; }
CL_INLINE void os_yield(void) { must(sched_yield()); }

/* Coreloom's threads cannot suspend themselves: a semaphore of their own stands in. */
struct os_gate {
  sem_t sem;
};
CL_INLINE void os_gate_make(struct os_gate *gate, struct os_thread *thread) {
  (void)thread;
  must(sem_init(&gate->sem, 0, 0));
}
CL_INLINE void os_suspend(struct os_gate *gate) { must(sem_wait(&gate->sem)); }
CL_INLINE void os_resume(struct os_gate *gate) { must(sem_post(&gate->sem)); }

/* --- Semaphores, mutexes, condition variables --- */

typedef sem_t os_semaphore;
CL_INLINE void os_semaphore_make(os_semaphore *sem, unsigned value) { must(sem_init(sem, 0, value)); }
CL_INLINE void os_semaphore_take(os_semaphore *sem) { must(sem_wait(sem)); }
CL_INLINE void os_semaphore_timed(os_semaphore *sem) { must(sem_timedwait_np(sem, OS_PATIENCE)); }
CL_INLINE void os_semaphore_give(os_semaphore *sem) { must(sem_post(sem)); }

typedef pthread_mutex_t os_mutex;
CL_INLINE void os_mutex_make(os_mutex *mutex) { must(pthread_mutex_init(mutex, NULL)); }
CL_INLINE void os_mutex_lock(os_mutex *mutex) { must(pthread_mutex_lock(mutex)); }
CL_INLINE void os_mutex_timed(os_mutex *mutex) { must(pthread_mutex_timedlock_np(mutex, OS_PATIENCE)); }
CL_INLINE void os_mutex_unlock(os_mutex *mutex) { must(pthread_mutex_unlock(mutex)); }

typedef pthread_cond_t os_condition;
CL_INLINE void os_condition_make(os_condition *cond) { must(pthread_cond_init(cond, NULL)); }
CL_INLINE void os_condition_wait(os_condition *cond, os_mutex *mutex) { must(pthread_cond_wait(cond, mutex)); }
CL_INLINE void os_condition_timed(os_condition *cond, os_mutex *mutex) {
  must(pthread_cond_timedwait_np(cond, mutex, OS_PATIENCE));
}
CL_INLINE void os_condition_signal(os_condition *cond) { must(pthread_cond_signal(cond)); }

/* --- Messages of one word, and of four --- */

/* A port, which its receiver opens. */
typedef int os_queue;
CL_INLINE void os_queue_make(os_queue *queue, int number) { *queue = number; }
CL_INLINE void os_queue_open(os_queue *queue) { must(port_open(*queue, PORT_DIRECT)); }
CL_INLINE void os_queue_send(os_queue *queue, uint32_t word) { must(port_send(*queue, word)); }
CL_INLINE int os_queue_try(os_queue *queue, uint32_t word) { return port_trysend(*queue, word); }
CL_INLINE void os_queue_send_timed(os_queue *queue, uint32_t word) { must(port_timedsend(*queue, word, OS_PATIENCE)); }
CL_INLINE uint32_t os_queue_receive(os_queue *queue) {
  uint32_t word;
  must(port_receive(*queue, &word));
  return word;
}
CL_INLINE uint32_t os_queue_receive_timed(os_queue *queue) {
  uint32_t word;
  must(port_timedreceive(*queue, &word, OS_PATIENCE));
  return word;
}

/* Four words, word by word: one receiver has them in order, if there is one sender. */
typedef os_queue os_queue4;
CL_INLINE void os_queue4_make(os_queue4 *queue, int number) { os_queue_make(queue, number); }
CL_INLINE void os_queue4_open(os_queue4 *queue) { os_queue_open(queue); }
CL_INLINE void os_queue4_send(os_queue4 *queue, const uint32_t words[4]) {
  for (int i = 0; i < 4; i++) os_queue_send(queue, words[i]);
}
CL_INLINE void os_queue4_receive(os_queue4 *queue, uint32_t words[4]) {
  for (int i = 0; i < 4; i++) words[i] = os_queue_receive(queue);
}

/* Four words as one message, whoever else sends. */
typedef os_queue os_block;
CL_INLINE void os_block_make(os_block *queue, int number) { os_queue_make(queue, number); }
CL_INLINE void os_block_open(os_block *queue) { os_queue_open(queue); }
CL_INLINE void os_block_send(os_block *queue, const uint32_t words[4]) { must(port_send_block(*queue, words, 4)); }
CL_INLINE int os_block_try(os_block *queue, const uint32_t words[4]) { return port_trysend_block(*queue, words, 4); }
CL_INLINE void os_block_receive(os_block *queue, uint32_t words[4]) {
  size_t count;
  must(port_receive_block(*queue, words, 4, &count));
}

/* --- Memory --- */

CL_INLINE void *os_allocate(size_t bytes) { return malloc(bytes); }
CL_INLINE void os_release(void *block) { free(block); }

/* --- Interrupts --- */

#if defined(OS_LINES)
/* The interrupt line becomes the calling thread's, which then waits for it. */
CL_INLINE void os_line_bind(unsigned line) { must(interrupt_bind_thread_np(line)); }
CL_INLINE void os_line_wait(unsigned line) { must(interrupt_wait_np(line)); }
#endif
#if defined(OS_LINES_BY_SOFTWARE)
CL_INLINE void os_line_raise(unsigned line) { must(interrupt_raise_np(line)); }
#endif

#if defined(OS_HANDLER)
/* Called when a thread interrupts its own CPU. */
static void OS_HANDLER(void);
static void os_bells(uint32_t bells) {
  (void)bells;
  OS_HANDLER();
}
CL_INLINE void os_handler_install(void) { must(doorbell_handler_np(1, os_bells)); }
CL_INLINE void os_interrupt_self(void) { must(doorbell_ring(CL_CPUS > 1 ? 1u << cl_cpu_id() : 1, 1)); }
CL_INLINE void os_give_from_handler(os_semaphore *sem) { must(sem_post_handler_np(sem)); }
#endif

/* --- The program --- */

int main(void) {
  must(pthread_setschedprio(pthread_self(), sched_get_priority_max(SCHED_RR)));
  os_setup();
  pthread_exit(NULL);
}

#endif
