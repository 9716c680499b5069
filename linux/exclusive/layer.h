/* SPDX-License-Identifier: Apache-2.0
 *
 * The record of a reservation: a layer over the baseline (baseline.h). While its tool is alive it owns its CPUs; once
 * the tool has ended, in whatever way, the layer tells that something has to be undone.
 *
 * A text file, /run/coreloom-exclusive/ID.layer, ID being the tool's pid. One entry per line (lines.h):
 *
 *   coreloom-exclusive 3   BOOT-ID   TOOL-PID   BORN   CPUS   COMMAND      the first line
 *   group   PID BORN OLD NEW              the program's process was moved to another cgroup, both directories
 *   scope   NAME                          a transient unit requested from systemd
 *   note    KEY VALUE                     trying MECHANISM (being set up), mechanism NAME (in force), program "PID BORN",
 *                                         wish LIST (CPUs the program had requested), use LIST, via LIST, before (counters), ended (taken back), moved (this file was removed
 *                                         by hand, and is rewritten);
 *                                         of several processes, also "PID BORN" for each but the first; of a cgroup or
 *                                         unit, cgroup FOLDER: its processes are the program; of `run --unit`, unit NAME:
 *                                         the scope's name, whose entry still has our number;
 *                                         scoped: no, systemd was asked for it and has not answered yet; yes, it has
 *
 * Directories of this tool are known by the reservation's number: coreloom-ID and coreloom-ID-idle in a cgroup mount,
 * coreloom_ID.slice, a trace instance coreloom-ID. An entry is written before its change, so that whenever the tool is
 * killed no more has been done than is recorded. */
#ifndef CL_LAYER_H
#define CL_LAYER_H

#include <stdbool.h>
#include <stddef.h>

#include "cpus.h"
#include "files.h"

struct cl_layer {
  int fd; /* -1: nothing is recorded (plan) */
  char path[CL_PATH_MOST];
};

/* The first line and the last notes. */
struct cl_reservation {
  char path[CL_PATH_MOST];
  char boot[40];
  int tool; /* pid, and the reservation's number; 0: its first line cannot be read */
  int id;   /* by the name of the file */
  unsigned long long born;
  struct cl_cpus cpus;
  char mechanism[32]; /* that holds, or "" */
  char trying[32];    /* that is being set up, or the one that holds */
  char command[256];
  bool alive; /* its tool lives, in this boot: it holds its lock (state.h) */
  bool watched; /* its watcher lives */
  bool foreign; /* written by another version of this tool, in this boot */
  bool ended; /* it was undone by another tool */
};

enum cl_entry_kind { CL_ENTRY_GROUP, CL_ENTRY_SCOPE, CL_ENTRY_NOTE, CL_ENTRIES };

struct cl_entry {
  enum cl_entry_kind kind;
  int tid; /* of group */
  unsigned long long born;
  char *field[4];
};

/* A layer, read. */
struct cl_text {
  char *all; /* fields point in here */
  struct cl_reservation first;
  struct cl_entry *entry;
  size_t count;
  size_t *damaged; /* numbers of lines that cannot be read */
  size_t damages;
  bool empty; /* the tool was killed before the first line */
  bool strange; /* no file: a FIFO, say. Nothing is read of it */
};

int cl_layer_open(struct cl_layer *layer, const struct cl_reservation *first);
/* Appends an entry, its kind first. */
int cl_layer_add(const struct cl_layer *layer, const char *const *field, size_t count);
int cl_layer_put_note(const struct cl_layer *layer, const char *key, const char *value);
/* Writes the file again where it has been removed, unless another tool has ended the reservation (true in *ended). */
int cl_layer_keep(struct cl_layer *layer, bool *ended);

/* Its tool, if it lives, is told by this that the file's removal was no accident. */
void cl_layer_mark_ended(const char *path);

/* EPROTO: another version of this tool has written it, in this boot. */
int cl_layer_read(const char *path, struct cl_text *t);
void cl_layer_free(struct cl_text *t);
/* Last value noted for KEY, or NULL. */
const char *cl_layer_value(const struct cl_text *t, const char *key);
void cl_layer_path(int id, char path[CL_PATH_MOST]);

#endif
