/* SPDX-License-Identifier: Apache-2.0 */
#include "crc32.h"

#define POLYNOMIAL 0xEDB88320u

/* Effects of 32 steps on the CRC register's bits 10:0, 21:11 and 31:22: three look-ups take in four bytes, where tables
 * of bytes ("slicing by 4") need four. */
static uint32_t low[2048], middle[2048], high[1024];

/* power[n]: x to the power 8n modulo the polynomial, bits reflected: what n zero bytes multiply the register by. */
static uint32_t power[CRC32_BEHIND + 8];

/* The register 32 steps on. */
static inline uint32_t steps_32(uint32_t crc) { return low[crc & 0x7FF] ^ middle[crc >> 11 & 0x7FF] ^ high[crc >> 22]; }

/* The register after `count` bytes (1 to 3), the low ones of `bytes`; what is above them does not matter. */
static inline uint32_t partial(uint32_t crc, uint32_t bytes, unsigned count) {
  /* At the upper end of the register they wait without effect until the zeros below have been shifted out. */
  return steps_32((crc ^ bytes) << (32 - 8 * count)) ^ crc >> 8 * count;
}

/* One step of the register. */
static inline uint32_t step(uint32_t crc) { return crc >> 1 ^ (POLYNOMIAL & (0u - (crc & 1))); }

/* The register before a step: bit 31 is set if, and only if, the polynomial went in. */
static inline uint32_t step_back(uint32_t crc) { return (crc ^ (POLYNOMIAL & (0u - (crc >> 31)))) << 1 | crc >> 31; }

/* The register is linear: a table follows from its entries for single bits. The first is bit `first`'s. */
static void fill(uint32_t *table, unsigned bits, unsigned first) {
  table[0] = 0;
  for (unsigned bit = 0; bit < bits; ++bit) {
    uint32_t crc = 1u << (first + bit);
    for (unsigned i = 0; i < 32; ++i) {
      crc = step(crc);
    }
    const unsigned size = 1u << bit;
    for (unsigned i = 0; i < size; ++i) {
      table[size + i] = table[i] ^ crc;
    }
  }
}

void crc32_init(void) {
  fill(low, 11, 0);
  fill(middle, 11, 11);
  fill(high, 10, 22);
  power[0] = 0x80000000u; /* bit 31 is x to the power 0 */
  for (unsigned n = 1; n < sizeof power / sizeof power[0]; ++n) {
    power[n] = partial(power[n - 1], 0, 1);
  }
}

uint32_t crc32(const uint8_t *data, size_t length) {
  uint32_t crc = ~0u;
  if (length < 4) {
    for (; length != 0; --length) {
      crc = partial(crc, *data++, 1);
    }
    return ~crc;
  }
  const unsigned before = (uintptr_t)data & 3; /* bytes of the first word that are not ours */
  const uint32_t *word = (const uint32_t *)(const void *)(data - before);
  if (before != 0) {
    crc = partial(crc, *word++ >> 8 * before, 4 - before);
    length -= 4 - before;
  }
  for (const uint32_t *const end = word + (length / 4 & ~(size_t)1); word != end; word += 2) {
    const uint32_t next = word[1];
    crc = steps_32(crc ^ word[0]);
    crc = steps_32(crc ^ next);
  }
  if ((length & 4) != 0) {
    crc = steps_32(crc ^ *word++);
  }
  if ((length & 3) != 0) {
    crc = partial(crc, *word, length & 3);
  }
  return ~crc;
}

uint32_t crc32_change(uint32_t change, uint32_t behind) {
  /* CRC is linear: the change is the remainder of the difference with `behind` zero bytes after it, that is, the sum
   * of its bits' powers. A counter that goes one up or down changes its low bits, mostly one or two: so begin with
   * those, which have the high powers in a byte, and step back. */
  uint32_t sum = 0;
  for (uint32_t place = behind + 8; change != 0; change >>= 8, --place) {
    uint32_t b = power[place];
    for (uint32_t bits = change & 0xFF; bits != 0; bits >>= 1) {
      b = step_back(b);
      sum ^= b & (0u - (bits & 1));
    }
  }
  return sum;
}
