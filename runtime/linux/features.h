/* SPDX-License-Identifier: Apache-2.0
 *
 * The headers are newer than the library: with _GNU_SOURCE they would have names of C23 that older programs define. */
#include_next <features.h>
#if !defined(__STDC_VERSION__) || __STDC_VERSION__ <= 201710L
#undef __GLIBC_USE_ISOC23
#define __GLIBC_USE_ISOC23 0
#endif
