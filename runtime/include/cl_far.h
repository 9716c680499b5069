/* SPDX-License-Identifier: Apache-2.0
 *
 * The interface between processor 1's loader and a program, and the machine below both. For C and assembly.
 *
 * The last bytes of the local memory are the loader's page. A program is called as cl_start(argument, bytes, page) with
 * a stack below it, and returns its exit status. It may write `program` and `log` of the page, and nothing else of it.
 * The loader's interrupt entry calls tp with the bells that it has taken, if any are enabled; gp is its own. No
 * compiler uses these two. */
#ifndef CL_FAR_H
#define CL_FAR_H

#include "cl_backdoor_regs.h"
#include "cl_machine.h"

#define CL_FAR_LOG_BYTES (CL_BACKDOOR_AREA_BYTES - CL_BACKDOOR_REPORT_BYTES)

#ifndef __ASSEMBLER__
#include <stddef.h>
#include <stdint.h>

struct cl_far_descriptor {
  uint32_t control, memory, block; /* layout descriptor_control of backdoor.toml */
};

struct cl_far_page {
  struct {
    uint32_t result_bytes, result_crc; /* in the up block */
    uint32_t log_bytes, log_lost;
  } program;
  uint32_t report[CL_BACKDOOR_REPORT_BYTES / 4]; /* these two are moved as one */
  char log[CL_FAR_LOG_BYTES];
  uint32_t argument[CL_BACKDOOR_AREA_BYTES / 4]; /* bytes, then itself */
};

#if defined(__riscv)
static inline uint32_t cl_far_read(unsigned offset) {
  return *(const volatile uint32_t *)(CL_BACKDOOR_FAR_BASE + offset);
}
static inline void cl_far_write(unsigned offset, uint32_t word) {
  *(volatile uint32_t *)(CL_BACKDOOR_FAR_BASE + offset) = word;
}
static inline uint32_t cl_far_cycle(void) { return cl_local_read(CL_CYCLE); }
/* Sets the timer's interrupt, this many cycles ahead; 0: never. */
static inline void cl_far_limit(uint32_t cycles) {
  uint32_t high, low;
  do {
    high = cl_local_read(CL_MTIME_HI);
    low = cl_local_read(CL_MTIME_LO);
  } while (high != cl_local_read(CL_MTIME_HI));
  uint64_t at = ((uint64_t)high << 32 | low) + cycles;
  cl_local_write(CL_MTIMECMP_HI, ~0u);
  cl_local_write(CL_MTIMECMP_LO, (uint32_t)at);
  if (cycles) cl_local_write(CL_MTIMECMP_HI, (uint32_t)(at >> 32));
}
static inline uint32_t cl_far_address(const volatile void *local) { return (uint32_t)(uintptr_t)local; }
static inline void *cl_far_pointer(uint32_t address) { return (void *)(uintptr_t)address; }
#else /* a model's */
uint32_t cl_far_read(unsigned offset);
void cl_far_write(unsigned offset, uint32_t word);
uint32_t cl_far_cycle(void);
void cl_far_limit(uint32_t cycles);
uint32_t cl_far_address(const volatile void *local);
void *cl_far_pointer(uint32_t address);
#endif

/* Descriptor of `words` words. */
static inline struct cl_far_descriptor cl_far_move(uint32_t op, uint32_t words, uint32_t memory, uint32_t block) {
  return (struct cl_far_descriptor){op << CL_BACKDOOR_DESCRIPTOR_CONTROL_OP_LSB | words, memory, block};
}

/* Works on `count` descriptors from `list` on. */
static inline void cl_far_dma_start(struct cl_far_descriptor *list, size_t count) {
  list[count - 1].control |= 1u << CL_BACKDOOR_DESCRIPTOR_CONTROL_LAST_LSB;
  uint32_t at = cl_far_address(list);
  __asm__ volatile("" : "+r"(at)::"memory"); /* the list is in the memory now */
  cl_far_write(CL_BACKDOOR_FAR_DMA_LIST, at);
}

/* Until the DMA has nothing to do. CL_BACKDOOR_DMA_ERROR_*. */
static inline uint32_t cl_far_dma_wait(void) {
  uint32_t status;
#pragma clang loop unroll_count(16) /* Ibex fetches from the bus at each jump, which the DMA wants for itself */
  do status = cl_far_read(CL_BACKDOOR_FAR_DMA_STATUS);
  while (status >> CL_BACKDOOR_DMA_STATUS_WORD_BUSY_LSB & CL_BACKDOOR_DMA_STATUS_WORD_BUSY_MASK);
  __asm__ volatile("" ::: "memory");
  cl_far_write(CL_BACKDOOR_FAR_DMA_CLEAR, 0);
  return status >> CL_BACKDOOR_DMA_STATUS_WORD_ERROR_LSB & CL_BACKDOOR_DMA_STATUS_WORD_ERROR_MASK;
}

/* One move, until it is done. */
static inline uint32_t cl_far_dma(uint32_t op, uint32_t words, uint32_t memory, uint32_t block) {
  struct cl_far_descriptor list[1] = {cl_far_move(op, words, memory, block)};
  cl_far_dma_start(list, 1);
  return cl_far_dma_wait();
}
#endif

#endif
