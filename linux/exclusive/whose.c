/* SPDX-License-Identifier: Apache-2.0 */
#include "whose.h"

/* Columns: written, base, rest, stranded, freed, sent, program, other. o: ours to set; t: theirs to keep; -: left
 * alone; .: cannot be read. A file that was never written is its owner's; a task that was not may still have lost CPUs
 * by what it asked for, or by the kernel, while others were held: also ones that only its cpuset lacks just now. */
static const char table[CL_SORTS][CL_RECORDS][CL_READINGS + 1] = {
    [CL_SORT_FILE] = {"---....-", "ooo....t", "........"},
    [CL_SORT_IRQ] = {"----...-", "oooo...t", "........"},
    [CL_SORT_TASK] = {"ooooo-.-", "oooooo.t", "ooooooot"},
    [CL_SORT_THREAD] = {"ooooo-.-", "oooooo.t", "........"},
};

static bool empty(const struct cl_cpus *cpus) { return cl_cpus_count(cpus) == 0; }

static bool within(const struct cl_cpus *some, const struct cl_cpus *all) {
  struct cl_cpus out = cl_cpus_minus(some, all);
  return empty(&out);
}

static struct cl_cpus loose(const struct cl_ground *g) { return cl_cpus_or(&g->held, &g->away); }

bool cl_alike(const struct cl_ground *g, const struct cl_cpus *one, const struct cl_cpus *other) {
  struct cl_cpus free = loose(g), x = cl_cpus_minus(one, &free), y = cl_cpus_minus(other, &free);
  return cl_cpus_equal(&x, &y);
}

static bool is_written(const struct cl_value *v) {
  for (size_t i = 0; i < v->writes; i++) {
    struct cl_cpus shown = cl_cpus_and(&v->written[i], &v->may);
    if (cl_cpus_equal(&v->now, &shown)) return true;
  }
  return false;
}

/* A value that was never written can only have lost CPUs of its base. */
static bool is_base(const struct cl_ground *g, const struct cl_value *v) {
  struct cl_cpus shown = cl_cpus_and(&v->base, &v->may);
  if (v->record == CL_RECORD_WAS && !within(&v->now, &v->base)) return false;
  return cl_alike(g, &v->now, &v->base) || cl_alike(g, &v->now, &shown);
}

static bool is_rest(const struct cl_ground *g, const struct cl_value *v) {
  struct cl_cpus none = cl_cpus_none(), most = cl_cpus_and(&g->online, &v->may);
  return cl_alike(g, &v->base, &none) && (cl_alike(g, &v->now, &most) || cl_alike(g, &v->now, &g->online));
}

/* Of a task that the holding left without any CPU the kernel still knows what it asked for, and lends it others. */
static bool is_stranded(const struct cl_ground *g, const struct cl_value *v) {
  const struct cl_cpus *had = v->sort == CL_SORT_IRQ && v->writes ? &v->written[0] : &v->base;
  struct cl_cpus free = loose(g), left = cl_cpus_minus(had, &g->held), gone = cl_cpus_and(had, &g->away);
  if (v->sort == CL_SORT_FILE) return false;
  /* A program whose own CPUs went away is wherever the kernel has put it since. */
  if (v->record == CL_RECORD_PROGRAM && v->writes && within(&v->written[0], &g->away)) return true;
  if (empty(&left) && empty(&gone)) return false;
  if (empty(&v->now)) return true; /* it sleeps: the kernel does so when it wakes */
  struct cl_cpus missing = cl_cpus_minus(&g->online, &v->now);
  left = cl_cpus_minus(&left, &free);
  missing = cl_cpus_minus(&missing, &free);
  return empty(&left) && empty(&missing);
}

static bool is_freed(const struct cl_ground *g, const struct cl_value *v) {
  if (v->sort == CL_SORT_FILE || v->sort == CL_SORT_IRQ) return false;
  if (g->forgets && cl_alike(g, &v->now, &v->may)) return true;
  return (g->forgets || v->sort == CL_SORT_THREAD) && cl_alike(g, &v->now, &g->online);
}

static bool is_sent(const struct cl_ground *g, const struct cl_value *v) {
  if (empty(&v->via) || !within(&v->now, &v->via)) return false;
  bool of_base = within(&v->now, &v->base) || within(&v->base, &g->held);
  for (size_t i = 0; !of_base && i < v->writes && (g->forgets || v->sort == CL_SORT_THREAD); i++)
    of_base = within(&v->now, &v->written[i]);
  return of_base;
}

enum cl_reading cl_reading(const struct cl_ground *g, const struct cl_value *v) {
  if (is_written(v)) return CL_READS_WRITTEN;
  if (is_base(g, v)) return CL_READS_BASE;
  if (is_rest(g, v)) return CL_READS_REST;
  if (is_stranded(g, v)) return CL_READS_STRANDED;
  if (is_freed(g, v)) return CL_READS_FREED;
  if (is_sent(g, v)) return CL_READS_SENT;
  if (v->record == CL_RECORD_PROGRAM && within(&v->now, &v->program)) return CL_READS_PROGRAM;
  return CL_READS_OTHER;
}

enum cl_whose cl_whose(enum cl_sort sort, enum cl_record record, enum cl_reading reading) {
  switch (table[sort][record][reading]) {
    case 'o': return CL_OURS_TO_SET;
    case 't': return CL_THEIRS_TO_KEEP;
    default: return CL_LEFT_ALONE;
  }
}
