/* SPDX-License-Identifier: Apache-2.0 */
/* Work for two processors, near and far, in one source.
 *
 * near runs the program. Behind a Back-Door far has its own memory: data are copied. With shared memory far is a second
 * thread: only a pointer is passed.
 * A program works with both if a side does not touch data it has passed on until they come back, and continues with the
 * pointer that it receives. Any failure ends the program with a message. */
#ifndef PAIR_H
#define PAIR_H

#include <stddef.h>
#include <stdint.h>

/* --- Defined by the program; PAIR_SIZE is its size ---------------------------------------------------------- */

void pair_prepare(void);   /* near: generates the input again; not measured */
uint32_t pair_alone(void); /* near: all of the work; returns the cycles of the part that is not split */
void pair_near(void);      /* near's part of the split work */
void pair_far(void);       /* far's part */

/* --- Provided to it; data are whole words --------------------------------------------------------------------- */

void pair_to_far(void *data, size_t bytes);
void pair_to_near(void *data, size_t bytes);
/* Wait for `bytes` from the other side. Returns their address: `room`, or the sender's memory. */
void *pair_from_far(void *room, size_t bytes);
void *pair_from_near(void *room, size_t bytes);

/* Declares what near passes on, not what it has room in. */
#if CL_BACKDOOR && PAIR_WINDOW
#define PAIR_SHARED __attribute__((section(".bss.window"), aligned(4)))
#else
#define PAIR_SHARED
#endif

/* near: adds a part to the result of pair_alone or pair_near; it stays until these have returned. */
void pair_result(const void *data, size_t bytes);

uint32_t pair_cycle(void); /* near: free running */

/* The next number of a fixed sequence (xorshift); state begins with anything but 0. */
static inline uint32_t pair_random(uint32_t *state) {
  *state ^= *state << 13;
  *state ^= *state >> 17;
  *state ^= *state << 5;
  return *state;
}

#endif
