/* SPDX-License-Identifier: Apache-2.0
 *
 * The old name of <limits.h>. */
#include <limits.h>
#define MAXINT INT_MAX
#define MININT INT_MIN
#define MAXLONG LONG_MAX
