/* SPDX-License-Identifier: Apache-2.0 */
#include "smooth.h"

/* Red and blue are computed in one word, green in another: no sum (at most 16 * 255) leaves its lane. */
#define RED_BLUE 0x00FF00FFu
#define GREEN 0x0000FF00u

static inline uint32_t column(uint32_t above, uint32_t row, uint32_t below, uint32_t lanes) {
  return (above & lanes) + (below & lanes) + ((row & lanes) << 1);
}

/* Not inlined: between the services of its caller the compiler has too few registers for the loop. */
__attribute__((noinline)) void smooth(struct smooth *state, const uint32_t *above, const uint32_t *row,
                                      const uint32_t *below, uint32_t *out, uint32_t first, uint32_t end) {
  struct smooth s = *state;
  if (first == 1) {
    s.red_blue = column(above[1], row[1], below[1], RED_BLUE);
    s.green = column(above[1], row[1], below[1], GREEN);
    s.red_blue_pair = s.red_blue + column(above[0], row[0], below[0], RED_BLUE);
    s.green_pair = s.green + column(above[0], row[0], below[0], GREEN);
  }
  above += first;
  row += first;
  below += first;
  out += first;
  for (uint32_t *const stop = out + (end - first); out != stop; ++out) {
    /* left + 2 mid + right = (left + mid) + (mid + right): the second is the next pixel's first. */
    const uint32_t a = *++above, r = *++row, b = *++below;
    const uint32_t red_blue = column(a, r, b, RED_BLUE);
    const uint32_t green = column(a, r, b, GREEN);
    const uint32_t red_blue_pair = s.red_blue + red_blue;
    const uint32_t green_pair = s.green + green;
    *out = ((s.red_blue_pair + red_blue_pair + 0x00080008u) >> 4 & RED_BLUE) |
           ((s.green_pair + green_pair + 0x00000800u) >> 4 & GREEN);
    s = (struct smooth){red_blue, green, red_blue_pair, green_pair};
  }
  *state = s;
}
