/* SPDX-License-Identifier: Apache-2.0
 *
 * Random numbers are Linux's on every ground. */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static void show(const char *what) {
  printf("%s:", what);
  for (int n = 0; n < 4; n++) printf(" %ld", random());
  uint32_t all = 0;
  for (int n = 0; n < 1000; n++) all = all * 31 + (uint32_t)random();
  printf(" %u\n", (unsigned)all);
}

int main(void) {
  static _Alignas(uint32_t) char states[6][256];
  static const size_t sizes[] = {8, 31, 32, 64, 128, 256};
  printf("first: %d", rand());
  printf(" %d\n", rand());
  srand(0);
  show("seed 0");
  srandom(42);
  show("seed 42");
  srand(4000000000u);
  show("a large seed");
  char *const usual = initstate(7, states[0], sizes[0]);
  show("8 bytes");
  for (int n = 1; n < 6; n++) {
    if (initstate((unsigned)n, states[n], sizes[n]) != states[n - 1]) puts("another state");
    show("more bytes");
  }
  for (int n = 0; n < 6; n++) { /* where each was left */
    setstate(states[n]);
    show("again");
  }
  srandom(3);
  show("a seed of the largest");
  printf("%d %d\n", initstate(1, states[0], 7) == NULL, errno == EINVAL);
  show("as before");
  setstate(usual);
  show("the usual");
  unsigned own = 5;
  for (int n = 0; n < 5; n++) printf("%d ", rand_r(&own));
  printf("%u\n", own);
  return 0;
}
