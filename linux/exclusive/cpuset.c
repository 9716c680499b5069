/* SPDX-License-Identifier: Apache-2.0
 *
 * Cpusets without partitions: the program's cgroup gets the CPUs, and every other cgroup loses them. The tasks of the
 * root cgroup, whose CPUs cannot be set, move to a cgroup of this tool for the rest.
 *
 * Why no task can come in: a task may use only the CPUs of its cgroup, whatever it requests by sched_setaffinity, a new
 * one is born in its parent's cgroup, and no cgroup but the program's has the CPUs. Privileged users can create a new
 * cgroup with them, or move a task to the root: sweep() does everything again. In v1 the cgroup is also exclusive, so
 * that the kernel refuses such a new cgroup. When another reservation ends, the tasks that it had moved out of the root
 * return there, and enter this tool's cgroup with the next sweep. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mechanisms.h"
#include "say.h"

/* One walk over the groups of a hierarchy. */
struct walk {
  struct cl_hold *hold;
  const char *parent;          /* folder whose groups are walked */
  const struct cl_cpus *above; /* its CPUs (v1) */
  bool all;                    /* v2: groups that list no CPUs, too */
  int changed;
};

/* A file of a cpuset: v1 mounted with noprefix has "cpus", else "cpuset.cpus". */
static const char *file_of(char path[CL_PATH_MOST], const char *mount, const char *group, const char *name) {
  char probe[CL_PATH_MOST], full[64];
  bool bare = cl_exists(cl_join(probe, mount, "cpus")) && !cl_exists(cl_join(probe, mount, "cpuset.cpus"));
  snprintf(full, sizeof full, "%s%s", bare ? "" : "cpuset.", name);
  return cl_join(path, group, full);
}

/* A cgroup to narrow, the file with its CPUs, and these. ENOENT, ENODEV: it does not exist, or no longer. */
static int look(const struct walk *walk, const char *name, char group[CL_PATH_MOST], char path[CL_PATH_MOST],
                struct cl_cpus *set) {
  struct cl_hold *hold = walk->hold;
  char text[CL_CPUS_TEXT];
  cl_join(group, walk->parent, name);
  if (*group == '\0') return ENAMETOOLONG;
  if (cl_is_ours(name) || !cl_is_group(group)) return ENOENT;
  int error = cl_read(file_of(path, walk->parent, group, "cpus"), text, sizeof text);
  if (error == ENOENT && walk->above == NULL && hold->changes.plan) { /* in v2 its files come with the controller */
    cl_change_expect(&hold->changes, path, "");
    *set = cl_cpus_none();
    return 0;
  }
  return error ? error : cl_cpus_parse(text, set);
}

static int unless_gone(int error) { return error == ENOENT || error == ENODEV ? 0 : error; }

/* --- v2 --- */

static int narrow_v2(void *context, const char *name) {
  struct walk *walk = context;
  struct cl_hold *hold = walk->hold;
  char group[CL_PATH_MOST], path[CL_PATH_MOST];
  struct cl_cpus set;
  int error = look(walk, name, group, path, &set);
  if (error) return unless_gone(error);
  if (cl_cpus_count(&set) == 0 && !walk->all) return 0;
  struct cl_cpus left = cl_cpus_minus(&set, &hold->cpus);
  /* As in a partition: a group with no CPU left gets what the others have, instead of "" which would be all. */
  if (cl_cpus_count(&left) == 0) left = hold->lists;
  if (cl_cpus_equal(&left, &set)) return 0;
  error = cl_change_cpus(&hold->changes, path, &left);
  walk->changed += !error;
  return unless_gone(error);
}

/* Ours for the rest, of a cpuset that lives: settle.c knows what it should have, so that needs no line. */
static int narrow_rest(struct cl_hold *hold, const char *mount) {
  char group[CL_PATH_MOST], path[CL_PATH_MOST], text[CL_CPUS_TEXT];
  struct cl_cpus set;
  cl_join(path, cl_join(group, mount, CL_REST), "cpuset.cpus");
  if (cl_read(path, text, sizeof text) || cl_cpus_parse(text, &set) || cl_cpus_count(&set) == 0) return 0;
  struct cl_cpus left = cl_cpus_minus(&set, &hold->cpus);
  return cl_cpus_equal(&left, &set) ? 0
                                    : unless_gone(cl_change_file(&hold->changes, path, cl_cpus_format(&left, text)));
}

int cl_groups_narrow(struct cl_hold *hold, const char *mount, bool all, int *count) {
  struct walk walk = {hold, mount, NULL, all, 0};
  int error = narrow_rest(hold, mount);
  if (!error) error = cl_list(mount, narrow_v2, &walk);
  *count += walk.changed;
  return error;
}

/* --- v1 --- */

