/* SPDX-License-Identifier: Apache-2.0
 *
 * Part of our <sys/socket.h>. */
#include <sys/socket.h>
