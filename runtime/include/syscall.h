/* SPDX-License-Identifier: Apache-2.0
 *
 * The old name of <sys/syscall.h>. */
#include <sys/syscall.h>
