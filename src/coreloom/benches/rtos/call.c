/* SPDX-License-Identifier: Apache-2.0
 *
 * What a call that may wait takes, -DMEASURE=name of them, ROUNDS rounds each:
 *   free_begin to free_end  the call finds what it wants
 *   calls to goes_on        it must wait: until the CPU's next thread continues
 *   gives to returns        it waits: from the release until it returns
 * The waiting thread is more urgent than the one that releases. -DACROSS=1: it is on CPU 1, the other one on CPU 0. */
#define OS_LINES
#include "os.h"

#ifndef ACROSS
#define ACROSS 0
#endif
#define LINE 1 /* has no pin that the host moves */
/* Cycles in which a thread on another CPU comes to wait, whichever kernel. */
#ifdef CL_CORE_ECONOMY
#define COMES_TO_WAIT 30000
#else
#define COMES_TO_WAIT 8000
#endif

/* Objects are in twos: 0 of the calls that find what they want, 1 of those that wait. */
enum { FREE, WAITS };

static struct os_thread waiter, giver, thirds[2];
static os_semaphore ready, start, semaphores[2];
static os_mutex mutexes[2];
static os_queue queues[2];
static os_block blocks[2];

/* One kind of call; what is NULL is not needed. By the thread that waits: open, stock, before, take, after. By the one
 * that releases: own, hold, give. */
struct call {
  void (*make)(unsigned which);   /* its objects, before there are threads */
  void (*open)(unsigned which);   /* once */
  void (*own)(void);              /* once */
  void (*stock)(void);            /* what the call wants is there */
  void (*hold)(void);             /* it is not */
  void (*before)(unsigned which); /* right before the call */
  void (*take)(unsigned which);   /* the call */
  void (*give)(void);             /* what it waits for; has the moment `gives` */
  void (*after)(unsigned which);
};

/* --- Semaphores --- */

CL_INLINE void semaphore_make(unsigned which) { os_semaphore_make(&semaphores[which], 0); }
CL_INLINE void semaphore_stock(void) { os_semaphore_give(&semaphores[FREE]); }
CL_INLINE void semaphore_take(unsigned which) { os_semaphore_take(&semaphores[which]); }
CL_INLINE void semaphore_timed(unsigned which) { os_semaphore_timed(&semaphores[which]); }
CL_INLINE void semaphore_give(void) {
  MOMENT(gives);
  os_semaphore_give(&semaphores[WAITS]);
}

CHOICE const struct call sem_wait_ = {
    .make = semaphore_make, .stock = semaphore_stock, .take = semaphore_take, .give = semaphore_give};
CHOICE const struct call sem_timedwait_ = {
    .make = semaphore_make, .stock = semaphore_stock, .take = semaphore_timed, .give = semaphore_give};

/* --- Mutexes --- */

CL_INLINE void mutex_make(unsigned which) { os_mutex_make(&mutexes[which]); }
CL_INLINE void mutex_hold(void) { os_mutex_lock(&mutexes[WAITS]); }
CL_INLINE void mutex_take(unsigned which) { os_mutex_lock(&mutexes[which]); }
CL_INLINE void mutex_timed(unsigned which) { os_mutex_timed(&mutexes[which]); }
CL_INLINE void mutex_give(void) {
  MOMENT(gives);
  os_mutex_unlock(&mutexes[WAITS]);
}
CL_INLINE void mutex_after(unsigned which) { os_mutex_unlock(&mutexes[which]); }

CHOICE const struct call mutex_lock_ = {
    .make = mutex_make, .hold = mutex_hold, .take = mutex_take, .give = mutex_give, .after = mutex_after};
CHOICE const struct call mutex_timedlock_ = {
    .make = mutex_make, .hold = mutex_hold, .take = mutex_timed, .give = mutex_give, .after = mutex_after};

/* --- Condition variables: such a call always waits --- */

#ifdef OS_CONDITIONS
static os_condition condition;

CL_INLINE void condition_make(unsigned which) {
  if (which == WAITS) os_condition_make(&condition);
  os_mutex_make(&mutexes[which]);
}
CL_INLINE void condition_before(unsigned which) { os_mutex_lock(&mutexes[which]); }
CL_INLINE void condition_take(unsigned which) { os_condition_wait(&condition, &mutexes[which]); }
CL_INLINE void condition_timed(unsigned which) { os_condition_timed(&condition, &mutexes[which]); }
CL_INLINE void condition_give(void) {
  MOMENT(gives);
  os_condition_signal(&condition);
}

