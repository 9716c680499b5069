/* SPDX-License-Identifier: Apache-2.0 */
/* The code of docs/integration.md as it stands there: page.h has its lines for LiteX, threads.h those of section 5. */
#include <generated/csr.h>

#include "page.h"

#include "threads.h"

void begin_cpu(void);
void on_trap(void);

static uint32_t stack[2][256];
static uint32_t turns[2];

static void play(unsigned self) {
  for (unsigned n = 0; n < 4; n++) {
    operation(CL_OP_SEMAPHORE_WAIT, turns[self], 0);
    uart_rxtx_write('1' + self);
    operation(CL_OP_SEMAPHORE_POST, turns[!self], 0);
  }
}
static void ping(void) { play(0); }
static void pong(void) { play(1); }

void on_trap(void) {}

void begin_cpu(void) {
  turns[0] = operation(CL_OP_SEMAPHORE_CREATE, 0, 1) & 0xFFFF;
  turns[1] = operation(CL_OP_SEMAPHORE_CREATE, 0, 0) & 0xFFFF;
  start(ping, stack[0], 256, 20);
  start(pong, stack[1], 256, 20);
  operation(CL_OP_SET_SCHED_PARAM, 0, 1);
  operation(CL_OP_YIELD, 0, 0);
  uart_rxtx_write(4);
}
