/* SPDX-License-Identifier: Apache-2.0
 *
 * What the services of an operating system take: ROUNDS rounds of -DMEASURE=name, each from a moment `begin` to the
 * next moment `end`, perhaps in another thread. */
#define OS_LINES
#include "os.h"

#define LINE 0

static struct os_thread threads[OS_THREADS];
static os_semaphore there, back, opened;
static os_queue queues[2];
static const uint32_t words[4] = {1, 2, 3, 4};

/* Two threads, the second of which answers the first. */
CL_INLINE void pair(void *(*asks)(void *), void *(*answers)(void *), int priority, unsigned cpu) {
  os_semaphore_make(&there, 0);
  os_semaphore_make(&back, 0);
  os_semaphore_make(&opened, 0);
  for (int i = 0; i < 2; i++) os_queue_make(&queues[i], i);
  os_plan(&threads[1], 1, priority, cpu, answers);
  os_start(&threads[1], 0);
  os_plan(&threads[0], 0, OS_MIDDLE, 0, asks);
  os_start(&threads[0], 0);
}

CL_INLINE void alone(void *(*body)(void *)) {
  os_plan(&threads[0], 0, OS_MIDDLE, 0, body);
  os_start(&threads[0], 0);
}

/* --- yield: five threads of equal priority, to the next one --- */

static void *yield_body(void *unused) {
  (void)unused;
  for (;;) {
    before_round();
    MOMENT(begin);
    os_yield();
    MOMENT(end);
    after_round();
  }
  return NULL;
}

CHOICE void yield(void) {
  for (unsigned i = 0; i < 5; i++) {
    os_plan(&threads[i], i, OS_MIDDLE, 0, yield_body);
    os_start(&threads[i], 0);
  }
}

/* --- Semaphores --- */

static void *semaphore_one_body(void *unused) {
  (void)unused;
  for (;;) {
    before_round();
    MOMENT(begin);
    os_semaphore_give(&there);
    os_semaphore_take(&there);
    MOMENT(end);
    after_round();
  }
  return NULL;
}

CHOICE void semaphore_one(void) {
  os_semaphore_make(&there, 0);
  alone(semaphore_one_body);
}

static void *semaphore_asks(void *unused) {
  (void)unused;
  for (;;) {
    before_round();
    MOMENT(begin);
    os_semaphore_give(&there);
    os_semaphore_take(&back);
    MOMENT(end);
    after_round();
  }
  return NULL;
}

static void *semaphore_answers(void *unused) {
  (void)unused;
  for (;;) {
    os_semaphore_take(&there);
    os_semaphore_give(&back);
  }
  return NULL;
}

CHOICE void semaphore_equals(void) { pair(semaphore_asks, semaphore_answers, OS_MIDDLE, 0); }
CHOICE void semaphore_urgent(void) { pair(semaphore_asks, semaphore_answers, OS_HIGH, 0); }
CHOICE void semaphore_across(void) { pair(semaphore_asks, semaphore_answers, OS_MIDDLE, 1); }

#ifdef OS_NOTIFICATIONS
static void *notification_asks(void *unused) {
  (void)unused;
  for (;;) {
    before_round();
    MOMENT(begin);
    os_notify(&threads[1]);
    os_notified();
    MOMENT(end);
    after_round();
  }
  return NULL;
}

static void *notification_answers(void *unused) {
  (void)unused;
  for (;;) {
    os_notified();
    os_notify(&threads[0]);
  }
  return NULL;
}

CHOICE void notification_equals(void) { pair(notification_asks, notification_answers, OS_MIDDLE, 0); }
CHOICE void notification_urgent(void) { pair(notification_asks, notification_answers, OS_HIGH, 0); }
CHOICE void notification_across(void) { pair(notification_asks, notification_answers, OS_MIDDLE, 1); }
#endif

/* --- Messages --- */

static void *message_one_body(void *unused) {
  (void)unused;
  os_queue_open(&queues[0]);
  for (uint32_t i = 0;; i++) {
    before_round();
    MOMENT(begin);
    os_queue_send(&queues[0], i);
    uint32_t word = os_queue_receive(&queues[0]);
    MOMENT(end);
    must(word != i);
    after_round();
  }
  return NULL;
}

CHOICE void message_one(void) {
  os_queue_make(&queues[0], 0);
  alone(message_one_body);
}

static void *message_asks(void *unused) {
  (void)unused;
  os_queue_open(&queues[0]);
  os_semaphore_give(&back);
  os_semaphore_take(&opened);
  for (uint32_t i = 0;; i++) {
    before_round();
    MOMENT(begin);
    os_queue_send(&queues[1], i);
    uint32_t word = os_queue_receive(&queues[0]);
    MOMENT(end);
    must(word != i + 1);
    after_round();
  }
  return NULL;
}

static void *message_answers(void *unused) {
  (void)unused;
  os_queue_open(&queues[1]);
  os_semaphore_give(&opened);
  os_semaphore_take(&back);
  for (;;) os_queue_send(&queues[0], os_queue_receive(&queues[1]) + 1);
  return NULL;
}

CHOICE void message_equals(void) { pair(message_asks, message_answers, OS_MIDDLE, 0); }
CHOICE void message_across(void) { pair(message_asks, message_answers, OS_MIDDLE, 1); }

