/* SPDX-License-Identifier: Apache-2.0
 *
 * Parameter blocks of the units in rtl/hwt. The thread's argument is the address of a block, a multiple of 4; the
 * unit reads it when it starts and never writes it. apps/hybrid has software versions with the same blocks and
 * results. For an invalid block the result is EINVAL, with nothing done. */
#ifndef HWT_UNITS_H
#define HWT_UNITS_H

#include <stdint.h>

/* crc32: CRC-32 of IEEE 802.3 (polynomial 0x04C11DB7, reflected), as zlib's crc32(). Result: the CRC.
 * Every block is valid. */
struct hwt_crc32 {
  const void *data; /* any address */
  uint32_t length;  /* bytes, 0 or more */
  uint32_t crc;     /* CRC of the preceding bytes; 0 initially */
};

/* convolution: 3x3, 8 bits a pixel. Result: 0.
 *   to[y][x] = clamp(offset + (sum >> shift)), sum over i, j in 0..2 of kernel[3 * j + i] * from[y + j - 1][x + i - 1]
 * with an arithmetic shift, clamped to 0..255. Outside the image the nearest edge pixel is used.
 * EINVAL: an address or the stride is not a multiple of 4, width or height is 0 or above its maximum, stride < width,
 * shift > 31. Bytes of a row from width on are not written. `to` and `from` must not overlap. */
#define HWT_CONVOLUTION_WIDTH_MAX 1024
#define HWT_CONVOLUTION_HEIGHT_MAX 65535
struct hwt_convolution {
  const uint8_t *from;
  uint8_t *to;
  uint32_t width, height;
  uint32_t stride; /* bytes from a row to the next, in both images */
  uint32_t shift;
  int32_t offset;
  int8_t kernel[9]; /* row by row */
};

/* sort: ascending, in place. Result: 0. EINVAL: the address is not a multiple of 4, count > HWT_SORT_COUNT_MAX. */
#define HWT_SORT_COUNT_MAX 0x3fffffff
struct hwt_sort {
  uint32_t *words;
  uint32_t count; /* 0 or more */
};

/* template: sums an array, then posts a semaphore of the kernel. Result: the sum modulo 2^32.
 * Every block is valid; an error of the post is ignored. */
struct hwt_template {
  const uint32_t *words; /* a multiple of 4 */
  uint32_t count;        /* 0 or more */
  uint32_t semaphore;    /* number of the kernel's semaphore */
};

/* script (for tests): executes steps, argument = address of the first. Result: word0 of HWT_SCRIPT_END. */
#define HWT_SCRIPT_END 0x100   /* ends the thread */
#define HWT_SCRIPT_SPIN 0x101  /* hangs */
#define HWT_SCRIPT_LOAD 0x102  /* answer = the word at address word0 */
#define HWT_SCRIPT_STORE 0x103 /* stores id to address word0 */
#define HWT_SCRIPT_DELAY 0x104 /* waits word0 cycles */
#define HWT_SCRIPT_JUMP 0x105  /* continues with the step at address word0 */
struct hwt_script {
  uint32_t op;      /* operation of the kernel (0 to 63) or HWT_SCRIPT_* */
  uint32_t id;      /* its object */
  uint32_t word0;   /* its argument; stored to WORD0 before every operation of the kernel */
  uint32_t answer;  /* written by the unit: the word that the kernel answered, or what was loaded */
  uint32_t message; /* written by the unit after an operation of the kernel: WORD0 read back */
};

#endif
