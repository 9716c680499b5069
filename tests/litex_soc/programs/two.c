/* SPDX-License-Identifier: Apache-2.0 */
/* Two CPUs: threads on both take turns, lock a mutex and send messages; each wait ends by the other CPU. */
#include "firmware.h"

enum { PORT_OF_MAIN = 3, ROUNDS = 20 };

static uint32_t stack_of_other[256];
static uint32_t turns[2], mutex;
static volatile uint32_t total, rounds;

static void add(void) {
  for (unsigned n = 0; n < ROUNDS; n++) {
    check("lock", operation(CL_OP_MUTEX_LOCK, mutex, 0));
    total = total + 1;
    check("unlock", operation(CL_OP_MUTEX_UNLOCK, mutex, 0));
  }
}

static void play(unsigned self) {
  for (unsigned n = 0; n < ROUNDS; n++) {
    wait(turns[self]);
    rounds = rounds + 1;
    post(turns[!self]);
  }
}

static void other(void) {
  send(PORT_OF_MAIN, client());
  play(1);
  add();
  for (uint32_t n = 1; n <= 30; n++) send(PORT_OF_MAIN, n * n);
}

void begin_cpu(void) {
  static uint32_t *idle;
  listen();
  if (client()) { /* runs nothing: it waits for a thread, and never comes back here */
    exchange(&idle, stacks[load(CL_OP_NEXT, 0) & CL_WORD_VALUE_MASK]);
  }
  turns[0] = made("semaphore", CL_OP_SEMAPHORE_CREATE, 1);
  turns[1] = made("semaphore", CL_OP_SEMAPHORE_CREATE, 0);
  mutex = made("mutex", CL_OP_MUTEX_CREATE, 0);
  check("open", operation(CL_OP_PORT_OPEN, PORT_OF_MAIN, 0));
  start(other, stack_of_other, 256, 20 | 1u << CL_ATTRIBUTES_STATIC_LSB | 1u << CL_ATTRIBUTES_CPU_LSB);

  say("the other CPU is ");
  number(receive(PORT_OF_MAIN));
  play(0);
  wait(turns[0]);
  say("\nrounds ");
  number(rounds);
  add();
  uint32_t sum = 0;
  for (unsigned n = 0; n < 30; n++) sum += receive(PORT_OF_MAIN);
  say("\ntotal ");
  number(total);
  say("\nsum ");
  number(sum);
  say(answered[0] && answered[1] ? "\nboth have taken interrupts\n" : "\ninterrupts are missing\n");
  end();
}
