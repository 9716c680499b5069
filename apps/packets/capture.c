/* SPDX-License-Identifier: Apache-2.0 */
#include "capture.h"

enum { HEADER_BYTES = 24, RECORD_BYTES = 16, LINK_ETHERNET = 1 };

/* Records are at any alignment. */
static inline uint32_t get_32(const uint8_t *p, bool swapped) {
  if (swapped) {
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
  }
  return (uint32_t)p[3] << 24 | (uint32_t)p[2] << 16 | (uint32_t)p[1] << 8 | p[0];
}

bool capture_open(struct capture *capture, const uint8_t *data, size_t length) {
  if (length < HEADER_BYTES) {
    return false;
  }
  const bool swapped = data[0] == 0xA1;
  const uint32_t magic = get_32(data, swapped);
  if (magic != 0xA1B2C3D4u && magic != 0xA1B23C4Du) {
    return false;
  }
  /* Bits 15:0 link type, 26: bits 31:28 are the length of the FCS in 16-bit words. */
  const uint32_t link = get_32(data + 20, swapped);
  const uint32_t fcs_bytes = (link & 1u << 26) != 0 ? (link >> 28) * 2 : 0;
  if ((link & 0xFFFF) != LINK_ETHERNET || (fcs_bytes != 0 && fcs_bytes != 4)) {
    return false;
  }
  *capture = (struct capture){
      .next = data + HEADER_BYTES,
      .end = data + length,
      .fcs_bytes = fcs_bytes,
      .swapped = swapped,
      .nanoseconds = magic == 0xA1B23C4Du,
  };
  return true;
}

bool capture_next(struct capture *capture, struct packet *packet) {
  const uint8_t *const record = capture->next;
  const size_t left = (size_t)(capture->end - record);
  if (left < RECORD_BYTES) {
    capture->broken |= left != 0;
    return false;
  }
  const uint32_t captured = get_32(record + 8, capture->swapped);
  const uint32_t original = get_32(record + 12, capture->swapped);
  if (captured > CAPTURE_FRAME_MAX || captured > left - RECORD_BYTES) {
    capture->broken = true;
    return false;
  }
  packet->data = record + RECORD_BYTES;
  packet->number = capture->number++;
  packet->cut = captured < original;
  packet->length = packet->cut ? captured : captured < capture->fcs_bytes ? 0 : captured - capture->fcs_bytes;
  capture->next = packet->data + captured;
  return true;
}

void capture_time(const struct capture *capture, const struct packet *packet, uint32_t time[2]) {
  time[0] = get_32(packet->data - RECORD_BYTES, capture->swapped);
  time[1] = get_32(packet->data - RECORD_BYTES + 4, capture->swapped);
}
