/* SPDX-License-Identifier: Apache-2.0
 *
 * Every change of the system goes through here: read the old, stop if it is so already, write it down, do it. In a plan
 * the last two become a printed line, so a plan is the same code and cannot differ from the deed. */
#ifndef CL_CHANGE_H
#define CL_CHANGE_H

#include "journal.h"
#include "tasks.h"

struct cl_changes {
  bool plan; /* print, do nothing */
  struct cl_journal *journal;
  int made; /* so far, planned ones too */
};

/* In a plan, what was planned to be made counts as there: a folder is listed as made, its files read as empty.
 * A group is given by its folder everywhere: "/sys/fs/cgroup/a/b" (cl_group_mount, cl_task_folder). */
int cl_change_file(struct cl_changes *c, const char *path, const char *text);
int cl_change_cpus(struct cl_changes *c, const char *path, const struct cl_cpus *cpus); /* a file with a list: "0-2" */
int cl_change_mask(struct cl_changes *c, const char *path, const struct cl_cpus *cpus); /* a file with a mask: "7" */
int cl_change_controller(struct cl_changes *c, const char *group, const char *controller); /* +cpuset */
int cl_change_folder(struct cl_changes *c, const char *path);
/* Moves a task (whole: its process) to `group`, or is it there, does nothing. `controller`: "" = v2. */
int cl_change_group(struct cl_changes *c, const struct cl_task *task, const char *controller, const char *group,
                    bool whole);
/* `via` (NULL: none): the task is put on these first, in the same entry, so that it goes on where it is quiet. */
int cl_change_affinity(struct cl_changes *c, const struct cl_task *task, const struct cl_cpus *via,
                       const struct cl_cpus *cpus);
/* In a plan: a file that will have this text, or (NULL) a folder that will be there, by what somebody else does. */
void cl_change_expect(const struct cl_changes *c, const char *path, const char *text);
/* An entry for a change that another module makes (scope, irqbalance): in a plan printed as `what`, else written down. */
int cl_change_other(struct cl_changes *c, const char *what, const char *kind, const char *const *field, size_t count);

#endif
