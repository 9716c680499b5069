/* SPDX-License-Identifier: Apache-2.0
 *
 * Random numbers: for each seed the numbers of Linux's C library, so that a program that prints them prints the same on
 * every ground. Like there, all threads draw from one sequence; two that draw at the same moment may get the same
 * number. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

#define WEAK __attribute__((weak))

/* A number is the sum of those that came `words` and `words - apart` before; the smallest kind multiplies. */
static const struct {
  uint8_t words, apart;
} kinds[] = {{1, 0}, {7, 3}, {15, 1}, {31, 3}, {63, 1}};
enum { KINDS = sizeof kinds / sizeof *kinds, USUAL = 3, A_WORD = 127773 /* 2^31 / 16807 */ };

static uint32_t usual[1 + 31]; /* before its words, a state says what it is: KINDS * the next word + kind */
static uint32_t *state;        /* NULL: nobody has drawn, or chosen a seed */
static uint32_t *next;

static unsigned kind_of(const uint32_t *of) { return of[0] % KINDS; }

static uint32_t draw(void) {
  uint32_t *const words = state + 1;
  const unsigned kind = kind_of(state);
  if (!kinds[kind].apart) return words[0] = (words[0] * 1103515245 + 12345) & INT32_MAX;
  uint32_t *const end = words + kinds[kind].words, *const at = next;
  uint32_t *sum = at + kinds[kind].apart;
  if (sum >= end) sum -= kinds[kind].words;
  *sum += *at;
  next = at + 1 == end ? words : at + 1;
  return *sum >> 1;
}

static void begin(uint32_t *with, unsigned kind, uint32_t seed) {
  with[0] = kind;
  with[1] = seed ? seed : 1;
  for (unsigned n = 2; n <= kinds[kind].words; n++) { /* * 16807 modulo 2^31 - 1 */
    const int32_t before = (int32_t)with[n - 1], value = 16807 * (before % A_WORD) - 2836 * (before / A_WORD);
    with[n] = (uint32_t)(value < 0 ? value + INT32_MAX : value);
  }
  state = with;
  next = with + 1;
  if (kind)
    for (unsigned n = 0; n < 10u * kinds[kind].words; n++) draw();
}

static void need(void) {
  if (!state) begin(usual, USUAL, 1);
}

/* The state in use, which can be taken up again. */
static char *leave(void) {
  need();
  state[0] = kind_of(state) + KINDS * (uint32_t)(next - state - 1);
  return (char *)state;
}

WEAK long random(void) {
  need();
  return (long)draw();
}

WEAK void srandom(unsigned seed) { begin(state ? state : usual, state ? kind_of(state) : USUAL, seed); }

WEAK char *initstate(unsigned seed, char *place, size_t bytes) {
  unsigned kind = 0;
  if (bytes < 8) {
    errno = EINVAL;
    return NULL;
  }
  char *const before = leave();
  while (kind + 1 < KINDS && (kinds[kind + 1].words + 1) * sizeof(uint32_t) <= bytes) kind++;
  begin((uint32_t *)(void *)place, kind, seed);
  return before;
}

WEAK char *setstate(char *place) {
  uint32_t *const found = (uint32_t *)(void *)place;
  if (found[0] / KINDS >= kinds[kind_of(found)].words) {
    errno = EINVAL;
    return NULL;
  }
  char *const before = leave();
  state = found;
  next = found + 1 + found[0] / KINDS;
  return before;
}

WEAK int rand(void) { return (int)random(); }

WEAK void srand(unsigned seed) { srandom(seed); }

WEAK int rand_r(unsigned *seed) {
  unsigned result = 0;
  for (unsigned bits = 11, n = 0; n < 3; n++, bits = 10) {
    *seed = *seed * 1103515245 + 12345;
    result = result << 10 ^ (*seed >> 16 & ((1u << bits) - 1));
  }
  return (int)result;
}
