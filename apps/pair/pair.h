/* SPDX-License-Identifier: Apache-2.0 */
/* Work for two processors, near and far, in one source.
 *
 * near is the one that the program runs on. Behind a Back-Door far has its own memory: what is handed over is copied.
 * With shared memory far is a second thread: a pointer is handed over, nothing is copied.
 * Both hold if a side leaves alone what it has handed over until that comes back, and goes on with the pointer that
 * it receives. Any failure ends the program with a line of text. */
#ifndef PAIR_H
#define PAIR_H

#include <stddef.h>
#include <stdint.h>

/* --- What the program has; PAIR_SIZE is its size ------------------------------------------------------------ */

void pair_prepare(void);   /* near: makes the input anew; not measured */
uint32_t pair_alone(void); /* near: all of the work; returns the cycles of it that the two do not share */
void pair_near(void);      /* the part of near in the work of both */
void pair_far(void);       /* and of far */

/* --- What it uses; data are whole words ----------------------------------------------------------------------- */

void pair_to_far(void *data, size_t bytes);
void pair_to_near(void *data, size_t bytes);
/* Wait for what the other side handed over, `bytes` as there. Where it is: in `room`, or where it was. */
void *pair_from_far(void *room, size_t bytes);
void *pair_from_near(void *room, size_t bytes);

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
