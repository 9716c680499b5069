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
  uint32_t *const end = to + (length + 3) / 4;
  if (shift == 0) {
    while (to != end) {
      *to++ = *word++;
    }
  } else {
    uint32_t low = *word++;
    while (to != end - 1) {
      const uint32_t high = *word++;
      *to++ = low >> shift | high << (32 - shift);
      low = high;
    }
    /* The last word may have all its bytes already. */
    const uint32_t in_last = (length - 1) % 4 + 1;
    const uint32_t high = shift + in_last * 8 > 32 ? *word : 0;
    *to++ = low >> shift | high << (32 - shift);
  }
  if (length % 4 != 0) {
    to[-1] &= (1u << length % 4 * 8) - 1;
  }
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
