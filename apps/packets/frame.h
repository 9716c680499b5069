/* SPDX-License-Identifier: Apache-2.0 */
/* The parser of the Decoder threads for the bytes of a frame. */
#ifndef FRAME_H
#define FRAME_H

#include "packet.h"

/* Parse Ethernet (one VLAN tag), ARP, IPv4, IPv6, TCP, UDP, ICMP from `data`, `length`.
 * Sets `reason` (REASON_NONE, REASON_SHORT, REASON_TYPE .. REASON_TRANSPORT) and, if none, all that follows it. */
void frame_parse(struct packet *packet);

static inline uint32_t frame_16(const uint8_t *p) { return (uint32_t)p[0] << 8 | p[1]; }

#endif
