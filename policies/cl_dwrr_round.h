/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
 *
 * The arithmetic of DWRR's rounds: what a thread keeps of them is a number and a remainder. No state, no division, no
 * other header of ours, so that a BPF program can include it (it defines the integer types itself). */
#ifndef CL_DWRR_ROUND_H
#define CL_DWRR_ROUND_H

#ifndef __bpf__
#include <stdbool.h>
#include <stdint.h>
#endif

#define CL_ROUND_UNIT_BITS 10 /* slices and remainders are kept in 1/1024 of the unit of time, see below */
#ifndef CL_ROUND_SPAN
#define CL_ROUND_SPAN 2u /* no thread is in a round above the lowest one + 2, and there it may not run */
#endif

/* Round slice of a weight: weight x B, B being that of weight 1024. Exact in its fine unit: what was rounded off would
 * add up round by round. Holds for B below 2^40. */
static inline int64_t cl_round_slice(uint32_t weight, uint64_t b) { return (int64_t)(weight * b); }

static inline int64_t cl_round_fine(uint64_t time) { return (int64_t)(time << CL_ROUND_UNIT_BITS); }

/* The time in which so much is used up, and a little more. */
static inline uint64_t cl_round_time(int64_t left) {
  return ((uint64_t)left + (1u << CL_ROUND_UNIT_BITS) - 1) >> CL_ROUND_UNIT_BITS;
}

/* Rounds are compared by their difference, so they may wrap. */
static inline bool cl_round_before(uint32_t a, uint32_t b) { return (int32_t)(a - b) < 0; }

/* The slice of this round is used up: what was run over is taken from the next one. */
static inline void cl_round_use_up(uint32_t *round, int64_t *left, int64_t slice) {
  ++*round;
  *left += slice;
}

/* A thread wakes: in a round that is open it has what was left; else it gets a new slice in the round of its CPU, or
 * the first open one. It brings back what it ran over, but nothing that it has not used. */
static inline void cl_round_wake(uint32_t *round, int64_t *left, int64_t slice, uint32_t open, uint32_t of_cpu) {
  if (*left <= 0) cl_round_use_up(round, left, slice);
  if (*round - open <= CL_ROUND_SPAN) return;
  *round = cl_round_before(of_cpu, open) ? open : of_cpu;
  *left = *left > 0 ? slice : *left + slice;
}

#endif
