/* SPDX-License-Identifier: Apache-2.0 */
#include "restore.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "say.h"

void cl_journal_of(int tool, char path[CL_PATH_MOST]) {
  snprintf(path, CL_PATH_MOST, "%s/%d.journal", CL_JOURNALS, tool);
}

/* 0: all of it is as before. */
static int take_back(const struct cl_reservation *r) {
  struct cl_restored done;
  int error = cl_journal_restore(r->path, 0, &done);
  const char *name = strrchr(r->path, '/') + 1;
  int length = (int)strcspn(name, ".");
  if (error && error != EIO) return cl_fail("%s cannot be taken back: %s", r->path, strerror(error));
  cl_say("reservation %.*s: %d changes taken back, %d were as before", length, name, done.done, done.already);
  if (done.foreign) cl_say("reservation %.*s: %d left, as others have changed them", length, name, done.foreign);
  if (done.failed)
    cl_warn("reservation %.*s: %d changes could not be taken back: its journal stays, repeat `restore %.*s`", length, name,
            done.failed, length, name);
  return done.failed || done.damaged;
}

int cl_restore_dead(void) {
  struct cl_reservation *list;
  size_t count;
  int dead = 0;
  if (cl_journal_list(&list, &count)) return 0;
  for (size_t i = 0; i < count; i++) {
    if (list[i].alive) continue;
    take_back(&list[i]);
    dead++;
  }
  free(list);
  return dead;
}

int cl_restore(int id, bool all) {
  struct cl_reservation *list;
  size_t count;
  int lock, status = 0, found = 0;
  char path[CL_PATH_MOST];
  if (geteuid() != 0 && !cl_files_is_tree()) return cl_fail("restore needs root");
  int error = cl_journal_lock(&lock);
  if (!error && (error = cl_journal_list(&list, &count)) != 0) close(lock);
  if (error) return cl_fail("%s cannot be used: %s", CL_JOURNALS, strerror(error));
  cl_journal_of(id, path);
  for (size_t i = 0; i < count; i++) {
    bool wanted = id ? strcmp(list[i].path, path) == 0 : all || !list[i].alive;
    if (!wanted) continue;
    found++;
    status |= take_back(&list[i]);
  }
  free(list);
  close(lock);
  if (id && !found) return cl_fail("there is no reservation %d: `status` lists them", id);
  if (!found) cl_say("nothing to take back");
  return status;
}
