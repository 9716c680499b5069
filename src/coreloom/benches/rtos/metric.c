/* SPDX-License-Identifier: Apache-2.0
 *
 * The eight measurements of the Thread-Metric kind, written from their public description, and one of condition
 * variables: -DMEASURE=name repeats until the host stops it. Each iteration ends with a moment `turn`, and is counted in a word of the output; the host
 * compares the counts with one another and with the moments. */
#define OS_HANDLER handler
#include "os.h"

enum { COUNTS = 5 };

static struct os_thread threads[OS_THREADS];

/* In the output, which the host reads when it stops the program. */
static volatile uint32_t *counts;

/* `count` tells a turn that is seen twice, as its instruction is when an interrupt comes before it is done, or where a
 * loop is entered. */
CL_INLINE void counted(unsigned number) {
  MOMENT(count);
  counts[number]++;
  MOMENT_AT_ONCE(turn);
}

CL_INLINE void alone(void *(*body)(void *)) {
  os_plan(&threads[0], 0, OS_LOW, 0, body);
  os_start(&threads[0], 0);
}

/* --- Basic processing: what the core does without a service --- */

static void *basic_body(void *unused) {
  static volatile uint32_t data[1024];
  (void)unused;
  cl_ready();
  for (;;) {
    for (unsigned i = 0; i < 1024; i++) data[i] = (data[i] + counts[0]) ^ data[i];
    counted(0);
  }
  return NULL;
}

CHOICE void basic(void) { alone(basic_body); }

/* --- Cooperative scheduling: five threads of equal priority, each counts and gives the CPU to the next --- */

static void *cooperative_body(void *argument) {
  unsigned number = (unsigned)(uintptr_t)argument;
  if (number == 4) cl_ready();
  for (;;) {
    os_yield();
    counted(number);
  }
  return NULL;
}

CHOICE void cooperative(void) {
  for (unsigned i = 0; i < 5; i++) {
    os_plan(&threads[i], i, OS_LOW, 0, cooperative_body);
    os_start(&threads[i], i);
  }
}

/* --- Preemptive scheduling: each of five threads resumes the next more urgent one, which preempts it; the most
 * urgent counts and suspends itself, and so on down to the first --- */

static struct os_gate gates[5];

static void *preemptive_body(void *argument) {
  unsigned number = (unsigned)(uintptr_t)argument;
  for (;;) {
    os_suspend(&gates[number]);
    if (number < 4) os_resume(&gates[number + 1]);
    counted(number);
  }
  return NULL;
}

static void *preemptive_first(void *unused) {
  (void)unused;
  cl_ready();
  for (;;) {
    os_resume(&gates[1]);
    counted(0);
  }
  return NULL;
}

CHOICE void preemptive(void) {
  for (unsigned i = 0; i < 5; i++) os_gate_make(&gates[i], &threads[i]);
  for (unsigned i = 5; i-- > 0;) {
    os_plan(&threads[i], i, (int)(OS_LOW + i), 0, i ? preemptive_body : preemptive_first);
    os_start(&threads[i], i);
  }
}

/* --- Interrupts: the thread causes one; its handler counts and gives a semaphore, which the thread takes --- */

static os_semaphore given;

static void handler(void) {
  counts[1]++;
  os_give_from_handler(&given);
}

static void *interrupt_body(void *unused) {
  (void)unused;
  os_handler_install();
  cl_ready();
  for (;;) {
    os_interrupt_self();
    os_semaphore_take(&given);
    counted(0);
  }
  return NULL;
}

CHOICE void interrupt(void) {
  os_semaphore_make(&given, 0);
  alone(interrupt_body);
}

/* --- Interrupts with preemption: the handler wakes a more urgent thread, which counts and waits again --- */

static void *preempting_body(void *unused) {
  (void)unused;
  for (;;) {
    os_semaphore_take(&given);
    counts[2]++;
  }
  return NULL;
}

