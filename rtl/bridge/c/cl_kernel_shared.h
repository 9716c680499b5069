/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CL_KERNEL_SHARED_H
#define CL_KERNEL_SHARED_H
/*
 * The hardware kernel behind one port that never blocks (cl_kernel_shared_wb, cl_kernel_shared_axil).
 *
 * Define CL_KERNEL_BASE, its address, first. A word is of a client, an operation of cl_kernel_ops.h or one of the two
 * below, and an object.
 */
#include <stdint.h>

#include "cl_kernel_ops.h"

#define CL_KERNEL_WORD(client, op, id)                                                                       \
  (*(volatile uint32_t *)((uint32_t)(CL_KERNEL_BASE) + ((uint32_t)(client) << 20) + ((uint32_t)(op) << 12) + \
                          ((uint32_t)(id) << 2)))

/* The answer of an operation that takes longer; RESULT then has the word, and until then PENDING. */
#define CL_KERNEL_PENDING (1u << 29)
#define CL_KERNEL_RESULT 0xFFu /* load: the client's word; no other access of that client is allowed before it */
#define CL_KERNEL_STATE 0xFEu /* load: bit n, client n has a word in RESULT; bit 16 + n, it is to come */

/* The word of an operation, asked for until it is there. */
static inline uint32_t cl_kernel_load(unsigned client, unsigned op, uint32_t id) {
  __asm__ volatile("" ::: "memory");
  uint32_t word = CL_KERNEL_WORD(client, op, id);
  while (word == CL_KERNEL_PENDING) word = CL_KERNEL_WORD(client, CL_KERNEL_RESULT, 0);
  __asm__ volatile("" ::: "memory");
  return word;
}

#endif /* CL_KERNEL_SHARED_H */
