/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The timeline as Chrome trace JSON, which ui.perfetto.dev opens: CPUs and threads as in src/coreloom/simulation/trace.py, and a
 * counter of lag for each thread. It goes to the file as it comes, up to a size. */
#ifndef LAG_PERFETTO_H
#define LAG_PERFETTO_H

#include "meter.h"

#define LAG_TIMELINE_MOST (512u << 20) /* bytes; a browser can open few larger ones */

struct lag_perfetto {
  FILE *to;
  struct lag_meter *meter;
  uint64_t most, written;
  uint64_t full_ns; /* nothing was written from then on but names; 0: it has all */
};

/* Gets told by the meter from now on. */
void lag_perfetto_begin(struct lag_perfetto *p, FILE *to, struct lag_meter *m, uint64_t most);
void lag_perfetto_end(struct lag_perfetto *p);

#endif
