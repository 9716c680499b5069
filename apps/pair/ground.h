/* SPDX-License-Identifier: Apache-2.0 */
/* What pair.c needs of a ground: backdoor.c or shared.c. */
#ifndef PAIR_GROUND_H
#define PAIR_GROUND_H

#include <stdint.h>

struct pair_counts {
  uint32_t transfer_cycles; /* of near, in which it moves words */
  uint32_t wait_cycles;     /* of near, in which it waits for far */
  uint32_t words_down, words_up;
};

extern struct pair_counts pair_counts;

void pair_open(void);  /* makes all ready for far, which does not run yet */
void pair_start(void); /* far runs pair_far() */
void pair_close(void); /* waits until that has ended */

/* Ends the program with a line of text unless error is 0. */
void pair_must(int error, const char *what);

#endif
