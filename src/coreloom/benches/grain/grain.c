/* SPDX-License-Identifier: Apache-2.0
 *
 * -DTHREADS threads that compute and meet at -DOBJECT=name for ever: the input's first word says for how many cycles
 * they compute between two calls. With one thread for each CPU each stays on its own; with more any CPU takes any
 * thread, so that none idles while one is ready. Each meeting that a thread has been through counts as one done. */
#define OS_THREADS THREADS
#define OS_PLACED (THREADS == CL_CPUS)
#define OS_LINES
#include "../rtos/os.h"

enum { PAIRS = THREADS / 2, LINE = 0, SAMPLE = 1000, WARM_UP = 3 };

static struct os_thread threads[THREADS];
static uint32_t turns; /* of spend() between two calls */

/* Computes, without memory. There is one copy, as a turn takes as long as its place in the cache makes it. */
CL_APART void spend(uint32_t count) { __asm__ volatile("1: addi %0, %0, -1\n bnez %0, 1b" : "+r"(count)); }

/* A thread has been through a meeting. The window begins when the first one has been through some: meetings() are those
 * that are left till then. */
CL_INLINE uint32_t meetings(uint32_t number) { return number ? 0 : WARM_UP; }
CL_INLINE void met(uint32_t *left) {
  cl_done(1);
  if (!--*left) cl_ready();
}

CL_APART uint32_t taken_by(uint32_t count) {
  const uint32_t begin = cl_cycle();
  spend(count);
  return cl_cycle() - begin;
}

/* How many turns take as many cycles as the input says, the call with them; at least one. */
static void calibrate(void) {
  size_t length;
  const uint32_t *const words = cl_input(&length);
  must(length < sizeof *words);
  taken_by(1); /* it is in the cache from here on */
  const uint32_t one = taken_by(1), more = taken_by(SAMPLE + 1) - one;
  turns = 1;
  if (words[0] > one) turns += ((words[0] - one) * SAMPLE + more / 2) / more;
}

static void start(unsigned number, int priority, void *(*body)(void *), uint32_t argument) {
  os_plan(&threads[number], number, priority, number % CL_CPUS, body);
  os_start(&threads[number], argument);
}

/* In each pair, of which the first begins. */
CL_INLINE void start_pairs(void *(*asks)(void *), void *(*answers)(void *)) {
  for (uint32_t pair = 0; pair < PAIRS; pair++) {
    start(2 * pair + 1, OS_MIDDLE, answers, pair);
    start(2 * pair, OS_MIDDLE, asks, pair);
  }
}

CL_INLINE void start_all(void *(*body)(void *)) {
  for (uint32_t n = 0; n < THREADS; n++) start(n, OS_MIDDLE, body, n);
}

CL_INLINE uint32_t number_of(void *argument) { return (uint32_t)(uintptr_t)argument; }

/* --- Semaphores: each gives the other's, then takes its own --- */

static struct {
  os_semaphore there, back;
} gates[PAIRS];

static void *semaphore_asks(void *argument) {
  const uint32_t pair = number_of(argument);
  for (uint32_t left = meetings(pair);;) {
    spend(turns);
    os_semaphore_give(&gates[pair].there);
    os_semaphore_take(&gates[pair].back);
    met(&left);
  }
  return NULL;
}

static void *semaphore_answers(void *argument) {
  const uint32_t pair = number_of(argument);
  for (;;) {
    os_semaphore_take(&gates[pair].there);
    cl_done(1);
    spend(turns);
    os_semaphore_give(&gates[pair].back);
  }
  return NULL;
}

static void make_gates(void) {
  for (uint32_t pair = 0; pair < PAIRS; pair++) {
    os_semaphore_make(&gates[pair].there, 0);
    os_semaphore_make(&gates[pair].back, 0);
  }
}

CHOICE void semaphore(void) {
  make_gates();
  start_pairs(semaphore_asks, semaphore_answers);
}

/* --- Ports: a word there, and a word back --- */

static os_queue queues[THREADS];

static void *port_asks(void *argument) {
  const uint32_t pair = number_of(argument);
  os_queue *const there = &queues[2 * pair], *const back = there + 1;
  os_queue_open(back);
  os_semaphore_take(&gates[pair].there);
  for (uint32_t n = 0, left = meetings(pair);; n++) {
    spend(turns);
    os_queue_send(there, n);
    must(os_queue_receive(back) != n);
    met(&left);
  }
  return NULL;
}

static void *port_answers(void *argument) {
  const uint32_t pair = number_of(argument);
  os_queue *const there = &queues[2 * pair], *const back = there + 1;
  os_queue_open(there);
  os_semaphore_give(&gates[pair].there);
  for (;;) {
    const uint32_t word = os_queue_receive(there);
    cl_done(1);
    spend(turns);
    os_queue_send(back, word);
  }
  return NULL;
}

