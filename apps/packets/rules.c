/* SPDX-License-Identifier: Apache-2.0 */
#include "rules.h"

#define KIND(k) (1u << KIND_##k)
#define ANY_KIND ((1u << KIND_COUNT) - 1)
#define IPV4_KINDS (KIND(ICMP) | KIND(TCP) | KIND(UDP) | KIND(IPV4_OTHER))
#define ADDRESS(a, b, c, d) ((uint32_t)(a) << 24 | (uint32_t)(b) << 16 | (uint32_t)(c) << 8 | (uint32_t)(d))
#define PREFIX(length) (0xFFFFFFFFu << (32 - (length)))

struct rule {
  uint16_t kinds;                               /* one of these kinds */
  uint16_t port;                                /* destination port; 0: any */
  uint32_t source, source_mask;                 /* mask 0: any */
  uint32_t destination, destination_mask;       /* mask 0: any */
  uint8_t action;
  uint8_t reason; /* of ACTION_DISCARD */
};

/* The table of README.md, in its order. The last matches everything. */
static const struct rule rules[] = {
    {KIND(ARP), 0, 0, 0, 0, 0, ACTION_STORE, 0},
    {IPV4_KINDS, 0, ADDRESS(10, 66, 0, 0), PREFIX(16), 0, 0, ACTION_DISCARD, REASON_BLOCKED},
    {KIND(TCP) | KIND(TCP6), 23, 0, 0, 0, 0, ACTION_DISCARD, REASON_BLOCKED},
    {KIND(UDP) | KIND(UDP6), 1900, 0, 0, 0, 0, ACTION_DISCARD, REASON_BLOCKED},
    {IPV4_KINDS, 0, 0, 0, ADDRESS(224, 0, 0, 0), PREFIX(3), ACTION_DISCARD, REASON_NOT_ROUTED},
    {KIND(ICMP) | KIND(ICMP6), 0, 0, 0, 0, 0, ACTION_STORE, 0},
    {KIND(UDP) | KIND(UDP6), 514, 0, 0, 0, 0, ACTION_STORE, 0},
    {IPV4_KINDS, 0, 0, 0, ADDRESS(192, 168, 7, 0), PREFIX(24), ACTION_STORE, 0},
    {ANY_KIND, 0, 0, 0, 0, 0, ACTION_FORWARD, 0},
};

enum action rules_apply(struct packet *packet) {
  const uint32_t kind = 1u << packet->kind;
  const struct rule *rule = rules;
  while ((rule->kinds & kind) == 0 || (rule->port != 0 && rule->port != packet->destination_port) ||
         ((packet->source ^ rule->source) & rule->source_mask) != 0 ||
         ((packet->destination ^ rule->destination) & rule->destination_mask) != 0) {
    ++rule;
  }
  packet->reason = rule->reason;
  return (enum action)rule->action;
}
