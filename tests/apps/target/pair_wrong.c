/* SPDX-License-Identifier: Apache-2.0
 *
 * A program for two processors that goes wrong. WRONG 1: the results differ in the last word; 2: in length;
 * 3: far faults. */
#include <pair.h>

static uint32_t words[4];
static uint32_t room[4];

void pair_prepare(void) {}

uint32_t pair_alone(void) {
  pair_result(words, sizeof words);
  return 0;
}

void pair_near(void) {
  pair_to_far(words, sizeof words);
  uint32_t *const back = pair_from_far(room, sizeof room);
  pair_result(back, WRONG == 2 ? sizeof room - 4 : sizeof room);
}

void pair_far(void) {
  uint32_t *const got = pair_from_near(room, sizeof room);
  if (WRONG == 1) got[3] = 1;
  if (WRONG == 3) __builtin_trap();
  pair_to_near(got, sizeof room);
}
