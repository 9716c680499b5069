/* SPDX-License-Identifier: Apache-2.0
 *
 * <math.h>: exact functions and special values; the others to 12 digits. */
#include <errno.h>
#include <fenv.h>
#include <math.h>
#include <stdio.h>

int main(void) {
  printf("%.17g %.17g %.17g\n", sqrt(2), fmod(-7.5, 2), fma(3, 4, 5));
  printf("%g %g %g %g %g %g\n", floor(-1.5), ceil(-1.5), trunc(-1.5), round(-1.5), rint(2.5), nearbyint(-2.5));
  printf("%ld %lld %ld\n", lround(2.5), llround(-2.5), lrint(3.5));
  int e;
  printf("%g %d", frexp(48, &e), e);
  double whole;
  printf(" %g %g", modf(-3.25, &whole), whole);
  printf(" %g %g %g\n", ldexp(0.75, 4), copysign(1, -0.0), nextafter(1, 2) - 1);
  printf("%.12g %.12g %.12g %.12g\n", sin(1), cos(1), tan(1), atan2(-1, -1));
  printf("%.12g %.12g %.12g %.12g\n", exp(1), log(10), log2(8), log10(1000));
  printf("%.12g %.12g %.12g\n", pow(2, 0.5), cbrt(27), hypot(3, 4));
  printf("%.12g %.12g %.12g\n", tgamma(5), lgamma(10), erf(0.5));
  printf("%g %g %g %d %d\n", 1 / -INFINITY, log(0), sqrt(-1) != sqrt(-1) ? 1.0 : 0.0, isnan(NAN) != 0,
         isinf(-INFINITY) != 0);
  printf("%d %d %d\n", fpclassify(0.0) == FP_ZERO, signbit(-0.0) != 0, isfinite(1e308 * 10) != 0);
  printf("%.9g %.6g\n", (double)sqrtf(2), (double)sinf(1));
  printf("%g %g %g\n", fmax(1, NAN), fmin(-1, 2), fdim(5, 3));
  printf("%g %g\n", remainder(7, 4), fabs(-3));
  errno = 0;
  printf("%d\n", log(-1) != log(-1) && errno == EDOM);
  errno = 0;
  printf("%d\n", exp(1000) == HUGE_VAL && errno == ERANGE);
  return 0;
}
