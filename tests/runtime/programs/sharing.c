/* SPDX-License-Identifier: Apache-2.0
 *
 * Two CPUs store bytes, half-words and words at random into the same lines, twice as many as a data cache of 1 KiB
 * holds; each looks after its own, of which the other one changes none. -D: ROUNDS. */
#include <string.h>

#include "check.h"

#ifndef ROUNDS
#define ROUNDS 1
#endif

enum { SIZE = 2048, CPUS = 2 };

static _Alignas(4) volatile uint8_t shared[SIZE];
static _Alignas(4) uint8_t copies[CPUS][SIZE]; /* what is expected of one's own */

/* Words by turns, so that a line of several words is shared; in every eighth word byte by byte. */
static unsigned owner(unsigned at) { return at % 32 < 4 ? at % CPUS : at / 4 % CPUS; }

static uint32_t next(uint32_t *random) {
  *random ^= *random << 13;
  *random ^= *random >> 17;
  return *random ^= *random << 5;
}

static void *change(void *number) {
  unsigned me = (unsigned)(uintptr_t)number;
  uint8_t *mine = copies[me];
  uint32_t random = 99 + me;
  for (unsigned round = 0; round < ROUNDS; round++) {
    unsigned at = next(&random) % SIZE;
    while (owner(at) != me) at = next(&random) % SIZE;
    uint32_t value = next(&random);
    if (at % 32 < 4 || value & 1) {
      CHECK(shared[at] == mine[at]);
      shared[at] = mine[at] = (uint8_t)(value >> 8);
    } else if (value & 2) {
      at &= ~1u;
      uint16_t half = (uint16_t)(value >> 8);
      memcpy(&mine[at], &half, sizeof half);
      *(volatile uint16_t *)&shared[at] = half;
    } else {
      at &= ~3u;
      uint32_t word;
      memcpy(&word, &mine[at], sizeof word);
      CHECK(*(volatile uint32_t *)&shared[at] == word);
      memcpy(&mine[at], &value, sizeof value);
      *(volatile uint32_t *)&shared[at] = value;
    }
  }
  return NULL;
}

int main(void) {
  pthread_t threads[CPUS];
  pthread_attr_t attr;
  for (unsigned i = 0; i < CPUS; i++) {
    pthread_t *thread = &threads[i];
    EQUAL(pthread_create(thread, attributes(&attr, 5, (int)i), change, (void *)(uintptr_t)i), 0);
  }
  for (unsigned i = 0; i < CPUS; i++) EQUAL(pthread_join(threads[i], NULL), 0);
  for (unsigned at = 0; at < SIZE; at++) CHECK(shared[at] == copies[owner(at)][at]);
  return finish();
}
