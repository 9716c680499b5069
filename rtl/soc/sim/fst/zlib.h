// SPDX-License-Identifier: Apache-2.0
// The functions of zlib that Verilator's writer of FST files calls, for the times and the first values: a stream of one
// fixed-code block that finds only repetitions of the last byte, as a steady clock makes them.
#ifndef CORELOOM_ZLIB_H
#define CORELOOM_ZLIB_H

#include <cstdint>

using Bytef = unsigned char;
using uLong = unsigned long;
using uLongf = unsigned long;
constexpr int Z_OK = 0;

inline uLong compressBound(uLong bytes) { return bytes + bytes / 8 + 16; }

inline int compress2(Bytef *to, uLongf *size, const Bytef *from, uLong bytes, int /*level*/) {
  Bytef *out = to;
  uint32_t bits = 0;
  int filled = 0;
  const auto put = [&](uint32_t value, int width) { // the lowest bit first
    bits |= value << filled;
    for (filled += width; filled >= 8; filled -= 8, bits >>= 8) *out++ = static_cast<Bytef>(bits);
  };
  const auto put_code = [&](uint32_t code, int width) { // of Huffman's: the highest bit first
    while (width--) put(code >> width & 1, 1);
  };
  *out++ = 0x78; // deflate, a window of 32 KiB
  *out++ = 0x01;
  put(1, 1); // the last block
  put(1, 2); // with the fixed codes
  constexpr uLong kLongest = 258;
  for (uLong at = 0; at < bytes;) {
    uLong run = 0;
    while (at && run < kLongest && at + run < bytes && from[at + run] == from[at - 1]) ++run;
    if (run == kLongest) {
      put_code(0xc5, 8); // 258 bytes,
      put_code(0, 5); // from one back
      at += run;
    } else {
      const uint32_t byte = from[at++];
      if (byte < 144) put_code(0x30 + byte, 8);
      else put_code(0x190 + byte - 144, 9);
    }
  }
  put_code(0, 7); // the end of the block
  if (filled) put(0, 8 - filled);
  uint32_t a = 1, b = 0;
  for (uLong at = 0; at < bytes; ++at) {
    a = (a + from[at]) % 65521;
    b = (b + a) % 65521;
  }
  for (const uint32_t part : {b >> 8, b, a >> 8, a}) *out++ = static_cast<Bytef>(part);
  *size = static_cast<uLongf>(out - to);
  return Z_OK;
}

#endif
