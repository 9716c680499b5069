/* SPDX-License-Identifier: Apache-2.0 */
#include "jobs.h"

#include <errno.h>
#include <hwt_units.h>

static void *result(uint32_t value) { return (void *)(uintptr_t)value; }

/* --- CRC-32: a table, a byte at a time ----------------------------------------------------------- */

static uint32_t table[256];

void jobs_prepare(void) {
  for (uint32_t i = 0; i < 256; i++) {
    uint32_t crc = i;
    for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
    table[i] = crc;
  }
}

void *crc32_thread(void *argument) {
  const struct hwt_crc32 *block = argument;
  const uint8_t *data = block->data;
  uint32_t crc = ~block->crc;
  for (uint32_t i = 0; i < block->length; i++) crc = table[(crc ^ data[i]) & 255] ^ crc >> 8;
  return result(~crc);
}

/* --- 3x3 convolution ------------------------------------------------------------------------------ */

/* A column of three pixels. */
struct column {
  int32_t above, here, below;
};

void *convolution_thread(void *argument) {
  const struct hwt_convolution *block = argument;
  uint32_t width = block->width, height = block->height, stride = block->stride;
  if (((uintptr_t)block->from | (uintptr_t)block->to | stride) % 4 || !width || !height ||
      width > HWT_CONVOLUTION_WIDTH_MAX || height > HWT_CONVOLUTION_HEIGHT_MAX || stride < width || block->shift > 31)
    return result(EINVAL);
  int32_t k[9];
  for (int i = 0; i < 9; i++) k[i] = block->kernel[i];
  for (uint32_t y = 0; y < height; y++) {
    const uint8_t *here = block->from + y * stride;
    const uint8_t *above = y ? here - stride : here;
    const uint8_t *below = y + 1 < height ? here + stride : here;
    uint8_t *to = block->to + y * stride;
    struct column left = {*above, *here, *below}, middle = left, right = left;
    for (uint32_t x = 0; x < width; x++) {
      if (x + 1 < width) right = (struct column){above[x + 1], here[x + 1], below[x + 1]};
      int32_t sum = k[0] * left.above + k[1] * middle.above + k[2] * right.above + k[3] * left.here +
                    k[4] * middle.here + k[5] * right.here + k[6] * left.below + k[7] * middle.below +
                    k[8] * right.below;
      int32_t value = block->offset + (sum >> block->shift);
      to[x] = (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
      left = middle;
      middle = right;
    }
  }
  return result(0);
}

/* --- sort: quicksort, insertion for what is short ---------------------------------------------------- */

static void insert(uint32_t *words, uint32_t count) {
  for (uint32_t i = 1; i < count; i++) {
    uint32_t word = words[i], at = i;
    for (; at && words[at - 1] > word; at--) words[at] = words[at - 1];
    words[at] = word;
  }
}

static void order(uint32_t *a, uint32_t *b) {
  uint32_t low = *a, high = *b;
  if (low > high) *a = high, *b = low;
}

static void sort(uint32_t *words, uint32_t count) {
  while (count > 12) {
    uint32_t *last = words + count - 1, *middle = words + count / 2;
    order(words, middle);
    order(middle, last);
    order(words, middle);
    uint32_t pivot = *middle;
    uint32_t *left = words, *right = last;
    do {
      while (*left < pivot) left++;
      while (*right > pivot) right--;
      if (left <= right) {
        uint32_t word = *left;
        *left++ = *right;
        *right-- = word;
      }
    } while (left <= right);
    /* the shorter part by a call, so the stack stays short */
    uint32_t below = (uint32_t)(right + 1 - words), above = (uint32_t)(words + count - left);
    if (below < above) {
      sort(words, below);
      words = left;
      count = above;
    } else {
      sort(left, above);
      count = below;
    }
  }
  insert(words, count);
}

void *sort_thread(void *argument) {
  const struct hwt_sort *block = argument;
  if ((uintptr_t)block->words % 4 || block->count > HWT_SORT_COUNT_MAX) return result(EINVAL);
  sort(block->words, block->count);
  return result(0);
}
