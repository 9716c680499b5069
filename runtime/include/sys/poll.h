/* SPDX-License-Identifier: Apache-2.0
 *
 * The old name of <poll.h>. */
#include <poll.h>
