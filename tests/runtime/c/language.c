/* SPDX-License-Identifier: Apache-2.0
 *
 * What the compiler does by itself or by its library: 64 bits, doubles, bits, structures, variable arrays, atomics. */
#include <complex.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct bits {
  unsigned a : 3;
  int b : 5;
  unsigned long long c : 40;
};

static volatile long long left = -1234567890123456789, right = 987654321;
static volatile unsigned long long wide = 0xfedcba9876543210;
static volatile double x = 1.5, y = -0.1;
static _Atomic int counter;
static _Atomic long long big;

static int total(int count, int numbers[count]) {
  int sum = 0, copy[count];
  memcpy(copy, numbers, sizeof copy);
  for (int i = 0; i < count; i++) sum += copy[i];
  return sum;
}

int main(void) {
  printf("%lld %lld %lld %lld\n", left / right, left % right, left * right, left >> 7);
  printf("%llu %llu %llx %llx\n", wide / 10, wide % 1000000007, wide << 13, wide >> 33);
  printf("%.17g %.17g %.17g %.17g\n", x + y, x - y, x * y, x / y);
  printf("%d %d %u %lld %lld\n", (int)x, (int)(y * 100), (unsigned)(x * 2e9), (long long)(x * 1e15),
         (long long)(y * 1e17));
  printf("%.17g %.17g %.9g\n", (double)left, (double)wide, (double)(float)0.1);
  struct bits bits = {5, -9, 0x123456789a};
  printf("%u %d %llx\n", bits.a, bits.b, (unsigned long long)bits.c);
  int numbers[] = {1, 2, 3, [6] = 7};
  printf("%d\n", total(7, numbers));
  for (int i = 0; i < 10; i++) atomic_fetch_add(&counter, i);
  atomic_store(&big, 1LL << 40);
  long long expected = 1LL << 40;
  printf("%d %d %lld\n", counter, atomic_compare_exchange_strong(&big, &expected, 5), (long long)big);
  printf("%lld %d\n", atomic_load(&big), atomic_exchange(&counter, 3)); /* values, of no atomic type */
  static const char *plain = "plain", *seen; /* gcc takes an object that is not declared _Atomic */
  seen = plain;
  printf("%d", atomic_compare_exchange_strong(&plain, &seen, "exchanged"));
  printf(" %s %s\n", atomic_load(&plain), atomic_exchange(&plain, NULL));
  printf("%d %d %d\n", __builtin_popcount(0xf0f0), __builtin_clzll(1), __builtin_ctz(8));
  printf("%d %d %d\n", (int)alignof(double),
         (int)offsetof(
             struct {
               char c;
               double d;
             },
             d),
         (int)sizeof(bool));
  double complex z = 3 + 4 * I;
  z *= 1 - 2 * I;
  printf("%g %g\n", creal(z), cimag(z));
  printf("%s %d %s\n", __func__, __STDC_HOSTED__, _Generic(1.0f, float: "float", double: "double"));
  printf("%Lg %.3Lf\n", 2.5L, (long double)x);
  return 0;
}
