/* SPDX-License-Identifier: Apache-2.0
 *
 * One thread: the primes below 2 000 by trial division. */
#include <stdio.h>

int main(void) {
  int primes = 0;
  for (int n = 2; n < 2000; n++) {
    int d = 2;
    while (d * d <= n && n % d != 0) d++;
    primes += d * d > n;
  }
  printf("%d primes\n", primes);
}
