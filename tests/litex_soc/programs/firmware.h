/* SPDX-License-Identifier: Apache-2.0 */
/* What the programs share: the kernel with its interrupts, and a console. threads.h is the code of docs/integration.md. */
#include <stdbool.h>
#include <stdint.h>

#include <generated/csr.h>
#include <generated/mem.h>

#define CL_KERNEL_BASE CORELOOM_BASE
#include "cl_kernel_shared.h"

#define THREADS CORELOOM_THREADS
#define PORT(op, id) CL_KERNEL_WORD(client(), op, id)
#define LOAD(op, id) load(op, id)
#define MIE 8u /* of mstatus: interrupts are taken */
#define ANSWER (1u << CSR_CORELOOM_EV_ENABLE_ANSWER_OFFSET)
#define PREEMPT (1u << CSR_CORELOOM_EV_ENABLE_PREEMPT_OFFSET)

static volatile bool waits[2]; /* the CPU waits for an answer */
static volatile uint32_t answers[2]; /* which the trap has fetched */
static volatile unsigned answered[2], preempted[2]; /* interrupts taken */

static inline unsigned client(void) {
  unsigned self;
  __asm__ volatile("mv %0, tp" : "=r"(self));
  return self;
}

static void enable(uint32_t events) {
#if CORELOOM_CLIENTS > 1
  if (client()) {
    coreloom_ev1_enable_write(events);
    return;
  }
#endif
  coreloom_ev_enable_write(events);
}

/* Operations are issued with interrupts disabled; an answer that is not there at once comes by its interrupt. */
static uint32_t load(unsigned op, uint32_t id) {
  __asm__ volatile("" ::: "memory");
  uint32_t word = PORT(op, id);
  if (word == CL_KERNEL_PENDING) {
    const unsigned self = client();
    waits[self] = true;
    enable(ANSWER);
    __asm__ volatile("csrs mstatus, %0" ::"r"(MIE));
    while (waits[self]) {}
    __asm__ volatile("csrc mstatus, %0" ::"r"(MIE));
    enable(0);
    word = answers[self];
  }
  __asm__ volatile("" ::: "memory");
  return word;
}

#include "threads.h"

void on_trap(uint32_t cause);
void begin_cpu(void);

static void put(char byte) {
  while (uart_txfull_read()) {}
  uart_rxtx_write((uint8_t)byte);
}

static void say(const char *text) {
  while (*text) put(*text++);
}

static void number(uint32_t value) {
  if (value > 9) number(value / 10);
  put((char)('0' + value % 10));
}

static void end(void) {
  put(4);
  for (;;) {}
}

/* An interrupt of the kernel; any other trap ends the program. */
void on_trap(uint32_t cause) {
  const unsigned self = client();
  if (cause != 0x8000000Bu) {
    say("trap ");
    number(cause);
    end();
  }
  if (waits[self]) {
    answers[self] = PORT(CL_KERNEL_RESULT, 0);
    waits[self] = false;
    answered[self]++;
    return;
  }
  preempted[self]++;
  const uint32_t word0 = PORT(CL_OP_WORD0, 0); /* of the thread that was interrupted */
  enable(0);
  operation(CL_OP_PREEMPT, 0, 0);
  enable(PREEMPT);
  PORT(CL_OP_WORD0, 0) = word0;
}

/* The CPU's interrupt of the kernel alone. */
static void listen(void) {
#if CORELOOM_CLIENTS > 1
  const uint32_t mask = 1u << (client() ? CORELOOM1_INTERRUPT : CORELOOM_INTERRUPT);
#else
  const uint32_t mask = 1u << CORELOOM_INTERRUPT;
#endif
  __asm__ volatile("csrw 0xBC0, %0" ::"r"(mask)); /* VexRiscv's mask of the SoC's interrupts */
  __asm__ volatile("csrw mie, %0" ::"r"(0x800));
}

static void check(const char *what, uint32_t word) {
  const uint32_t status = word >> CL_WORD_STATUS_LSB & CL_WORD_STATUS_MASK;
  if (!status) return;
  say(what);
  say(": error ");
  number(status);
  end();
}

static uint32_t made(const char *what, unsigned op, uint32_t argument) {
  const uint32_t word = operation(op, 0, argument);
  check(what, word);
  return word & CL_WORD_VALUE_MASK;
}

static void post(uint32_t semaphore) { check("post", operation(CL_OP_SEMAPHORE_POST, semaphore, 0)); }
static void wait(uint32_t semaphore) { check("wait", operation(CL_OP_SEMAPHORE_WAIT, semaphore, 0)); }

/* A message is taken by the load after which the thread has not waited. */
static uint32_t receive(uint32_t port) {
  while (operation(CL_OP_PORT_RECEIVE, port, 0) >> CL_WORD_RESUMED_LSB) {}
  return PORT(CL_OP_WORD0, 0);
}
static void send(uint32_t port, uint32_t message) {
  while (operation(CL_OP_PORT_SEND, port, message) >> CL_WORD_RESUMED_LSB) {}
}
