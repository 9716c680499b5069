/* SPDX-License-Identifier: Apache-2.0
 *
 * The check of a program image, before anything of it is written: plain C on a source of its bytes. */
#ifndef CL_IMAGE_H
#define CL_IMAGE_H

#include <stdint.h>

#include "cl_backdoor_regs.h"

#define CL_IMAGE_SEGMENTS 8 /* program headers at most */

struct cl_image_source {
  /* `words` words of the image from the byte `offset` on; both have been checked against its bytes. */
  void (*fetch)(uint32_t offset, uint32_t words, uint32_t *to);
  uint32_t (*crc)(uint32_t offset, uint32_t words); /* their CRC-32 */
  uint32_t bytes;                                   /* of the image, as processor 0 says */
  uint32_t room;                                    /* bytes that it may have, those of the block */
  uint32_t memory, memory_end;                      /* where segments may be, and the stack behind them */
};

struct cl_image_plan {
  uint32_t entry, count;
  struct {
    uint32_t offset; /* in the image */
    uint32_t address, bytes, memory_bytes; /* what is behind `bytes` is zero */
  } segments[CL_IMAGE_SEGMENTS];
};

/* 0, or CL_BACKDOOR_REASON_*; the plan is whole if it is 0. */
uint32_t cl_image_check(const struct cl_image_source *source, struct cl_image_plan *plan);

#endif
