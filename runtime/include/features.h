/* SPDX-License-Identifier: Apache-2.0
 *
 * The name that other C libraries have for it. */
#include <sys/features.h>
