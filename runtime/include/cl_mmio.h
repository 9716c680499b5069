/* SPDX-License-Identifier: Apache-2.0
 *
 * A device of registers and windows of words, as a driver sees it: in the firmware the device itself, in a test its
 * model. Offsets are in bytes from its base and multiples of 4. */
#ifndef CL_MMIO_H
#define CL_MMIO_H

#include <stddef.h>
#include <stdint.h>

struct cl_mmio {
  uint32_t (*read)(const struct cl_mmio *mmio, uint32_t offset);
  void (*write)(const struct cl_mmio *mmio, uint32_t offset, uint32_t word);
  /* `count` words to and from a window, in rising order. */
  void (*put)(const struct cl_mmio *mmio, uint32_t offset, const uint32_t *words, size_t count);
  void (*get)(const struct cl_mmio *mmio, uint32_t offset, uint32_t *words, size_t count);
  uint32_t (*time)(const struct cl_mmio *mmio); /* in cycles, modulo 2^32 */
  /* The driver has looked `looks` times for something that has not come. Returns when the device may have something
   * new, and at once or after at most `cycles` if it likes; the driver looks again, and ends the wait by the time. */
  void (*wait)(const struct cl_mmio *mmio, unsigned looks, uint32_t cycles);
  void *context; /* the functions' own */
};

#endif
