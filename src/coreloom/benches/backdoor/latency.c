/* SPDX-License-Identifier: Apache-2.0
 *
 * What a doorbell of the Back-Door takes, from the store that rings it to the first instruction of the handler; and
 * how long its DMA is busy with a stream each way.
 *
 * Input: how many rounds. Output: DMA cycles of WORDS down, of WORDS up, of processor 1.
 * Moments: down_begin (processor 0), down_end (processor 1), then up_begin, up_end, once in every round each, a cycle
 * later against the other side each time. An end is behind its handler's first instruction.
 * src/coreloom/benches/backdoor/latency.py reads them.
 * Who waits has a loop that looks at its memory only. */
#include <coreloom.h>
#include <coreloom_far.h>
#include <stdint.h>
#include <stdlib.h>

#include "cl_backdoor_regs.h"
#include "cl_machine.h"
#include "../moment.h"

#define BELL 2u /* of the program: bell 1 */
#define PAUSE 2000u /* cycles: all that comes before a round is over */
#define RING(name, base, offset) \
  __asm__ volatile("nop\n" LABEL(name) "sw %1, 0(%0)\n" ::"r"((base) + (offset)), "r"(BELL) : "memory")

#define WORDS 4096u /* of a stream; as in backdoor_latency.py */

static volatile uint32_t rang;
static uint32_t words[WORDS];

CL_INLINE void wait_for_bell(void) {
  while (!rang) {}
  rang = 0;
}

/* --- Processor 1 --- */

static void on_down(uint32_t bells) {
  MOMENT(down_end);
  rang = bells;
}

static uint32_t dma_cycles(void) { return *(volatile uint32_t *)(CL_BACKDOOR_FAR_BASE + CL_BACKDOOR_FAR_DMA_CYCLES); }

int far_main(const void *argument, size_t bytes) {
  uint32_t rounds = bytes ? *(const uint32_t *)argument : 0;
  far_bell_handler(on_down);
  for (uint32_t round = 0; round < rounds; round++) {
    far_post(round); /* ready */
    wait_for_bell();
  }
  for (uint32_t round = 0; round < rounds; round++) {
    uint32_t start, now = far_cycle();
    while (far_take(&start)) {}
    while (far_cycle() - now < PAUSE + round) {}
    RING("up_begin", CL_BACKDOOR_FAR_BASE, CL_BACKDOOR_FAR_BELL_RING);
  }
  uint32_t begin = dma_cycles(), cycles[2];
  if (far_receive(words, sizeof words)) return 1;
  cycles[0] = dma_cycles() - begin;
  begin = dma_cycles();
  if (far_send(words, sizeof words)) return 1;
  cycles[1] = dma_cycles() - begin;
  return far_result(cycles, sizeof cycles);
}

/* --- Processor 0 --- */

CL_INLINE void must(int error) {
  if (error) exit(error);
}

static void on_up(uint32_t bells) {
  MOMENT(up_end);
  rang = bells;
}

int main(void) {
  size_t bytes;
  uint32_t rounds = *(const uint32_t *)cl_input(&bytes);
  must(remote_load(remote_image, remote_image_bytes));
  must(remote_start(&rounds, sizeof rounds, 0));
  for (uint32_t round = 0; round < rounds; round++) {
    uint32_t ready, now;
    while (remote_take(&ready)) {}
    now = cl_cycle();
    while (cl_cycle() - now < PAUSE + round) {}
    RING("down_begin", CL_BACKDOOR_NEAR_BASE, CL_BACKDOOR_NEAR_BELL_RING);
  }
  must(remote_bell_handler_np(on_up));
  for (uint32_t round = 0; round < rounds; round++) {
    must(remote_post(round));
    wait_for_bell();
  }
  must(remote_bell_handler_np(NULL));
  must(remote_send(words, sizeof words));
  must(remote_receive(words, sizeof words));
  must(remote_wait());
  must(remote_result(cl_output(&bytes), 2 * sizeof(uint32_t), &bytes));
  cl_output_set_length(bytes);
  return 0;
}
