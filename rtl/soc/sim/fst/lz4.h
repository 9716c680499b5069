// SPDX-License-Identifier: Apache-2.0
// The functions of liblz4 that Verilator's writer of FST files calls, so that a waveform needs no library except the
// compiler's: the block format of LZ4, with one table of the last place of each four bytes.
#ifndef CORELOOM_LZ4_H
#define CORELOOM_LZ4_H

#include <cstdint>
#include <cstring>
#include <vector>

inline int LZ4_compressBound(int bytes) { return bytes + bytes / 255 + 16; }

// The compressed bytes of `from` in `to`, which has room for LZ4_compressBound of them; returns how many.
inline int LZ4_compress_default(const char *from, char *to, int bytes, int /*room*/) {
  constexpr int kLeast = 4; // bytes of a match
  constexpr int kTail = 12; // a block's end is literal, as the format wants it
  constexpr int kFarthest = 65535, kHashBits = 13;
  char *out = to;
  const auto put_length = [&](int length) {
    for (; length >= 255; length -= 255) *out++ = static_cast<char>(255);
    *out++ = static_cast<char>(length);
  };
  // Literals up to `end`, then a match of `length` bytes, `distance` back; length 0: the end.
  int written = 0;
  const auto put = [&](int end, int length, int distance) {
    const int literals = end - written, more = length ? length - kLeast : 0;
    *out++ = static_cast<char>((literals < 15 ? literals : 15) << 4 | (more < 15 ? more : 15));
    if (literals >= 15) put_length(literals - 15);
    std::memcpy(out, from + written, literals);
    out += literals;
    written = end + length;
    if (!length) return;
    *out++ = static_cast<char>(distance);
    *out++ = static_cast<char>(distance >> 8);
    if (more >= 15) put_length(more - 15);
  };
  const auto word = [&](int at) {
    uint32_t value;
    std::memcpy(&value, from + at, sizeof value);
    return value;
  };
  thread_local std::vector<int> seen;
  seen.assign(1 << kHashBits, -1);
  for (int at = 0; at + kTail < bytes;) {
    int &last = seen[word(at) * 2654435761u >> (32 - kHashBits)];
    const int match = last;
    last = at;
    if (match < 0 || at - match > kFarthest || word(match) != word(at)) {
      ++at;
      continue;
    }
    int length = kLeast;
    while (at + length < bytes - 5 && from[match + length] == from[at + length]) ++length;
    put(at, length, at - match);
    at += length;
  }
  put(bytes, 0, 0);
  return static_cast<int>(out - to);
}

#endif
