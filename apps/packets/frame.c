/* SPDX-License-Identifier: Apache-2.0 */
#include "frame.h"

enum { ETHERNET_BYTES = 14, VLAN_BYTES = 4, ARP_BYTES = 28, IPV4_BYTES = 20, IPV6_BYTES = 40 };
enum { TYPE_IPV4 = 0x0800, TYPE_ARP = 0x0806, TYPE_VLAN = 0x8100, TYPE_IPV6 = 0x86DD };
enum { PROTOCOL_ICMP = 1, PROTOCOL_TCP = 6, PROTOCOL_UDP = 17, PROTOCOL_ICMP6 = 58 };

static uint32_t get_32(const uint8_t *p) { return frame_16(p) << 16 | frame_16(p + 2); }

/* One's complement sum of `length` bytes (even) as 16-bit words; 0xFFFF if a checksum in it is right.
 * The sum does not depend on byte order but for the order of its own bytes. */
static uint32_t checksum(const uint8_t *p, uint32_t length) {
  uint32_t sum = 0;
  if (((uintptr_t)p & 1) == 0) {
    const uint16_t *half = (const uint16_t *)(const void *)p;
    for (const uint16_t *const end = half + length / 2; half != end; half += 2) {
      sum += (uint32_t)half[0] + half[1];
    }
  } else {
    for (const uint8_t *const end = p + length; p != end; p += 4) {
      sum += frame_16(p) + frame_16(p + 2);
    }
  }
  sum = (sum & 0xFFFF) + (sum >> 16);
  return (sum & 0xFFFF) + (sum >> 16);
}

/* TCP, UDP and ICMP: `size` bytes from `p` belong to the packet; `whole`: it is not a fragment. */
static enum reason transport(struct packet *packet, uint32_t protocol, const uint8_t *p, uint32_t size, bool whole) {
  switch (protocol) {
    case PROTOCOL_TCP:
      if (size < 20 || p[12] >> 4 < 5 || (uint32_t)(p[12] >> 4) * 4 > size) {
        return REASON_TRANSPORT;
      }
      break;
    case PROTOCOL_UDP: {
      if (size < 8) {
        return REASON_TRANSPORT;
      }
      const uint32_t length = frame_16(p + 4);
      if (length < 8 || (whole && length > size)) {
        return REASON_TRANSPORT;
      }
      break;
    }
    case PROTOCOL_ICMP:
    case PROTOCOL_ICMP6: return size < 8 ? REASON_TRANSPORT : REASON_NONE;
    default: return REASON_NONE;
  }
  packet->source_port = (uint16_t)frame_16(p);
  packet->destination_port = (uint16_t)frame_16(p + 2);
  return REASON_NONE;
}

static enum reason ipv4(struct packet *packet, const uint8_t *p, uint32_t size) {
  if (size < IPV4_BYTES || p[0] >> 4 != 4) {
    return REASON_HEADER;
  }
  const uint32_t header = (uint32_t)(p[0] & 15) * 4;
  if (header < IPV4_BYTES || header > size) {
    return REASON_HEADER;
  }
  const uint32_t total = frame_16(p + 2);
  if (total < header || total > size) {
    return REASON_LENGTH;
  }
  if (checksum(p, header) != 0xFFFF) {
    return REASON_CHECKSUM;
  }
  const uint32_t fragment = frame_16(p + 6);
  const uint32_t protocol = p[9];
  packet->kind = protocol == PROTOCOL_TCP    ? KIND_TCP
                 : protocol == PROTOCOL_UDP  ? KIND_UDP
                 : protocol == PROTOCOL_ICMP ? KIND_ICMP
                                             : KIND_IPV4_OTHER;
  packet->source = get_32(p + 12);
  packet->destination = get_32(p + 16);
  if ((fragment & 0x1FFF) != 0 || packet->kind == KIND_IPV4_OTHER) {
    return REASON_NONE; /* no transport header, or none that we know */
  }
  return transport(packet, protocol, p + header, total - header, (fragment & 0x2000) == 0);
}

static enum reason ipv6(struct packet *packet, const uint8_t *p, uint32_t size) {
  if (size < IPV6_BYTES || p[0] >> 4 != 6) {
    return REASON_HEADER;
  }
  const uint32_t payload = frame_16(p + 4);
  if (payload > size - IPV6_BYTES) {
    return REASON_LENGTH;
  }
  const uint32_t protocol = p[6];
  packet->kind = protocol == PROTOCOL_TCP     ? KIND_TCP6
                 : protocol == PROTOCOL_UDP   ? KIND_UDP6
                 : protocol == PROTOCOL_ICMP6 ? KIND_ICMP6
                                              : KIND_IPV6_OTHER;
  if (packet->kind == KIND_IPV6_OTHER) {
    return REASON_NONE; /* extension headers are not followed */
  }
  return transport(packet, protocol, p + IPV6_BYTES, payload, true);
}

static enum reason arp(struct packet *packet, const uint8_t *p, uint32_t size) {
  /* Ethernet and IPv4 addresses are the only ones there are. */
  if (size < ARP_BYTES || get_32(p) != 0x00010800 || frame_16(p + 4) != 0x0604) {
    return REASON_HEADER;
  }
  packet->kind = KIND_ARP;
  return REASON_NONE;
}

static enum reason parse(struct packet *packet) {
  const uint8_t *const data = packet->data;
  uint32_t offset = ETHERNET_BYTES;
  if (packet->length < offset) {
    return REASON_SHORT;
  }
  uint32_t type = frame_16(data + offset - 2);
  if (type == TYPE_VLAN) {
    offset += VLAN_BYTES;
    if (packet->length < offset) {
      return REASON_SHORT;
    }
    type = frame_16(data + offset - 2);
  }
  packet->network = (uint8_t)offset;
  packet->source = packet->destination = 0;
  packet->source_port = packet->destination_port = 0;
  switch (type) {
    case TYPE_IPV4: return ipv4(packet, data + offset, packet->length - offset);
    case TYPE_IPV6: return ipv6(packet, data + offset, packet->length - offset);
    case TYPE_ARP: return arp(packet, data + offset, packet->length - offset);
    default: return REASON_TYPE;
  }
}

void frame_parse(struct packet *packet) { packet->reason = (uint8_t)parse(packet); }
