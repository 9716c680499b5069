/* SPDX-License-Identifier: Apache-2.0 */
#include "output.h"

#include "crc32.h"
#include "frame.h"

/* Copy `length` bytes from any alignment into words; the last is filled up with zeros. Reads whole aligned words. */
static void copy_words(uint32_t *to, const uint8_t *from, uint32_t length) {
  if (length == 0) {
    return;
  }
  const unsigned shift = (unsigned)((uintptr_t)from & 3) * 8;
  const uint32_t *word = (const uint32_t *)(const void *)(from - shift / 8);
  uint32_t left = (length - 1) / 4; /* words but the last, which may end before its neighbour begins */
  uint32_t last = *word++;
  if (shift == 0) {
    for (; left >= 4; left -= 4, word += 4, to += 4) {
      const uint32_t a = word[0], b = word[1], c = word[2], d = word[3];
      to[0] = last, to[1] = a, to[2] = b, to[3] = c;
      last = d;
    }
    for (; left != 0; --left) {
      *to++ = last;
      last = *word++;
    }
  } else {
    const unsigned rest = 32 - shift;
    for (; left >= 4; left -= 4, word += 4, to += 4) {
      const uint32_t a = word[0], b = word[1], c = word[2], d = word[3];
      to[0] = last >> shift | a << rest;
      to[1] = a >> shift | b << rest;
      to[2] = b >> shift | c << rest;
      to[3] = c >> shift | d << rest;
      last = d;
    }
    for (; left != 0; --left) {
      const uint32_t next = *word++;
      *to++ = last >> shift | next << rest;
      last = next;
    }
    last >>= shift;
    if (shift / 8 + (length - 1) % 4 >= 4) {
      last |= *word << rest;
    }
  }
  *to = length % 4 == 0 ? last : last & ((1u << length % 4 * 8) - 1);
}

uint32_t *output_forward(const struct capture *capture, const struct packet *packet, uint32_t *out, uint32_t *crc) {
  uint32_t *const frame = out + FORWARD_HEADER_WORDS;
  const uint32_t size = packet->length + capture->fcs_bytes;
  capture_time(capture, packet, out);
  out[2] = packet->number;
  out[3] = size;
  copy_words(frame, packet->data, size);

  /* The four bytes that hold all that changes of the header, and their exclusive or with what they were. */
  uint8_t *const bytes = (uint8_t *)frame;
  uint32_t behind, change;
  if (packet->kind < KIND_ICMP6) { /* IPv4: TTL, protocol, checksum */
    uint8_t *const p = bytes + packet->network + 8;
    behind = packet->length - packet->network - 12;
    change = p[0] | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
    /* One's complement arithmetic: TTL is the upper byte of its word (RFC 1141). */
    uint32_t sum = frame_16(p + 2) + 0x0100;
    sum += sum >= 0xFFFF;
    p[0] = (uint8_t)(p[0] - 1);
    p[2] = (uint8_t)(sum >> 8);
    p[3] = (uint8_t)sum;
    change ^= p[0] | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
  } else { /* IPv6: length, next header, hop limit */
    uint8_t *const p = bytes + packet->network + 4;
    behind = packet->length - packet->network - 8;
    change = (uint32_t)(p[3] ^ (p[3] - 1)) << 24;
    p[3] = (uint8_t)(p[3] - 1);
  }
  *crc = behind < CRC32_BEHIND ? packet->crc ^ crc32_change(change, behind) : crc32(bytes, packet->length);
  if (capture->fcs_bytes != 0) {
    uint8_t *const fcs = bytes + packet->length;
    fcs[0] = (uint8_t)*crc;
    fcs[1] = (uint8_t)(*crc >> 8);
    fcs[2] = (uint8_t)(*crc >> 16);
    fcs[3] = (uint8_t)(*crc >> 24);
  }
  return frame + (size + 3) / 4;
}

static void put(struct store *store, uint32_t word) {
  store->words[store->at] = word;
  store->at = (store->at + 1) % STORE_WORDS;
}

uint32_t output_store(struct store *store, const struct packet *packet) {
  const uint32_t words = (packet->length + 3) / 4;
  put(store, packet->number);
  put(store, packet->length);
  const uint32_t first = STORE_WORDS - store->at;
  if (words <= first) {
    copy_words(store->words + store->at, packet->data, packet->length);
  } else {
    copy_words(store->words + store->at, packet->data, first * 4);
    copy_words(store->words, packet->data + first * 4, packet->length - first * 4);
  }
  store->at = (store->at + words) % STORE_WORDS;
  return 8 + 4 * words;
}
