/* SPDX-License-Identifier: Apache-2.0
 *
 * Every change of the system goes through here: read the old value, stop if it is already right, record the value
 * before all reservations (baseline.h), make the change. In a plan the last two become a printed line, so a plan is the
 * same code and cannot differ from the run. */
#ifndef CL_CHANGE_H
#define CL_CHANGE_H

#include "baseline.h"

struct cl_changes {
  bool plan; /* print, do nothing */
  struct cl_layer *layer;
  struct cl_baseline *base;
  int made; /* so far, planned ones too */
};

/* In a plan, what would have been created counts as existing: a directory is listed as created, its files read as
 * empty. A cgroup is always given by its directory: "/sys/fs/cgroup/a/b" (cl_group_mount, cl_task_folder). */
/* A file in a directory of this tool, which is removed with it: nothing is recorded. */
int cl_change_file(struct cl_changes *c, const char *path, const char *text);
int cl_change_cpus(struct cl_changes *c, const char *path, const struct cl_cpus *cpus); /* a file with a list: "0-2" */
int cl_change_mask(struct cl_changes *c, const char *path, const struct cl_cpus *cpus); /* a file with a mask: "7" */
int cl_change_cpuset_on(struct cl_changes *c, const char *group); /* the cpuset controller */
int cl_change_folder(struct cl_changes *c, const char *path); /* one of ours */
/* Moves a process to `group`; if it is there, does nothing. */
int cl_change_group(struct cl_changes *c, const struct cl_task *task, const char *group);
/* `via` (NULL: none): the task is put on these CPUs first, so that it continues on an idle one. */
int cl_change_affinity(struct cl_changes *c, const struct cl_task *task, const struct cl_cpus *via,
                       const struct cl_cpus *cpus);
/* A task of the program of layer `id`: what it has requested is recorded. `use`: its affinity is about to be set to
 * these; NULL: only its cpuset keeps it there. */
int cl_change_program(struct cl_changes *c, const struct cl_task *task, const struct cl_cpus *use, int id);
/* In a plan: a file that will have this text, or (NULL) a directory that will exist, made by another program. */
void cl_change_expect(const struct cl_changes *c, const char *path, const char *text);
/* An entry of the layer for a change that another module makes: in a plan printed as `what`. */
int cl_change_other(struct cl_changes *c, const char *what, const char *const *field, size_t count);

#endif
