/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "layers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "baseline.h"
#include "say.h"
#include "state.h"

struct gather {
  struct cl_reservation *list;
  size_t count;
};

static int add(struct gather *g, const struct cl_reservation *one) {
  struct cl_reservation *more = realloc(g->list, (g->count + 1) * sizeof *more);
  if (more) (g->list = more)[g->count++] = *one;
  return more ? 0 : ENOMEM;
}

static int add_layer(void *context, const char *name) {
  struct cl_text t;
  const char *path = cl_path(CL_STATE "/%s", name);
  if (!cl_has_end(name, ".layer")) return 0;
  int error = cl_layer_read(path, &t);
  if (error) return error == ENOENT ? 0 : error; /* it has ended meanwhile */
  if (t.strange) cl_warn("%s is no file of this tool: ignored, remove it", path);
  error = t.strange ? 0 : add(context, &t.first);
  cl_layer_free(&t);
  return error;
}

static int add_removed(void *context, const struct cl_opens *of, const struct cl_reservation *one) {
  struct gather *g = context;
  bool new = of->layer_removed;
  for (size_t i = 0; new && i < g->count; i++) new = g->list[i].id != one->id;
  return new ? add(g, one) : 0;
}

/* The layers have together just the CPUs that the baseline says are held. */
static bool add_up(const struct gather *g) {
  struct cl_baseline b;
  struct cl_cpus all = cl_cpus_none();
  for (size_t i = 0; i < g->count; i++) all = cl_cpus_or(&all, &g->list[i].cpus);
  if (cl_baseline_look(&b, CL_BASELINE)) return false;
  bool same = cl_cpus_equal(&all, &b.held);
  cl_baseline_free(&b);
  return same;
}

static int by_tool(const void *a, const void *b) {
  const struct cl_reservation *x = a, *y = b;
  return x->tool != y->tool ? (x->tool > y->tool) - (x->tool < y->tool) : strcmp(x->path, y->path);
}

int cl_layers(struct cl_reservation **list, size_t *count) {
  struct gather g = {NULL, 0};
  int error = cl_list(CL_STATE, add_layer, &g);
  if (error == ENOENT) error = 0;
  if (!error && !add_up(&g)) error = cl_state_alive(add_removed, &g);
  if (error) {
    free(g.list);
    g = (struct gather){NULL, 0};
  } else if (g.count) {
    qsort(g.list, g.count, sizeof *g.list, by_tool);
  }
  *list = g.list;
  *count = g.count;
  return error;
}
