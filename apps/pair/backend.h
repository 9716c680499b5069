/* SPDX-License-Identifier: Apache-2.0 */
/* The interface between pair.c and its back end: backdoor.c or shared.c. */
#ifndef PAIR_BACKEND_H
#define PAIR_BACKEND_H

#include <stdint.h>

struct pair_counts {
  uint32_t transfer_cycles; /* cycles in which near moves words */
  uint32_t wait_cycles;     /* cycles in which near waits for far */
  uint32_t words_down, words_up;
};

extern struct pair_counts pair_counts;

void pair_open(void);  /* prepares far, which does not run yet */
void pair_start(void); /* starts pair_far() on far */
void pair_close(void); /* waits until it has ended */

/* Unless error is 0: ends the program with a message. */
void pair_must(int error, const char *what);

#endif