CHOICE void port(void) {
  make_gates();
  for (uint32_t n = 0; n < THREADS; n++) os_queue_make(&queues[n], (int)n);
  start_pairs(port_asks, port_answers);
}

/* --- One mutex for all; the longest wait for it is marked --- */

static volatile uint32_t shared, longest;

CL_INLINE void held(uint32_t began) {
  const uint32_t waited = cl_cycle() - began;
  shared = shared + 1;
  if (waited > longest) {
    longest = waited;
    cl_mark(waited);
  }
}

static os_mutex mutex_of_all;

static void *mutex_body(void *argument) {
  for (uint32_t left = meetings(number_of(argument));;) {
    spend(turns);
    const uint32_t began = cl_cycle();
    os_mutex_lock(&mutex_of_all);
    held(began);
    os_mutex_unlock(&mutex_of_all);
    met(&left);
  }
  return NULL;
}

CHOICE void mutex(void) {
  os_mutex_make(&mutex_of_all);
  start_all(mutex_body);
}

#if defined(OS_CONDITIONS)
/* --- Monitors: each waits until the pair's turn is its own, then hands it over --- */

static struct {
  os_mutex mutex;
  os_condition mine[2];
  volatile uint32_t turn;
} monitors[PAIRS];

CL_INLINE void condition_body(uint32_t pair, uint32_t me) {
  for (uint32_t left = meetings(pair + me);;) {
    os_mutex_lock(&monitors[pair].mutex);
    while (monitors[pair].turn != me) os_condition_wait(&monitors[pair].mine[me], &monitors[pair].mutex);
    os_mutex_unlock(&monitors[pair].mutex);
    met(&left);
    spend(turns);
    os_mutex_lock(&monitors[pair].mutex);
    monitors[pair].turn = !me;
    os_condition_signal(&monitors[pair].mine[!me]);
    os_mutex_unlock(&monitors[pair].mutex);
  }
}

static void *condition_asks(void *argument) {
  condition_body(number_of(argument), 0);
  return NULL;
}

static void *condition_answers(void *argument) {
  condition_body(number_of(argument), 1);
  return NULL;
}

CHOICE void condition(void) {
  for (uint32_t pair = 0; pair < PAIRS; pair++) {
    os_mutex_make(&monitors[pair].mutex);
    for (int i = 0; i < 2; i++) os_condition_make(&monitors[pair].mine[i]);
  }
  start_pairs(condition_asks, condition_answers);
}

/* --- A barrier for all --- */

static pthread_barrier_t all_there;

static void *barrier_body(void *argument) {
  for (uint32_t left = meetings(number_of(argument));;) {
    spend(turns);
    const int error = pthread_barrier_wait(&all_there);
    must(error == PTHREAD_BARRIER_SERIAL_THREAD ? 0 : error);
    met(&left);
  }
  return NULL;
}

CHOICE void barrier(void) {
  must(pthread_barrier_init(&all_there, NULL, THREADS));
  start_all(barrier_body);
}

/* --- Without a kernel: pairs that poll a word, and the Lock Unit for all --- */

static struct {
  _Alignas(16) volatile uint32_t turn;
} words[PAIRS];

CL_INLINE void polling_body(uint32_t pair, uint32_t me) {
  for (uint32_t left = meetings(pair + me);;) {
    while (words[pair].turn != me) continue;
    met(&left);
    spend(turns);
    words[pair].turn = !me;
  }
}

static void *polling_asks(void *argument) {
  polling_body(number_of(argument), 0);
  return NULL;
}

static void *polling_answers(void *argument) {
  polling_body(number_of(argument), 1);
  return NULL;
}

CHOICE void polling(void) { start_pairs(polling_asks, polling_answers); }

static void *lock_unit_body(void *argument) {
  for (uint32_t left = meetings(number_of(argument));;) {
    spend(turns);
    const uint32_t began = cl_cycle();
    must(shared_memory_lock(&shared));
    held(began);
    must(shared_memory_unlock(&shared));
    met(&left);
  }
  return NULL;
}

CHOICE void lock_unit(void) { start_all(lock_unit_body); }
#endif

/* --- An interrupt line wakes the urgent thread, which marks it; the other computes on the same CPU, and each piece
 * counts --- */

static void *interrupt_waits(void *unused) {
  (void)unused;
  os_line_bind(LINE);
  for (;;) {
    os_line_wait(LINE);
    cl_mark(1);
  }
  return NULL;
}

static void *interrupt_computes(void *argument) {
  for (uint32_t left = meetings(number_of(argument));;) {
    spend(turns);
    met(&left);
  }
  return NULL;
}

CHOICE void interrupt(void) {
  os_plan(&threads[1], 1, OS_HIGH, 0, interrupt_waits);
  os_start(&threads[1], 0);
  start(0, OS_MIDDLE, interrupt_computes, 0);
}

static void os_setup(void) {
  calibrate();
  OBJECT();
}
