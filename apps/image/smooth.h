/* SPDX-License-Identifier: Apache-2.0 */
/* The filter: 3x3 convolution with the Gaussian kernel 1 2 1 / 2 4 2 / 1 2 1, divided by 16, halves rounded up. */
#ifndef SMOOTH_H
#define SMOOTH_H

#include <stdint.h>

/* Where one row's filter stands between two calls. */
struct smooth {
  uint32_t red_blue, green;           /* sum of the last column */
  uint32_t red_blue_pair, green_pair; /* sum of the last two columns */
};

/* Filter the pixels first .. end-1 of `row` (1 <= first, end < width of the row) into `out`; `above` and `below` are
 * its neighbours; all are starts of rows. Calls for one row go from left to right without gaps, the first with
 * first == 1. Pixels are red | green << 8 | blue << 16; the upper byte is not looked at, and is 0 in `out`. */
void smooth(struct smooth *state, const uint32_t *above, const uint32_t *row, const uint32_t *below, uint32_t *out,
            uint32_t first, uint32_t end);

#endif
