/* SPDX-License-Identifier: Apache-2.0
 *
 * A journal as it is read: between what writes and reads it (journal.c) and what takes it back (undo.c). */
#ifndef CL_ENTRIES_H
#define CL_ENTRIES_H

#include "journal.h"

enum cl_kind {
  CL_KIND_FILE, CL_KIND_CPUS, CL_KIND_MASK, CL_KIND_CONTROLLER, CL_KIND_FOLDER, CL_KIND_GROUP, CL_KIND_THREAD,
  CL_KIND_AFFINITY, CL_KIND_SCOPE, CL_KIND_IRQBALANCE, CL_KIND_NOTE, CL_KINDS
};

struct cl_entry {
  enum cl_kind kind;
  size_t offset;
  bool undone;
  int tid; /* of group, thread, affinity */
  unsigned long long born;
  char *field[6];
};

struct cl_text {
  char *all; /* fields point in here */
  struct cl_reservation first;
  bool first_good, empty;
  struct cl_entry *entry;
  size_t count;
  size_t *damaged; /* line numbers */
  size_t damages;
};

/* Reads a journal; lines that cannot be read are counted as damaged, and so is a last line without its end. */
int cl_text_read(const char *path, struct cl_text *t);
void cl_text_free(struct cl_text *t);
/* Appends an entry, its kind first, to the journal that was read. */
int cl_text_add(const struct cl_text *to, const char *const *field, size_t count);
const char *cl_kind_name(enum cl_kind kind);

#endif
