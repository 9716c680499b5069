/* SPDX-License-Identifier: Apache-2.0 */
/* A streaming decoder of QOI pictures (qoiformat.org): any number of pixels at a time. */
#ifndef QOI_H
#define QOI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct qoi {
  uint32_t width, height; /* pixels, each at least 1 */
  /* The rest is the decoder's own. The last pixel is kept as two words of two 16-bit lanes,
   * red | blue << 16 and green | alpha << 16, so that two channels are computed at once. */
  const uint8_t *next;
  const uint8_t *end; /* of the chunks; at least 8 readable bytes follow */
  uint32_t red_blue, green_alpha;
  uint32_t run; /* how often the last pixel is still to be repeated */
  bool broken;  /* the stream ended before the picture did */
  uint32_t index[64];
};

/* Read the header. False: not a QOI picture, or shorter than header and end mark. */
bool qoi_open(struct qoi *qoi, const uint8_t *data, size_t length);

/* Decode the next `count` pixels; each is red | green << 8 | blue << 16 | alpha << 24.
 * Where the stream ends too early the last pixel is repeated and `broken` set. */
void qoi_decode(struct qoi *qoi, uint32_t *out, size_t count);

#endif
