/* SPDX-License-Identifier: Apache-2.0
 *
 * The targets of attach: a thread, processes, or all members of a cgroup, which may be a systemd unit's. */
#ifndef CL_TARGET_H
#define CL_TARGET_H

#include "hold.h"

struct cl_target {
  struct cl_tasks process;    /* those that live, by pid: their first threads; of one thread that itself */
  struct cl_tasks came;       /* of these, those that have come into the cgroup since it was cleared */
  char folder[CL_PATH_MOST];  /* the cgroup's, or "": the processes were named */
};

/* A cgroup as a user names it: its directory, or that below /sys/fs/cgroup, or what /proc/PID/cgroup says for v2.
 * EINVAL: no such path; ENOENT: no cgroup is there; EPERM: it is the root of its hierarchy. */
int cl_target_folder(const char *path, struct cl_target *target);
/* State 0: finds the processes of the request; hold->program is the first. Prints errors; returns the exit status. */
int cl_target_find(struct cl_hold *hold, struct cl_request *request);
/* The folder, or one in it. */
bool cl_is_below(const char *path, const char *folder);
/* Removes those that have ended and adds those that have joined the cgroup; hold->program is a live one, as long as
 * any is. The cgroup that a mechanism has created counts as the cgroup, as they were moved there. */
int cl_target_refresh(struct cl_hold *hold);
/* Any of them lives. */
bool cl_target_lives(struct cl_hold *hold);
/* The task is one of them, or of one of these processes. */
bool cl_target_has(const struct cl_hold *hold, const struct cl_task *task);
/* A task that was not there when it was read: it is in the cgroup. */
bool cl_target_contains(const struct cl_hold *hold, int tid);
/* Every thread of all of them. ESRCH: none lives. */
int cl_target_tasks(const struct cl_hold *hold, struct cl_tasks *tasks);
/* "process 5 (sleep)", "thread 6 (sleep)", "2 processes (5 sleep, 6 sleep)", "web.service (2 processes)" */
#define CL_TARGET_TEXT (CL_PATH_MOST + 64)
const char *cl_target_text(const struct cl_hold *hold, char text[CL_TARGET_TEXT]);
void cl_target_free(struct cl_target *target);

#endif