/* Deepest first, as a group must keep all that the groups in it have. */
static int narrow_v1(void *context, const char *name) {
  struct walk *walk = context;
  struct cl_hold *hold = walk->hold;
  char group[CL_PATH_MOST], path[CL_PATH_MOST];
  struct cl_cpus set;
  int error = look(walk, name, group, path, &set);
  if (error) return unless_gone(error);
  struct cl_cpus left = cl_cpus_minus(&set, &hold->cpus);
  if (cl_cpus_equal(&left, &set)) return 0;
  /* A cgroup with no CPU left gets its parent's CPUs. */
  if (cl_cpus_count(&left) == 0) left = cl_cpus_minus(walk->above, &hold->cpus);
  if (cl_cpus_count(&left) == 0) {
    cl_warn("cpuset %s has no other CPUs to fall back to", group);
    return EBUSY;
  }
  struct walk below = {hold, group, &set, false, 0};
  error = cl_list(group, narrow_v1, &below);
  if (!error) error = cl_change_cpus(&hold->changes, path, &left);
  walk->changed += below.changed + !error;
  return unless_gone(error);
}

/* --- both --- */

struct way {
  const char *controller; /* "" = v2 */
  char mount[CL_PATH_MOST], rest[CL_PATH_MOST];
};

static int find(const char *controller, struct way *way) {
  way->controller = controller;
  int error = cl_group_mount(controller, way->mount, sizeof way->mount);
  if (!error) cl_join(way->rest, way->mount, CL_REST);
  return error;
}

static char *root_list; /* of the processes in it, the last time */

static int move(struct cl_hold *hold, const struct way *way, const struct cl_task *task, bool later) {
  int error = later ? cl_pins_of(hold, task->pid) : 0;
  if (!error) error = cl_change_group(&hold->changes, task, way->controller, way->rest, true);
  if (!error && later) cl_pins_again(hold);
  return error;
}

/* Moves the programs of the root group to ours, until a pass finds none: one may fork while it is moved. `later`: in a
 * sweep, when it is not yet recorded who has asked for which CPUs. */
static int empty_root(struct cl_hold *hold, const struct way *way, bool later, int *moved) {
  char path[CL_PATH_MOST];
  int found;
  do {
    char *list;
    int error = cl_read_all(cl_join(path, way->mount, "cgroup.procs"), &list);
    if (error || cl_unchanged(&root_list, list)) return error;
    found = 0;
    for (char *at = list, *end; !error; at = end) {
      struct cl_task task;
      int pid = (int)strtol(at, &end, 10);
      if (end == at) break;
      if (cl_task_read(pid, &task) || task.kernel || task.state == 'Z') continue;
      error = move(hold, way, &task, later);
      if (!error) found++;
      else if (error == ESRCH) error = 0;
    }
    if (error) return error;
    *moved += found;
  } while (found && !hold->changes.plan);
  return 0;
}

static int narrow(struct cl_hold *hold, const struct way *way, int *count) {
  if (*way->controller == '\0') return cl_groups_narrow(hold, way->mount, true, count);
  struct walk walk = {hold, way->mount, &hold->lists, false, 0};
  int error = cl_list(way->mount, narrow_v1, &walk);
  *count += walk.changed;
  return error;
}

/* A group of ours with CPUs; in v1 a group takes tasks only when it has memory, too. */
static int dress(struct cl_hold *hold, const struct way *way, const char *group, const struct cl_cpus *cpus,
                 bool exclusive, char *why, size_t size) {
  struct cl_changes *changes = &hold->changes;
  char path[CL_PATH_MOST], from[CL_PATH_MOST], mems[CL_CPUS_TEXT], list[CL_CPUS_TEXT];
  bool v1 = *way->controller != '\0';
  int error = cl_change_file(changes, file_of(path, way->mount, group, "cpus"), cl_cpus_format(cpus, list));
  if (!error && v1) {
    file_of(path, way->mount, group, "mems");
    error = cl_read(file_of(from, way->mount, way->mount, "mems"), mems, sizeof mems);
    if (!error) error = cl_change_file(changes, path, mems);
  }
  if (error) return cl_why(why, size, error, "cannot write %s", path);
  /* No harm where it is refused: then sweep() finds who overlaps. */
  if (v1 && exclusive) cl_change_file(changes, file_of(path, way->mount, group, "cpu_exclusive"), "1");
  return 0;
}

