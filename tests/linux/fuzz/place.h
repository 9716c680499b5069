/* SPDX-License-Identifier: Apache-2.0
 *
 * Where targets run: a folder in memory that they may not leave, and memory that is counted. */
#ifndef FUZZ_PLACE_H
#define FUZZ_PLACE_H

#include <stddef.h>

void fuzz_place_begin(void);
void fuzz_place_enter(void); /* from now on this process may not leave it */
void fuzz_place_end(void);
size_t fuzz_allocated(void);
extern unsigned char fuzz_fill; /* new memory is filled with it, where that can be had */

#endif
