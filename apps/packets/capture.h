/* SPDX-License-Identifier: Apache-2.0 */
/* The capture file: classic pcap, either byte order, microseconds or nanoseconds, Ethernet. */
#ifndef CAPTURE_H
#define CAPTURE_H

#include "packet.h"

#include <stddef.h>

#define CAPTURE_FRAME_MAX 65535 /* bytes; a longer record means a damaged file */

struct capture {
  const uint8_t *next, *end;
  uint32_t number;    /* frames read so far */
  uint32_t fcs_bytes; /* 4 or 0: whether frames end with their FCS, as the file's link type word says */
  bool swapped;       /* the file's byte order is big-endian */
  bool nanoseconds;
  bool broken; /* the last record was cut off or impossible */
};

/* False: not such a file. */
bool capture_open(struct capture *capture, const uint8_t *data, size_t length);

/* The next frame: sets data, length, number, cut. False at the end. */
bool capture_next(struct capture *capture, struct packet *packet);

/* When the frame was captured: seconds, and micro- or nanoseconds. */
void capture_time(const struct capture *capture, const struct packet *packet, uint32_t time[2]);

#endif
