/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers from text, and their limits: <stdlib.h>, <limits.h>, <float.h>, <stdint.h>, <errno.h>. */
#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static void number(const char *text, int base) {
  char *end;
  errno = 0;
  const long long value = strtoll(text, &end, base);
  printf("%s: %lld, end %d, %s", text, value, (int)(end - text), errno == ERANGE ? "range" : errno ? "error" : "ok");
  errno = 0;
  const unsigned long long all = strtoull(text, &end, base);
  printf("; %llu, end %d, %s\n", all, (int)(end - text), errno == ERANGE ? "range" : errno ? "error" : "ok");
}

int main(void) {
  number("  42x", 10);
  number("-0x7f", 0);
  number("0778", 0);
  number("0x", 16);
  number("zZ", 36);
  number("+", 10);
  number("9223372036854775808", 10);
  number("-9223372036854775809", 10);
  number("18446744073709551616", 10);
  number("-1", 10);
  printf("%d %d %d\n", atoi(" -12a"), atoi(""), (int)atol("+7"));
  printf("%d %d %d %d\n", div(-7, 2).quot, div(-7, 2).rem, (int)ldiv(7, -2).quot, (int)lldiv(-7, -2).rem);
  printf("%d %lld\n", abs(-5), llabs(-5000000000LL));
  printf("%d %d %d %u\n", CHAR_BIT, INT_MAX, INT_MIN, UINT_MAX);
  printf("%d %d %d %lld %llu\n", SCHAR_MIN, SHRT_MAX, USHRT_MAX, LLONG_MIN, ULLONG_MAX);
  printf("%d %d %g %.17g %.17g %d\n", DBL_DIG, DBL_MANT_DIG, DBL_EPSILON, DBL_MAX, DBL_MIN, FLT_DIG);
  printf("%d %d %d %d\n", DBL_MAX_EXP, DBL_MIN_10_EXP, FLT_RADIX, DECIMAL_DIG >= 17);
  printf("%" PRId64 " %" PRIu64 " %" PRIx32 "\n", INT64_MIN, UINT64_MAX, UINT32_MAX);
  printf("%d %d %d\n", (int)sizeof(int64_t), (int)sizeof(intmax_t), (int)sizeof(double));
  printf("%g %g %g\n", atof("1.5e3"), strtod("0x1p-2", NULL), (double)strtof("3.4028235e38", NULL));
  printf("%d %d\n", RAND_MAX >= 32767, MB_LEN_MAX >= 1);
  srand(1);
  const int first = rand();
  srand(1);
  printf("%d %d\n", first == rand(), first >= 0 && first <= RAND_MAX);
  return 0;
}
