/* SPDX-License-Identifier: Apache-2.0
 *
 * The C library: <inttypes.h>, printf, scanf, strtod, and assert. */
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conformance.h"

static char text[400];

#define PRINTS(wanted, ...)                                                                               \
  do {                                                                                                    \
    const int length_ = snprintf(text, sizeof text, __VA_ARGS__);                                         \
    if (strcmp(text, wanted) != 0 || length_ != (int)strlen(wanted))                                      \
      SAY_AND_RETURN("fail line %d: printed '%.80s' (%d), not '%.80s'", __LINE__, text, length_, wanted); \
  } while (0)

/* A number in a base, most significant digit first. */
static const char *digits(uintmax_t value, unsigned base, bool upper, bool minus) {
  static char made[80];
  char *at = made + sizeof made - 1;
  *at = 0;
  do *--at = (upper ? "0123456789ABCDEF" : "0123456789abcdef")[value % base];
  while (value /= base);
  if (minus) *--at = '-';
  return at;
}

static const char *of_signed(intmax_t value) {
  return digits(value < 0 ? -(uintmax_t)value : (uintmax_t)value, 10, false, value < 0);
}

/* All types: X(name of the macros, signed type, unsigned type, smallest, largest, largest unsigned). */
#define TYPES(X)                                                                                \
  X(8, int8_t, uint8_t, INT8_MIN, INT8_MAX, UINT8_MAX)                                          \
  X(16, int16_t, uint16_t, INT16_MIN, INT16_MAX, UINT16_MAX)                                    \
  X(32, int32_t, uint32_t, INT32_MIN, INT32_MAX, UINT32_MAX)                                    \
  X(64, int64_t, uint64_t, INT64_MIN, INT64_MAX, UINT64_MAX)                                    \
  X(LEAST8, int_least8_t, uint_least8_t, INT_LEAST8_MIN, INT_LEAST8_MAX, UINT_LEAST8_MAX)       \
  X(LEAST16, int_least16_t, uint_least16_t, INT_LEAST16_MIN, INT_LEAST16_MAX, UINT_LEAST16_MAX) \
  X(LEAST32, int_least32_t, uint_least32_t, INT_LEAST32_MIN, INT_LEAST32_MAX, UINT_LEAST32_MAX) \
  X(LEAST64, int_least64_t, uint_least64_t, INT_LEAST64_MIN, INT_LEAST64_MAX, UINT_LEAST64_MAX) \
  X(FAST8, int_fast8_t, uint_fast8_t, INT_FAST8_MIN, INT_FAST8_MAX, UINT_FAST8_MAX)             \
  X(FAST16, int_fast16_t, uint_fast16_t, INT_FAST16_MIN, INT_FAST16_MAX, UINT_FAST16_MAX)       \
  X(FAST32, int_fast32_t, uint_fast32_t, INT_FAST32_MIN, INT_FAST32_MAX, UINT_FAST32_MAX)       \
  X(FAST64, int_fast64_t, uint_fast64_t, INT_FAST64_MIN, INT_FAST64_MAX, UINT_FAST64_MAX)       \
  X(MAX, intmax_t, uintmax_t, INTMAX_MIN, INTMAX_MAX, UINTMAX_MAX)                              \
  X(PTR, intptr_t, uintptr_t, INTPTR_MIN, INTPTR_MAX, UINTPTR_MAX)

/* The argument behind is still the next one. */
#define PRINTS_AS(macro, value, wanted)                       \
  do {                                                        \
    snprintf(expected, sizeof expected, "%s behind", wanted); \
    PRINTS(expected, "%" macro " %s", value, "behind");       \
  } while (0);
