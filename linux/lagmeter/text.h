/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Names of threads are others' bytes: any but 0. */
#ifndef LAG_TEXT_H
#define LAG_TEXT_H

#include <stddef.h>
#include <stdio.h>

#include "event.h"

#define LAG_SHOWN (4 * LAG_COMMAND) /* bytes of a name at most, escaped, with the end */

/* For a terminal: what would steer it, or is no UTF-8, is written as \xNN, and \ as \\. */
const char *lag_shown(const char *name, char shown[LAG_SHOWN]);
/* For JSON, without the quotes: ASCII; what is no UTF-8 is U+FFFD. How many bytes were written. */
size_t lag_json_text(FILE *to, const char *name);

#endif
