#include "crc32.h"

#define POLYNOMIAL 0xEDB88320u

/* table[k][b]: the CRC register after byte b and k zero bytes (four bytes a step: "slicing by 4"). */
static uint32_t table[4][256];

/* power[n]: x to the power 8n modulo the polynomial, bits reflected: what n zero bytes multiply the register by. */
static uint32_t power[CRC32_BEHIND + 7];

void crc32_init(void) {
  table[0][0] = 0;
  for (uint32_t bit = 128, crc = 1; bit != 0; bit >>= 1) {
    crc = crc >> 1 ^ (POLYNOMIAL & (0u - (crc & 1)));
    for (uint32_t i = 0; i < 256; i += 2 * bit) {
      table[0][i + bit] = crc ^ table[0][i];
    }
  }
  for (unsigned k = 1; k < 4; ++k) {
    for (unsigned b = 0; b < 256; ++b) {
      const uint32_t crc = table[k - 1][b];
      table[k][b] = crc >> 8 ^ table[0][crc & 0xFF];
    }
  }
  power[0] = 0x80000000u; /* bit 31 is x to the power 0 */
  for (unsigned n = 1; n < sizeof power / sizeof power[0]; ++n) {
    power[n] = power[n - 1] >> 8 ^ table[0][power[n - 1] & 0xFF];
  }
}

/* The register after four more bytes, which have been combined with it already. */
static inline uint32_t four(uint32_t crc) {
  return table[3][crc & 0xFF] ^ table[2][crc >> 8 & 0xFF] ^ table[1][crc >> 16 & 0xFF] ^ table[0][crc >> 24];
}

uint32_t crc32(const uint8_t *data, size_t length) {
  uint32_t crc = ~0u;
  for (; length != 0 && ((uintptr_t)data & 3) != 0; --length) {
    crc = crc >> 8 ^ table[0][(crc ^ *data++) & 0xFF];
  }
  const uint32_t *word = (const uint32_t *)(const void *)data;
  const uint32_t *const end = word + length / 4;
  for (const uint32_t *const even = word + (length / 4 & ~(size_t)1); word != even; word += 2) {
    crc = four(crc ^ word[0]);
    crc = four(crc ^ word[1]);
  }
  if (word != end) {
    crc = four(crc ^ *word++);
  }
  data = (const uint8_t *)word;
  for (length &= 3; length != 0; --length) {
    crc = crc >> 8 ^ table[0][(crc ^ *data++) & 0xFF];
  }
  return ~crc;
}

uint32_t crc32_change(uint32_t change, uint32_t behind) {
  /* CRC is linear: the change is the remainder of the difference with `behind` zero bytes after it, that is, the sum
   * of its bytes times the powers of their places. Most bytes do not change, so each is multiplied by itself. */
  uint32_t product = 0;
  for (uint32_t place = behind + 7; change != 0; change >>= 8, --place) {
    uint32_t b = power[place];
    for (uint32_t a = change << 24; a != 0; a <<= 1) {
      product ^= b & (0u - (a >> 31));
      b = b >> 1 ^ (POLYNOMIAL & (0u - (b & 1)));
    }
  }
  return product;
}
