/* SPDX-License-Identifier: Apache-2.0 */
/* A packet on its way: what each thread finds out about it. */
#ifndef PACKET_H
#define PACKET_H

#include <stdbool.h>
#include <stdint.h>

/* Why a packet is discarded. The order is that of the result and of the host's names. */
enum reason {
  REASON_NONE,
  REASON_CUT,           /* the capture holds less than the frame */
  REASON_SHORT,         /* less than an Ethernet header (or VLAN tag, or FCS) */
  REASON_FCS,           /* frame check sequence */
  REASON_TYPE,          /* an EtherType that is not IPv4, IPv6, ARP */
  REASON_HEADER,        /* ARP, IPv4 or IPv6 header: cut off, wrong version or header length */
  REASON_LENGTH,        /* IP length that does not fit header and frame */
  REASON_CHECKSUM,      /* IPv4 header checksum */
  REASON_TRANSPORT,     /* TCP, UDP or ICMP header cut off or with a wrong length */
  REASON_BLOCKED,       /* a rule says so */
  REASON_NOT_ROUTED,    /* multicast and broadcast */
  REASON_EXPIRED,       /* TTL or hop limit used up */
  REASON_COUNT
};

/* Kinds of undamaged packets. The order is that of the result and of the host's names. */
enum kind {
  KIND_ARP,
  KIND_ICMP,
  KIND_TCP,
  KIND_UDP,
  KIND_IPV4_OTHER, /* also fragments after the first whose protocol is none of the three */
  KIND_ICMP6,
  KIND_TCP6,
  KIND_UDP6,
  KIND_IPV6_OTHER,
  KIND_COUNT
};

enum action { ACTION_FORWARD, ACTION_STORE, ACTION_DISCARD, ACTION_COUNT };

struct packet {
  const uint8_t *data; /* the frame, in the capture */
  uint32_t length;     /* bytes without FCS */
  uint32_t number;     /* place in the capture, from 0 */
  uint32_t crc;        /* CRC-32 of `length` bytes */
  bool cut;            /* the capture holds less than the frame */
  uint8_t reason;      /* enum reason */
  uint8_t kind;        /* enum kind; what follows depends on it */
  uint8_t network;     /* offset of the IP header in the frame */
  uint32_t source, destination;              /* IPv4 addresses, 0 for others */
  uint16_t source_port, destination_port;    /* TCP and UDP, 0 for others and for fragments after the first */
};

#endif
