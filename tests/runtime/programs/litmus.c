/* SPDX-License-Identifier: Apache-2.0
 *
 * Litmus tests of the memory model (rtl/dcache/README.md): sequential consistency. A thread on each CPU plays one of a
 * test's roles, each after a random delay, on words that every cache has; then the outcome must be one that some order
 * of all accesses gives, each CPU's in the order of its program. -D: ROUNDS of each test, SEED of the delays. */
#include "check.h"

enum { MESSAGE_PASSING, STORE_BUFFERING, LOAD_BUFFERING, COHERENCE, IRIW, TESTS };

static const struct {
  const char *name;
  unsigned roles;
} tests[TESTS] = {
    {"message passing", 2}, {"store buffering", 2}, {"load buffering", 2}, {"coherence", 2}, {"IRIW", 4},
};

/* From x to y: in a line of more than one word, in the next line, and in the same place of a cache of 4 KiB or less. */
static const unsigned distances[] = {1, 8, 1024};
#ifndef SEED
#define SEED 1
#define ROUNDS 1
#endif
static volatile uint32_t cells[1025];
static volatile uint32_t seen[4][2]; /* what a role has loaded */
static volatile uint32_t arrived[CL_CPUS];
static unsigned forbidden[TESTS], outcomes[TESTS];

static uint32_t mixed(uint32_t word) {
  word ^= word >> 16;
  word *= 0x7FEB352Du;
  word ^= word >> 15;
  word *= 0x846CA68Bu;
  return word ^ word >> 16;
}

static void meet(unsigned me, uint32_t phase) {
  arrived[me] = phase;
  for (unsigned i = 0; i < CL_CPUS; i++) {
    while (arrived[i] < phase) continue;
  }
}

static void delay(uint32_t cycles) {
  if (cycles & 1) __asm__ volatile("nop");
  if (cycles & 2) __asm__ volatile("nop\nnop");
  for (cycles >>= 2; cycles; cycles--) __asm__ volatile("");
}

static void play(unsigned test, unsigned role, volatile uint32_t *x, volatile uint32_t *y) {
  uint32_t first = 0, second = 0;
  switch (test) {
    case MESSAGE_PASSING:
      if (role == 0) {
        *x = 1;
        *y = 1;
      } else {
        first = *y;
        second = *x;
      }
      break;
    case STORE_BUFFERING:
      *(role == 0 ? x : y) = 1;
      first = *(role == 0 ? y : x);
      break;
    case LOAD_BUFFERING:
      first = *(role == 0 ? x : y);
      *(role == 0 ? y : x) = 1;
      break;
    case COHERENCE:
      if (role == 0) {
        *x = 1;
        *x = 2;
      } else {
        first = *x;
        second = *x;
      }
      break;
    default:
      if (role < 2) {
        *(role == 0 ? x : y) = 1;
      } else {
        first = *(role == 2 ? x : y);
        second = *(role == 2 ? y : x);
      }
  }
  seen[role][0] = first;
  seen[role][1] = second;
}

/* A number for the outcome, and whether no order gives it. */
static unsigned outcome(unsigned test, int *wrong) {
  uint32_t a = seen[0][0], b = seen[1][0], c = seen[1][1];
  switch (test) {
    case MESSAGE_PASSING: *wrong = b == 1 && c == 0; return 2 * b + c;
    case STORE_BUFFERING: *wrong = a == 0 && b == 0; return 2 * a + b;
    case LOAD_BUFFERING: *wrong = a == 1 && b == 1; return 2 * a + b;
    case COHERENCE: *wrong = c < b; return 3 * b + c;
    default:
      *wrong = seen[2][0] == 1 && seen[2][1] == 0 && seen[3][0] == 1 && seen[3][1] == 0;
      return 8 * seen[2][0] + 4 * seen[2][1] + 2 * seen[3][0] + seen[3][1];
  }
}

static void *run(void *number) {
  unsigned me = (unsigned)(uintptr_t)number;
  uint32_t phase = 0;
  for (unsigned round = 0; round < ROUNDS * TESTS; round++) {
    unsigned test = round % TESTS, role = (me + round / TESTS) % CL_CPUS;
    uint32_t random = mixed(SEED * 0x10001u + round * CL_CPUS + me);
    volatile uint32_t *x = cells, *y = cells + distances[round / TESTS % 3];
    if (tests[test].roles > CL_CPUS) continue;
    if (role == 0) {
      *x = 0;
      *y = 0;
    }
    meet(me, ++phase);
    (void)*y; /* with a distance of 1024, this one leaves the cache again, or the other one */
    (void)*x;
    if (random & 0x10000) (void)*y;
    meet(me, ++phase);
    delay(random % 32);
    if (role < tests[test].roles) play(test, role, x, y);
    meet(me, ++phase);
    if (role == 0) {
      int wrong;
      outcomes[test] |= 1u << outcome(test, &wrong);
      forbidden[test] += (unsigned)wrong;
    }
  }
  return NULL;
}

int main(void) {
  pthread_t threads[CL_CPUS];
  pthread_attr_t attr;
  for (unsigned i = 0; i < CL_CPUS; i++) {
    pthread_t *thread = &threads[i];
    EQUAL(pthread_create(thread, attributes(&attr, 5, (int)i), run, (void *)(uintptr_t)i), 0);
  }
  for (unsigned i = 0; i < CL_CPUS; i++) EQUAL(pthread_join(threads[i], NULL), 0);
  for (unsigned i = 0; i < TESTS; i++) {
    if (tests[i].roles > CL_CPUS) continue;
    printf("%s: %d outcomes\n", tests[i].name, __builtin_popcount(outcomes[i]));
    EQUAL(forbidden[i], 0);
  }
  return finish();
}