CHOICE const struct call cond_wait_ = {.make = condition_make,
                                       .before = condition_before,
                                       .take = condition_take,
                                       .give = condition_give,
                                       .after = mutex_after};
CHOICE const struct call cond_timedwait_ = {.make = condition_make,
                                            .before = condition_before,
                                            .take = condition_timed,
                                            .give = condition_give,
                                            .after = mutex_after};
#endif

/* --- Messages of one word; a send waits while the queue is full --- */

CL_INLINE void queue_make(unsigned which) { os_queue_make(&queues[which], (int)which); }
CL_INLINE void queue_open(unsigned which) { os_queue_open(&queues[which]); }
CL_INLINE void queue_open_free(unsigned which) {
  if (which == FREE) os_queue_open(&queues[FREE]);
}
CL_INLINE void queue_own(void) { os_queue_open(&queues[WAITS]); }
CL_INLINE void queue_stock(void) { os_queue_send(&queues[FREE], 1); }
CL_INLINE void queue_fill(unsigned which) {
  while (which == WAITS && !os_queue_try(&queues[WAITS], 1)) {}
}
CL_INLINE void queue_send(unsigned which) { os_queue_send(&queues[which], 1); }
CL_INLINE void queue_send_timed(unsigned which) { os_queue_send_timed(&queues[which], 1); }
CL_INLINE void queue_receive(unsigned which) { must(os_queue_receive(&queues[which]) != 1); }
CL_INLINE void queue_receive_timed(unsigned which) { must(os_queue_receive_timed(&queues[which]) != 1); }
CL_INLINE void queue_give_room(void) {
  MOMENT(gives);
  queue_receive(WAITS);
}
CL_INLINE void queue_give_word(void) {
  MOMENT(gives);
  os_queue_send(&queues[WAITS], 1);
}
CL_INLINE void queue_empty(unsigned which) {
  if (which == FREE) queue_receive(FREE);
}

#define SENDING(call)       \
  {.make = queue_make,      \
   .open = queue_open_free, \
   .own = queue_own,        \
   .before = queue_fill,    \
   .take = call,            \
   .give = queue_give_room, \
   .after = queue_empty}
#define RECEIVING(call) \
  {.make = queue_make, .open = queue_open, .stock = queue_stock, .take = call, .give = queue_give_word}

CHOICE const struct call send_ = SENDING(queue_send);
CHOICE const struct call timedsend_ = SENDING(queue_send_timed);
CHOICE const struct call receive_ = RECEIVING(queue_receive);
CHOICE const struct call timedreceive_ = RECEIVING(queue_receive_timed);

/* --- Messages of four words --- */

CL_INLINE void block_make(unsigned which) { os_block_make(&blocks[which], (int)which); }
CL_INLINE void block_open(unsigned which) { os_block_open(&blocks[which]); }
CL_INLINE void block_open_free(unsigned which) {
  if (which == FREE) os_block_open(&blocks[FREE]);
}
CL_INLINE void block_own(void) { os_block_open(&blocks[WAITS]); }
CL_INLINE void block_send(unsigned which) {
  static const uint32_t words[4] = {1, 2, 3, 4};
  os_block_send(&blocks[which], words);
}
CL_INLINE void block_receive(unsigned which) {
  uint32_t words[4];
  os_block_receive(&blocks[which], words);
  must(words[3] != 4);
}
CL_INLINE void block_stock(void) { block_send(FREE); }
CL_INLINE void block_fill(unsigned which) {
  static const uint32_t words[4] = {1, 2, 3, 4};
  while (which == WAITS && !os_block_try(&blocks[WAITS], words)) {}
}
CL_INLINE void block_give_room(void) {
  MOMENT(gives);
  block_receive(WAITS);
}
CL_INLINE void block_give_words(void) {
  MOMENT(gives);
  block_send(WAITS);
}
CL_INLINE void block_empty(unsigned which) {
  if (which == FREE) block_receive(FREE);
}

