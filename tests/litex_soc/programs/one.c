/* SPDX-License-Identifier: Apache-2.0 */
/* One CPU: semaphores, a mutex, messages, waits that an interrupt line and a time limit end, preemption by a line and by
 * a slice. */
#include "firmware.h"

enum { LINE = 0, PORT_OF_MAIN = 3 };

static uint32_t stacks_of[3][128];
static uint32_t turns[2], over, mutex, line_semaphore;
static uint32_t total;
static volatile bool urgent_ran, other_ran;

static void play(unsigned self) {
  for (unsigned n = 0; n < 4; n++) {
    wait(turns[self]);
    put((char)('1' + self));
    post(turns[!self]);
  }
  post(over);
}
static void ping(void) { play(0); }
static void pong(void) { play(1); }

/* The other thread runs while this one has read and not yet written. */
static void add(void) {
  for (unsigned n = 0; n < 5; n++) {
    check("lock", operation(CL_OP_MUTEX_LOCK, mutex, 0));
    const uint32_t before = total;
    operation(CL_OP_YIELD, 0, 0);
    total = before + 1;
    check("unlock", operation(CL_OP_MUTEX_UNLOCK, mutex, 0));
  }
  post(over);
}

static void tell(void) {
  for (uint32_t n = 1; n <= 12; n++) send(PORT_OF_MAIN, n * n);
}

static void urgent(void) {
  wait(line_semaphore);
  urgent_ran = true;
  post(over);
}

/* Computes until another thread has set `done`, which gets the CPU by a preemption. */
static void compute(volatile bool *done) {
  enable(PREEMPT);
  __asm__ volatile("csrs mstatus, %0" ::"r"(MIE));
  while (!*done) {}
  __asm__ volatile("csrc mstatus, %0" ::"r"(MIE));
  enable(0);
}

static void first(void) {
  compute(&other_ran);
  post(over);
}
static void second(void) {
  other_ran = true;
  post(over);
}

/* The timer's end is line 0. */
static void start_timer(uint32_t cycles) {
  timer0_en_write(0);
  timer0_reload_write(0);
  timer0_load_write(cycles);
  timer0_en_write(1);
}

void begin_cpu(void) {
  listen();
  turns[0] = made("semaphore", CL_OP_SEMAPHORE_CREATE, 1);
  turns[1] = made("semaphore", CL_OP_SEMAPHORE_CREATE, 0);
  over = made("semaphore", CL_OP_SEMAPHORE_CREATE, 0);
  line_semaphore = made("semaphore", CL_OP_SEMAPHORE_CREATE, 0);
  mutex = made("mutex", CL_OP_MUTEX_CREATE, 0);

  say("turns ");
  start(ping, stacks_of[0], 128, 20);
  start(pong, stacks_of[1], 128, 20);
  wait(over);
  wait(over);

  start(add, stacks_of[0], 128, 20);
  start(add, stacks_of[1], 128, 20);
  wait(over);
  wait(over);
  say("\ntotal ");
  number(total);

  check("open", operation(CL_OP_PORT_OPEN, PORT_OF_MAIN, 0));
  start(tell, stacks_of[0], 128, 20);
  uint32_t sum = 0;
  for (unsigned n = 0; n < 12; n++) sum += receive(PORT_OF_MAIN);
  say("\nsum ");
  number(sum);

  check("bind", operation(CL_OP_INTERRUPT_BIND, LINE, line_semaphore | 1u << CL_BINDING_KIND_LSB));
  const unsigned before = answered[0];
  start_timer(2000);
  wait(line_semaphore);
  say("\nanswers by interrupt ");
  number(answered[0] - before);

  const uint32_t until = coreloom_now_read() + 2000;
  check("limit", operation(CL_OP_TIMEOUT_START, 0, until));
  wait(line_semaphore);
  const uint32_t late = coreloom_now_read() - until;
  say("\nended by its limit ");
  number(operation(CL_OP_TIMEOUT_STOP, 0, 0) & CL_WORD_VALUE_MASK);
  say(late < 1000 ? " in time" : " at a wrong time");

  start(urgent, stacks_of[2], 128, 25);
  operation(CL_OP_YIELD, 0, 0);
  start_timer(2000);
  compute(&urgent_ran);
  wait(over);
  say("\npreempted by a line ");
  number(preempted[0]);

  operation(CL_OP_SLICE, 0, 1);
  start(first, stacks_of[0], 128, 20);
  start(second, stacks_of[1], 128, 20);
  wait(over);
  wait(over);
  say("\nand by a slice ");
  number(preempted[0] - 1);
  put('\n');
  end();
}
