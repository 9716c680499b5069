/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The report, as a table for people and as JSON. */
#ifndef LAG_REPORT_H
#define LAG_REPORT_H

#include "source.h"

#define LAG_JSON_THREADS 200

/* The `rows` threads that were furthest behind or ahead. */
int lag_print(FILE *to, const struct lag_source *s, uint32_t rows);
int lag_write_json(FILE *to, const struct lag_source *s);

#endif