/* Of four words. */
#define MESSAGES_OF_FOUR(name)                                              \
  static os_##name name##_queues[2];                                        \
  static void *name##_one_body(void *unused) {                              \
    (void)unused;                                                           \
    uint32_t got[4];                                                        \
    os_##name##_open(&name##_queues[0]);                                    \
    for (;;) {                                                              \
      before_round();                                                       \
      MOMENT(begin);                                                        \
      os_##name##_send(&name##_queues[0], words);                           \
      os_##name##_receive(&name##_queues[0], got);                          \
      MOMENT(end);                                                          \
      must(got[3] != words[3]);                                             \
      after_round();                                                        \
    }                                                                       \
    return NULL;                                                            \
  }                                                                         \
  static void *name##_asks(void *unused) {                                  \
    (void)unused;                                                           \
    uint32_t got[4];                                                        \
    os_##name##_open(&name##_queues[0]);                                    \
    os_semaphore_give(&back);                                               \
    os_semaphore_take(&opened);                                             \
    for (;;) {                                                              \
      before_round();                                                       \
      MOMENT(begin);                                                        \
      os_##name##_send(&name##_queues[1], words);                           \
      os_##name##_receive(&name##_queues[0], got);                          \
      MOMENT(end);                                                          \
      must(got[3] != words[3]);                                             \
      after_round();                                                        \
    }                                                                       \
    return NULL;                                                            \
  }                                                                         \
  static void *name##_answers(void *unused) {                               \
    (void)unused;                                                           \
    uint32_t got[4];                                                        \
    os_##name##_open(&name##_queues[1]);                                    \
    os_semaphore_give(&opened);                                             \
    os_semaphore_take(&back);                                               \
    for (;;) {                                                              \
      os_##name##_receive(&name##_queues[1], got);                          \
      os_##name##_send(&name##_queues[0], got);                             \
    }                                                                       \
    return NULL;                                                            \
  }                                                                         \
  CHOICE void name##_one(void) {                                            \
    os_##name##_make(&name##_queues[0], 2);                                 \
    alone(name##_one_body);                                                 \
  }                                                                         \
  CHOICE void name##_pair(unsigned cpu) {                                   \
    for (int i = 0; i < 2; i++) os_##name##_make(&name##_queues[i], 2 + i); \
    pair(name##_asks, name##_answers, OS_MIDDLE, cpu);                      \
  }                                                                         \
  CHOICE void name##_equals(void) { name##_pair(0); }                       \
  CHOICE void name##_across(void) { name##_pair(1); }

MESSAGES_OF_FOUR(queue4)
MESSAGES_OF_FOUR(block)

/* --- Mutexes --- */

static os_mutex mutex;

static void *mutex_free_body(void *unused) {
  (void)unused;
  for (;;) {
    before_round();
    MOMENT(begin);
    os_mutex_lock(&mutex);
    os_mutex_unlock(&mutex);
    MOMENT(end);
    after_round();
  }
  return NULL;
}

CHOICE void mutex_free(void) {
  os_mutex_make(&mutex);
  alone(mutex_free_body);
}

/* From the unlock to the next owner, an equal that waits in its lock. It gets the CPU by the yield. */
static void *mutex_handed_body(void *unused) {
  (void)unused;
  for (;;) {
    os_mutex_lock(&mutex);
    MOMENT(end);
    after_round();
    os_yield(); /* so that the other waits */
    before_round();
    MOMENT(begin);
    os_mutex_unlock(&mutex);
    os_yield();
  }
  return NULL;
}

CHOICE void mutex_handed(void) {
  os_mutex_make(&mutex);
  for (unsigned i = 0; i < 2; i++) {
    os_plan(&threads[i], i, OS_MIDDLE, 0, mutex_handed_body);
    os_start(&threads[i], 0);
  }
}

/* --- Threads: created, run to their end, joined --- */

static void *nothing(void *unused) { return unused; }

static void *create_body(void *unused) {
  (void)unused;
  for (;;) {
    before_round();
    MOMENT(begin);
    os_start(&threads[1], 0);
    os_join(&threads[1], 0);
    MOMENT(end);
    after_round();
  }
  return NULL;
}

CHOICE void create_less(void) {
  os_plan(&threads[1], 1, OS_LOW, 0, nothing);
  alone(create_body);
}

CHOICE void create_more(void) {
  os_plan(&threads[1], 1, OS_HIGH, 0, nothing);
  alone(create_body);
}

/* --- Memory --- */

static void *memory_body(void *unused) {
  (void)unused;
  for (;;) {
    before_round();
    MOMENT(begin);
    void *block = os_allocate(128);
    os_release(block);
    MOMENT(end);
    must(!block);
    after_round();
  }
  return NULL;
}

CHOICE void memory(void) { alone(memory_body); }

/* --- An interrupt line, to the most urgent thread, while another one computes. The host raises the line. --- */

static void *line_waits(void *unused) {
  (void)unused;
  os_line_bind(LINE);
  for (;;) {
    os_line_wait(LINE);
    MOMENT(end);
    after_round();
  }
  return NULL;
}

static void *line_computes(void *unused) {
  (void)unused;
  volatile uint32_t value = 1;
  for (;;) {
    for (unsigned i = 0; i < 16; i++) value = value * 1664525u + 1013904223u;
    before_round();
  }
  return NULL;
}

CHOICE void line(void) {
  os_plan(&threads[1], 1, OS_HIGH, 0, line_waits);
  os_start(&threads[1], 0);
  alone(line_computes);
}

static void os_setup(void) { MEASURE(); }