#define PRINTS_TYPE(name, S, U, least, most, all)                \
  PRINTS_AS(PRId##name, (S)(least), of_signed(least))            \
  PRINTS_AS(PRIi##name, (S)(most), of_signed(most))              \
  PRINTS_AS(PRIo##name, (U)(all), digits(all, 8, false, false))  \
  PRINTS_AS(PRIu##name, (U)(all), digits(all, 10, false, false)) \
  PRINTS_AS(PRIx##name, (U)(all), digits(all, 16, false, false)) \
  PRINTS_AS(PRIX##name, (U)(all), digits(all, 16, true, false))

TEST(inttypes, print, "every PRI macro prints the smallest and the largest value of its type") {
  char expected[100];
  TYPES(PRINTS_TYPE)
}

/* A number read has the type's size: the bytes next to it are as before. */
#define SCANS_AS(macro, T, from, wanted)                               \
  do {                                                                 \
    struct {                                                           \
      T before, value, behind;                                         \
    } at = {1, 2, 1};                                                  \
    IS(1, sscanf(from, "%" macro, &at.value));                         \
    TRUE(at.before == 1 && at.value == (T)(wanted) && at.behind == 1); \
  } while (0);
#define SCANS_TYPE(name, S, U, least, most, all)              \
  SCANS_AS(SCNd##name, S, of_signed(least), least)            \
  SCANS_AS(SCNi##name, S, of_signed(most), most)              \
  SCANS_AS(SCNo##name, U, digits(all, 8, false, false), all)  \
  SCANS_AS(SCNu##name, U, digits(all, 10, false, false), all) \
  SCANS_AS(SCNx##name, U, digits(all, 16, false, false), all)

TEST(inttypes, scan, "every SCN macro reads them, and writes nothing else") { TYPES(SCANS_TYPE); }

TEST(inttypes, functions, "imaxabs, imaxdiv, strtoimax and strtoumax have all bits") {
  TRUE(imaxabs(-INTMAX_MAX) == INTMAX_MAX);
  TRUE(imaxdiv(INTMAX_MAX, 1000).quot == INTMAX_MAX / 1000 && imaxdiv(-7, 2).rem == -1);
  TRUE(strtoimax("-9223372036854775808", NULL, 10) == INTMAX_MIN);
  TRUE(strtoumax("ffffffffffffffff", NULL, 16) == UINTMAX_MAX);
}

TEST(printf, integers, "lengths, flags, widths and precisions of integers") {
  PRINTS("-1 -1 -1 -1 -1 -1 -1", "%hhd %hd %d %ld %lld %jd %td", (signed char)-1, (short)-1, -1, -1L, -1LL,
         (intmax_t)-1, (ptrdiff_t)-1);
  PRINTS("255 65535 ffffffffffffffff 5", "%hhu %hu %llx %zu", (unsigned char)255, (unsigned short)65535, ~0ULL,
         (size_t)5);
  PRINTS("9223372036854775807 -9223372036854775808", "%lld %lld", INT64_MAX + 0LL, INT64_MIN + 0LL);
  PRINTS("[   42] [42   ] [00042] [+42] [ 42] [  042]", "[%5d] [%-5d] [%05d] [%+d] [% d] [%5.3d]", 42, 42, 42, 42, 42,
         42);
  PRINTS("0x2a 0X2A 052 0 0", "%#x %#X %#o %#x %#o", 42u, 42u, 42u, 0u, 0u);
  PRINTS("[] [0] [ ] [+]", "[%.0d] [%#.0o] [% .0d] [%+.0d]", 0, 0u, 0, 0);
  PRINTS("[0x0002a] [000000x2a]", "[%#07x] [%9s]", 42u, "000000x2a");
  PRINTS("[   -3] [-3   ] [-0003]", "[%*d] [%*d] [%.*d]", 5, -3, -5, -3, 4, -3);
  PRINTS("[7]", "[%.*d]", -1, 7);
}

TEST(printf, texts, "characters, strings, per cent") {
  PRINTS("a% [  b] [b  ] [ab] [   ab]", "%c%% [%3c] [%-3c] [%.2s] [%5.2s]", 'a', 'b', 'b', "abc", "abc");
  int before = 0;
  PRINTS("12345", "123%n45", &before);
  IS(3, before);
}

TEST(printf, numbered, "arguments by number, each with its own type") {
  PRINTS("c 5000000000 2.5 1", "%4$s %3$lld %2$g %1$d", 1, 2.5, 5000000000LL, "c");
  PRINTS("[    7] 7", "[%1$*2$d] %1$d", 7, 5);
}

TEST(printf, cut, "snprintf cuts, and returns what there would have been") {
  char small[4] = "xxx";
  const char *volatile longer = "longer";
  IS(6, snprintf(small, sizeof small, "%s", longer));
  IS(0, strcmp(small, "lon"));
  IS(6, snprintf(NULL, 0, "%s", longer));
}

TEST(printf, doubles, "f, e, g and a, exactly and half to even") {
  PRINTS("0.1 0.10000000000000001 0.1000000000000000055511151231257827", "%g %.17g %.34f", 0.1, 0.1, 0.1);
  PRINTS("1e+23 9.9999999999999992e+22 99999999999999991611392", "%g %.17g %.0f", 1e23, 1e23, 1e23);
  PRINTS("0 2 2 4", "%.0f %.0f %.0f %.0f", 0.5, 1.5, 2.5, 3.5);
  PRINTS("1.0e+01 9.5e+00 1e+01", "%.1e %.1e %.0e", 9.96, 9.5, 9.5);
  PRINTS("100000 1e+06 0.0001 1e-05 1.50000", "%g %g %g %g %#g", 1e5, 1e6, 1e-4, 1e-5, 1.5);
  PRINTS("-0.000000 inf -INF nan", "%f %f %F %f", -0.0, (double)INFINITY, -(double)INFINITY, (double)NAN);
  PRINTS("4.9406564584124654e-324 1.7976931348623157e+308", "%.17g %.17g", 0x1p-1074, 0x1.fffffffffffffp1023);
  PRINTS("[+00001.50] [1.5     ] [     inf]", "[%+09.2f] [%-8g] [%08g]", 1.5, 1.5, (double)INFINITY);
  PRINTS("0x1.8p+0 0x1p-3 -0x0p+0 0x0.0000000000001p-1022", "%a %a %a %a", 1.5, 0.125, -0.0, 0x1p-1074);
  PRINTS("1.25 5", "%Lg %d", 1.25L, 5);
}

TEST(strtod, rounding, "it is rounded to the next double, and halfway to even") {
  TRUE(strtod("9007199254740993", NULL) == 9007199254740992.0);
  TRUE(strtod("9007199254740993.00000000000000000000000000000001", NULL) == 9007199254740994.0);
  TRUE(strtod("1.00000000000000011102230246251565404236316680908203125", NULL) == 1.0);
  TRUE(strtod("1.00000000000000011102230246251565404236316680908203126", NULL) == 1.0 + 0x1p-52);
  TRUE(strtod("2.2250738585072011e-308", NULL) == 0x0.fffffffffffffp-1022);
  TRUE(strtod("6.9294956446009195e15", NULL) == 6929495644600919.5);
  TRUE(strtod("0x1.8p1", NULL) == 3.0);
  TRUE(strtof("16777217", NULL) == 16777216.0f);
  TRUE(strtof("16777217.0000001", NULL) == 16777218.0f);
  TRUE(strtold("0.5", NULL) == 0.5L);
}

TEST(strtod, range, "ERANGE for a number that is too large, or so small that bits are lost") {
  errno = 0;
  TRUE(strtod("1e309", NULL) == HUGE_VAL);
  IS(ERANGE, errno);
  errno = 0;
  TRUE(strtod("-1e-400", NULL) == 0);
  IS(ERANGE, errno);
  errno = 0;
  TRUE(strtod("3e-324", NULL) == 0x1p-1074);
  IS(ERANGE, errno);
  errno = 0;
  TRUE(strtod("1.7976931348623157e308", NULL) == 0x1.fffffffffffffp1023);
  TRUE(strtof("1e38", NULL) == 1e38f);
  IS(0, errno);
  TRUE(strtof("1e39", NULL) == HUGE_VALF);
  IS(ERANGE, errno);
}

TEST(strtod, end, "the end is behind the longest number") {
  static const struct {
    const char *text;
    int length;
  } cases[] = {{"1e5x", 3},  {"1ex", 1}, {"1e+", 1}, {" -.5.", 4},     {".", 0}, {"", 0},
               {"0x.8p", 4}, {"0xz", 1}, {"inf", 3}, {"infinitum", 3}, {"e1", 0}};
  for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
    char *end;
    (void)strtod(cases[i].text, &end);
    IS(cases[i].length, end - cases[i].text);
  }
}

TEST(strtod, round_trip, "what %.17g prints is read back as the same double") {
  uint64_t bits = 88172645463325252u;
  for (int i = 0; i < 12; i++) {
    double value;
    bits ^= bits << 13, bits ^= bits >> 7, bits ^= bits << 17;
    const uint64_t finite = bits % 0x7ff0000000000000u;
    memcpy(&value, &finite, sizeof value);
    snprintf(text, sizeof text, "%.17g", value);
    TRUE(strtod(text, NULL) == value);
  }
}

TEST(scanf, integers, "bases, signs, widths, and what is skipped") {
  int a = 0, b = 0, c = 0, d = 0;
  IS(4, sscanf("12 0x1f 017 -9", "%d %i %i %d", &a, &b, &c, &d));
  TRUE(a == 12 && b == 31 && c == 15 && d == -9);
  IS(2, sscanf("12345", "%2d%*1d%d", &a, &b));
  TRUE(a == 12 && b == 45);
  IS(2, sscanf("1,2", "%d,%d", &a, &b));
  IS(1, sscanf("1;2", "%d,%d", &a, &b));
  IS(0, sscanf("x", "%d", &a));
  IS(EOF, sscanf("", "%d", &a));
  IS(EOF, sscanf("  ", "%d", &a));
  IS(1, sscanf("7", "%d %d", &a, &b));
  unsigned x = 0;
  IS(1, sscanf("0xFfz", "%x", &x));
  IS(255, x);
}

TEST(scanf, texts, "words, sets, characters, and the number of characters read") {
  char word[10], set[10], letters[3] = "--";
  int count = 0;
  IS(3, sscanf("ab cd:efg", "%9s %9[^:]:%2c%n", word, set, letters, &count));
  TRUE(!strcmp(word, "ab") && !strcmp(set, "cd") && !memcmp(letters, "ef", 2));
  IS(8, count);
  IS(1, sscanf("a-]b", "%9[]a-]", set));
  IS(0, strcmp(set, "a-]"));
  IS(0, sscanf("x", "%9[a-f]", set));
  IS(2, sscanf("100%x", "%d%%%1s", &count, word));
}

TEST(scanf, doubles, "float, double, and what does not match") {
  float f = 0;
  double d = 0;
  IS(2, sscanf("1.5e2 -inf", "%f %lf", &f, &d));
  TRUE(f == 150 && d == -(double)INFINITY);
  IS(1, sscanf("2.2250738585072011e-308", "%lf", &d));
  TRUE(d == 0x0.fffffffffffffp-1022);
  IS(0, sscanf("-x", "%f", &f));
  IS(1, sscanf("123456", "%3f", &f));
  TRUE(f == 123);
}

TEST(scanf, numbered, "arguments by number") {
  int a = 0, b = 0;
  IS(2, sscanf("1 2", "%2$d %1$d", &a, &b));
  TRUE(a == 2 && b == 1);
}

TEST(assert, evaluates, "its expression is evaluated, unless NDEBUG is defined when the header is included") {
  int made = 0;
  assert(++made);
  IS(1, made);
#define NDEBUG
#include <assert.h>
  assert(++made);
  IS(1, made);
#undef NDEBUG
#include <assert.h>
}