static void *preempted_body(void *unused) {
  (void)unused;
  os_handler_install();
  cl_ready();
  for (uint32_t n = 1;; n++) {
    os_interrupt_self();
    while (counts[2] != n) {}
    counted(0);
  }
  return NULL;
}

CHOICE void interrupt_preemption(void) {
  os_semaphore_make(&given, 0);
  os_plan(&threads[1], 1, OS_HIGH, 0, preempting_body);
  os_start(&threads[1], 0);
  alone(preempted_body);
}

/* --- Messages: the thread sends 16 bytes to a queue and receives them again --- */

static void *message_body(void *unused) {
  static os_block queue;
  uint32_t sent[4] = {0x11112222, 0x33334444, 0x55556666, 0}, got[4];
  (void)unused;
  os_block_make(&queue, 0);
  os_block_open(&queue);
  cl_ready();
  for (;;) {
    sent[3] = counts[0];
    os_block_send(&queue, sent);
    os_block_receive(&queue, got);
    must(got[3] != sent[3]);
    counted(0);
  }
  return NULL;
}

CHOICE void message(void) { alone(message_body); }

/* --- Synchronisation: the thread takes a semaphore and gives it back --- */

static void *synchronisation_body(void *unused) {
  (void)unused;
  cl_ready();
  for (;;) {
    os_semaphore_take(&given);
    os_semaphore_give(&given);
    counted(0);
  }
  return NULL;
}

CHOICE void synchronisation(void) {
  os_semaphore_make(&given, 1);
  alone(synchronisation_body);
}

/* --- Memory: the thread allocates 128 bytes and releases them --- */

static void *memory_body(void *unused) {
  (void)unused;
  cl_ready();
  for (;;) {
    void *block = os_allocate(128);
    must(!block);
    os_release(block);
    counted(0);
  }
  return NULL;
}

CHOICE void memory(void) { alone(memory_body); }

/* --- Condition variables: two threads on two CPUs take turns; so many such pairs as there are CPUs for --- */

#ifdef OS_CONDITIONS
static struct pair {
  os_mutex mutex;
  os_condition asked, answered;
  uint32_t turn; /* 1: the one who answers has it */
} pairs[OS_THREADS / 2];

static void *condition_asks(void *argument) {
  unsigned number = (unsigned)(uintptr_t)argument;
  static volatile int all;
  struct pair *pair = &pairs[number];
  if (number == CL_CPUS / 2 - 1) cl_ready(), all = 1;
  while (!all) {} /* no pair counts before the window */
  for (;;) {
    os_mutex_lock(&pair->mutex);
    pair->turn = 1;
    os_condition_signal(&pair->asked);
    while (pair->turn) os_condition_wait(&pair->answered, &pair->mutex);
    os_mutex_unlock(&pair->mutex);
    counted(number);
  }
  return NULL;
}

static void *condition_answers(void *argument) {
  struct pair *pair = &pairs[(uintptr_t)argument];
  for (;;) {
    os_mutex_lock(&pair->mutex);
    while (!pair->turn) os_condition_wait(&pair->asked, &pair->mutex);
    pair->turn = 0;
    os_condition_signal(&pair->answered);
    os_mutex_unlock(&pair->mutex);
  }
  return NULL;
}

CHOICE void condition_across(void) {
  for (unsigned i = 0; i < CL_CPUS / 2; i++) {
    os_mutex_make(&pairs[i].mutex);
    os_condition_make(&pairs[i].asked);
    os_condition_make(&pairs[i].answered);
    for (unsigned who = 0; who < 2; who++) {
      struct os_thread *thread = &threads[2 * i + who];
      os_plan(thread, 2 * i + who, OS_MIDDLE, 2 * i + who, who ? condition_answers : condition_asks);
      os_start(thread, i);
    }
  }
}
#endif

static void os_setup(void) {
  counts = cl_output(NULL);
  for (unsigned i = 0; i < COUNTS; i++) counts[i] = 0;
  cl_output_set_length(COUNTS * sizeof *counts);
  MEASURE();
}
