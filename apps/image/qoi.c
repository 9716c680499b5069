/* SPDX-License-Identifier: Apache-2.0 */
#include "qoi.h"

#define HEADER_BYTES 14
#define END_MARK_BYTES 8
#define LANES 0x00FF00FFu

static uint32_t big_endian_32(const uint8_t *p) {
  return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

bool qoi_open(struct qoi *qoi, const uint8_t *data, size_t length) {
  if (length < HEADER_BYTES + END_MARK_BYTES || big_endian_32(data) != 0x716F6966u /* "qoif" */) {
    return false;
  }
  qoi->width = big_endian_32(data + 4);
  qoi->height = big_endian_32(data + 8);
  qoi->next = data + HEADER_BYTES;
  qoi->end = data + length - END_MARK_BYTES;
  qoi->red_blue = 0;
  qoi->green_alpha = 255u << 16;
  qoi->run = 0;
  qoi->broken = false;
  for (unsigned i = 0; i < 64; ++i) {
    qoi->index[i] = 0;
  }
  return qoi->width != 0 && qoi->height != 0;
}

/* Not inlined: between the services of its caller the compiler has too few registers for the loop. */
__attribute__((noinline)) void qoi_decode(struct qoi *qoi, uint32_t *out, size_t count) {
  const uint8_t *next = qoi->next;
  const uint8_t *const end = qoi->end;
  uint32_t *const index = qoi->index;
  uint32_t *const stop = out + count;
  uint32_t rb = qoi->red_blue;
  uint32_t ga = qoi->green_alpha;
  uint32_t run = qoi->run;

  while (out != stop) {
    if (run != 0) {
      const uint32_t pixel = rb | ga << 8;
      do {
        *out++ = pixel;
      } while (--run != 0 && out != stop);
      continue;
    }
    if (next >= end) {
      qoi->broken = true;
      run = UINT32_MAX;
      continue;
    }
    const uint32_t op = *next++;
    if (op < 0x40) { /* a pixel of the index */
      const uint32_t pixel = index[op];
      rb = pixel & LANES;
      ga = pixel >> 8 & LANES;
      *out++ = pixel;
      continue;
    }
    /* Differences are added with a bias of 256, so that no lane borrows from its neighbour. */
    if (op < 0x80) { /* small differences */
      rb = (rb + (op >> 4 & 3) + ((op & 3) << 16) + (254u | 254u << 16)) & LANES;
      ga = (ga + (op >> 2 & 3) + 254u) & LANES;
    } else if (op < 0xC0) { /* green difference, and the others relative to it */
      const uint32_t others = *next++;
      const uint32_t green = op + (256u - 0x80u - 32u);
      const uint32_t both = green + (256u - 8u);
      rb = (rb + (both | both << 16) + (others >> 4) + ((others & 15) << 16)) & LANES;
      ga = (ga + green) & LANES;
    } else if (op < 0xFE) {
      run = op - 0xC0 + 1;
      continue;
    } else { /* the whole pixel */
      rb = next[0] | (uint32_t)next[2] << 16;
      ga = (ga & 0x00FF0000u) | next[1];
      next += 3;
      if (op == 0xFF) {
        ga = (ga & 0xFFu) | (uint32_t)*next++ << 16;
      }
    }
    /* 3 red + 5 green + 7 blue + 11 alpha, modulo 64: each product has its sum in the upper half. */
    const uint32_t hash = (rb * 0x00030007u + ga * 0x0005000Bu) >> 16 & 63;
    const uint32_t pixel = rb | ga << 8;
    index[hash] = pixel;
    *out++ = pixel;
  }
  qoi->next = next;
  qoi->red_blue = rb;
  qoi->green_alpha = ga;
  qoi->run = run;
}
