/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The timeline as Chrome trace JSON, which ui.perfetto.dev opens: CPUs and threads as in src/coreloom/trace.py, and a
 * counter of lag for each thread. */
#ifndef LAG_PERFETTO_H
#define LAG_PERFETTO_H

#include "meter.h"

struct lag_perfetto {
  FILE *to;
  const struct lag_meter *meter;
};

/* Gets told by the meter from now on. */
void lag_perfetto_begin(struct lag_perfetto *p, FILE *to, struct lag_meter *m);
void lag_perfetto_end(struct lag_perfetto *p);

#endif
