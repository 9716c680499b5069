/* SPDX-License-Identifier: Apache-2.0
 *
 * Files of reservations: what is taken is sound, can be written and is read back the same. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz.h"
#include "layer.h"
#include "layers.h"

static const char *const words[] = {"note\t",
                                    "group\t",
                                    "scope\t",
                                    "\tmechanism\tisolated\n",
                                    "ended",
                                    "/..",
                                    "/../",
                                    "\t",
                                    "\n",
                                    "\\t",
                                    "\\n",
                                    "\r",
                                    FUZZ_FILE "/run/coreloom-exclusive/200.layer" FUZZ_TEXT "coreloom-exclusive 3\t",
                                    NULL};

static void check_path(const char *path) {
  size_t length = strlen(path);
  fuzz_check(*path == '/' && length < CL_PATH_MOST, "'%s' is taken for a path", path);
  fuzz_check(!strstr(path, "/../") && (length < 3 || strcmp(path + length - 3, "/..") != 0), "'%s' leads up", path);
}

static void check(const struct cl_text *t) {
  const struct cl_reservation *r = &t->first;
  fuzz_check(r->tool >= 0 && r->id >= 0, "reservation %d, tool %d", r->id, r->tool);
  fuzz_note(&r->cpus, sizeof r->cpus);
  fuzz_note_text(r->boot), fuzz_note_text(r->command), fuzz_note_text(r->mechanism);
  fuzz_note_number(r->born), fuzz_note_number(t->count), fuzz_note_number(t->damages);
  for (size_t i = 0; i < t->count; i++) {
    const struct cl_entry *e = &t->entry[i];
    fuzz_note_number(e->kind);
    fuzz_note_text(e->field[0]);
    if (e->kind != CL_ENTRY_GROUP) continue;
    fuzz_check(e->tid > 0, "task %d of '%s'", e->tid, e->field[0]);
    fuzz_check(strtoull(e->field[0], NULL, 10) == (unsigned long long)e->tid, "'%s' is read as task %d", e->field[0],
               e->tid);
    check_path(e->field[2]), check_path(e->field[3]);
  }
}

static void write_again(const struct cl_text *t) {
  static const char *const kind[] = {"group", "scope", "note"};
  static const size_t fields[] = {4, 1, 2};
  struct cl_reservation first = t->first;
  struct cl_layer layer;
  struct cl_text again;
  first.tool = INT_MAX;
  if (cl_layer_open(&layer, &first)) return;
  for (size_t i = 0; i < t->count; i++) {
    const char *field[5] = {kind[t->entry[i].kind]};
    for (size_t j = 0; j < fields[t->entry[i].kind]; j++) field[j + 1] = t->entry[i].field[j];
    if (cl_layer_add(&layer, field, fields[t->entry[i].kind] + 1)) break;
  }
  close(layer.fd);
  fuzz_check(cl_layer_read(layer.path, &again) == 0, "what was written cannot be read");
  fuzz_check(again.damages == 0 && again.count == t->count && again.first.tool == INT_MAX && again.first.id == INT_MAX,
             "%zu entries were written, %zu and %zu damaged ones read", t->count, again.count, again.damages);
  fuzz_check(strcmp(again.first.command, first.command) == 0 && cl_cpus_equal(&again.first.cpus, &first.cpus),
             "another first line is read");
  for (size_t i = 0; i < t->count; i++)
    for (size_t j = 0; j < fields[t->entry[i].kind]; j++)
      fuzz_check(strcmp(again.entry[i].field[j], t->entry[i].field[j]) == 0, "entry %zu is another", i);
  cl_layer_free(&again);
}

static void run(const char *data, size_t size) {
  struct cl_reservation *list;
  struct cl_text t;
  size_t count;
  fuzz_tree(data, size);
  if (cl_layers(&list, &count)) return;
  for (size_t i = 0; i < count; i++) {
    if (cl_layer_read(list[i].path, &t)) continue;
    check(&t);
    if (t.first.tool && i == 0) write_again(&t);
    cl_layer_free(&t);
  }
  free(list);
}

FUZZ_TARGET(layer, .run = run, .words = words, .most = 40000)
