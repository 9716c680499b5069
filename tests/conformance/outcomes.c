/* SPDX-License-Identifier: Apache-2.0
 *
 * A test for each outcome. */
#include "conformance.h"

TEST(one, passes, "a test that passes") {}

TEST(two, fails, "a test that fails") { IS(3, 2 + 2); }

TEST(three, untested, "a test that cannot be made") { UNTESTED("no reason"); }

TEST(four, exits, "a test that ends the program") { exit(5); }

TEST(five, fails_by_errno, "a test of errno") { FAILS(ENOENT, (errno = EPERM, -1)); }

TEST(six, hangs, "a test that does not end") {
  for (volatile int i = 0;; i++) continue;
}

TEST(seven, is_run, "a test behind it") {}