CHOICE const struct call send_block_ = {.make = block_make,
                                        .open = block_open_free,
                                        .own = block_own,
                                        .before = block_fill,
                                        .take = block_send,
                                        .give = block_give_room,
                                        .after = block_empty};
CHOICE const struct call receive_block_ = {
    .make = block_make, .open = block_open, .stock = block_stock, .take = block_receive, .give = block_give_words};

/* --- Threads: a third one, which ends --- */

static void *ends_at_once(void *unused) { return unused; }

static void *ends_when_told(void *unused) {
  os_semaphore_take(&semaphores[WAITS]);
  MOMENT(gives);
  return unused;
}

CL_INLINE void thread_stock(void) {
  os_plan(&thirds[FREE], 2, OS_HIGH + 1, ACROSS, ends_at_once);
  os_start(&thirds[FREE], 0);
}
CL_INLINE void thread_hold(void) {
  os_plan(&thirds[WAITS], 3, OS_MIDDLE, 0, ends_when_told);
  os_start(&thirds[WAITS], 0);
  os_joined_by(&thirds[WAITS], &waiter);
}
CL_INLINE void thread_take(unsigned which) { os_join(&thirds[which], ACROSS && which == WAITS); }
CL_INLINE void thread_give(void) { os_semaphore_give(&semaphores[WAITS]); }

CHOICE const struct call join_ = {
    .make = semaphore_make, .stock = thread_stock, .hold = thread_hold, .take = thread_take, .give = thread_give};

/* --- Interrupts: a line, raised by software --- */

#ifdef OS_LINES_BY_SOFTWARE
CL_INLINE void line_open(unsigned which) {
  if (which == FREE) os_line_bind(LINE);
}
CL_INLINE void line_stock(void) { os_line_raise(LINE); }
CL_INLINE void line_take(unsigned which) {
  (void)which;
  os_line_wait(LINE);
}
CL_INLINE void line_give(void) {
  MOMENT(gives);
  os_line_raise(LINE);
}

CHOICE const struct call interrupt_wait_ = {
    .open = line_open, .stock = line_stock, .take = line_take, .give = line_give};
#endif

/* --- The two threads --- */

#define CALL (JOINED(MEASURE, _))

static void *waits(void *unused) {
  (void)unused;
  for (unsigned which = FREE; which <= WAITS; which++)
    if (CALL.open) CALL.open(which);
  /* A call that cannot be stocked and need not be held back always waits. */
  for (uint32_t i = 0; i < ROUNDS && (CALL.stock || CALL.hold || CALL.own); i++) {
    if (CALL.stock) CALL.stock();
    if (CALL.before) CALL.before(FREE);
    before_round();
    MOMENT(free_begin);
    CALL.take(FREE);
    MOMENT(free_end);
    if (CALL.after) CALL.after(FREE);
  }
  os_semaphore_give(&ready);
  for (;;) {
    os_semaphore_take(&start);
    if (CALL.before) CALL.before(WAITS);
    before_round();
    MOMENT(calls);
    CALL.take(WAITS);
    MOMENT(returns);
    if (CALL.after) CALL.after(WAITS);
  }
  return NULL;
}

/* So that the rounds begin at different distances from what the other CPU does. */
CL_INLINE void pause(uint32_t cycles) {
  for (uint32_t since = cl_cycle(); cl_cycle() - since < cycles;) {}
}

static void *gives(void *unused) {
  (void)unused;
  if (CALL.own) CALL.own();
  os_semaphore_take(&ready);
  for (uint32_t round = 0;; round++) {
    if (CALL.hold) CALL.hold();
    os_semaphore_give(&start);
    MOMENT(goes_on);
    if (ACROSS) pause(COMES_TO_WAIT + (round & 7));
    before_round();
    CALL.give();
    if (ACROSS) pause(COMES_TO_WAIT);
    after_round();
  }
  return NULL;
}

static void os_setup(void) {
  os_semaphore_make(&ready, 0);
  os_semaphore_make(&start, 0);
  for (unsigned which = FREE; which <= WAITS && CALL.make; which++) CALL.make(which);
  os_plan(&waiter, 0, OS_HIGH, ACROSS, waits);
  os_plan(&giver, 1, OS_LOW, 0, gives);
  os_start(&waiter, 0);
  os_start(&giver, 0);
}
