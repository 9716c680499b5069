/* SPDX-License-Identifier: Apache-2.0
 *
 * <setjmp.h>. */
#include <setjmp.h>
#include <stdio.h>

static jmp_buf place;

static void deeper(int left, double value) {
  if (!left) longjmp(place, (int)value);
  deeper(left - 1, value + 1);
  puts("not reached");
}

int main(void) {
  volatile int rounds = 0;
  const int value = setjmp(place);
  printf("%d %d\n", value, rounds);
  if (rounds++ < 2) deeper(3, rounds);
  if (value == 5) longjmp(place, 0);
  return value;
}
