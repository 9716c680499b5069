/* SPDX-License-Identifier: Apache-2.0
 *
 * Cycles of an operation on the kernel port, as the core sees them: MARK events with the cycles of 16 and of 32
 * loads of `self`. Hardware kernel only. */
#include "cl_kernel.h"
#include "coreloom.h"

#define LOAD "lw %0, 0(%1)\n"
#define LOADS_16 LOAD LOAD LOAD LOAD LOAD LOAD LOAD LOAD LOAD LOAD LOAD LOAD LOAD LOAD LOAD LOAD
/* Twice: the second time the instructions are in the cache. */
#define CYCLES(loads)                                             \
  for (int time = 0; time < 2; time++) {                          \
    uint32_t before = cl_cycle();                                 \
    __asm__ volatile(loads : "=&r"(self) : "r"(port) : "memory"); \
    cycles = cl_cycle() - before;                                 \
  }

int main(void) {
  volatile uint32_t *port = cl_port(CL_OP_SELF, 0);
  uint32_t self, cycles = 0;
  CYCLES(LOADS_16)
  cl_mark(cycles);
  CYCLES(LOADS_16 LOADS_16)
  cl_mark(cycles);
  return (int)self;
}
