/* SPDX-License-Identifier: Apache-2.0 */
/* The Classifier's rules: what becomes of an undamaged packet. */
#ifndef RULES_H
#define RULES_H

#include "packet.h"

/* The action of the first rule that matches; with ACTION_DISCARD, `reason` is set, too. */
enum action rules_apply(struct packet *packet);

#endif
