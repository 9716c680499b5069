/* SPDX-License-Identifier: Apache-2.0
 *
 * Part of our <sys/ipc.h>. */
#include <sys/ipc.h>
