/* SPDX-License-Identifier: Apache-2.0
 *
 * The name that other C libraries have for it; on a host this is theirs. */
#if __has_include(<sys/features.h>)
#include <sys/features.h>
#else
#include_next <features.h>
#endif
