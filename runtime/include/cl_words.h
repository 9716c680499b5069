/* SPDX-License-Identifier: Apache-2.0
 *
 * The words of a message besides its first, between a program's memory and a port of either kernel. Most messages are
 * as long as they may be: these are copied without a loop, all loads first, as a core waits for the last one. */
#ifndef CL_WORDS_H
#define CL_WORDS_H

#include <stdint.h>

#include "cl_compiler.h"

CL_INLINE void cl_words_put(volatile uint32_t *port, const uint32_t *words, uint32_t count) {
  if (CL_LIKELY(count == CL_PORT_WORDS)) {
    uint32_t all[CL_PORT_WORDS];
    for (int i = 0; i < CL_PORT_WORDS; i++) all[i] = words[i];
    for (int i = 0; i < CL_PORT_WORDS; i++) port[i] = all[i];
  } else {
    for (; count; count--) *port++ = *words++;
  }
}

/* Copies the words of a message of `count` words, as far as there is room. */
CL_INLINE void cl_words_get(uint32_t *words, const volatile uint32_t *port, uint32_t count, uint32_t room) {
  if (count > CL_PORT_WORDS) return; /* no number of words: a message of one word */
  if (count > room) count = room;
  if (CL_LIKELY(count == CL_PORT_WORDS)) {
    uint32_t all[CL_PORT_WORDS];
    for (int i = 0; i < CL_PORT_WORDS; i++) all[i] = port[i];
    for (int i = 0; i < CL_PORT_WORDS; i++) words[i] = all[i];
  } else {
    for (; count; count--) *words++ = *port++;
  }
}

#endif
