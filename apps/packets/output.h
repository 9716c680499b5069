/* SPDX-License-Identifier: Apache-2.0 */
/* Where packets end: the frames sent on, and the ring of stored frames. */
#ifndef OUTPUT_H
#define OUTPUT_H

#include "capture.h"

/* Bytes of a forwarded frame's record: seconds, fraction, number in the capture, length with FCS; then the frame,
 * filled up with zeros to a multiple of 4. */
#define FORWARD_HEADER_WORDS 4

/* Write the record of a frame to forward at `out`: TTL or hop limit one less, IPv4 header checksum and FCS
 * updated to match. Returns the end of the record; *crc is the frame's new CRC-32. */
uint32_t *output_forward(const struct capture *capture, const struct packet *packet, uint32_t *out, uint32_t *crc);

/* A ring of the latest stored frames. Record: number in the capture, length; then the frame, filled up with zeros.
 * The record that reaches the end of the ring goes on at its start. */
#define STORE_WORDS 32768
struct store {
  uint32_t *words; /* STORE_WORDS of them */
  uint32_t at;     /* the next word to write */
};

/* Returns the bytes that the record takes. */
uint32_t output_store(struct store *store, const struct packet *packet);

#endif