static int make(struct cl_hold *hold, const char *controller, struct cl_tasks *kernel, char *why, size_t size) {
  struct cl_changes *changes = &hold->changes;
  struct way way;
  int groups = 0;
  int error = find(controller, &way);
  if (error) return cl_why(why, size, error, "no cpuset hierarchy is mounted");
  if ((error = cl_kernel_tasks(hold, kernel)) != 0) return cl_why(why, size, error, "cannot read the tasks");
  cl_warn_container(kernel);
  if ((error = cl_kernel_away(hold, kernel, false)) != 0)
    return cl_why(why, size, error, "cannot move the kernel threads");
  cl_group_name(hold, way.mount, "", hold->group);
  if ((error = cl_change_folder(changes, way.rest)) != 0) return cl_why(why, size, error, "cannot create %s", way.rest);
  if (*controller != '\0' && (error = dress(hold, &way, way.rest, &hold->lists, false, why, size)) != 0) return error;
  /* Before the controller: only the true root may have both tasks and groups with controllers. */
  free(root_list);
  root_list = NULL;
  if ((error = empty_root(hold, &way, false, &hold->moved)) != 0)
    return cl_why(why, size, error, "cannot move the tasks of %s", way.mount);
  if (*controller == '\0' && (error = cl_change_cpuset_on(changes, way.mount)) != 0)
    return cl_why(why, size, error, "cannot enable the cpuset controller in %s", way.mount);
  if (*controller == '\0' && (error = dress(hold, &way, way.rest, &hold->lists, false, why, size)) != 0) return error;
  if ((error = narrow(hold, &way, &groups)) != 0)
    return cl_why(why, size, error, "cannot narrow the cgroups in %s", way.mount);
  /* Ours comes last, so that it goes first: while it is exclusive the others cannot get the CPUs back. */
  if ((error = cl_change_folder(changes, hold->group)) != 0)
    return cl_why(why, size, error, "cannot create %s", hold->group);
  return dress(hold, &way, hold->group, &hold->use, true, why, size);
}

static int clear(struct cl_hold *hold, const char *controller, char *why, size_t size) {
  struct cl_tasks kernel = {NULL, 0};
  int error = make(hold, controller, &kernel, why, size);
  if (!error) cl_pins_again(hold);
  if (!error && (error = cl_workqueues_away(hold)) != 0) cl_why(why, size, error, "cannot move the workqueues");
  cl_tasks_free(&kernel);
  return error;
}

static int sweep(struct cl_hold *hold, const char *controller) {
  struct way way;
  int found = 0;
  if (find(controller, &way)) return 0;
  narrow(hold, &way, &found);
  empty_root(hold, &way, true, &found);
  return found + cl_kernel_sweep(hold);
}

/* --- the two --- */

static const char *v2_cannot(const struct cl_hold *hold, char *why, size_t size) {
  char mount[CL_PATH_MOST], path[CL_PATH_MOST], text[512];
  const char *no = cl_v2_cannot(hold);
  (void)why, (void)size;
  if (no != NULL) return no;
  if (cl_systemd_runs()) return "it would write to cgroups that systemd owns";
  if (cl_kernel_since(7, 0) || cl_group_mount("", mount, sizeof mount)) return NULL;
  cl_read(cl_join(path, mount, "cgroup.subtree_control"), text, sizeof text);
  /* Else the lists go with the controller. */
  return strstr(text, "cpuset") ? "before Linux 7.0 an empty cpuset.cpus cannot be restored" : NULL;
}

static int v2_clear(struct cl_hold *hold, char *why, size_t size) { return clear(hold, "", why, size); }

static int v2_enter(struct cl_hold *hold, const struct cl_task *task, char *why, size_t size) {
  return cl_group_enter(hold, "", task, why, size);
}

static int v2_sweep(struct cl_hold *hold) { return sweep(hold, ""); }

static const char *v1_cannot(const struct cl_hold *hold, char *why, size_t size) {
  char mount[CL_PATH_MOST];
  (void)why, (void)size;
  if (cl_needs_root(hold)) return "needs root";
  if (cl_group_mount("cpuset", mount, sizeof mount)) return "no cgroup v1 cpuset hierarchy is mounted";
  return NULL; /* systemd has no cpusets in v1 */
}

static int v1_clear(struct cl_hold *hold, char *why, size_t size) { return clear(hold, "cpuset", why, size); }

static int v1_enter(struct cl_hold *hold, const struct cl_task *task, char *why, size_t size) {
  return cl_group_enter(hold, "cpuset", task, why, size);
}

static int v1_sweep(struct cl_hold *hold) { return sweep(hold, "cpuset"); }

const struct cl_mechanism cl_cpuset = {
    .name = "cpuset",
    .text = "cgroup v2, cpusets without a partition",
    .cannot = v2_cannot,
    .clear = v2_clear,
    .enter = v2_enter,
    .sweep = v2_sweep,
};

const struct cl_mechanism cl_cpuset_v1 = {
    .name = "cpuset-v1",
    .text = "cgroup v1, cpusets",
    .cannot = v1_cannot,
    .clear = v1_clear,
    .enter = v1_enter,
    .sweep = v1_sweep,
};
